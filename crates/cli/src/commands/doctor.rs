//! `tesuji doctor`: what this machine can do, and what is missing for which feature.

use crate::common::output::Output;
use crate::common::table::Table;
use anyhow::{Result, anyhow, ensure};
use clap::Args;
use cpu_time::ThreadTime;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs, thread};
use tesuji_core::Rules;
use tesuji_learn::networks::{self, BuiltIn, Place};
use tesuji_nn::{ConvMethod, Isa, KernelPath, Model, Worker};

/// Arguments of `tesuji doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Engines are optional: they are opponents of known strength and sources of games. Nothing else is looked for
outside the program.

Examples:
  tesuji doctor            everything, two seconds
  tesuji doctor --quick    without measuring speed
  tesuji doctor --json     the same as one object")]
pub struct DoctorArgs {
    /// Do not measure speed
    #[arg(long)]
    quick: bool,
}

/// A foreign engine that some feature wants.
struct KnownEngine {
    command: &'static str,
    /// Debian's package.
    package: &'static str,
    wanted_for: &'static str,
}

/// The engines that our documents name.
const ENGINES: [KnownEngine; 4] = [
    KnownEngine {
        command: "stockfish",
        package: "stockfish",
        wanted_for: "chess: `tesuji elo`, `tesuji data generate`",
    },
    KnownEngine {
        command: "fairy-stockfish",
        package: "fairy-stockfish",
        wanted_for: "chess, shogi, minishogi: an opponent with skill levels",
    },
    KnownEngine { command: "gnushogi", package: "gnushogi", wanted_for: "shogi: an opponent" },
    KnownEngine { command: "gnuminishogi", package: "gnuminishogi", wanted_for: "minishogi: an opponent" },
];

/// Where Debian puts engines, which is not on every PATH.
const GAMES_FOLDER: &str = "/usr/games";

/// What was found.
#[derive(Serialize)]
struct Findings {
    version: &'static str,
    machine: Machine,
    networks: Vec<NetworkFound>,
    runs: Folder,
    engines: Vec<EngineFound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<Speed>,
}

#[derive(Serialize)]
struct Machine {
    processor: Option<String>,
    cores: usize,
    memory_bytes: Option<u64>,
    available_bytes: Option<u64>,
    /// The instruction set that networks will use.
    kernels: Isa,
}

#[derive(Serialize)]
struct NetworkFound {
    name: &'static str,
    kind: &'static str,
    game: String,
}

#[derive(Serialize)]
struct Folder {
    path: PathBuf,
    exists: bool,
    writable: bool,
}

#[derive(Serialize)]
struct EngineFound {
    command: &'static str,
    path: Option<PathBuf>,
    wanted_for: &'static str,
    install: String,
}

/// Rates of one core, by processor time.
#[derive(Serialize)]
struct Speed {
    /// Move paths of shogi a second, counting the last ply.
    shogi_perft: f64,
    /// Positions a second that the minishogi network evaluates, 32 at a time.
    minishogi_network: f64,
}

/// Runs the subcommand.
pub fn run(args: &DoctorArgs, out: &mut Output) -> Result<()> {
    let findings = Findings {
        version: env!("CARGO_PKG_VERSION"),
        machine: machine(),
        networks: shipped_networks()?,
        runs: folder(Path::new("runs")),
        engines: ENGINES.iter().map(find_engine).collect(),
        speed: if args.quick { None } else { Some(speed()?) },
    };
    if out.json { out.object(&findings) } else { print(&findings, out) }
}

fn machine() -> Machine {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = |key: &str| {
        let line = memory.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim_start_matches(':').trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    };
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    Machine {
        processor: processor.map(|(_, name)| name.trim().to_owned()),
        cores: thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: kilobytes("MemTotal").map(|count| count * 1024),
        available_bytes: kilobytes("MemAvailable").map(|count| count * 1024),
        kernels: Isa::best(),
    }
}

/// The networks that come with the program, each read and checked.
fn shipped_networks() -> Result<Vec<NetworkFound>> {
    let look = |network: &BuiltIn| -> Result<NetworkFound> {
        Place::BuiltIn(network.name).checkpoint().map_err(|problem| anyhow!(problem))?;
        let kind = if network.is_integer { "integers" } else { "floats" };
        Ok(NetworkFound { name: network.name, kind, game: network.game.clone() })
    };
    networks::shipped().iter().map(look).collect()
}

/// Whether a run could be made in a folder, by making a file in it or, if it is missing, in the one above.
fn folder(path: &Path) -> Folder {
    let exists = path.is_dir();
    let probe = if exists { path } else { Path::new(".") }.join(format!(".tesuji-doctor-{}", std::process::id()));
    let writable = fs::File::create_new(&probe).is_ok();
    if writable {
        // It was empty and ours; if it stays, nothing is lost.
        let _ = fs::remove_file(&probe);
    }
    Folder { path: path.to_owned(), exists, writable }
}

