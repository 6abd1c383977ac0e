//! Small files that say what was under way: written whole or not at all.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// No file of ours is longer.
const LONGEST: u64 = 1 << 20;

/// Writes a value as JSON to a temporary name, syncs it and renames it.
///
/// # Errors
/// If the file system refuses.
pub fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let bytes = serde_json::to_vec_pretty(value)?;
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    if let Some(directory) = path.parent() {
        // Not every file system can sync a directory.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    Ok(())
}

/// Reads such a file; none if it is not there or is none of ours.
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Makes a directory `NAME`, `NAME-2`, `NAME-3` ... that nobody has, also when two ask at once; gives its name.
///
/// # Errors
/// If the file system refuses.
pub fn take_free(parent: &Path, name: &str) -> io::Result<String> {
    fs::create_dir_all(parent)?;
    for number in 1..100_000_u32 {
        let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        match fs::create_dir(parent.join(&name)) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many directories of this name"))
}
