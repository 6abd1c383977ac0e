//! Squares and their numbering.

/// A square: files are counted from the right as the first player sees the board, ranks from the far side, and the
/// index is `file * SIZE + rank`. So index 0 is 1a in USI terms (１一), index 1 is 1b, and on the 9x9 board 80 is 9i.
///
/// The first player moves towards rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub(super) u8);

/// More squares than any board has; tables have this size, so that a masked index needs no bounds check.
pub(super) const TABLE: usize = 128;

/// The squares of the largest board.
pub(super) const MOST_SQUARES: usize = 81;

impl Square {
    /// "No square", for the king of a side that has none: every table is empty there.
    pub(super) const NONE: Square = Square(TABLE as u8 - 1);

    /// The index, `file * SIZE + rank`.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The index into tables of size [`TABLE`].
    #[inline(always)]
    pub(super) const fn slot(self) -> usize {
        self.0 as usize & (TABLE - 1)
    }
}
