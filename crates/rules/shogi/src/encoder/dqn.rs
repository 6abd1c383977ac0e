//! The encoder of the paper that sets tree search against deep Q-learning.

use super::policy::{compact_index, compact_policy_len, compact_policy_planes};
use super::view::{cell, hand_count, mark, place, seen_by};
use crate::geometry::Geometry;
use crate::mv::Move;
use crate::piece::{Kind, Piece};
use crate::position::ShogiPosition;
use crate::square::Square;
use tesuji_core::{Encoder, MoveList, Pairs, Position, Shape};

/// How the planes are laid out for the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each plane is a channel of a small image.
    Channels,
    /// The planes lie below each other in one image, 63 high and 9 wide, and the files are its 9 channels: what the
    /// paper's parameter counts say it did (its first layer has 5 * 5 * 9 * 63 + 63 parameters).
    Image,
}

/// Where the pieces are and where they can go, as the mover sees the board.
///
/// Planes on 9x9: the mover's unpromoted pieces by kind (8) and where each kind can move (8), the opponent's (8, 8), the
/// mover's promoted pieces (6, 6), the opponent's (6, 6), and where the mover can drop each kind (7). The mover's moves and
/// drops are the legal ones. Only the mover has legal moves, so the opponent's are the squares that its pieces attack and
/// its own pieces do not stand on. The opponent's hand is not shown, as in the paper.
///
/// The paper chooses a move by two networks: *what* moves (81 squares, then 7 kinds in hand) and *where* it goes (81
/// squares): [`Pairs`]. The policy is the compact one, so that this input also
/// serves a search.
#[derive(Clone, Copy, Debug)]
pub struct Dqn {
    /// How the planes are laid out.
    pub layout: Layout,
}

/// Unpromoted kinds, then promoted kinds, on a board.
const fn groups<G: Geometry>() -> [usize; 2] {
    if G::LANCES_AND_KNIGHTS { [8, 6] } else { [6, 4] }
}

const fn plane_count<G: Geometry>() -> usize {
    let [unpromoted, promoted] = groups::<G>();
    4 * (unpromoted + promoted) + hand_count::<G>()
}

/// The plane of a kind's positions; that of its moves comes as many planes later as its group has kinds.
fn position_plane<G: Geometry>(kind: Kind, opponent: bool) -> usize {
    let [unpromoted, promoted] = groups::<G>();
    let opponent = usize::from(opponent);
    if kind.is_promoted() {
        4 * unpromoted + opponent * 2 * promoted + place::<G>(kind) - unpromoted
    } else {
        opponent * 2 * unpromoted + place::<G>(kind)
    }
}

fn move_plane<G: Geometry>(kind: Kind, opponent: bool) -> usize {
    position_plane::<G>(kind, opponent) + groups::<G>()[usize::from(kind.is_promoted())]
}

/// A promotion and the same move without share a pair; of the two, the paper always chooses the promotion.
impl<G: Geometry> Pairs<ShogiPosition<G>> for Dqn {
    /// A piece on one of the squares, or a kind in hand.
    fn what_len(&self) -> usize {
        G::SQUARES + hand_count::<G>()
    }

    fn where_len(&self) -> usize {
        G::SQUARES
    }

    fn pair(&self, position: &ShogiPosition<G>, mv: Move) -> (usize, usize) {
        let at = |square: Square| cell::<G>(seen_by::<G>(position.mover(), square));
        let what = match (mv.dropped(), mv.from()) {
            (None, Some(from)) => at(from),
            (kind, _) => G::SQUARES + kind.map_or(0, place::<G>),
        };
        (what, at(mv.to()))
    }

    fn move_of(&self, position: &ShogiPosition<G>, moves: &[Move], pair: (usize, usize)) -> Option<Move> {
        moves.iter().copied().filter(|&mv| self.pair(position, mv) == pair).max_by_key(|mv| mv.is_promotion())
    }
}

impl<G: Geometry> Encoder<ShogiPosition<G>> for Dqn {
    fn name(&self) -> &'static str {
        match self.layout {
            Layout::Channels => "dqn",
            Layout::Image => "dqn-image",
        }
    }

    fn shape(&self) -> Shape {
        let size = usize::from(G::SIZE);
        match self.layout {
            Layout::Channels => Shape { planes: plane_count::<G>(), height: size, width: size },
            Layout::Image => Shape { planes: size, height: plane_count::<G>(), width: size },
        }
    }

    fn policy_len(&self) -> usize {
        compact_policy_len::<G>()
    }

    fn policy_planes(&self) -> Option<usize> {
        // Of the board: the long image of the paper has other squares.
        (self.layout == Layout::Channels).then(compact_policy_planes::<G>)
    }

    fn encode(&self, position: &ShogiPosition<G>, _view: usize, out: &mut [f32]) {
        match self.layout {
            Layout::Channels => encode_channels(position, out),
            Layout::Image => {
                let mut planes = vec![0.0; out.len()];
                encode_channels(position, &mut planes);
                // From (plane, rank, file) to (file, plane, rank).
                let size = usize::from(G::SIZE);
                for (file, image) in out.chunks_exact_mut(out.len() / size).enumerate() {
                    for (number, row) in image.iter_mut().zip(planes.chunks_exact(size)) {
                        *number = row[file];
                    }
                }
            }
        }
    }

    fn index(&self, position: &ShogiPosition<G>, mv: Move) -> (usize, usize) {
        (0, compact_index(position, mv))
    }

    fn pairs(&self) -> Option<&dyn Pairs<ShogiPosition<G>>> {
        Some(self)
    }
}

fn encode_channels<G: Geometry>(position: &ShogiPosition<G>, out: &mut [f32]) {
    let board = position.board();
    let mover = position.mover();
    out.fill(0.0);
    for (square, piece) in board.pieces() {
        let opponent = piece.side != mover;
        let at = position_plane::<G>(piece.kind, opponent) * G::SQUARES;
        out[at + cell::<G>(seen_by::<G>(mover, square))] = 1.0;
        if opponent {
            let moves = board.attacks(piece, square) & !board.side(piece.side);
            let at = move_plane::<G>(piece.kind, true) * G::SQUARES;
            mark::<G>(&mut out[at..][..G::SQUARES], mover, moves);
        }
    }
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    for mv in moves {
        let moved = mv.from().and_then(|from| board.piece(from)).map(|Piece { kind, .. }| move_plane::<G>(kind, false));
        let drops = plane_count::<G>() - hand_count::<G>();
        let plane = moved.unwrap_or_else(|| drops + mv.dropped().map_or(0, place::<G>));
        out[plane * G::SQUARES + cell::<G>(seen_by::<G>(mover, mv.to()))] = 1.0;
    }
}
