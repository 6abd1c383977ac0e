//! Ctrl-C in the middle of a match.

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Nothing takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < end, "{what}: in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A UCI engine in shell that writes its process number to a file and answers `go` by these commands.
fn engine(pids: &Path, on_go: &str) -> String {
    format!(
        "engine:sh -c 'echo $$ >> {}; while read -r line; do case \"$line\" in uci) echo uciok;; \
         isready) echo readyok;; quit) exit;; go*) {on_go};; esac; done'",
        pids.display()
    )
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

/// No process of the file is left: gone, or a zombie that waits to be buried.
fn nobody_is_left(pids: &Path) {
    for pid in std::fs::read_to_string(pids).expect("the engine wrote its number").lines() {
        wait_until("an engine is left behind", || {
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            state.is_empty() || state.contains(") Z ")
        });
    }
}

fn start(words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs")
}

#[test]
fn an_interrupted_match_gives_its_result_so_far() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let (journal, games, pids) = (file("match.jsonl"), file("games.tsjr"), file("pids"));
    // The engine loses every game by an illegal move, at once.
    let foreign = engine(&pids, "echo bestmove z9");
    let run = |count: &str, json: bool| -> Output {
        let before = lines(&journal);
        let mut words = vec!["match", "tictactoe", "random", &foreign, "--games", count];
        words.extend(["--journal", journal.to_str().unwrap(), "--save", games.to_str().unwrap()]);
        words.extend(json.then_some("--json"));
        let child = start(&words);
        wait_until("no games are played", || lines(&journal) > before + 10);
        interrupt(&child);
        child.wait_with_output().unwrap()
    };
    let output = run("1000000", true);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{errors}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let played = result["games"].as_u64().unwrap();
    assert_eq!((result["interrupted"].as_bool(), result["wins"].as_u64()), (Some(true), Some(played)), "{result}");
    // Every game that was played is in the journal, in the result and in the file.
    assert_eq!(lines(&journal) as u64, played + 1);
    let saved = Command::new(env!("CARGO_BIN_EXE_tesuji")).arg("record").arg(&games).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&saved.stdout).lines().count() as u64, played);
    nobody_is_left(&pids);
    // The table says so too, and the same command resumes.
    let output = run("2000000", false);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130));
    assert!(table.contains("stopped") && table.contains("the same command resumes"), "{table}");
    nobody_is_left(&pids);
}

#[test]
fn a_second_interrupt_ends_a_match_at_once_and_its_engines_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let pids = directory.path().join("pids");
    // An engine that never answers and does not care about the end of its input.
    let foreign = engine(&pids, "trap \"\" TERM HUP PIPE; while :; do sleep 1; done");
    let mut child = start(&["match", "tictactoe", &foreign, "random", "--games", "4", "--budget", "time=10m"]);
    wait_until("the engine does not start", || lines(&pids) > 0);
    std::thread::sleep(Duration::from_millis(200));
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "the first one waits for the move under way");
    interrupt(&child);
    wait_until("the match goes on", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    nobody_is_left(&pids);
}

#[test]
fn an_interrupted_tournament_gives_its_table() {
    let directory = tempfile::tempdir().unwrap();
    let journal = directory.path().join("journal");
    let words = ["tournament", "tictactoe", "random", "bot", "--games", "1000000", "--journal"];
    let child = start(&[&words[..], &[journal.to_str().unwrap()]].concat());
    wait_until("no games are played", || lines(&journal.join("0-1.jsonl")) > 10);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130));
    assert!(table.contains("stopped before the end") && table.contains("points"), "{table}");
}

/// Nobody is left to end them: the system does.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_match_takes_its_engines_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let pids = directory.path().join("pids");
    let foreign = engine(&pids, "trap \"\" TERM HUP PIPE; while :; do sleep 1; done");
    let mut child = start(&["match", "tictactoe", &foreign, "random", "--games", "4", "--budget", "time=10m"]);
    // The first one was only asked whether it starts.
    wait_until("the engine does not start", || lines(&pids) > 1);
    std::thread::sleep(Duration::from_millis(200));
    child.kill().unwrap();
    child.wait().unwrap();
    nobody_is_left(&pids);
}

/// One that does not start when the match begins is a typing error; whoever fails later loses the game.
#[test]
fn an_engine_that_does_not_start_is_refused_and_one_that_fails_later_loses_its_games() {
    let directory = tempfile::tempdir().unwrap();
    let pids = directory.path().join("pids");
    let journal = directory.path().join("match.jsonl");
    let play = |foreign: &str| {
        let words = ["match", "tictactoe", foreign, "random", "--games", "4", "--json", "--journal"];
        start(&[&words[..], &[journal.to_str().unwrap()]].concat()).wait_with_output().unwrap()
    };
    let refused = play("engine:sh -c 'exit 1'");
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{errors}");
    assert!(errors.contains("crashed"), "{errors}");
    assert!(!journal.exists(), "nothing has been begun");
    // It starts when it is asked whether it does, and never again.
    let foreign = engine(&pids, "echo bestmove b2").replacen(
        "; while",
        &format!("; [ $(wc -l < {}) = 1 ] || exit 1; while", pids.display()),
        1,
    );
    let output = play(&foreign);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((result["games"].as_u64(), result["losses"].as_u64()), (Some(4), Some(4)), "{result}");
    assert!(result["endings"].to_string().contains("crashed"), "{result}");
}

#[test]
fn interrupted_games_to_learn_from_are_gone_on_with() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("set");
    let words = |games| {
        let out = out.to_str().unwrap();
        [
            "data",
            "generate",
            "--game",
            "tictactoe",
            "--first",
            "bot",
            "--games",
            games,
            "--openings",
            "random:1",
            "--out",
            out,
        ]
    };
    let child = start(&words("10000000"));
    let size = || std::fs::metadata(out.join("games.tsjr")).map_or(0, |metadata| metadata.len());
    wait_until("no games are played", || size() > 10_000);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("of 10000000 games; the same command resumes"), "{text}");
    assert!(!out.join("data.json").exists());
    // Fewer games than were played are enough for a set.
    let output = start(&words("20")).wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("20 read, 0 skipped"));
    assert!(size() > 10_000 && out.join("data.json").exists());
}
