//! What one unit does, as a number and as text.
//!
//! In text an action names cells: `b2c3` moves the unit on b2 to c3, `b2b2` lets it stay, `b2c3xc4` moves it to c3 and
//! attacks the unit on c4, `b2b2xb4` lets a cannon fire, `end` ends the turn.

use super::board::Cell;
use std::fmt::{self, Write};
use tesuji_core::{Move, MoveError};

/// One unit's action, or the end of the turn.
///
/// Cells name the units, so an action means the same on every map and needs no position to be written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(u32);

/// Set in the numeric form of attacks.
const ATTACK: u32 = 1 << 24;

impl Action {
    /// Ends the turn while units could still act.
    pub const END_TURN: Action = Action(1 << 25);

    /// The unit on `from` goes to `to` (which may be the same cell: it stays).
    #[inline]
    pub const fn go(from: Cell, to: Cell) -> Action {
        Action(from.byte() as u32 | (to.byte() as u32) << 8)
    }

    /// The unit on `from` goes to `to` and attacks the unit on `target`.
    #[inline]
    pub const fn attack(from: Cell, to: Cell, target: Cell) -> Action {
        Action(Action::go(from, to).0 | (target.byte() as u32) << 16 | ATTACK)
    }

    /// Where the acting unit stands; meaningless for [`END_TURN`](Self::END_TURN).
    #[inline]
    pub const fn from(self) -> Cell {
        Cell::from_byte(self.0 as u8)
    }

    /// Where the acting unit goes; meaningless for [`END_TURN`](Self::END_TURN).
    #[inline]
    pub const fn to(self) -> Cell {
        Cell::from_byte((self.0 >> 8) as u8)
    }

    /// Where the attacked unit stands, if there is an attack.
    #[inline]
    pub const fn target(self) -> Option<Cell> {
        if self.0 & ATTACK != 0 { Some(Cell::from_byte((self.0 >> 16) as u8)) } else { None }
    }
}

impl Move for Action {
    fn to_bits(self) -> u32 {
        self.0
    }

    fn from_bits(bits: u32) -> Option<Action> {
        let action = Action(bits);
        let well_formed = bits < ATTACK << 1 && (bits & ATTACK != 0 || bits >> 16 == 0);
        (action == Action::END_TURN || well_formed).then_some(action)
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_action(*self))
    }
}

/// The action as text.
pub fn format_action(action: Action) -> String {
    if action == Action::END_TURN {
        return "end".into();
    }
    let mut text = format!("{}{}", action.from(), action.to());
    if let Some(target) = action.target() {
        // Writing to a string cannot fail.
        let _ = write!(text, "x{target}");
    }
    text
}

/// Reads an action; says nothing about its legality.
///
/// # Errors
/// If the text is not of one of the four forms.
pub fn parse_action(text: &str) -> Result<Action, MoveError> {
    let read = || {
        if text == "end" {
            return Some(Action::END_TURN);
        }
        let (from, rest) = Cell::parse_front(text)?;
        let (to, rest) = Cell::parse_front(rest)?;
        if rest.is_empty() {
            return Some(Action::go(from, to));
        }
        match Cell::parse_front(rest.strip_prefix('x')?)? {
            (target, "") => Some(Action::attack(from, to, target)),
            _ => None,
        }
    };
    read().ok_or_else(|| {
        MoveError::malformed(text, "expected a move such as b2c3 (b2b2 stays), an attack such as b2c3xc4, or end")
    })
}
