//! What of a run stays on disk.

use super::checkpoint::Checkpoint;
use super::directory::RunDir;
use super::error::RunError;
use crate::ranges::{KeyRanges, whole};
use serde::{Deserialize, Serialize};
use std::fs;

/// What is kept on disk: the section `[keep]` of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keep {
    /// Every so many generations a network is kept for good; 0 for none but the latest two.
    pub networks_every: u64,
    /// Keep records that have left the window.
    pub old_records: bool,
}

impl Default for Keep {
    fn default() -> Keep {
        Keep { networks_every: 5, old_records: false }
    }
}

impl Keep {
    /// The ranges of its numbers.
    pub fn ranges() -> KeyRanges {
        vec![("networks_every", whole(0..=1_000_000_000))]
    }

    /// Whether a generation's network stays for good.
    pub(super) fn keeps(&self, generation: u64) -> bool {
        generation == 0 || self.networks_every > 0 && generation.is_multiple_of(self.networks_every)
    }

    /// The oldest generation whose records stay behind this one, if older ones go; `oldest` is the oldest that was
    /// learned from before it, so that a damaged newest network costs one generation.
    pub(super) fn oldest_records(&self, generation: u64, oldest: Option<u64>) -> Option<u64> {
        oldest.filter(|_| !self.old_records).map(|oldest| oldest.min(generation.saturating_sub(1)))
    }

    /// Whether a network is one of the latest two, or plays behind them: those stay whole, so that a damaged newest one
    /// costs one generation.
    pub(super) fn is_recent(old: u64, generation: u64, lag: u64) -> bool {
        old + 1 + lag >= generation
    }

    /// Removes what is not kept: records, optimiser states and networks of the past, those of generations before `since`
    /// and recent ones apart.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn prune(&self, directory: &RunDir, (generation, lag): (u64, u64), since: u64) -> Result<(), RunError> {
        directory.prune_records()?;
        for old in directory.networks()? {
            if old < since || Keep::is_recent(old, generation, lag) {
                continue;
            }
            let path = directory.network_path(old);
            if !self.keeps(old) {
                fs::remove_file(&path).map_err(RunError::io(&path))?;
            } else if let Ok(mut file) = Checkpoint::load(&path)
                && !file.state().is_empty()
            {
                file.state_mut().clear();
                file.save(&path)?;
            }
        }
        Ok(())
    }
}
