//! How gradients move weights.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Numbers that a thread updates at a time.
const BLOCK: usize = 1 << 16;

/// A rule that turns gradients into steps; the learning rate comes with each step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Optimiser {
    /// w -= rate * g.
    GradientDescent,
    /// v = momentum * v + g; w -= rate * v, or with Nesterov w -= rate * (g + momentum * v).
    Sgd {
        /// How much of the last step lives on.
        momentum: f32,
        /// Nesterov's variant.
        nesterov: bool,
    },
    /// Adam with bias correction.
    Adam {
        /// Decay of the mean gradient.
        beta1: f32,
        /// Decay of the mean square.
        beta2: f32,
        /// Added to the root of the mean square.
        epsilon: f32,
    },
    /// s += g^2; w -= rate * g / (sqrt(s) + epsilon).
    Adagrad {
        /// Added to the root of the sum.
        epsilon: f32,
    },
}

impl Optimiser {
    /// SGD as the minishogi paper has it.
    pub const MOMENTUM: Optimiser = Optimiser::Sgd { momentum: 0.9, nesterov: false };

    /// Adam with the usual constants.
    pub const ADAM: Optimiser = Optimiser::Adam { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

    /// Adagrad with the usual constant.
    pub const ADAGRAD: Optimiser = Optimiser::Adagrad { epsilon: 1e-10 };

    /// The names of the vectors that it keeps for each parameter.
    pub(super) fn slots(self) -> &'static [&'static str] {
        match self {
            Optimiser::GradientDescent => &[],
            Optimiser::Sgd { .. } => &["momentum"],
            Optimiser::Adam { .. } => &["mean", "square"],
            Optimiser::Adagrad { .. } => &["sum"],
        }
    }

    /// Moves the weights of one parameter; `step` counts from 1, `l2` is the coefficient c of c |w|^2 in the loss.
    pub(super) fn update(
        self,
        weights: &mut [f32],
        gradient: &[f32],
        state: &mut [Vec<f32>],
        step: u64,
        rate: f32,
        l2: f32,
    ) {
        let decay = 2.0 * l2;
        match (self, state) {
            (Optimiser::GradientDescent, []) => {
                let blocks = weights.par_chunks_mut(BLOCK).zip(gradient.par_chunks(BLOCK));
                blocks.for_each(|(w, g)| w.iter_mut().zip(g).for_each(|(w, g)| *w -= rate * (g + decay * *w)));
            }
            (Optimiser::Sgd { momentum, nesterov }, [velocity]) => {
                let blocks = weights.par_chunks_mut(BLOCK).zip(gradient.par_chunks(BLOCK));
                blocks.zip(velocity.par_chunks_mut(BLOCK)).for_each(|((w, g), v)| {
                    for ((w, g), v) in w.iter_mut().zip(g).zip(v) {
                        let g = g + decay * *w;
                        *v = momentum * *v + g;
                        *w -= rate * if nesterov { g + momentum * *v } else { *v };
                    }
                });
            }
            (Optimiser::Adam { beta1, beta2, epsilon }, [mean, square]) => {
                let step = i32::try_from(step).unwrap_or(i32::MAX);
                let rate = rate / (1.0 - f64::from(beta1).powi(step)) as f32;
                let correction = (1.0 - f64::from(beta2).powi(step)).sqrt().recip() as f32;
                let blocks = weights.par_chunks_mut(BLOCK).zip(gradient.par_chunks(BLOCK));
                let state = mean.par_chunks_mut(BLOCK).zip(square.par_chunks_mut(BLOCK));
                blocks.zip(state).for_each(|((w, g), (m, s))| {
                    for (((w, g), m), s) in w.iter_mut().zip(g).zip(m).zip(s) {
                        let g = g + decay * *w;
                        *m += (1.0 - beta1) * (g - *m);
                        *s += (1.0 - beta2) * (g * g - *s);
                        *w -= rate * *m / (s.sqrt() * correction + epsilon);
                    }
                });
            }
            (Optimiser::Adagrad { epsilon }, [sum]) => {
                let blocks = weights.par_chunks_mut(BLOCK).zip(gradient.par_chunks(BLOCK));
                blocks.zip(sum.par_chunks_mut(BLOCK)).for_each(|((w, g), s)| {
                    for ((w, g), s) in w.iter_mut().zip(g).zip(s) {
                        let g = g + decay * *w;
                        *s += g * g;
                        *w -= rate * g / (s.sqrt() + epsilon);
                    }
                });
            }
            _ => unreachable!("the state was made for this optimiser"),
        }
    }
}

