//! The built binary, from outside: every subcommand on every game, and every kind of bad input.

use crate::common::{json, one_line, refusal, stdout, success, tesuji, with_input};
use std::process::{Command, Stdio};

#[test]
fn every_game_is_listed() {
    let text = success(&["games"]);
    for name in tesuji_games::names() {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}");
    }
    let listed: Vec<serde_json::Value> = success(&["games", "--json"]).lines().map(json).collect();
    let names: Vec<&str> = listed.iter().filter_map(|game| game["name"].as_str()).collect();
    assert_eq!(names, tesuji_games::names());
    for game in &listed {
        assert!(game["encoders"].as_array().is_some_and(|encoders| !encoders.is_empty()), "{game}");
    }
}

#[test]
fn every_game_is_shown_counted_and_played_under_every_rules() {
    for game in tesuji_games::names() {
        for rules in ["official", "paper"] {
            let start = json(success(&["show", game, "--rules", rules, "--json"]).trim());
            let count = start["legal_moves"].as_u64().expect("a number");
            let position = start["position"].as_str().expect("text");
            assert_eq!(json(success(&["show", game, "--rules", rules, "--json", position]).trim()), start);
            assert!(success(&["show", game, "--rules", rules, "--kanji"]).contains(position));

            let moves = success(&["moves", game, "startpos", "--rules", rules]);
            let moves: Vec<&str> = moves.lines().collect();
            assert_eq!(moves.len() as u64, count);
            assert!(moves.is_sorted());
            let perft = success(&["perft", game, "1", "--rules", rules]);
            assert!(perft.starts_with(&format!("nodes {count}\n")), "{game}: {perft}");
            assert!(perft.contains("rate "));
            let playing =
                json(success(&["perft", game, position, "2", "--no-bulk", "--json", "--rules", rules]).trim());
            let bulk = json(success(&["perft", game, "2", "--divide", "--json", "--rules", rules]).trim());
            assert_eq!(playing["nodes"], bulk["nodes"], "{game}");
            let divided = bulk["divide"].as_array().expect("a list");
            let sum: u64 = divided.iter().filter_map(|below| below[1].as_u64()).sum();
            assert_eq!(Some(sum), bulk["nodes"].as_u64(), "{game}");

            let played = json(success(&["play-random", game, "--games", "3", "--json", "--rules", rules]).trim());
            let results: u64 = ["first", "second", "draws"].iter().filter_map(|key| played[key].as_u64()).sum();
            assert_eq!(results, 3, "{game}");
        }
    }
}

#[test]
fn dumps_agree_with_move_lists_in_bulk() {
    for game in tesuji_games::names() {
        let dump = tesuji(&["play-random", game, "--games", "2", "--seed", "3", "--dump"]);
        assert!(dump.status.success());
        let listed = with_input(&["moves", game, "--file", "-"], &dump.stdout);
        assert!(listed.status.success(), "{game}: {}", String::from_utf8_lossy(&listed.stderr));
        let expected: Vec<&str> = stdout(&dump).lines().map(|line| line.split('\t').nth(1).expect("moves")).collect();
        assert_eq!(stdout(&listed).lines().collect::<Vec<_>>(), expected, "{game}");
        let shown = with_input(&["show", game, "--file", "-", "--json"], &dump.stdout);
        assert_eq!(stdout(&shown).lines().count(), expected.len(), "{game}");
    }
}

#[test]
fn random_games_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    for game in tesuji_games::names() {
        let run = |threads: &str, out: &str| {
            let out = file(out);
            let args = ["play-random", game, "--games", "9", "--threads", threads, "--dump", "--varied", "--out", &out];
            (tesuji(&args).stdout, std::fs::read(&out).expect("records"))
        };
        let (one, many) = (run("1", "one.tsjr"), run("4", "many.tsjr"));
        assert!(one == many, "{game}");
        let (records, end) = tesuji_core::GameRecord::read_all(&one.1);
        assert_eq!((records.len(), end), (9, Ok(())), "{game}");
        assert!(records.iter().all(|record| record.game == *game && record.outcome.is_some()));
    }
}

