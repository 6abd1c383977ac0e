//! Agents, matches, tournaments, analysis and play, from outside.

mod common;

use common::{refusal, repository, stdout, text, with_input};
use serde_json::Value;

fn json(words: &[&str]) -> Value {
    common::json(&text(words))
}

#[test]
fn agents_are_listed_with_their_keys() {
    let all = text(&["agents"]);
    for name in ["random", "bot", "pmc", "minimax", "alphabeta", "uct", "engine"] {
        assert!(all.contains(&format!("{name}: ")), "{name} is missing");
    }
    assert!(text(&["agents", "uct"]).contains("sims"));
}

#[test]
fn a_match_has_a_score_an_interval_and_costs() {
    let words = ["match", "connect4", "uct:sims=60", "random", "--games", "12", "--seed", "3", "--json"];
    let one = json(&words);
    assert_eq!(one["games"], 12);
    assert!(one["wins"].as_u64().unwrap() >= 10, "{one}");
    assert!(one["elo_low"].as_f64().unwrap() > 0.0, "{one}");
    assert!(one["distinct"].as_u64().unwrap() > 6 && one["costs"][0]["nodes"].as_u64().unwrap() > 0, "{one}");
    // The same games whatever the number of threads.
    let two = json(&[&words[..], &["--threads", "2"]].concat());
    for key in ["wins", "draws", "losses", "pairs", "mean_plies", "endings", "distinct"] {
        assert_eq!(one[key], two[key], "{key}");
    }
    let table = text(&["match", "tictactoe", "bot", "random", "--games", "4"]);
    assert!(table.contains("95% interval") && table.contains("CPU ms/move"), "{table}");
}

#[test]
fn a_match_goes_on_from_its_journal() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("match.jsonl");
    let path = path.to_str().unwrap();
    let words = |games| ["match", "tictactoe", "bot", "random", "--games", games, "--journal", path, "--json"];
    json(&words("6"));
    let resumed = json(&words("10"));
    assert_eq!(resumed["games"], 10);
    assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 11);
    let error = refusal(&[&words("10")[..], &["--seed", "9"]].concat());
    assert!(error.contains("seed was 1, now 9"), "{error}");
}

#[test]
fn a_tournament_has_a_crosstable() {
    let table = json(&["tournament", "tictactoe", "random", "bot", "minimax:depth=9", "--games", "6", "--json"]);
    let elo = |player: usize| table["players"][player]["elo"].as_f64().unwrap();
    assert!(elo(2) > elo(0) && elo(1) > elo(0), "{table}");
    let count = |player: usize, what: &str| table["players"][player][what].as_u64().unwrap();
    assert_eq!(
        (0..3).map(|player| count(player, "wins")).sum::<u64>(),
        (0..3).map(|player| count(player, "losses")).sum::<u64>()
    );
    assert_eq!((table["games"].as_u64(), count(0, "wins") + count(0, "draws") + count(0, "losses")), (Some(18), 12));
    assert!(table["distinct"].as_u64().is_some_and(|distinct| (6..=18).contains(&distinct)), "{table}");
    assert!(text(&["tournament", "tictactoe", "random", "bot", "--games", "2"]).contains("points"));
}

#[test]
fn analysis_finds_the_win() {
    // Three in a column: the fourth wins at once.
    let words = ["analyse", "connect4", "d e d e d e", "--agent", "alphabeta:depth=3", "--json"];
    let found = json(&words);
    assert_eq!((found["best"].as_str(), found["proof"].as_str()), (Some("d"), Some("first")), "{found}");
    assert!(text(&["analyse", "tictactoe", "--agent", "uct", "--budget", "sims=50"]).contains("best"));
}

#[test]
fn a_person_can_play() {
    let input = b"help\nz9\nmoves\nhint\nb2\nundo\nb2\nresign\n";
    let output = with_input(&["play", "tictactoe", "minimax:depth=9"], input);
    let shown = stdout(&output);
    assert!(output.status.success());
    for word in ["You are X", "bad move", "a1 a2 a3 b1 b2 b3 c1 c2 c3", "perhaps", "O plays", "you resigned"] {
        assert!(shown.contains(word), "{word:?} is missing in {shown}");
    }
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    for words in [
        &["match", "connect4"][..],
        &["match", "connect4", "bot"],
        &["match", "connect4", "bot", "engine:/no/such/program"],
        &["match", "connect4", "uct:sims=x", "bot"],
        &["match", "connect4", "nobody", "bot"],
        &["match", "connect4", "uct:foo=1", "bot"],
        &["match", "nothing", "bot", "bot"],
        &["match", "connect4", "bot", "bot", "--games", "0"],
        &["match", "connect4", "bot", "bot", "--openings", "no-such-file"],
        &["match", "connect4", "bot", "bot", "--sprt", "5,1"],
        &["match", "connect4", "bot", "bot", "--journal", "/no/such/folder/journal"],
        &["tournament", "connect4"],
        &["tournament", "connect4", "bot", "random", "--format", "swiss"],
        &["analyse", "connect4", "z"],
        &["analyse", "tictactoe", "a1 a2 b1 b2 c1"],
        &["agents", "nobody"],
        &["play", "connect4", "nobody"],
    ] {
        refusal(words);
    }
}

#[test]
fn mates_are_found_and_verified() {
    let sfen = "2S3nK1/+N8/2ngps1p1/p1p6/7P1/G5p1s/P3+Bp2N/1pk1L4/LL2P2RL b RG2Pbgs6p 187";
    assert!(text(&["mate", "shogi", sfen, "--shortest"]).starts_with("mate 3: "));
    assert_eq!(text(&["mate", "minishogi", "startpos"]), "no mate\n");
    // An attacker without a king is allowed here, and only here.
    assert!(text(&["mate", "minishogi", "4k/5/4G/5/5 b G 1"]).starts_with("mate 1: "));
    for words in [&["mate", "connect4", "startpos"][..], &["mate", "shogi", "nonsense"]] {
        refusal(words);
    }
}

#[test]
fn mate_solvers_are_chosen_by_name() {
    let quiet = "7k/8/2p1p1KP/2PpP3/1p1P2N1/8/2n5/8 w - - dm 3; pv h6h7 b4b3 g4h6 b3b2 h6f7;";
    assert!(text(&["mate", "chess", quiet, "--solver", "exact:3"]).starts_with("mate 5: h6h7 "));
    assert_eq!(text(&["mate", "chess", quiet, "--solver", "exact:2"]), "no mate\n");
    assert_eq!(text(&["mate", "chess", quiet, "--solver", "dfs:5"]), "no mate\n");
    assert_eq!(text(&["mate", "chess", quiet, "--solver", "exact:3", "--nodes", "2"]), "unknown\n");
    assert!(
        text(&["mate", "chess", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "--solver", "dfs:1"]).starts_with("mate 1: a1a8")
    );
    for (solver, hint) in [("dfs:4", "odd number of plies"), ("exact:0", "exact:3"), ("brute", "dfs:DEPTH")] {
        let error = refusal(&["mate", "chess", quiet, "--solver", solver]);
        assert!(error.contains(hint), "{solver}: {error}");
    }
}

#[test]
fn files_of_problems_may_have_comments() {
    let file = &repository("tests/mate/chess.epd");
    let output = text(&["mate", "chess", "--file", file, "--solver", "exact:6"]);
    assert!(output.lines().count() > 30 && output.lines().all(|line| line.starts_with("mate ")), "{output}");
}
