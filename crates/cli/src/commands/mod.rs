//! One file or folder per subcommand: its arguments for clap, and `run`. `reference` is none: it makes pages of the
//! documentation for `completions`.

pub mod agents;
pub mod analyse;
pub mod bench;
pub mod bench_cluster;
pub mod bench_solved;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod data;
pub mod doctor;
pub mod elo;
pub mod engine;
pub mod games;
pub mod ladder;
pub mod matches;
pub mod mate;
pub mod moves;
pub mod net;
pub mod openings;
pub mod perft;
pub mod play;
pub mod play_random;
pub mod record;
pub mod reference;
pub mod report;
pub mod reproduce;
pub mod runs;
pub mod serve;
pub mod show;
pub mod strengths;
pub mod teach;
pub mod tournament;
pub mod train;
pub mod worker;
pub mod workers;