#[test]
fn positions_may_be_quoted_or_not() {
    let quoted = success(&["show", "tictactoe", "a1 b2 moves c3"]);
    assert_eq!(success(&["show", "tictactoe", "a1", "b2", "moves", "c3"]), quoted);
    assert_eq!(success(&["show", "tictactoe", "startpos", "moves", "a1", "b2", "c3"]), quoted);
    assert!(success(&["perft", "tictactoe", "a1", "b2", "moves", "c3", "2"]).starts_with("nodes 30\n"));
    assert!(success(&["perft", "tictactoe", "0"]).starts_with("nodes 1\n"));
}

#[test]
fn a_finished_game_is_shown_and_noted() {
    let line = "a1 b1 a2 b2 a3";
    let shown = success(&["show", "tictactoe", line]);
    assert!(shown.contains("outcome    first player wins: three in a row"), "{shown}");
    let moves = tesuji(&["moves", "tictactoe", line]);
    assert!(moves.status.success() && moves.stdout.is_empty());
    assert_eq!(String::from_utf8_lossy(&moves.stderr).lines().count(), 1);
}

#[test]
fn colour_is_used_only_where_it_is_wanted() {
    let colored = |args: &[&str]| success(&[&["show", "tictactoe", "a1"], args].concat()).contains('\x1b');
    assert!(!colored(&[]), "a pipe is no terminal");
    assert!(!colored(&["--color", "never"]));
    assert!(colored(&["--color", "always"]));
}

/// The subcommands that a help lists, `help` itself excepted.
fn subcommands(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

/// Checks the help of a command and of those below it; returns how many there are.
fn check_help(command: &[&str]) -> usize {
    let text = success(&[command, &["--help"]].concat());
    let name = command.join(" ");
    let (about, rest) = text.split_once("\n\nUsage: ").unwrap_or_else(|| panic!("{name}: no usage: {text}"));
    // Where a subcommand is not described, the comment on the type of its arguments takes the place.
    let described = about.split_whitespace().count() >= 3 && !about.starts_with("Arguments of");
    assert!(described, "{name}: {about:?}");
    assert!(rest.starts_with(&format!("tesuji {name} ")), "{name}: {rest}");
    assert!(rest.contains("--json"), "{name}: {rest}");
    // Every argument, option and subcommand is explained: its line, or the next one, has words.
    let lines: Vec<&str> = rest.lines().take_while(|line| *line != "Examples:").collect();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_entry(line)) {
        let beside = line.trim().split_once("  ").map_or("", |(_, words)| words).trim();
        let below = lines.get(index + 1).filter(|below| below.starts_with("        ")).map_or("", |below| below.trim());
        assert!(!beside.is_empty() || !below.is_empty(), "{name}: nothing is said of {line:?}");
    }
    let below = subcommands(&text);
    // `games` takes nothing, and what only lists subcommands leaves examples to them.
    assert!(name == "games" || !below.is_empty() || examples(rest, &name), "{name}: no example: {rest}");
    1 + below.iter().map(|subcommand| check_help(&[command, &[subcommand]].concat())).sum::<usize>()
}

/// Whether a line of a help begins the entry of an argument or option.
fn is_entry(line: &str) -> bool {
    let start = line.trim_start();
    (2..=6).contains(&(line.len() - start.len())) && ["-", "<", "["].iter().any(|mark| start.starts_with(mark))
}

/// Whether a help has an example of its command, or the help of the group does.
fn examples(help: &str, name: &str) -> bool {
    let group = name.split_once(' ').map(|(group, _)| success(&[group, "--help"]));
    [Some(help), group.as_deref()].into_iter().flatten().any(|help| {
        let examples = help.split_once("Examples:\n").map_or("", |(_, examples)| examples);
        examples.lines().any(|line| line.contains(&format!("tesuji {name}")))
    })
}

