//! The journal of a match: a line for what is played, then a line for each finished game (JSON).
//!
//! Lines are appended and synced one by one, so a match may be killed at any moment: a half-written last line is
//! dropped, and the next start goes on.

use crate::entry::{GameResult, MatchSpec};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

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

/// An open journal.
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
    /// If the file cannot be used, is damaged before its last line, or belongs to another match.
    pub fn open(path: &Path, spec: &MatchSpec) -> Result<Journal, JournalError> {
        let wrong = |error| JournalError::File { path: path.to_owned(), error };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(wrong)?;
        let mut results = Vec::new();
        let mut good = 0;
        let mut reader = BufReader::new(&mut file);
        let mut line = String::new();
        for number in 1.. {
            line.clear();
            let length = reader.read_line(&mut line).map_err(wrong)?;
            if !line.ends_with('\n') {
                // The end, or a line that was being written when the match was killed.
                break;
            }
            let damaged = |problem: serde_json::Error| JournalError::Damaged {
                path: path.to_owned(),
                line: number,
                problem: problem.to_string(),
            };
            if number == 1 {
                let found: MatchSpec = serde_json::from_str(&line).map_err(damaged)?;
                if found != *spec {
                    return Err(JournalError::OtherMatch { path: path.to_owned(), difference: differs(&found, spec) });
                }
            } else {
                results.push(serde_json::from_str(&line).map_err(damaged)?);
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
        let write = |file: &mut File| {
            let mut line = serde_json::to_string(item)?;
            line.push('\n');
            file.write_all(line.as_bytes())?;
            file.sync_data()
        };
        write(&mut self.file).map_err(|error| JournalError::File { path: self.path.clone(), error })
    }
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
