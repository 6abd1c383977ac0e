//! Chess positions as planes, chess moves as policy indices.
//!
//! Both encoders show the board as the side to move sees it: with Black to move it is mirrored top to bottom and the
//! colours are swapped, moves likewise. Row 0 is the mover's first rank, column 0 the a-file. Chess is symmetric
//! under this, so a network learns one game and not two.

use super::mv::ChessMove;
use super::position::ChessPosition;
use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};
use tesuji_core::{Encoder, Shape};

const SQUARES: usize = 64;

/// The default encoder: 20 planes, policy 73 x 64.
///
/// | planes | meaning |
/// |---|---|
/// | 0-5 | the mover's pawns, knights, bishops, rooks, queens, king |
/// | 6-11 | the opponent's |
/// | 12-13 | the mover may still castle on the king's, queen's side (whole plane) |
/// | 14-15 | the opponent may |
/// | 16 | the square on which en passant is legal |
/// | 17 | the position has occurred before (whole plane) |
/// | 18 | halfmoves since the last capture or pawn move, in hundreds, at most 1 (whole plane) |
/// | 19 | ones, which show a convolution the edge of the board |
///
/// The policy is AlphaZero's: for each origin 56 queen's moves (8 directions from north clockwise, 1 to 7 squares), 8
/// knight's moves and 9 underpromotions (knight, bishop, rook; to the left, straight, to the right). Promotion to a
/// queen is the pawn's plain step. The index is plane * 64 + origin, what a convolution with 73 outputs produces.
#[derive(Clone, Copy, Debug)]
pub struct Planes;

/// The encoder of the policy-network paper: 13 one-hot planes (6 pieces of the mover, 6 of the opponent, empty).
///
/// The paper does not say how it numbers moves. Ours is origin * 64 + destination, with promotion to a queen as the
/// plain step, and 72 indices behind for underpromotions: (piece * 8 + origin file) * 3 + direction.
#[derive(Clone, Copy, Debug)]
pub struct PaperPlanes;

impl Planes {
    const PLANES: usize = 20;
    const POLICY_PLANES: usize = 73;
}

impl Encoder<ChessPosition> for Planes {
    fn name(&self) -> &'static str {
        "planes"
    }

    fn shape(&self) -> Shape {
        Shape { planes: Planes::PLANES, height: 8, width: 8 }
    }

    fn policy_len(&self) -> usize {
        Planes::POLICY_PLANES * SQUARES
    }

    fn policy_planes(&self) -> Option<usize> {
        Some(Planes::POLICY_PLANES)
    }

    fn encode(&self, position: &ChessPosition, _view: usize, out: &mut [f32]) {
        let board = position.board();
        let us = board.turn();
        let mut planes = Writer::new(us, out);
        planes.pieces(position);
        for color in [us, !us] {
            for side in CastlingSide::ALL {
                planes.fill(f32::from(u8::from(board.may_castle(color, side))));
            }
        }
        planes.squares(board.en_passant_square().map_or(Bitboard::EMPTY, Bitboard::from_square));
        planes.fill(f32::from(u8::from(position.repetitions() > 0)));
        planes.fill((board.halfmoves() as f32 / 100.0).min(1.0));
        planes.fill(1.0);
    }

    fn index(&self, position: &ChessPosition, mv: ChessMove) -> (usize, usize) {
        let (from, to) = oriented(position, mv);
        let plane = match underpromotion(mv) {
            Some(piece) => 64 + piece * 3 + direction(from, to),
            None => usize::from(MOVE_PLANES[from.to_usize()][to.to_usize()]),
        };
        (0, plane * SQUARES + from.to_usize())
    }
}

impl PaperPlanes {
    const PLANES: usize = 13;
    const UNDERPROMOTIONS: usize = 3 * 8 * 3;
}

impl Encoder<ChessPosition> for PaperPlanes {
    fn name(&self) -> &'static str {
        "paper"
    }

    fn shape(&self) -> Shape {
        Shape { planes: PaperPlanes::PLANES, height: 8, width: 8 }
    }

    fn policy_len(&self) -> usize {
        SQUARES * SQUARES + PaperPlanes::UNDERPROMOTIONS
    }

    fn encode(&self, position: &ChessPosition, _view: usize, out: &mut [f32]) {
        let mut planes = Writer::new(position.board().turn(), out);
        planes.pieces(position);
        planes.squares(!position.board().occupied());
    }

    fn index(&self, position: &ChessPosition, mv: ChessMove) -> (usize, usize) {
        let (from, to) = oriented(position, mv);
        let index = match underpromotion(mv) {
            Some(piece) => SQUARES * SQUARES + (piece * 8 + from.file().to_usize()) * 3 + direction(from, to),
            None => from.to_usize() * SQUARES + to.to_usize(),
        };
        (0, index)
    }
}

/// Writes plane after plane as one side sees the board.
struct Writer<'a> {
    us: Color,
    planes: std::slice::ChunksExactMut<'a, f32>,
}

impl<'a> Writer<'a> {
    fn new(us: Color, out: &'a mut [f32]) -> Writer<'a> {
        Writer { us, planes: out.chunks_exact_mut(SQUARES) }
    }

    fn fill(&mut self, value: f32) {
        self.planes.next().expect("the shape has a plane for everything written").fill(value);
    }

    fn squares(&mut self, squares: Bitboard) {
        let plane = self.planes.next().expect("the shape has a plane for everything written");
        plane.fill(0.0);
        for square in self.us.fold_wb(squares, squares.flip_vertical()) {
            plane[square.to_usize()] = 1.0;
        }
    }

    fn pieces(&mut self, position: &ChessPosition) {
        for color in [self.us, !self.us] {
            for role in Role::ALL {
                self.squares(position.board().by_piece(role.of(color)));
            }
        }
    }
}

/// Origin and destination as the mover sees them.
fn oriented(position: &ChessPosition, mv: ChessMove) -> (Square, Square) {
    match position.board().turn() {
        Color::White => (mv.from(), mv.to()),
        Color::Black => (mv.from().flip_vertical(), mv.to().flip_vertical()),
    }
}

/// 0, 1, 2 for a promotion to a knight, bishop, rook.
fn underpromotion(mv: ChessMove) -> Option<usize> {
    match mv.promotion()? {
        Role::Knight => Some(0),
        Role::Bishop => Some(1),
        Role::Rook => Some(2),
        _ => None,
    }
}

/// 0, 1, 2 for a pawn's step to the left, straight, to the right.
fn direction(from: Square, to: Square) -> usize {
    to.file().to_usize() + 1 - from.file().to_usize()
}

/// The policy plane of a queen's or knight's move from one square to another; 0 where there is none.
static MOVE_PLANES: [[u8; SQUARES]; SQUARES] = move_planes();

const fn move_planes() -> [[u8; SQUARES]; SQUARES] {
    // (files, ranks), clockwise from north.
    const QUEEN: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
    const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
    let mut planes = [[0; SQUARES]; SQUARES];
    let mut from = 0;
    while from < SQUARES {
        let mut plane = 0;
        while plane < 64 {
            let (files, ranks) = if plane < 56 {
                let (files, ranks) = QUEEN[plane / 7];
                let distance = plane as i32 % 7 + 1;
                (files * distance, ranks * distance)
            } else {
                KNIGHT[plane - 56]
            };
            let (file, rank) = (from as i32 % 8 + files, from as i32 / 8 + ranks);
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                planes[from][(rank * 8 + file) as usize] = plane as u8;
            }
            plane += 1;
        }
        from += 1;
    }
    planes
}
