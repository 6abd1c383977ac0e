//! The compact policy: a way to get there, and a target.

use super::view::{cell, hand_count, place, seen_by};
use crate::geometry::Geometry;
use crate::mv::Move;
use crate::piece::Movement;
use crate::position::ShogiPosition;
use crate::tables::DIRECTIONS;
use tesuji_core::Position;

/// The ways in which a piece on the board can get to a square: from one of eight directions, or by one of the knight's
/// two jumps where there are knights.
pub(super) const fn way_count<G: Geometry>() -> usize {
    if G::LANCES_AND_KNIGHTS { DIRECTIONS.len() + 2 } else { DIRECTIONS.len() }
}

/// The planes of the compact policy: every way, without and with promotion, and every drop.
pub(super) const fn compact_policy_planes<G: Geometry>() -> usize {
    2 * way_count::<G>() + hand_count::<G>()
}

/// The length of the compact policy: its planes, for each target square.
pub(super) const fn compact_policy_len<G: Geometry>() -> usize {
    compact_policy_planes::<G>() * G::SQUARES
}

/// The place of a legal move in the compact policy, as the mover sees the board.
///
/// A way and a target name one move at most: of several pieces in a direction only the nearest can get there, and only
/// knights jump.
pub(super) fn compact_index<G: Geometry>(position: &ShogiPosition<G>, mv: Move) -> usize {
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
