//! `tesuji reproduce`, `tesuji report`, `tesuji compare`, from outside.

use crate::common::{refusal, success, text};
use std::fs;

#[test]
fn papers_are_listed_with_their_scales_and_planned_without_being_begun() {
    let list = success(&["reproduce", "--list"]);
    for name in ["shogi-mcts-vs-dqn", "minishogi-checkmate", "tubstap-pv-mcts", "bingo3d-td", "chess-policy"] {
        assert_eq!(list.lines().filter(|line| line.starts_with(name)).count(), 3, "{name}: {list}");
    }
    let plan = success(&["reproduce", "bingo3d-td", "--scale", "smoke", "--plan"]);
    assert!(plan.contains("bingo3d-td fig14-3-bot after layers-3"), "{plan}");
    let lines = success(&["reproduce", "--list", "--json"]);
    assert_eq!(lines.lines().count(), 15);
}

#[test]
fn wrong_questions_get_one_line() {
    assert!(refusal(&["reproduce"]).contains("PAPER"));
    assert!(refusal(&["reproduce", "go"]).contains("chess-policy"));
    assert!(refusal(&["reproduce", "bingo3d-td", "--scale", "huge"]).contains("laptop"));
    assert!(refusal(&["reproduce", "bingo3d-td", "--rules", "paper"]).contains("--rules"));
    assert!(refusal(&["reproduce", "chess-policy", "--scale", "paper"]).contains("data/ccrl"));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    assert!(refusal(&["report", &path("nothing")]).contains("nothing"));
    fs::write(path("x.json"), "{}").unwrap();
    assert!(refusal(&["report", &path("x.json")]).contains("neither a run"));
    assert!(refusal(&["report", &path("x.json"), "--out", "x.pdf"]).contains(".html"));
    assert!(refusal(&["report", &folder.path().display().to_string()]).contains("neither"));
    let compare = |more: &[&str]| refusal(&[&["compare", "--game", "tictactoe", "bot", "random"], more].concat());
    assert!(compare(&["--at", "0ms"]).contains("--at"));
    assert!(compare(&["--report", "x.pdf"]).contains(".html"));
    assert!(refusal(&["compare", "--game", "tictactoe", "bot", "nobody", "--out", &path("c")]).contains("nobody"));
}

#[test]
fn a_match_is_reported_and_two_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (seed, journal) in [("1", "a.jsonl"), ("2", "b.jsonl")] {
        let games = ["match", "tictactoe", "uct:sims=20", "random", "--games", "12", "--seed", seed, "--journal"];
        text(&[&games[..], &[&path(journal)]].concat());
    }
    let told = text(&["report", &path("a.jsonl")]);
    assert!(told.contains("# tictactoe: uct:sims=20 v random") && told.contains("## Score"), "{told}");
    text(&["report", &path("a.jsonl"), "--out", &path("a.html"), "--out", &path("a.json")]);
    let page = fs::read_to_string(path("a.html")).unwrap();
    assert!(page.contains("How games ended") && page.contains("<svg class=\"board\"") && !page.contains("http"));
    // A report is read back to the byte; beside itself nothing changed.
    let again = text(&["report", &path("a.json"), "--json"]);
    assert_eq!(again, fs::read_to_string(path("a.json")).unwrap());
    let beside = text(&["report", &path("a.json"), &path("b.jsonl")]);
    assert!(beside.contains("numbers are in both") && beside.contains("not significant"), "{beside}");
}

#[test]
fn agents_are_compared_at_equal_time_and_the_same_command_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("c").display().to_string();
    let words =
        ["compare", "--game", "tictactoe", "uct", "bot", "random", "--at", "1ms,2ms", "--games", "2", "--out", &out];
    let told = text(&words);
    assert!(
        told.contains("1 ms a move") && told.contains("2 ms a move") && told.contains("settings to choose"),
        "{told}"
    );
    assert_eq!(fs::read_dir(&out).unwrap().count(), 6);
    assert_eq!(text(&words), told, "nothing is played again");
}
