//! The manifest of a run: what its files must be, if they are there.
//!
//! It is written *before* the files that it speaks of. So a run that is killed in between has a manifest that knows a
//! file which is not there yet, and that is made again; it never has a file of its own that the manifest does not know.
//! A file that is replaced (the events) has two sums: the one that it will have and the one that it had.
//!
//! The sums find accidents: a bad byte, a file of another run, an edited experiment. They do not keep out somebody who
//! means it, who would write a manifest that fits.

use super::checkpoint::Checkpoint;
use super::error::RunError;
use super::files;
use super::layout::{self, MANIFEST, RunInfo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use tesuji_nn::file::{write_atomically, write_soon};

/// Length and FNV-1a hash of some bytes.
///
/// A CRC would not do: each game record ends with its own, so that the CRC of a file of valid records depends on their
/// lengths alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sum(u64, u64);

impl Sum {
    /// The sum of bytes.
    pub(super) fn of(bytes: &[u8]) -> Sum {
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Sum(bytes.len() as u64, bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// The sum of a network, whether or not the optimiser's state is still with it.
    pub(super) fn of_network(file: &Checkpoint) -> Sum {
        Sum::of(&file.without_state().to_bytes())
    }
}

/// What the files of a run must be, if they are there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// The whole experiment, as it stands in its file.
    pub(super) experiment: Option<String>,
    /// What the run was made with.
    pub(super) run: Option<RunInfo>,
    /// The events: as they are to be, and without the latest one.
    pub(super) events: Option<[Sum; 2]>,
    /// The networks by generation, see [`Sum::of_network`].
    pub(super) networks: BTreeMap<u64, Sum>,
    /// The parts of records by name.
    pub(super) records: BTreeMap<String, Sum>,
}

/// The manifest's own file: a bad byte in a sum would condemn a good file.
#[derive(Serialize, Deserialize)]
struct Sealed {
    crc32: u32,
    manifest: Manifest,
}

impl Manifest {
    /// Reads the manifest of a run: `None` if there is none; the inner error if it is damaged.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn read(root: &Path) -> Result<Option<Result<Manifest, String>>, RunError> {
        let Some(bytes) = files::read(&root.join(MANIFEST))? else { return Ok(None) };
        let read = serde_json::from_slice(&bytes).map_err(|error| error.to_string());
        Ok(Some(read.and_then(
            |Sealed { crc32, manifest }| {
                if manifest.crc32() == crc32 { Ok(manifest) } else { Err("wrong checksum".to_owned()) }
            },
        )))
    }

    /// Writes it.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn write(&self, root: &Path) -> Result<(), RunError> {
        self.write_by(root, write_atomically)
    }

    /// Writes it without waiting for the disk: if it is lost in a power cut, the manifest is made anew from the files.
    ///
    /// # Errors
    /// If the file system refuses.
    pub(super) fn write_soon(&self, root: &Path) -> Result<(), RunError> {
        self.write_by(root, write_soon)
    }

    fn write_by(&self, root: &Path, write: fn(&Path, &[u8]) -> std::io::Result<()>) -> Result<(), RunError> {
        let path = root.join(MANIFEST);
        let sealed = Sealed { crc32: self.crc32(), manifest: self.clone() };
        let text = serde_json::to_string(&sealed).expect("plain data") + "\n";
        write(&path, text.as_bytes()).map_err(RunError::io(&path))
    }

    fn crc32(&self) -> u32 {
        crc32fast::hash(serde_json::to_string(self).expect("plain data").as_bytes())
    }

    /// Notes events that are about to be written.
    pub(super) fn set_events(&mut self, lines: &[u8]) {
        let latest = lines.strip_suffix(b"\n").unwrap_or(lines);
        let before = latest.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        self.events = Some([Sum::of(lines), Sum::of(&lines[..before])]);
    }

    /// Whether these are the events of the run.
    pub(super) fn has_events(&self, lines: &[u8]) -> bool {
        let sum = Sum::of(lines);
        self.events.map_or(lines.is_empty(), |sums| sums.contains(&sum))
    }

    /// Forgets the parts of records of generations before this one.
    pub(super) fn forget_records(&mut self, before: u64) {
        self.records.retain(|name, _| layout::part_generation(name).is_some_and(|generation| generation >= before));
    }

    /// The oldest generation whose records it knows.
    pub(super) fn oldest_records(&self) -> Option<u64> {
        self.records.keys().filter_map(|name| layout::part_generation(name)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_may_lack_the_latest_line_only() {
        let mut manifest = Manifest::default();
        assert!(manifest.has_events(b"") && !manifest.has_events(b"one\n"));
        manifest.set_events(b"one\n");
        assert!(manifest.has_events(b"one\n") && manifest.has_events(b""));
        manifest.set_events(b"one\ntwo\n");
        assert!(manifest.has_events(b"one\ntwo\n") && manifest.has_events(b"one\n"));
        assert!(!manifest.has_events(b"") && !manifest.has_events(b"one\nfoo\n"));
    }

    #[test]
    fn the_sum_is_fnv_1a() {
        assert_eq!(Sum::of(b"foobar"), Sum(6, 0x8594_4171_f739_67e8));
    }

    #[test]
    fn records_of_equal_length_have_other_sums() {
        let sealed = |text: &[u8]| [text, &crc32fast::hash(text).to_le_bytes()].concat();
        let (one, other) = (sealed(b"a game"), sealed(b"a_game"));
        assert_eq!(crc32fast::hash(&one), crc32fast::hash(&other));
        assert_ne!(Sum::of(&one), Sum::of(&other));
    }

    #[test]
    fn every_bad_byte_of_a_manifest_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let mut manifest = Manifest { experiment: Some("game = \"chess\"\n".to_owned()), ..Manifest::default() };
        manifest.networks.insert(7, Sum::of(b"seven"));
        manifest.records.insert(layout::part_name(7, 0), Sum::of(b"games"));
        manifest.set_events(b"one\ntwo\n");
        manifest.write(directory.path()).unwrap();
        assert_eq!(Manifest::read(directory.path()).unwrap(), Some(Ok(manifest.clone())));
        let path = directory.path().join(MANIFEST);
        let good = std::fs::read(&path).unwrap();
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 1;
            std::fs::write(&path, bad).unwrap();
            let read = Manifest::read(directory.path()).unwrap().unwrap();
            assert!(read.is_err() || read == Ok(manifest.clone()), "byte {place}");
        }
    }
}
