//! Gradients against finite differences in double precision, threads and instruction sets against each other, learning.

use super::*;
use crate::nnue::{NnueFile, NnueInfo};
use tesuji_core::Rules;

const INPUTS: usize = 40;

fn spec(dense: &[usize], activation: NnueActivation, shared_inputs: usize) -> NnueSpec {
    NnueSpec {
        features: "test".into(),
        features_version: 1,
        inputs: INPUTS,
        shared_inputs,
        most_active: 10,
        width: 96,
        dense: dense.to_vec(),
        activation,
        scale: 500,
    }
}

fn map(shared: usize) -> Vec<u32> {
    (0..INPUTS).map(|input| (input % shared) as u32).collect()
}

fn trainer(dense: &[usize], activation: NnueActivation, shared: usize, loss: NnueLoss) -> NnueTrainer {
    let training = NnueTraining { loss, ..NnueTraining::default() };
    NnueTrainer::new(spec(dense, activation, shared), training, map(shared), 3).unwrap()
}

/// Random positions; the target follows a hidden rule of the inputs.
fn samples(count: usize, seed: u64) -> Samples {
    let mut stream = Stream::new(seed, "samples", 0);
    let mut samples = Samples::new();
    for _ in 0..count {
        let mut inputs: Vec<u32> = (0..INPUTS as u32).collect();
        stream.shuffle(&mut inputs);
        let (mover, other) = (&inputs[..4 + stream.below(7)], &inputs[20..20 + stream.below(10)]);
        let worth = |list: &[u32]| list.iter().map(|&n| f64::from(n % 7) - 3.0).sum::<f64>();
        let pair = if mover.contains(&1) && mover.contains(&2) { 3.0 } else { 0.0 };
        let target = 1.0 / (1.0 + (-(worth(mover) - worth(other) + pair) / 4.0).exp());
        samples.push(Sample { mover, other, target: target as f32, weight: [1.0, 0.5, 2.0][stream.below(3)] });
    }
    samples
}

/// All weights in double precision, in the order of the trainer's tensors.
fn weights(trainer: &NnueTrainer) -> Vec<Vec<f64>> {
    trainer.tensors().map(|tensor| tensor.weights.iter().map(|&x| f64::from(x)).collect()).collect()
}

/// The mean loss by the formulas of the documentation.
fn plain_loss(trainer: &NnueTrainer, weights: &[Vec<f64>], samples: &Samples) -> f64 {
    let spec = &trainer.spec;
    let own = trainer.own.is_some();
    let layers = &weights[if own { 3 } else { 2 }..];
    // Weights of the first layer lie in blocks of sixteen hidden units.
    let at = |inputs: usize, input: usize, n: usize| (n / 16 * inputs + input) * 16 + n % 16;
    let mut total = 0.0;
    for sample in samples.iter() {
        let mut values = Vec::new();
        for active in [sample.mover, sample.other] {
            for n in 0..spec.width {
                let row = |&input: &u32| {
                    let shared = trainer.map[input as usize] as usize;
                    let part = if own { weights[2][at(spec.inputs, input as usize, n)] } else { 0.0 };
                    weights[0][at(spec.shared_inputs, shared, n)] + part
                };
                let sum: f64 = weights[1][n] + active.iter().map(row).sum::<f64>();
                let cut = sum.clamp(0.0, 1.0);
                values.push(if spec.activation == NnueActivation::Clipped { cut } else { cut * cut });
            }
        }
        for layer in layers.chunks_exact(2) {
            let rows = layer[0].chunks_exact(values.len()).zip(&layer[1]);
            let sums: Vec<f64> =
                rows.map(|(row, bias)| bias + row.iter().zip(&values).map(|(w, v)| w * v).sum::<f64>()).collect();
            let last = sums.len() == 1;
            values = if last { sums } else { sums.iter().map(|sum| sum.clamp(0.0, 1.0)).collect() };
        }
        let (p, t) = (1.0 / (1.0 + (-values[0]).exp()), f64::from(sample.target));
        let loss = match trainer.training.loss {
            NnueLoss::Squared => (p - t).powi(2),
            NnueLoss::Power { exponent } => (p - t).abs().powf(f64::from(exponent)),
            NnueLoss::CrossEntropy => -t * p.ln() - (1.0 - t) * (1.0 - p).ln(),
        };
        total += loss * f64::from(sample.weight);
    }
    total / samples.len() as f64
}

fn all(samples: &Samples) -> Vec<u32> {
    (0..samples.len() as u32).collect()
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let (squared, clipped) = (NnueActivation::SquaredClipped, NnueActivation::Clipped);
    let cases: [(&[usize], _, _, _); 5] = [
        (&[], squared, 40, NnueLoss::Squared),
        (&[], clipped, 15, NnueLoss::CrossEntropy),
        (&[], squared, 15, NnueLoss::Power { exponent: 2.5 }),
        (&[16, 5], squared, 15, NnueLoss::Squared),
        (&[18], clipped, 40, NnueLoss::CrossEntropy),
    ];
    for (dense, activation, shared, loss) in cases {
        let mut trainer = trainer(dense, activation, shared, loss);
        let samples = samples(300, 1);
        let mean = trainer.gradients(&samples, &all(&samples));
        let mut weights = weights(&trainer);
        assert!((plain_loss(&trainer, &weights, &samples) - mean).abs() < 1e-5);
        assert!((trainer.loss(&samples) - mean).abs() < 1e-9);
        let gradients: Vec<Vec<f32>> = trainer.tensors().map(|tensor| tensor.gradient.clone()).collect();
        let mut stream = Stream::new(2, "indices", 0);
        for tensor in 0..weights.len() {
            let size = gradients[tensor].iter().fold(0.0_f32, |size, g| size.max(g.abs())) / 300.0;
            assert!(size > 1e-6, "tensor {tensor} feels nothing");
            for _ in 0..6 {
                let index = stream.below(weights[tensor].len());
                let start = weights[tensor][index];
                let mut at = |difference: f64| {
                    weights[tensor][index] = start + difference;
                    plain_loss(&trainer, &weights, &samples)
                };
                // Small enough that hardly any unit crosses an end of its range.
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                weights[tensor][index] = start;
                let got = f64::from(gradients[tensor][index]) / 300.0;
                let error = (slope - got).abs() / f64::from(size);
                assert!(error < 2e-2, "{dense:?} {loss:?} tensor {tensor} [{index}]: {got} v {slope}");
            }
        }
    }
}

