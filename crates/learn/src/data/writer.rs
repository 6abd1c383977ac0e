//! Games into a new set.

use super::about::{self, Counts, DataSetInfo, FORMAT, Source, shard_name};
use super::check::{Checked, Skip};
use super::error::DataError;
use super::shard::{self, StoredGame};
use std::fs;
use std::path::{Path, PathBuf};
use tesuji_core::{AnyGame, Stream};
use tesuji_nn::file::write_atomically;

/// A shard is closed when it has this many positions.
pub const SHARD: usize = 1 << 16;
/// Or when its games take about this many bytes before compression.
pub const LARGEST_SHARD: usize = 16 << 20;

/// How a set is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The seed by which positions are kept.
    pub seed: u64,
    /// The probability with which a position is kept.
    pub keep: f64,
    /// Where the games come from.
    pub sources: Vec<Source>,
}

/// A set that is being written.
#[derive(Debug)]
pub struct Writer {
    directory: PathBuf,
    about: DataSetInfo,
    /// Games that were added or passed over.
    seen: u64,
    games: Vec<StoredGame>,
    samples: usize,
    bytes: usize,
}

impl Writer {
    /// Begins a set. What a killed attempt left in the directory is removed.
    ///
    /// # Errors
    /// If the directory holds a finished set or anything else, cannot be made, or `keep` is no probability.
    pub fn create(game: &dyn AnyGame, directory: &Path, settings: Settings) -> Result<Writer, DataError> {
        Writer::create_beside(&[], game, directory, settings)
    }

    /// As [`create`](Self::create), in a directory that may hold files of these names.
    pub(super) fn create_beside(
        others: &[&str],
        game: &dyn AnyGame,
        directory: &Path,
        settings: Settings,
    ) -> Result<Writer, DataError> {
        let Settings { seed, keep, sources } = settings;
        if !(keep > 0.0 && keep <= 1.0) {
            let problem = format!("the probability to keep a position is above 0 and at most 1, not {keep}");
            return Err(DataError::bad(directory, problem));
        }
        fs::create_dir_all(directory).map_err(DataError::io(directory))?;
        vacate(directory, others)?;
        let about = DataSetInfo {
            format: FORMAT,
            game: game.name().to_owned(),
            rules: game.rules(),
            rules_version: game.rules_version(),
            seed,
            keep,
            sources,
            counts: Counts::default(),
            shards: Vec::new(),
        };
        Ok(Writer { directory: directory.to_owned(), about, seen: 0, games: Vec::new(), samples: 0, bytes: 0 })
    }

    /// Adds the next game: chooses the positions to keep.
    ///
    /// # Errors
    /// If a shard cannot be written.
    pub fn add(&mut self, game: Checked) -> Result<(), DataError> {
        self.seen += 1;
        let Checked { start, mut moves, opening, beyond_end, outcome } = game;
        let counts = &mut self.about.counts;
        let place = about::place(outcome);
        counts.games += 1;
        counts.outcomes[place] += 1;
        counts.positions += (moves.len() - opening) as u64;
        counts.beyond_end += beyond_end as u64;
        let mut random = Stream::new(self.about.seed, "keep", self.seen);
        let kept: Vec<u32> = (opening as u32..moves.len() as u32).filter(|_| random.unit() < self.about.keep).collect();
        let Some(&last) = kept.last() else { return Ok(()) };
        counts.kept += kept.len() as u64;
        counts.kept_outcomes[place] += kept.len() as u64;
        moves.truncate(last as usize + 1);
        self.samples += kept.len();
        // At most five bytes for each number, and as much again for its place in memory.
        self.bytes += start.len() + 5 * (moves.len() + kept.len()) + 32;
        self.games.push(StoredGame { number: self.seen, outcome, start, moves, kept });
        if self.samples >= SHARD || self.bytes >= LARGEST_SHARD { self.close_shard() } else { Ok(()) }
    }

    /// Passes over the next game.
    pub fn skip(&mut self, skip: &Skip) {
        self.seen += 1;
        *self.about.counts.skipped.entry(skip.reason.to_owned()).or_default() += 1;
    }

    /// What has been read and kept so far.
    pub fn counts(&self) -> &Counts {
        &self.about.counts
    }

    /// Games that were added or passed over so far.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Writes what is left, and then the description that makes it a set.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(mut self) -> Result<DataSetInfo, DataError> {
        self.close_shard()?;
        self.about.write(&self.directory)?;
        Ok(self.about)
    }

    fn close_shard(&mut self) -> Result<(), DataError> {
        if self.games.is_empty() {
            return Ok(());
        }
        let (bytes, info) = shard::encode(&self.games);
        let path = self.directory.join(shard_name(self.about.shards.len()));
        write_atomically(&path, &bytes).map_err(DataError::io(&path))?;
        self.about.shards.push(info);
        self.games.clear();
        (self.samples, self.bytes) = (0, 0);
        Ok(())
    }
}

/// Removes the shards of an unfinished set.
fn vacate(directory: &Path, others: &[&str]) -> Result<(), DataError> {
    if directory.join(about::FILE).exists() {
        let problem = "already holds a data set; give another directory, or delete this one";
        return Err(DataError::bad(directory, problem));
    }
    let mut ours = Vec::new();
    for entry in fs::read_dir(directory).map_err(DataError::io(directory))? {
        let path = entry.map_err(DataError::io(directory))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_shard(name.strip_suffix(".tmp").unwrap_or(&name)) || *name == format!("{}.tmp", about::FILE) {
            ours.push(path);
        } else if !others.contains(&&*name) {
            let problem = format!("not empty ({:?} is in it); give another directory", &*name);
            return Err(DataError::bad(directory, problem));
        }
    }
    ours.iter().try_for_each(|path| fs::remove_file(path).map_err(DataError::io(path)))
}

/// Whether a file's name is that of a shard.
fn is_shard(name: &str) -> bool {
    name.strip_suffix(".tsjd").is_some_and(|number| number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit()))
}