#[test]
fn every_subcommand_has_a_help_with_examples() {
    let text = success(&["--help"]);
    let all = subcommands(&text);
    // The list is read from the program; those that have been there for long show that it is read to its end.
    assert!(all.len() >= 21 && ["games", "engine"].iter().all(|name| all.contains(name)), "{all:?}");
    let checked: usize = all.iter().map(|subcommand| check_help(&[subcommand])).sum();
    assert!(checked > all.len(), "groups have subcommands of their own");
    assert!(success(&["--version"]).starts_with("tesuji "));
}

#[test]
fn bad_arguments_are_refused_in_one_line() {
    for args in [
        &["frobnicate"][..],
        &["show"],
        &["show", "--frob", "tictactoe"],
        &["games", "--rules", "house"],
        &["games", "--color", "sometimes"],
        &["moves", "tictactoe", "a1", "--file", "x"],
        &["perft", "tictactoe"],
        &["perft", "tictactoe", "deep"],
        &["perft", "tictactoe", "-1"],
        &["perft", "tictactoe", "101"],
        &["perft", "tictactoe", "99999999999999999999"],
        &["play-random", "tictactoe", "--threads", "0"],
        &["play-random", "tictactoe", "--games", "many"],
        &["play-random", "tictactoe", "--out", "/no/such/folder/games.tsjr"],
        &["play-random", "tictactoe", "--out", "/"],
    ] {
        refusal(args);
    }
}

#[test]
fn unknown_games_are_answered_with_the_known_ones() {
    for subcommand in ["show", "moves", "perft", "play-random"] {
        let error = refusal(&[subcommand, "go", "1"]);
        for name in tesuji_games::names() {
            assert!(error.contains(name), "{error}");
        }
    }
}

#[test]
fn malformed_positions_and_illegal_moves_are_refused() {
    for game in tesuji_games::names() {
        for text in ["?", "startpos moves ?", "startpos moves \u{1b}[31m", "9/9/9", "\u{98db}", &"8".repeat(100_000)] {
            for subcommand in ["show", "moves"] {
                refusal(&[subcommand, game, text]);
            }
            refusal(&["perft", game, text, "1"]);
            refusal(&["play-random", game, text]);
        }
    }
    assert!(refusal(&["show", "tictactoe", "a1 a1"]).contains("move 2"));
}

#[test]
fn impossible_positions_are_refused() {
    let chess = [
        ("Black has no king", "8/8/8/8/8/8/8/K7 w - - 0 1"),
        ("Black has 2 kings", "kk6/8/8/8/8/8/8/K7 w - - 0 1"),
        ("the side not to move is in check", "k7/8/8/8/8/8/8/K6q b - - 0 1"),
        ("a pawn stands on a8", "P3k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("the board ends on rank 2", "8/8/8/8/8/8/8 w - - 0 1"),
    ];
    let shogi = [
        ("the second player has no king", "9/9/9/9/9/9/9/9/K8 b - 1"),
        ("the second player has 2 kings", "kk7/9/9/9/9/9/9/9/K8 b - 1"),
        ("the first player is in check but not to move", "k8/9/9/9/9/9/9/9/K7r w - 1"),
        ("two unpromoted pawns on file 5", "k8/9/9/4P4/4P4/9/9/9/K8 b - 1"),
        ("P on 5a can never move", "k3P4/9/9/9/9/9/9/9/K8 b - 1"),
        ("no hand has that many pieces", "k8/9/9/9/9/9/9/9/K8 b 19P 1"),
    ];
    for (game, positions) in [("chess", &chess[..]), ("shogi", &shogi[..])] {
        for (problem, position) in positions {
            let error = refusal(&["show", game, position]);
            assert!(error.contains(problem) && error.contains(position), "{problem}: {error}");
        }
    }
}

#[test]
fn bad_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("positions");
    let file = path.to_str().expect("text");
    let huge_line = vec![b'9'; 3 << 20];
    let cases: [(&str, &[u8]); 5] = [
        ("no positions", b""),
        ("line 2: no position", b"a1\n\n"),
        ("line 1", b"\xff\xfe\n"),
        ("line 3", b"startpos\na1\nb9\n"),
        ("longer than", &huge_line),
    ];
    for (problem, bytes) in cases {
        std::fs::write(&path, bytes).expect("a file");
        for subcommand in ["moves", "show"] {
            let args = [subcommand, "tictactoe", "--file", file];
            let error = refusal(&args);
            assert!(error.contains(problem), "{error}");
            let output = with_input(&[subcommand, "tictactoe", "--file", "-"], bytes);
            assert!(one_line(&output, &args).contains(problem));
        }
    }
    refusal(&["moves", "tictactoe", "--file", folder.path().to_str().expect("text")]);
    refusal(&["moves", "tictactoe", "--file", "/no/such/file"]);
}

