//! The rule bot that any game can use.

use crate::{MoveList, Outcome, Position, Stream};

/// Wins at once if it can, else plays at random among the moves that leave the opponent no immediate win, else at
/// random.
///
/// The 3D-Bingo paper's opponent, in a form that fits any game: "block" means that no winning reply is left. `moves`
/// are the position's moves, not empty.
pub fn win_block_random<P: Position>(position: &P, moves: &[P::Move], random: &mut Stream) -> P::Move {
    if let Some(&winning) = moves.iter().find(|&&mv| wins(position, mv)) {
        return winning;
    }
    let mut replies = MoveList::new();
    let safe: Vec<P::Move> = moves.iter().copied().filter(|&mv| is_safe(position, mv, &mut replies)).collect();
    let candidates = if safe.is_empty() { moves } else { &safe };
    candidates[random.below(candidates.len())]
}

/// Whether the move ends the game in the mover's favour.
fn wins<P: Position>(position: &P, mv: P::Move) -> bool {
    let mut child = position.clone();
    child.play(mv);
    child.outcome() == Some(Outcome::Win(position.mover()))
}

/// Whether the opponent has no winning reply to the move.
fn is_safe<P: Position>(position: &P, mv: P::Move, replies: &mut MoveList<P::Move>) -> bool {
    let mut child = position.clone();
    child.play(mv);
    match child.expand(replies) {
        Some(outcome) => outcome != Outcome::Win(position.mover().other()),
        // A side that moves again has not given the opponent a reply yet.
        None => child.mover() == position.mover() || !replies.iter().any(|&reply| wins(&child, reply)),
    }
}
