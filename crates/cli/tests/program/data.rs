//! `tesuji data` and `tesuji elo`, from outside.

use crate::common::{json, refusal, repository, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())).collect()
}

#[test]
fn games_are_imported_the_same_at_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let out = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let games = repository("tests/pgn/engine.pgn");
    let table = text(&["data", "import", &games, "--out", &out("one"), "--threads", "1"]);
    assert!(table.contains("40 read, 0 skipped") && table.contains("white") && table.contains("games/s"), "{table}");
    text(&["data", "import", &games, "--out", &out("three"), "--threads", "3"]);
    assert_eq!(contents(&directory.path().join("one")), contents(&directory.path().join("three")));
    text(&["data", "import", &games, "--out", &out("seed"), "--seed", "2"]);
    assert_ne!(contents(&directory.path().join("one")), contents(&directory.path().join("seed")));

    let about = json(&text(&["data", "describe", &out("one"), "--json"]));
    let (seen, kept) = (about["counts"]["positions"].as_f64().unwrap(), about["counts"]["kept"].as_f64().unwrap());
    assert!((kept - 0.2 * seen).abs() < 4.0 * (0.16 * seen).sqrt(), "{kept} of {seen}");
    assert!(text(&["data", "describe", &out("one"), "--check"]).contains("every move is legal"));

    // Samples are lines of five columns; all of them are as many as were kept.
    let samples = text(&["data", "describe", &out("one"), "--sample", "1000000"]);
    assert_eq!(samples.lines().count() as f64, kept);
    let some = text(&["data", "describe", &out("one"), "--sample", "7"]);
    assert_eq!(some.lines().count(), 7);
    assert!(some.lines().all(|line| samples.contains(line) && line.split('\t').count() == 5), "{some}");

    // Fewer games, all positions, from a pipe.
    let piped = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["data", "import", "-", "--out", &out("pipe"), "--keep", "1", "--limit", "3", "--json"])
        .stdin(Stdio::from(fs::File::open(&games).unwrap()))
        .output()
        .unwrap();
    let about: Value = serde_json::from_slice(&piped.stdout).unwrap();
    assert_eq!(about["counts"]["games"], 3);
    assert_eq!(about["counts"]["kept"], about["counts"]["positions"]);
}

#[test]
fn broken_games_are_counted_and_listed() {
    let directory = tempfile::tempdir().unwrap();
    let out = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (broken, games) = (repository("tests/pgn/broken.pgn"), repository("tests/pgn/games.pgn"));
    let table = text(&["data", "import", &broken, &games, "--out", &out("a"), "--keep", "1"]);
    for part in [
        "broken.pgn line 9: move 4. Bxc7: illegal move (in the game of line 5)",
        "broken.pgn line 21: the variant \"Atomic\" is not chess",
        "a variant: 1",
        "no result: ",
        "games.pgn",
    ] {
        assert!(table.contains(part), "{part} is not in\n{table}");
    }
    // Many broken games: the first 20, or all when asked.
    let many = directory.path().join("many.pgn");
    fs::write(&many, format!("{}[Event \"x\"]\n\n1. e4 1-0\n", "[Event \"x\"]\n\n1. Kd4 1-0\n\n".repeat(50))).unwrap();
    let many = many.to_str().unwrap();
    let first = text(&["data", "import", many, "--out", &out("b")]);
    assert_eq!(first.matches("skipped: ").count(), 20);
    assert!(first.contains("and 30 more skipped games"), "{first}");
    let all = text(&["data", "import", many, "--out", &out("c"), "--list-broken"]);
    assert_eq!(all.matches("skipped: ").count(), 50);
    let lines = text(&["data", "import", many, "--out", &out("d"), "--list-broken", "--json"]);
    let objects: Vec<Value> = lines.lines().map(json).collect();
    assert_eq!((objects.len(), &objects[1]["line"], &objects[50]["counts"]["games"]), (51, &7.into(), &1.into()));
}