/// The learning rate by training step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// Always the same.
    Constant {
        /// The rate.
        rate: f32,
    },
    /// From each step on, another rate.
    Steps {
        /// (first step, rate), in order of the steps; before the first one the first rate holds.
        rates: Vec<(u64, f32)>,
    },
    /// From `rate` down to `last` along half a cosine over `steps`, after a linear rise over `warmup` steps.
    Cosine {
        /// The highest rate.
        rate: f32,
        /// The rate at the end and after it.
        last: f32,
        /// Steps of the rise.
        warmup: u64,
        /// Steps in all.
        steps: u64,
    },
}

impl Schedule {
    /// The rate of a step, counted from 0.
    pub fn rate(&self, step: u64) -> f32 {
        match *self {
            Schedule::Constant { rate } => rate,
            Schedule::Steps { ref rates } => {
                let current = rates.iter().rev().find(|(first, _)| *first <= step).or(rates.first());
                current.map_or(0.0, |&(_, rate)| rate)
            }
            Schedule::Cosine { rate, warmup, .. } if step < warmup => rate * (step + 1) as f32 / warmup as f32,
            Schedule::Cosine { rate, last, warmup, steps } => {
                let share = (step - warmup) as f64 / steps.saturating_sub(warmup).max(1) as f64;
                let height = 0.5 + 0.5 * (std::f64::consts::PI * share.min(1.0)).cos();
                last + (rate - last) * height as f32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimisers_follow_their_formulas() {
        let run = |optimiser: Optimiser, l2| {
            let mut weights = [1.0_f32, -2.0];
            let mut state: Vec<Vec<f32>> = optimiser.slots().iter().map(|_| vec![0.0; 2]).collect();
            for step in 1..=2 {
                optimiser.update(&mut weights, &[0.5, 1.0], &mut state, step, 0.1, l2);
            }
            weights
        };
        let close = |got: [f32; 2], expected: [f32; 2]| {
            assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{got:?} v {expected:?}");
        };
        // Worked by hand, and the same as torch.optim gives.
        close(run(Optimiser::GradientDescent, 0.0), [0.9, -2.2]);
        close(run(Optimiser::MOMENTUM, 0.0), [0.855, -2.29]);
        close(run(Optimiser::Sgd { momentum: 0.9, nesterov: true }, 0.0), [0.7695, -2.461]);
        close(run(Optimiser::ADAM, 0.0), [0.8, -2.2]);
        close(run(Optimiser::ADAGRAD, 0.0), [0.829_289_3, -2.170_710_7]);
        // With c = 0.25 the gradient grows by w / 2.
        close(run(Optimiser::GradientDescent, 0.25), [0.805, -2.0]);
    }

    #[test]
    fn schedules_pass_through_their_corners() {
        let steps = Schedule::Steps { rates: vec![(0, 0.1), (10, 0.01)] };
        assert_eq!([steps.rate(0), steps.rate(9), steps.rate(10), steps.rate(99)], [0.1, 0.1, 0.01, 0.01]);
        let cosine = Schedule::Cosine { rate: 1.0, last: 0.1, warmup: 4, steps: 104 };
        assert_eq!([cosine.rate(0), cosine.rate(3), cosine.rate(4)], [0.25, 1.0, 1.0]);
        assert!((cosine.rate(54) - 0.55).abs() < 1e-6);
        assert_eq!([cosine.rate(104), cosine.rate(1000)], [0.1, 0.1]);
    }
}
