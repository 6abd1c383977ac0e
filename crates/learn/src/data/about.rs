//! What `data.json` says of a set.

use super::error::DataError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use tesuji_core::{AnyGame, Outcome, Rules, Side};
use tesuji_nn::file::write_atomically;

/// The version of the directory's layout and of the shards.
pub const FORMAT: u32 = 1;

/// The name of the file, which is written last.
pub const FILE: &str = "data.json";

/// The name of a shard's file.
pub fn shard_name(shard: usize) -> String {
    format!("{shard:05}.tsjd")
}

/// A set: what it is of, where it comes from, what is in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSetInfo {
    /// [`FORMAT`] when it was written.
    pub format: u32,
    /// The game's registered name.
    pub game: String,
    /// The rules in force.
    pub rules: Rules,
    /// [`AnyGame::rules_version`] at that time.
    pub rules_version: u32,
    /// The seed by which positions were kept.
    pub seed: u64,
    /// The probability with which a position was kept.
    pub keep: f64,
    /// Where the games come from, in order.
    pub sources: Vec<Source>,
    /// What was read and kept.
    pub counts: Counts,
    /// The shards, in order.
    pub shards: Vec<ShardInfo>,
}

/// Where games come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// A file's name, or who played.
    pub name: String,
    /// The file's size; 0 if it is not known.
    pub bytes: u64,
}

/// What was read and kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Games with a result whose moves are legal.
    pub games: u64,
    /// Games that were passed over, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// How the games ended: won by the first player, drawn, won by the second.
    pub outcomes: [u64; 3],
    /// Positions in which a player chose a move.
    pub positions: u64,
    /// Positions behind an end by our rules (a draw that nobody claimed): left out.
    pub beyond_end: u64,
    /// Positions that were kept.
    pub kept: u64,
    /// The kept positions by the result of their game: won by the first player, drawn, won by the second.
    pub kept_outcomes: [u64; 3],
}

/// A shard, so that another file in its place is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardInfo {
    /// Games in it.
    pub games: u64,
    /// Positions in it.
    pub samples: u64,
    /// The size of the file.
    pub bytes: u64,
    /// The checksum at the end of the file.
    pub checksum: u32,
}

impl DataSetInfo {
    /// Reads the description of a set.
    ///
    /// # Errors
    /// If there is none, it is of another version, or damaged; in one line that says what to do.
    pub fn read(directory: &Path) -> Result<DataSetInfo, DataError> {
        let path = directory.join(FILE);
        let text = fs::read_to_string(&path).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound if directory.join(shard_name(0)).exists() => {
                DataError::bad(directory, "an unfinished data set: run the command that makes it again")
            }
            io::ErrorKind::NotFound if directory.is_dir() => {
                DataError::bad(directory, format!("not a data set: no {FILE} in it; `tesuji data import` makes one"))
            }
            io::ErrorKind::NotFound => {
                DataError::bad(directory, "no such data set; `tesuji data import --out` makes one")
            }
            _ => DataError::Io { path: path.clone(), cause },
        })?;
        let format = serde_json::from_str::<serde_json::Value>(&text).ok().and_then(|value| value["format"].as_u64());
        match format {
            None => return Err(DataError::bad(&path, "damaged: no format version in it; make the set again")),
            Some(format) if format != u64::from(FORMAT) => {
                let problem = format!("format version {format}, this program reads version {FORMAT}");
                return Err(DataError::bad(&path, problem));
            }
            Some(_) => {}
        }
        let about: DataSetInfo =
            serde_json::from_str(&text).map_err(|error| DataError::bad(&path, format!("damaged: {error}")))?;
        let sum = about.shards.iter().try_fold(0_u64, |sum, shard| sum.checked_add(shard.samples));
        if sum != Some(about.counts.kept) {
            return Err(DataError::bad(&path, "damaged: the shards do not have as many positions as were kept"));
        }
        Ok(about)
    }

    /// Writes the description: now the set is whole.
    pub(super) fn write(&self, directory: &Path) -> Result<(), DataError> {
        let path = directory.join(FILE);
        let mut text = serde_json::to_string_pretty(self).expect("a description is plain data");
        text.push('\n');
        write_atomically(&path, text.as_bytes()).map_err(DataError::io(&path))
    }

    /// Checks that a set is of this game.
    ///
    /// # Errors
    /// With the first difference, in words.
    pub fn check(&self, game: &dyn AnyGame) -> Result<(), String> {
        let name = game.name();
        if self.game != name {
            return Err(format!("a data set of {}, not of {name}", tesuji_core::error::excerpt(&self.game)));
        }
        if self.rules != game.rules() {
            return Err(format!("made by the {} rules of {name}, these are the {} ones", self.rules, game.rules()));
        }
        if self.rules_version != game.rules_version() {
            let (theirs, ours) = (self.rules_version, game.rules_version());
            return Err(format!(
                "made by version {theirs} of the rules of {name}, this program has {ours}: make it again"
            ));
        }
        Ok(())
    }
}

/// The place of an outcome in counts by outcome: first player, draw, second player.
pub(super) fn place(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(Side::First) => 0,
        Outcome::Draw => 1,
        Outcome::Win(Side::Second) => 2,
    }
}

/// The outcome at a place of counts by outcome.
pub(super) fn outcome_at(place: u8) -> Option<Outcome> {
    [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)].get(usize::from(place)).copied()
}
