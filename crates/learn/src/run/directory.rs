//! A run on disk.
//!
//! | in the directory | what it is |
//! |---|---|
//! | `experiment.toml` | what the run is: the whole experiment, defaults included |
//! | `run.json` | the program's version and the way through the network's kernels |
//! | `manifest.json` | what these files must be, if they are there |
//! | `records/GENERATION-PART.tsjr` | the games of a generation, a fixed number in each part |
//! | `networks/GENERATION.safetensors` | the network after a generation, 0 being the untrained one; the newest ones with the optimiser's state |
//! | `events.jsonl`, `events.copy.jsonl` | what happened, a line an event; the same in every repetition |
//! | `costs.jsonl` | what it cost; never the same twice |
//! | `report.html` | curves and tables |
//!
//! Every file is written to a temporary name, synced and renamed. A generation is finished when its network is there;
//! whatever else there is of a later generation is either used (whole parts of records) or made again.

use super::checkpoint::Checkpoint;
use super::error::RunError;
use super::events::Event;
use super::files::{self, from_lines, to_lines};
use super::layout::{
    self, COSTS, EVENTS, EVENTS_COPY, EXPERIMENT, FORMAT, RUN, RunInfo, network_generations, network_path,
};
use super::ledger;
use super::manifest::{Manifest, Sum};
use super::repair;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tesuji_core::GameRecord;
use tesuji_nn::file::{write_atomically, write_soon};

/// Games in a part of a generation's records.
pub const PART: u64 = 32;

/// A run's directory, locked by this process.
pub struct RunDir {
    root: PathBuf,
    /// What the files must be.
    manifest: Mutex<Manifest>,
    /// What was put right when it was opened.
    notes: Vec<String>,
    /// Held as long as the run is open.
    _lock: File,
}

impl RunDir {
    /// Opens a directory, making it if need be, locks it, and puts right what can be.
    ///
    /// # Errors
    /// If the file system refuses, another process has the run open, or something is lost that cannot be had again.
    pub fn open(root: &Path) -> Result<RunDir, RunError> {
        fs::create_dir_all(root).map_err(RunError::io(root))?;
        for directory in ["records", "networks"] {
            files::make_directory(&root.join(directory))?;
        }
        let path = root.join("lock");
        let lock = files::open(OpenOptions::new().read(true).write(true).create(true).truncate(false), &path);
        let lock = lock.map_err(RunError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RunError::at(root, "another process works on this run")),
            Err(TryLockError::Error(cause)) => return Err(RunError::Io { path, cause }),
        }
        let mut notes = Vec::new();
        let manifest = Mutex::new(repair::open(root, &mut notes)?);
        Ok(RunDir { root: root.to_owned(), manifest, notes, _lock: lock })
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What was put right when it was opened, a line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the manifest and writes it: to be done before the files that it speaks of are written.
    fn note(&self, change: impl FnOnce(&mut Manifest)) -> Result<(), RunError> {
        let mut manifest = self.manifest();
        change(&mut manifest);
        manifest.write(&self.root)
    }

