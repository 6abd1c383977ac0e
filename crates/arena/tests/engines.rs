//! Foreign engines: small shell scripts that misbehave, and the real ones where they are installed.
#![cfg(unix)]

use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tesuji_arena::engine::{Engine, EngineSpec};
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, play_match};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::{Budget, Game, GameLine, MoveError, Player, PlayerError, Position, Rules};
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::{Visitor, visit};
use tesuji_search::classical;

/// A UCI engine in shell whose answer to `go` is the given commands.
fn script(on_go: &str) -> String {
    format!(
        "sh -c 'while read -r line; do case \"$line\" in \
         uci) echo \"id name Script\"; echo \"option name Level type spin\"; echo uciok;; \
         isready) echo readyok;; quit) exit;; go*) {on_go};; esac; done'"
    )
}

fn engine(on_go: &str) -> Engine {
    Engine::new(EngineSpec { command: script(on_go), options: Vec::new() }, "tictactoe")
}

fn line(moves: &[&str]) -> GameLine {
    GameLine {
        game: "tictactoe".to_owned(),
        rules: Rules::Official,
        start: "startpos".to_owned(),
        moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
    }
}

const QUICK: Budget = Budget::time(Duration::from_millis(100));

#[test]
fn a_well_behaved_engine_is_understood() {
    let mut engine = engine("echo \"info depth 1 score cp 40 nodes 77 pv b2 a1\"; echo \"bestmove b2 ponder a1\"");
    engine.new_game(1).unwrap();
    let choice = engine.choose(&line(&[]), &QUICK).unwrap();
    assert_eq!((choice.text.as_str(), choice.nodes, engine.name().as_str()), ("b2", 77, "Script"));
    assert_eq!(choice.line, ["b2", "a1"]);
}

