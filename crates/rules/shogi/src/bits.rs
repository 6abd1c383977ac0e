//! Sets of squares as machine words: `u128` for the 9x9 board, `u32` for the 5x5 one.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A set of squares; bit `n` is the square with index `n`.
pub trait Bits:
    Copy
    + Eq
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The empty set.
    const NONE: Self;
    /// Every bit, also those beyond the board: a mask that masks nothing.
    const EVERY: Self;

    /// How many squares.
    fn count(self) -> u32;

    /// `self - other` as numbers, wrapping.
    fn minus(self, other: Self) -> Self;

    /// Calls `f` with the index of every square, in rising order.
    fn each(self, f: impl FnMut(u8));

    /// The lowest index; meaningless for the empty set.
    fn first(self) -> u8;

    /// Whether the set is empty.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether two sets share a square.
    #[inline(always)]
    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Whether there are at least two squares.
    #[inline(always)]
    fn is_several(self) -> bool {
        !(self & self.less_one()).is_empty()
    }

    /// `self - 1` as a number, wrapping.
    fn less_one(self) -> Self;
}

impl Bits for u128 {
    const NONE: u128 = 0;
    const EVERY: u128 = !0;

    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn minus(self, other: u128) -> u128 {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn less_one(self) -> u128 {
        self.wrapping_sub(1)
    }

    #[inline(always)]
    fn each(self, mut f: impl FnMut(u8)) {
        // Word by word: clearing the lowest bit of a u128 costs a carry chain, of a u64 one instruction.
        let (mut word, mut next, mut base) = (self as u64, (self >> 64) as u64, 0);
        loop {
            while word != 0 {
                f(base + word.trailing_zeros() as u8);
                word &= word - 1;
            }
            if next == 0 {
                break;
            }
            (word, next, base) = (next, 0, 64);
        }
    }

    #[inline(always)]
    fn first(self) -> u8 {
        self.trailing_zeros() as u8
    }
}

impl Bits for u32 {
    const NONE: u32 = 0;
    const EVERY: u32 = !0;

    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn minus(self, other: u32) -> u32 {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn less_one(self) -> u32 {
        self.wrapping_sub(1)
    }

    #[inline(always)]
    fn each(self, mut f: impl FnMut(u8)) {
        let mut word = self;
        while word != 0 {
            f(word.trailing_zeros() as u8);
            word &= word - 1;
        }
    }

    #[inline(always)]
    fn first(self) -> u8 {
        self.trailing_zeros() as u8
    }
}
