//! Whole matches between simple players.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tesuji_arena::cost::PHASE;
use tesuji_arena::even::{self, EvenSpec};
use tesuji_arena::journal::{Journal, JournalError};
use tesuji_arena::matches::{GameResult, MakePlayer, MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_arena::sprt::Sprt;
use tesuji_core::player::Choice;
use tesuji_core::{Budget, GameLine, Outcome, Player, PlayerError, Position, RuleBot, Rules, Side, Stream, game};
use tesuji_games::tictactoe::TicTacToe;

/// How a test player behaves.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Random,
    Bot,
    /// Fails in some way at its second move.
    Illegal,
    Crash,
    Slow,
    Resign,
    /// Panics at its second move, and if it is used again after that.
    Panic,
    /// Refuses to play at its second move.
    Refuse,
}

struct TestPlayer {
    manner: Manner,
    random: Stream,
    /// Whether it has panicked.
    broken: bool,
}

impl Player for TestPlayer {
    fn name(&self) -> String {
        "test".to_owned()
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Stream::new(seed, "test", 0);
        assert!(!self.broken, "a player that panicked was used again");
        Ok(())
    }

    fn choose(&mut self, line: &GameLine, _budget: &Budget) -> Result<Choice, PlayerError> {
        let tictactoe = TicTacToe::new(Rules::Official);
        let text = format!("{} moves {}", line.start, line.moves.join(" "));
        let position = game::parse_line(&tictactoe, &text).unwrap();
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let mut text = position.format_move(match self.manner {
            Manner::Bot => tictactoe.bot_move(&position, &moves, &mut self.random),
            _ => moves[self.random.below(moves.len())],
        });
        if line.moves.len() >= 2 {
            match self.manner {
                Manner::Illegal => text = line.moves[0].clone(),
                Manner::Crash => return Err(PlayerError::Crashed("boom".to_owned())),
                Manner::Slow => std::thread::sleep(Duration::from_millis(30)),
                Manner::Resign => return Err(PlayerError::Resigned),
                Manner::Refuse => return Err(PlayerError::Refused("no room".to_owned())),
                Manner::Panic => {
                    self.broken = true;
                    panic!("on purpose");
                }
                Manner::Random | Manner::Bot => {}
            }
        }
        Ok(Choice { text, ..Choice::default() })
    }
}

fn spec() -> MatchSpec {
    MatchSpec {
        game: "tictactoe".to_owned(),
        rules: Rules::Official,
        players: ["a".to_owned(), "b".to_owned()],
        budgets: [Budget::UNLIMITED; 2],
        margin: Duration::from_millis(5),
        openings: Openings::Random(1),
        adjudication: Adjudication::default(),
        seed: 7,
    }
}

fn run(spec: &MatchSpec, extent: MatchLength, manners: [Manner; 2], journal: Option<&mut Journal>) -> Vec<GameResult> {
    let make = |manner: Manner| {
        move || -> Result<Box<dyn Player>, String> {
            Ok(Box::new(TestPlayer { manner, random: Stream::new(0, "test", 0), broken: false }))
        }
    };
    let (a, b) = (make(manners[0]), make(manners[1]));
    let game = TicTacToe::new(Rules::Official);
    play_match(&game, spec, &extent, [&a, &b], journal, &AtomicBool::new(false), &mut |_| ()).unwrap()
}

fn extent(games: usize, threads: usize) -> MatchLength {
    MatchLength { games, sprt: None, threads }
}

/// Costs depend on the clock: everything else must not.
fn without_costs(mut results: Vec<GameResult>) -> Vec<GameResult> {
    for result in &mut results {
        result.costs = Default::default();
        result.spent.iter_mut().for_each(|spent| (spent.wall, spent.cpu) = (0.0, 0.0));
    }
    results
}

