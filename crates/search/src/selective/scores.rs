//! The ranges of scores and depths.

use crate::score::Score;

/// The deepest iteration.
pub const DEEPEST: i32 = 120;

/// A repetition that wins, `n` plies below the root, is worth `n` less than this.
pub const REPEATED: Score = 500_000;

/// Scores beyond this (or below its negative) are wins or repetitions; evaluations stay within.
pub const KNOWN: Score = 400_000;
