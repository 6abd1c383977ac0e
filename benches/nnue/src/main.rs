//! Our integer networks beside the crate noru: the same network, positions and batches, one thread each.
//!
//!     cargo run --release --manifest-path benches/Cargo.toml -p tesuji-nnue-beside
//!
//! Minishogi's size: 7,800 inputs, 12 active, 64 wide, one dense layer of 16 (noru always has one), squared clipped ReLU,
//! cross-entropy, Adam. noru is called as its documentation says: forward and backward for each position into one set of
//! gradients, one update a batch. Rounds of both alternate; the best of each counts.

use noru::config::{Activation, NnueConfig};
use noru::network::{Accumulator, forward};
use noru::trainer::{AdamState, Gradients, SimpleRng, TrainableWeights, TrainingSample};
use std::hint::black_box;
use std::time::Instant;
use tesuji_core::{Side, Stream};
use tesuji_nn::nnue::{NnueActivation, NnueLoss, NnueSpec, NnueTrainer, NnueTraining, Sample, Samples};

const INPUTS: usize = 7800;
const ACTIVE: usize = 12;
const WIDTH: usize = 64;
const DENSE: usize = 16;
const BATCH: usize = 1 << 14;
const ROUNDS: usize = 12;

fn main() {
    let mut stream = Stream::new(1, "beside", 0);
    let (mut ours, mut theirs) = (Samples::new(), Vec::new());
    for _ in 0..BATCH {
        let mut list = || -> Vec<u32> { (0..ACTIVE).map(|_| stream.below(INPUTS) as u32).collect() };
        let (mover, other) = (list(), list());
        let target = stream.unit() as f32;
        ours.push(Sample { mover: &mover, other: &other, target, weight: 1.0 });
        let wide = |list: Vec<u32>| list.into_iter().map(|input| input as usize).collect();
        let (stm_features, nstm_features) = (wide(mover), wide(other));
        theirs.push(TrainingSample { stm_features, nstm_features, target, dense_input: vec![] });
    }
    let spec = NnueSpec {
        features: "random".into(),
        features_version: 1,
        inputs: INPUTS,
        shared_inputs: INPUTS,
        most_active: ACTIVE,
        width: WIDTH,
        dense: vec![DENSE],
        activation: NnueActivation::SquaredClipped,
        scale: 600,
    };
    let training = NnueTraining { loss: NnueLoss::CrossEntropy, ..NnueTraining::default() };
    let map = (0..INPUTS as u32).collect();
    let mut trainer = NnueTrainer::new(spec, training, map, 1).expect("a good specification");
    let config = NnueConfig::new_owned(INPUTS, WIDTH, vec![DENSE], Activation::SCReLU);
    let mut weights = TrainableWeights::init_random(config.clone(), &mut SimpleRng::new(1));
    let mut adam = AdamState::new(config.clone());
    let mut gradients = Gradients::new(config);
    let chosen: Vec<u32> = (0..BATCH as u32).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let (our_rate, their_rate) = alternate(
        || {
            pool.install(|| black_box(trainer.step(&ours, &chosen, 0.001)));
        },
        || {
            gradients.zero();
            for sample in &theirs {
                let passed = weights.forward(&sample.stm_features, &sample.nstm_features, &sample.dense_input);
                weights.backward_bce(sample, &passed, &mut gradients);
            }
            weights.adam_update(&gradients, &mut adam, 0.001, BATCH as f32);
        },
    );
    report("training", our_rate, their_rate);
    let (network, quantised) = (trainer.network(), weights.quantize());
    let mut accumulator = network.accumulator();
    let mut other = Accumulator::new(&quantised.feature_bias);
    let (our_rate, their_rate) = alternate(
        || {
            for sample in ours.iter() {
                network.refresh(&mut accumulator, Side::First, sample.mover);
                network.refresh(&mut accumulator, Side::Second, sample.other);
                black_box(network.evaluate(&accumulator, Side::First));
            }
        },
        || {
            for sample in &theirs {
                other.refresh(&quantised, &sample.stm_features, &sample.nstm_features);
                black_box(forward(&other, &quantised));
            }
        },
    );
    report("refresh and forward", our_rate, their_rate);
}

/// Millions of positions a second of each, if a call works on a batch.
fn alternate(mut ours: impl FnMut(), mut theirs: impl FnMut()) -> (f64, f64) {
    let (mut a, mut b) = (0.0_f64, 0.0_f64);
    for _ in 0..ROUNDS {
        a = a.max(timed(&mut ours));
        b = b.max(timed(&mut theirs));
    }
    (a, b)
}

fn timed(round: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    round();
    BATCH as f64 / start.elapsed().as_secs_f64() / 1e6
}

fn report(what: &str, ours: f64, theirs: f64) {
    println!("{what:<20} ours {ours:>7.3}  noru {theirs:>7.3}  millions a second, ratio {:.1}", ours / theirs);
}
