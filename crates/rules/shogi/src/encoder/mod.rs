//! Positions as planes, moves as policy indices.
//!
//! | encoder | planes 9x9, 5x5 | policy 9x9, 5x5 | what it is |
//! |---|---|---|---|
//! | [`Planes`] | 48, 36 | 2187, 525 | the board as the mover sees it, with attacks, check and repetition |
//! | [`Fixed`] | (43), 31 | (14256), 1500 | the minishogi paper's: the board as it lies |
//! | [`Dqn`] | 63, 45 | 2187, 525 | the shogi paper's, as channels or as one image; two heads name piece and target |
//!
//! In every plane rows are ranks and columns are files, both counted as [`Square`] counts them.

mod dqn;
mod fixed;
mod planes;

pub use dqn::{Dqn, Layout};
pub use fixed::Fixed;
pub use planes::Planes;

use super::bits::Bits;
use super::geometry::Geometry;
use super::mv::Move;
use super::piece::{Kind, Movement};
use super::position::ShogiPosition;
use super::square::Square;
use super::tables::DIRECTIONS;
use tesuji_core::{Position, Side};

/// The kinds that exist on a board, in the order of their numbers.
fn kinds<G: Geometry>() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| G::PIECES[kind.base().index()] > 0)
}

/// Where a kind stands among those that exist on the board.
fn place<G: Geometry>(kind: Kind) -> usize {
    const FIVE: [usize; 14] = [0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9];
    if G::LANCES_AND_KNIGHTS { kind.index() } else { FIVE[kind.index()] }
}

/// How many kinds there are.
const fn kind_count<G: Geometry>() -> usize {
    if G::LANCES_AND_KNIGHTS { 14 } else { 10 }
}

/// How many kinds can be in hand: the first ones in [`place`]'s order.
const fn hand_count<G: Geometry>() -> usize {
    if G::LANCES_AND_KNIGHTS { 7 } else { 5 }
}

/// The square as the mover sees it: turned by half a turn for the second player.
fn seen_by<G: Geometry>(mover: Side, square: Square) -> Square {
    match mover {
        Side::First => square,
        Side::Second => G::rotate(square),
    }
}

/// Where a square lies in a plane.
fn cell<G: Geometry>(square: Square) -> usize {
    usize::from(G::rank(square)) * usize::from(G::SIZE) + usize::from(G::file(square))
}

/// Sets the cells of a set of squares to 1, as `mover` sees them.
fn mark<G: Geometry>(plane: &mut [f32], mover: Side, squares: G::Bits) {
    squares.each(|square| plane[cell::<G>(seen_by::<G>(mover, Square(square)))] = 1.0);
}

/// The ways in which a piece on the board can get to a square: from one of eight directions, or by one of the knight's
/// two jumps where there are knights.
const fn way_count<G: Geometry>() -> usize {
    if G::LANCES_AND_KNIGHTS { DIRECTIONS.len() + 2 } else { DIRECTIONS.len() }
}

/// The length of the compact policy: for each target square every way, without and with promotion, and every drop.
const fn compact_policy_len<G: Geometry>() -> usize {
    (2 * way_count::<G>() + hand_count::<G>()) * G::SQUARES
}

/// The place of a legal move in the compact policy, as the mover sees the board.
///
/// A way and a target name one move at most: of several pieces in a direction only the nearest can get there, and only
/// knights jump.
fn compact_index<G: Geometry>(position: &ShogiPosition<G>, mv: Move) -> usize {
    let mover = position.mover();
    let to = seen_by::<G>(mover, mv.to());
    let way = match (mv.dropped(), mv.from()) {
        (None, Some(origin)) => {
            let from = seen_by::<G>(mover, origin);
            let jumps = position.board().piece(origin).is_some_and(|piece| piece.kind.movement() == Movement::Knight);
            let way = if jumps {
                DIRECTIONS.len() + usize::from(G::file(from) < G::file(to))
            } else {
                G::tables().direction(to, from)
            };
            way + if mv.is_promotion() { way_count::<G>() } else { 0 }
        }
        (kind, _) => 2 * way_count::<G>() + kind.map_or(0, place::<G>),
    };
    way * G::SQUARES + cell::<G>(to)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
