//! The journal of a match: a line for what is played, then a line for each finished game (JSON).
//!
//! Lines are appended and synced one by one, so a match may be killed at any moment: a half-written last line is
//! dropped, and the next start goes on. The file is locked while a match writes to it. Nothing is written before the
//! first line has shown that the file is the journal of this very match.

use crate::entry::{GameResult, MatchSpec};
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// No line of ours is longer: a foreign file without line ends must not fill our memory.
const LONGEST_LINE: u64 = 1 << 28;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("cannot use the journal {path}: {error}")]
    File {
        /// The journal.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// Another match writes to it.
    #[error("another match writes to the journal {path}; wait until it ends, or give another file")]
    Locked {
        /// The journal.
        path: PathBuf,
    },
    /// The file is there, but is not a journal.
    #[error("{path}, line {line}: not a match journal: {problem}")]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The bad line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The journal belongs to a match under other conditions.
    #[error("{path} is the journal of another match ({difference}); give another file, or the same conditions")]
    OtherMatch {
        /// The journal.
        path: PathBuf,
        /// The first condition that differs.
        difference: String,
    },
}

/// An open journal, locked until it is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    results: Vec<GameResult>,
}

impl Journal {
    /// Opens the journal of a match, or begins it.
    ///
    /// # Errors
    /// If the file cannot be used, another match writes to it, it is damaged before its last line, or it belongs to
    /// another match; it is then as it was.
    pub fn open(path: &Path, spec: &MatchSpec) -> Result<Journal, JournalError> {
        let wrong = |error| JournalError::File { path: path.to_owned(), error };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(wrong)?;
        if !file.metadata().map_err(wrong)?.is_file() {
            return Err(wrong(io::Error::other("not a plain file")));
        }
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::Locked { path: path.to_owned() },
            TryLockError::Error(error) => wrong(error),
        })?;
        let mut results = Vec::new();
        let mut good = 0;
        let mut reader = BufReader::new(&mut file);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(wrong)?;
            let damaged = |problem: String| JournalError::Damaged { path: path.to_owned(), line: number, problem };
            if !line.ends_with(b"\n") {
                // The end, or a line that was being written when the match was killed. A first line that would not
                // have become ours is somebody else's file.
                if number == 1 && !to_line(spec).map_err(wrong)?.starts_with(&line) {
                    return Err(damaged("its first line is not that of a journal".to_owned()));
                }
                break;
            }
            if number == 1 {
                let found: MatchSpec = from_line(&line).map_err(damaged)?;
                if found != *spec {
                    return Err(JournalError::OtherMatch { path: path.to_owned(), difference: differs(&found, spec) });
                }
            } else {
                results.push(from_line(&line).map_err(damaged)?);
            }
            good += length as u64;
        }
        file.set_len(good).and_then(|()| file.seek(SeekFrom::End(0))).map_err(wrong)?;
        let mut journal = Journal { path: path.to_owned(), file, results };
        if good == 0 {
            journal.write_line(spec)?;
        }
        Ok(journal)
    }

    /// The games that it holds.
    pub fn results(&self) -> &[GameResult] {
        &self.results
    }

    /// Adds a finished game and waits until it is on the disk.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, result: &GameResult) -> Result<(), JournalError> {
        self.write_line(result)?;
        self.results.push(result.clone());
        Ok(())
    }

    fn write_line(&mut self, item: &impl serde::Serialize) -> Result<(), JournalError> {
        let written = to_line(item).and_then(|line| {
            self.file.write_all(&line)?;
            self.file.sync_data()
        });
        written.map_err(|error| JournalError::File { path: self.path.clone(), error })
    }
}

/// An entry as it stands in the file.
fn to_line(item: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(item)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads an entry; bytes that are no text are a problem like any other.
fn from_line<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

/// The first condition in which two matches differ.
fn differs(found: &MatchSpec, wanted: &MatchSpec) -> String {
    let fields = |spec: &MatchSpec| match serde_json::to_value(spec) {
        Ok(serde_json::Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (found, wanted) = (fields(found), fields(wanted));
    let different = found.iter().find(|(name, value)| wanted.get(*name) != Some(value));
    different.map_or_else(
        || "its form is another".to_owned(),
        |(name, value)| format!("{name} was {value}, now {}", wanted.get(name).unwrap_or(&serde_json::Value::Null)),
    )
}
