//! `tesuji bench cluster`: what a run would gain by workers, from what it has measured of itself.

use crate::common::output::Output;
use crate::common::ranges;
use crate::common::simulate::{Service, Simulated, simulate};
use crate::common::table::Table;
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tesuji_learn::run::ledger::{Entry, Phase};
use tesuji_learn::run::{PART, read_costs};

/// Generations that are simulated.
const GENERATIONS: u64 = 200;

/// Arguments of `tesuji bench cluster`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji bench cluster runs/c4                            with lag 0 and 1, at 1 to 1,000 workers
  tesuji bench cluster nets/minishogi --workers 8,64      from the ledger of a network that comes with the program
  tesuji bench cluster runs/c4 --settle 5ms --spread 0.5
  tesuji bench cluster runs/c4 --part 900ms               as long as a worker really takes

The run's ledger tells how long its games and its learning took; a simulation tells who would wait for whom. A worker is one
thread like those that the run was played on. docs/scale.md has what comes out, and what was measured.")]
pub struct ClusterArgs {
    /// A run's directory, with its ledger
    run: PathBuf,
    /// Numbers of workers of one thread each
    #[arg(long, value_delimiter = ',', default_value = "1,10,100,1000", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    workers: Vec<u64>,
    /// How long a worker takes to play a part, if not as long as the run's own threads did
    #[arg(long, value_name = "TIME", value_parser = ranges::time)]
    part: Option<Duration>,
    /// How long the learner takes to check, write and sync a part
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = ranges::time)]
    settle: Duration,
    /// By how much of itself the time of a part differs at most
    #[arg(long, value_name = "SHARE", default_value = "0.3", value_parser = ranges::share)]
    spread: f64,
}

/// What a run's ledger says about a generation, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measured {
    /// Parts of 32 games.
    parts: u64,
    /// Processor seconds of a part.
    play: f64,
    /// Seconds of learning: by the clock, or of processor time if that is less.
    learn: f64,
}

/// Runs the subcommand.
pub fn run(args: &ClusterArgs, out: &mut Output) -> Result<()> {
    let entries = read_costs(&args.run)?;
    let Measured { parts, play, learn } = measured(&entries).with_context(|| no_ledger(&args.run))?;
    let play = args.part.map_or(play, |part| part.as_secs_f64());
    if !out.json {
        let settle = args.settle.as_secs_f64();
        out.line(&format!(
            "{parts} parts a generation, {play:.3} s each; {learn:.3} s of learning; {settle} s to settle a part"
        ))?;
    }
    let mut table = Table::new().right(0..8);
    table.row(["workers", "lag", "seconds a generation", "speedup", "parts/s", "workers busy", "learner busy"]);
    let service = |lag| Service { parts, play, spread: args.spread, settle: args.settle.as_secs_f64(), learn, lag };
    let alone = simulate(service(0), 1, GENERATIONS).generation;
    for &workers in &args.workers {
        for lag in [0, 1] {
            let Simulated { generation, workers_busy, learner_busy } = simulate(service(lag), workers, GENERATIONS);
            let (speedup, rate) = (alone / generation, parts as f64 / generation);
            if out.json {
                out.object(&json!({
                    "workers": workers, "lag": lag, "seconds": generation, "speedup": speedup, "parts_per_second": rate,
                    "workers_busy": workers_busy, "learner_busy": learner_busy,
                }))?;
                continue;
            }
            table.row([
                workers.to_string(),
                lag.to_string(),
                format!("{generation:.2}"),
                format!("{speedup:.1}"),
                format!("{rate:.2}"),
                format!("{:.0}%", 100.0 * workers_busy),
                format!("{:.0}%", 100.0 * learner_busy),
            ]);
        }
    }
    if out.json { Ok(()) } else { out.bytes(table.text().as_bytes()) }
}

fn no_ledger(run: &Path) -> String {
    format!("{}: no ledger (costs.jsonl) of a finished generation with games; name a run's directory", run.display())
}

/// The means over the generations that were played and learned from.
fn measured(entries: &[Entry]) -> Result<Measured> {
    let of = |phases: &'static [Phase]| entries.iter().filter(move |entry| phases.contains(&entry.phase));
    let games: u64 = of(&[Phase::SelfPlay]).map(|entry| entry.games).sum();
    let generations = of(&[Phase::Training]).count() as u64;
    ensure!(games > 0 && generations > 0, "nothing was played, or nothing was learned");
    let playing: f64 = of(&[Phase::SelfPlay, Phase::Inference, Phase::MateSearch]).map(|entry| entry.cpu).sum();
    // The clock of a machine that did other things meanwhile goes on beyond the work.
    let learning: f64 = of(&[Phase::Training]).map(|entry| entry.wall.min(entry.cpu)).sum();
    let parts = (games as f64 / generations as f64 / PART as f64).round().max(1.0) as u64;
    Ok(Measured { parts, play: playing * PART as f64 / games as f64, learn: learning / generations as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_tells_how_long_parts_and_learning_take() {
        let mut entries = Vec::new();
        for generation in 1..=2 {
            let mut play = Entry::new(generation, Phase::SelfPlay);
            (play.games, play.cpu, play.wall) = (96, 20.0, 99.0);
            let mut inference = Entry::new(generation, Phase::Inference);
            inference.cpu = 40.0;
            let mut training = Entry::new(generation, Phase::Training);
            (training.wall, training.cpu) = if generation == 1 { (7.0, 14.0) } else { (20.0, 7.0) };
            entries.extend([play, inference, training, Entry::new(generation, Phase::Measuring)]);
        }
        assert_eq!(measured(&entries).unwrap(), Measured { parts: 3, play: 20.0, learn: 7.0 });
        assert!(measured(&[]).is_err());
    }
}
