//! `tesuji worker`: plays games for a run whose learner is another process.

use crate::common::cluster::{Place, Role};
use crate::common::contest;
use crate::common::output::Output;
use crate::common::ranges;
use anyhow::{Result, anyhow, ensure};
use clap::Args;
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tesuji_learn::cluster::unit::{LEARNER, is_name, to_name};
use tesuji_learn::cluster::{WorkerOptions, work};

/// Arguments of `tesuji worker`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji worker dir:/shared/c4                    play for whatever runs have their learner there, until Ctrl-C
  tesuji worker dir:/shared/c4 --threads 16       on one machine of many
  tesuji worker dir:/shared/c4 --idle 30m         end when there has been nothing to do for half an hour

The learner is `tesuji train EXPERIMENT --workers dir:/shared/c4`. Workers come and go as they like: what a killed one had
taken is made by others, and the run's files are the same, byte for byte. A worker plays and does nothing else: it starts
no program that the work names, unless --allow-engines lets it. One that cannot compute the same numbers (another instruction set, another version) says
so and ends with exit code 2. See docs/cluster.md.")]
pub struct WorkerArgs {
    /// Where the learner is: dir:PATH, a directory that all processes see, or nats://HOST:PORT
    place: Place,
    /// Threads [default: all cores]
    #[arg(long, value_parser = ranges::threads::<usize>())]
    threads: Option<usize>,
    /// The worker's name, which no other worker has [default: made of host, process and time]
    #[arg(long)]
    name: Option<String>,
    /// End after so long without work
    #[arg(long, value_name = "TIME", value_parser = ranges::time)]
    idle: Option<Duration>,
    /// End as soon as there is no work
    #[arg(long, conflicts_with = "idle")]
    once: bool,
    /// Start programs that the work names (`engine:COMMAND`), with all your rights; see docs/security.md
    #[arg(long)]
    allow_engines: bool,
}

/// Runs the subcommand.
pub fn run(args: &WorkerArgs, out: &mut Output) -> Result<()> {
    let name = args.name.clone().unwrap_or_else(default_name);
    ensure!(
        is_name(&name) && name != LEARNER,
        "--name {name:?}: expected at most 100 letters, digits, - and _, and not {LEARNER:?}"
    );
    let transport = args.place.open(Role::Worker)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let idle = if args.once { Some(Duration::ZERO) } else { args.idle };
    let options = WorkerOptions { name, threads: args.threads.unwrap_or(cores), idle, engines: args.allow_engines };
    let stop = contest::listen_for_interrupt()?;
    let kits = |game: &str, rules| tesuji_registry::kit(game, rules).map_err(|error| error.to_string());
    let mut say = |line: String| eprintln!("{line}");
    say(format!("worker {}, {} threads", options.name, options.threads));
    let report = work(transport.as_ref(), &options, &kits, stop, &mut say).map_err(|problem| anyhow!(problem))?;
    if out.json {
        return out.object(&json!(report));
    }
    let rate = report.rate();
    out.line(&format!("{} parts, {} games, {} positions ({rate:.0}/s)", report.parts, report.games, report.positions))
}

/// A name that no other worker has.
fn default_name() -> String {
    let from_system = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let host = from_system().or_else(|| std::env::var("HOSTNAME").ok()).or_else(|| std::env::var("COMPUTERNAME").ok());
    let host = to_name(host.as_deref().unwrap_or("host").trim());
    // Process numbers come again, most of all in containers.
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    format!("{host}-{}-{:x}", std::process::id(), time & 0xff_ffff)
}
