//! A run's games played by other processes, on other machines, to the same bytes.
//!
//! A unit of work is a part of a generation: its games depend on the experiment, the generation, their numbers and the
//! network before them, and on nothing else. So any worker may make it, twice if need be; a duplicate is harmless, and
//! two copies that differ expose a worker that is broken.
//!
//! | file | what it holds |
//! |---|---|
//! | [`mod@unit`] | [`Unit`], [`Work`], [`Heartbeat`], [`Tally`]: what processes tell each other |
//! | [`seal`] | a line of JSON and some bytes under one checksum |
//! | [`contest`] | [`Contest`]: games between two agents: matches of a run, games of a data set |
//! | [`part`] | [`Part`]: a finished unit; how the learner checks it |
//! | [`transport`] | [`Transport`]: what lies between the processes |
//! | [`dir`] | a shared directory as transport |
//! | [`pulse`] | who is alive |
//! | [`attempts`] | units that workers take and do not survive |
//! | [`foreman`] | [`Foreman`]: the learner's side |
//! | [`job`] | a run, as a worker plays for it |
//! | [`worker`] | the worker's side |

pub mod attempts;
pub mod contest;
pub mod dir;
pub mod foreman;
pub mod job;
pub mod part;
pub mod pulse;
pub mod seal;
pub mod transport;
pub mod unit;
pub mod worker;

pub use contest::{Contest, Networks, Purpose, Seat, Terms};
pub use dir::SharedDir;
pub use foreman::{Foreman, ForemanOptions, LearnerPlays, MATCHES};
pub use job::Kits;
pub use part::Part;
pub use transport::{Arrived, Claim, Transport, Verdict};
pub use unit::{Heartbeat, NetworkSum, Tallies, Tally, Task, Unit, Work};
pub use worker::{WorkerOptions, WorkerReport, work};
