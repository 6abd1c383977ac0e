use super::*;
use crate::{Chess, ChessPosition, DrawRules};
use proptest::prelude::*;
use std::io::{self, Read};
use tesuji_core::{GameRecord, GameRules, MoveList, Outcome, Place, Position, Rules, Side, Stream};

const GAMES: &str = include_str!("../../../../../tests/pgn/games.pgn");
const BROKEN: &[u8] = include_bytes!("../../../../../tests/pgn/broken.pgn");

fn unclaimed() -> Chess {
    Chess::with_draws(Rules::Official, DrawRules::NONE)
}

/// The last position of a game, in FEN.
fn last(record: &GameRecord) -> String {
    let chess = unclaimed();
    let start = tesuji_core::game::parse_line(&chess, &record.start).unwrap();
    chess.format_position(&record.replay(start, |_, _, _| {}).unwrap())
}

fn good(source: &[u8]) -> Vec<GameRecord> {
    Reader::new(source).map(Result::unwrap).collect()
}

/// A source that gives one byte at a time.
struct Dripping<'a>(&'a [u8]);

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.len().min(buffer.len()).min(1);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn real_games_are_read() {
    let games = good(GAMES.as_bytes());
    let white = Some(Outcome::Win(Side::First));
    let summary: Vec<(usize, Option<Outcome>, &str)> =
        games.iter().map(|game| (game.moves.len(), game.outcome, &*game.ending)).collect();
    let expected = [
        (33, white, "checkmate"),
        (45, white, "checkmate"),
        (13, None, ""),
        (3, Some(Outcome::Draw), "agreed"),
        (0, Some(Outcome::Win(Side::Second)), ""),
    ];
    assert_eq!(summary, expected);
    assert_eq!(last(&games[0]), "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17");
    assert_eq!(last(&games[1]), "r1bk3r/p2pBpNp/n4n2/1p1NP2P/6P1/3P4/P1P1K3/q5b1 b - - 1 23");
    assert_eq!(last(&games[2]), "2R5/8/8/8/r7/1K6/8/k7 b - - 2 7");
    assert_eq!(last(&games[3]), "8/8/4k3/3pP3/8/8/8/5RK1 w - - 6 42");
    assert_eq!(games[0].tags[6], ("ECO".to_owned(), "C41".to_owned()));
    assert_eq!(games[2].tags[4].1, "White \\ \"to play\"");
    assert_eq!(games[3].start, "4k3/8/8/3pP3/8/8/8/4K2R b K - 3 40");
}

/// Latin-1 doubles when it is written as UTF-8, and quotes are escaped: what was short enough to read must stay so.
#[test]
fn tags_that_grow_when_written_can_be_read_back() {
    let long = [b"[Site \"", &*vec![0xe9; 4000], b"\"]\n[Termination \"", &*vec![0xe9; 4000], b"\"]\n"].concat();
    let many = (0..62).flat_map(|i| [format!("[T{i} \"").as_bytes(), &[0xe4; 990], b"\"]\n"].concat()).collect();
    let short = (0..3000).flat_map(|i| format!("[T{i} \"\"]\n").into_bytes()).collect();
    for tags in [long, many, short] {
        let source = [&*tags, b"\n1. e4 e5 *\n"].concat();
        let [record] = <[GameRecord; 1]>::try_from(good(&source)).unwrap();
        let written = format(&record).unwrap();
        let [again] = <[GameRecord; 1]>::try_from(good(written.as_bytes())).unwrap();
        assert_eq!(again.moves, record.moves);
        for (name, value) in again.tags.iter().filter(|(_, value)| !value.starts_with('?')) {
            let before = record.tags.iter().find(|(tag, _)| tag == name).expect("a tag of the game");
            assert!(value.is_empty() == before.1.is_empty() && before.1.starts_with(value.as_str()), "{name}");
        }
    }
}

#[test]
fn reading_does_not_depend_on_how_the_bytes_arrive() {
    let dripped: Vec<GameRecord> = Reader::new(Dripping(GAMES.as_bytes())).map(Result::unwrap).collect();
    assert_eq!(dripped, good(GAMES.as_bytes()));
}

