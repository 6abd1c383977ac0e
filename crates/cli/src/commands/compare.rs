//! `tesuji compare`: agents at equal CPU time, training cost beside it.

use super::report::writer;
use crate::common::contest;
use crate::common::files;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::ranges;
use anyhow::{Result, ensure};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use tesuji_lab::LabError;
use tesuji_lab::compare::{Comparison, compare};
use tesuji_report::{json, markdown};

/// Arguments of `tesuji compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji compare --game connect4 uct alphabeta:pure bot --at 1ms,10ms
  tesuji compare --game minishogi uct pv:net=minishogi alphabeta --at 10ms,100ms --games 40 --report best.html

A tournament for each time of --at, in which every agent may spend that much CPU time on a move; a table with ratings,
training games and CPU-hours of networks whose run is known, and after how many games training has paid for itself.
The journals are in --out: the same command resumes. Leave out limits such as sims= in the agents' lines.")]
pub struct CompareArgs {
    /// A game, see `tesuji games`
    #[arg(long)]
    game: String,
    /// The agents, see `tesuji agents`
    #[arg(num_args = 2.., required = true, value_name = "AGENT")]
    agents: Vec<String>,
    /// CPU time of a move, several by commas: 1ms,10ms,100ms
    #[arg(long, value_delimiter = ',', default_value = "10ms", value_name = "TIME", value_parser = ranges::move_time)]
    at: Vec<Duration>,
    /// Games of each pairing at each time
    #[arg(long, default_value_t = 20, value_parser = ranges::games::<usize>())]
    games: usize,
    /// Where games start: `random:N`, `even`, `varied`, or a file
    #[arg(long, value_name = "WHICH", default_value = "random:2")]
    openings: String,
    /// A game of this many plies is a draw
    #[arg(long, value_name = "N", value_parser = ranges::plies::<u32>())]
    max_plies: Option<u32>,
    /// The seed of openings and players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, default_value_t = 1, value_parser = ranges::threads::<usize>())]
    threads: usize,
    /// The directory of the journals
    #[arg(long, value_name = "DIR", default_value = "runs/compare")]
    out: PathBuf,
    /// Write the report here: .html, .md or .json; may be repeated
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &CompareArgs, common: &Common, out: &mut Output) -> Result<()> {
    for path in &args.report {
        ensure!(
            writer(path).is_some(),
            "--report {}: expected a name that ends in .html, .md or .json",
            path.display()
        );
    }
    let what = Comparison {
        game: args.game.clone(),
        rules: common.rules,
        agents: args.agents.clone(),
        at: args.at.clone(),
        games: args.games,
        openings: args.openings.clone(),
        max_plies: args.max_plies,
        seed: args.seed,
        threads: args.threads,
    };
    let stop = contest::listen_for_interrupt()?;
    let pairings = args.agents.len() * (args.agents.len() - 1) / 2;
    let mut progress = Progress::new("games", (pairings * args.at.len() * args.games) as u64);
    let made = compare(&what, &args.out, stop, &mut |done, _| progress.set(done as u64));
    drop(progress);
    let report = match made {
        Ok(report) => report,
        Err(LabError::Stopped) => {
            return out.line(&format!("stopped: the same command resumes in {}", args.out.display()));
        }
        Err(error) => return Err(error.into()),
    };
    if args.report.is_empty() {
        let text = if out.json { json::write(&report) } else { markdown(&report) };
        return out.bytes(text.as_bytes());
    }
    for path in &args.report {
        let Some(write) = writer(path) else { continue };
        files::write(path, write(&report).as_bytes())?;
        out.line(&format!("written: {}", path.display()))?;
    }
    Ok(())
}
