//! A network in training.

use super::loss::{self, Action, Losses, MovesLeft, Reply, Targets};
use super::optimiser::Optimiser;
use super::tape::Tape;
use crate::graph::Parameter;
use crate::kernel::Isa;
use crate::{Graph, NetworkFile, NetworkInfo, Weights};
use std::collections::{BTreeMap, BTreeSet};
use tesuji_core::Stream;

/// A network in training: weights, gradients, the optimiser's state and the buffers of a batch.
pub struct Trainer {
    graph: Graph,
    weights: Weights,
    optimiser: Optimiser,
    l2: f32,
    seed: u64,
    step: u64,
    isa: Isa,
    gradients: Vec<Vec<f32>>,
    /// By parameter, then as [`Optimiser::slots`] names them.
    state: Vec<Vec<Vec<f32>>>,
    /// One for each batch size that is in use, the latest last.
    tapes: Vec<Tape>,
}

/// Batch sizes whose buffers are kept: learners that also ask the network about single positions use two or three.
const TAPES: usize = 3;

impl Trainer {
    /// A trainer that begins with these weights; `l2` is the coefficient c of c |w|^2 in the loss (PyTorch's weight
    /// decay is twice that), and `seed` decides what dropout drops.
    ///
    /// # Panics
    /// If the weights are not the network's.
    pub fn new(graph: Graph, weights: Weights, optimiser: Optimiser, l2: f32, seed: u64) -> Trainer {
        assert!(weights.fit(&graph), "weights of another network");
        let zeros = || graph.parameters().map(|parameter| vec![0.0; parameter.len()]);
        let slots = |parameter: &Parameter| match parameter.trainable {
            true => optimiser.slots().iter().map(|_| vec![0.0; parameter.len()]).collect(),
            false => Vec::new(),
        };
        Trainer {
            gradients: zeros().collect(),
            state: graph.parameters().map(slots).collect(),
            graph,
            weights,
            optimiser,
            l2,
            seed,
            step: 0,
            isa: Isa::best(),
            tapes: Vec::new(),
        }
    }

    /// Takes this instruction set instead of the best one.
    ///
    /// # Panics
    /// If this machine lacks it.
    #[must_use]
    pub fn with_isa(mut self, isa: Isa) -> Trainer {
        assert!(isa.is_available(), "{isa:?} is not on this machine");
        self.isa = isa;
        self.tapes.clear();
        self
    }

