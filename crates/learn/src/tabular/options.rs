//! What can be chosen about the methods, and the episodes that follow from it.

use super::setting::Setting;
use super::step::StepSize;
use serde::Serialize;
use tesuji_core::Stream;

/// Sweeps stop when no value changes by more.
pub(super) const TOLERANCE: f64 = 1e-13;

/// What a method looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The values of states if both sides play at random.
    RandomPolicy,
    /// The values of states if both sides play as well as can be.
    Optimum,
}

/// What eligibility traces do when a state recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traces {
    /// Add 1.
    Accumulating,
    /// Begin again at 1.
    Replacing,
}

/// The parameters of the methods; each uses those that [`TabularMethod::options`](super::TabularMethod::options) names.
#[derive(Clone, Debug, PartialEq)]
pub struct TabularOptions {
    /// How many games to learn from.
    pub episodes: u64,
    /// The step size; `None` is the method's own ([`TabularMethod::alpha`](super::TabularMethod::alpha)).
    pub alpha: Option<StepSize>,
    /// The discount, above 0 and at most 1.
    pub gamma: f64,
    /// The share of long returns in TD(lambda), 0 to 1.
    pub lambda: f64,
    /// The n of n-step methods, at least 1.
    pub steps: usize,
    /// How often Q-learning plays at random, 0 to 1.
    pub epsilon: f64,
    /// What traces do when a state recurs.
    pub traces: Traces,
    /// Whether episodes begin at states drawn at random instead of at the start.
    pub exploring_starts: bool,
    /// The seed of the episodes.
    pub seed: u64,
}

impl Default for TabularOptions {
    fn default() -> TabularOptions {
        TabularOptions {
            episodes: 100_000,
            alpha: None,
            gamma: 1.0,
            lambda: 0.8,
            steps: 3,
            epsilon: 0.5,
            traces: Traces::Accumulating,
            exploring_starts: false,
            seed: 1,
        }
    }
}

impl TabularOptions {
    /// The step size: the mean, if neither the caller nor the method has named one.
    pub(super) fn alpha(&self) -> StepSize {
        self.alpha.unwrap_or(StepSize::MEAN)
    }
}

/// Where an episode begins, and its random numbers.
pub(super) fn begin(setting: &Setting, options: &TabularOptions, number: u64) -> (usize, Stream) {
    let mut random = Stream::new(options.seed, "episode", number);
    let start = match options.exploring_starts {
        true => setting.open()[random.below(setting.open().len())],
        false => setting.start,
    };
    (start, random)
}

/// The states of an episode of the random policy: the same for every method.
pub(super) fn episode(setting: &Setting, options: &TabularOptions, number: u64) -> Vec<usize> {
    let (start, mut random) = begin(setting, options, number);
    setting.random_episode(start, &mut random)
}
