//! Which move to try first: the table's, attacks, killers, then by history.

use crate::score::MAX_PLY;
use tesuji_core::{Game, Move, Position, Side};

/// Entries of the history table for one side; moves share them by a hash of their numeric form.
const SLOTS: usize = 1 << 12;

/// What the table's move, an attack and a killer are worth; history stays below.
const TABLE: i32 = 1 << 30;
const ATTACK: i32 = 1 << 28;
const KILLER: i32 = 1 << 27;
const HISTORY_LIMIT: i32 = 1 << 24;

/// Moves that cut off before.
#[derive(Clone, Debug)]
pub struct Order<M> {
    /// The last two moves that cut off at each ply.
    killers: Vec<[Option<M>; 2]>,
    history: [Vec<i32>; 2],
    /// Whether the game has shown any attack yet: quiescence is for those that have.
    pub attacks_seen: bool,
}

impl<M: Move> Order<M> {
    /// Nothing learned yet.
    pub fn new() -> Order<M> {
        Order { killers: vec![[None; 2]; MAX_PLY], history: [vec![0; SLOTS], vec![0; SLOTS]], attacks_seen: false }
    }

    /// Prepares for another search: killers go, history counts for less.
    pub fn next_search(&mut self) {
        self.killers.fill([None; 2]);
        self.history.iter_mut().flatten().for_each(|count| *count /= 8);
    }

    /// Replaces `scores` by what each move promises.
    pub fn score<G: Game>(
        &mut self,
        game: &G,
        position: &G::Position,
        ply: usize,
        table_move: Option<M>,
        moves: &[M],
        scores: &mut Vec<i32>,
    ) where
        G::Position: Position<Move = M>,
    {
        let killers = self.killers[ply];
        let history = &self.history[position.mover().index()];
        scores.clear();
        for &mv in moves {
            let score = if Some(mv) == table_move {
                TABLE
            } else if position.is_attack(mv) {
                self.attacks_seen = true;
                // Strengths are small numbers: a hundredth of one outweighs any history.
                ATTACK
                    + (game.move_strength(position, mv) * 100.0).clamp(0.0, 1e6) as i32 * 64
                    + history[slot(mv)] / (HISTORY_LIMIT / 64)
            } else if killers.contains(&Some(mv)) {
                KILLER
            } else {
                history[slot(mv)]
            };
            scores.push(score);
        }
    }

    /// Learns that a move cut off at this ply and depth.
    pub fn cut_off(&mut self, side: Side, ply: usize, depth: u32, mv: M, quiet: bool) {
        let count = &mut self.history[side.index()][slot(mv)];
        *count += (depth * depth) as i32;
        if *count >= HISTORY_LIMIT {
            self.history.iter_mut().flatten().for_each(|count| *count /= 2);
        }
        let killers = &mut self.killers[ply];
        if quiet && killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }
}

/// Moves the most promising of the moves from `index` on to `index`, and returns it.
pub fn pick<M: Copy>(moves: &mut [M], scores: &mut [i32], index: usize) -> M {
    let rest = &scores[index..];
    // The first of equals, so that the order of the move list decides.
    let best = (1..rest.len()).fold(0, |best, i| if rest[i] > rest[best] { i } else { best });
    moves.swap(index, index + best);
    scores.swap(index, index + best);
    moves[index]
}

fn slot<M: Move>(mv: M) -> usize {
    (mv.to_bits().wrapping_mul(0x9e37_79b1) >> 20) as usize
}
