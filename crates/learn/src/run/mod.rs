//! A run on disk and at work: what every way of learning shares, whatever the game.
//!
//! | file | what it holds |
//! |---|---|
//! | [`error`] | [`RunError`]: why a run cannot go on |
//! | [`events`] | what happened: [`Event`] and its parts, the same in every repetition |
//! | [`ledger`] | what it cost: [`Entry`](ledger::Entry), [`Meter`](ledger::Meter), [`PlayCost`](ledger::PlayCost) |
//! | [`directory`] | [`RunDir`]: the files of a run, and its lock |
//! | [`keep`] | [`Keep`]: which files stay |
//! | [`progress`] | what whoever watches is told, and the conditions of the work |
//! | [`parallel`] | work on several threads |
//! | [`played`] | [`Play`]: whatever plays the games of a generation |
//! | [`session`] | [`Run`]: a run at work |

pub mod directory;
pub mod error;
pub mod events;
pub mod keep;
pub mod ledger;
pub mod parallel;
pub mod played;
pub mod progress;
pub mod session;

pub use directory::{
    PART, RunDir, RunInfo, network_generations, network_path, read_costs, read_events, read_experiment,
};
pub use error::RunError;
pub use events::{Event, GameStatistics, GenerationEvent, StrengthEvent, TestScore};
pub use keep::Keep;
pub use played::{Done, Play, PlayedGame};
pub use progress::{Progress, RunConditions, StopRule};
pub use session::{Begin, Run, State};
