//! Weights with their gradients and the optimiser's memory of them.

use super::paths::for_each_isa;
use crate::Isa;
use rayon::prelude::*;

/// Numbers that a thread updates at a time.
const BLOCK: usize = 1 << 14;

/// One set of weights in training.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    /// Its name in files.
    pub name: String,
    /// The weights.
    pub weights: Vec<f32>,
    /// Sums over a batch.
    pub gradient: Vec<f32>,
    /// Adam's mean gradients.
    pub mean: Vec<f32>,
    /// Adam's mean squares.
    pub square: Vec<f32>,
    /// Weights stay within plus and minus this.
    pub bound: f32,
}

/// A step of Adam with decoupled decay, for all weights of a tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adam {
    /// What gradients are multiplied by first.
    pub scale: f32,
    /// The learning rate, corrected for the first steps.
    pub rate: f32,
    /// The root of the mean square, corrected for the first steps.
    pub correction: f32,
    /// What weights are multiplied by.
    pub keep: f32,
    pub beta1: f32,
    pub beta2: f32,
    pub epsilon: f32,
}

impl Tensor {
    pub fn new(name: String, weights: Vec<f32>, bound: f32) -> Tensor {
        let zeros = || vec![0.0; weights.len()];
        Tensor { name, gradient: zeros(), mean: zeros(), square: zeros(), weights, bound }
    }

    /// Moves the weights by the gradient.
    pub fn update(&mut self, isa: Isa, adam: Adam) {
        let blocks = self.weights.par_chunks_mut(BLOCK).zip(self.gradient.par_chunks(BLOCK));
        let memory = self.mean.par_chunks_mut(BLOCK).zip(self.square.par_chunks_mut(BLOCK));
        let bound = self.bound;
        blocks.zip(memory).for_each(|((w, g), (m, s))| update(isa, adam, bound, w, g, m, s));
    }
}

for_each_isa! {
    fn update(adam: Adam, bound: f32, w: &mut [f32], g: &[f32], m: &mut [f32], s: &mut [f32]) = update_all
}

#[inline(always)]
fn update_all(adam: Adam, bound: f32, w: &mut [f32], g: &[f32], m: &mut [f32], s: &mut [f32]) {
    let Adam { scale, rate, correction, keep, beta1, beta2, epsilon } = adam;
    for (((w, g), m), s) in w.iter_mut().zip(g).zip(m).zip(s) {
        let g = g * scale;
        *m += (1.0 - beta1) * (g - *m);
        *s += (1.0 - beta2) * (g * g - *s);
        let moved = *w * keep - rate * *m / (s.sqrt() * correction + epsilon);
        // Not `clamp`: whatever the rate, a weight is a number within its bound.
        *w = moved.max(-bound).min(bound);
    }
}
