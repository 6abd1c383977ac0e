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

use crate::experiment::Experiment;
use crate::ledger;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tesuji_core::GameRecord;
use tesuji_nn::file::write_atomically;
use tesuji_nn::train::Losses;
use tesuji_nn::{FileError, NetworkFile};

/// Games in a part of a generation's records.
pub const PART: u64 = 32;

/// Why a run cannot go on: one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The file system refused. The cause is in the line itself, so it is not told again as a source.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A weight file.
    #[error(transparent)]
    Network(#[from] FileError),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl RunError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> RunError {
        let path = path.to_owned();
        |cause| RunError::Io { path, cause }
    }

    pub(crate) fn other(problem: impl Into<String>) -> RunError {
        RunError::Other(problem.into())
    }
}

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
pub const FORMAT: u32 = 1;

/// One line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A generation was played and learned from.
    Generation(GenerationEvent),
    /// Strength was measured.
    Strength(StrengthEvent),
}

/// A generation: its games and its training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationEvent {
    /// Its number, from 1.
    pub generation: u64,
    /// What its games were like.
    pub play: crate::selfplay::GameStatistics,
    /// Games and positions in the window.
    pub window: [u64; 2],
    /// Training steps so far.
    pub step: u64,
    /// Training steps of this generation.
    pub steps: u64,
    /// The learning rate of the last one.
    pub rate: f32,
    /// Means over the steps: cross-entropy of the policy.
    pub policy_loss: f32,
    /// Kullback-Leibler divergence of the policy.
    pub divergence: f32,
    /// Squared error of the value.
    pub value_loss: f32,
    /// Share of samples where argmax p = argmax pi.
    pub policy_accuracy: f32,
    /// Share of samples where v z > 0.
    pub value_accuracy: f32,
    /// How the network did on games held out, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<crate::supervised::TestScore>,
}

impl GenerationEvent {
    /// A generation by what was played, the window's games and positions, (steps so far, of this generation, the last
    /// one's rate), and the sums of the losses of its steps.
    pub fn of(
        generation: u64,
        play: crate::selfplay::GameStatistics,
        window: [u64; 2],
        (step, steps, rate): (u64, u64, f32),
        sums: &Losses,
    ) -> GenerationEvent {
        let count = steps.max(1) as f32;
        GenerationEvent {
            generation,
            play,
            window,
            step,
            steps,
            rate,
            policy_loss: sums.policy / count,
            divergence: sums.divergence / count,
            value_loss: sums.value / count,
            policy_accuracy: sums.policy_accuracy / count,
            value_accuracy: sums.value_accuracy / count,
            test: None,
        }
    }
}

/// A match against a fixed opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthEvent {
    /// The generation that played.
    pub generation: u64,
    /// Its line.
    pub agent: String,
    /// The opponent's line.
    pub opponent: String,
    /// Games won, drawn, lost.
    pub score: [u64; 3],
    /// Games that differ from all others.
    pub distinct: u64,
    /// The Elo difference and its 95% interval; absent where it is infinite.
    pub elo: [Option<f64>; 3],
}

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
            Err(TryLockError::WouldBlock) => {
                Err(RunError::other(format!("{}: another process works on this run", root.display())))
            }
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

    /// The experiment, if the run has begun.
    ///
    /// # Errors
    /// If the file is there but cannot be read.
    pub fn experiment(&self) -> Result<Option<Experiment>, RunError> {
        read_experiment(&self.root)
    }

    /// What the run was made with, if it has begun.
    ///
    /// # Errors
    /// If the file is there but cannot be read, or is of another format.
    pub fn about(&self) -> Result<Option<RunInfo>, RunError> {
        let path = self.root.join("run.json");
        let Some(text) = read_if_there(&path)? else { return Ok(None) };
        let about: RunInfo =
            serde_json::from_str(&text).map_err(|error| RunError::other(format!("{}: {error}", path.display())))?;
        if about.format != FORMAT {
            let problem = format!("a run of format {}, this program reads format {FORMAT}", about.format);
            return Err(RunError::other(format!("{}: {problem}", path.display())));
        }
        Ok(Some(about))
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

/// The experiment of a run, if there is one.
///
/// # Errors
/// If the file is there but cannot be read.
pub fn read_experiment(root: &Path) -> Result<Option<Experiment>, RunError> {
    let path = root.join("experiment.toml");
    let Some(text) = read_if_there(&path)? else { return Ok(None) };
    let experiment = Experiment::from_toml(&text);
    experiment.map(Some).map_err(|error| RunError::other(format!("{}: {error}", path.display())))
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
                return Err(RunError::other(format!("{}: line {}: {error}", path.display(), number + 1)));
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
    /// Events are read and written again when a run goes on.
    #[test]
    fn numbers_are_read_as_they_were_written() {
        let written = -190.848_501_887_864_98_f64;
        let text = serde_json::to_string(&written).unwrap();
        assert_eq!(serde_json::from_str::<f64>(&text).unwrap().to_bits(), written.to_bits());
    }
}
