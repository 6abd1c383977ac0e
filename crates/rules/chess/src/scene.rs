//! The board to be drawn, and moves as gestures.

use super::mv::ChessMove;
use super::position::{ChessPosition, side};
use shakmaty::{Role, Square};
use tesuji_core::Position;
use tesuji_core::scene::{Board, Look, Mark, MarkKind, Piece, Scene, Step, downward, letters};

const fn word(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

/// The board with White at the bottom.
pub(super) fn scene(position: &ChessPosition) -> Scene {
    let name = |column: usize, row: usize| format!("{}{}", char::from(b'a' + column as u8), 8 - row);
    let mut scene = Scene::of(vec![Board::plain("board", Look::Checkered, letters(8), downward(8), name)]);
    let board = position.board();
    let piece = |square: Square| {
        let piece = board.piece_at(square)?;
        Some(Piece::new(square.to_string(), side(piece.color).index(), word(piece.role), piece.char()))
    };
    scene.pieces = Square::ALL.into_iter().filter_map(piece).collect();
    if position.in_check() {
        let king = board.king_of(board.turn());
        scene.marks.push(Mark { kind: MarkKind::Check, cells: vec![king.to_string()] });
    }
    if position.repetitions() > 1 {
        scene.notes.push(format!("this position has occurred {} times", position.repetitions()));
    }
    scene
}

/// Two squares, and what a pawn becomes. Castling is the king's step.
pub(super) fn steps(mv: ChessMove) -> Vec<Step> {
    let mut steps = vec![Step::cell(mv.from().to_string()), Step::cell(mv.to().to_string())];
    steps.extend(mv.promotion().map(|role| Step::choice(word(role))));
    steps
}
