//! Choosing the path by timing.

use super::model::Model;
use super::path::{ConvMethod, KernelPath};
use super::worker::Worker;
use crate::kernel::Isa;
use crate::{Graph, Weights};
use std::sync::Arc;
use std::time::Instant;

/// How fast a path was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The path.
    pub path: KernelPath,
    /// Positions a second, the best of a few tries.
    pub positions_per_second: f64,
}

/// Times every method of the machine's best instruction set on batches of this size, the fastest first.
///
/// Timing is chance, and paths differ in the last bits of their outputs: a run asks once, records the answer and
/// keeps to it when it is resumed or repeated.
pub fn tune(graph: &Graph, weights: &Weights, batch: usize) -> Vec<Timing> {
    let inputs = vec![0.5; batch * graph.input().len()];
    let mut timings: Vec<Timing> = ConvMethod::ALL
        .into_iter()
        .map(|method| {
            let path = KernelPath { isa: Isa::best(), method };
            let mut worker = Worker::new(Arc::new(Model::new(graph, weights, path)));
            worker.run(&inputs);
            let seconds = (0..3).map(|_| {
                let start = Instant::now();
                worker.run(&inputs);
                start.elapsed().as_secs_f64()
            });
            let best = seconds.fold(f64::INFINITY, f64::min);
            Timing { path, positions_per_second: batch as f64 / best }
        })
        .collect();
    timings.sort_by(|a, b| b.positions_per_second.total_cmp(&a.positions_per_second));
    timings
}