/// The bits of everything that training leaves.
fn bits(trainer: &NnueTrainer) -> Vec<u32> {
    trainer.state().values().flatten().map(|x| x.to_bits()).collect()
}

fn trained(isa: Isa, threads: usize, dense: &[usize]) -> Vec<u32> {
    let mut trainer = trainer(dense, NnueActivation::SquaredClipped, 15, NnueLoss::Squared).with_isa(isa);
    let samples = samples(700, 4);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        for step in 0..4 {
            trainer.step(&samples, &all(&samples)[..700 - 90 * step], 0.003);
        }
    });
    bits(&trainer)
}

#[test]
fn threads_and_instruction_sets_change_no_bit() {
    for dense in [&[][..], &[16, 9]] {
        let expected = trained(Isa::Portable, 1, dense);
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            for threads in [1, 2, 5] {
                assert!(trained(isa, threads, dense) == expected, "{dense:?}: {isa:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn training_goes_on_as_if_it_had_never_stopped() {
    let samples = samples(300, 5);
    let mut straight = trainer(&[8], NnueActivation::SquaredClipped, 15, NnueLoss::CrossEntropy);
    let training = straight.training;
    straight.step(&samples, &[0, 5, 9], 0.01);
    let about = NnueInfo {
        spec: straight.spec.clone(),
        game: "chess".into(),
        rules: Rules::Official,
        rules_version: 1,
        step: 0,
        agent: String::new(),
    };
    let bytes = straight.checkpoint(about).to_bytes();
    let file = NnueFile::from_bytes(&bytes).unwrap();
    let mut resumed = NnueTrainer::resume(&file, training, map(15)).unwrap();
    assert_eq!(resumed.steps(), 1);
    for trainer in [&mut straight, &mut resumed] {
        trainer.step(&samples, &all(&samples), 0.01);
    }
    assert!(bits(&straight) == bits(&resumed));
    assert_eq!(straight.network(), resumed.network());
}

#[test]
fn it_learns_and_integers_follow_the_floats() {
    let (held, order) = (samples(2000, 7), samples(20_000, 6));
    for dense in [&[][..], &[16, 32]] {
        let mut trainer = trainer(dense, NnueActivation::SquaredClipped, 15, NnueLoss::Squared);
        let before = trainer.loss(&held);
        let mut chosen = all(&order);
        let mut stream = Stream::new(8, "order", 0);
        for epoch in 0..6 {
            stream.shuffle(&mut chosen);
            for batch in chosen.chunks(500) {
                trainer.step(&order, batch, 0.01 * 0.6_f32.powi(epoch));
            }
        }
        let after = trainer.loss(&held);
        assert!(after < 0.1 * before, "{dense:?}: loss {before} before, {after} after");
        let error = trainer.quantisation_error(&held);
        assert!(error.mean < 6.0 && error.max < 40.0 && error.mean > 0.0, "{dense:?}: {error:?}");
        // Training that begins with the integers begins where they are.
        let again = NnueTrainer::from_network(&trainer.network(), trainer.training, map(15)).unwrap();
        assert_eq!(again.network().weights().rows, trainer.network().weights().rows);
        let scores = trainer.scores(&held);
        let worst = again.scores(&held).iter().zip(scores).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 40.0, "{dense:?}: {worst}");
    }
}

#[test]
fn weights_stay_within_what_integers_can_hold() {
    // A rate that throws every weight against its bound, in both directions.
    for dense in [&[][..], &[64, 64]] {
        let mut trainer = trainer(dense, NnueActivation::SquaredClipped, 15, NnueLoss::CrossEntropy);
        let samples = samples(256, 9);
        for step in 0..6 {
            trainer.step(&samples, &all(&samples), [1e6, 1e9][step % 2]);
            let network = trainer.network();
            let scores: Vec<i32> = samples.iter().map(|sample| network.score(sample.mover, sample.other)).collect();
            assert_eq!(scores.len(), 256);
            for tensor in trainer.tensors() {
                assert!(tensor.weights.iter().all(|weight| weight.abs() <= tensor.bound), "{}", tensor.name);
            }
        }
        assert!(trainer.shared.weights.iter().any(|weight| weight.abs() == trainer.shared.bound), "never that far");
    }
}

#[test]
fn bad_training_is_refused() {
    let refused = |change: fn(&mut NnueTraining), words: &str| {
        let mut training = NnueTraining::default();
        change(&mut training);
        let spec = spec(&[], NnueActivation::Clipped, 40);
        let error = NnueTrainer::new(spec, training, map(40), 1).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(|training| training.beta1 = 1.0, "beta1");
    refused(|training| training.decay = -0.1, "decay");
    refused(|training| training.own_rate = f32::NAN, "own-rate");
    refused(|training| training.loss = NnueLoss::Power { exponent: 1.0 }, "exponent");
}
