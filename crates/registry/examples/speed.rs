//! Simulations a CPU-second of UCT with uniform playouts, best of several runs: `cargo run --release --example speed -p
//! tesuji-registry [GAME[:KEYS]]...`, for instance `shogi:cut=15`.

use cpu_time::ThreadTime;
use tesuji_core::{Budget, Quiet, Rules};
use tesuji_learn::{Agents, GameKit};
use tesuji_search::AgentSource;

/// The best rate, and the nodes of its tree.
fn speed(kit: &dyn GameKit, keys: &str) -> Result<(f64, u64), String> {
    let line = format!("uct:reuse=off,{keys}");
    let (agents, start) = (Agents::of(kit), kit.game().start());
    let mut best = (0.0, 0);
    for seed in 0..5 {
        let searcher = agents.searcher(line.trim_end_matches(','), seed).map_err(|error| error.to_string())?;
        let mut search = searcher.ok_or("no search")?.search;
        let mut simulations = 1_000;
        // Runs of at least half a second, from the start of the game.
        loop {
            let clock = ThreadTime::now();
            let found = search.search(start.as_ref(), &Budget::simulations(simulations), &mut Quiet);
            let seconds = clock.elapsed().as_secs_f64();
            if seconds > 0.5 {
                let rate = found.simulations as f64 / seconds;
                best = if rate > best.0 { (rate, found.nodes) } else { best };
                break;
            }
            simulations *= 4;
        }
    }
    Ok(best)
}

fn main() {
    let mut jobs: Vec<String> = std::env::args().skip(1).collect();
    if jobs.is_empty() {
        jobs = ["connect4", "bingo3d", "chess", "shogi:cut=15", "minishogi", "tubstap"].map(str::to_owned).into();
    }
    for job in jobs {
        let (name, keys) = job.split_once(':').unwrap_or((&job, ""));
        let kit = tesuji_registry::kit(name, Rules::Official).map_err(|error| error.to_string());
        match kit.and_then(|kit| speed(kit.as_ref(), keys)) {
            Ok((rate, nodes)) => println!("{job:24} {rate:>12.0} simulations/CPU-s  ({nodes} nodes)"),
            Err(error) => println!("{error}"),
        }
    }
}
