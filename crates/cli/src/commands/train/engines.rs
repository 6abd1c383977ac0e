//! Programs that an experiment would start: only with the user's leave.
//!
//! An experiment may name `engine:COMMAND` as an opponent or as the agent that is measured. A file may come from
//! somebody else, so what it names is not started unless `--allow-engines` says so. What the user writes himself behind
//! `--set`, and what comes with the program, needs no leave.

use anyhow::{Result, ensure};
use std::path::Path;
use tesuji_learn::Experiment;

/// Where an experiment comes from, as the command line says.
pub struct Source<'a> {
    /// The name of a file, or of an experiment that comes with the program.
    pub named: Option<&'a str>,
    /// Whether a run is resumed.
    pub resume: bool,
    /// The values that the user has changed, `KEY=VALUE`.
    pub set: &'a [String],
}

/// Refuses an experiment of a file that would start a program.
pub fn check(source: &Source<'_>, experiment: &Experiment, root: &Path) -> Result<()> {
    let file = match source.named {
        Some(name) if Path::new(name).is_file() => name.to_owned(),
        None if source.resume && source.set.is_empty() => root.join("experiment.toml").display().to_string(),
        _ => return Ok(()),
    };
    let keys: Vec<&str> = source.set.iter().filter_map(|change| Some(change.split_once('=')?.0.trim())).collect();
    for (key, line) in experiment.programs(root) {
        ensure!(
            keys.contains(&key) || keys.contains(&"measure"),
            "{file}: {key} names a program to run, {line:?}; if you trust the file, --allow-engines lets it run"
        );
    }
    Ok(())
}
