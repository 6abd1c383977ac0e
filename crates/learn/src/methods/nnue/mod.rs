//! Integer networks by alpha-beta's games with itself.
//!
//! A generation plays games by selective search at a fixed number of nodes, the first one by the game's heuristic or
//! from nothing at all, and learns the value of their quiet positions from what the search found and how the game ended.
//!
//! | file | what it holds |
//! |---|---|
//! | [`options`] | [`NnueOptions`]: `kind = "nnue"` in the section `[method]` |
//! | [`games`] | games played, and read as positions to learn from: compiled for each game |
//! | [`window`] | the positions of the latest generations |
//! | [`learner`] | the schedule and the steps: the same for every game |
//! | `declared` | what it declares as a learning method |

mod declared;
pub mod games;
pub mod learner;
pub mod options;
pub mod window;

pub use options::{NnueOptions, Start, Targets};
