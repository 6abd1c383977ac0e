//! Simulations a CPU-second of UCT with uniform playouts, best of several runs: `cargo run --release --example speed -p
//! tesuji-search [GAME[:KEYS]]...`, for instance `shogi:cut=15`.

use cpu_time::ThreadTime;
use tesuji_core::{Budget, Game, Quiet, Rules};
use tesuji_games::{Visitor, visit};
use tesuji_search::classical;

struct Speed<'a> {
    keys: &'a str,
}

impl Visitor for Speed<'_> {
    type Output = (f64, u64);

    fn visit<G: Game>(self, game: G) -> (f64, u64) {
        let line = format!("uct:reuse=off,{}", self.keys);
        let line = line.trim_end_matches(',');
        let mut best = (0.0, 0);
        for seed in 0..5 {
            let (mut search, _) = classical::search(&game, line, seed).unwrap_or_else(|error| panic!("{error}"));
            let mut simulations = 1_000;
            // Runs of at least half a second, from the start of the game.
            loop {
                let clock = ThreadTime::now();
                let found = search.search(&game.start(), &Budget::simulations(simulations), &mut Quiet);
                let seconds = clock.elapsed().as_secs_f64();
                if seconds > 0.5 {
                    let rate = found.simulations as f64 / seconds;
                    best = if rate > best.0 { (rate, found.nodes) } else { best };
                    break;
                }
                simulations *= 4;
            }
        }
        best
    }
}

fn main() {
    let mut jobs: Vec<String> = std::env::args().skip(1).collect();
    if jobs.is_empty() {
        jobs = ["connect4", "bingo3d", "chess", "shogi:cut=15", "minishogi", "tubstap"].map(str::to_owned).into();
    }
    for job in jobs {
        let (name, keys) = job.split_once(':').unwrap_or((&job, ""));
        match visit(name, Rules::Official, Speed { keys }) {
            Ok((rate, nodes)) => println!("{job:24} {rate:>12.0} simulations/CPU-s  ({nodes} nodes)"),
            Err(error) => println!("{error}"),
        }
    }
}
