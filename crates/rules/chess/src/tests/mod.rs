//! Tests of the rules: against published counts, against shakmaty, and against the laws of chess.

mod draws;
mod encoding;
mod movement;
mod notation;

use super::{Chess, ChessMove, ChessPosition};
use tesuji_core::{Encoders, GameRules, Heuristics, MoveList, Position, Render, Rules, Stream};

/// A position of the official game.
fn position(fen: &str) -> ChessPosition {
    Chess::new(Rules::Official).parse_position(fen).unwrap()
}

/// The start, or a position read from FEN with moves played.
fn line(text: &str) -> ChessPosition {
    tesuji_core::game::parse_line(&Chess::new(Rules::Official), text).unwrap()
}

/// Plays a random game and shows each position with its moves, also past adjudicated draws, for `plies` at most.
fn random_game(seed: u64, plies: usize, mut visit: impl FnMut(&ChessPosition, &[ChessMove])) {
    let mut position = Chess::new(Rules::Official).start();
    let mut random = Stream::new(seed, "chess test", 0);
    let mut moves = MoveList::new();
    for _ in 0..plies {
        position.movements(&mut moves);
        visit(&position, &moves);
        match random.choose(&moves) {
            Some(&mv) => position.play(mv),
            None => return,
        }
    }
}
