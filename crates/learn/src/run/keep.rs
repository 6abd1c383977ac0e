//! What of a run stays on disk.

use super::directory::RunDir;
use super::error::RunError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use tesuji_nn::NetworkFile;

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
    /// Removes what is not kept: records of generations before `oldest`, optimiser states and networks of the past, those
    /// of generations before `since` apart. The latest two generations always stay whole, so that a damaged newest one
    /// costs one generation.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn prune(
        &self,
        directory: &RunDir,
        generation: u64,
        since: u64,
        oldest: Option<u64>,
    ) -> Result<(), RunError> {
        if !self.old_records
            && let Some(oldest) = oldest
        {
            // The generation before the newest may have to be learned again.
            directory.prune_records(oldest.min(generation.saturating_sub(1)))?;
        }
        for old in directory.networks()? {
            if old < since || old + 1 >= generation {
                continue;
            }
            let path = directory.network_path(old);
            let kept = old == 0 || self.networks_every > 0 && old.is_multiple_of(self.networks_every);
            if !kept {
                fs::remove_file(&path).map_err(RunError::io(&path))?;
            } else if let Ok(file) = NetworkFile::load(&path)
                && !file.state.is_empty()
            {
                NetworkFile { state: BTreeMap::new(), ..file }.save(&path)?;
            }
        }
        Ok(())
    }
}
