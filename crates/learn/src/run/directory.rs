//! A run on disk.
//!
//! | in the directory | what it is |
//! |---|---|
//! | `experiment.toml` | what the run is: the whole experiment, defaults included |
//! | `run.json` | the program's version and the way through the network's kernels |
//! | `records/GENERATION-PART.tsjr` | the games of a generation, a fixed number in each part |
//! | `networks/GENERATION.safetensors` | the network after a generation, 0 being the untrained one; the newest ones with the optimiser's state |
//! | `events.jsonl` | what happened, a line an event; the same in every repetition |
//! | `costs.jsonl` | what it cost; never the same twice |
//! | `report.html` | curves and tables |
//!
//! Every file is written to a temporary name, synced and renamed. A generation is finished when its network is there;
//! whatever else there is of a later generation is either used (whole parts of records) or made again.

use super::error::RunError;
use super::events::Event;
use super::ledger;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tesuji_core::GameRecord;
use tesuji_nn::file::write_atomically;
use tesuji_nn::{FileError, NetworkFile};

/// Games in a part of a generation's records.
pub const PART: u64 = 32;

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

/// The version of the layout that this program writes.
pub const FORMAT: u32 = 2;

/// A run's directory, locked by this process.
pub struct RunDir {
    root: PathBuf,
    /// Held as long as the run is open.
    _lock: File,
}

impl RunDir {
    /// Opens a directory, making it if need be, and locks it.
    ///
    /// # Errors
    /// If the file system refuses, or another process has the run open.
    pub fn open(root: &Path) -> Result<RunDir, RunError> {
        for directory in [root.to_owned(), root.join("records"), root.join("networks")] {
            fs::create_dir_all(&directory).map_err(RunError::io(&directory))?;
        }
        let path = root.join("lock");
        let lock = File::create(&path).map_err(RunError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(RunDir { root: root.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(RunError::at(root, "another process works on this run")),
            Err(TryLockError::Error(cause)) => Err(RunError::Io { path, cause }),
        }
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file of the run.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        let path = self.root.join(name);
        write_atomically(&path, bytes).map_err(RunError::io(&path))
    }

    /// The text of the experiment, if the run has begun.
    ///
    /// # Errors
    /// If the file is there but cannot be read, or the run is of another format.
    pub fn experiment(&self) -> Result<Option<String>, RunError> {
        read_experiment(&self.root)
    }

    /// What the run was made with, if it has begun.
    ///
    /// # Errors
    /// If the file is there but cannot be read, or is of another format.
    pub fn about(&self) -> Result<Option<RunInfo>, RunError> {
        read_info(&self.root)
    }

    /// Writes down what the run is made with.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn begin(&self, path: tesuji_nn::KernelPath) -> Result<(), RunError> {
        let about = RunInfo { version: env!("CARGO_PKG_VERSION").to_owned(), format: FORMAT, path };
        let text = serde_json::to_string_pretty(&about).expect("plain data") + "\n";
        self.write("run.json", text.as_bytes())
    }

    /// The file of a generation's network.
    pub fn network_path(&self, generation: u64) -> PathBuf {
        network_path(&self.root, generation)
    }

    /// The generations whose networks are there, in order.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn networks(&self) -> Result<Vec<u64>, RunError> {
        network_generations(&self.root)
    }

    /// The newest network with the optimiser's state that can be read. A damaged one is set aside under another name,
    /// with a word to `say`, and the one before it is taken.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn newest_network(&self, say: &mut dyn FnMut(String)) -> Result<Option<(u64, NetworkFile)>, RunError> {
        for generation in self.networks()?.into_iter().rev() {
            let path = self.network_path(generation);
            match NetworkFile::load(&path) {
                Ok(file) if generation > 0 && file.state.is_empty() && file.about.step > 0 => {
                    say(format!("{}: kept for play only, without the optimiser's state", path.display()));
                }
                Ok(file) => return Ok(Some((generation, file))),
                Err(error @ FileError::Bad { .. }) => self.set_aside(&path, &error.to_string(), say)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Renames a damaged file, so that it is neither used nor lost.
    fn set_aside(&self, path: &Path, problem: &str, say: &mut dyn FnMut(String)) -> Result<(), RunError> {
        let mut aside = path.as_os_str().to_owned();
        aside.push(".damaged");
        fs::rename(path, &aside).map_err(RunError::io(path))?;
        say(format!("{problem}; set aside as {}", Path::new(&aside).display()));
        Ok(())
    }

    /// The file of a part of a generation's records.
    fn part_path(&self, generation: u64, part: u64) -> PathBuf {
        self.root.join("records").join(format!("{generation:06}-{part:04}.tsjr"))
    }

    /// Writes a part of a generation's records.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_part(&self, generation: u64, part: u64, records: &[GameRecord]) -> Result<(), RunError> {
        let mut bytes = Vec::new();
        records.iter().for_each(|record| record.write(&mut bytes));
        let path = self.part_path(generation, part);
        write_atomically(&path, &bytes).map_err(RunError::io(&path))
    }

    /// Reads a part of a generation's records, which has `games` of them; `None` if it is not there, or damaged and
    /// therefore set aside.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn read_part(
        &self,
        generation: u64,
        part: u64,
        games: u64,
        say: &mut dyn FnMut(String),
    ) -> Result<Option<Vec<GameRecord>>, RunError> {
        let path = self.part_path(generation, part);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(RunError::Io { path, cause }),
        };
        let (records, end) = GameRecord::read_all(&bytes);
        let problem = match end {
            Err(error) => error.to_string(),
            Ok(()) if records.len() as u64 != games => format!("{} games, not {games}", records.len()),
            Ok(()) => return Ok(Some(records)),
        };
        self.set_aside(&path, &format!("{}: {problem}", path.display()), say)?;
        Ok(None)
    }

    /// Removes the records of generations before this one.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn prune_records(&self, before: u64) -> Result<(), RunError> {
        let directory = self.root.join("records");
        for entry in fs::read_dir(&directory).map_err(RunError::io(&directory))? {
            let path = entry.map_err(RunError::io(&directory))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let generation = name.split_once('-').and_then(|(generation, _)| generation.parse::<u64>().ok());
            if generation.is_some_and(|generation| generation < before) && name.ends_with(".tsjr") {
                fs::remove_file(&path).map_err(RunError::io(&path))?;
            }
        }
        Ok(())
    }

    /// Reads the events.
    ///
    /// # Errors
    /// If a line cannot be read.
    pub fn events(&self) -> Result<Vec<Event>, RunError> {
        read_lines(&self.root.join("events.jsonl"), false)
    }

    /// Writes the events.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_events(&self, events: &[Event]) -> Result<(), RunError> {
        self.write("events.jsonl", &to_lines(events))
    }

    /// Reads the ledger; a line that was cut short by a crash is left out.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn costs(&self) -> Result<Vec<ledger::Entry>, RunError> {
        read_lines(&self.root.join("costs.jsonl"), true)
    }

    /// Writes the ledger.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_costs(&self, entries: &[ledger::Entry]) -> Result<(), RunError> {
        self.write("costs.jsonl", &to_lines(entries))
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
    let directory = root.join("networks");
    let mut generations = Vec::new();
    for entry in fs::read_dir(&directory).map_err(RunError::io(&directory))? {
        let name = entry.map_err(RunError::io(&directory))?.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(".safetensors"));
        generations.extend(name.and_then(|name| name.parse::<u64>().ok()));
    }
    generations.sort_unstable();
    Ok(generations)
}