fn find_engine(engine: &KnownEngine) -> EngineFound {
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&folders).chain([PathBuf::from(GAMES_FOLDER)]);
    EngineFound {
        command: engine.command,
        path: places.find_map(|place| Some(place.join(engine.command)).filter(|path| path.is_file())),
        wanted_for: engine.wanted_for,
        install: format!("apt-get install {}", engine.package),
    }
}

fn speed() -> Result<Speed> {
    let shogi = tesuji_games::game("shogi", Rules::Official)?;
    let mut rate = 0.0;
    // The first count that takes long enough to mean something.
    for depth in 3..=5 {
        let start = ThreadTime::now();
        let nodes = shogi.start().perft(depth, true);
        let seconds = start.elapsed().as_secs_f64();
        rate = nodes as f64 / seconds.max(1e-9);
        if seconds > 0.2 {
            break;
        }
    }
    ensure!(rate > 0.0, "counting moves took no time");
    Ok(Speed { shogi_perft: rate, minishogi_network: network_rate()? })
}

fn network_rate() -> Result<f64> {
    const BATCH: usize = 32;
    let file = Place::BuiltIn("minishogi").read().map_err(|problem| anyhow!(problem))?;
    let graph = file.about.spec.graph()?;
    let path = KernelPath { isa: Isa::best(), method: ConvMethod::ALL[0] };
    let mut worker = Worker::new(Arc::new(Model::new(&graph, &file.weights, path)));
    let inputs = vec![0.5; BATCH * graph.input().len()];
    worker.run(&inputs);
    let (start, mut batches) = (ThreadTime::now(), 0);
    while start.elapsed().as_secs_f64() < 0.3 {
        worker.run(&inputs);
        batches += 1;
    }
    Ok((batches * BATCH) as f64 / start.elapsed().as_secs_f64())
}

fn print(findings: &Findings, out: &mut Output) -> Result<()> {
    let Findings { version, machine, networks, runs, engines, speed } = findings;
    let gigabytes =
        |bytes: Option<u64>| bytes.map_or("unknown".to_owned(), |bytes| format!("{:.1} GB", bytes as f64 / 1e9));
    let mut table = Table::new();
    table.row(["program".to_owned(), format!("tesuji {version}")]);
    table.row(["processor".to_owned(), machine.processor.clone().unwrap_or_else(|| "unknown".to_owned())]);
    table.row(["cores".to_owned(), machine.cores.to_string()]);
    let memory = format!("{}, {} available", gigabytes(machine.memory_bytes), gigabytes(machine.available_bytes));
    table.row(["memory".to_owned(), memory]);
    let slow = if machine.kernels == Isa::Portable { ": networks will be slow, AVX2 is missing" } else { "" };
    table.row(["kernels".to_owned(), format!("{:?}{slow}", machine.kernels)]);
    if let Some(Speed { shogi_perft, minishogi_network }) = speed {
        table.row([
            "rules".to_owned(),
            format!("{:.1} million move paths a second (shogi perft, one core)", shogi_perft / 1e6),
        ]);
        table.row(["network".to_owned(), format!("{minishogi_network:.0} positions a second (minishogi, one core)")]);
    }
    let names: Vec<&str> = networks.iter().map(|network| network.name).collect();
    table.row(["networks".to_owned(), format!("{}: read and checked", names.join(", "))]);
    let state = match (runs.writable, runs.exists) {
        (true, true) => "writable",
        (true, false) => "will be made",
        (false, _) => "cannot be written: train with --out DIR",
    };
    table.row(["runs".to_owned(), format!("{}: {state}", runs.path.display())]);
    for engine in engines {
        let found = match &engine.path {
            Some(path) => path.display().to_string(),
            None => format!("missing; wanted for {}; on Debian: {}", engine.wanted_for, engine.install),
        };
        table.row([engine.command.to_owned(), found]);
    }
    out.bytes(table.text().as_bytes())?;
    let missing = engines.iter().filter(|engine| engine.path.is_none()).count();
    out.line("")?;
    out.line(&match missing {
        0 => "Everything is there.".to_owned(),
        _ => format!(
            "Playing, training and matches between our own agents work; {missing} of {} engines are missing.",
            engines.len()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_is_not_there_is_missing_and_comes_with_a_way_to_get_it() {
        let found = find_engine(&KnownEngine { command: "no-such-engine", package: "nothing", wanted_for: "nothing" });
        assert_eq!(found.path, None);
        assert_eq!(found.install, "apt-get install nothing");
    }

    #[test]
    fn a_folder_is_probed_without_a_trace() {
        let place = tempfile::tempdir().expect("a folder");
        let found = folder(place.path());
        assert!(found.exists && found.writable);
        assert_eq!(fs::read_dir(place.path()).expect("a folder").count(), 0);
    }
}
