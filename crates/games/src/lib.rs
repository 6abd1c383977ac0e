//! The games of Tesuji: rules, notation, text boards, encoders, heuristics and rule bots.
//!
//! A game is a file here, as [`tictactoe`] is, or a crate of its own in `crates/rules`, so that a change of one game
//! does not recompile the others. [`registry`] is the only list of them: the command line, the conformance suite, the
//! golden playthroughs and the benchmarks all use it.

pub mod books;
pub mod formats;
pub mod registry;
pub mod tictactoe;

pub use registry::{UnknownGame, Visitor, game, names, visit};
pub use tesuji_bingo3d as bingo3d;
pub use tesuji_chess as chess;
pub use tesuji_connect4 as connect4;
pub use tesuji_shogi as shogi;
pub use tesuji_tubstap as tubstap;
