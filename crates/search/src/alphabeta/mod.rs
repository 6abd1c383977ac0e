//! Alpha-beta for every game that has a heuristic.
//!
//! | file | what it is |
//! |---|---|
//! | `search` | [`AlphaBeta`]: iterative deepening |
//! | `walk` | the recursive search to one depth, with quiescence |
//! | `order` | move ordering: killers and history |
//! | `table` | the transposition table |
//!
//! Iterative deepening; principal-variation windows; a bounded transposition table; killers and history; quiescence
//! where the game has attacks. With `quiescence: 0` the score is exactly that of plain [minimax](crate::minimax) at
//! the same depth, only found sooner: nothing is reduced or pruned on suspicion.

mod order;
mod search;
mod table;
mod walk;

pub use search::{AlphaBeta, AlphaBetaConfig};
