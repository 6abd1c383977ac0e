//! Deep Q-learning: epsilon-greedy games, replay memory, targets r + gamma max Q by a copy of the network.
//!
//! The shogi paper's form (two networks, what moves and where to; one game at a time; a step after every move) and the
//! field's later ones (Double DQN, duelling heads, prioritised replay, n-step returns, targets by tree search) are
//! settings of one learner.
//!
//! | file | what it holds |
//! |---|---|
//! | `options` | [`DqnOptions`]: `kind = "dqn"` in the section `[method]` |
//! | `replay`, `sum_tree` | the latest transitions, drawn uniformly or by priority |
//! | `learner` | the learner |
//! | `declared` | what the rest of the program has to know |

mod declared;
mod learner;
mod options;
mod replay;
mod sum_tree;
#[cfg(test)]
mod tests;

pub use options::{DqnOptions, Opponent};
