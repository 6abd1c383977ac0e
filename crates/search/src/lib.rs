//! The searches of Tesuji: everything that chooses a move without a network, and the tree that those with one use.
//!
//! | file | what it is |
//! |---|---|
//! | [`simple`] | random, the rule bot, flat Monte Carlo |
//! | [`minimax`] | every line to a fixed depth |
//! | [`alphabeta`] | the same score sooner: iterative deepening, table, killers, history, quiescence |
//! | [`selective`] | alpha-beta that prunes and reduces: deeper, but no longer exact |
//! | [`evaluate`] | static evaluation under selective alpha-beta: the heuristic, an integer network |
//! | [`rollout`], [`heuristic`] | leaf values: playouts of several kinds, the heuristic, a mix |
//! | [`strengths`] | strengths of move features, learned from games, for playouts |
//! | [`mate`] | forced mates: proof numbers, depth-first by checks, exact with quiet moves |
//! | [`mcts`] | one Monte-Carlo tree for UCT and PUCT, for one leaf at a time or batches |
//! | [`agent`], [`mod@options`], [`classical`], [`depth_agents`] | agents by name: `uct:sims=2000,c=1.19` |
//! | [`handle`] | searches and mate solvers without their game's type |
//! | [`player`] | a search as a player of matches |
//! | [`clock`] | when a search must end |
//! | [`score`] | whole-number scores of the exact searches |
//! | `sort` | sorting, compiled once |
//!
//! A search knows [`Position`](tesuji_core::Position) and the hooks of [`Game`](tesuji_core::Game), never a game.

pub mod agent;
pub mod alphabeta;
pub mod classical;
pub mod clock;
pub mod depth_agents;
pub mod evaluate;
pub mod handle;
pub mod heuristic;
pub mod mate;
pub mod mcts;
pub mod minimax;
pub mod options;
pub mod player;
pub mod rollout;
pub mod score;
pub mod selective;
pub mod simple;
mod sort;
pub mod strengths;

pub use alphabeta::AlphaBeta;
pub use classical::ClassicalSpec;
pub use handle::{AgentSource, AnySearch, MateSolver, Searcher};
pub use mcts::Mcts;
pub use minimax::Minimax;
pub use selective::Selective;
pub use simple::{Bot, Flat, Random};

/// A policy that is certain of one move.
fn one_hot<M: Copy + PartialEq>(moves: &[M], best: M) -> Vec<(M, f32)> {
    moves.iter().map(|&mv| (mv, if mv == best { 1.0 } else { 0.0 })).collect()
}
