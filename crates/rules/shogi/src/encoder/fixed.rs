//! The minishogi paper's encoder.

use super::view::{cell, hand_count, kind_count, kinds, place};
use crate::geometry::Geometry;
use crate::mv::Move;
use crate::position::ShogiPosition;
use tesuji_core::{Encoder, Position, Shape, Side};

/// The board as it lies, whoever is to move: the input and output of the paper on minishogi.
///
/// **Black and white.** Here, as everywhere in this program and in shogi, *black* is the first player and *white* the
/// second. The paper never says which of its colours begins. It calls repetition "Black's win" and its rules standard but
/// for perpetual check; by the standard rules the second player wins by repetition, so the paper's *Black* may well be
/// our white. For the network this is a matter of names: both sides have the same planes, and swapping the two tens, the
/// two fives and the last plane's 0 and 1 leaves the same game to learn.
///
/// Planes on 5x5: 10 of white's pieces by kind, 10 of black's, the counts of white's 5 kinds of prisoners, of black's 5,
/// and one that is 1 when black, the first player, is to move. The paper does not give the order of the kinds (here that
/// of [`Kind`](crate::Kind)) nor which player the last plane marks.
///
/// Policy, 1500: (origin, target, promotion), then (one of 10 prisoners, target), white's prisoners first.
#[derive(Clone, Copy, Debug)]
pub struct Fixed;

impl<G: Geometry> Encoder<ShogiPosition<G>> for Fixed {
    fn name(&self) -> &'static str {
        "paper"
    }

    fn shape(&self) -> Shape {
        let planes = 2 * kind_count::<G>() + 2 * hand_count::<G>() + 1;
        Shape { planes, height: usize::from(G::SIZE), width: usize::from(G::SIZE) }
    }

    fn policy_len(&self) -> usize {
        G::SQUARES * G::SQUARES * 2 + 2 * hand_count::<G>() * G::SQUARES
    }

    fn encode(&self, position: &ShogiPosition<G>, _view: usize, out: &mut [f32]) {
        let board = position.board();
        out.fill(0.0);
        for (square, piece) in board.pieces() {
            let plane = white_first(piece.side) * kind_count::<G>() + place::<G>(piece.kind);
            out[plane * G::SQUARES + cell::<G>(square)] = 1.0;
        }
        let mut planes = out.chunks_exact_mut(G::SQUARES).skip(2 * kind_count::<G>());
        for side in [Side::Second, Side::First] {
            for (kind, plane) in kinds::<G>().take(hand_count::<G>()).zip(&mut planes) {
                plane.fill(board.hand(side).count(kind) as f32);
            }
        }
        for plane in planes {
            plane.fill(f32::from(u8::from(position.mover() == Side::First)));
        }
    }

    fn index(&self, position: &ShogiPosition<G>, mv: Move) -> (usize, usize) {
        let to = cell::<G>(mv.to());
        let index = match (mv.dropped(), mv.from()) {
            (None, Some(from)) => (cell::<G>(from) * G::SQUARES + to) * 2 + usize::from(mv.is_promotion()),
            (kind, _) => {
                let prisoner = white_first(position.mover()) * hand_count::<G>() + kind.map_or(0, place::<G>);
                G::SQUARES * G::SQUARES * 2 + prisoner * G::SQUARES + to
            }
        };
        (0, index)
    }
}

/// 0 for white, the second player, 1 for black: the paper's order.
const fn white_first(side: Side) -> usize {
    1 - side.index()
}
