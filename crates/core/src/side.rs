//! Who plays, who won, and what a position is worth.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One of the two players, named by who moves first from the start of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Side {
    /// The player who moves first (chess White, shogi Black, TUBSTAP Red).
    First,
    /// The player who moves second.
    Second,
}

impl Side {
    /// Both sides, first player first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The opponent.
    #[inline]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first player, 1 for the second: for indexing tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// +1 for the first player, -1 for the second: turns a value for the first player into one for this side.
    #[inline]
    pub const fn sign(self) -> f32 {
        match self {
            Side::First => 1.0,
            Side::Second => -1.0,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "first",
            Side::Second => "second",
        })
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// This side won.
    Win(Side),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// The outcome as a value: +1 if the first player won, -1 if the second did, 0 for a draw.
    #[inline]
    pub const fn value(self) -> Value {
        match self {
            Outcome::Win(side) => Value(side.sign()),
            Outcome::Draw => Value(0.0),
        }
    }

    /// Points of `side` as in a tournament table: 1, 0.5 or 0.
    #[inline]
    pub fn points(self, side: Side) -> f64 {
        match self {
            Outcome::Win(winner) if winner == side => 1.0,
            Outcome::Win(_) => 0.0,
            Outcome::Draw => 0.5,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Win(side) => write!(f, "{side} player wins"),
            Outcome::Draw => f.write_str("draw"),
        }
    }
}

/// What a position is worth, in -1..=1, **for the first player**.
///
/// Values are turned only where a mover compares them ([`Value::for_side`]). The usual habit, negating at every
/// ply, is wrong as soon as one side moves twice in a row, as in TUBSTAP.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f32")]
pub struct Value(f32);

impl TryFrom<f32> for Value {
    type Error = &'static str;

    /// A value that was written down; nothing but -1..=1 is one.
    fn try_from(for_first: f32) -> Result<Value, &'static str> {
        if (-1.0..=1.0).contains(&for_first) { Ok(Value(for_first)) } else { Err("a value outside of -1..=1") }
    }
}

impl Value {
    /// A drawn or unknown position.
    pub const ZERO: Value = Value(0.0);

    /// A value for the first player, clamped to -1..=1; not-a-number becomes 0.
    #[inline]
    pub fn new(for_first: f32) -> Value {
        if for_first.is_nan() { Value(0.0) } else { Value(for_first.clamp(-1.0, 1.0)) }
    }

    /// A value that was computed from `side`'s point of view.
    #[inline]
    pub fn from_side(side: Side, value: f32) -> Value {
        Value::new(side.sign() * value)
    }

    /// The value for the first player.
    #[inline]
    pub const fn get(self) -> f32 {
        self.0
    }

    /// The value as `side` sees it.
    #[inline]
    pub fn for_side(self, side: Side) -> f32 {
        side.sign() * self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_value_is_not_read() {
        assert_eq!(Value::try_from(-1.0), Ok(Value(-1.0)));
        for wrong in [f32::NAN, f32::INFINITY, 1.5, -1.01] {
            assert!(Value::try_from(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_turn_with_the_side() {
        let won = Outcome::Win(Side::Second).value();
        assert_eq!(won.get(), -1.0);
        assert_eq!(won.for_side(Side::Second), 1.0);
        assert_eq!(Value::from_side(Side::Second, 0.25).get(), -0.25);
        assert_eq!(Value::new(f32::NAN), Value::ZERO);
        assert_eq!(Value::new(7.0).get(), 1.0);
        assert_eq!(Outcome::Draw.points(Side::First), 0.5);
    }
}
