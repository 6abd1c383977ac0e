//! The games of Tesuji: rules, notation, text boards, encoders, heuristics and rule bots.
//!
//! One folder or file a game. [`registry`] is the only place that lists them: the command line, the conformance
//! suite, the golden playthroughs and the benchmarks all go through it.

pub mod bingo3d;
pub mod chess;
pub mod connect4;
pub mod formats;
pub mod registry;
pub mod shogi;
pub mod tictactoe;
pub mod tubstap;

pub use registry::{UnknownGame, Visitor, game, names, visit};
