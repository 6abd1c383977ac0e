//! The schedule, the losses and the steps of learning from one tree a cycle: the same for every game.

use super::options::TreeCycleOptions;
use crate::methods::learner::{Learner, Setup};
use crate::methods::training::Training;
use crate::run::ledger::{Meter, PlayCost};
use crate::run::{GameStatistics, GenerationEvent, Progress, Run, RunError, State};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tesuji_core::Stream;
use tesuji_nn::Model;
use tesuji_nn::train::{LossSums, PolicyValue, Targets};

/// Iterations between two looks at whether to stop. What comes out depends on it: it cuts batches of leaves.
const SLICE: u64 = 256;

/// A training batch to be written, one row a sample.
pub struct Rows<'a> {
    /// Encoded views.
    pub inputs: &'a mut [f32],
    /// pi, one number for each policy index.
    pub policy: &'a mut [f32],
    /// The mover's value.
    pub value: &'a mut [f32],
    /// Which policy indices are legal moves; empty if nobody wants to know.
    pub legal: &'a mut [bool],
}

/// The tree of a cycle, then its nodes.
pub trait Cycle: Send + Sync {
    /// Begins the tree anew with nothing but the start position.
    ///
    /// # Errors
    /// If the network does not fit the game.
    fn begin(&mut self, model: &Arc<Model>, threads: usize, random: Stream) -> Result<(), String>;

    /// Lets the tree grow by so many iterations, on the threads of the current pool.
    fn grow(&mut self, iterations: u64);

    /// Ends the tree: its nodes that were visited often enough become samples. Returns the nodes of the tree, and what
    /// it cost.
    fn end(&mut self) -> (u64, PlayCost);

    /// Samples of the tree that has ended.
    fn samples(&self) -> usize;

    /// Draws a batch of samples uniformly, by random choices number `first` and on.
    ///
    /// # Panics
    /// If there are none.
    fn batch(&self, seed: u64, first: u64, rows: Rows<'_>);
}

/// Learns from one tree after another.
pub struct TreeLearner {
    training: Training,
    options: TreeCycleOptions,
    cycle: Box<dyn Cycle>,
}

impl TreeLearner {
    /// Before the first cycle.
    pub fn new(setup: &Setup, options: TreeCycleOptions, cycle: Box<dyn Cycle>) -> TreeLearner {
        TreeLearner { training: setup.training.clone(), options, cycle }
    }

    /// Grows the tree of a cycle and makes samples of it; `false` if it was stopped.
    fn grow(&mut self, run: &mut Run<'_>, generation: u64) -> Result<bool, RunError> {
        let (meter, clock) = (Meter::start(), Instant::now());
        let random = Stream::new(run.seed(), "cycle", generation);
        let (model, threads, wanted) = (run.model(), run.threads(), self.options.iterations);
        self.cycle.begin(&model, threads, random).map_err(RunError::Other)?;
        let mut done = 0;
        while done < wanted && !run.is_stopped() {
            let slice = SLICE.min(wanted - done);
            let cycle = &mut self.cycle;
            run.on_threads(|_| cycle.grow(slice));
            done += slice;
            let rate = done as f64 / clock.elapsed().as_secs_f64();
            run.say(Progress::Playing {
                generation,
                games: done,
                of: wanted,
                positions_per_second: rate,
                evaluations_per_second: rate,
            });
        }
        let (_, cost) = self.cycle.end();
        run.book_play(generation, Some(&meter), cost, [0, self.cycle.samples() as u64]);
        Ok(done == wanted && !run.is_stopped())
    }

    /// Takes the training steps of a cycle; `None` if it was stopped.
    fn learn(&self, run: &mut Run<'_>, generation: u64) -> Result<Option<(LossSums, u64, f32)>, RunError> {
        let (options, samples) = (&self.training, self.cycle.samples() as u64);
        let steps = if samples == 0 { 0 } else { options.steps_for(samples) };
        let graph = run.trainer().graph();
        let width = graph.output("policy").map_or(0, |output| graph.output_len(output));
        let (view, batch) = (graph.input().len(), options.batch);
        let (mut inputs, mut policy, mut value) = (vec![0.0; batch * view], vec![0.0; batch * width], vec![0.0; batch]);
        let mut legal = vec![false; if options.legal_only { batch * width } else { 0 }];
        let (mut sums, mut rate, seed) = (LossSums::default(), 0.0, run.seed());
        for step in 1..=steps {
            if run.is_stopped() {
                return Ok(None);
            }
            let number = run.trainer().steps();
            rate = options.schedule.rate(number);
            let losses = run.on_threads(|trainer| {
                let (inputs, policy, value, legal) = (&mut inputs, &mut policy, &mut value, &mut legal);
                self.cycle.batch(seed, number * batch as u64, Rows { inputs, policy, value, legal });
                let targets =
                    PolicyValue { legal, value_weight: options.value_weight, ..PolicyValue::new(policy, value) };
                trainer.step(inputs, &Targets::PolicyValue(targets), rate)
            });
            run.check_loss(&losses)?;
            sums.add(&losses);
            let means = sums.means();
            run.say(Progress::Training { generation, step, of: steps, losses: [means.policy, means.value] });
        }
        Ok(Some((sums, steps, rate)))
    }
}

impl Learner for TreeLearner {
    fn load(&mut self, _run: &mut Run<'_>, _state: State) -> Result<(), RunError> {
        // A cycle begins with the start position and the network of the one before, and with nothing else.
        Ok(())
    }

    fn generation(&mut self, run: &mut Run<'_>, generation: u64) -> Result<Option<GenerationEvent>, RunError> {
        if !self.grow(run, generation)? {
            return Ok(None);
        }
        let meter = Meter::start();
        let Some((sums, steps, rate)) = self.learn(run, generation)? else { return Ok(None) };
        run.book_training(generation, &meter, steps * self.training.batch as u64, Duration::ZERO);
        let samples = self.cycle.samples() as u64;
        let play = GameStatistics { positions: samples, ..GameStatistics::default() };
        let counts = (run.trainer().steps(), steps, rate);
        let losses = (&sums, run.trainer().l2_loss());
        Ok(Some(GenerationEvent::of(generation, play, [0, samples], counts, losses)))
    }
}
