//! Q values of a network: as a player, and as a judge of positions.
//!
//! | file | what it holds |
//! |---|---|
//! | [`q`] | which numbers of the network belong to which moves |
//! | [`evaluator`] | Q as a judge of positions for tree search |
//! | [`kind`] | `dqn:net=...` |

pub mod evaluator;
pub mod kind;
pub mod q;

pub use evaluator::QEvaluator;
pub use kind::DqnKind;
pub use q::{Action, Layout, Reader, Rows};
