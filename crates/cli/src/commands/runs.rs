//! `tesuji runs`: runs with their state and latest strength.

use crate::commands::train::{latest_strength, score_text};
use crate::common::output::Output;
use crate::common::runs::directories;
use crate::common::table::Table;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use tesuji_learn::{Experiment, run};

/// Arguments of `tesuji runs`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji runs
  tesuji runs elsewhere --json")]
pub struct RunsArgs {
    /// The directory that holds the runs
    #[arg(default_value = "runs")]
    directory: PathBuf,
}

/// Runs the subcommand.
pub fn run(args: &RunsArgs, out: &mut Output) -> Result<()> {
    let runs = directories(&args.directory)?;
    let mut table = Table::new().right(2..4);
    table.row(["run", "game", "generation", "hours", "state", "strength"]);
    for root in &runs {
        let experiment = match Experiment::of_run(root) {
            Ok(experiment) => experiment.context("no experiment")?,
            // One run of another format is no reason to hide the others.
            Err(error) if out.json => {
                out.object(&json!({ "run": root, "state": "unreadable", "problem": error.to_string() }))?;
                continue;
            }
            Err(error) => {
                let (run, state) = (root.display().to_string(), "unreadable".to_owned());
                table.row([run, String::new(), String::new(), String::new(), state, error.to_string()]);
                continue;
            }
        };
        let generation = run::network_generations(root)?.last().copied().unwrap_or(0);
        let events = run::read_events(root)?;
        let seconds: f64 = run::read_costs(root)?.iter().map(|entry| entry.wall).sum();
        let state = if is_locked(root) { "at work" } else { "idle" };
        let strength = latest_strength(&events);
        if out.json {
            out.object(&json!({
                "run": root, "game": experiment.game, "generation": generation, "seconds": seconds, "state": state,
                "strength": strength,
            }))?;
            continue;
        }
        let words: Vec<String> =
            strength.iter().map(|event| format!("{} v {}", score_text(event), event.opponent)).collect();
        table.row([
            root.display().to_string(),
            experiment.game,
            generation.to_string(),
            format!("{:.2}", seconds / 3600.0),
            state.to_owned(),
            words.join("; "),
        ]);
    }
    if out.json {
        Ok(())
    } else if runs.is_empty() {
        out.line(&format!("no runs in {}; `tesuji train` makes one", args.directory.display()))
    } else {
        out.bytes(table.text().as_bytes())
    }
}

/// Whether a process works on the run.
fn is_locked(root: &Path) -> bool {
    File::open(root.join("lock")).is_ok_and(|file| matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)))
}
