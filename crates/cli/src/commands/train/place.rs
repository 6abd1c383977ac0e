//! Where a run goes, and which one is resumed.

use anyhow::{Context, Result};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where runs go.
const RUNS: &str = "runs";

/// Makes `runs/NAME`, or the first of `runs/NAME-2`, `runs/NAME-3`... that nobody has: also when two ask at once.
pub fn take_free(name: &str) -> Result<PathBuf> {
    fs::create_dir_all(RUNS).with_context(|| format!("cannot make {RUNS:?}"))?;
    for number in 1..10_000_u32 {
        let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let path = Path::new(RUNS).join(name);
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot make {path:?}")),
        }
    }
    anyhow::bail!("{RUNS}/{name}: too many runs")
}

/// Gives a directory back in which no run was begun.
pub fn give_back(root: &Path) {
    if root.join("experiment.toml").exists() {
        return;
    }
    let _ = fs::remove_file(root.join("lock"));
    for directory in [&root.join("records"), &root.join("networks"), root, Path::new(RUNS)] {
        // Whatever is not empty stays.
        let _ = fs::remove_dir(directory);
    }
}

/// The run that was worked on last, of this experiment if one is named.
pub fn latest_run(name: Option<&str>) -> Result<PathBuf> {
    let runs = crate::common::runs::directories(Path::new(RUNS))?;
    let of_name = |path: &&PathBuf| {
        let directory = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.is_none_or(|name| {
            directory == name || directory.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
        })
    };
    let touched = |path: &PathBuf| fs::metadata(path.join("networks")).and_then(|data| data.modified()).ok();
    let latest = runs.iter().filter(of_name).max_by_key(|path| touched(path));
    latest.cloned().context("there is no run in runs/ to resume: name one by --out")
}