#[test]
fn readers_that_go_away_are_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["play-random", "tictactoe", "--games", "20000", "--dump"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
}

#[test]
fn games_are_converted_there_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (records, text, again) = (file("games.tsjr"), file("games.pgn"), file("again.tsjr"));
    assert!(tesuji(&["play-random", "chess", "--games", "4", "--out", &records]).status.success());
    assert_eq!(success(&["convert", &records, &text]), "games 4\n");
    assert_eq!(success(&["convert", &text, &again]), "games 4\n");
    let moves = |path: &str| -> Vec<serde_json::Value> {
        success(&["record", path, "--json"]).lines().map(|line| json(line)["moves"].clone()).collect()
    };
    let played = moves(&records);
    assert_eq!(played.len(), 4);
    assert_eq!((moves(&text), moves(&again)), (played.clone(), played));
    assert_eq!(success(&["record", &text]).lines().count(), 4);
    let third = success(&["record", &text, "--number", "3"]);
    assert!(third.contains("result ") && third.contains("position "), "{third}");
    assert_eq!(success(&["convert", &text, "-", "--to", "pgn", "--number", "2"]).matches("[Event ").count(), 1);
    let split = file("split");
    std::fs::create_dir(&split).expect("a folder");
    success(&["convert", &text, &split, "--to", "pgn"]);
    assert_eq!(std::fs::read_dir(&split).expect("a folder").count(), 4);

    assert!(refusal(&["record", &text, "--number", "5"]).contains("only 4 games"));
    refusal(&["record", &text, "--number", "0"]);
    refusal(&["record", &file("none.pgn")]);
    refusal(&["record", &text, "--from", "tsjr"]);
    refusal(&["record", &text, "--from", "docx"]);
    refusal(&["convert", &text, &file("games.docx")]);
    refusal(&["convert", &text, &split]);
    let empty = file("empty.pgn");
    std::fs::write(&empty, "").expect("a file");
    refusal(&["record", &empty]);
    refusal(&["convert", &empty, &file("empty.tsjr")]);
    assert!(!folder.path().join("empty.tsjr").exists() && !folder.path().join("empty.tsjr.partial").exists());
    let other = file("other.tsjr");
    assert!(tesuji(&["play-random", "tictactoe", "--games", "1", "--out", &other]).status.success());
    refusal(&["convert", &other, &file("other.pgn")]);
    let huge = file("huge.pgn");
    std::fs::write(&huge, vec![b'x'; 8 << 20]).expect("a file");
    refusal(&["record", &huge]);
    refusal(&["record", &huge, "--from", "tsjr"]);
}

#[test]
fn broken_games_are_skipped_with_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, "1. e4 e5 2. Ke3 *\n\n[Event \"good\"]\n\n1. d4 *\n").expect("a file");
    let output = tesuji(&["record", path.to_str().expect("text")]);
    assert!(output.status.success());
    assert_eq!(stdout(&output).lines().count(), 1);
    let note = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(note.lines().count() == 1 && note.contains("skipped 1 broken") && note.contains("line 1"), "{note}");
}

