//! A directory that all processes see, as transport: on one machine, over NFS, on a cluster's file system.
//!
//! | in the directory | what it is |
//! |---|---|
//! | `workers/WORKER` | the latest sign of life of a worker |
//! | `runs/RUN/work` | what the run is |
//! | `runs/RUN/lock` | held by the run's learner |
//! | `runs/RUN/tallies` | what the learner knows of the workers |
//! | `runs/RUN/networks/GENERATION` | the network that plays |
//! | `runs/RUN/todo/UNIT` | a unit that nobody has claimed |
//! | `runs/RUN/taken/UNIT.WORKER` | a unit that a worker has claimed: the same file, renamed |
//! | `runs/RUN/done/UNIT.WORKER` | a part that was delivered |
//! | `runs/RUN/aside/UNIT.WORKER` | a part that could not be used |
//! | `runs/RUN/dead/UNIT` | a dead letter: a unit that workers took and did not survive |
//!
//! A rename has one winner. All folders are made before the first worker looks, since making one is where file systems of
//! clusters differ. Files are written to a temporary name and renamed, and opened without following links.

use super::seal;
use super::transport::{Arrived, Claim, Transport, Verdict};
use super::unit::{Heartbeat, Tallies, Unit, Work, is_name};
use crate::run::files;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tesuji_nn::file::{write_atomically, write_soon};

/// Parts that are read at once, at most.
const AT_ONCE: usize = 16;
/// A unit, a sign of life or a run's description is not longer.
const LONGEST_NOTE: u64 = 4 << 20;
/// Nor is a part, or a network.
const LONGEST_PART: u64 = 1 << 30;

const FOLDERS: [&str; 6] = ["networks", "todo", "taken", "done", "aside", "dead"];

/// A directory that all processes see.
pub struct SharedDir {
    root: PathBuf,
    /// The locks of the runs whose learner this process is.
    locks: Mutex<BTreeMap<String, File>>,
}

impl SharedDir {
    /// The directory of a learner, which makes it.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn create(root: &Path) -> Result<SharedDir, String> {
        for directory in [root.join("workers"), root.join("runs")] {
            files::make_directory(&directory).map_err(|error| error.to_string())?;
        }
        Ok(SharedDir { root: root.to_owned(), locks: Mutex::default() })
    }

    /// The directory of a worker, which must be there.
    ///
    /// # Errors
    /// If it is not.
    pub fn open(root: &Path) -> Result<SharedDir, String> {
        if !root.is_dir() {
            let advice = "make it, or start the learner first (tesuji train ... --workers dir:PATH)";
            return Err(format!("{}: no such directory; {advice}", root.display()));
        }
        SharedDir::create(root)
    }

    fn run(&self, run: &str) -> PathBuf {
        self.root.join("runs").join(run)
    }

    fn folder(&self, run: &str, folder: &str) -> PathBuf {
        self.run(run).join(folder)
    }

    /// The runs that have a folder, which is no link to another place.
    fn run_names(&self) -> Result<Vec<String>, String> {
        let is_folder = |name: &String| fs::symlink_metadata(self.run(name)).is_ok_and(|found| found.is_dir());
        let names = names(&self.root.join("runs"))?;
        Ok(names.into_iter().filter(|name| is_name(name) && is_folder(name)).collect())
    }

    /// The units in a folder, whatever follows their names.
    fn units(&self, run: &str, folder: &str) -> Result<Vec<(String, String)>, String> {
        let mut units = Vec::new();
        for name in names(&self.folder(run, folder))? {
            let (id, worker) = name.split_once('.').unwrap_or((&name, ""));
            // Temporary names have another point.
            if Unit::parse_id(id).is_some() && (worker.is_empty() || is_name(worker)) {
                units.push((id.to_owned(), worker.to_owned()));
            }
        }
        Ok(units)
    }
}

impl Transport for SharedDir {
    fn open_run(&self, work: &Work) -> Result<(), String> {
        let root = self.run(&work.run);
        files::make_directory(&root).map_err(|error| error.to_string())?;
        for folder in FOLDERS {
            files::make_directory(&root.join(folder)).map_err(|error| error.to_string())?;
        }
        let path = root.join("lock");
        let lock = files::open(OpenOptions::new().read(true).write(true).create(true).truncate(false), &path);
        let lock = lock.map_err(problem(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(format!("{}: another learner works here", root.display())),
            Err(TryLockError::Error(error)) => return Err(problem(&path)(error)),
        }
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).insert(work.run.clone(), lock);
        write(&root.join("work"), work, true)
    }

