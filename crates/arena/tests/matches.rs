//! Whole matches between simple players.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tesuji_arena::journal::{Journal, JournalError};
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_arena::sprt::Sprt;
use tesuji_core::player::Choice;
use tesuji_core::{Budget, GameLine, Player, PlayerError, Position, RuleBot, Rules, Stream, game};
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
}

struct TestPlayer {
    manner: Manner,
    random: Stream,
}

impl Player for TestPlayer {
    fn name(&self) -> String {
        "test".to_owned()
    }

    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.random = Stream::new(seed, "test", 0);
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
            Ok(Box::new(TestPlayer { manner, random: Stream::new(0, "test", 0) }))
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
    results.iter_mut().for_each(|result| result.costs = Default::default());
    results
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
    assert_eq!(Journal::open(&path, &spec()).unwrap().results().len(), 20);

    let other = MatchSpec { seed: 8, ..spec() };
    let error = Journal::open(&path, &other).unwrap_err();
    assert!(error.to_string().contains("seed was 7, now 8"), "{error}");
    std::fs::write(&path, "nonsense\n").unwrap();
    assert!(matches!(Journal::open(&path, &spec()), Err(JournalError::Damaged { line: 1, .. })));
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
        Ok(Box::new(TestPlayer { manner: Manner::Random, random: Stream::new(0, "test", 0) }))
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
