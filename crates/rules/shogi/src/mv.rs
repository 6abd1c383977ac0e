//! Moves in 16 bits.

use super::piece::Kind;
use super::square::Square;

/// A move: a piece goes from a square to another, perhaps promoting, or is dropped from the hand.
///
/// The stable numeric form: bits 0..7 the target square, bits 7..14 the origin (or, of a drop, the number of the
/// kind), bit 14 promotion, bit 15 drop. Squares are numbered as [`Square`] says, for the board in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

const PROMOTE: u16 = 1 << 14;
const DROP: u16 = 1 << 15;

impl Move {
    /// A move on the board.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, promote: bool) -> Move {
        Move(to.0 as u16 | (from.0 as u16) << 7 | if promote { PROMOTE } else { 0 })
    }

    /// A drop of an unpromoted piece other than a king.
    #[inline(always)]
    pub const fn drop(kind: Kind, to: Square) -> Move {
        Move(to.0 as u16 | (kind as u16) << 7 | DROP)
    }

    /// Where the piece arrives.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square((self.0 & 127) as u8)
    }

    /// Where the piece leaves from; `None` of a drop.
    #[inline(always)]
    pub const fn from(self) -> Option<Square> {
        if self.is_drop() { None } else { Some(self.origin()) }
    }

    /// The kind of the dropped piece; `None` of a move on the board.
    #[inline]
    pub const fn dropped(self) -> Option<Kind> {
        if self.is_drop() { Kind::from_index(self.origin().index()) } else { None }
    }

    /// Whether the piece promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTE != 0
    }

    /// Whether the piece comes from the hand.
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.0 & DROP != 0
    }

    /// The code of the piece after the move, given the one before it.
    #[inline(always)]
    pub(super) const fn promotes(self, code: u8) -> u8 {
        // The promotion bit, moved to where it turns a kind into its promoted one.
        code | (self.0 >> 11) as u8 & 8
    }

    /// The origin of a move on the board, the kind's number of a drop.
    #[inline(always)]
    pub(super) const fn origin(self) -> Square {
        Square((self.0 >> 7 & 127) as u8)
    }
}

impl tesuji_core::Move for Move {
    fn to_bits(self) -> u32 {
        u32::from(self.0)
    }

    fn from_bits(bits: u32) -> Option<Move> {
        let mv = Move(u16::try_from(bits).ok()?);
        let squares = super::square::MOST_SQUARES;
        let origins = if mv.is_drop() { Kind::IN_HAND.len() } else { squares };
        let sensible = mv.to().index() < squares
            && mv.origin().index() < origins
            && !(mv.is_drop() && mv.is_promotion())
            && (mv.is_drop() || mv.origin() != mv.to());
        sensible.then_some(mv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Move as _;

    #[test]
    fn numeric_forms_are_stable() {
        // Golden numbers: records store them.
        let push = Move::new(Square(60), Square(59), false);
        let promotion = Move::new(Square(70), Square(20), true);
        let drop = Move::drop(Kind::Gold, Square(80));
        assert_eq!([push, promotion, drop].map(Move::to_bits), [7739, 25364, 33616]);
        for mv in [push, promotion, drop] {
            assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
        }
    }

    #[test]
    fn senseless_numbers_are_no_moves() {
        let taken = (0..=u32::from(u16::MAX)).filter_map(Move::from_bits).count();
        assert_eq!(taken, 81 * 80 * 2 + 7 * 81);
        assert_eq!(Move::from_bits(1 << 16), None);
        assert_eq!(Move::from_bits(u32::MAX), None);
    }
}
