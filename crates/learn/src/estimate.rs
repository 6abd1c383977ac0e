//! What a run will cost, told before it begins: rates that are measured on the spot, times the size of the run.
//!
//! The network of the experiment judges and learns a few positions, random games tell how long a game is, and the way of
//! learning says how many positions a generation judges and learns. What this leaves out (trees, rules, mate solvers,
//! matches on the way) costs little beside a large network; for small ones it is a lower bound. Games of a trained network
//! may be longer or shorter than random ones. Integer networks cost less than the search around them, so a node of that
//! search is measured too.

use crate::experiments::Experiment;
use crate::methods::Method;
use crate::methods::work::{Typical, Work};
use crate::run::{About, StopRule};
use cpu_time::ProcessTime;
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::{AnyGame, Budget, Quiet, Side, Stream};
use tesuji_nn::nnue::{NnueSpec, NnueTrainer, Sample, Samples};
use tesuji_nn::train::Optimiser;
use tesuji_nn::{Graph, Isa, KernelPath, Model, Trainer, Weights, Worker};
use tesuji_search::AgentSource;

/// Positions that are judged or learned together while rates are measured; training steps of `dqn` have their own batch.
const BATCH: usize = 16;

/// A rate is measured for at least this long, unless a single batch takes longer.
const PATIENCE: Duration = Duration::from_millis(100);

/// Nodes of a search, or evaluations, that are measured together.
const NODES: u64 = 4000;

/// Random games that are looked at.
const GAMES: u64 = 16;

/// Bytes of a position of a record, less its moves.
const RECORD: f64 = 16.0;

/// What a run will cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds by the clock.
    pub wall: f64,
    /// Seconds on the processor.
    pub cpu: f64,
    /// Bytes of memory.
    pub memory: f64,
    /// Bytes on disk.
    pub disk: f64,
    /// Generations.
    pub generations: f64,
    /// The work of a generation.
    pub work: Work,
    /// Seconds on the processor for a position that is judged, and for a sample that is learned.
    pub rates: [f64; 2],
    /// What games are taken to be like.
    pub typical: Typical,
}

/// Bytes of memory that a run takes: weights with their gradients and the optimiser's state, networks at play,
/// activations of a batch, caches, trees and the window.
pub fn memory(experiment: &Experiment, graph: &Graph, typical: Typical, threads: usize) -> f64 {
    let (play, training) = (&experiment.selfplay, &experiment.training);
    let weights = 4.0 * graph.parameter_count() as f64;
    let activations: usize = graph.nodes().iter().map(|node| node.shape.len()).sum();
    let tree = (play.simulations as f64 * typical.moves).min(play.tree_nodes as f64) * 32.0;
    let each_thread = play.cache as f64 * 1e6 + play.in_flight.min(play.games as usize) as f64 * tree;
    weights * (4.0 + slots(training.optimiser))
        + 8.0 * (activations * training.batch) as f64
        + threads as f64 * each_thread
        + training.window_positions as f64 * (RECORD + 6.0 * typical.moves)
}

/// Vectors that an optimiser keeps for each weight.
fn slots(optimiser: Optimiser) -> f64 {
    match optimiser {
        Optimiser::GradientDescent => 0.0,
        Optimiser::Sgd { .. } | Optimiser::Adagrad { .. } => 1.0,
        Optimiser::Adam { .. } => 2.0,
    }
}

/// What random games from the start are like, cut after so many plies.
pub fn typical(game: &dyn AnyGame, most: u32) -> Typical {
    let (mut plies, mut moves) = (0_u64, 0_u64);
    for number in 0..GAMES {
        let mut random = Stream::new(number, "typical game", 0);
        let mut position = game.start();
        // A thousand plies tell enough about a game that does not end.
        for _ in 0..most.min(1000) {
            let legal = position.moves();
            let Some(&mv) = random.choose(&legal).filter(|_| position.outcome().is_none()) else { break };
            plies += 1;
            moves += legal.len() as u64;
            if position.play(mv).is_err() {
                break;
            }
        }
    }
    Typical { plies: plies as f64 / GAMES as f64, moves: moves as f64 / plies.max(1) as f64 }
}

