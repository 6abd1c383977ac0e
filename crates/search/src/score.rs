//! Whole-number scores of the exact searches (minimax, alpha-beta), for the first player.

use crate::heuristic;
use std::fmt;
use tesuji_core::{Game, Outcome, Side, Value};

/// A score for the first player: hundredths as [`Heuristics::heuristic`](tesuji_core::Heuristics::heuristic) gives them, or a won game.
pub type Score = i32;

/// A game won at the root. A win `n` plies away is worth `n` less, so that the nearer win and the farther loss count
/// for more.
pub const WIN: Score = 1_000_000;

/// The deepest line that a search looks at.
pub const MAX_PLY: usize = 256;

/// Scores beyond this (or below its negative) are wins; heuristic scores stay within.
pub const DECIDED: Score = WIN - 2 * MAX_PLY as Score;

/// Beyond every score.
pub const INFINITE: Score = WIN + 1;

/// The score of an outcome `ply` plies below the root.
pub fn of_outcome(outcome: Outcome, ply: usize) -> Score {
    match outcome {
        Outcome::Win(Side::First) => WIN - ply as Score,
        Outcome::Win(Side::Second) => ply as Score - WIN,
        Outcome::Draw => 0,
    }
}

/// The heuristic, kept apart from won games.
pub fn of_heuristic<G: Game>(game: &G, position: &G::Position) -> Score {
    game.heuristic(position).clamp(-DECIDED, DECIDED)
}

/// Why a position cannot be evaluated, in words.
type Refusal<P> = dyn Fn(&P) -> Option<String> + Send;

/// An evaluation function for the leaves of exact searches, instead of the game's heuristic: a value for the first
/// player, -1 to 1.
pub struct LeafJudge<P> {
    value: Box<dyn FnMut(&P) -> f32 + Send>,
    refusal: Box<Refusal<P>>,
}

impl<P> LeafJudge<P> {
    /// An evaluation by a function of every position.
    pub fn new(value: impl FnMut(&P) -> f32 + Send + 'static) -> LeafJudge<P> {
        LeafJudge { value: Box::new(value), refusal: Box::new(|_| None) }
    }

    /// The same for positions that are not refused; see [`Search::refusal`](tesuji_core::Search::refusal).
    #[must_use]
    pub fn unless(self, refusal: impl Fn(&P) -> Option<String> + Send + 'static) -> LeafJudge<P> {
        LeafJudge { refusal: Box::new(refusal), ..self }
    }

    /// Why it cannot evaluate this position and those that follow from it, in words.
    pub fn refusal(&self, position: &P) -> Option<String> {
        (self.refusal)(position)
    }
}

impl<P> fmt::Debug for LeafJudge<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LeafJudge")
    }
}

/// The score of a leaf by an evaluation function, or by the heuristic if there is none.
pub fn of_leaf<G: Game>(game: &G, judge: Option<&mut LeafJudge<G::Position>>, position: &G::Position) -> Score {
    match judge {
        None => of_heuristic(game, position),
        // The inverse of `to_value`; a value of 1 is not yet a won game.
        Some(judge) => {
            let value = (judge.value)(position).clamp(-0.9999, 0.9999);
            ((libm::atanhf(value) * game.heuristic_scale()) as Score).clamp(-DECIDED, DECIDED)
        }
    }
}

/// The outcome that a score proves.
pub fn decided(score: Score) -> Option<Outcome> {
    match score {
        _ if score > DECIDED => Some(Outcome::Win(Side::First)),
        _ if score < -DECIDED => Some(Outcome::Win(Side::Second)),
        _ => None,
    }
}

/// A score as a value: won games are 1, others `tanh(score / scale)`.
pub fn to_value<G: Game>(game: &G, score: Score) -> Value {
    match decided(score) {
        Some(outcome) => outcome.value(),
        None => Value::new(heuristic::score_value(game, score)),
    }
}

/// The sign that turns a score for the first player into one for `side`, and back.
pub const fn sign(side: Side) -> Score {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}

/// A window of scores for the first player as `side` sees it, and back.
pub const fn window(side: Side, alpha: Score, beta: Score) -> (Score, Score) {
    match side {
        Side::First => (alpha, beta),
        Side::Second => (-beta, -alpha),
    }
}
