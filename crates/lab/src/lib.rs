//! The laboratory: papers reproduced, methods compared at equal cost, runs and matches reported.
//!
//! | file | what it holds |
//! |---|---|
//! | [`error`] | [`LabError`]: why something cannot be made |
//! | [`file`](mod@file) | [`Reproduction`]: the typed file of a paper: steps, numbers, claims |
//! | [`template`] | values filled into texts; what steps refer to |
//! | [`mod@plan`] | a reproduction at a scale, worked out job by job |
//! | [`openings`] | where games start, by name |
//! | [`needs`] | engines and data sets that must be there |
//! | [`layout`] | where the files are; the state on disk |
//! | [`work`] | the jobs, done: runs, matches, data sets, measurements; all resumable |
//! | [`entry`] | what came out, with every number by name |
//! | [`judge`] | claims, decided by intervals |
//! | [`show`] | tables and figures, ours beside the paper's |
//! | [`standing`] | a player of a tournament: how strong, at what cost |
//! | [`standings`] | a tournament: ratings, costs, when training has paid |
//! | [`differs`] | what differs from the paper, listed from data |
//! | [`compose`] | the report of a reproduction |
//! | [`mod@reproduce`] | all of it, from a name to the report |
//! | [`mod@matches`] | the report of a match, from its journal |
//! | [`mod@compare`] | agents at equal CPU time |

pub mod compare;
pub mod compose;
pub mod differs;
pub mod entry;
pub mod error;
pub mod file;
pub mod judge;
pub mod layout;
pub mod matches;
pub mod needs;
pub mod openings;
pub mod plan;
pub mod reproduce;
pub mod show;
pub mod standing;
pub mod standings;
pub mod template;
pub mod work;

pub use error::LabError;
pub use file::{BUILT_IN, Reproduction, Scale};
pub use reproduce::{Progress, Setting, reproduce};