#[test]
fn games_are_written_as_they_are_read() {
    let games = good(GAMES.as_bytes());
    let text: Vec<String> = games.iter().map(|game| format(game).unwrap()).collect();
    let text = text.join("\n");
    assert!(text.lines().filter(|line| !line.starts_with('[')).all(|line| line.len() <= 79));
    let again = good(text.as_bytes());
    assert_eq!(again.len(), games.len());
    for (again, game) in again.iter().zip(&games) {
        assert_eq!(
            (&again.start, &again.moves, again.outcome, &again.ending),
            (&game.start, &game.moves, game.outcome, &game.ending)
        );
        // The roster is completed; no tag is lost.
        assert!(game.tags.iter().all(|tag| again.tags.contains(tag)));
    }
    // From here on nothing changes.
    let rewritten: Vec<String> = again.iter().map(|game| format(game).unwrap()).collect();
    assert_eq!(rewritten.join("\n"), text);
}

#[test]
fn broken_games_are_told_by_line_and_passed_over() {
    let mut reader = Reader::new(BROKEN);
    let mut told = Vec::new();
    let mut games = Vec::new();
    for game in reader.by_ref() {
        match game {
            Ok(game) => games.push(game),
            Err(PgnError::Broken { error, .. }) => match error.place() {
                Some(Place::Line(line)) => told.push((line, error.problem().to_owned())),
                place => panic!("{place:?}"),
            },
            Err(error) => panic!("{error}"),
        }
    }
    let lines: Vec<usize> = told.iter().map(|&(line, _)| line).collect();
    assert_eq!(lines, [9, 14, 16, 21, 33, 35, 39, 47], "{told:#?}");
    for ((_, problem), part) in told.iter().zip([
        "move 4. Bxc7: illegal move (in the game of line 5)",
        "move 1. Nd2: ambiguous move (in the game of line 11)",
        "White has no king",
        "\"Atomic\" is not chess",
        "behind the result",
        "neither tags nor moves",
        "move 1. --: illegal move (in the game of line 37)",
        "unterminated comment",
    ]) {
        assert!(problem.contains(part), "{problem} has not {part}");
    }
    assert_eq!(games.len(), 3);
    assert_eq!((reader.games(), reader.broken()), (3, 8));
    // A tag without its closing quote ends with the line.
    assert_eq!(games[1].tags[1].1, "Nobody");
    // Latin-1, and CRLF.
    assert_eq!(games[2].tags[0].1, "José");
    assert_eq!(games[2].tags[1].1, "Ångström");
    assert_eq!(games[2].moves.len(), 3);
}

#[test]
fn endless_tags_cost_one_game() {
    let long = format!("[Event \"{}\"]\n[White \"a\"]\n\n1. e4 *\n\n", "x".repeat(100_000));
    let many = format!("{}\n1. e4 *\n\n", "[A \"b\"]\n".repeat(100_000));
    for head in [long, many] {
        let text = format!("{head}[Event \"next\"]\n\n1. d4 *\n");
        let games: Vec<_> = Reader::new(text.as_bytes()).collect();
        assert_eq!(games.len(), 2);
        assert!(games[0].is_err());
        assert_eq!(games[1].as_ref().unwrap().tags[0].1, "next");
    }
}

#[test]
fn compressed_files_are_known_by_their_first_bytes() {
    let plain = good(GAMES.as_bytes());
    let mut compressed = zstd::encode_all(GAMES.as_bytes(), 3).unwrap();
    // Two frames, as when files are joined.
    compressed.extend(zstd::encode_all(&b"\n1. e4 *\n"[..], 3).unwrap());
    let read = |bytes: Vec<u8>| Reader::new(decompressed(io::Cursor::new(bytes)).unwrap());
    assert_eq!(read(GAMES.into()).map(Result::unwrap).collect::<Vec<_>>(), plain);
    assert_eq!(read(compressed.clone()).map(Result::unwrap).count(), plain.len() + 1);
    assert_eq!(read(b"1.".into()).filter_map(Result::ok).count(), 0);

    // Cut or damaged, the games before the damage are read; then one error, then nothing.
    compressed.truncate(compressed.len() / 2);
    let ends: Vec<bool> = read(compressed).map(|game| matches!(game, Err(PgnError::Io { .. }))).collect();
    assert_eq!(ends.iter().filter(|&&is_io| is_io).count(), 1);
    assert_eq!(ends.last(), Some(&true));
}

#[test]
fn missing_files_are_errors() {
    assert!(open("/no/such/file.pgn").is_err());
}

/// A source of endless repetitions.
struct Endless<'a> {
    head: &'a [u8],
    body: &'a [u8],
    left: usize,
}

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.head.is_empty() {
            return self.head.read(buffer);
        }
        let mut written = 0;
        while self.left > 0 && written + self.body.len() <= buffer.len() {
            buffer[written..][..self.body.len()].copy_from_slice(self.body);
            written += self.body.len();
            self.left -= 1;
        }
        Ok(written)
    }
}

