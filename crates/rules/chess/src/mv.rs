//! A chess move in 16 bits.

use shakmaty::{Role, Square};
use std::fmt;
use tesuji_core::Move;

/// A move: origin, destination and promotion. Castling is the king's two-square step, as in UCI.
///
/// Bits 0-5 are the origin, 6-11 the destination (a1 is 0, b1 is 1, h8 is 63), 12-14 the promotion (0 none, 1 knight,
/// 2 bishop, 3 rook, 4 queen).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChessMove(u16);

/// What a pawn can become, in the order of the numeric form (code 1 is the knight).
pub(super) const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl ChessMove {
    /// A move that is not a promotion.
    #[inline]
    pub const fn new(from: Square, to: Square) -> ChessMove {
        ChessMove(from.to_u32() as u16 | (to.to_u32() as u16) << 6)
    }

    /// A promotion to a knight, bishop, rook or queen. (A king or pawn makes no move of chess.)
    #[inline]
    pub const fn promoting(from: Square, to: Square, role: Role) -> ChessMove {
        // Roles count from the pawn, 1; promotions from the knight, 1.
        ChessMove(ChessMove::new(from, to).0 | (role as u16 - 1) << 12)
    }

    /// The origin.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new(self.0 as u32 & 63)
    }

    /// The destination; of castling, the king's.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new(self.0 as u32 >> 6 & 63)
    }

    /// What the pawn becomes, if it is a promotion.
    #[inline]
    pub const fn promotion(self) -> Option<Role> {
        match self.0 >> 12 {
            0 => None,
            code => Some(PROMOTIONS[code as usize - 1]),
        }
    }

    /// Whether a king's move is the two-file step of castling.
    #[inline]
    pub(super) const fn is_castling_step(self) -> bool {
        self.from().file().distance(self.to().file()) > 1
    }

    /// Reads `e2e4` or `e7e8q`; says nothing about legality.
    pub fn from_uci(text: &str) -> Option<ChessMove> {
        let bytes = text.as_bytes();
        let square = |at: usize| Square::from_ascii(bytes.get(at..at + 2)?).ok();
        let (from, to) = (square(0)?, square(2)?);
        let promotion = match &bytes[4..] {
            [] => 0,
            [letter] => 1 + PROMOTIONS.iter().position(|role| role.char() == char::from(*letter))? as u32,
            _ => return None,
        };
        ChessMove::from_bits(u32::from(ChessMove::new(from, to).0) | promotion << 12)
    }
}

impl Move for ChessMove {
    #[inline]
    fn to_bits(self) -> u32 {
        u32::from(self.0)
    }

    fn from_bits(bits: u32) -> Option<ChessMove> {
        if bits >> 12 > PROMOTIONS.len() as u32 {
            return None;
        }
        let mv = ChessMove(bits as u16);
        let (from, to) = (mv.from(), mv.to());
        let possible = match mv.promotion() {
            None => from != to,
            Some(_) => {
                let ranks = (from.rank().to_u32(), to.rank().to_u32());
                matches!(ranks, (6, 7) | (1, 0)) && from.file().distance(to.file()) <= 1
            }
        };
        possible.then_some(mv)
    }
}

/// UCI: `e2e4`, `e7e8q`.
impl fmt::Display for ChessMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promotion().map_or(Ok(()), |role| write!(f, "{}", role.char()))
    }
}

impl fmt::Debug for ChessMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_forms_and_uci_texts_name_the_same_moves() {
        // 64 * 63 moves without promotion; 22 pawn steps a side to the last rank, four promotions each.
        let moves: Vec<ChessMove> = (0..=u32::from(u16::MAX) + 9).filter_map(ChessMove::from_bits).collect();
        assert_eq!(moves.len(), 64 * 63 + 2 * 22 * 4);
        for mv in moves {
            assert_eq!(ChessMove::from_bits(mv.to_bits()), Some(mv));
            assert_eq!(ChessMove::from_uci(&mv.to_string()), Some(mv));
        }
    }

    #[test]
    fn the_numeric_form_is_fixed() {
        assert_eq!(ChessMove::new(Square::E2, Square::E4).to_bits(), 12 + 64 * 28);
        assert_eq!(ChessMove::promoting(Square::A7, Square::B8, Role::Queen).to_bits(), 48 + 64 * 57 + 4096 * 4);
    }

    #[test]
    fn other_texts_are_no_moves() {
        for text in
            ["", "e2", "e2e", "e2e2", "e2e9", "i1a1", "e7e8k", "e7e8qq", "e2e4q", "a7c8q", "é2e4", "E2E4", "0000"]
        {
            assert_eq!(ChessMove::from_uci(text), None, "{text:?}");
        }
    }
}
