//! Positions as planes.

use super::geometry::{Geometry, Square};
use super::mv::Move;
use super::piece::{Kind, Movement};
use super::position::ShogiPosition;
use super::tables::DIRECTIONS;
use tesuji_core::{Encoder, Position, Shape, Side};

/// The board as the mover sees it (turned by half a turn for the second player).
///
/// Planes: 14 kinds of the mover, 14 of the opponent, the counts in hand of 7 + 7 kinds as a share of the set, whether
/// the mover is in check, whether the mover is the first player. Rows are ranks, columns files, both counted as
/// [`Square`] counts them after turning.
///
/// Policy: the target square and one of 27 ways to get there: from one of the eight directions or by one of the two
/// knight's jumps, without (10) or with promotion (10), or dropped (7 kinds).
#[derive(Clone, Copy, Debug)]
pub struct Planes;

const KINDS: usize = Kind::ALL.len();
const IN_HAND: usize = Kind::IN_HAND.len();
const PLANES: usize = 2 * KINDS + 2 * IN_HAND + 2;
const WAYS_TO_MOVE: usize = DIRECTIONS.len() + 2;

/// The square as the mover sees it.
fn seen_by<G: Geometry>(mover: Side, square: Square) -> Square {
    match mover {
        Side::First => square,
        Side::Second => G::rotate(square),
    }
}

impl<G: Geometry> Encoder<ShogiPosition<G>> for Planes {
    fn name(&self) -> &'static str {
        "planes"
    }

    fn shape(&self) -> Shape {
        Shape { planes: PLANES, height: usize::from(G::SIZE), width: usize::from(G::SIZE) }
    }

    fn policy_len(&self) -> usize {
        (2 * WAYS_TO_MOVE + IN_HAND) * G::SQUARES
    }

    fn encode(&self, position: &ShogiPosition<G>, _view: usize, out: &mut [f32]) {
        let board = position.board();
        let mover = position.mover();
        out.fill(0.0);
        for (square, piece) in board.pieces() {
            let plane = piece.kind.index() + if piece.side == mover { 0 } else { KINDS };
            let square = seen_by::<G>(mover, square);
            let cell = usize::from(G::rank(square)) * usize::from(G::SIZE) + usize::from(G::file(square));
            out[plane * G::SQUARES + cell] = 1.0;
        }
        let mut planes = out.chunks_exact_mut(G::SQUARES).skip(2 * KINDS);
        for side in [mover, mover.other()] {
            for kind in Kind::IN_HAND {
                let share = board.hand(side).count(kind) as f32 / G::PIECES[kind.index()].max(1) as f32;
                planes.next().expect("one plane for each kind in hand").fill(share);
            }
        }
        for flag in [position.in_check(), mover == Side::First] {
            planes.next().expect("one plane for each flag").fill(f32::from(u8::from(flag)));
        }
    }

    fn index(&self, position: &ShogiPosition<G>, mv: Move) -> (usize, usize) {
        let mover = position.mover();
        let to = seen_by::<G>(mover, mv.to());
        let way = match (mv.dropped(), mv.from()) {
            (None, Some(from)) => {
                let from = seen_by::<G>(mover, from);
                let jumps = position.board().piece(mv.origin()).is_some_and(|p| p.kind.movement() == Movement::Knight);
                // A direction names one piece at most: the nearest. Only knights jump, and they are counted apart.
                let way = if jumps {
                    DIRECTIONS.len() + usize::from(G::file(from) < G::file(to))
                } else {
                    G::tables().direction(to, from)
                };
                way + if mv.is_promotion() { WAYS_TO_MOVE } else { 0 }
            }
            (kind, _) => 2 * WAYS_TO_MOVE + kind.map_or(0, Kind::index),
        };
        (0, way * G::SQUARES + to.index())
    }
}
