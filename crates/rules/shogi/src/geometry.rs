//! The two boards: 9x9 and 5x5.

use super::attacks::{five, nine};
use super::bits::Bits;
use super::square::Square;
use super::tables::{FIVE, NINE, Tables};
use std::fmt::Debug;
use std::hash::Hash;
use tesuji_core::Side;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Nine {}
    impl Sealed for super::Five {}
}

/// A board size: everything in which the two games differ, except their end rules.
pub trait Geometry: sealed::Sealed + Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// A set of squares.
    type Bits: Bits;
    /// One byte for each square.
    type Cells: Copy + Eq + Debug + Send + Sync + AsRef<[u8]> + AsMut<[u8]>;

    /// Files, and ranks.
    const SIZE: u8;
    /// Squares.
    const SQUARES: usize;
    /// Ranks of the promotion zone.
    const ZONE_RANKS: u8;
    /// Whether there are lances and knights.
    const LANCES_AND_KNIGHTS: bool;
    /// How many pieces of each kind there are, both sides together, in the order of the kinds' numbers.
    const PIECES: [u32; 8];
    /// The start, in SFEN.
    const START: &str;
    /// An empty board.
    const NO_CELLS: Self::Cells;

    /// The tables of this board.
    #[doc(hidden)]
    fn tables() -> &'static Tables<Self::Bits>;

    /// The squares that a bishop on `square` attacks.
    fn bishop(square: Square, occupied: Self::Bits) -> Self::Bits;

    /// The squares that a rook on `square` attacks.
    fn rook(square: Square, occupied: Self::Bits) -> Self::Bits;

    /// The squares that a lance of `side` on `square` attacks; nothing on boards without lances.
    fn lance(side: Side, square: Square, occupied: Self::Bits) -> Self::Bits;

    /// The square on a file and rank, both from 0; `None` if it is not on the board.
    #[inline]
    fn square(file: u8, rank: u8) -> Option<Square> {
        (file < Self::SIZE && rank < Self::SIZE).then(|| Square(file * Self::SIZE + rank))
    }

    /// Every square, in the order of the indices.
    fn squares() -> impl Iterator<Item = Square> {
        (0..Self::SQUARES as u8).map(Square)
    }

    /// The file, counted from 0 at the right of the first player.
    #[inline]
    fn file(square: Square) -> u8 {
        square.0 / Self::SIZE
    }

    /// The rank, counted from 0 at the second player's side.
    #[inline]
    fn rank(square: Square) -> u8 {
        square.0 % Self::SIZE
    }

    /// The square after turning the board by half a turn: how the opponent sees it.
    #[inline]
    fn rotate(square: Square) -> Square {
        Square(Self::SQUARES as u8 - 1 - square.0)
    }

    /// The set of one square.
    #[inline(always)]
    fn bit(square: Square) -> Self::Bits {
        Self::tables().bit[square.slot()]
    }
}

/// The 9x9 board of shogi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nine;

/// The 5x5 board of minishogi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Five;

impl Geometry for Nine {
    type Bits = u128;
    type Cells = [u8; 81];

    const SIZE: u8 = 9;
    const SQUARES: usize = 81;
    const ZONE_RANKS: u8 = 3;
    const LANCES_AND_KNIGHTS: bool = true;
    const PIECES: [u32; 8] = [18, 4, 4, 4, 2, 2, 4, 2];
    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    const NO_CELLS: [u8; 81] = [super::piece::EMPTY; 81];

    #[inline(always)]
    fn tables() -> &'static Tables<u128> {
        &NINE
    }

    #[inline]
    fn bishop(square: Square, occupied: u128) -> u128 {
        nine::bishop(square, occupied)
    }

    #[inline]
    fn rook(square: Square, occupied: u128) -> u128 {
        nine::rook(square, occupied)
    }

    #[inline]
    fn lance(side: Side, square: Square, occupied: u128) -> u128 {
        nine::lance(side, square, occupied)
    }
}

impl Geometry for Five {
    type Bits = u32;
    type Cells = [u8; 25];

    const SIZE: u8 = 5;
    const SQUARES: usize = 25;
    const ZONE_RANKS: u8 = 1;
    const LANCES_AND_KNIGHTS: bool = false;
    const PIECES: [u32; 8] = [2, 0, 0, 2, 2, 2, 2, 2];
    const START: &str = "rbsgk/4p/5/P4/KGSBR b - 1";
    const NO_CELLS: [u8; 25] = [super::piece::EMPTY; 25];

    #[inline(always)]
    fn tables() -> &'static Tables<u32> {
        &FIVE
    }

    #[inline]
    fn bishop(square: Square, occupied: u32) -> u32 {
        five::bishop(square, occupied)
    }

    #[inline]
    fn rook(square: Square, occupied: u32) -> u32 {
        five::rook(square, occupied)
    }

    #[inline]
    fn lance(_side: Side, _square: Square, _occupied: u32) -> u32 {
        0
    }
}