    /// The network.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The weights as they are now.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Bytes of weights, gradients, the optimiser's state and the buffers of the latest batch size.
    pub fn bytes(&self) -> usize {
        let vectors = self.weights.tensors().iter().chain(&self.gradients).chain(self.state.iter().flatten());
        size_of::<f32>() * (vectors.map(Vec::len).sum::<usize>() + self.tapes.iter().map(Tape::len).sum::<usize>())
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// The gradients of the latest backward pass, one vector for each parameter, without the L2 term.
    pub fn gradients(&self) -> &[Vec<f32>] {
        &self.gradients
    }

    /// Sets eligibility traces to zero.
    pub fn clear_traces(traces: &mut [Vec<f32>]) {
        traces.iter_mut().for_each(|trace| trace.fill(0.0));
    }

    /// Decays eligibility traces, adds the gradients to them, and puts the traces times `scale` in the gradients' place,
    /// for [`apply`](Self::apply): e = decay e + g, g = scale e. A trace is as long as its weight tensor.
    pub fn trace(&mut self, traces: &mut [Vec<f32>], decay: f32, scale: f32) {
        for (trace, gradient) in traces.iter_mut().zip(&mut self.gradients) {
            for (e, g) in trace.iter_mut().zip(gradient) {
                *e = decay * *e + *g;
                *g = scale * *e;
            }
        }
    }

    /// One step: forward, losses, backward, update.
    ///
    /// # Panics
    /// If `inputs` is empty or no whole number of views, or the targets are not one for each position.
    pub fn step(&mut self, inputs: &[f32], targets: &Targets<'_>, rate: f32) -> Losses {
        self.forward(inputs);
        let (losses, gradients) = self.losses(targets);
        self.backward(&gradients);
        self.apply(rate);
        losses
    }

    /// Runs a batch through the network as training sees it and moves the running statistics of its norms.
    ///
    /// # Panics
    /// If `inputs` is empty or no whole number of views.
    pub fn forward(&mut self, inputs: &[f32]) {
        let view = self.graph.input().len();
        assert!(!inputs.is_empty() && inputs.len().is_multiple_of(view), "no whole number of views");
        let batch = inputs.len() / view;
        let known = self.tapes.iter().position(|tape| tape.batch() == batch);
        if known.is_none() && self.tapes.len() == TAPES {
            self.tapes.remove(0);
        }
        let tape = known.map(|known| self.tapes.remove(known));
        let mut tape = tape.unwrap_or_else(|| Tape::new(self.isa, &self.graph, batch));
        let key = self.dropout_key();
        tape.forward(&self.graph, &mut self.weights, inputs, key);
        self.tapes.push(tape);
    }

    /// An output of the latest forward pass, one row a position.
    ///
    /// # Panics
    /// If there was none.
    pub fn output(&self, output: usize) -> Vec<f32> {
        self.tapes.last().expect("a forward pass comes first").output(&self.graph, output)
    }

    /// Sends gradients of the outputs, in the order of [`Graph::outputs`] and each one row a position, back through
    /// the latest forward pass: [`gradients`](Self::gradients) then has those of the parameters.
    ///
    /// # Panics
    /// If there was no forward pass.
    pub fn backward(&mut self, output_gradients: &[Vec<f32>]) {
        let key = self.dropout_key();
        let tape = self.tapes.last_mut().expect("a forward pass comes first");
        tape.backward(&self.graph, &self.weights, output_gradients, &mut self.gradients, key);
    }

    /// Moves the weights by the latest gradients.
    pub fn apply(&mut self, rate: f32) {
        self.step += 1;
        let tensors = self.weights.tensors_mut().iter_mut();
        let parameters = self.graph.parameters().zip(tensors).zip(&self.gradients).zip(&mut self.state);
        for (((parameter, weights), gradient), state) in
            parameters.filter(|(((parameter, _), _), _)| parameter.trainable)
        {
            debug_assert_eq!(parameter.len(), weights.len());
            self.optimiser.update(weights, gradient, state, self.step, rate, self.l2);
        }
    }

    /// c |w|^2 over the weights as they are now: what the L2 term adds to the loss.
    pub fn l2_loss(&self) -> f32 {
        let tensors = self.graph.parameters().zip(self.weights.tensors());
        let squares = tensors.filter(|(parameter, _)| parameter.trainable).flat_map(|(_, weights)| weights);
        // Millions of terms: in double precision.
        let sum: f64 = squares.map(|&weight| f64::from(weight).powi(2)).sum();
        (f64::from(self.l2) * sum) as f32
    }

    /// The losses of the latest forward pass, and the gradients of the outputs.
    ///
    /// # Panics
    /// If the network has no such outputs or the targets are not one for each position.
    pub fn losses(&self, targets: &Targets<'_>) -> (Losses, Vec<Vec<f32>>) {
        let mut gradients: Vec<Vec<f32>> = (0..self.graph.outputs().len())
            .map(|output| vec![0.0; self.graph.output_len(output) * self.tapes.last().map_or(0, Tape::batch)])
            .collect();
        let output = |name: &str| {
            let number = self.graph.output(name).unwrap_or_else(|| panic!("the network has no output {name:?}"));
            (number, self.output(number), self.graph.output_len(number))
        };
        let mut losses = Losses::default();
        match *targets {
            Targets::PolicyValue(targets) => {
                let (number, logits, len) = output("policy");
                let policy = loss::policies((&logits, len), targets.policy, targets.legal, 1.0, &mut gradients[number]);
                losses.policy = policy.cross_entropy;
                losses.divergence = policy.divergence;
                losses.policy_accuracy = policy.accuracy;
                losses.targets.policy = policy.targets;
                let (number, values, _) = output("value");
                let how = (targets.value_loss, targets.value_weight);
                losses.value = loss::pointwise(&values, targets.value, &[], how, &mut gradients[number]);
                losses.compare(&values, targets.value);
                losses.total = policy.lowered + targets.value_weight * losses.value;
                if let Some(Reply { policy, weight }) = targets.reply {
                    let (number, logits, len) = output("reply");
                    let reply = loss::policies((&logits, len), policy, &[], weight, &mut gradients[number]);
                    losses.reply = reply.cross_entropy;
                    losses.targets.reply = reply.targets;
                    losses.total += weight * reply.lowered;
                }
                if let Some(MovesLeft { moves, loss, weight }) = targets.moves_left {
                    let (number, values, _) = output("moves-left");
                    losses.moves_left = loss::pointwise(&values, moves, &[], (loss, weight), &mut gradients[number]);
                    losses.total += weight * losses.moves_left;
                }
            }
            Targets::Action(action) => self.action_loss("q", action, &mut losses, &mut gradients),
            Targets::Actions([first, second]) => {
                self.action_loss("q2", second, &mut losses, &mut gradients);
                // The errors of the first network are the ones that are kept.
                self.action_loss("q", first, &mut losses, &mut gradients);
            }
            Targets::Value { targets, loss } => {
                let (number, values, _) = output("value");
                losses.value = loss::pointwise(&values, targets, &[], (loss, 1.0), &mut gradients[number]);
                losses.compare(&values, targets);
                losses.total = losses.value;
            }
        }
        (losses, gradients)
    }

    /// Adds the loss of chosen actions of one output.
    fn action_loss(&self, name: &str, action: Action<'_>, losses: &mut Losses, gradients: &mut [Vec<f32>]) {
        let number = self.graph.output(name).unwrap_or_else(|| panic!("the network has no output {name:?}"));
        let (q, len) = (self.output(number), self.graph.output_len(number));
        assert_eq!(action.actions.len(), q.len() / len, "an action for each position");
        let index = |(position, &action): (usize, &u32)| position * len + action as usize;
        let indices: Vec<usize> = action.actions.iter().enumerate().map(index).collect();
        let chosen: Vec<f32> = indices.iter().map(|&index| q[index]).collect();
        let mut of_chosen = vec![0.0; chosen.len()];
        let loss = loss::pointwise(&chosen, action.targets, action.weights, (action.loss, 1.0), &mut of_chosen);
        losses.compare(&chosen, action.targets);
        indices.iter().zip(of_chosen).for_each(|(&index, gradient)| gradients[number][index] = gradient);
        losses.value += loss;
        losses.total = losses.value;
    }

    /// The optimiser's state by name, for a weight file.
    pub fn state(&self) -> BTreeMap<String, Vec<f32>> {
        let named = self.graph.parameters().zip(&self.state).flat_map(|(parameter, slots)| {
            let names = self.optimiser.slots().iter();
            names.zip(slots).map(move |(slot, numbers)| (format!("{slot}.{}", parameter.name), numbers.clone()))
        });
        named.collect()
    }

    /// Goes on where a trainer with this state left off after so many steps.
    ///
    /// # Errors
    /// If a vector is missing, superfluous or has another length; nothing is changed then.
    pub fn restore(&mut self, step: u64, state: &BTreeMap<String, Vec<f32>>) -> Result<(), String> {
        let mut known = 0;
        for (slot, parameter) in self.slots() {
            let name = format!("{slot}.{}", parameter.name);
            let found = state.get(&name).ok_or_else(|| format!("optimiser state {name:?} is missing"))?;
            if found.len() != parameter.len() {
                let (has, needs) = (found.len(), parameter.len());
                return Err(format!("optimiser state {name:?} has {has} numbers, not {needs}"));
            }
            known += 1;
        }
        if known != state.len() {
            let names: BTreeSet<String> =
                self.slots().map(|(slot, parameter)| format!("{slot}.{}", parameter.name)).collect();
            let stranger = state.keys().find(|name| !names.contains(*name));
            return Err(format!("optimiser state {stranger:?} is not of this optimiser"));
        }
        for (parameter, slots) in self.graph.parameters().zip(&mut self.state) {
            for (slot, numbers) in self.optimiser.slots().iter().zip(slots) {
                numbers.copy_from_slice(&state[&format!("{slot}.{}", parameter.name)]);
            }
        }
        self.step = step;
        Ok(())
    }

    /// The vectors that the optimiser keeps: (what, of which parameter).
    fn slots(&self) -> impl Iterator<Item = (&'static str, &Parameter)> {
        let trainable = self.graph.parameters().filter(|parameter| parameter.trainable);
        trainable.flat_map(|parameter| self.optimiser.slots().iter().map(move |&slot| (slot, parameter)))
    }

    /// Everything that training needs to go on, as a weight file; `about` says whose, its step is set here.
    ///
    /// Saved, loaded and given to [`resume`](Self::resume), training goes on as if it had never stopped, to the byte.
    pub fn checkpoint(&self, about: NetworkInfo) -> NetworkFile {
        NetworkFile {
            about: NetworkInfo { step: self.step, ..about },
            weights: self.weights.clone(),
            state: self.state(),
        }
    }

    /// A trainer that goes on from a [`checkpoint`](Self::checkpoint); optimiser, `l2` and `seed` must be those that
    /// it was made with.
    ///
    /// # Errors
    /// If the file's network is none, or its state is not that of this optimiser, in one line.
    pub fn resume(file: NetworkFile, optimiser: Optimiser, l2: f32, seed: u64) -> Result<Trainer, String> {
        let graph = file.about.spec.graph().map_err(|error| error.to_string())?;
        if !file.weights.fit(&graph) {
            return Err("the weights are not those of the specification".to_owned());
        }
        let mut trainer = Trainer::new(graph, file.weights, optimiser, l2, seed);
        trainer.restore(file.about.step, &file.state)?;
        Ok(trainer)
    }

    fn dropout_key(&self) -> u64 {
        Stream::new(self.seed, "dropout", self.step).next_u64()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
