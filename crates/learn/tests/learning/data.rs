//! Data sets: written, read back, damaged, split.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tesuji_arena::matches::MatchSpec;
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::player::Choice;
use tesuji_core::{
    Budget, Game, GameLine, GameRecord, GameRules, MoveList, Outcome, Player, PlayerError, Position, Rules, Side,
    Stream,
};
use tesuji_games::chess::Chess;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::tubstap::Tubstap;
use tesuji_learn::data::generate::{Plan, generate};
use tesuji_learn::data::{self, Checked, DataSet, DataSetInfo, Settings, Skip, Source, Writer, check::check};
use tesuji_search::classical;

/// A random game, played to its end or for a while; its result is the real one or a draw.
fn random_record<G: Game>(game: &G, seed: u64) -> GameRecord {
    let mut random = Stream::new(seed, "data test", 0);
    let start = game.varied_start(&mut random);
    let (mut position, text) = if seed.is_multiple_of(2) {
        (game.start(), "startpos".to_owned())
    } else {
        let text = game.format_position(&start);
        (start, text)
    };
    let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), &text);
    let mut moves = MoveList::new();
    for _ in 0..60 {
        if position.expand(&mut moves).is_some() {
            break;
        }
        let mv = *random.choose(&moves).unwrap();
        record.push(mv);
        position.play(mv);
    }
    record.outcome = Some(position.outcome().unwrap_or(Outcome::Draw));
    record
}

fn settings(keep: f64) -> Settings {
    Settings { seed: 5, keep, sources: vec![Source { name: "test".to_owned(), bytes: 3 }] }
}

/// A set of random games in a directory; every seventh is passed over.
fn write<G: Game>(game: &G, directory: &Path, games: u64, keep: f64) -> DataSetInfo {
    let mut writer = Writer::create(game, directory, settings(keep)).unwrap();
    for seed in 0..games {
        if seed % 7 == 3 {
            writer.skip(&Skip { reason: "test", detail: String::new() });
        } else {
            writer.add(check(game, &random_record(game, seed)).unwrap()).unwrap();
        }
    }
    writer.finish().unwrap()
}

/// Every sample as text: game, ply, position, move, result.
fn texts<G: Game>(set: &DataSet<G>) -> Vec<(u64, u32, String, String, Outcome)> {
    let mut texts = Vec::new();
    for number in 0..set.shards() {
        let shard = set.read_shard(number).unwrap();
        assert_eq!(shard.len(), set.shard_lens()[number]);
        for (index, sample) in shard.samples().enumerate() {
            // Random access gives the same.
            let again = shard.sample(index);
            assert_eq!((again.mv, again.game, again.ply), (sample.mv, sample.game, sample.ply));
            assert_eq!(again.position.key(), sample.position.key());
            assert_eq!(shard.game_of(index), sample.game);
            let position = set.game().format_position(&sample.position);
            texts.push((sample.source, sample.ply, position, sample.position.format_move(sample.mv), sample.outcome));
        }
    }
    assert_eq!(texts.len() as u64, set.len());
    texts
}

fn samples_are_positions_of_their_games<G: Game>(game: G) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("set");
    let about = write(&game, &path, 40, 0.5);
    let set = DataSet::open(game.clone(), &path).unwrap();
    assert_eq!(set.about(), &about);
    assert_eq!(about.counts.games + about.counts.skipped["test"], 40);
    let mut seen = 0;
    for (source, ply, position, mv, outcome) in texts(&set) {
        // Games count from 1, those passed over included.
        let record = random_record(&game, source - 1);
        assert_eq!(record.outcome, Some(outcome));
        let mut number = 0;
        let start = tesuji_core::game::parse_line(&game, &record.start).unwrap();
        record
            .replay(start, |replayed, played, _| {
                if number == ply {
                    assert_eq!(
                        (game.format_position(replayed), replayed.format_move(played)),
                        (position.clone(), mv.clone())
                    );
                    seen += 1;
                }
                number += 1;
            })
            .unwrap();
    }
    assert_eq!(seen, set.len());
    // Half of them, within four standard deviations.
    let (positions, kept) = (about.counts.positions as f64, about.counts.kept as f64);
    assert!((kept - 0.5 * positions).abs() < 2.0 * positions.sqrt(), "{kept} of {positions}");
}

#[test]
fn samples_are_positions_of_their_games_in_every_kind_of_game() {
    samples_are_positions_of_their_games(Chess::new(Rules::Official));
    samples_are_positions_of_their_games(TicTacToe::new(Rules::Official));
    samples_are_positions_of_their_games(Tubstap::new(Rules::Official));
}