#[test]
fn tubstap_maps_and_replays_are_converted() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (map, records, text) = (file("map.tbsmap"), file("games.tsjr"), file("game.replay"));
    success(&["convert", "tubstap:random:7", &map]);
    let key = |position: &str| json(success(&["show", "tubstap", position, "--json"]).trim())["key"].clone();
    assert_eq!(key(&map), key("random:7"));
    assert!(tesuji(&["play-random", "tubstap", &map, "--games", "2", "--out", &records]).status.success());
    assert!(refusal(&["convert", &records, &text]).contains("one game"));
    success(&["convert", &records, &text, "--number", "2"]);
    let moves = |args: &[&str]| json(success(&[&["record", "--json"], args].concat()).trim())["moves"].clone();
    assert_eq!(moves(&[&text]), moves(&[&records, "--number", "2"]));
    success(&["convert", &text, &file("again.tbsmap")]);
    refusal(&["convert", "chess:startpos", &map]);
    refusal(&["convert", "tubstap:nowhere", &map]);
}

#[test]
fn shogi_records_are_converted_there_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    for game in ["shogi", "minishogi"] {
        let (records, csa, kif) = (file("games.tsjr"), file("games.csa"), file("game.kif"));
        assert!(tesuji(&["play-random", game, "--games", "3", "--out", &records]).status.success());
        assert_eq!(success(&["convert", &records, &csa]), "games 3\n");
        success(&["convert", &csa, &kif, "--number", "2"]);
        let games = |args: &[&str]| -> Vec<(String, serde_json::Value)> {
            let text = success(&[&["record", "--json"], args].concat());
            text.lines().map(json).map(|game| (game["game"].to_string(), game["moves"].clone())).collect()
        };
        assert_eq!(games(&[&csa]), games(&[&records]), "{game}");
        assert_eq!(games(&[&kif]), games(&[&records, "--number", "2"]), "{game}");
    }
    for name in ["empty.kif", "empty.csa", "binary.kif", "binary.csa"] {
        let bytes: &[u8] = if name.starts_with("empty") { b"" } else { &[0xff; 1 << 20] };
        std::fs::write(file(name), bytes).expect("a file");
        refusal(&["record", &file(name)]);
    }
}

#[test]
fn a_line_of_moves_is_a_game() {
    let text = success(&["convert", "chess:startpos moves e2e4 e7e5", "-", "--to", "pgn"]);
    assert!(text.ends_with("\n\n1. e4 e5 *\n") && !text.contains("FEN"), "{text}");
    refusal(&["convert", "chess:startpos moves e2e5", "-", "--to", "pgn"]);
}

#[test]
fn openings_come_from_two_judges() {
    let judged = |more: &[&str]| {
        let args = ["openings", "connect4", "--number", "3", "--from", "random:3", "--judge", "alphabeta:depth=3"];
        tesuji(&[&args[..], more].concat())
    };
    let found = judged(&["--judge", "uct:sims=50", "--margin", "0.9"]);
    assert!(found.status.success(), "{found:?}");
    let text = String::from_utf8(found.stdout).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("startpos moves ")).count(), 3, "{text}");
    let one = judged(&[]);
    assert_eq!(one.status.code(), Some(2));
    assert!(String::from_utf8(one.stderr).unwrap().contains("two judges are needed"));
}

#[test]
fn every_book_of_even_openings_can_be_played() {
    // A match of 400 games takes 200 openings.
    for game in ["bingo3d", "chess", "connect4", "minishogi", "shogi"] {
        let text = tesuji_games::books::book(game, None).unwrap().text;
        let openings = text.lines().filter(|line| line.starts_with("startpos moves ")).count();
        assert!(openings >= 200, "{game}: {openings}");
        assert!(text.contains("# Judges: "), "{game}: a book says how it was made");
    }
    for book in tesuji_games::books::BOOKS {
        let game = tesuji_games::game(book.game, tesuji_core::Rules::Official).unwrap();
        let openings = tesuji_arena::opening::Openings::from_text(game.as_ref(), book.text).unwrap();
        let tesuji_arena::opening::Openings::Lines(lines) = openings else { panic!("a book is a list of lines") };
        assert!(lines.len() >= 50, "{}: {} openings", book.game, lines.len());
    }
    let missing = tesuji(&["match", "tictactoe", "random", "random", "--openings", "even:77"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("tesuji openings tictactoe"));
}
