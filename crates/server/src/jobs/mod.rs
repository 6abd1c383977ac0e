//! Everything that takes a while: searches, matches, runs.
//!
//! | file | what it holds |
//! |---|---|
//! | [`job`] | [`Job`]: its state, its cost, a way to end it |
//! | [`pool`] | a fixed number of threads that work off a queue |
//! | [`list`] | [`Jobs`]: all of them; those of a tab end with it |

pub mod job;
pub mod list;
pub mod pool;

pub use job::{Job, Kind, State};
pub use list::Jobs;