#[test]
fn the_same_games_give_the_same_bytes_and_another_seed_others() {
    let game = Chess::new(Rules::Official);
    let directory = tempfile::tempdir().unwrap();
    let contents = |name: &str| -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(directory.path().join(name)).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| (path.file_name().unwrap().to_string_lossy().into(), fs::read(&path).unwrap())).collect()
    };
    write(&game, &directory.path().join("a"), 30, 0.2);
    write(&game, &directory.path().join("b"), 30, 0.2);
    assert_eq!(contents("a"), contents("b"));
    assert_eq!(contents("a").into_keys().collect::<Vec<_>>(), ["00000.tsjd", "data.json"]);
    let path = directory.path().join("c");
    let mut writer = Writer::create(&game, &path, Settings { seed: 6, ..settings(0.2) }).unwrap();
    (0..30).for_each(|seed| writer.add(check(&game, &random_record(&game, seed)).unwrap()).unwrap());
    writer.finish().unwrap();
    assert_ne!(contents("a")["00000.tsjd"], contents("c")["00000.tsjd"]);
}

#[test]
fn a_set_has_several_shards_and_its_games_keep_their_numbers() {
    let game = Chess::new(Rules::Official);
    let directory = tempfile::tempdir().unwrap();
    let record = check(&game, &random_record(&game, 2)).unwrap();
    let mut writer = Writer::create(&game, directory.path(), settings(1.0)).unwrap();
    let games = 2 * data::writer::SHARD as u64 / record.moves.len() as u64;
    (0..games).for_each(|_| writer.add(record.clone()).unwrap());
    let about = writer.finish().unwrap();
    assert_eq!(about.shards.len(), 2);
    let set = DataSet::open(game, directory.path()).unwrap();
    assert_eq!(set.games(), games);
    let last = set.read_shard(1).unwrap();
    let sample = last.sample(last.len() - 1);
    assert_eq!((sample.game, sample.source), (games - 1, games));
    assert_eq!(set.read_shard(0).unwrap().sample(0).game, 0);
    // Folds are by the number in the set.
    let folds = set.folds(5, 1).unwrap();
    let sizes = (0..games).fold([0_u64; 5], |mut sizes, game| {
        sizes[folds.of(game)] += 1;
        sizes
    });
    assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
}

fn open_error(path: &Path) -> String {
    let set = DataSet::open(Chess::new(Rules::Official), path);
    let error = set.and_then(|set| set.read_shard(0).map(|_| ())).unwrap_err().to_string();
    assert!(!error.contains('\n'));
    error
}

#[test]
fn what_is_wrong_with_a_set_is_said_in_one_line() {
    let game = Chess::new(Rules::Official);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("set");
    assert!(open_error(&path).contains("no such data set"));
    assert!(open_error(directory.path()).contains("not a data set"));
    write(&game, &path, 10, 1.0);
    let other = DataSet::open(TicTacToe::new(Rules::Official), &path).unwrap_err().to_string();
    assert!(other.contains("a data set of chess, not of tictactoe"), "{other}");
    let rules = DataSet::open(Chess::new(Rules::Paper), &path).unwrap_err().to_string();
    assert!(rules.contains("official"), "{rules}");

    let (json, shard) = (path.join("data.json"), path.join("00000.tsjd"));
    let (text, bytes) = (fs::read_to_string(&json).unwrap(), fs::read(&shard).unwrap());
    fs::write(&json, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
    assert!(open_error(&path).contains("format version 2"));
    fs::write(&json, &text[..text.len() / 2]).unwrap();
    assert!(open_error(&path).contains("damaged"));
    fs::write(&json, text.replacen("\"samples\": ", "\"samples\": 1", 1)).unwrap();
    assert!(open_error(&path).contains("damaged"));
    fs::write(&json, &text).unwrap();

    fs::write(&shard, &bytes[1..]).unwrap();
    assert!(open_error(&path).contains("00000.tsjd: damaged"));
    let mut damaged = bytes.clone();
    damaged[40] ^= 1;
    fs::write(&shard, damaged).unwrap();
    assert!(open_error(&path).contains("00000.tsjd: wrong checksum"));
    fs::remove_file(&shard).unwrap();
    assert!(open_error(&path).contains("00000.tsjd"));
    fs::write(&shard, &bytes).unwrap();
    fs::remove_file(&json).unwrap();
    assert!(open_error(&path).contains("unfinished"));
}

#[test]
fn a_shard_of_illegal_moves_is_an_error_not_a_crash() {
    let game = Chess::new(Rules::Official);
    let directory = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(&game, directory.path(), settings(1.0)).unwrap();
    // From the start a rook takes its own pawn.
    let moves = vec![8 << 6];
    let checked = Checked { start: "startpos".into(), moves, opening: 0, beyond_end: 0, outcome: Outcome::Draw };
    writer.add(checked).unwrap();
    writer.finish().unwrap();
    assert!(open_error(directory.path()).contains("game 1: move 1 (0x200) is not legal"));
}

#[test]
fn a_killed_attempt_is_begun_again_and_other_files_are_left_alone() {
    let game = Chess::new(Rules::Official);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for name in ["00000.tsjd", "00007.tsjd", "00008.tsjd.tmp", "data.json.tmp"] {
        fs::write(path.join(name), "half").unwrap();
    }
    write(&game, path, 10, 1.0);
    assert!(DataSet::open(game, path).is_ok());
    assert!(!path.join("00007.tsjd").exists());
    let again = Writer::create(&game, path, settings(1.0)).unwrap_err().to_string();
    assert!(again.contains("already holds a data set"), "{again}");
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("thesis.tex"), "precious").unwrap();
    let full = Writer::create(&game, other.path(), settings(1.0)).unwrap_err().to_string();
    assert!(full.contains("thesis.tex"), "{full}");
    assert!(Writer::create(&game, &path.join("x"), settings(0.0)).unwrap_err().to_string().contains("at most 1"));
    assert!(Writer::create(&game, &path.join("x"), settings(f64::NAN)).is_err());
}