/// Every move behind the opening is booked with its side, the moves it was chosen from and its time, and so are the
/// phases of the games: what a game and a player spent is their sum.
#[test]
fn moves_and_phases_are_booked() {
    let results = run(&spec(), extent(10, 2), [Manner::Bot, Manner::Random], None);
    for result in &results {
        assert_eq!(result.spent.len(), result.moves.len() - result.opening);
        for player in 0..2 {
            let own = || result.spent.iter().filter(|spent| spent.side == result.side_of(player));
            assert_eq!(own().count() as u64, result.costs[player].moves);
            assert!((own().map(|spent| spent.wall).sum::<f64>() - result.costs[player].wall).abs() < 1e-9);
            assert!((own().map(|spent| spent.cpu).sum::<f64>() - result.costs[player].cpu).abs() < 1e-9);
        }
        assert!(result.spent.iter().all(|spent| spent.choices > 0));
        let line = serde_json::to_string(result).unwrap();
        assert_eq!(serde_json::from_str::<GameResult>(&line).unwrap(), *result);
        // A journal of an older version has no such list.
        let mut older = serde_json::to_value(result).unwrap();
        older.as_object_mut().unwrap().remove("spent");
        assert!(serde_json::from_value::<GameResult>(older).unwrap().spent.is_empty());
    }
    let summary = Summary::of(&results);
    let plies = results.iter().map(|result| result.moves.len()).max().unwrap();
    assert_eq!(summary.phases.len(), plies.div_ceil(PHASE));
    for (number, phase) in summary.phases.iter().enumerate() {
        assert_eq!(phase.first_ply, number * PHASE);
        let within = |result: &&GameResult| result.opening..result.moves.len();
        let of_phase = |ply: &usize| ply / PHASE == number;
        let moves: usize = results.iter().map(|result| within(&result).filter(of_phase).count()).sum();
        assert_eq!(phase.costs.iter().map(|cost| cost.moves).sum::<u64>(), moves as u64);
    }
    for player in 0..2 {
        let moves: u64 = summary.phases.iter().map(|phase| phase.costs[player].moves).sum();
        assert_eq!(moves, summary.costs[player].moves);
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let games = |threads| without_costs(run(&spec(), extent(60, threads), [Manner::Bot, Manner::Random], None));
    let one = games(1);
    assert_eq!(one, games(4));
    let summary = Summary::of(&one);
    assert!(summary.score.mean() > 0.8, "the bot should beat random: {summary:?}");
    assert!(summary.distinct > 40 && summary.pairs.pairs() == 30);
    assert!(summary.elo().low > 0.0);
    // Colours are swapped within a pair from the same opening.
    assert!(one.chunks(2).all(|pair| pair[0].moves[0] == pair[1].moves[0] && pair[0].first != pair[1].first));
}

#[test]
fn misbehaviour_loses_the_game_and_the_match_goes_on() {
    let mut spec = spec();
    spec.budgets = [Budget::time(Duration::from_millis(10)); 2];
    for (manner, word) in [
        (Manner::Illegal, "illegal move"),
        (Manner::Crash, "boom"),
        (Manner::Slow, "time"),
        (Manner::Resign, "resigned"),
        (Manner::Panic, "crashed: panicked: on purpose"),
        (Manner::Refuse, "refused to play: no room"),
    ] {
        let results = run(&spec, extent(6, 2), [manner, Manner::Random], None);
        assert_eq!(results.len(), 6);
        assert!(results.iter().all(|game| game.points() == 0.0 && game.ending.contains(word)), "{word}: {results:?}");
    }
}

#[test]
fn a_journal_resumes_to_the_same_games() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("match.jsonl");
    let manners = [Manner::Random, Manner::Random];
    let whole = without_costs(run(&spec(), extent(20, 2), manners, None));
    run(&spec(), extent(7, 2), manners, Some(&mut Journal::open(&path, &spec()).unwrap()));
    // A line that was being written when the process was killed.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 20]).unwrap();
    let mut journal = Journal::open(&path, &spec()).unwrap();
    assert_eq!(journal.results().len(), 6);
    assert_eq!(without_costs(run(&spec(), extent(20, 2), manners, Some(&mut journal))), whole);
    drop(journal);
    assert_eq!(Journal::open(&path, &spec()).unwrap().results().len(), 20);

    let other = MatchSpec { seed: 8, ..spec() };
    let error = Journal::open(&path, &other).unwrap_err();
    assert!(error.to_string().contains("seed was 7, now 8"), "{error}");
    std::fs::write(&path, "nonsense\n").unwrap();
    assert!(matches!(Journal::open(&path, &spec()), Err(JournalError::Damaged { line: 1, .. })));
}

