//! Where the files of a run are, and what it was made with.

use super::error::RunError;
use super::files;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The whole experiment.
pub(super) const EXPERIMENT: &str = "experiment.toml";
/// [`RunInfo`].
pub(super) const RUN: &str = "run.json";
/// What happened.
pub(super) const EVENTS: &str = "events.jsonl";
/// The same once more: events cannot be made again without the whole run.
pub(super) const EVENTS_COPY: &str = "events.copy.jsonl";
/// What it cost.
pub(super) const COSTS: &str = "costs.jsonl";
/// What the other files must be, if they are there.
pub(super) const MANIFEST: &str = "manifest.json";

/// The version of the layout that this program writes: 3 had a manifest, 4 has one whose sums tell records apart.
pub const FORMAT: u32 = 4;
/// The oldest version that it reads.
const OLDEST_FORMAT: u32 = 2;

/// What a run was made with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The version of this program that began the run.
    pub version: String,
    /// The version of the files' layout.
    pub format: u32,
    /// The way through the network's kernels: outputs differ in their last bits between ways.
    pub path: tesuji_nn::KernelPath,
}

impl RunInfo {
    /// As it stands in its file.
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// Reads what a run was made with: `None` if there is no such file; the inner error if it is damaged.
    ///
    /// # Errors
    /// If the file system refuses, or the run is of another format, which is told before anything else: other formats
    /// have other keys.
    pub(super) fn read(root: &Path) -> Result<Option<Result<RunInfo, String>>, RunError> {
        /// Of whatever format.
        #[derive(Deserialize)]
        struct Any {
            format: u32,
        }

        let Some(bytes) = files::read(&root.join(RUN))? else { return Ok(None) };
        match serde_json::from_slice::<Any>(&bytes) {
            Ok(Any { format }) if !(OLDEST_FORMAT..=FORMAT).contains(&format) => {
                let reads = format!("this program reads formats {OLDEST_FORMAT} to {FORMAT}");
                let advice = "begin it anew, or go on with the program that began it";
                Err(RunError::at(root, format!("a run of format {format}, {reads}: {advice}")))
            }
            _ => Ok(Some(serde_json::from_slice(&bytes).map_err(|error| error.to_string()))),
        }
    }
}

/// The file of a generation's network in a run.
pub fn network_path(root: &Path, generation: u64) -> PathBuf {
    root.join("networks").join(format!("{generation:06}.safetensors"))
}

/// The generations whose networks a run has, in order.
///
/// # Errors
/// If the directory cannot be read.
pub fn network_generations(root: &Path) -> Result<Vec<u64>, RunError> {
    let names = names(&root.join("networks"))?;
    let numbers = names.iter().filter_map(|name| name.strip_suffix(".safetensors")?.parse().ok());
    let mut generations: Vec<u64> = numbers.collect();
    generations.sort_unstable();
    Ok(generations)
}

/// The name of a part of a generation's records.
pub(super) fn part_name(generation: u64, part: u64) -> String {
    format!("{generation:06}-{part:04}.tsjr")
}

/// The generation of a part of records, by its name.
pub(super) fn part_generation(name: &str) -> Option<u64> {
    name.strip_suffix(".tsjr")?.split_once('-')?.0.parse().ok()
}

/// The names of the parts of records that a run has, in order.
///
/// # Errors
/// If the directory cannot be read.
pub(super) fn part_names(root: &Path) -> Result<Vec<String>, RunError> {
    let names = names(&root.join("records"))?;
    Ok(names.into_iter().filter(|name| part_generation(name).is_some()).collect())
}

/// The names in a directory, in order; none if it is not there.
fn names(directory: &Path) -> Result<Vec<String>, RunError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(RunError::io(directory))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(RunError::io(directory))?.file_name().into_string().ok());
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_another_format_is_refused_in_a_line_that_says_so() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::write(root.join(RUN), "{\"version\": \"0.1.0\", \"format\": 1, \"way\": \"unknown\"}").unwrap();
        let problem = RunInfo::read(root).unwrap_err().to_string();
        assert!(problem.contains("a run of format 1, this program reads formats 2 to 4: "), "{problem}");
        assert!(!problem.contains('\n') && problem.starts_with(&root.display().to_string()), "{problem}");
    }
}
