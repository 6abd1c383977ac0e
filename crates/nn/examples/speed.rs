//! Positions a second of inference and training on one core, for the four yardstick networks; seconds for a training
//! step of the shogi paper's network on all cores.
//!
//! `cargo run --release -p tesuji-nn --example speed -- infer|train|dqn [NETS] [SECONDS]`; `benches/nn/yardstick.py`
//! prints the same for PyTorch and onnxruntime. Compare in one run.

use std::sync::Arc;
use std::time::Instant;
use tesuji_core::Shape;
use tesuji_nn::train::{Optimiser, Pointwise, PolicyValue, Targets};
use tesuji_nn::{Isa, Method, Model, Path, Spec, Trainer, Weights, Worker};

/// The yardstick networks: a and b on 5x5, c on 9x9, d on 8x8.
fn net(name: char) -> Option<Spec> {
    let square = |planes, size| Shape { planes, height: size, width: size };
    Some(match name {
        'a' => Spec::alpha_zero(square(31, 5), 10, 256, 1500),
        'b' => Spec::alpha_zero(square(31, 5), 6, 64, 1500),
        'c' => Spec::alpha_zero(square(45, 9), 6, 64, 2187),
        'd' => Spec::alpha_zero(square(112, 8), 12, 256, 1858),
        _ => return None,
    })
}

/// Seconds that this thread has spent on a processor where the system says so, else seconds by the clock.
fn now(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = text.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// Calls a second of processor time, the best of three.
fn rate(seconds: f64, mut call: impl FnMut()) -> f64 {
    call();
    let clock = Instant::now();
    let tries = (0..3).map(|_| {
        let start = now(clock);
        let mut calls = 0;
        while calls == 0 || now(clock) - start < seconds {
            call();
            calls += 1;
        }
        f64::from(calls) / (now(clock) - start)
    });
    tries.fold(0.0, f64::max)
}

fn infer(name: char, spec: &Spec, seconds: f64) {
    let graph = spec.graph().expect("the yardsticks are networks");
    let weights = Weights::init(&graph, 1);
    for method in Method::ALL {
        let path = Path { isa: Isa::best(), method };
        let model = Arc::new(Model::new(&graph, &weights, path));
        for batch in [1, 8, 32, 256] {
            let inputs = vec![0.5; batch * graph.input().len()];
            let mut worker = Worker::new(Arc::clone(&model));
            let positions = batch as f64 * rate(seconds, || worker.run(&inputs));
            let gflops = positions * graph.flops() as f64 / 1e9;
            println!("{name} {path} infer, batch {batch}: {positions:.0} positions/s, {gflops:.1} GFLOP/s");
        }
    }
}

fn train(name: char, spec: &Spec, seconds: f64) {
    let graph = spec.graph().expect("the yardsticks are networks");
    for batch in [128, 1024] {
        let mut trainer = Trainer::new(graph.clone(), Weights::init(&graph, 1), Optimiser::MOMENTUM, 1e-4, 1);
        let inputs: Vec<f32> = (0..batch * graph.input().len()).map(|i| (i * 7919 % 1000) as f32 / 1000.0).collect();
        let moves = graph.output_len(0);
        let policy = vec![1.0 / moves as f32; batch * moves];
        let value = vec![0.5; batch];
        let targets = Targets::PolicyValue(PolicyValue::new(&policy, &value));
        let positions = batch as f64 * rate(seconds, || drop(trainer.step(&inputs, &targets, 0.01)));
        println!("{name} train, batch {batch}: {positions:.0} positions/s");
    }
}

/// Both networks of the shogi paper: a forward pass of each target network, a step of each trained one.
fn dqn() {
    const BATCH: usize = 10;
    let mut networks: Vec<(Worker, Trainer)> = [88, 81]
        .map(|outputs| {
            let graph = Spec::dqn_paper(outputs).graph().expect("the paper's network");
            let weights = Weights::init(&graph, 1);
            let path = Path { isa: Isa::best(), method: Method::Direct };
            let target = Worker::new(Arc::new(Model::new(&graph, &weights, path)));
            (target, Trainer::new(graph, weights, Optimiser::ADAM, 0.0, 1))
        })
        .into();
    let inputs: Vec<f32> = (0..BATCH * 63 * 81).map(|i| (i * 7919 % 1000) as f32 / 1000.0).collect();
    for _ in 0..4 {
        let start = Instant::now();
        for (target, trainer) in &mut networks {
            target.run(&inputs);
            let best: Vec<f32> = target.output(0).iter().copied().take(BATCH).collect();
            let actions = [3; BATCH];
            let loss = Pointwise::Squared;
            trainer.step(&inputs, &Targets::Action { actions: &actions, targets: &best, weights: &[], loss }, 1e-4);
        }
        println!("dqn, both networks, a step of batch {BATCH}: {:.2} s by the clock", start.elapsed().as_secs_f64());
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or("infer".to_owned());
    let nets = arguments.next().unwrap_or("ab".to_owned());
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(0.5);
    if what == "dqn" {
        return dqn();
    }
    // One thread, this one, whose processor time is what is measured.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    pool.expect("nothing has used the pool yet");
    for (name, spec) in nets.chars().filter_map(|name| Some((name, net(name)?))) {
        match what.as_str() {
            "train" => train(name, &spec, seconds),
            _ => infer(name, &spec, seconds),
        }
    }
}
