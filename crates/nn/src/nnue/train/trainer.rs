//! An integer network in training.

use super::loss::NnueLoss;
use super::pass::{self, CHUNK, Layer, Net, Sums, Values};
use super::quantise::{self, BIAS_BOUND, QuantisationError, dense_bound};
use super::rows;
use super::tensor::{Adam, Tensor};
use crate::nnue::network::NnueNetwork;
use crate::nnue::samples::{Sample, Samples};
use crate::nnue::spec::{NnueActivation, NnueSpec, UNIT};
use crate::{Isa, SpecError};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tesuji_core::Stream;

/// How a network is trained: Adam with decoupled weight decay. The learning rate comes with each step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct NnueTraining {
    /// What is lowered.
    pub loss: NnueLoss,
    /// Decay of the mean gradient.
    pub beta1: f32,
    /// Decay of the mean square.
    pub beta2: f32,
    /// Added to the root of the mean square.
    pub epsilon: f32,
    /// A step multiplies the rows of the first layer by 1 - rate x decay.
    pub decay: f32,
    /// How fast an input's own row learns, relative to the row that it shares with others.
    pub own_rate: f32,
}

impl Default for NnueTraining {
    fn default() -> NnueTraining {
        let (beta1, beta2, epsilon) = (0.9, 0.999, 1e-8);
        NnueTraining { loss: NnueLoss::Squared, beta1, beta2, epsilon, decay: 0.01, own_rate: 0.1 }
    }
}

impl NnueTraining {
    /// Checks that the numbers make sense.
    ///
    /// # Errors
    /// With the first that does not, in one line.
    pub fn check(&self) -> Result<(), String> {
        self.loss.check()?;
        let share = |what: &str, number: f32, most: f32| {
            let right = (0.0..=most).contains(&number);
            right.then_some(()).ok_or_else(|| format!("{what} must be 0 to {most}, not {number}"))
        };
        share("beta1", self.beta1, 0.999_999)?;
        share("beta2", self.beta2, 0.999_999)?;
        share("epsilon", self.epsilon, 1.0)?;
        share("decay", self.decay, 100.0)?;
        share("own-rate", self.own_rate, 1.0)
    }
}

/// Chunks of positions that go through the network before the rows get their gradients: few enough for the cache.
const WAVE: usize = 8;

/// An integer network in training: float weights, Adam's memory and the buffers of a batch.
pub struct NnueTrainer {
    spec: NnueSpec,
    training: NnueTraining,
    /// The shared row of each input.
    map: Vec<u32>,
    isa: Isa,
    step: u64,
    /// The rows that inputs share; all rows where nothing is shared. In blocks of hidden units, as `own`.
    pub(super) shared: Tensor,
    /// What an input's row adds to the one that it shares.
    pub(super) own: Option<Tensor>,
    pub(super) bias: Tensor,
    /// Weights and bias of each dense layer.
    pub(super) layers: Vec<[Tensor; 2]>,
    /// The rows as the network has them, one after the other.
    rows: Vec<f32>,
    /// The positions at work, chunk by chunk.
    batch: Vec<Samples>,
    /// Gradients of their hidden units.
    hidden: Vec<f32>,
}

impl NnueTrainer {
    /// A trainer that begins with random weights; `map` has the shared row of each input
    /// ([`tesuji_core::Features::shared`]).
    ///
    /// # Errors
    /// If the specification or the way of training is none, or the map is not that of the specification.
    pub fn new(spec: NnueSpec, training: NnueTraining, map: Vec<u32>, seed: u64) -> Result<NnueTrainer, SpecError> {
        spec.check()?;
        training.check().map_err(SpecError::new)?;
        if map.len() != spec.inputs || map.iter().any(|&row| row as usize >= spec.shared_inputs) {
            let (inputs, rows) = (spec.inputs, spec.shared_inputs);
            return Err(SpecError::new(format!("the shared rows are not a number below {rows} for each of {inputs}")));
        }
        let mut index = 0;
        let mut uniform = |len: usize, range: f64| -> Vec<f32> {
            let mut stream = Stream::new(seed, "nnue weights", index);
            index += 1;
            (0..len).map(|_| ((2.0 * stream.unit() - 1.0) * range) as f32).collect()
        };
        let width = spec.width;
        let bound = f32::from(spec.row_bound()) / UNIT as f32;
        // Sums of all that is active have a deviation of about 0.3 around a bias of 0.2: most units are open.
        let shared = uniform(spec.shared_inputs * width, 0.5 / (spec.most_active as f64).sqrt());
        let own = (spec.shared_inputs < spec.inputs)
            .then(|| Tensor::new("own".to_owned(), vec![0.0; spec.inputs * width], bound));
        let layers = spec.layers().into_iter().enumerate().map(|(number, (inputs, outputs))| {
            let weights = uniform(inputs * outputs, (6.0 / inputs as f64).sqrt());
            let name = |what| format!("dense{}.{what}", number + 1);
            [
                Tensor::new(name("weight"), weights, dense_bound(inputs)),
                Tensor::new(name("bias"), vec![0.0; outputs], BIAS_BOUND),
            ]
        });
        let mut trainer = NnueTrainer {
            layers: layers.collect(),
            shared: Tensor::new("rows".to_owned(), shared, bound),
            own,
            bias: Tensor::new("bias".to_owned(), vec![0.2; width], bound),
            rows: vec![0.0; spec.inputs * width],
            map: if spec.shared_inputs < spec.inputs { map } else { (0..spec.inputs as u32).collect() },
            isa: Isa::best(),
            step: 0,
            batch: Vec::new(),
            hidden: Vec::new(),
            training,
            spec,
        };
        trainer.keep_within_bounds();
        Ok(trainer)
    }