#[test]
fn a_journal_is_written_by_one_match_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("match.jsonl");
    let mut first = Journal::open(&path, &spec()).unwrap();
    let error = Journal::open(&path, &spec()).unwrap_err();
    assert!(matches!(error, JournalError::Locked { .. }) && error.to_string().contains("another match"), "{error}");
    // The refused one has changed nothing.
    run(&spec(), extent(4, 1), [Manner::Random, Manner::Random], Some(&mut first));
    drop(first);
    assert_eq!(Journal::open(&path, &spec()).unwrap().results().len(), 4);
}

#[test]
fn what_is_no_journal_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    let other = serde_json::to_string(&MatchSpec { seed: 8, ..spec() }).unwrap();
    for content in ["my only copy", "{", "{\"game\": \"chess\"", "two\nlines\n", "\u{fc}", &other[..other.len() - 1]] {
        // A first line that is cut short may be anything at all; `{` may become a journal of ours.
        let ours = content == "{";
        std::fs::write(&path, content).unwrap();
        let opened = Journal::open(&path, &spec());
        assert_eq!(opened.is_ok(), ours, "{content:?}");
        drop(opened);
        if !ours {
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
    }
}

#[test]
fn a_journal_torn_anywhere_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("match.jsonl");
    let named = MatchSpec { players: ["M\u{fc}ller".to_owned(), "\u{5c06}\u{68cb}".to_owned()], ..spec() };
    let manners = [Manner::Random, Manner::Random];
    let mut journal = Journal::open(&path, &named).unwrap();
    let mut result = run(&named, extent(1, 1), manners, None).remove(0);
    result.ending = "\u{5148}\u{624b}\u{306e}\u{52dd}\u{3061}".to_owned();
    journal.append(&result).unwrap();
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let journal = Journal::open(&path, &named).unwrap_or_else(|error| panic!("{length} bytes: {error}"));
        assert!(journal.results().is_empty());
        drop(journal);
        assert!(whole.starts_with(&std::fs::read(&path).unwrap()));
    }
}

#[test]
fn a_sequential_test_ends_the_match_at_the_same_game() {
    let sprt = Some(Sprt { elo0: 0.0, elo1: 100.0, ..Sprt::default() });
    let games = |threads| {
        let extent = MatchLength { games: 2000, sprt, threads };
        without_costs(run(&spec(), extent, [Manner::Bot, Manner::Random], None))
    };
    let one = games(1);
    assert!(one.len() < 200, "{} games", one.len());
    assert_eq!(one, games(3));
}

#[test]
fn stopping_keeps_what_was_played() {
    let stop = AtomicBool::new(false);
    let make = || -> Result<Box<dyn Player>, String> {
        Ok(Box::new(TestPlayer { manner: Manner::Random, random: Stream::new(0, "test", 0), broken: false }))
    };
    let game = TicTacToe::new(Rules::Official);
    let mut progress = |results: &[GameResult]| stop.store(results.len() >= 5, Ordering::Relaxed);
    let results = play_match(&game, &spec(), &extent(1000, 2), [&make, &make], None, &stop, &mut progress).unwrap();
    assert!((5..50).contains(&results.len()), "{} games", results.len());
}

