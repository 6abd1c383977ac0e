//! The documentation as a book: every page is in the summary, pages made from the program are current, and the commands
//! of the README and of the tutorials work.

use crate::common::{repository, success};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Pages whose `console` blocks are run, in order, each page in a folder of its own; `console long` is not run.
const RUN: [&str; 5] = [
    "README.md",
    "docs/first-ten-minutes.md",
    "docs/first-game.md",
    "docs/first-training.md",
    "docs/first-experiment.md",
];

/// Pages that are made from the program.
const MADE: [&str; 2] = ["commands", "agent-options"];

fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_page_is_in_the_summary_and_every_entry_exists() {
    let summary = read("docs/SUMMARY.md");
    let linked: Vec<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(path, _)| path).collect();
    for page in &linked {
        assert!(Path::new(&repository("docs")).join(page).is_file(), "docs/SUMMARY.md names {page}");
    }
    for entry in fs::read_dir(repository("docs")).expect("the folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert!(linked.contains(&name.as_str()), "docs/SUMMARY.md leaves out {name}");
        }
    }
}

/// The code blocks of a page with what stands behind their fence.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => blocks.push(block),
            (Some(info), None) => open = Some((info.to_owned(), String::new())),
            (None, Some((info, code))) => open = Some((info, code + line + "\n")),
            (None, None) => (),
        }
    }
    blocks
}

/// The file name that the last line before a block of TOML gives.
fn file_named(text: &str, code: &str) -> Option<String> {
    let before = text.split(code).next()?;
    let line = before.lines().rev().find(|line| !line.starts_with("```") && !line.is_empty())?;
    line.split('`').nth(1).map(str::to_owned)
}

#[test]
fn the_commands_of_the_readme_and_the_tutorials_work_and_print_what_they_show() {
    for page in RUN {
        let text = read(page);
        let folder = tempfile::tempdir().expect("a folder");
        // A stranger's home: nothing is set up there, and nothing is left behind.
        let home = tempfile::tempdir().expect("a home");
        let mut run = 0;
        for (info, code) in blocks(&text) {
            if info == "toml" {
                let name = file_named(&text, &code).unwrap_or_else(|| panic!("{page}: a file without a name"));
                fs::write(folder.path().join(name), &code).expect("a file");
            }
            if info != "console" {
                continue;
            }
            let mut printed = String::new();
            for line in code.lines() {
                let Some(command) = line.strip_prefix("$ tesuji ") else {
                    assert!(
                        printed.lines().any(|shown| shown.trim_end() == line.trim_end()),
                        "{page} shows a line that is not printed: {line}\n{printed}"
                    );
                    continue;
                };
                let output = Command::new(env!("CARGO_BIN_EXE_tesuji"))
                    .args(command.split_whitespace())
                    .env_clear()
                    .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
                    .env("HOME", home.path())
                    .current_dir(folder.path())
                    .output()
                    .expect("the program");
                let errors = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{page}: tesuji {command}: {errors}");
                printed = String::from_utf8_lossy(&output.stdout).into_owned();
                run += 1;
            }
        }
        assert!(run >= 3, "{page}: only {run} commands were run");
        assert_eq!(fs::read_dir(home.path()).expect("a home").count(), 0, "{page}: files are left in HOME");
    }
}

#[test]
fn the_readme_is_short_and_has_its_two_commands() {
    let text = read("README.md");
    assert!(text.lines().count() <= 150, "{} lines", text.lines().count());
    for line in text.lines() {
        assert!(line.chars().count() <= 200, "a wall: {line}");
    }
    for command in ["cargo run --release -- train", "cargo test --workspace"] {
        assert!(text.lines().any(|line| line.split('#').next().unwrap_or_default().trim() == command), "{command}");
    }
}

#[test]
fn pages_made_from_the_program_are_current() {
    for page in MADE {
        let file = format!("docs/{page}.md");
        let made = success(&["completions", "--markdown", page]);
        let kept = read(&file);
        let first = made.lines().zip(kept.lines()).find(|(made, kept)| made != kept);
        assert!(made == kept, "{file} is old: cargo run -- completions --markdown {page} > {file}; first: {first:?}");
    }
}