#[test]
fn hostile_sources_end_in_bounded_memory() {
    for (head, body) in [
        (&b""[..], &b"["[..]),
        (b"[Event \"", b"x"),
        (b"[Event \"", b"\\"),
        (b"", b"[A \"\"]\n"),
        (b"", b"A"),
        (b"", b"\0"),
        (b"", b"\xff"),
        (b"", b"\r"),
        (b"", b"%"),
        (b"", b";"),
        (b"1. e4 ", b"("),
        (b"1. e4 ", b")"),
        (b"1. e4 ", b"{"),
        (b"1. e4 {", b"\xf0"),
        (b"1. e4 ", b"{}"),
        (b"1. e4 ", b"$"),
        (b"1. e4 ", b"$1"),
        (b"1. e4 ", b"9"),
        (b"1. e4 ", b"0-"),
        (b"1. e4 ", b"!"),
        (b"1. e4 ", b"* "),
        (b"1. e4 ", b"N"),
        (b"", b"Nf3 Nf6 Ng1 Ng8 "),
        (b"1. e4 ", b"\n("),
    ] {
        let games = Reader::new(Endless { head, body, left: 300_000 }).flatten();
        let largest = games.map(|game| game.moves.len() + game.tags.len()).max().unwrap_or(0);
        assert!(largest <= 16_000, "{:?}: a game of {largest} parts", String::from_utf8_lossy(body));
    }
}

#[test]
fn tags_are_cleaned_when_written() {
    let mut record = GameRecord::new("chess", Rules::Official, 1, "startpos");
    for (name, value) in [("White", "a\"b\\c\nd"), ("bad name", "x"), ("", "y"), ("Seed", "7"), ("Seed", "8")] {
        record.tags.push((name.to_owned(), value.to_owned()));
    }
    let text = format(&record).unwrap();
    let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"a\\\"b\\\\c d\"]\n\
                    [Black \"?\"]\n[Result \"*\"]\n[Seed \"7\"]\n\n*\n";
    assert_eq!(text, expected);
}

#[test]
fn records_that_are_no_chess_games_are_not_written() {
    assert!(format(&GameRecord::new("shogi", Rules::Official, 1, "startpos")).is_err());
    assert!(format(&GameRecord::new("chess", Rules::Official, 1, "8/8 w")).is_err());
    let mut record = GameRecord::new("chess", Rules::Official, 1, "startpos");
    record.moves.push(tesuji_core::record::Played { bits: 0, thought: None });
    assert!(format(&record).is_err());
}

/// A random game, also past the draws that a player could have claimed.
fn random_game(seed: u64, plies: usize) -> (GameRecord, ChessPosition) {
    let mut random = Stream::new(seed, "pgn test", 0);
    let mut position = unclaimed().start();
    let mut record = GameRecord::new("chess", Rules::Official, 1, "startpos");
    let mut moves = MoveList::new();
    for _ in 0..plies {
        position.movements(&mut moves);
        let Some(&mv) = random.choose(&moves) else { break };
        record.push(mv);
        position.play(mv);
    }
    record.outcome = position.outcome();
    record.ending = position.ending().to_owned();
    (record, position)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_games_survive_writing_and_reading(seed in any::<u64>(), plies in 0_usize..300) {
        let (record, position) = random_game(seed, plies);
        let read = good(format(&record).unwrap().as_bytes());
        prop_assert_eq!(read.len(), 1);
        prop_assert_eq!(&read[0].moves, &record.moves);
        prop_assert_eq!(read[0].outcome, record.outcome);
        prop_assert_eq!(&read[0].ending, &record.ending);
        prop_assert_eq!(last(&read[0]), unclaimed().format_position(&position));
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        Reader::new(&*bytes).for_each(drop);
        if let Ok(source) = decompressed(io::Cursor::new(bytes)) {
            Reader::new(source).for_each(drop);
        }
    }

    #[test]
    fn no_damage_makes_it_panic(at in 0..GAMES.len(), bytes in proptest::collection::vec(any::<u8>(), 0..5)) {
        let mut damaged = GAMES.as_bytes().to_vec();
        damaged.splice(at..(at + 3).min(GAMES.len()), bytes);
        for game in Reader::new(&*damaged).flatten() {
            format(&game).unwrap();
        }
    }
}
