//! A run on disk and at work: what every learning method shares, whatever the game.
//!
//! | file | what it holds |
//! |---|---|
//! | [`error`] | [`RunError`]: why a run cannot go on |
//! | [`events`] | what happened: [`Event`] and its parts, the same in every repetition |
//! | [`ledger`] | what it cost: [`Entry`](ledger::Entry), [`Meter`](ledger::Meter), [`PlayCost`](ledger::PlayCost) |
//! | [`curves`] | events and costs joined: curves over generations, training steps and minutes |
//! | `files` | files that are opened without following links |
//! | `layout` | where the files are; [`RunInfo`] |
//! | `manifest` | what the files must be |
//! | `repair` | what is put right before a run goes on |
//! | [`directory`] | [`RunDir`]: the files of a run, and its lock |
//! | [`fresh`] | [`Fresh`]: a start that fails leaves nothing behind |
//! | [`checkpoint`] | [`Checkpoint`]: the networks of runs on disk |
//! | [`taught`] | the network of a run in training, in floats or in integers |
//! | [`keep`] | [`Keep`]: which files stay |
//! | [`progress`] | what whoever watches is told, and the conditions of the work |
//! | [`parallel`] | work on several threads |
//! | [`played`] | [`Play`]: whatever plays the games of a generation; [`Workers`]: other processes that do |
//! | [`session`] | [`Run`]: a run at work |
//! | [`games`] | its games: played, read back, played again |

pub mod checkpoint;
pub mod curves;
pub mod directory;
pub mod error;
pub mod events;
pub(crate) mod files;
pub mod fresh;
pub mod games;
pub mod keep;
mod layout;
pub mod ledger;
mod manifest;
pub mod parallel;
pub mod played;
pub mod progress;
mod repair;
pub mod session;
pub mod taught;

pub use checkpoint::{About, Checkpoint, State};
pub use directory::{PART, RunDir, is_at_work, read_costs, read_events, read_experiment, read_file};
pub use error::RunError;
pub use events::{Event, GameStatistics, GenerationEvent, HeldOut, StrengthEvent, TestScore};
pub use fresh::Fresh;
pub use games::{Anywhere, Lot, PlayAgain, Ready, part_size};
pub use keep::Keep;
pub use layout::{RunInfo, network_generations, network_path};
pub use played::{Done, Order, Play, PlayedGame, Workers};
pub use progress::{Progress, RunConditions, StopRule};
pub use session::{Begin, Run};
pub use taught::BeginNetwork;
