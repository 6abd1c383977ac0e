//! Tabular methods: learning with one number for each state, on games small enough for that.
//!
//! The classical methods that later ones approximate, each in one file with its formula. All of them work on a
//! [`Setting`], the numbered states of a small game or of a random walk, and all are held against the exact values
//! ([`exact`]) while they learn ([`watch`]).
//!
//! | file | what it holds | what it finds |
//! |---|---|---|
//! | [`evaluation`] | policy evaluation by dynamic programming | the values of the random policy |
//! | [`monte_carlo`] | first-visit and every-visit Monte Carlo | the same, from episodes |
//! | [`td`] | TD(0), n-step | the same, from episodes and estimates |
//! | [`td_lambda`] | TD(lambda) with eligibility traces | the same |
//! | [`policy_iteration`] | policy iteration | the optimum |
//! | [`value_iteration`] | value iteration | the optimum |
//! | [`q_learning`] | Q-learning by self-play | the optimum, from episodes |
//!
//! [`METHODS`] (in [`list`]) is the one list of them: to add a method, add a file and an entry.

pub mod evaluation;
pub mod exact;
pub mod list;
pub mod monte_carlo;
pub mod options;
pub mod policy_iteration;
pub mod q_learning;
pub mod setting;
pub mod step;
pub mod td;
pub mod td_lambda;
#[cfg(test)]
mod tests;
pub mod value_iteration;
pub mod watch;

pub use list::{Lesson, METHODS, TabularMethod, Unit};
pub use options::{Goal, TabularOptions, Traces};
pub use setting::{Setting, SettingError};
pub use step::StepSize;
pub use watch::{Learned, Point, Watch};