#[test]
fn openings_from_text_name_the_bad_line() {
    let game = TicTacToe::new(Rules::Official);
    let openings = Openings::from_text(&game, "# comment\n\na1 b2\tremark\nstartpos moves c3\n").unwrap();
    assert_eq!(openings.opening(&game, 1, 1).moves, ["c3"]);
    assert_eq!(openings.opening(&game, 1, 2).start, "a1 b2");
    for (text, word) in [("a1\nb9\n", "line 2"), ("a1 a2 b1 b2 c1\n", "over"), ("# nothing\n", "none")] {
        let error = Openings::from_text(&game, text).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

/// Sees every opening that begins in the centre as lost, every other one as even.
struct Judge;

impl Player for Judge {
    fn name(&self) -> String {
        "judge".to_owned()
    }

    fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
        Ok(())
    }

    fn choose(&mut self, line: &GameLine, _budget: &Budget) -> Result<Choice, PlayerError> {
        let value = if line.moves[0] == "b2" { -0.9 } else { 0.1 };
        Ok(Choice { value: Some(value), ..Choice::default() })
    }
}

#[test]
fn even_openings_are_those_that_both_judges_see_near_a_draw() {
    let game = TicTacToe::new(Rules::Official);
    let find = |judges: [&MakePlayer<'_>; 2], threads, number| {
        let spec = EvenSpec {
            candidates: Openings::Random(1),
            number,
            margin: 0.2,
            budget: Budget::UNLIMITED,
            seed: 3,
            threads,
        };
        even::find(&game, &spec, judges, &AtomicBool::new(false), &mut |_| ()).unwrap()
    };
    let judge = || -> Result<Box<dyn Player>, String> { Ok(Box::new(Judge)) };
    // Nine first moves, of which all but the centre are even; nothing comes twice.
    let all = find([&judge, &judge], 1, 9);
    assert_eq!(all.found.len(), 8);
    assert!(all.candidates >= 9 * 100, "it tries long before it gives up: {}", all.candidates);
    assert!(all.found.iter().all(|even| even.opening.moves[0] != "b2" && even.values == [0.1, 0.1]));
    assert_eq!(find([&judge, &judge], 3, 5), find([&judge, &judge], 1, 5));
    // The file is one of openings.
    let text = even::to_text("made by a test\nof two lines", &all.found);
    assert!(text.starts_with("# made by a test\n# of two lines\nstartpos moves "), "{text}");
    let Openings::Lines(lines) = Openings::from_text(&game, &text).unwrap() else { panic!("lines are expected") };
    assert_eq!(lines, all.found.iter().map(|even| even.opening.line()).collect::<Vec<_>>());
    // A player that tells no value cannot judge.
    let mute = || -> Result<Box<dyn Player>, String> {
        Ok(Box::new(TestPlayer { manner: Manner::Bot, random: Stream::new(0, "test", 0), broken: false }))
    };
    let spec = EvenSpec {
        candidates: Openings::Random(1),
        number: 1,
        margin: 0.2,
        budget: Budget::UNLIMITED,
        seed: 3,
        threads: 1,
    };
    let error = even::find(&game, &spec, [&mute, &judge], &AtomicBool::new(false), &mut |_| ()).unwrap_err();
    assert!(error.contains("no value"), "{error}");
}

#[test]
fn pairs_that_the_opening_decides_are_counted() {
    let result = |index, outcome| GameResult {
        index,
        first: index % 2,
        start: "startpos".to_owned(),
        moves: vec![index.to_string()],
        opening: 0,
        outcome,
        ending: String::new(),
        costs: Default::default(),
        spent: Vec::new(),
    };
    let (first, second, draw) = (Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw);
    let pairs = |pairs: &[[Outcome; 2]]| {
        let games = pairs.iter().flatten().enumerate().map(|(index, &outcome)| result(index, outcome));
        Summary::of(&games.collect::<Vec<_>>())
    };
    // A player that wins with both colours, two draws, and a draw with a win are no splits.
    let fair = pairs(&[[first, second], [draw, draw], [draw, first], [second, first]]);
    assert_eq!((fair.split, fair.openings_decide()), (0, false));
    let decided = pairs(&[[first, first], [second, second], [first, first], [first, second]]);
    assert_eq!((decided.split, decided.openings_decide()), (3, true));
    // Half is not most, and three pairs are too few to say.
    assert!(!pairs(&[[first, first], [second, second], [first, second], [draw, draw]]).openings_decide());
    assert!(!pairs(&[[first, first], [first, first], [first, first]]).openings_decide());
}