/// Seconds on the processor that one of `batch` items of some work takes.
fn rate(batch: usize, mut work: impl FnMut()) -> f64 {
    let clock = ProcessTime::now();
    let mut rounds = 0;
    loop {
        work();
        rounds += 1;
        let spent = clock.elapsed();
        if spent >= PATIENCE {
            return spent.as_secs_f64() / f64::from(rounds) / batch as f64;
        }
    }
}

/// Seconds for a position that the network judges, and for a sample that it learns.
fn rates(experiment: &Experiment, graph: &Graph, steps_of: usize) -> Result<[f64; 2], String> {
    let weights = Weights::init(graph, experiment.seed);
    let view = graph.input().len();
    let path = KernelPath { isa: Isa::best(), method: experiment.network.inference() };
    let judging = {
        let mut worker = Worker::new(Arc::new(Model::new(graph, &weights, path)));
        let inputs = vec![0.5; BATCH * view];
        worker.run(&inputs[..view]);
        rate(BATCH, || worker.run(&inputs))
    };
    let training = &experiment.training;
    let mut trainer = Trainer::new(graph.clone(), weights, training.optimiser, training.l2, experiment.seed);
    let inputs = vec![0.5; steps_of * view];
    let gradients: Vec<Vec<f32>> =
        (0..graph.outputs().len()).map(|output| vec![0.0; steps_of * graph.output_len(output)]).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let learning = pool.install(|| {
        rate(steps_of, || {
            trainer.forward(&inputs);
            trainer.backward(&gradients);
            trainer.apply(0.0);
        })
    });
    Ok([judging, learning])
}

/// Bytes that the system has to give, where it tells.
pub fn available_memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0)
}

/// What a network takes: memory, seconds for an evaluation and for a sample, and bytes on disk of its weights and of the
/// optimiser's state.
struct Measured {
    memory: f64,
    rates: [f64; 2],
    weights: f64,
    state: f64,
}

/// Says so if a run takes more memory than there is: before its network is made.
fn check_memory(memory: f64) -> Result<(), String> {
    let Some(available) = available_memory().filter(|&available| memory > available) else { return Ok(()) };
    let [memory, available] = [memory, available].map(|bytes| bytes / 1e9);
    Err(format!("the run takes about {memory:.1} GB of memory, and {available:.1} GB are free"))
}

/// What a network in floats takes.
fn measure_float(experiment: &Experiment, graph: &Graph, typical: Typical, threads: usize) -> Result<Measured, String> {
    let memory = memory(experiment, graph, typical, threads);
    check_memory(memory)?;
    // A small batch tells the rate of a tower; a step of a network that is mostly weights takes as long for any batch.
    let is_tower = graph.flops() > 20 * graph.parameter_count() as u64;
    let steps_of = if is_tower { experiment.training.batch.clamp(2, BATCH) } else { experiment.training.batch };
    let rates = rates(experiment, graph, steps_of)?;
    let weights = 4.0 * graph.parameter_count() as f64;
    Ok(Measured { memory, rates, weights, state: weights * slots(experiment.training.optimiser) })
}

/// What an integer network takes. An evaluation is a node of the search that plays.
fn measure_integer(
    agents: &dyn AgentSource,
    experiment: &Experiment,
    spec: &NnueSpec,
    (typical, work): (Typical, Work),
    threads: usize,
) -> Result<Measured, String> {
    let parameters = (spec.parameters() + spec.shared_inputs * spec.width) as f64;
    let (method, training) = (&experiment.method, &experiment.training);
    let Method::Nnue(options) = method else { return Err("an integer network needs method.kind = nnue".to_owned()) };
    // Weights, gradients and the two vectors of Adam; tables; the window, as records and as lists of inputs.
    let positions = options.window_of(training, work.positions);
    let memory = 16.0 * parameters
        + threads as f64 * options.play.hash as f64 * 1e6
        + positions * (RECORD + 8.0 * spec.most_active as f64);
    check_memory(memory)?;
    let batch = training.batch.max(1);
    let mut random = Stream::new(experiment.seed, "typical inputs", 0);
    let mut samples = Samples::new();
    for _ in 0..batch {
        let mut list = || (0..spec.most_active).map(|_| random.below(spec.inputs) as u32).collect::<Vec<_>>();
        samples.push(Sample { mover: &list(), other: &list(), target: 0.5, weight: 1.0 });
    }
    let map = (0..spec.inputs).map(|input| (input % spec.shared_inputs) as u32).collect();
    let trainer = NnueTrainer::new(spec.clone(), method.integer_training(), map, experiment.seed);
    let mut trainer = trainer.map_err(|error| error.to_string())?.with_isa(Isa::best());
    let chosen: Vec<u32> = (0..batch as u32).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let learning = pool.install(|| {
        rate(batch, || {
            trainer.step(&samples, &chosen, 0.0);
        })
    });
    let network = trainer.network();
    let (mut accumulator, sample) = (network.accumulator(), samples.get(0));
    let judging = rate(NODES as usize, || {
        for _ in 0..NODES {
            network.refresh(&mut accumulator, Side::First, &sample.mover[..1]);
            network.refresh(&mut accumulator, Side::Second, &sample.other[..1]);
            std::hint::black_box(network.evaluate(&accumulator, Side::First));
        }
    });
    let node = node_rate(agents, typical, options.play.hash)?;
    Ok(Measured { memory, rates: [node + judging, learning], weights: 2.0 * parameters, state: 12.0 * parameters })
}