/// The text of a run's experiment, if there is one.
///
/// # Errors
/// If the file is there but cannot be read, or the run is of another format: that is told first, because experiments of
/// other formats have other keys.
pub fn read_experiment(root: &Path) -> Result<Option<String>, RunError> {
    read_info(root)?;
    read_if_there(&root.join("experiment.toml"))
}

/// What a run was made with, if it has begun.
fn read_info(root: &Path) -> Result<Option<RunInfo>, RunError> {
    /// Of whatever format.
    #[derive(Deserialize)]
    struct Any {
        format: u32,
    }

    let path = root.join("run.json");
    let Some(text) = read_if_there(&path)? else { return Ok(None) };
    let Any { format } = serde_json::from_str(&text).map_err(|error| RunError::at(&path, error))?;
    if format != FORMAT {
        let problem = format!("a run of format {format}, this program reads format {FORMAT}");
        let advice = "begin it anew, or go on with the program that began it";
        return Err(RunError::at(root, format!("{problem}: {advice}")));
    }
    serde_json::from_str(&text).map(Some).map_err(|error| RunError::at(&path, error))
}

/// The events of a run that may be at work.
///
/// # Errors
/// If a line cannot be read.
pub fn read_events(root: &Path) -> Result<Vec<Event>, RunError> {
    read_lines(&root.join("events.jsonl"), false)
}

/// The ledger of a run that may be at work.
///
/// # Errors
/// If the file system refuses.
pub fn read_costs(root: &Path) -> Result<Vec<ledger::Entry>, RunError> {
    read_lines(&root.join("costs.jsonl"), true)
}

fn read_if_there(path: &Path) -> Result<Option<String>, RunError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(RunError::Io { path: path.to_owned(), cause }),
    }
}

fn read_lines<T: for<'de> Deserialize<'de>>(path: &Path, lenient: bool) -> Result<Vec<T>, RunError> {
    let text = read_if_there(path)?.unwrap_or_default();
    let mut items = Vec::new();
    for (number, line) in text.lines().enumerate() {
        match serde_json::from_str(line) {
            Ok(item) => items.push(item),
            Err(_) if lenient => {}
            Err(error) => {
                return Err(RunError::at(path, format!("line {}: {error}", number + 1)));
            }
        }
    }
    Ok(items)
}

fn to_lines<T: Serialize>(items: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for item in items {
        serde_json::to_writer(&mut bytes, item).expect("plain data into memory");
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_another_format_is_refused_in_a_line_that_says_so() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::write(root.join("run.json"), "{\"version\": \"0.1.0\", \"format\": 1, \"way\": \"unknown\"}").unwrap();
        fs::write(root.join("experiment.toml"), "game = \"tictactoe\"\n[dqn]\n").unwrap();
        let problem = read_experiment(root).unwrap_err().to_string();
        assert!(problem.contains("a run of format 1, this program reads format 2: "), "{problem}");
        assert!(!problem.contains('\n') && problem.starts_with(&root.display().to_string()), "{problem}");
    }

    /// Events are read and written again when a run goes on.
    #[test]
    fn numbers_are_read_as_they_were_written() {
        let written = -190.848_501_887_864_98_f64;
        let text = serde_json::to_string(&written).unwrap();
        assert_eq!(serde_json::from_str::<f64>(&text).unwrap().to_bits(), written.to_bits());
    }
}
