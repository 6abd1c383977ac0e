//! Portable game notation: games of any number read one by one, and written.
//!
//! A record's `tags` hold the tag pairs, except those that are fields of the record: `Result` is its outcome,
//! `Termination` its ending, `FEN` and `SetUp` its start.
//!
//! Players need not claim draws, so the games of a PGN file may go on where [`DrawRules::OFFICIAL`] ends them:
//! replay them with [`DrawRules::NONE`].
//!
//! ```
//! use tesuji_chess::{Chess, DrawRules, pgn};
//! use tesuji_core::{GameRules, Position, Rules};
//!
//! let text = "[White \"Fool\"]\n\n1. f3 e5 2. g4 {Why?} Qh4# 0-1\n";
//! let record = pgn::Reader::new(text.as_bytes()).next().unwrap().unwrap();
//! let start = Chess::with_draws(Rules::Official, DrawRules::NONE).start();
//! let last = record.replay(start, |_, _, _| {}).unwrap();
//! assert_eq!(last.ending(), "checkmate");
//! assert!(pgn::format(&record).unwrap().ends_with("\n\n1. f3 e5 2. g4 Qh4# 0-1\n"));
//! ```
//!
//! [`DrawRules::OFFICIAL`]: super::DrawRules::OFFICIAL
//! [`DrawRules::NONE`]: super::DrawRules::NONE

mod read;
mod split;
#[cfg(test)]
mod tests;
mod write;

pub use read::{PgnError, Reader, decompressed, open};
pub use split::{GameText, LONGEST_GAME, Part, Splitter};
pub use write::format;
