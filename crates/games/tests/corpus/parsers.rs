//! Every parser of outside input by name: shared by the corpus test and the fuzz target.
//!
//! What a parser accepts is used, and written and read again, so that nonsense which slips through is noticed.

use tesuji_core::{Game, GameRecord, Move, MoveList, Position, Rules, Stream, Style, game};
use tesuji_games::chess::pgn;
use tesuji_games::shogi::{Geometry, Minishogi, Shogi, ShogiGame, csa, kif};
use tesuji_games::tubstap::{EndRules, Tubstap, replay, tbsmap};
use tesuji_games::{Visitor, visit};

/// Reads the bytes; the error is the parser's.
type Parser = fn(&[u8]) -> Result<(), String>;

/// The files that are not of one game's position or move notation.
const FILES: &[(&str, Parser)] = &[
    ("pgn", pgn),
    ("kif", kif),
    ("csa", csa),
    ("tbsmap", tbsmap),
    ("replay", replay),
    ("record", record),
    ("payload", record_payload),
];

/// The parsers: `GAME-position` and `GAME-moves` for every registered game, then the file formats.
pub fn names() -> Vec<String> {
    let games = tesuji_games::names().iter().flat_map(|game| [format!("{game}-position"), format!("{game}-moves")]);
    games.chain(FILES.iter().map(|(name, _)| (*name).to_owned())).collect()
}

/// Gives the bytes to a parser; the error is the parser's. Panics where something is wrong with us.
pub fn run(name: &str, bytes: &[u8]) -> Result<(), String> {
    let notation = name.strip_suffix("-position").map(|game| (game, false));
    if let Some((game, moves)) = notation.or_else(|| name.strip_suffix("-moves").map(|game| (game, true))) {
        let text = String::from_utf8_lossy(bytes);
        let read = |rules| visit(game, rules, Notation { text: &text, moves }).expect("a registered game");
        // The paper's rules may know fewer moves: TUBSTAP's has no `end`.
        let _ = read(Rules::Paper);
        return read(Rules::Official);
    }
    let (_, parser) = FILES.iter().find(|(known, _)| *known == name).expect("one of the names");
    parser(bytes)
}

/// Reads a position, or moves that are played from the start.
struct Notation<'a> {
    text: &'a str,
    moves: bool,
}

impl Visitor for Notation<'_> {
    type Output = Result<(), String>;

    fn visit<G: Game>(self, game: G) -> Result<(), String> {
        if !self.moves {
            let position = game::parse_line(&game, self.text.trim()).map_err(|error| error.to_string())?;
            use_position(&game, position);
            return Ok(());
        }
        let mut position = game.start();
        for word in self.text.split_whitespace() {
            let mv = position.parse_move(word).map_err(|error| error.to_string())?;
            assert!(position.is_legal(mv), "{word:?} is read as an illegal move");
            let written = position.format_move(mv);
            assert_eq!(position.parse_move(&written), Ok(mv), "{word:?} is written as {written:?}");
            position.play(mv);
        }
        Ok(())
    }
}