    /// Writes a file of the run.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        let path = self.root.join(name);
        write_atomically(&path, bytes).map_err(RunError::io(&path))
    }

    /// Writes down what the run is.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_experiment(&self, text: &str) -> Result<(), RunError> {
        self.note(|manifest| manifest.experiment = Some(text.to_owned()))?;
        self.write(EXPERIMENT, text.as_bytes())
    }

    /// What the run was made with, if it has begun.
    pub fn about(&self) -> Option<RunInfo> {
        self.manifest().run.clone()
    }

    /// Writes down what the run is made with.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn begin(&self, path: tesuji_nn::KernelPath) -> Result<(), RunError> {
        let about = RunInfo { version: env!("CARGO_PKG_VERSION").to_owned(), format: FORMAT, path };
        self.note(|manifest| manifest.run = Some(about.clone()))?;
        self.write(RUN, about.to_text().as_bytes())
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

    /// A generation's network, if it is there and the run's own; one that is not is set aside, with a word to `say`.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn network(&self, generation: u64, say: &mut dyn FnMut(String)) -> Result<Option<Checkpoint>, RunError> {
        let path = self.network_path(generation);
        let Some(bytes) = files::read(&path)? else { return Ok(None) };
        let problem = match Checkpoint::from_bytes(&bytes) {
            Err(problem) => format!("bad weight file: {problem}"),
            Ok(file) if self.manifest().networks.get(&generation) == Some(&Sum::of_network(&file)) => {
                return Ok(Some(file));
            }
            Ok(_) => "not the network that the run wrote".to_owned(),
        };
        set_aside(&path, &problem, say)?;
        Ok(None)
    }

    /// The newest network with the optimiser's state that can be used. One that is damaged or not the run's own is set
    /// aside under another name, with a word to `say`, and the one before it is taken.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn newest_network(&self, say: &mut dyn FnMut(String)) -> Result<Option<(u64, Checkpoint)>, RunError> {
        for generation in self.networks()?.into_iter().rev() {
            match self.network(generation, say)? {
                Some(file) if !file.goes_on() => {
                    let path = self.network_path(generation);
                    say(format!("{}: kept for play only, without the optimiser's state", path.display()));
                }
                Some(file) => return Ok(Some((generation, file))),
                None => {}
            }
        }
        Ok(None)
    }

    /// The generations before this one whose networks the run has written and kept, but that are gone or cannot be used;
    /// the latter are set aside, with a word to `say`.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn lost_networks(&self, generation: u64, say: &mut dyn FnMut(String)) -> Result<Vec<u64>, RunError> {
        let known: Vec<u64> = self.manifest().networks.range(..generation).map(|(&old, _)| old).collect();
        let mut lost = Vec::new();
        for old in known {
            if self.network(old, say)?.is_none() {
                lost.push(old);
            }
        }
        Ok(lost)
    }

    /// Writes the network that a run begins with.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_initial(&self, file: &Checkpoint) -> Result<(), RunError> {
        self.note(|manifest| {
            manifest.networks.insert(0, Sum::of_network(file));
        })?;
        Ok(file.save(&self.network_path(0))?)
    }

    /// Ends a generation: writes its events and its network. `kept` says which of the older networks stay; records of
    /// generations before `oldest` do not.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish_generation(
        &self,
        (generation, file): (u64, &Checkpoint),
        events: &[Event],
        kept: &dyn Fn(u64) -> bool,
        oldest: Option<u64>,
    ) -> Result<(), RunError> {
        let lines = to_lines(events);
        self.note(|manifest| {
            manifest.set_events(&lines);
            manifest.networks.retain(|&old, _| old < generation && kept(old));
            manifest.networks.insert(generation, Sum::of_network(file));
            oldest.into_iter().for_each(|oldest| manifest.forget_records(oldest));
        })?;
        self.write_lines(&lines)?;
        Ok(file.save(&self.network_path(generation))?)
    }

    /// The name of a part of a generation's records, if the run wrote it and still needs it.
    pub fn part(&self, generation: u64, part: u64) -> Option<String> {
        let name = layout::part_name(generation, part);
        self.manifest().records.contains_key(&name).then_some(name)
    }

    /// Writes a part of a generation's records; whether it was written before, and differs now.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_part(&self, generation: u64, part: u64, records: &[GameRecord]) -> Result<bool, RunError> {
        let mut bytes = Vec::new();
        records.iter().for_each(|record| record.write(&mut bytes));
        let (name, sum) = (layout::part_name(generation, part), Sum::of(&bytes));
        let path = self.root.join("records").join(&name);
        let known = {
            let mut manifest = self.manifest();
            let known = manifest.records.insert(name, sum);
            // It goes to the disk with the end of the generation: small generations would wait for nothing else.
            manifest.write_soon(&self.root)?;
            known
        };
        write_atomically(&path, &bytes).map_err(RunError::io(&path))?;
        Ok(known.is_some_and(|known| known != sum))
    }

    /// Reads a part of a generation's records, which has `games` of them; `None` if it is not there, or set aside because
    /// it is damaged or not the run's own.
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
        let name = layout::part_name(generation, part);
        let path = self.root.join("records").join(&name);
        let Some(bytes) = files::read(&path)? else { return Ok(None) };
        let (records, end) = GameRecord::read_all(&bytes);
        let problem = match end {
            Err(error) => error.to_string(),
            Ok(()) if records.len() as u64 != games => format!("{} games, not {games}", records.len()),
            Ok(()) if self.manifest().records.get(&name) != Some(&Sum::of(&bytes)) => {
                "not the games that the run wrote".to_owned()
            }
            Ok(()) => return Ok(Some(records)),
        };
        set_aside(&path, &problem, say)?;
        Ok(None)
    }

    /// Removes the records of generations before those that the run still needs.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn prune_records(&self) -> Result<(), RunError> {
        let Some(oldest) = self.manifest().oldest_records() else { return Ok(()) };
        for name in layout::part_names(&self.root)? {
            if layout::part_generation(&name).is_some_and(|generation| generation < oldest) {
                let path = self.root.join("records").join(name);
                fs::remove_file(&path).map_err(RunError::io(&path))?;
            }
        }
        Ok(())
    }

    /// Reads the events up to the last finished generation; puts them right if they are damaged and can be.
    ///
    /// # Errors
    /// If some are lost for good, or the file system refuses.
    pub fn events(&self, generation: u64, say: &mut dyn FnMut(String)) -> Result<Vec<Event>, RunError> {
        repair::events(&self.root, &self.manifest(), generation, say)
    }

    /// Writes the events, of which the last is new.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_events(&self, events: &[Event]) -> Result<(), RunError> {
        let lines = to_lines(events);
        self.note(|manifest| manifest.set_events(&lines))?;
        self.write_lines(&lines)
    }

    /// Writes the events twice: they cannot be made again without the whole run.
    fn write_lines(&self, lines: &[u8]) -> Result<(), RunError> {
        self.write(EVENTS, lines)?;
        let copy = self.root.join(EVENTS_COPY);
        // A power cut may cost the copy, which is then made from the other.
        write_soon(&copy, lines).map_err(RunError::io(&copy))
    }

    /// Reads the ledger; lines that cannot be read are left out, with a word to `say`.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn costs(&self, say: &mut dyn FnMut(String)) -> Result<Vec<ledger::Entry>, RunError> {
        let path = self.root.join(COSTS);
        let (entries, problems) = from_lines(&files::read(&path)?.unwrap_or_default());
        if let Some(problem) = problems.first() {
            set_aside(&path, &format!("{problem}; costs of {} lines are not counted", problems.len()), say)?;
            self.write_costs(&entries)?;
        }
        Ok(entries)
    }

    /// Writes the ledger.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write_costs(&self, entries: &[ledger::Entry]) -> Result<(), RunError> {
        self.write(COSTS, &to_lines(entries))
    }
}

