//! `tesuji data import`.

use super::describe;
use crate::common::contest;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use tesuji_core::{GameRecord, Place};
use tesuji_games::chess::pgn::{self, PgnError};
use tesuji_games::formats::{self, Format, FormatError, Records};
use tesuji_learn::GameKit;
use tesuji_learn::data::ordered::ordered;
use tesuji_learn::data::{Checked, Settings, Skip, Source, Writer};

/// So many broken games are listed without being asked for.
const LISTED: usize = 20;

/// Arguments of `tesuji data import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji data import CCRL-4040.pgn.zst --out data/ccrl
  tesuji data import *.pgn --out data/all --keep 0.1 --seed 7 --threads 2
  zstdcat huge.pgn.zst | tesuji data import - --out data/huge --limit 1000000
  tesuji data import match.tsjr --out data/match --keep 1

Files are read as a stream, so that their size does not matter; memory stays the same. Broken games, games without a
result and variants are skipped, counted by reason and listed with their lines. What is kept depends on the files, their
order, --keep and --seed, not on --threads. The set is written to a new directory; if the command is killed, run it
again.")]
pub struct ImportArgs {
    /// Files of games: PGN or another format of `tesuji convert`, compressed by Zstandard or not; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The directory to create
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The probability with which a position is kept
    #[arg(long, value_name = "P", default_value_t = 0.2)]
    keep: f64,
    /// The seed by which positions are kept
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after this many good games
    #[arg(long, value_name = "GAMES")]
    limit: Option<u64>,
    /// Threads that read games; all cores if it is not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// List all broken games, not the first 20 only
    #[arg(long)]
    list_broken: bool,
    /// The format of the files, if their names do not tell it (`-` is PGN)
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
}

/// Runs the subcommand.
pub fn run(args: &ImportArgs, common: &Common, out: &mut Output) -> Result<()> {
    ensure!(args.threads != Some(0), "--threads 0: at least one is needed");
    ensure!(args.limit != Some(0), "--limit 0: nothing to read");
    ensure!(args.keep > 0.0 && args.keep <= 1.0, "--keep {}: a probability above 0 and up to 1", args.keep);
    let inputs = args.files.iter().map(|file| Input::new(file, args)).collect::<Result<VecDeque<Input>>>()?;
    let game = game_of(&inputs[0], common)?;
    let kit = tesuji_registry::kit(&game, common.rules)?;
    let game = kit.game();
    let stop = contest::listen_for_interrupt()?;
    let sources = inputs.iter().map(|input| Source { name: input.name(), bytes: input.bytes }).collect();
    let names: Vec<String> = inputs.iter().map(|input| input.path.clone()).collect();
    let settings = Settings { seed: args.seed, keep: args.keep, sources };
    let mut writer = Writer::create(game.as_ref(), &args.out, settings)?;
    let read_bytes = Arc::new(AtomicU64::new(0));
    let total = inputs.iter().map(|input| input.bytes).sum::<u64>();
    let mut progress = Progress::new("MB", total / 1_000_000);
    let clock = Instant::now();
    let jobs = Jobs { inputs, rules: common.rules, current: None, file: 0, read_bytes: Arc::clone(&read_bytes) };
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let mut listed = Vec::new();
    let mut each = |games: Vec<Result<Checked, Broken>>| -> Result<ControlFlow<()>> {
        for one in games {
            match one {
                Ok(checked) => writer.add(checked)?,
                Err(broken) => {
                    writer.skip(&broken.skip);
                    if args.list_broken {
                        broken.print(&names, out)?;
                    } else if listed.len() < LISTED {
                        listed.push(broken);
                    }
                }
            }
            if Some(writer.counts().games) == args.limit {
                return Ok(ControlFlow::Break(()));
            }
        }
        if stop.load(Relaxed) {
            return Ok(ControlFlow::Break(()));
        }
        progress.set_with(read_bytes.load(Relaxed) / 1_000_000, || {
            let rate = |count: u64| count as f64 / clock.elapsed().as_secs_f64();
            let counts = writer.counts();
            format!("{:.0} games/s, {:.0} positions/s", rate(counts.games), rate(counts.positions))
        });
        Ok(ControlFlow::Continue(()))
    };
    ordered(threads, jobs, || Ok(()), |(), job| read(kit.as_ref(), job), &mut each)?;
    drop(progress);
    if contest::is_interrupted() {
        eprintln!("stopped before the end: {:?} is no data set yet; run the command again", args.out);
        return Ok(());
    }
    for broken in &listed {
        broken.print(&names, out)?;
    }
    let skipped = writer.seen() - writer.counts().games;
    if !args.list_broken && skipped > LISTED as u64 && !out.json {
        out.line(&format!("... and {} more skipped games; --list-broken lists them all", skipped - LISTED as u64))?;
    }
    ensure!(writer.counts().games > 0, "no game to learn from in {}", names.join(", "));
    let about = writer.finish()?;
    let seconds = clock.elapsed().as_secs_f64();
    describe::print(game.as_ref(), &args.out, &about, out)?;
    if !out.json {
        let rate = |count: u64| count as f64 / seconds;
        let (games, positions) = (rate(about.counts.games), rate(about.counts.positions));
        out.line(&format!("time      {seconds:.1} s: {games:.0} games/s, {positions:.0} positions/s"))?;
    }
    Ok(())
}

/// A file to be read.
struct Input {
    path: String,
    format: &'static Format,
    bytes: u64,
}

impl Input {
    fn new(path: &str, args: &ImportArgs) -> Result<Input> {
        let from = args.from.as_deref().or((path == "-").then_some("pgn"));
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
    fn name(&self) -> String {
        Path::new(&self.path).file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn is_pgn(&self) -> bool {
        self.format.name == "pgn"
    }
}

/// The game that the first file is of.
fn game_of(input: &Input, common: &Common) -> Result<String> {
    if input.is_pgn() {
        return Ok("chess".to_owned());
    }
    ensure!(input.path != "-", "only PGN is read from standard input");
    let first = formats::open(Some(input.format.name), &input.path, common.rules)?.next();
    let first = first.with_context(|| format!("{:?}: no games in it", input.path))?;
    Ok(first.with_context(|| format!("{:?}", input.path))?.game)
}

/// A game that is passed over.
struct Broken {
    file: usize,
    line: Option<u64>,
    skip: Skip,
}

impl Broken {
    fn print(&self, names: &[String], out: &mut Output) -> Result<()> {
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
enum Job {
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
struct Jobs {
    inputs: VecDeque<Input>,
    rules: tesuji_core::Rules,
    current: Option<Reading>,
    /// The number of the current file, from 1.
    file: usize,
    read_bytes: Arc<AtomicU64>,
}

impl Jobs {
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
fn read(kit: &dyn GameKit, job: Job) -> Vec<Result<Checked, Broken>> {
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
