//! Deep Q-learning: epsilon-greedy games, replay memory, targets r + gamma max Q by a copy of the network.
//!
//! The shogi paper's form (two networks, what moves and where to; one game at a time; a step after every move) and the
//! field's later ones (Double DQN, duelling heads, prioritised replay, n-step returns, targets by tree search) are
//! settings of one learner.
//!
//! | file | what it holds |
//! |---|---|
//! | `options` | [`DqnOptions`]: `kind = "dqn"` in the section `[method]` |
//! | `replay`, `sum_tree` | which transitions are remembered, drawn uniformly or by priority |
//! | `memory` | what the learner asks of a game, without its types |
//! | `learner` | the learner: targets and steps |
//! | `transitions`, `games` | all that knows a game's types: transitions, and games as the learner asks for them |
//! | `declared` | what the rest of the program has to know |

mod declared;
mod games;
mod learner;
mod memory;
mod options;
mod replay;
mod sum_tree;
#[cfg(test)]
mod tests;
mod transitions;

pub use options::{DqnOptions, Opponent};
