//! Counting move paths, the classical test of a move generator.

use crate::{MoveList, Position};
use std::hint::black_box;

/// The number of move paths of exactly `depth` moves, counting the last ply without playing it.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    count::<P, true>(position, depth)
}

/// The same number, with every move of the last ply played: what a search would pay.
pub fn perft_playing<P: Position>(position: &P, depth: u32) -> u64 {
    count::<P, false>(position, depth)
}

/// The paths below each legal move, in the order of the move list.
pub fn divide<P: Position>(position: &P, depth: u32) -> Vec<(P::Move, u64)> {
    let mut moves = MoveList::new();
    if depth > 0 {
        position.movements(&mut moves);
    }
    let below = |mv| {
        let mut child = position.clone();
        child.play(mv);
        (mv, perft(&child, depth - 1))
    };
    moves.into_iter().map(below).collect()
}

/// One scratch position and move list for each ply, so that nothing is allocated below the root.
struct Ply<P: Position> {
    child: P,
    moves: MoveList<P::Move>,
}

fn count<P: Position, const BULK: bool>(position: &P, depth: u32) -> u64 {
    let mut plies: Vec<Ply<P>> =
        (0..depth).map(|_| Ply { child: position.clone(), moves: MoveList::with_capacity(128) }).collect();
    walk::<P, BULK>(position, &mut plies)
}

fn walk<P: Position, const BULK: bool>(position: &P, plies: &mut [Ply<P>]) -> u64 {
    match plies {
        [] => 1,
        [_] if BULK => position.count_movements() as u64,
        [ply, rest @ ..] => {
            position.movements(&mut ply.moves);
            let mut nodes = 0;
            for &mv in &ply.moves {
                ply.child.become_after(position, mv);
                // Without a call for each leaf, which would cost as much as playing the move in the quickest games.
                nodes += if rest.is_empty() {
                    black_box(&ply.child);
                    1
                } else {
                    walk::<P, BULK>(&ply.child, rest)
                };
            }
            nodes
        }
    }
}