#[test]
fn games_are_checked() {
    let game = Chess::new(Rules::Official);
    let good = random_record(&game, 4);
    let reason = |change: fn(&mut GameRecord)| {
        let mut record = good.clone();
        change(&mut record);
        check(&game, &record).unwrap_err().reason
    };
    assert_eq!(reason(|record| record.game = "shogi".into()), "another game");
    assert_eq!(reason(|record| record.rules = Rules::Paper), "other rules");
    assert_eq!(reason(|record| record.rules_version = 9), "other rules");
    assert_eq!(reason(|record| record.outcome = None), "no result");
    assert_eq!(reason(|record| record.moves.clear()), "no moves");
    assert_eq!(reason(|record| record.start = "8/8 w".into()), "bad start");
    assert_eq!(reason(|record| record.moves[3].bits = 0), "illegal move");
    assert_eq!(reason(|record| record.moves[3].bits = u32::MAX), "illegal move");
    assert_eq!(reason(|record| record.moves = vec![record.moves[0].clone(); 100_001]), "too long");

    // Nobody chose the moves of the opening.
    let mut record = good.clone();
    record.tags.push((data::check::OPENING_TAG.into(), "4".into()));
    let directory = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(&game, directory.path(), settings(1.0)).unwrap();
    writer.add(check(&game, &record).unwrap()).unwrap();
    let about = writer.finish().unwrap();
    assert_eq!(about.counts.kept as usize, record.moves.len() - 4);
    let set = DataSet::open(game, directory.path()).unwrap();
    assert_eq!(set.read_shard(0).unwrap().sample(0).ply, 4);
}

#[test]
fn what_comes_behind_an_unclaimed_draw_is_no_position_of_the_game() {
    let game = Chess::new(Rules::Official);
    let unclaimed = Chess::with_draws(Rules::Official, tesuji_games::chess::DrawRules::NONE);
    let mut record = GameRecord::new("chess", Rules::Official, game.rules_version(), "startpos");
    let mut position = unclaimed.start();
    for mv in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8", "e2e4", "e7e5"] {
        let mv = position.parse_move(mv).unwrap();
        record.push(mv);
        position.play(mv);
    }
    record.outcome = Some(Outcome::Win(Side::First));
    let checked = check(&game, &record).unwrap();
    assert_eq!((checked.moves.len(), checked.beyond_end), (8, 2));
}

/// Tic-tac-toe between a tree search and the rule bot.
fn plan(games: u64, threads: usize) -> Plan {
    let spec = MatchSpec {
        game: "tictactoe".to_owned(),
        rules: Rules::Official,
        players: ["uct:sims=20".to_owned(), "bot".to_owned()],
        budgets: [Budget::UNLIMITED; 2],
        margin: std::time::Duration::from_secs(1),
        openings: Openings::Random(1),
        adjudication: Adjudication::default(),
        seed: 3,
    };
    Plan { spec, games, keep: 1.0, threads }
}

