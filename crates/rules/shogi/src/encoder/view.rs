//! The board as planes show it.

use crate::bits::Bits;
use crate::geometry::Geometry;
use crate::piece::Kind;
use crate::square::Square;
use tesuji_core::Side;

/// The kinds that exist on a board, in the order of their numbers.
pub(super) fn kinds<G: Geometry>() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| G::PIECES[kind.base().index()] > 0)
}

/// Where a kind stands among those that exist on the board.
pub(super) fn place<G: Geometry>(kind: Kind) -> usize {
    const FIVE: [usize; 14] = [0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9];
    if G::LANCES_AND_KNIGHTS { kind.index() } else { FIVE[kind.index()] }
}

/// How many kinds there are.
pub(super) const fn kind_count<G: Geometry>() -> usize {
    if G::LANCES_AND_KNIGHTS { 14 } else { 10 }
}

/// How many kinds can be in hand: the first ones in [`place`]'s order.
pub(super) const fn hand_count<G: Geometry>() -> usize {
    if G::LANCES_AND_KNIGHTS { 7 } else { 5 }
}

/// The square as the mover sees it: turned by half a turn for the second player.
pub(super) fn seen_by<G: Geometry>(mover: Side, square: Square) -> Square {
    match mover {
        Side::First => square,
        Side::Second => G::rotate(square),
    }
}

/// Where a square lies in a plane.
pub(super) fn cell<G: Geometry>(square: Square) -> usize {
    usize::from(G::rank(square)) * usize::from(G::SIZE) + usize::from(G::file(square))
}

/// Sets the cells of a set of squares to 1, as `mover` sees them.
pub(super) fn mark<G: Geometry>(plane: &mut [f32], mover: Side, squares: G::Bits) {
    squares.each(|square| plane[cell::<G>(seen_by::<G>(mover, Square(square)))] = 1.0);
}
