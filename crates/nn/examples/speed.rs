//! Positions a second of inference and training on one core, for the four yardstick networks.
//!
//! `cargo run --release -p tesuji-nn --example speed -- [NETS] [SECONDS]`; `benches/nn/torch_yardstick.py` prints the
//! same for PyTorch. Compare in one run on an idle machine.

use std::sync::Arc;
use std::time::Instant;
use tesuji_core::Shape;
use tesuji_nn::{Isa, Method, Model, Path, Spec, Weights, Worker};

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

fn main() {
    let mut arguments = std::env::args().skip(1);
    let nets = arguments.next().unwrap_or("ab".to_owned());
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(0.5);
    for (name, spec) in nets.chars().filter_map(|name| Some((name, net(name)?))) {
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
                println!("{name} {path} batch {batch}: {positions:.0} positions/s, {gflops:.1} GFLOP/s");
            }
        }
    }
}
