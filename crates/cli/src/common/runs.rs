//! Where runs are.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The runs in a directory, by name; none if there is no such directory.
pub fn directories(root: &Path) -> Result<Vec<PathBuf>> {
    if !root.exists() {
        return Ok(Vec::new());
    }
    let mut runs = Vec::new();
    for entry in fs::read_dir(root).with_context(|| format!("cannot read {root:?}"))? {
        let path = entry?.path();
        // Either of them can be had from the other.
        if ["experiment.toml", "manifest.json"].iter().any(|name| path.join(name).exists()) {
            runs.push(path);
        }
    }
    runs.sort();
    Ok(runs)
}
