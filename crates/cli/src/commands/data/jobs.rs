//! The files of `tesuji data import`, cut into jobs for threads.

use crate::common::output::Output;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tesuji_core::{GameRecord, Place, Rules};
use tesuji_games::chess::pgn::{self, PgnError};
use tesuji_games::formats::{self, Format, FormatError, Records};
use tesuji_learn::GameKit;
use tesuji_learn::data::{Checked, Skip};

/// A file to be read.
pub struct Input {
    /// Its name, or `-`.
    pub path: String,
    format: &'static Format,
    /// Its size; 0 if unknown.
    pub bytes: u64,
}

impl Input {
    /// A file in the format that is named, or that its name tells.
    pub fn new(path: &str, from: Option<&str>) -> Result<Input> {
        let from = from.or((path == "-").then_some("pgn"));
        let format = Format::choose(from, path)?;
        ensure!(format.holds_moves, "{path:?}: a {} file holds no moves", format.name);
        let bytes = if path == "-" {
            0
        } else {
            let metadata = File::open(path).and_then(|file| file.metadata());
            let metadata = metadata.with_context(|| format!("cannot open {path:?}"))?;
            ensure!(!metadata.is_dir(), "{path:?} is a directory; name the files in it");
            metadata.len()
        };
        Ok(Input { path: path.to_owned(), format, bytes })
    }

    /// The name without the way to it: the set is the same wherever the file lay.
    pub fn name(&self) -> String {
        Path::new(&self.path).file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn is_pgn(&self) -> bool {
        self.format.name == "pgn"
    }
}

/// The game that the first file is of.
pub fn game_of(input: &Input, rules: Rules) -> Result<String> {
    if input.is_pgn() {
        return Ok("chess".to_owned());
    }
    ensure!(input.path != "-", "only PGN is read from standard input");
    let first = formats::open(Some(input.format.name), &input.path, rules)?.next();
    let first = first.with_context(|| format!("{:?}: no games in it", input.path))?;
    Ok(first.with_context(|| format!("{:?}", input.path))?.game)
}

/// A game that is passed over.
pub struct Broken {
    file: usize,
    line: Option<u64>,
    /// Why.
    pub skip: Skip,
}

impl Broken {
    /// Says so in a line.
    pub fn print(&self, names: &[String], out: &mut Output) -> Result<()> {
        let (name, Skip { reason, detail }) = (&names[self.file], &self.skip);
        if out.json {
            return out.object(&json!({ "skipped": detail, "reason": reason, "file": name, "line": self.line }));
        }
        let line = self.line.map(|line| format!(" line {line}")).unwrap_or_default();
        // Details quote the file, which may contain anything.
        let detail: String = detail.chars().filter(|character| !character.is_control()).collect();
        out.line(&format!("skipped: {name}{line}: {detail}"))
    }
}

/// Something to be read by one thread.
pub enum Job {
    /// Text of games.
    Text { file: usize, part: pgn::Part },
    /// A game, or why there is none.
    Record { file: usize, record: Box<Result<GameRecord, FormatError>> },
    /// The rest of a file cannot be read.
    Failure { file: usize, line: u64, error: io::Error },
}

/// What is being read.
enum Reading {
    Text(pgn::Splitter<Box<dyn Read + Send>>),
    Records(Records),
}

/// The files, cut into jobs one after the other.
pub struct Jobs {
    inputs: VecDeque<Input>,
    rules: Rules,
    current: Option<Reading>,
    /// The number of the current file, from 1.
    file: usize,
    read_bytes: Arc<AtomicU64>,
}

impl Jobs {
    /// The jobs of these files; counts the bytes that were read.
    pub fn new(inputs: VecDeque<Input>, rules: Rules, read_bytes: Arc<AtomicU64>) -> Jobs {
        Jobs { inputs, rules, current: None, file: 0, read_bytes }
    }

    fn open(&self, input: &Input) -> Result<Reading, FormatError> {
        if !input.is_pgn() {
            self.read_bytes.fetch_add(input.bytes, Relaxed);
            return Ok(Reading::Records(formats::open(Some(input.format.name), &input.path, self.rules)?));
        }
        let source: Box<dyn Read + Send> =
            if input.path == "-" { Box::new(io::stdin()) } else { Box::new(File::open(&input.path)?) };
        let counted = Counted { source, read: Arc::clone(&self.read_bytes) };
        Ok(Reading::Text(pgn::Splitter::new(pgn::decompressed(counted)?)))
    }
}

impl Iterator for Jobs {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        loop {
            if self.current.is_none() {
                let input = self.inputs.pop_front()?;
                self.file += 1;
                match self.open(&input) {
                    Ok(reading) => self.current = Some(reading),
                    Err(error) => return Some(Job::Record { file: self.file - 1, record: Box::new(Err(error)) }),
                }
            }
            let file = self.file - 1;
            let job = match self.current.as_mut()? {
                Reading::Text(parts) => parts.next().map(|part| match part {
                    Ok(part) => Job::Text { file, part },
                    Err(error) => Job::Failure { file, line: parts.line(), error },
                }),
                Reading::Records(records) => {
                    records.next().map(|record| Job::Record { file, record: Box::new(record) })
                }
            };
            match job {
                Some(job) => return Some(job),
                None => self.current = None,
            }
        }
    }
}

/// A source that tells how much of it was read.
struct Counted<R> {
    source: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(buffer)?;
        self.read.fetch_add(length as u64, Relaxed);
        Ok(length)
    }
}

/// The games of a job.
pub fn read(kit: &dyn GameKit, job: Job) -> Vec<Result<Checked, Broken>> {
    match job {
        Job::Failure { file, line, error } => {
            let detail = format!("the rest of the file cannot be read: {error}");
            vec![Err(Broken { file, line: Some(line), skip: Skip { reason: "unreadable rest of a file", detail } })]
        }
        Job::Record { file, record } => {
            let checked = match *record {
                Ok(record) => kit.check_record(&record),
                Err(error) => Err(Skip { reason: "malformed", detail: format!("{error:#}") }),
            };
            vec![checked.map_err(|skip| Broken { file, line: None, skip })]
        }
        Job::Text { file, part } => part.games().flat_map(|text| read_text(kit, file, text)).collect(),
    }
}

/// The games in a piece of PGN: usually one.
fn read_text(kit: &dyn GameKit, file: usize, text: pgn::GameText<'_>) -> Vec<Result<Checked, Broken>> {
    if text.is_too_long {
        let detail = format!("a game of more than {} bytes", pgn::LONGEST_GAME);
        return vec![Err(Broken { file, line: Some(text.line), skip: Skip { reason: "too long", detail } })];
    }
    let rules = kit.game().rules();
    let checked = |read: Result<GameRecord, PgnError>| match read {
        Ok(mut record) => {
            // PGN does not know of our sets of rules.
            record.rules = rules;
            kit.check_record(&record).map_err(|skip| Broken { file, line: Some(text.line), skip })
        }
        Err(PgnError::Broken { reason, error }) => {
            let line = match error.place() {
                Some(Place::Line(line)) => line as u64,
                _ => text.line,
            };
            Err(Broken { file, line: Some(line), skip: Skip { reason, detail: error.problem().to_owned() } })
        }
        Err(PgnError::Io { line, error }) => {
            let skip = Skip { reason: "malformed", detail: error.to_string() };
            Err(Broken { file, line: Some(line), skip })
        }
    };
    pgn::Reader::at_line(text.text, text.line).map(checked).collect()
}