    /// A trainer that begins with the weights of an integer network: an input's shared row is the mean of all that
    /// share it, the rest is its own.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_network(
        network: &NnueNetwork,
        training: NnueTraining,
        map: Vec<u32>,
    ) -> Result<NnueTrainer, SpecError> {
        let mut trainer = NnueTrainer::new(network.spec().clone(), training, map, 0)?;
        let weights = network.weights();
        let width = trainer.spec.width;
        let unit = |&number: &i16| f32::from(number) / UNIT as f32;
        let mut rows: Vec<f32> = weights.rows.iter().map(unit).collect();
        if let Some(own) = &mut trainer.own {
            let mut shared = vec![0.0; trainer.spec.shared_inputs * width];
            let mut users = vec![0.0; trainer.spec.shared_inputs];
            for (row, &to) in rows.chunks_exact(width).zip(&trainer.map) {
                users[to as usize] += 1.0;
                shared[to as usize * width..][..width].iter_mut().zip(row).for_each(|(to, from)| *to += from);
            }
            for (row, users) in shared.chunks_exact_mut(width).zip(users) {
                row.iter_mut().for_each(|sum| *sum /= f32::max(users, 1.0));
            }
            for (row, &from) in rows.chunks_exact_mut(width).zip(&trainer.map) {
                row.iter_mut().zip(&shared[from as usize * width..]).for_each(|(to, from)| *to -= from);
            }
            own.weights = rows::to_blocks(&rows, width);
            rows = shared;
        }
        trainer.shared.weights = rows::to_blocks(&rows, width);
        trainer.bias.weights = weights.bias.iter().map(unit).collect();
        for (number, (layer, [weight, bias])) in weights.layers.iter().zip(&mut trainer.layers).enumerate() {
            let full = if number == 0 { trainer.spec.activation.full() } else { 1.0 };
            let unit = f64::from(1 << layer.shift);
            weight.weights = layer.weights.iter().map(|&n| (f64::from(n) * full / unit) as f32).collect();
            bias.weights = layer.bias.iter().map(|&n| (f64::from(n) / unit / 32_768.0) as f32).collect();
        }
        trainer.keep_within_bounds();
        Ok(trainer)
    }

    /// Takes this instruction set instead of the best one; results are the same to the bit.
    ///
    /// # Panics
    /// If this machine lacks it.
    #[must_use]
    pub fn with_isa(mut self, isa: Isa) -> NnueTrainer {
        assert!(isa.is_available(), "{isa:?} is not on this machine");
        self.isa = isa;
        self
    }

    /// The network's specification.
    pub fn spec(&self) -> &NnueSpec {
        &self.spec
    }

    /// Changes what one unit of the logistic scale is as a score: the same results, in other units.
    ///
    /// # Panics
    /// If the specification does not allow this scale.
    pub fn set_scale(&mut self, scale: u32) {
        let spec = NnueSpec { scale, ..self.spec.clone() };
        spec.check().expect("a scale within its range");
        self.spec = spec;
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// One step on some positions of a set, by their numbers; returns their mean loss before it.
    ///
    /// # Panics
    /// If no position is chosen, a number is not in the set or an input not below the number of inputs.
    pub fn step(&mut self, samples: &Samples, chosen: &[u32], rate: f32) -> f64 {
        let loss = self.gradients(samples, chosen);
        self.apply(chosen.len(), rate);
        loss
    }

    /// Sums the gradients of some positions; returns their mean loss.
    pub(super) fn gradients(&mut self, samples: &Samples, chosen: &[u32]) -> f64 {
        assert!(!chosen.is_empty(), "no position to learn from");
        let width = self.spec.width;
        let stride = CHUNK * 2 * width;
        let (mut batch, mut hidden) = (std::mem::take(&mut self.batch), std::mem::take(&mut self.hidden));
        let mut gradient = std::mem::take(&mut self.own.as_mut().unwrap_or(&mut self.shared).gradient);
        batch.resize_with(WAVE, Samples::new);
        hidden.resize(WAVE * stride, 0.0);
        gradient.fill(0.0);
        let net = self.net();
        let chunk = |values: &mut Values, ((chosen, chunk), hidden): ((&[u32], &mut Samples), &mut [f32])| {
            // Copied, since they are read several times and lie far apart.
            chunk.clear();
            chosen.iter().for_each(|&number| chunk.push(samples.get(number as usize)));
            let mut sums = net.sums();
            pass::chunk(self.isa, &net, self.training.loss, chunk, values, &mut sums, hidden);
            sums
        };
        let mut sums: Vec<Sums> = Vec::new();
        for wave in chosen.chunks(WAVE * CHUNK) {
            let chunks = &mut batch[..wave.len().div_ceil(CHUNK)];
            let work = wave.par_chunks(CHUNK).zip(&mut *chunks).zip(hidden.par_chunks_mut(stride));
            sums.par_extend(work.map_init(|| net.values(), chunk));
            rows::add_gradients(self.isa, chunks, &hidden, width, &mut gradient);
        }
        (self.batch, self.hidden) = (batch, hidden);
        self.own.as_mut().unwrap_or(&mut self.shared).gradient = gradient;
        let loss = self.sum(&sums);
        if let Some(own) = &self.own {
            rows::share(&own.gradient, &self.map, width, &mut self.shared.gradient);
        }
        loss / chosen.len() as f64
    }

    /// Adds up the sums of the chunks, in their order; returns the loss.
    fn sum(&mut self, sums: &[Sums]) -> f64 {
        let add = |to: &mut [f32], from: &[f32]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        let dense = self.layers.iter_mut().flatten();
        dense.chain([&mut self.bias]).for_each(|tensor| tensor.gradient.fill(0.0));
        for sums in sums {
            add(&mut self.bias.gradient, &sums.bias);
            for ([weight, bias], (weight_sums, bias_sums)) in self.layers.iter_mut().zip(&sums.layers) {
                add(&mut weight.gradient, weight_sums);
                add(&mut bias.gradient, bias_sums);
            }
        }
        sums.iter().map(|sums| sums.loss).sum()
    }

    /// Moves the weights by the sums of gradients over so many positions.
    fn apply(&mut self, positions: usize, rate: f32) {
        self.step += 1;
        let NnueTraining { beta1, beta2, epsilon, decay, own_rate, .. } = self.training;
        let step = i32::try_from(self.step).unwrap_or(i32::MAX);
        let correction = (1.0 - f64::from(beta2).powi(step)).sqrt().recip() as f32;
        let first = (1.0 - f64::from(beta1).powi(step)) as f32;
        let adam = |rate: f32, decay: f32| {
            let (scale, keep) = (1.0 / positions as f32, 1.0 - rate * decay);
            Adam { scale, rate: rate / first, correction, keep, beta1, beta2, epsilon }
        };
        self.shared.update(self.isa, adam(rate, decay));
        if let Some(own) = &mut self.own {
            own.update(self.isa, adam(rate * own_rate, decay));
        }
        self.bias.update(self.isa, adam(rate, 0.0));
        self.layers.iter_mut().flatten().for_each(|tensor| tensor.update(self.isa, adam(rate, 0.0)));
        self.merge();
    }

    fn merge(&mut self) {
        let own = self.own.as_ref().map(|own| &own.weights[..]);
        rows::merge(&self.shared.weights, own, &self.map, self.spec.width, self.shared.bound, &mut self.rows);
    }

    /// Cuts all weights to what integers can hold.
    fn keep_within_bounds(&mut self) {
        for tensor in self.tensors_mut() {
            let bound = tensor.bound;
            tensor.weights.iter_mut().for_each(|weight| *weight = weight.clamp(-bound, bound));
        }
        self.merge();
    }

    fn net(&self) -> Net<'_> {
        Net {
            width: self.spec.width,
            rows: &self.rows,
            bias: &self.bias.weights,
            squared: self.spec.activation == NnueActivation::SquaredClipped,
            layers: self
                .layers
                .iter()
                .map(|[weight, bias]| Layer { weights: &weight.weights, bias: &bias.weights })
                .collect(),
        }
    }

    /// What floats make of each position, in order: f(position, output).
    fn outputs<T: Send>(&self, samples: &Samples, f: impl Fn(Sample<'_>, f32) -> T + Sync) -> Vec<T> {
        let net = self.net();
        let output = |values: &mut Values, number: usize| {
            let sample = samples.get(number);
            f(sample, pass::output(self.isa, &net, sample, values))
        };
        (0..samples.len()).into_par_iter().map_init(|| net.values(), output).collect()
    }

    /// The mean loss of a set that is not learned from; 0 of an empty one.
    pub fn loss(&self, samples: &Samples) -> f64 {
        let losses = self.outputs(samples, |sample, output| {
            f64::from(self.training.loss.of(output, sample.target).0) * f64::from(sample.weight)
        });
        losses.iter().sum::<f64>() / samples.len().max(1) as f64
    }

    /// The score of each position for the side to move, by the float weights, in units of the heuristic.
    pub fn scores(&self, samples: &Samples) -> Vec<f64> {
        self.outputs(samples, |_, output| f64::from(output) * f64::from(self.spec.scale))
    }

    /// The integer network of the weights as they are now.
    pub fn network(&self) -> NnueNetwork {
        let weights = quantise::quantise(&self.spec, &self.net());
        let network = NnueNetwork::new(self.spec.clone(), &weights);
        network.expect("the quantiser keeps the bounds that the network checks").with_isa(self.isa)
    }

    /// How far the scores of the integer network are from those of the floats, on a set of positions.
    pub fn quantisation_error(&self, samples: &Samples) -> QuantisationError {
        let network = self.network();
        let errors = self.outputs(samples, |sample, output| {
            let integer = f64::from(network.score(sample.mover, sample.other));
            (f64::from(output) * f64::from(self.spec.scale) - integer).abs()
        });
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        QuantisationError { max: errors.into_iter().fold(0.0, f64::max), mean }
    }

    fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        [&self.shared, &self.bias].into_iter().chain(&self.own).chain(self.layers.iter().flatten())
    }

    fn tensors_mut(&mut self) -> impl Iterator<Item = &mut Tensor> {
        [&mut self.shared, &mut self.bias].into_iter().chain(&mut self.own).chain(self.layers.iter_mut().flatten())
    }

    /// Float weights and Adam's memory by name, for a file; [`restore`](Self::restore) takes them back.
    pub fn state(&self) -> BTreeMap<String, Vec<f32>> {
        let named = self.tensors().flat_map(|tensor| {
            let vectors = [("weight", &tensor.weights), ("mean", &tensor.mean), ("square", &tensor.square)];
            vectors.map(|(what, vector)| (format!("{what}.{}", tensor.name), vector.clone()))
        });
        named.collect()
    }

    /// Goes on where a trainer with this state left off after so many steps, to the byte.
    ///
    /// # Errors
    /// If a vector is missing, superfluous, of another length or not finite; nothing is changed then.
    pub fn restore(&mut self, step: u64, state: &BTreeMap<String, Vec<f32>>) -> Result<(), String> {
        let mut known = 0;
        for tensor in self.tensors() {
            for what in ["weight", "mean", "square"] {
                let name = format!("{what}.{}", tensor.name);
                let vector = state.get(&name).ok_or_else(|| format!("training state {name:?} is missing"))?;
                let (has, needs) = (vector.len(), tensor.weights.len());
                if has != needs {
                    return Err(format!("training state {name:?} has {has} numbers, not {needs}"));
                }
                if !vector.iter().all(|number| number.is_finite()) {
                    return Err(format!("training state {name:?} is not finite"));
                }
                known += 1;
            }
        }
        if known != state.len() {
            return Err(format!("training state has {} vectors, not {known}", state.len()));
        }
        for tensor in self.tensors_mut() {
            tensor.weights.clone_from(&state[&format!("weight.{}", tensor.name)]);
            tensor.mean.clone_from(&state[&format!("mean.{}", tensor.name)]);
            tensor.square.clone_from(&state[&format!("square.{}", tensor.name)]);
        }
        self.step = step;
        self.keep_within_bounds();
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