#[test]
fn hostile_files_are_no_trouble() {
    let directory = tempfile::tempdir().unwrap();
    let good = "\n\n[Event \"good\"]\n\n1. e4 e5 1/2-1/2\n";
    let giant = "x".repeat(3 << 20);
    let rubbish: Vec<u8> = (0..=255_u8).cycle().take(100_000).collect();
    for (number, hostile) in
        [&rubbish[..], giant.as_bytes(), b"[Event \"open\"]\n\n1. e4 {", &[0; 5000]].iter().enumerate()
    {
        let path = directory.path().join(format!("{number}.pgn"));
        fs::write(&path, [hostile, good.as_bytes()].concat()).unwrap();
        let out = directory.path().join(number.to_string());
        let words = ["data", "import", path.to_str().unwrap(), "--out", out.to_str().unwrap(), "--json", "--keep", "1"];
        let lines = text(&words);
        let about = json(lines.lines().last().unwrap());
        assert_eq!((&about["counts"]["games"], &about["counts"]["kept"]), (&1.into(), &2.into()), "{number}: {lines}");
    }
}

#[test]
fn a_compressed_file_that_is_cut_short_gives_what_there_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.pgn");
    // Stored blocks: compressed by hand, since nothing here links the library.
    let games = fs::read(repository("tests/pgn/engine.pgn")).unwrap();
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    for block in games.chunks(16 << 10) {
        frame.extend(&((block.len() as u32) << 3).to_le_bytes()[..3]);
        frame.extend(block);
    }
    fs::write(&path, &frame[..frame.len() / 2]).unwrap();
    let out = directory.path().join("set");
    let table = text(&["data", "import", path.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(table.contains("unreadable rest of a file: 1"), "{table}");
    assert!(table.contains("the rest of the file cannot be read"), "{table}");
    let about = json(&text(&["data", "describe", out.to_str().unwrap(), "--json"]));
    assert!((10..30).contains(&about["counts"]["games"].as_u64().unwrap()), "{about}");
}

#[test]
fn records_of_any_game_are_imported() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    text(&["match", "tictactoe", "bot", "random", "--games", "10", "--save", &path("games.tsjr")]);
    let table = text(&["data", "import", &path("games.tsjr"), "--out", &path("set"), "--keep", "1"]);
    assert!(table.contains("tictactoe") && table.contains("10 read"), "{table}");
    // The two random moves of each opening were chosen by nobody.
    let samples = text(&["data", "describe", &path("set"), "--sample", "1000"]);
    assert!(samples.lines().all(|line| line.split('\t').nth(1).unwrap() != "1"), "{samples}");
}

#[test]
fn games_are_generated_and_gone_on_with() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (whole, parts) = (path("all"), path("parts"));
    let words = |games, out| {
        [
            "data", "generate", "--game", "bingo3d", "--first", "bot", "--second", "random", "--games", games, "--out",
            out,
        ]
    };
    let table = text(&words("12", &whole));
    assert!(table.contains("12 read, 0 skipped") && table.contains("bot v random"), "{table}");
    text(&words("5", &parts));
    text(&[&words("12", &parts)[..], &["--threads", "2"]].concat());
    assert_eq!(contents(&directory.path().join("all")), contents(&directory.path().join("parts")));
    let other = refusal(&[&words("12", &whole)[..], &["--seed", "5"]].concat());
    assert!(other.contains("other conditions") && other.contains("\"seed\": 1"), "{other}");
    // The games are there for others, too.
    text(&["record", &format!("{whole}/games.tsjr")]);
}

