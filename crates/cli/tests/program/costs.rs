//! What a run will cost is told before it begins.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(directory: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.current_dir(directory).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The papers' experiments say what they will cost; nothing that takes more than a day begins unasked, and nothing is left
/// behind by it.
#[test]
fn costs_are_told_before_a_run_begins() {
    let directory = tempfile::tempdir().unwrap();
    // As the paper's, but for a network that can be measured in no time.
    let small = ["--set", "network.blocks=1", "--set", "network.filters=8", "--set", "selfplay.first_games=0"];
    let args = |more: &[&'static str]| -> Vec<&str> {
        ["train", "minishogi-paper", "--threads", "1"].into_iter().chain(small).chain(more.iter().copied()).collect()
    };
    let refused = run(directory.path(), &args(&[]));
    let message = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    for named in ["cost: about 2.1 days", "50.00 CPU-hours", "GB of memory", "GB of disk", "evaluations at"] {
        assert!(message.contains(named), "{named}: {message}");
    }
    assert!(message.lines().last().unwrap().contains("--yes"), "{message}");
    assert!(!directory.path().join("runs").exists());
    let tiny = args(&["--budget", "1", "--set", "selfplay.games=1", "--set", "selfplay.simulations=2"]);
    let tiny: Vec<&str> = tiny
        .into_iter()
        .chain(["--set", "training.steps=1", "--set", "training.batch=2", "--set", "measure.final_games=0"])
        .collect();
    let begun = run(directory.path(), &tiny);
    assert!(begun.status.success() && text(&begun.stderr).contains("cost: about"), "{}", text(&begun.stderr));
    // An integer network's too: how long it takes is measured by the nodes of its search.
    let refused = run(directory.path(), &["train", "nnue-minishogi", "--threads", "1", "--budget", "30h"]);
    let message = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("cost: about 30.0 h") && message.contains("evaluations at 0.0"), "{message}");
}
