//! One file or folder per subcommand: its arguments for clap, and `run`.

pub mod agents;
pub mod analyse;
pub mod bench;
pub mod convert;
pub mod data;
pub mod elo;
pub mod engine;
pub mod games;
pub mod matches;
pub mod mate;
pub mod moves;
pub mod net;
pub mod perft;
pub mod play;
pub mod play_random;
pub mod record;
pub mod runs;
pub mod show;
pub mod teach;
pub mod tournament;
pub mod train;
