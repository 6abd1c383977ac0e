//! What can be chosen about deep Q-learning.

use crate::epsilon::Epsilon;
use crate::experiment::ExperimentError;
use serde::{Deserialize, Serialize};
use tesuji_nn::train::Pointwise;

/// Deep Q-learning: the section `[dqn]` of an experiment. Games of a generation, their greatest length and the games in
/// flight are those of `[selfplay]`; batch, optimiser and schedule those of `[training]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DqnOptions {
    /// Choose by two networks, what moves and where to, as the shogi paper does.
    pub pairs: bool,
    /// Play one game at a time with the weights of the moment and take a training step after every so many moves; 0 to
    /// play a generation's games with the network of the one before, many at a time, and train then.
    pub train_every: u64,
    /// Transitions that are remembered, first in, first out.
    pub replay: usize,
    /// The share of random moves, by game.
    pub epsilon: Epsilon,
    /// The discount gamma, by move of the same side if `opponent` is `ignored`, otherwise by ply.
    pub gamma: f32,
    /// What the opponent's moves are.
    pub opponent: Opponent,
    /// Moves whose rewards are summed before the network judges the rest (n-step returns).
    pub steps: usize,
    /// The reward of a won game; a lost one has minus that.
    pub win: f32,
    /// What the rewards of captures are multiplied by.
    pub captures: f32,
    /// Training steps between two copies of the network to the one that makes targets: C.
    pub target_every: u64,
    /// Choose the best reply by the network and judge it by the copy (Double DQN).
    pub double: bool,
    /// Prioritised replay: the exponent alpha; 0 draws uniformly.
    pub priority: f32,
    /// Prioritised replay: the exponent beta of the weights that make up for it.
    pub correction: f32,
    /// Simulations of a tree search with the copy that judges the position behind a transition; 0 for its best Q.
    pub search: u64,
    /// The loss of a Q against its target.
    pub loss: Pointwise,
}

/// What the opponent's moves are to the learner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opponent {
    /// A player whose gain is our loss: its best Q counts against us.
    #[default]
    Negates,
    /// A part of the world: the next position is the one in which we move again.
    Ignored,
}

impl Default for DqnOptions {
    fn default() -> DqnOptions {
        DqnOptions {
            pairs: false,
            train_every: 0,
            replay: 100_000,
            epsilon: Epsilon::Falls { start: 0.5, end: 0.05, games: 2000 },
            gamma: 0.97,
            opponent: Opponent::Negates,
            steps: 1,
            win: 1.0,
            captures: 0.01,
            target_every: 200,
            double: true,
            priority: 0.0,
            correction: 0.4,
            search: 0,
            loss: Pointwise::Huber { delta: 1.0 },
        }
    }
}

impl DqnOptions {
    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        let fail = |problem: String| Err(ExperimentError(problem));
        let share = |number: f32| (0.0..=1.0).contains(&number);
        if self.replay == 0 || self.replay > 1 << 28 {
            return fail(format!("dqn.replay = {}: expected 1 to 2^28", self.replay));
        }
        if !share(self.gamma) {
            return fail(format!("dqn.gamma = {}: expected 0 to 1", self.gamma));
        }
        if self.steps == 0 {
            return fail("dqn.steps = 0: expected at least 1".to_owned());
        }
        if self.target_every == 0 {
            return fail("dqn.target_every = 0: expected at least 1".to_owned());
        }
        if !self.epsilon.is_sane() {
            return fail("dqn.epsilon: expected shares between 0 and 1".to_owned());
        }
        if !(share(self.priority) && share(self.correction)) {
            return fail("dqn.priority and dqn.correction: expected 0 to 1".to_owned());
        }
        if self.search > 0 && (self.pairs || self.opponent == Opponent::Ignored || self.win > 1.0) {
            return fail("dqn.search needs opponent = \"negates\", win = 1 at most, and no pairs".to_owned());
        }
        Ok(())
    }
}