#[test]
fn bad_input_of_data_is_told_in_a_line() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("x").to_str().unwrap().to_owned();
    let games = repository("tests/pgn/engine.pgn");
    let empty = directory.path().join("empty.pgn").to_str().unwrap().to_owned();
    fs::write(&empty, "").unwrap();
    let here = directory.path().to_str().unwrap().to_owned();
    for (words, part) in [
        (vec!["data", "import", "/no/such.pgn", "--out", &out], "cannot open"),
        (vec!["data", "import", &here, "--out", &out], "does not tell the format"),
        (vec!["data", "import", &games], "--out"),
        (vec!["data", "import", &games, "--out", &out, "--keep", "0"], "expected a number from 0.000001 to 1"),
        (vec!["data", "import", &games, "--out", &out, "--keep", "1.5"], "from 0.000001 to 1"),
        (vec!["data", "import", &games, "--out", &out, "--keep", "NaN"], "from 0.000001 to 1"),
        (vec!["data", "import", &games, "--out", &out, "--threads", "0"], "not in 1..=256"),
        (vec!["data", "import", &games, "--out", &out, "--limit", "0"], "not in 1..="),
        (vec!["data", "import", &games, "--out", &here], "not empty"),
        (vec!["data", "import", &empty, "--out", &out], "no game to learn from"),
        (vec!["data", "describe", "/no/such"], "no such data set"),
        (vec!["data", "describe", &here], "not a data set"),
        (vec!["data", "generate", "--games", "1", "--out", &out], "--first"),
        (vec!["data", "generate", "--first", "nobody", "--games", "1", "--out", &out], "unknown agent"),
        (vec!["data", "generate", "--engine", "/no/engine", "--games", "1", "--out", &out], "/no/engine"),
        (vec!["data", "generate", "--first", "bot", "--games", "0", "--out", &out], "not in 1..=10000000"),
        (vec!["data", "generate", "--first", "bot", "--game", "go", "--games", "1", "--out", &out], "unknown game"),
        (vec!["elo", "bot"], "--at"),
        (vec!["elo", "bot", "--at", "strong"], "strong"),
        (vec!["elo", "bot", "--at", "1500,1500"], "twice"),
        (vec!["elo", "bot", "--at", "1500", "--games", "0"], "not in 1..=10000000"),
        (vec!["elo", "bot", "--at", "1500", "--against", "/no/engine"], "/no/engine"),
    ] {
        let line = refusal(&words);
        assert!(line.contains(part), "{words:?}: {line}");
    }
}

/// Our own engine for tic-tac-toe behind a filter that offers the options of a limited strength, and keeps them to itself:
/// a program of this name in a directory.
#[cfg(target_os = "linux")]
fn limited_engine(directory: &Path, name: &str, agent: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    let script = directory.join(name);
    let program = env!("CARGO_BIN_EXE_tesuji");
    let options = "option name UCI_LimitStrength type check default false\\
option name UCI_Elo type spin default 1000 min 800 max 2000\\
uciok";
    let pipe = format!(
        "#!/bin/sh\nsed -u '/^setoption name UCI_/d' | \"{program}\" engine --game tictactoe --agent {agent} | sed -u 's/^uciok/{options}/'\n"
    );
    fs::write(&script, pipe).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script.to_str().unwrap().to_owned()
}

