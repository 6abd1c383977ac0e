//! Static evaluation under selective alpha-beta.
//!
//! The search tells the evaluator of every move that it plays and takes back, so that an integer network can keep its
//! first layer up to date instead of computing it anew. The evaluator is a trait object: the search is compiled once for
//! each game, whatever evaluates its leaves.

use crate::score::{self, Score};
use std::sync::Arc;
use tesuji_core::{Game, Position};

/// Evaluates the positions of a search that goes down and up one line at a time.
///
/// Calls nest: `start`, then any mix of `push` and `pop` in which no `pop` goes above the start. `evaluate` is asked for
/// the position that was started or pushed last, or not at all: work that only an evaluation needs belongs there.
pub trait StaticEvaluator<P: Position>: Send {
    /// Begins a line at a position; forgets everything pushed before.
    fn start(&mut self, root: &P);

    /// The search went from `before`, the position that was started or pushed last, to `after` by one move or one pass.
    fn push(&mut self, before: &P, after: &P);

    /// The search went back.
    fn pop(&mut self);

    /// The score of the position for the **side to move**, in the unit of the game's heuristic, and never a decided one
    /// (see [`DECIDED`](score::DECIDED)). The game has not ended here.
    fn evaluate(&mut self, position: &P) -> Score;
}

/// Makes static evaluators: one for each search and thread, all with the same weights.
pub type EvaluatorSource<P> = Arc<dyn Fn() -> Box<dyn StaticEvaluator<P>> + Send + Sync>;

/// The game's heuristic as a static evaluator.
#[derive(Clone, Debug)]
pub struct HeuristicEvaluator<G>(pub G);

impl<G: Game> StaticEvaluator<G::Position> for HeuristicEvaluator<G> {
    fn start(&mut self, _root: &G::Position) {}

    fn push(&mut self, _before: &G::Position, _after: &G::Position) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, position: &G::Position) -> Score {
        score::sign(position.mover()) * score::of_heuristic(&self.0, position)
    }
}
