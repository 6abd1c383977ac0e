//! Standard algebraic notation.

use super::board::Board;
use super::movegen;
use super::mv::ChessMove;
use shakmaty::CastlingSide;
use shakmaty::san::{San, SanError, SanPlus};
use tesuji_core::MoveError;

/// The move in SAN, with `+` and `#`: `Nbd7`, `exd8=Q+`, `O-O#`. The move must be legal.
pub fn format(board: &Board, mv: ChessMove) -> String {
    SanPlus::from_move(board.to_shakmaty(), movegen::widen(board, mv)).to_string()
}

/// Reads a move in SAN; `+`, `#`, `!` and `?` at its end are not checked, and castling may be written with zeros.
///
/// # Errors
/// If the text is not SAN, or no legal move or more than one fits it.
pub fn parse(board: &Board, text: &str) -> Result<ChessMove, MoveError> {
    let bare = text.trim_end_matches(['+', '#', '!', '?']);
    let san = match bare {
        "0-0" => San::Castle(CastlingSide::KingSide),
        "0-0-0" => San::Castle(CastlingSide::QueenSide),
        _ => San::from_ascii(bare.as_bytes())
            .map_err(|_| MoveError::malformed(text, "expected a move in UCI (e2e4) or SAN (Nf3)"))?,
    };
    match san.to_move(&board.to_shakmaty()) {
        Ok(mv) => Ok(movegen::narrow(mv)),
        Err(SanError::IllegalSan) => Err(MoveError::illegal(text)),
        Err(SanError::AmbiguousSan) => Err(MoveError::malformed(text, "ambiguous: more than one move fits")),
    }
}