    fn close_run(&self, run: &str) -> Result<(), String> {
        remove(&self.run(run).join("work"))
    }

    fn begin_generation(&self, run: &str, generation: u64, (before, network): (u64, &[u8])) -> Result<(), String> {
        let path = self.folder(run, "networks").join(network_name(before));
        write_atomically(&path, network).map_err(problem(&path))?;
        for name in names(&self.folder(run, "networks"))? {
            if name != network_name(before) {
                remove(&self.folder(run, "networks").join(name))?;
            }
        }
        for folder in ["todo", "taken", "done"] {
            for (id, worker) in self.units(run, folder)? {
                if Unit::parse_id(&id).is_none_or(|(of, ..)| of != generation) {
                    remove(&self.folder(run, folder).join(name_of(&id, &worker)))?;
                }
            }
        }
        Ok(())
    }

    fn offer(&self, unit: &Unit) -> Result<(), String> {
        let id = unit.id();
        if self.units(&unit.run, "taken")?.iter().any(|(taken, _)| *taken == id) {
            return Ok(());
        }
        write(&self.folder(&unit.run, "todo").join(id), unit, false)
    }

    fn withdraw(&self, unit: &Unit) -> Result<(), String> {
        for (id, _) in self.units(&unit.run, "todo")? {
            if Unit::parse_id(&id).is_some_and(|(of, part, _)| (of, part) == (unit.generation, unit.part)) {
                remove(&self.folder(&unit.run, "todo").join(id))?;
            }
        }
        Ok(())
    }

    fn bury(&self, unit: &Unit) -> Result<(), String> {
        write(&self.folder(&unit.run, "dead").join(unit.id()), unit, true)
    }

    fn arrived(&self, run: &str) -> Result<Vec<Arrived>, String> {
        let mut arrived = Vec::new();
        for (id, worker) in self.units(run, "done")?.into_iter().filter(|(_, worker)| !worker.is_empty()) {
            let path = self.folder(run, "done").join(name_of(&id, &worker));
            match read(&path, LONGEST_PART) {
                Ok(Some(bytes)) => arrived.push(Arrived { id, worker, bytes }),
                Ok(None) => {}
                // Too long, or no plain file: seen as a part that cannot be read.
                Err(_) => arrived.push(Arrived { id, worker, bytes: Vec::new() }),
            }
            if arrived.len() >= AT_ONCE {
                break;
            }
        }
        Ok(arrived)
    }

    fn settle(&self, run: &str, arrived: &Arrived, verdict: Verdict) -> Result<(), String> {
        let name = name_of(&arrived.id, &arrived.worker);
        let path = self.folder(run, "done").join(&name);
        match verdict {
            Verdict::Done => remove(&path),
            Verdict::Aside => rename(&path, &self.folder(run, "aside").join(name)).map(drop),
        }
    }

    fn take_back(&self, run: &str, is_alive: &dyn Fn(&str) -> bool) -> Result<Vec<(String, String)>, String> {
        let mut back = Vec::new();
        for (id, worker) in self.units(run, "taken")? {
            if is_alive(&worker) {
                continue;
            }
            let from = self.folder(run, "taken").join(name_of(&id, &worker));
            if rename(&from, &self.folder(run, "todo").join(&id))? {
                back.push((id, worker));
            }
        }
        Ok(back)
    }

    fn parts_under_way(&self, run: &str) -> Result<Option<BTreeSet<(u64, u64)>>, String> {
        let mut parts = BTreeSet::new();
        for folder in ["todo", "taken", "done"] {
            let ids = self.units(run, folder)?;
            parts.extend(ids.iter().filter_map(|(id, _)| Unit::parse_id(id)).map(|(of, part, _)| (of, part)));
        }
        Ok(Some(parts))
    }

    fn write_tallies(&self, run: &str, tallies: &Tallies) -> Result<(), String> {
        write(&self.run(run).join("tallies"), tallies, false)
    }

    fn runs(&self) -> Result<Vec<Work>, String> {
        let mut runs = Vec::new();
        for name in self.run_names()? {
            if let Some(work) = read_note::<Work>(&self.run(&name).join("work"))?
                && work.run == name
            {
                runs.push(work);
            }
        }
        Ok(runs)
    }

    fn tallies(&self) -> Result<BTreeMap<String, Tallies>, String> {
        let mut tallies = BTreeMap::new();
        for name in self.run_names()? {
            tallies.insert(name.clone(), read_note(&self.run(&name).join("tallies"))?.unwrap_or_default());
        }
        Ok(tallies)
    }

