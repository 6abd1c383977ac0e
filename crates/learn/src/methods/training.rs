//! What can be chosen about training, whatever the learning method.

use crate::ranges::{KeyRanges, SHARE, WEIGHT, real, whole};
use serde::{Deserialize, Serialize};
use tesuji_nn::train::{Optimiser, Schedule};

/// How games are learned from: the section `[training]` of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Training {
    /// Samples of a step.
    pub batch: usize,
    /// Samples of a generation for each of its new positions.
    pub samples_per_position: f64,
    /// Steps of a generation, whatever the number of positions; 0 to go by `samples_per_position`.
    pub steps: u64,
    /// The latest games are the window; 0 for no limit by games.
    pub window_games: u64,
    /// The latest positions are the window (whole games); 0 for no limit by positions.
    pub window_positions: u64,
    /// The rule that turns gradients into steps.
    pub optimiser: Optimiser,
    /// The learning rate by step.
    pub schedule: Schedule,
    /// The coefficient c of c |w|^2.
    pub l2: f32,
    /// The weight of the value's loss.
    pub value_weight: f32,
    /// Share of the search's own value in the target of the value, the rest being the game's result.
    pub search_value: f32,
    /// Only legal moves compete in the policy's loss: the network need not learn the rules of movement.
    pub legal_only: bool,
    /// The weight of the loss of the opponent's reply, if the network has that head.
    pub reply_weight: f32,
    /// The weight of the loss of the moves left, if the network has that head.
    pub moves_left_weight: f32,
    /// Draw one of the game's symmetries for each sample.
    pub symmetries: bool,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            batch: 128,
            samples_per_position: 4.0,
            steps: 0,
            window_games: 0,
            window_positions: 60_000,
            optimiser: Optimiser::Sgd { momentum: 0.9, nesterov: true },
            schedule: Schedule::Constant { rate: 0.02 },
            l2: 1e-4,
            value_weight: 1.0,
            search_value: 0.0,
            legal_only: true,
            reply_weight: 0.15,
            moves_left_weight: 0.05,
            symmetries: true,
        }
    }
}

impl Training {
    /// The ranges of its numbers.
    pub fn ranges() -> KeyRanges {
        let (rate, steps) = (real(0.0..=100.0), whole(0..=1_000_000_000_000));
        let decay = real(0.0..=0.999_999_999);
        let smallest = real(1e-30..=1.0);
        vec![
            ("batch", whole(1..=65_536)),
            ("samples_per_position", real(0.0..=1_000_000.0)),
            ("steps", steps.clone()),
            ("window_games", whole(0..=1_000_000_000)),
            ("window_positions", whole(0..=1_000_000_000)),
            ("optimiser.sgd.momentum", decay.clone()),
            ("optimiser.adam.beta1", decay.clone()),
            ("optimiser.adam.beta2", decay),
            ("optimiser.adam.epsilon", smallest.clone()),
            ("optimiser.adagrad.epsilon", smallest),
            ("schedule.constant.rate", rate.clone()),
            ("schedule.steps.rates.0", steps.clone()),
            ("schedule.steps.rates.1", rate.clone()),
            ("schedule.cosine.rate", rate.clone()),
            ("schedule.cosine.last", rate),
            ("schedule.cosine.warmup", steps.clone()),
            ("schedule.cosine.steps", steps),
            ("l2", WEIGHT),
            ("value_weight", WEIGHT),
            ("search_value", SHARE),
            ("reply_weight", WEIGHT),
            ("moves_left_weight", WEIGHT),
        ]
    }

    /// Checks that the values, each in its range, make sense together.
    ///
    /// # Errors
    /// With the first one that does not, in words.
    pub fn check(&self) -> Result<(), String> {
        if self.window_games == 0 && self.window_positions == 0 {
            let problem = "training.window_games and training.window_positions are both 0: memory would have no bound";
            return Err(problem.to_owned());
        }
        if self.samples_per_position == 0.0 && self.steps == 0 {
            return Err(
                "training.samples_per_position and training.steps are both 0: nothing would be learned".to_owned()
            );
        }
        Ok(())
    }

    /// The steps of a generation that has so many new positions.
    pub fn steps_for(&self, positions: u64) -> u64 {
        let wanted = self.samples_per_position * positions as f64 / self.batch as f64;
        if self.steps > 0 { self.steps } else { wanted.ceil() as u64 }
    }

    /// Makes a generation's training as short as it can be.
    pub fn shrink(&mut self) {
        (self.batch, self.steps) = (8, 2);
    }
}
