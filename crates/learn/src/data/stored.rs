//! A set on disk, and what a shard of it holds, as far as no types are needed.

use super::about::{DataSetInfo, shard_name};
use super::error::DataError;
use super::folds::Folds;
use super::shard::{self, StoredGame};
use std::fs;
use std::path::{Path, PathBuf};
use tesuji_core::{AnyGame, Outcome};

/// A finished set on disk.
#[derive(Debug)]
pub struct Stored {
    directory: PathBuf,
    about: DataSetInfo,
}

impl Stored {
    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Opens a set, and checks that it is of this game and that its shards are there.
    ///
    /// # Errors
    /// If it is unfinished, of another game, rules or version, or a shard is missing or has another size: in one line.
    pub fn open(game: &dyn AnyGame, directory: &Path) -> Result<Stored, DataError> {
        let about = DataSetInfo::read(directory)?;
        about.check(game).map_err(|problem| DataError::bad(directory, problem))?;
        for (number, info) in about.shards.iter().enumerate() {
            let path = directory.join(shard_name(number));
            let bytes = fs::metadata(&path).map_err(DataError::io(&path))?.len();
            if bytes != info.bytes {
                let problem = format!("damaged: {bytes} bytes instead of {}; make the set again", info.bytes);
                return Err(DataError::bad(&path, problem));
            }
        }
        Ok(Stored { directory: directory.to_owned(), about })
    }

    /// What the set says of itself.
    pub fn about(&self) -> &DataSetInfo {
        &self.about
    }

    /// Positions in the set.
    pub fn len(&self) -> u64 {
        self.about.counts.kept
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Games in the set: those of which a position was kept.
    pub fn games(&self) -> u64 {
        self.about.shards.iter().map(|shard| shard.games).sum()
    }

    /// Number of shards.
    pub fn shards(&self) -> usize {
        self.about.shards.len()
    }

    /// Positions in each shard.
    pub fn shard_lens(&self) -> Vec<usize> {
        self.about.shards.iter().map(|shard| shard.samples as usize).collect()
    }

    /// Deals the games out to `folds` folds, with equal shares of each outcome: see [`Folds`].
    ///
    /// # Errors
    /// If a shard cannot be read.
    pub fn folds(&self, folds: usize, seed: u64) -> Result<Folds, DataError> {
        let mut outcomes = Vec::new();
        for number in 0..self.shards() {
            outcomes.extend(self.stored_games(number)?.iter().map(|game| game.outcome));
        }
        Ok(Folds::new(&outcomes, folds, seed))
    }

    /// Hands every game of a shard to `game`, in order.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or not of this set, or `game` fails; the error names it.
    ///
    /// # Panics
    /// If there is no shard of this number.
    pub fn read(
        &self,
        number: usize,
        game: &mut dyn FnMut(&StoredGame) -> Result<(), String>,
    ) -> Result<Contents, DataError> {
        let first_game = self.about.shards[..number].iter().map(|shard| shard.games).sum();
        let mut contents = Contents { games: Vec::new(), ends: Vec::new(), first_game };
        let mut samples = 0;
        for stored in self.stored_games(number)? {
            let read = game(&stored);
            read.map_err(|problem| {
                let path = self.directory.join(shard_name(number));
                DataError::bad(&path, format!("game {}: {problem}", stored.number))
            })?;
            samples += stored.kept.len();
            contents.ends.push(samples);
            contents.games.push(About { number: stored.number, outcome: stored.outcome, kept: stored.kept });
        }
        Ok(contents)
    }

    /// The games of a shard as they are stored.
    fn stored_games(&self, number: usize) -> Result<Vec<StoredGame>, DataError> {
        let path = self.directory.join(shard_name(number));
        let bytes = fs::read(&path).map_err(DataError::io(&path))?;
        let (games, info) = shard::decode(&bytes).map_err(|problem| DataError::bad(&path, problem))?;
        if info != self.about.shards[number] {
            return Err(DataError::bad(&path, "a shard of another data set; make the set again"));
        }
        Ok(games)
    }
}

/// Which positions of which games a shard holds.
#[derive(Debug)]
pub struct Contents {
    games: Vec<About>,
    /// For each game, the number of positions up to its end.
    ends: Vec<usize>,
    first_game: u64,
}

/// What is known of a game besides its moves.
#[derive(Debug)]
struct About {
    number: u64,
    outcome: Outcome,
    kept: Vec<u32>,
}

/// Where a position stands in its shard.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Which of the shard's games.
    pub game: usize,
    /// Its number in its game.
    pub ply: usize,
}

impl Contents {
    /// Positions in the shard.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number in the set of the game that position number `index` belongs to, without replaying it.
    ///
    /// # Panics
    /// If there is no position of this number.
    pub fn game_of(&self, index: usize) -> u64 {
        self.first_game + self.place(index).game as u64
    }

    /// Where position number `index` stands.
    ///
    /// # Panics
    /// If there is no position of this number.
    pub fn place(&self, index: usize) -> Place {
        assert!(index < self.len(), "position {index} of {}", self.len());
        let game = self.ends.partition_point(|&end| end <= index);
        let before = if game == 0 { 0 } else { self.ends[game - 1] };
        Place { game, ply: self.games[game].kept[index - before] as usize }
    }

    /// The plies of a game of the shard that are kept, rising.
    pub fn kept(&self, game: usize) -> &[u32] {
        &self.games[game].kept
    }

    /// A game of the shard: its number in the set, its result, and its number among those that the set was made of.
    pub fn game(&self, game: usize) -> (u64, Outcome, u64) {
        let About { number, outcome, .. } = self.games[game];
        (self.first_game + game as u64, outcome, number)
    }
}
