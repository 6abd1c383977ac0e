//! How fast integer networks train and evaluate here, on each instruction set.
//!
//!     cargo run --release -p tesuji-nn --example nnue_speed -- [inputs] [width] [active] [dense,dense...]
//!
//! Without arguments: minishogi's size, 15 squares of the king x 520 inputs, 64 wide, 12 active. Training runs on one
//! thread. Figures are by the clock, the best of some rounds: run it on an idle machine.

use std::hint::black_box;
use std::time::{Duration, Instant};
use tesuji_core::{FeatureChanges, Side, Stream};
use tesuji_nn::Isa;
use tesuji_nn::nnue::{NnueActivation, NnueNetwork, NnueSpec, NnueTrainer, NnueTraining, Sample, Samples};

const POSITIONS: usize = 1 << 16;
const BATCH: usize = 1 << 14;
const TIME: Duration = Duration::from_secs(1);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| {
        arguments.get(at).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("not a number: {text}")))
    };
    let (inputs, width, active) = (number(0, 15 * 520), number(1, 64), number(2, 12));
    let dense = arguments.get(3).map_or(vec![], |list| list.split(',').map(|n| n.parse().expect("sizes")).collect());
    let shared_inputs = if inputs.is_multiple_of(15) { inputs / 15 } else { inputs };
    let spec = NnueSpec {
        features: "random".into(),
        features_version: 1,
        inputs,
        shared_inputs,
        most_active: active,
        width,
        dense,
        activation: NnueActivation::SquaredClipped,
        scale: 600,
    };
    let samples = positions(&spec);
    println!("{inputs} inputs, {active} active, width {width}, dense {:?}: millions a second", spec.dense);
    println!("{:<10} {:>9} {:>9} {:>9} {:>9} {:>9}", "path", "training", "refresh", "update", "forward", "all");
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let (training, network) = training(&spec, &samples, isa);
        let [refresh, update, forward, all] = evaluation(&network, &samples);
        let name = format!("{isa:?}");
        println!("{name:<10} {training:>9.2} {refresh:>9.2} {update:>9.2} {forward:>9.2} {all:>9.2}");
    }
    println!("training: forward, backward and Adam, batches of {BATCH}; refresh: both perspectives anew; update: both");
    println!("perspectives, one row off and one on; forward: from the sums to the score; all: refresh and forward.");
}

/// Random positions with as many active inputs as there may be, under one of the king's squares.
fn positions(spec: &NnueSpec) -> Samples {
    let mut stream = Stream::new(1, "speed", 0);
    let mut samples = Samples::new();
    for _ in 0..POSITIONS {
        let mut lists = [vec![], vec![]];
        for list in &mut lists {
            let king = stream.below(spec.inputs / spec.shared_inputs) * spec.shared_inputs;
            *list = (0..spec.most_active).map(|_| (king + stream.below(spec.shared_inputs)) as u32).collect();
        }
        samples.push(Sample { mover: &lists[0], other: &lists[1], target: stream.unit() as f32, weight: 1.0 });
    }
    samples
}

/// Millions of positions a second, and the network.
fn training(spec: &NnueSpec, samples: &Samples, isa: Isa) -> (f64, NnueNetwork) {
    let map = (0..spec.inputs).map(|input| (input % spec.shared_inputs) as u32).collect();
    let trainer = NnueTrainer::new(spec.clone(), NnueTraining::default(), map, 1).expect("a good specification");
    let mut trainer = trainer.with_isa(isa);
    let mut order: Vec<u32> = (0..POSITIONS as u32).collect();
    Stream::new(1, "order", 0).shuffle(&mut order);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let rate = pool.install(|| {
        per_second(BATCH, |round| {
            let batch = &order[round % (POSITIONS / BATCH) * BATCH..][..BATCH];
            black_box(trainer.step(samples, batch, 0.001));
        })
    });
    (rate, trainer.network())
}

/// Millions a second: refreshes, updates, forward passes, refreshes with a forward pass.
fn evaluation(network: &NnueNetwork, samples: &Samples) -> [f64; 4] {
    let mut accumulator = network.accumulator();
    let mut above = network.accumulator();
    let refresh = |accumulator: &mut _, number: usize| {
        let sample = samples.get(number);
        network.refresh(accumulator, Side::First, sample.mover);
        network.refresh(accumulator, Side::Second, sample.other);
    };
    let all = 1 << 12;
    let refreshed = per_second(all, |_| (0..all).for_each(|n| refresh(black_box(&mut accumulator), n)));
    let changes: Vec<FeatureChanges> = (0..all)
        .map(|n| FeatureChanges { removed: vec![samples.get(n).mover[0]], added: vec![samples.get(n).other[0]] })
        .collect();
    let updated = per_second(all, |_| {
        for changes in &changes {
            network.update_from(&accumulator, black_box(&mut above), Side::First, changes);
            network.update_from(&accumulator, black_box(&mut above), Side::Second, changes);
        }
    });
    let forward = per_second(all, |_| {
        for n in 0..all {
            black_box(network.evaluate(black_box(&accumulator), Side::BOTH[n % 2]));
        }
    });
    let both = per_second(all, |_| {
        for n in 0..all {
            refresh(&mut accumulator, n);
            black_box(network.evaluate(&accumulator, Side::First));
        }
    });
    [refreshed, updated, forward, both]
}

/// Millions of units a second, if a round does so many: the best of the rounds of about [`TIME`], since other programs
/// only ever make it slower.
fn per_second(units: usize, mut round: impl FnMut(usize)) -> f64 {
    round(0);
    let start = Instant::now();
    let (mut rounds, mut best) = (0, Duration::MAX);
    while start.elapsed() < TIME {
        rounds += 1;
        let begin = Instant::now();
        round(rounds);
        best = best.min(begin.elapsed());
    }
    units as f64 / best.as_secs_f64() / 1e6
}
