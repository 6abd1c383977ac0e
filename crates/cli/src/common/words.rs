//! Outcomes and sides in machine-readable output.

use tesuji_core::{Outcome, Side};

/// The word for an outcome in machine-readable output: the winner, or `draw`.
pub fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(side) => side_word(side),
        Outcome::Draw => "draw",
    }
}

/// The word for a side.
pub fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}