#[cfg(target_os = "linux")]
#[test]
fn a_rating_below_the_scale_is_not_told_but_a_ladder_has_one() {
    let directory = tempfile::tempdir().unwrap();
    let engine = limited_engine(directory.path(), "stockfish", "bot");
    let journal = directory.path().join("journal").to_str().unwrap().to_owned();
    let common = ["elo", "random", "--game", "tictactoe", "--against", &engine, "--at", "1350", "--games", "10"];
    let common = [&common[..], &["--budget-against", "nodes=500", "--journal", &journal]].concat();
    let plain = json(&text(&[&common[..], &["--json"]].concat()));
    assert_eq!((plain["rating"].as_f64(), plain["beyond"].as_str()), (None, Some("below 1350")), "{plain}");
    assert_eq!(plain["budget_against"].as_str(), Some("nodes=500"));
    assert!(plain["warnings"][0].as_str().unwrap().contains("needs 1000 nodes"), "{plain}");
    let told = text(&common);
    for part in ["nodes=500 a move", "warning: UCI_Elo 1350 needs 1000 nodes", "rating below 1350", "--ladder"] {
        assert!(told.contains(part), "{part:?} is missing: {told}");
    }
    let rungs = ["--ladder", "--rung", "random", "--rung", "uct:sims=4", "--rung", "bot"];
    let climbed = json(&text(&[&common[..], &rungs, &["--json"]].concat()));
    let players = climbed["ladder"]["players"].as_array().unwrap();
    let names: Vec<&str> = players.iter().map(|player| player["player"].as_str().unwrap()).collect();
    assert_eq!(names, ["random", "uct:sims=4", "bot", "UCI_Elo 1350"]);
    assert_eq!(players[3]["rating"].as_f64(), Some(1350.0));
    let (rating, high) = (climbed["rating"].as_f64(), climbed["high"].as_f64().unwrap());
    assert!(rating == players[0]["rating"].as_f64() && rating < Some(1350.0) && high < 1350.0, "{climbed}");
    assert!(climbed["beyond"].is_null());
    // Three rungs with each other, the upper two with the engine.
    assert_eq!(climbed["ladder"]["matches"].as_array().unwrap().len(), 5);
    let table = text(&[&common[..], &rungs].concat());
    assert!(table.contains("ladder") && table.contains("bot v UCI_Elo 1350"), "{table}");
    assert!(!table.contains("UCI_Elo  games"), "random is a rung that does not meet the engine: {table}");
    assert!(refusal(&["elo", "bot", "--at", "1500", "--rung", "bot"]).contains("--ladder"));
    let twice = ["elo", "bot", "--game", "tictactoe", "--against", &engine, "--at", "1500", "--ladder"];
    assert!(refusal(&[&twice[..], &["--rung", "bot", "--rung", "bot"]].concat()).contains("twice"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_is_rated_against_an_engine_and_the_rating_goes_on_from_its_journal() {
    let directory = tempfile::tempdir().unwrap();
    let script = limited_engine(directory.path(), "engine", "random");
    let script = script.as_str();
    let journal = directory.path().join("journal").to_str().unwrap().to_owned();
    let common = ["elo", "bot", "--game", "tictactoe", "--against", script, "--at", "1000,1200", "--self"];
    let more = |games| ["--games", games, "--journal", &journal, "--json"];
    let run = |games| json(&text(&[&common[..], &more(games)].concat()));
    run("4");
    let rated = run("8");
    let rows = |key: &str| rated[key].as_array().unwrap().clone();
    let settings: Vec<u64> = rows("matches").iter().map(|row| row["setting"].as_u64().unwrap()).collect();
    assert_eq!(settings, [1000, 1200]);
    for row in rows("matches").iter().chain(&rows("self")) {
        let games: u64 = ["wins", "draws", "losses"].iter().map(|key| row["score"][key].as_u64().unwrap()).sum();
        assert_eq!(games, 8, "{row}");
    }
    assert!(rated["low"].as_f64().unwrap() > 900.0, "{rated}");
    let expected = |row: usize| rated["matches"][row]["expected"].as_f64().unwrap();
    assert!(expected(0) >= expected(1), "{rated}");
    assert_eq!(fs::read_dir(&journal).unwrap().count(), 4);
    assert_eq!(fs::read_to_string(format!("{journal}/1000.jsonl")).unwrap().lines().count(), 9);
    let table = text(&[&common[..], &["--games", "2"]].concat());
    assert!(table.contains("v itself") && table.contains("95% interval"), "{table}");
    // A strength that the engine would ignore without a word.
    let weak = refusal(&["elo", "bot", "--game", "tictactoe", "--against", script, "--at", "500"]);
    assert!(weak.contains("takes UCI_Elo from 800 to 2000, not 500"), "{weak}");
}