#[test]
fn failures_are_named_and_bounded_in_time() {
    let began = Instant::now();
    for (on_go, expected) in [
        ("exit 3", "crashed"),
        ("sleep 100", "time"),
        // Which comes first depends on how fast it talks.
        ("while :; do echo garbage; done", "time|lines without an answer"),
        ("echo bestmove resign", "resigned"),
        ("echo bestmove", "illegal"),
    ] {
        let mut engine = engine(on_go);
        let error = engine.choose(&line(&[]), &QUICK).unwrap_err().to_string();
        assert!(expected.split('|').any(|text| error.contains(text)), "{on_go}: {error}");
        // It is started again for the next game.
        engine.new_game(2).unwrap();
    }
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn unknown_options_and_silent_programs_are_refused() {
    let spec = EngineSpec { command: script("true"), options: vec![("Levle".to_owned(), "3".to_owned())] };
    let error = Engine::new(spec, "tictactoe").start().unwrap_err();
    assert!(matches!(&error, PlayerError::Protocol(text) if text.contains("Level")), "{error}");
    let gone = EngineSpec { command: "true".to_owned(), options: Vec::new() };
    assert!(matches!(Engine::new(gone, "tictactoe").start(), Err(PlayerError::Crashed(_))));
}

/// A match of two games between an engine and a player who is always right.
fn play_against(on_go: &str, pids: &Path) -> Vec<GameResult> {
    let spec = MatchSpec {
        game: "tictactoe".to_owned(),
        rules: Rules::Official,
        players: ["engine".to_owned(), "bot".to_owned()],
        budgets: [QUICK; 2],
        margin: Duration::from_millis(300),
        openings: Openings::Random(0),
        adjudication: Adjudication::default(),
        seed: 1,
    };
    let command = script(on_go).replacen("sh -c '", &format!("sh -c 'echo $$ >> {}; ", pids.display()), 1);
    let game = TicTacToe::new(Rules::Official);
    let bad = || -> Result<Box<dyn Player>, String> {
        Ok(Box::new(Engine::new(EngineSpec { command: command.clone(), options: Vec::new() }, "tictactoe")))
    };
    let good = || classical::player(&game, "bot", 0).map_err(|error| error.to_string());
    let extent = MatchLength { games: 2, sprt: None, threads: 2 };
    play_match(&game, &spec, &extent, [&bad, &good], None, &AtomicBool::new(false), &mut |_| ()).unwrap()
}

#[test]
fn whoever_misbehaves_loses_and_the_match_goes_on_without_orphans() {
    let directory = tempfile::tempdir().unwrap();
    for (number, (on_go, reason)) in [
        ("exit 1", "crashed: the program has ended"),
        ("kill -9 $$", "crashed: the program has ended"),
        ("sleep 600", "ran out of time"),
        ("while :; do echo garbage; done", "ran out of time|lines without an answer"),
        ("echo nonsense; echo; echo info depth x; echo bestmove z9", "played an illegal move"),
        ("echo bestmove", "played an illegal move"),
        ("sleep 1; echo bestmove b2", "ran out of time"),
        ("echo bestmove resign", "resigned"),
    ]
    .into_iter()
    .enumerate()
    {
        let pids = directory.path().join(number.to_string());
        let results = play_against(on_go, &pids);
        assert_eq!(results.len(), 2, "{on_go}");
        for result in &results {
            let told = reason.split('|').any(|text| result.ending.contains(text));
            assert!(result.points() == 0.0 && told, "{on_go}: {result:?}");
        }
        for pid in std::fs::read_to_string(&pids).unwrap().lines() {
            let patience = Instant::now() + Duration::from_secs(10);
            let alive = || {
                let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                !state.is_empty() && !state.contains(") Z ")
            };
            while alive() {
                assert!(Instant::now() < patience, "{on_go}: process {pid} is left");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// The path of an installed engine; `None` (and a note) if there is none, unless `TESUJI_REQUIRE_ENGINES` is set.
fn installed(command: &str) -> Option<String> {
    // Debian puts engines where a shell of root does not look.
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/games";
    let found = path.split(':').map(|folder| format!("{folder}/{command}")).find(|file| Path::new(file).is_file());
    if found.is_none() {
        assert!(std::env::var_os("TESUJI_REQUIRE_ENGINES").is_none(), "{command} is required but not installed");
        // To the stream itself: `eprintln!` is kept from sight in tests that pass.
        let note = format!("skipped: {command} is not installed\n");
        std::io::stderr().write_all(note.as_bytes()).unwrap();
    }
    found
}

/// Asks an engine for its move after a line of moves.
fn answer(path: &str, options: &str, game: &str, moves: &[&str]) -> String {
    let spec: EngineSpec = format!("{path}{options}").parse().unwrap();
    let mut engine = Engine::new(spec, game);
    engine.new_game(1).unwrap();
    let line = GameLine { game: game.to_owned(), ..line(moves) };
    engine.choose(&line, &Budget::time(Duration::from_secs(2)).and(Budget::depth(3))).unwrap().text
}

/// Plays a line of moves by the rules of a game; the error names the move that is not legal.
struct Played<'a>(&'a [&'a str]);

impl Visitor for Played<'_> {
    type Output = Result<(), MoveError>;

    fn visit<G: Game>(self, game: G) -> Result<(), MoveError> {
        let mut position = game.start();
        self.0.iter().try_for_each(|text| position.try_play(position.parse_move(text)?))
    }
}

#[test]
fn real_engines_answer_legal_moves_in_our_notation() {
    for (command, options, game, moves) in [
        ("stockfish", "?UCI_LimitStrength=true&UCI_Elo=1350", "chess", &["e2e4"][..]),
        ("fairy-stockfish", "", "chess", &["e2e4"]),
        ("fairy-stockfish", "", "shogi", &["7g7f"]),
        ("fairy-stockfish", "?Skill Level=-10", "minishogi", &["5d5c"]),
        ("gnuminishogi", "", "minishogi", &["5d5c"]),
        ("gnushogi", "", "shogi", &["7g7f"]),
    ] {
        let Some(path) = installed(command) else { continue };
        let text = answer(&path, options, game, moves);
        let played = visit(game, Rules::Official, Played(&[moves, &[&text]].concat())).unwrap();
        assert!(played.is_ok(), "{command} on {game} after {moves:?}: {text}: {played:?}");
    }
}

/// An engine in shell that answers as GNU Shogi does.
const GNU: &str = "sh -c 'n=0; while read -r line; do case \"$line\" in quit) exit;; \
                   new|force|level*|depth) ;; go) echo \"1. b2 300\";; *) echo \"Illegal move $line\";; esac; done'";

#[test]
fn what_gnu_engines_cannot_keep_is_refused_and_is_no_win() {
    let mut engine = Engine::new(EngineSpec { command: GNU.to_owned(), options: Vec::new() }, "tictactoe");
    let budget = |text: &str| text.parse::<Budget>().unwrap();
    for text in ["time=500ms", "time=999ms,depth=3", "nodes=1000", "cpu=2s"] {
        let refused = engine.check(&line(&[]), &budget(text)).unwrap_err();
        assert!(matches!(refused, PlayerError::Refused(_)), "{text}: {refused}");
    }
    let elsewhere = GameLine { start: "a1 b2".to_owned(), ..line(&[]) };
    assert!(matches!(engine.check(&elsewhere, &budget("time=2s")), Err(PlayerError::Refused(_))));
    for text in ["time=1s", "time=2s,nodes=5", "depth=3", "unlimited"] {
        assert_eq!(engine.check(&line(&[]), &budget(text)), Ok(()), "{text}");
    }
    assert_eq!(engine.choose(&line(&[]), &budget("time=1s")).unwrap().text, "b2");
    // A match with such a budget is not begun.
    let spec = MatchSpec {
        game: "tictactoe".to_owned(),
        rules: Rules::Official,
        players: ["gnu".to_owned(), "bot".to_owned()],
        budgets: [budget("time=500ms"); 2],
        margin: Duration::from_secs(1),
        openings: Openings::Random(0),
        adjudication: Adjudication::default(),
        seed: 1,
    };
    let game = TicTacToe::new(Rules::Official);
    let gnu = || -> Result<Box<dyn Player>, String> {
        Ok(Box::new(Engine::new(EngineSpec { command: GNU.to_owned(), options: Vec::new() }, "tictactoe")))
    };
    let bot = || classical::player(&game, "bot", 0).map_err(|error| error.to_string());
    let extent = MatchLength { games: 2, sprt: None, threads: 1 };
    let problem =
        play_match(&game, &spec, &extent, [&gnu, &bot], None, &AtomicBool::new(false), &mut |_| ()).unwrap_err();
    assert!(problem.contains("player \"gnu\" refuses to play") && problem.contains("give it time=1s"), "{problem}");
}