/// Whatever a parser accepts can be written, read again, drawn, judged and played on.
fn use_position<G: Game>(game: &G, mut position: G::Position) {
    let text = game.format_position(&position);
    let again = game::parse_line(game, &text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!((again.key(), again.ply()), (position.key(), position.ply()), "{text:?}");
    assert_eq!(game.format_position(&again), text);
    let mut random = Stream::new(1, "corpus", 0);
    let mut moves = MoveList::new();
    for _ in 0..8 {
        game.render(&position, Style { color: true, kanji: true });
        game.heuristic(&position);
        position.movements(&mut moves);
        assert_eq!(position.count_movements(), moves.len());
        if position.expand(&mut moves).is_some() {
            return;
        }
        for encoder in game.encoders().into_iter().filter(|encoder| encoder.accepts(&position)) {
            let mut planes = vec![0.0; encoder.shape().len()];
            encoder.encode(&position, 0, &mut planes);
            assert!(moves.iter().all(|&mv| encoder.index(&position, mv).1 < encoder.policy_len()));
        }
        position.play(moves[random.below(moves.len())]);
    }
}

fn pgn(bytes: &[u8]) -> Result<(), String> {
    let parts: Vec<pgn::Part> = pgn::Splitter::new(bytes).map(|part| part.expect("memory does not fail")).collect();
    let cut: Vec<&[u8]> = parts.iter().flat_map(pgn::Part::games).map(|game| game.text).collect();
    assert!(cut.concat() == bytes || bytes.len() > pgn::LONGEST_GAME || bytes.trim_ascii().is_empty());
    cut.iter().for_each(|text| pgn::Reader::new(*text).for_each(drop));
    let mut result = Ok(());
    for game in pgn::Reader::new(bytes) {
        match game {
            Ok(record) => {
                let text = pgn::format(&record).unwrap_or_else(|error| panic!("{record:?}: {error}"));
                let again = pgn::Reader::new(text.as_bytes()).next().expect("a game").expect("as we wrote it");
                assert_eq!((again.start, again.moves), (record.start, record.moves), "{text}");
            }
            Err(error) => result = Err(error.to_string()),
        }
    }
    result
}

fn kif(bytes: &[u8]) -> Result<(), String> {
    fn read<G: Geometry>(game: ShogiGame<G>, bytes: &[u8]) -> Result<(), String> {
        let record = kif::read(&game, bytes).map_err(|error| error.to_string())?;
        let text = kif::write(&game, &record).unwrap_or_else(|error| panic!("{record:?}: {error}"));
        let again = kif::read(&game, text.as_bytes()).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert_eq!((again.start, again.moves), (record.start, record.moves), "{text}");
        Ok(())
    }
    read(Shogi::new(Rules::Official), bytes).or_else(|_| read(Minishogi::new(Rules::Official), bytes))
}

fn csa(bytes: &[u8]) -> Result<(), String> {
    fn read<G: Geometry>(game: ShogiGame<G>, bytes: &[u8]) -> Result<(), String> {
        for record in csa::read(&game, bytes).map_err(|error| error.to_string())? {
            let text = csa::write(&game, &record).unwrap_or_else(|error| panic!("{record:?}: {error}"));
            let again = csa::read(&game, text.as_bytes()).unwrap_or_else(|error| panic!("{text}\n{error}"));
            let [again] = &*again else { panic!("one game is one game:\n{text}") };
            assert_eq!((&again.start, &again.moves), (&record.start, &record.moves), "{text}");
        }
        Ok(())
    }
    read(Shogi::new(Rules::Official), bytes).or_else(|_| read(Minishogi::new(Rules::Official), bytes))
}

fn tbsmap(bytes: &[u8]) -> Result<(), String> {
    let text = tbsmap::decode(bytes).map_err(|error| error.to_string())?;
    let setup = tbsmap::parse(&text).map_err(|error| error.to_string())?;
    let written = tbsmap::format_setup(&setup);
    let battle = setup.battle(EndRules::of(Rules::Official))?;
    let again = tbsmap::parse(&written).unwrap_or_else(|error| panic!("{written}\n{error}"));
    let again = again.battle(EndRules::of(Rules::Official)).unwrap_or_else(|error| panic!("{written}\n{error}"));
    assert_eq!(again.key(), battle.key(), "{written}");
    use_position(&Tubstap::new(Rules::Official), battle);
    Ok(())
}

fn replay(bytes: &[u8]) -> Result<(), String> {
    let text = tbsmap::decode(bytes).map_err(|error| error.to_string())?;
    let record = replay::parse(&text, Rules::Official).map_err(|error| error.to_string())?;
    let written = replay::format(&record).unwrap_or_else(|error| panic!("{record:?}: {error}"));
    let again = replay::parse(&written, Rules::Official).unwrap_or_else(|error| panic!("{written}\n{error}"));
    assert_eq!((again.start, again.moves), (record.start, record.moves), "{written}");
    Ok(())
}

fn record(bytes: &[u8]) -> Result<(), String> {
    let (records, end) = GameRecord::read_all(bytes);
    for record in &records {
        assert_eq!(GameRecord::read(&record.to_bytes()).map(|(read, _)| read).as_ref(), Ok(record));
        // The game may be unknown here, and the moves anything.
        if let Ok(replayed) = visit(&record.game, record.rules, Replay { record }) {
            replayed?;
        }
    }
    end.map_err(|error| error.to_string())
}

/// The inside of a record: fuzzing does not find the frame's checksum.
fn record_payload(bytes: &[u8]) -> Result<(), String> {
    let mut frame = b"TSJR\x01\x00".to_vec();
    frame.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    frame.extend_from_slice(bytes);
    let checksum = crc32fast::hash(&frame);
    frame.extend_from_slice(&checksum.to_le_bytes());
    record(&frame)
}

struct Replay<'a> {
    record: &'a GameRecord,
}

impl Visitor for Replay<'_> {
    type Output = Result<(), String>;

    fn visit<G: Game>(self, game: G) -> Result<(), String> {
        let start = game::parse_line(&game, &self.record.start).map_err(|error| error.to_string())?;
        let replayed = self.record.replay(start, |_, mv, played| assert_eq!(mv.to_bits(), played.bits));
        replayed.map(|_| ()).map_err(|error| error.to_string())
    }
}