/// Renames a file that cannot be used, and says so.
fn set_aside(path: &Path, problem: &str, say: &mut dyn FnMut(String)) -> Result<(), RunError> {
    let aside = files::set_aside(path)?;
    say(format!("{}: {problem}; set aside as {}", path.display(), aside.display()));
    Ok(())
}

/// Whether a process works on a run.
pub fn is_at_work(root: &Path) -> bool {
    let lock = files::open(OpenOptions::new().read(true), &root.join("lock"));
    lock.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// The text of a run's experiment, if there is one: as the run began, whatever has become of the file since.
///
/// # Errors
/// If the file is there but cannot be read, or the run is of another format: that is told first, because experiments of
/// other formats have other keys.
pub fn read_experiment(root: &Path) -> Result<Option<String>, RunError> {
    RunInfo::read(root)?;
    let path = root.join(EXPERIMENT);
    let bytes = files::read(&path)?;
    if bytes.is_none() && network_generations(root)?.is_empty() {
        return Ok(None);
    }
    if let Some(Ok(Manifest { experiment: Some(text), .. })) = Manifest::read(root)? {
        return Ok(Some(text));
    }
    bytes.map(String::from_utf8).transpose().map_err(|error| RunError::at(&path, error))
}

/// The events of a run that may be at work.
///
/// # Errors
/// If a line cannot be read.
pub fn read_events(root: &Path) -> Result<Vec<Event>, RunError> {
    let mut problem = None;
    for name in [EVENTS, EVENTS_COPY] {
        let path = root.join(name);
        let (events, problems) = from_lines(&files::read(&path)?.unwrap_or_default());
        match problems.first() {
            None if !events.is_empty() => return Ok(events),
            None => {}
            Some(line) => problem = problem.or(Some(RunError::at(&path, line))),
        }
    }
    problem.map_or_else(|| Ok(Vec::new()), Err)
}

/// The ledger of a run that may be at work; lines that cannot be read are left out.
///
/// # Errors
/// If the file system refuses.
pub fn read_costs(root: &Path) -> Result<Vec<ledger::Entry>, RunError> {
    Ok(from_lines(&files::read(&root.join(COSTS))?.unwrap_or_default()).0)
}

/// The bytes of a file of a run, if it is there.
///
/// # Errors
/// If it cannot be read, or is no plain file.
pub fn read_file(root: &Path, name: &str) -> Result<Option<Vec<u8>>, RunError> {
    files::read(&root.join(name))
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