/// Seconds on the processor for a node of alpha-beta by the game's heuristic, in the middle of random games.
fn node_rate(agents: &dyn AgentSource, typical: Typical, hash: usize) -> Result<f64, String> {
    let searcher = agents.searcher(&format!("alphabeta:nodes={NODES},hash={hash}"), 1).map_err(|e| e.to_string())?;
    let mut searcher = searcher.ok_or("alphabeta is no search")?;
    let budget = searcher.limits.budget(&Budget::UNLIMITED);
    let (mut nodes, mut spent) = (0, Duration::ZERO);
    for number in 0..GAMES {
        let mut random = Stream::new(number, "typical position", 0);
        let mut position = agents.game().start();
        for _ in 0..random.below(1 + typical.plies as usize / 2) {
            let legal = position.moves();
            let Some(&mv) = random.choose(&legal).filter(|_| position.outcome().is_none()) else { break };
            if position.play(mv).is_err() {
                break;
            }
        }
        if position.outcome().is_none() {
            let clock = ProcessTime::now();
            nodes += searcher.search.search(position.as_ref(), &budget, &mut Quiet).nodes;
            spent += clock.elapsed();
        }
    }
    Ok(spent.as_secs_f64() / nodes.max(1) as f64)
}

/// What a run of an experiment will cost on so many threads; `None` if its learning method does not tell.
///
/// # Errors
/// If the network does not fit the game, or there is not the memory for it.
pub fn estimate(
    agents: &dyn AgentSource,
    experiment: &Experiment,
    extent: StopRule,
    threads: usize,
) -> Result<Option<Estimate>, String> {
    let (setup, game) = (experiment.setup(), agents.game());
    let typical = typical(game.as_ref(), experiment.selfplay.max_plies);
    let Some(work) = experiment.method.work(&setup, typical) else { return Ok(None) };
    let measured = match experiment.network_info(game.as_ref()).map_err(|error| error.to_string())? {
        About::Float(about) => {
            let graph = about.spec.graph().map_err(|error| error.to_string())?;
            measure_float(experiment, &graph, typical, threads)?
        }
        About::Integer(about) => measure_integer(agents, experiment, &about.spec, (typical, work), threads)?,
    };
    let Measured { memory, rates, weights, state } = measured;
    let generation = work.evaluations * rates[0] + work.samples * rates[1];
    let first = experiment.selfplay.games_of(1) as f64 / experiment.selfplay.games.max(1) as f64 - 1.0;
    let more = first * work.evaluations * rates[0];
    let (cpu, generations) = match extent {
        StopRule::Generations(count) => (count as f64 * generation + more, count as f64),
        StopRule::Time(time) => {
            let cpu = time.as_secs_f64() * threads as f64;
            (cpu, ((cpu - more) / generation.max(1e-9)).max(1.0))
        }
    };
    let keep = &experiment.keep;
    let kept = 3.0 + if keep.networks_every > 0 { generations / keep.networks_every as f64 } else { 0.0 };
    let window = match (experiment.training.window_positions, keep.old_records) {
        (_, true) => generations * work.positions,
        (0, false) => experiment.training.window_games as f64 * typical.plies,
        (positions, false) => (positions as f64).min(generations * work.positions),
    };
    let disk = kept * weights
        + 3.0 * state
        + window * (RECORD + 6.0 * typical.moves.min(experiment.selfplay.simulations as f64));
    Ok(Some(Estimate { wall: cpu / threads as f64, cpu, memory, disk, generations, work, rates, typical }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Agents, Kit};
    use tesuji_core::Rules;
    use tesuji_games::shogi::Shogi;
    use tesuji_games::tictactoe::TicTacToe;

    fn of(name: &str, changes: &[&str]) -> Experiment {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        Experiment::load(name, &changes).unwrap().experiment
    }

    #[test]
    fn costs_follow_the_size_of_a_run() {
        let kit = Kit(TicTacToe::new(Rules::Official));
        let cost = |changes: &[&str], extent: &str| {
            estimate(&Agents::of(&kit), &of("td-tictactoe", changes), extent.parse().unwrap(), 2).unwrap().unwrap()
        };
        let one = cost(&[], "1");
        assert!((5.0..9.0).contains(&one.typical.plies) && (3.0..9.0).contains(&one.typical.moves), "{one:?}");
        assert_eq!(one.work.positions, 200.0 * one.typical.plies);
        let of_work = |estimate: &Estimate| {
            estimate.work.evaluations * estimate.rates[0] + estimate.work.samples * estimate.rates[1]
        };
        assert!((one.cpu / of_work(&one) - 1.0).abs() < 1e-9 && (one.wall * 2.0 / one.cpu - 1.0).abs() < 1e-9);
        let more = cost(&["selfplay.games=400"], "10");
        assert!((more.cpu / of_work(&more) - 10.0).abs() < 1e-6);
        assert_eq!(more.work.samples, 2.0 * one.work.samples);
        // A time is what it says.
        let timed = cost(&[], "30h");
        assert_eq!((timed.wall, timed.cpu), (108_000.0, 216_000.0));
    }

    /// Of an integer network a search's node is an evaluation, and the window is learned from several times.
    #[test]
    fn integer_networks_tell_their_cost() {
        let text = "game = \"tictactoe\"\n[network]\nkind = \"nnue\"\nwidth = 32\n[selfplay]\ngames = 10\n[method]\nkind = \"nnue\"\nwindow = 3\nepochs = 2\nheld_out = 4\nplay = { nodes = 50, hash = 1 }\n";
        let kit = Kit(TicTacToe::new(Rules::Official));
        let cost = |text: &str| {
            let experiment = Experiment::from_toml(text).unwrap();
            estimate(&Agents::of(&kit), &experiment, StopRule::Generations(2), 1).unwrap().unwrap()
        };
        let one = cost(text);
        let positions = 10.0 * one.typical.plies;
        assert_eq!(one.work, Work { positions, evaluations: 50.0 * positions, samples: 3.0 * positions * 0.75 * 2.0 });
        assert!(one.rates.iter().all(|&rate| (1e-9..1e-2).contains(&rate)), "{one:?}");
        let [evaluations, samples] = [one.work.evaluations * one.rates[0], one.work.samples * one.rates[1]];
        assert!((one.cpu / (2.0 * (evaluations + samples)) - 1.0).abs() < 1e-9, "{one:?}");
        assert!(one.memory > 1e6 && one.disk > 0.0, "{one:?}");
        let capped = cost(&text.replace("[method]", "[training]\nwindow_positions = 7\n[method]"));
        assert_eq!(capped.work.samples, 7.0 * 0.75 * 2.0);
    }

    /// The numbers that are known of the largest network: 1.4 GB of weights for both, 5.4 GB with the optimiser's state.
    #[test]
    fn memory_and_disk_are_those_of_the_largest_network() {
        let experiment = of("dqn-shogi-paper", &[]);
        let game = Shogi::new(Rules::Paper);
        let graph = experiment.network_info(&game).unwrap().float().unwrap().spec.graph().unwrap();
        let typical = Typical { plies: 300.0, moves: 80.0 };
        let memory = memory(&experiment, &graph, typical, 2) / 1e9;
        assert!((7.0..11.0).contains(&memory), "{memory}");
    }
}
