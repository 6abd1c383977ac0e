//! `tesuji data import`.

use super::describe;
use super::jobs::{Broken, Input, Jobs, game_of, read};
use crate::common::contest;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::ranges;
use anyhow::{Result, ensure};
use clap::Args;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use tesuji_learn::data::ordered::ordered;
use tesuji_learn::data::{Checked, Settings, Source, Writer};

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
    #[arg(long, value_name = "P", default_value_t = 0.2, value_parser = ranges::keep)]
    keep: f64,
    /// The seed by which positions are kept
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stop after this many good games
    #[arg(long, value_name = "GAMES", value_parser = ranges::count::<u64>())]
    limit: Option<u64>,
    /// Threads that read games; all cores if it is not given
    #[arg(long, value_name = "N", value_parser = ranges::threads::<usize>())]
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
    let inputs =
        args.files.iter().map(|file| Input::new(file, args.from.as_deref())).collect::<Result<VecDeque<Input>>>()?;
    let game = game_of(&inputs[0], common.rules)?;
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
    let jobs = Jobs::new(inputs, common.rules, Arc::clone(&read_bytes));
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
