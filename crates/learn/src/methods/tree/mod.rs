//! One tree a cycle: the chess paper's algorithm 2. The tree of a cycle starts with the start position alone, grows by so
//! many iterations, each of whose leaves is a complete game of the greedy policy, and its nodes are what is learned.
//!
//! | file | what it holds |
//! |---|---|
//! | [`options`] | [`TreeCycleOptions`]: `kind = "tree"` in the section `[method]` |
//! | [`cycle`] | the tree of a cycle, and samples of its nodes: compiled for each game |
//! | [`declared`] | what the rest of the program has to know of it |
//! | [`learner`] | the schedule, the losses and the steps: the same for every game |

pub mod cycle;
pub mod declared;
pub mod learner;
pub mod options;

pub use options::TreeCycleOptions;
