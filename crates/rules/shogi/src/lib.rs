//! Shogi (9x9) and minishogi (5x5) from one implementation over the board's [`Geometry`].
//!
//! | file | what it holds |
//! |---|---|
//! | `geometry`, `square` | the two boards; squares and their numbering |
//! | `bits`, `tables`, `attacks` | sets of squares, compile-time tables, sliding pieces |
//! | `piece`, `hand`, `mv` | kinds, hands in one word, moves in 16 bits |
//! | `board` | [`Board`]: the position without history, played on by copying |
//! | `movegen`, `checks`, `mate` | legal moves, checking moves, what mate solvers ask |
//! | `tactics` | captures, promotions and exchanges, for selective search |
//! | `setup`, `sfen`, `usi` | unvalidated positions and the notations |
//! | `rules`, `history`, `position` | how games end; [`ShogiPosition`]: a board with its history |
//! | `game`, `render`, `scene`, `encoder`, `features` | the games as the rest of Tesuji sees them |
//! | `heuristic`, [`strength`] | what positions and single moves are worth at first sight |
//! | [`kif`], [`csa`], [`transcript`] | game records, and what the two formats have in common |
//! | `kanji` | pieces, numbers and hands in Japanese, for KIF and `render` |
//! | `written` | moves as players type them: `76歩`, `P-7f` |
//!
//! The first player is the one called black (先手), who sits at the bottom and moves towards rank `a`.

mod attacks;
mod bits;
mod board;
mod checks;
pub mod csa;
mod encoder;
mod features;
pub mod files;
mod game;
mod geometry;
mod hand;
mod heuristic;
mod history;
mod kanji;
pub mod kif;
mod mate;
mod movegen;
mod mv;
mod piece;
mod position;
#[cfg(test)]
mod record_tests;
mod render;
mod rules;
mod scene;
mod setup;
mod sfen;
mod square;
pub mod strength;
mod tables;
mod tactics;
pub mod transcript;
pub mod usi;
mod written;

pub use bits::Bits;
pub use board::Board;
pub use encoder::{Dqn, Fixed, Layout, Planes};
pub use features::KingPieces;
pub use game::{Minishogi, Shogi, ShogiGame};
pub use geometry::{Five, Geometry, Nine};
pub use hand::Hand;
pub use mv::Move;
pub use piece::{Kind, Movement, Piece};
pub use position::ShogiPosition;
pub use rules::{EndRules, Impasse, Repetition};
pub use setup::Setup;
pub use square::Square;
