//! What solvers answer.

use tesuji_core::{MateBoard, MoveList};

/// What a solver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<M> {
    /// A forced mate, with one line of it.
    Mate(Vec<M>),
    /// There is none of the kind and within the length that was asked for.
    NoMate,
    /// The limits were reached first.
    Unknown,
}

/// Which moves the attacker may play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Checks only.
    Checks,
    /// All legal moves.
    Anything,
}

/// Whether a line is what it claims to be: legal checks answered by legal moves, mate at its end.
pub fn is_mating_line<B: MateBoard>(board: &B, line: &[B::Move]) -> bool {
    is_mating_line_by(Attack::Checks, board, line)
}

/// Whether a line is what it claims to be: legal moves of the given kind answered by legal moves, mate at its end.
pub fn is_mating_line_by<B: MateBoard>(attack: Attack, board: &B, line: &[B::Move]) -> bool {
    let mut board = board.clone();
    let mut moves = MoveList::new();
    for (ply, &mv) in line.iter().enumerate() {
        if ply % 2 == 0 && attack == Attack::Checks {
            board.checks(&mut moves)
        } else {
            board.legal_moves(&mut moves)
        }
        if !moves.contains(&mv) {
            return false;
        }
        board.play(mv);
    }
    line.len() % 2 == 1 && board.is_mate()
}