fn play(directory: &Path, plan: &Plan, stop: &AtomicBool) -> Result<Option<DataSetInfo>, String> {
    let game = TicTacToe::new(Rules::Official);
    let make = |line: &str| classical::player(&game, line, 0).map_err(|error| error.to_string());
    let [a, b] = [0, 1].map(|index: usize| move || make(&plan.spec.players[index]));
    generate(&game, &|record| check(&game, record), directory, plan, ([&a, &b], None), stop, &mut |_| {})
        .map_err(|error| error.to_string())
}

#[test]
fn generated_games_are_the_same_at_any_number_of_threads_and_after_a_stop() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let go = AtomicBool::new(false);
    let about = play(&path("one"), &plan(40, 1), &go).unwrap().unwrap();
    assert_eq!((about.counts.games, about.counts.skipped.len()), (40, 0));
    play(&path("three"), &plan(40, 3), &go).unwrap().unwrap();
    // Stopped at once; then some games; then cut in the middle of one, as by a power failure; then all.
    assert_eq!(play(&path("parts"), &plan(40, 1), &AtomicBool::new(true)).unwrap(), None);
    play(&path("parts"), &plan(25, 2), &go).unwrap().unwrap();
    let log = path("parts").join("games.tsjr");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() - 9]).unwrap();
    play(&path("parts"), &plan(40, 2), &go).unwrap().unwrap();
    for name in ["games.tsjr", "00000.tsjd", "data.json"] {
        let one = fs::read(path("one").join(name)).unwrap();
        assert_eq!(one, fs::read(path("three").join(name)).unwrap(), "{name}");
        assert_eq!(one, fs::read(path("parts").join(name)).unwrap(), "{name}");
    }
    // The colours change from game to game, and nobody chose the opening's move.
    let records: Vec<GameRecord> = data::generate::games(&path("one")).unwrap().map(Result::unwrap).collect();
    let first = |record: &GameRecord| record.tags.iter().find(|(name, _)| name == "X").unwrap().1.clone();
    assert_eq!((first(&records[0]), first(&records[1])), ("uct:sims=20".into(), "bot".into()));
    // What a search thought of its position is kept, what was drawn for the opening has nothing.
    let values = |record: &GameRecord| record.moves.iter().filter(|played| played.thought.is_some()).count();
    assert!(records.iter().all(|record| values(record) > 0 && record.moves[0].thought.is_none()));
    let set = DataSet::open(TicTacToe::new(Rules::Official), &path("one")).unwrap();
    assert!(set.read_shard(0).unwrap().samples().all(|sample| sample.ply >= 1));
    // Asked again, nothing is played; under other conditions it is refused.
    assert_eq!(play(&path("one"), &plan(40, 1), &AtomicBool::new(true)).unwrap(), Some(about));
    let mut other = plan(40, 1);
    other.spec.seed = 4;
    let refused = play(&path("one"), &other, &go).unwrap_err();
    assert!(refused.contains("\"seed\": 3"), "{refused}");
}

/// Plays the first legal move, and crashes in its third.
struct Crasher {
    moves: u32,
}

impl Player for Crasher {
    fn name(&self) -> String {
        "crasher".to_owned()
    }

    fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
        self.moves = 0;
        Ok(())
    }

    fn choose(&mut self, line: &GameLine, _budget: &Budget) -> Result<Choice, PlayerError> {
        self.moves += 1;
        if self.moves == 3 {
            return Err(PlayerError::Crashed("as it does".to_owned()));
        }
        let text = format!("startpos moves {}", line.moves.join(" "));
        let position = tesuji_core::game::parse_line(&TicTacToe::new(Rules::Official), &text).unwrap();
        let text = tesuji_core::game::sorted_moves(&position).swap_remove(0);
        Ok(Choice { text, ..Choice::default() })
    }
}

#[test]
fn nothing_is_learned_from_games_in_which_a_player_failed() {
    let directory = tempfile::tempdir().unwrap();
    let game = TicTacToe::new(Rules::Official);
    let make = || -> Result<Box<dyn Player>, String> { Ok(Box::new(Crasher { moves: 0 })) };
    let stop = AtomicBool::new(false);
    let about = generate(
        &game,
        &|record| check(&game, record),
        directory.path(),
        &plan(6, 2),
        ([&make, &make], None),
        &stop,
        &mut |_| {},
    );
    let about = about.unwrap().unwrap();
    // Nobody has three in a line after two moves.
    assert_eq!(about.counts.games, 0);
    assert_eq!(about.counts.skipped["no result"], 6);
    let records: Vec<GameRecord> = data::generate::games(directory.path()).unwrap().map(Result::unwrap).collect();
    assert!(records.iter().all(|record| record.ending.contains("crashed")));
}
