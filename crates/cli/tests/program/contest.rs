//! Agents, matches, tournaments, analysis and play, from outside.

use crate::common::{refusal, repository, stdout, text, with_input};
use serde_json::Value;
use std::collections::BTreeMap;

fn json(words: &[&str]) -> Value {
    crate::common::json(&text(words))
}

#[test]
fn agents_are_listed_with_their_keys() {
    let all = text(&["agents"]);
    for name in ["random", "bot", "pmc", "minimax", "alphabeta", "uct", "engine"] {
        assert!(all.contains(&format!("{name}: ")), "{name} is missing");
    }
    let uct = text(&["agents", "uct"]);
    assert!(uct.contains("sims") && uct.contains("[a whole number from 1 to 1000000000000, or none]"), "{uct}");
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
    // Wins beside the score, in which a draw is half of one.
    let number = |key: &str| one[key].as_f64().unwrap();
    assert_eq!(number("score"), (number("wins") + 0.5 * number("draws")) / 12.0);
    assert_eq!(number("win_share"), number("wins") / 12.0);
    let games =
        |seat: &str| ["wins", "draws", "losses"].map(|key| one[seat][key].as_u64().unwrap()).iter().sum::<u64>();
    assert_eq!((games("as_first"), games("as_second")), (6, 6));
    let table = text(&["match", "tictactoe", "bot", "random", "--games", "4"]);
    assert!(table.contains("% won)"), "{table}");
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
    let shown = text(&["tournament", "tictactoe", "random", "bot", "--games", "2"]);
    let head: Vec<&str> = shown.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head[..8], ["#", "player", "Elo", "+-", "points", "won", "drawn", "lost"], "{shown}");
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

/// Moves as players write them, the default opponent, and the line that won marked on the board.
#[test]
fn a_person_plays_as_the_games_people_write() {
    let output = with_input(&["play", "minishogi", "random", "--budget", "nodes=1"], "1三歩\nP-1c\n".as_bytes());
    let shown = stdout(&output);
    assert!(output.status.success() && shown.contains("illegal move"), "{shown}");
    let output = with_input(&["play", "minishogi", "--budget", "nodes=200"], "５三歩\nP-5c\nquit\n".as_bytes());
    let shown = stdout(&output);
    assert!(
        shown.contains("best (nnue:net=nnue-minishogi) is the opponent") && shown.contains("2. white plays"),
        "{shown}"
    );
    let output = with_input(&["play", "bingo3d", "random", "--position", "a1 b1 a1 b1 a1 b1"], b"a1\n");
    let shown = stdout(&output);
    assert!(shown.contains("*X") && shown.contains("you won: four in a line (a1.1 a1.2 a1.3 a1.4)"), "{shown}");
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

/// A ladder is played until everybody has enough games, resumed with a new player, and written with its picture.
#[test]
fn a_ladder_is_resumed_and_takes_new_players() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().to_str().unwrap();
    let words = |fixed: &[&'static str], games| {
        let mut words = vec!["ladder", "tictactoe", "--only", "--games", games, "--dir", dir, "--json"];
        fixed.iter().for_each(|agent| words.extend(["--fixed", agent]));
        words
    };
    let first = json(&words(&["random", "bot"], "8"));
    assert_eq!((first["games"].as_u64(), first["players"].as_array().map(Vec::len)), (Some(8), Some(2)), "{first}");
    // The same again plays nothing; a new player alone has games to play.
    assert_eq!(json(&words(&["random", "bot"], "8"))["meetings"], first["meetings"]);
    let three = ["random", "bot", "minimax:depth=9"];
    let second = json(&words(&three, "12"));
    let file = std::fs::read_to_string(directory.path().join("ladder-tictactoe.json")).unwrap();
    assert_eq!(crate::common::json(&file), second);
    let players = second["players"].as_array().unwrap();
    assert!(players.iter().all(|player| player["games"].as_u64().unwrap() >= 12), "{second}");
    assert_eq!(players[2]["player"], "random", "{second}");
    assert!(players.iter().all(|player| player["margin"].as_f64().unwrap() > 0.0 && player["cpu_limit"].is_null()));
    let picture = std::fs::read_to_string(directory.path().join("ladder-tictactoe.svg")).unwrap();
    assert!(picture.contains("<svg") && picture.contains("minimax:depth=9"), "{picture}");
    // Two milliseconds of processor time, on the same ladder.
    let timed = json(&[&words(&three, "4")[..], &["uct", "--at", "2ms", "--block", "2"]].concat());
    let uct = timed["players"].as_array().unwrap().iter().find(|player| player["player"] == "uct @ 2ms").unwrap();
    assert!(uct["games"].as_u64().unwrap() >= 4 && uct["cpu_limit"] == 0.002, "{timed}");
    let table =
        text(&["ladder", "tictactoe", "--only", "--fixed", "bot", "--fixed", "random", "--games", "8", "--dir", dir]);
    assert!(table.contains("training CPU h") && table.contains("\n8 games; "), "{table}");
    for (words, named) in [
        (vec!["ladder", "tictactoe", "--block", "3"], "--block 3"),
        (vec!["ladder", "tictactoe", "--only"], "two players"),
        (vec!["ladder", "tictactoe", "--at", "5ms,5ms"], "twice"),
        (vec!["ladder", "tictactoe", "--at", "0ms"], "1us to 1000h"),
        (vec!["compare", "--game", "tictactoe", "bot", "random", "--at", "0s"], "1us to 1000h"),
        (vec!["ladder", "tictactoe", "nobody", "--dir", dir], "nobody"),
        (vec!["ladder", "nothing"], "nothing"),
    ] {
        let error = refusal(&words);
        assert!(error.contains(named), "{error}");
    }
    let error = refusal(&[&words(&["random", "bot"], "8")[..], &["--seed", "7"]].concat());
    assert!(error.contains("seed was 1, now 7"), "{error}");
    let listed = text(&["ladder", "minishogi", "--list", "--at", "10ms,1s"]);
    for name in ["random\n", "alphabeta @ 1s\n", "pv:net=minishogi @ 10ms\n", "shogi-uct @ 10ms\n"] {
        assert!(listed.contains(name), "{name:?} is missing in {listed}");
    }
}

#[test]
fn analysis_shows_policy_and_visits_side_by_side() {
    let words = ["analyse", "minishogi", "--agent", "pv:net=minishogi,mate=none", "--budget", "sims=60"];
    let shown = text(&words);
    assert!(shown.contains("prior") && shown.contains("visits") && shown.contains("share"), "{shown}");
    let found = json(&[&words[..], &["--json"]].concat());
    let moves = found["moves"].as_array().unwrap();
    let sum = |key: &str| moves.iter().map(|of| of[key].as_f64().unwrap()).sum::<f64>();
    assert_eq!(moves.len(), found["policy"].as_array().unwrap().len());
    assert!((sum("prior") - 1.0).abs() < 1e-4 && (sum("share") - 1.0).abs() < 1e-6, "{found}");
    assert_eq!(sum("visits"), 59.0, "the first simulation evaluates the root itself");
    let alone = json(&["analyse", "minishogi", "--agent", "policy:net=minishogi", "--json"]);
    let policy: BTreeMap<&str, f64> = alone["policy"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_f64().unwrap()))
        .collect();
    for of in moves {
        assert!((of["prior"].as_f64().unwrap() - policy[of["move"].as_str().unwrap()]).abs() < 1e-4, "{of}");
    }
    assert!((policy.values().sum::<f64>() - 1.0).abs() < 1e-4 && alone["moves"].as_array().unwrap().is_empty());
}
