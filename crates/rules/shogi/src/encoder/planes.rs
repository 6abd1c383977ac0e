//! The encoder to use unless a paper is being reproduced.

use super::policy::{compact_index, compact_policy_len, compact_policy_planes};
use super::view::{cell, hand_count, kind_count, kinds, mark, place, seen_by};
use crate::bits::Bits;
use crate::geometry::Geometry;
use crate::mv::Move;
use crate::position::ShogiPosition;
use tesuji_core::{Encoder, Position, Shape, Side};

/// The board as the mover sees it.
///
/// Planes: the mover's pieces by kind, the opponent's; the counts in the mover's and in the opponent's hand, each kind as
/// a share of the set; the squares that the mover attacks, and the opponent; whether the mover is in check, whether the
/// mover is the first player, whether the position has occurred before, and whether it has twice.
#[derive(Clone, Copy, Debug)]
pub struct Planes;

impl<G: Geometry> Encoder<ShogiPosition<G>> for Planes {
    fn name(&self) -> &'static str {
        "planes"
    }

    fn shape(&self) -> Shape {
        let planes = 2 * kind_count::<G>() + 2 * hand_count::<G>() + 6;
        Shape { planes, height: usize::from(G::SIZE), width: usize::from(G::SIZE) }
    }

    fn policy_len(&self) -> usize {
        compact_policy_len::<G>()
    }

    fn policy_planes(&self) -> Option<usize> {
        Some(compact_policy_planes::<G>())
    }

    fn encode(&self, position: &ShogiPosition<G>, _view: usize, out: &mut [f32]) {
        let board = position.board();
        let mover = position.mover();
        let sides = [mover, mover.other()];
        out.fill(0.0);
        let mut attacked = [G::Bits::NONE; 2];
        for (square, piece) in board.pieces() {
            let opponent = usize::from(piece.side != mover);
            let plane = opponent * kind_count::<G>() + place::<G>(piece.kind);
            out[plane * G::SQUARES + cell::<G>(seen_by::<G>(mover, square))] = 1.0;
            attacked[opponent] |= board.attacks(piece, square);
        }
        let mut planes = out.chunks_exact_mut(G::SQUARES).skip(2 * kind_count::<G>());
        let mut next = || planes.next().expect("there are as many planes as `shape` says");
        for side in sides {
            for kind in kinds::<G>().take(hand_count::<G>()) {
                next().fill(board.hand(side).count(kind) as f32 / G::PIECES[kind.index()] as f32);
            }
        }
        for squares in attacked {
            mark::<G>(next(), mover, squares);
        }
        let before = position.occurrences() - 1;
        for flag in [board.in_check(), mover == Side::First, before >= 1, before >= 2] {
            next().fill(f32::from(u8::from(flag)));
        }
    }

    fn index(&self, position: &ShogiPosition<G>, mv: Move) -> (usize, usize) {
        (0, compact_index(position, mv))
    }
}
