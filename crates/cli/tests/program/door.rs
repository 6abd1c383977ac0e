//! The first commands of a stranger: `doctor`, `completions`.

use crate::common::{json, refusal, success};

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
