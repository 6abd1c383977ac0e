//! The pieces in a player's hand, packed into one word.

use super::piece::Kind;
use tesuji_core::Side;

/// The pieces in one player's hand.
///
/// Every kind has a field of its own in one `u32`, with a spare bit above it, so that two hands compare (see
/// [`dominates`](Hand::dominates)) by one subtraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hand(u32);

/// The lowest bit of each kind's field.
const SHIFT: [u32; 7] = [0, 6, 10, 14, 18, 21, 24];
/// The number of bits of each kind's field, without the spare one: room for 18 pawns, 4 of the small, 2 of the large.
const WIDTH: [u32; 7] = [5, 3, 3, 3, 2, 2, 3];
/// The spare bits.
const SPARE: u32 = {
    let mut spare = 0;
    let mut kind = 0;
    while kind < 7 {
        spare |= 1 << (SHIFT[kind] + WIDTH[kind]);
        kind += 1;
    }
    spare
};

impl Hand {
    /// No pieces.
    pub const EMPTY: Hand = Hand(0);

    /// How many pieces of a kind; 0 of kinds that cannot be in hand.
    #[inline]
    pub const fn count(self, kind: Kind) -> u32 {
        let kind = kind as usize;
        if kind < 7 { self.0 >> SHIFT[kind] & ((1 << WIDTH[kind]) - 1) } else { 0 }
    }

    /// Whether there is a piece of the kind.
    #[inline]
    pub const fn has(self, kind: Kind) -> bool {
        self.count(kind) != 0
    }

    /// Whether there is nothing.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this hand has at least as many of every kind as `other`.
    #[inline]
    pub const fn dominates(self, other: Hand) -> bool {
        // A field that is too small borrows from its spare bit.
        (self.0 | SPARE).wrapping_sub(other.0) & SPARE == SPARE
    }

    /// The kinds in hand with their numbers, in the order of the kinds.
    pub fn iter(self) -> impl Iterator<Item = (Kind, u32)> {
        Kind::IN_HAND.into_iter().map(move |kind| (kind, self.count(kind))).filter(|&(_, count)| count > 0)
    }

    /// The number of pieces of all kinds.
    pub fn total(self) -> u32 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// The packed word: equal exactly for equal hands.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The hand of a word that [`bits`](Hand::bits) gave.
    #[inline]
    pub(super) const fn from_bits(bits: u32) -> Hand {
        Hand(bits)
    }

    /// The hand with `count` pieces of a kind that can be in hand, or `None` if that is more than there can be.
    #[must_use]
    pub const fn with(self, kind: Kind, count: u32) -> Option<Hand> {
        let kind = kind as usize;
        if kind >= 7 || count >= 1 << WIDTH[kind] {
            return None;
        }
        let field = ((1 << WIDTH[kind]) - 1) << SHIFT[kind];
        Some(Hand(self.0 & !field | count << SHIFT[kind]))
    }
}

/// Both hands in one word, the first player's in the lower half.
///
/// One word, because keys need it as one: two halves stored one by one could not be loaded together without waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hands(u64);

impl Hands {
    pub fn new(hands: [Hand; 2]) -> Hands {
        Hands(u64::from(hands[0].0) | u64::from(hands[1].0) << 32)
    }

    #[inline(always)]
    pub fn of(self, side: Side) -> Hand {
        Hand((self.0 >> (32 * side.index())) as u32)
    }

    /// The word: equal exactly for equal hands.
    #[inline(always)]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Adds a piece; `kind` is the number of a kind that can be in hand.
    #[inline(always)]
    pub fn add(&mut self, side: Side, kind: usize) {
        self.0 += u64::from(ONE[kind & 7]) << (32 * side.index());
    }

    /// Takes a piece away; `kind` is the number of a kind that is in hand.
    #[inline(always)]
    pub fn take(&mut self, side: Side, kind: usize) {
        self.0 -= u64::from(ONE[kind & 7]) << (32 * side.index());
    }
}

/// One piece of each kind; nothing for the king, so that the table has a size that needs no bounds check.
const ONE: [u32; 8] =
    [1 << SHIFT[0], 1 << SHIFT[1], 1 << SHIFT[2], 1 << SHIFT[3], 1 << SHIFT[4], 1 << SHIFT[5], 1 << SHIFT[6], 0];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_compare_kind_by_kind() {
        let hand = |pawns, rooks| Hand::EMPTY.with(Kind::Pawn, pawns).unwrap().with(Kind::Rook, rooks).unwrap();
        assert!(hand(18, 2).dominates(hand(18, 2)));
        assert!(hand(3, 1).dominates(hand(2, 1)));
        assert!(!hand(18, 0).dominates(hand(0, 1)));
        assert!(!hand(0, 2).dominates(hand(1, 0)));
        assert!(hand(0, 0).dominates(Hand::EMPTY));
        assert_eq!(hand(7, 2).total(), 9);
        assert_eq!(Hand::EMPTY.with(Kind::Pawn, 32), None);
        assert_eq!(Hand::EMPTY.with(Kind::King, 1), None);
    }

    #[test]
    fn pieces_come_and_go() {
        let mut hands = Hands::new([Hand::EMPTY; 2]);
        for side in Side::BOTH {
            for kind in Kind::IN_HAND {
                hands.add(side, kind.index());
                assert_eq!(hands.of(side).count(kind), 1);
            }
        }
        assert_eq!(hands, Hands::new(Side::BOTH.map(|side| hands.of(side))));
        for kind in Kind::IN_HAND {
            hands.take(Side::First, kind.index());
        }
        assert!(hands.of(Side::First).is_empty());
        assert_eq!(hands.of(Side::Second).total(), 7);
    }
}
