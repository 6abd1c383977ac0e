//! AlphaZero's method: games by tree search with the newest network, then policy and value from the window.
//!
//! | file | what it holds |
//! |---|---|
//! | [`options`] | [`AlphaZeroOptions`]: `kind = "alphazero"` in the section `[method]` |
//! | [`window`] | the latest games, and samples of them as training batches |
//! | [`learner`] | the schedule, the losses and the steps: the same for every game |

pub mod learner;
pub mod options;
pub mod window;

pub use options::AlphaZeroOptions;
