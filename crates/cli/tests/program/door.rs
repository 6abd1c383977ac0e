//! The first commands of a stranger: `tesuji` alone, `doctor`, `completions`, and the commonest mistakes.

use crate::common::{json, refusal, repository, success};

#[test]
fn doctor_tells_the_machine_and_each_shipped_network() {
    let found = json(success(&["doctor", "--quick", "--json"]).trim());
    assert!(found["machine"]["cores"].as_u64().is_some_and(|cores| cores > 0), "{found}");
    let networks: Vec<&str> =
        found["networks"].as_array().expect("a list").iter().filter_map(|n| n["name"].as_str()).collect();
    assert_eq!(networks, tesuji_learn::networks::built_in());
    assert!(found.get("speed").is_none());
    for engine in found["engines"].as_array().expect("a list") {
        assert!(engine["install"].as_str().is_some_and(|text| text.starts_with("apt-get install ")), "{engine}");
    }
    let text = success(&["doctor", "--quick"]);
    for word in ["processor", "cores", "memory", "kernels", "networks", "stockfish"] {
        assert!(text.lines().any(|line| line.starts_with(word)), "{word}:\n{text}");
    }
}

#[test]
fn doctor_measures_speed() {
    let found = json(success(&["doctor", "--json"]).trim());
    for rate in ["shogi_perft", "minishogi_network"] {
        assert!(found["speed"][rate].as_f64().is_some_and(|rate| rate > 1.0), "{found}");
    }
}

#[test]
fn completions_know_every_subcommand() {
    let help = success(&["--help"]);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 20, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = success(&["completions", shell]);
        for command in &commands {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let man = folder.path().join("man1");
    success(&["completions", "--man", man.to_str().expect("a path")]);
    for command in commands.into_iter().filter(|command| *command != "help") {
        let page = std::fs::read_to_string(man.join(format!("tesuji-{command}.1"))).expect("a page");
        assert!(page.contains(".SH SYNOPSIS"), "{command}");
    }
    assert!(man.join("tesuji.1").is_file());
}

#[test]
fn completions_refuse_what_they_cannot_do() {
    refusal(&["completions"]);
    refusal(&["completions", "tcsh"]);
    refusal(&["completions", "bash", "--json"]);
    refusal(&["completions", "bash", "--man", "x"]);
    let file = tempfile::NamedTempFile::new().expect("a file");
    refusal(&["completions", "--man", &format!("{}/man", file.path().display())]);
}

#[test]
fn alone_it_says_what_to_do_first() {
    let text = success(&[]);
    for word in ["serve --open", "tesuji play", "tesuji train", "tesuji match", "reproduce --list", "doctor", "--help"]
    {
        assert!(text.contains(word), "{word}:\n{text}");
    }
    assert!(text.lines().count() <= 16 && text.lines().all(|line| line.len() <= 100), "{text}");
}

#[test]
fn the_commonest_mistakes_get_the_way_out() {
    for (args, words) in [
        (&["chess"][..], "tesuji play chess"),
        (&["nothing"], "see tesuji --help"),
        (&["games", "--jason"], "found; a similar argument exists: '--json'; see tesuji games --help"),
        (&["train", "--time", "3"], "'--time' found; see tesuji train --help"),
        (&["data", "nothing"], "see tesuji data --help"),
        (&["help", "nothing"], "see tesuji --help"),
        (&["train", "minishogi"], "perhaps minishogi-quick, minishogi-laptop"),
        (&["train", "nothing"], "tesuji train --list"),
        (&["analyse", "chess", "e4", "e5"], "moves are written as \"startpos moves e4 e5\""),
        (&["show", "shogi", "7g7f"], "\"startpos moves 7g7f\""),
        (&["match", "chess", "stockfish", "bot"], "engine:COMMAND"),
        (&["play", "connect4", "bot", "--agent", "uct"], "cannot be used with"),
        (&["match", "chess", "bot", "bot", "--games", "x"], "expected a whole number; see tesuji match --help"),
        (&["data", "describe", "x", "--sample", "y"], "see tesuji data describe --help"),
        (&["perft", "chess", "x"], "DEPTH \"x\": expected a whole number"),
    ] {
        let line = refusal(args);
        assert!(line.contains(words), "{args:?}: {line}");
    }
    // What is no position and no list of moves gets no wrong advice.
    assert!(!refusal(&["show", "chess", "e2e5"]).contains("startpos moves"));
}

/// Wherever help is read, its sentences fill the lines: a line ends only where the next word has no room.
#[test]
fn help_flows() {
    let names = success(&["--help"]);
    let names = names.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let mut looked = 0;
    let names = names.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        let text = success(&[name, "--help"]);
        let lines: Vec<&str> = text.lines().collect();
        for (line, next) in lines.iter().zip(&lines[1..]) {
            let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
            if is_prose(line) && is_prose(next) && !line.ends_with(':') {
                let word = next.split(' ').next().unwrap_or_default();
                let needed = line.chars().count() + 1 + word.chars().count();
                assert!(needed > 100, "{name}: there is room for {word:?} behind {line:?}");
                looked += 1;
            }
        }
    }
    assert!(looked > 20, "{looked} lines");
}

/// One version everywhere: the workspace, what its packages ask of each other, the Python package, the changelog. The oldest
/// compiler that is promised is the one that everything is tested with.
#[test]
fn one_version_and_one_compiler_everywhere() {
    let read = |path: &str| {
        let text = std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        (text.parse::<toml::Table>(), text)
    };
    let table = |path: &str| read(path).0.unwrap_or_else(|error| panic!("{path}: {error}"));
    let (workspace, python, benches) = (table("Cargo.toml"), table("python/Cargo.toml"), table("benches/Cargo.toml"));
    let version = workspace["workspace"]["package"]["version"].as_str().expect("a version");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert_eq!(python["package"]["version"].as_str(), Some(version));
    for (name, asked) in workspace["workspace"]["dependencies"].as_table().expect("a table") {
        if name.starts_with("tesuji-") {
            assert_eq!(asked["version"].as_str(), Some(version), "{name}");
        }
    }
    assert!(read("CHANGELOG.md").1.contains(&format!("\n## [{version}]")), "the changelog has no {version}");
    let compiler = table("rust-toolchain.toml")["toolchain"]["channel"].as_str().expect("a channel").to_owned();
    for (path, manifest) in [
        ("workspace", &workspace["workspace"]["package"]),
        ("benches", &benches["workspace"]["package"]),
        ("python", &python["package"]),
    ] {
        let promised = manifest["rust-version"].as_str().expect("a version");
        assert!(compiler.starts_with(promised), "{path}: rust-version {promised}, tested with {compiler}");
    }
}
