//! What can be chosen about deep Q-learning.

use crate::play::Epsilon;
use serde::{Deserialize, Serialize};
use tesuji_nn::train::Pointwise;

/// Deep Q-learning: `kind = "dqn"` in the section `[method]` of an experiment. Games of a generation, their greatest length and the games in
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
    /// Sums of several moves end before a random one: the network judges the position in which it was played, as if the
    /// best had been (Watkins's Q(lambda)).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_random: bool,
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
            cut_random: false,
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