    fn heartbeats(&self) -> Result<Vec<Heartbeat>, String> {
        let folder = self.root.join("workers");
        let mut heartbeats = Vec::new();
        for name in names(&folder)?.into_iter().filter(|name| is_name(name)) {
            // One that cannot be read is that of nobody.
            if let Ok(Some(heartbeat)) = read_note::<Heartbeat>(&folder.join(&name))
                && heartbeat.worker == name
            {
                heartbeats.push(heartbeat);
            }
        }
        Ok(heartbeats)
    }

    fn waiting(&self, run: &str) -> Result<usize, String> {
        self.units(run, "todo").map(|units| units.len())
    }

    fn claim(&self, run: &str, worker: &str, accept: &dyn Fn(&Unit) -> bool) -> Result<Option<Claim>, String> {
        let mut units = self.units(run, "todo")?;
        if !units.is_empty() {
            // Workers that come at once do not all try the same one.
            let first = crc32fast::hash(worker.as_bytes()) as usize % units.len();
            units.rotate_left(first);
        }
        for (id, _) in units {
            let path = self.folder(run, "todo").join(&id);
            let Ok(Some(unit)) = read_note::<Unit>(&path) else { continue };
            if unit.run != run || unit.id() != id || !accept(&unit) {
                continue;
            }
            if rename(&path, &self.folder(run, "taken").join(name_of(&id, worker)))? {
                return Ok(Some(Claim { unit, worker: worker.to_owned() }));
            }
        }
        Ok(None)
    }

    fn network(&self, unit: &Unit) -> Result<Vec<u8>, String> {
        let path = self.folder(&unit.run, "networks").join(network_name(unit.network.generation));
        read(&path, LONGEST_PART)?.ok_or_else(|| format!("{}: not there", path.display()))
    }

    fn deliver(&self, claim: &Claim, part: &[u8]) -> Result<(), String> {
        let (run, name) = (&claim.unit.run, name_of(&claim.unit.id(), &claim.worker));
        let path = self.folder(run, "done").join(&name);
        write_atomically(&path, part).map_err(problem(&path))?;
        remove(&self.folder(run, "taken").join(name))
    }

    fn release(&self, claim: &Claim, again: bool) -> Result<(), String> {
        let (run, id) = (&claim.unit.run, claim.unit.id());
        let from = self.folder(run, "taken").join(name_of(&id, &claim.worker));
        if again { rename(&from, &self.folder(run, "todo").join(id)).map(drop) } else { remove(&from) }
    }

    fn beat(&self, heartbeat: &Heartbeat) -> Result<(), String> {
        write(&self.root.join("workers").join(&heartbeat.worker), heartbeat, false)
    }

    fn leave(&self, worker: &str) -> Result<(), String> {
        remove(&self.root.join("workers").join(worker))
    }
}

fn network_name(generation: u64) -> String {
    format!("{generation:06}")
}

fn name_of(id: &str, worker: &str) -> String {
    if worker.is_empty() { id.to_owned() } else { format!("{id}.{worker}") }
}

fn problem(path: &Path) -> impl Fn(io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// The names in a folder, in order; none if it is not there.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(problem(folder))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(problem(folder))?.file_name().into_string().ok());
    }
    names.sort_unstable();
    Ok(names)
}

/// Writes a note; `durable` ones wait for the disk, others can be had again.
fn write<T: Serialize>(path: &Path, note: &T, durable: bool) -> Result<(), String> {
    let write = if durable { write_atomically } else { write_soon };
    write(path, &seal::seal(note, &[])).map_err(problem(path))
}

fn read_note<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>, String> {
    let Some(bytes) = read(path, LONGEST_NOTE)? else { return Ok(None) };
    seal::open(&bytes).map(|(note, _)| Some(note)).map_err(|error| format!("{}: {error}", path.display()))
}

/// The bytes of a plain file, if it is there.
fn read(path: &Path, longest: u64) -> Result<Option<Vec<u8>>, String> {
    let mut bytes = Vec::new();
    let read = files::open(OpenOptions::new().read(true), path)
        .and_then(|file| file.take(longest + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > longest => Err(format!("{}: too long", path.display())),
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(problem(path)(error)),
    }
}

/// Renames a file; `false` if somebody else was faster.
fn rename(from: &Path, to: &Path) -> Result<bool, String> {
    match fs::rename(from, to) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(problem(from)(error)),
    }
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<(), String> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(problem(path)(error)),
        _ => Ok(()),
    }
}
