//! Iterative-deepening depth-first search for mates by checks: the solver of the minishogi paper.
//!
//! It tries every check and every evasion to 1, 3, 5 ... plies and remembers nothing, so that its cost grows with the
//! depth alone. The first mate that it finds is a shortest one.

use super::answer::Answer;
use super::limits::{Limits, Meter};
use tesuji_core::{MateBoard, MoveList, Side};

/// Looks for a mate by checks in at most `depth` plies; also says how many positions it looked at.
///
/// The defences on the line hold out as long as any, as far as the search has seen.
pub fn solve<B: MateBoard>(board: &B, depth: u16, limits: &Limits<'_>) -> (Answer<B::Move>, u64) {
    let mut run = Run { meter: Meter::new(limits, 0), attacker: board.mover(), line: Vec::new() };
    let depth = limits.plies.map_or(depth, |most| depth.min(most));
    let mut plies = 1;
    while plies <= depth {
        match run.mates(board, plies) {
            Some(true) => {
                let line = run.line.iter().rev().copied().collect();
                return (Answer::Mate(line), run.meter.nodes);
            }
            Some(false) => plies += 2,
            None => return (Answer::Unknown, run.meter.nodes),
        }
    }
    (Answer::NoMate, run.meter.nodes)
}

struct Run<'a, M> {
    meter: Meter<'a>,
    attacker: Side,
    /// The line of the mate that was found last, from its end.
    line: Vec<M>,
}

impl<M: tesuji_core::Move> Run<'_, M> {
    /// Whether the attacker, to move, mates within `plies`; `None` when the limits are reached.
    fn mates<B: MateBoard<Move = M>>(&mut self, board: &B, plies: u16) -> Option<bool> {
        debug_assert_eq!(board.mover(), self.attacker);
        if self.meter.count() {
            return None;
        }
        let mut checks = MoveList::new();
        board.checks(&mut checks);
        for mv in checks {
            let mut next = board.clone();
            next.play(mv);
            if self.is_lost(&next, plies - 1)? {
                self.line.push(mv);
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether every evasion of the defender leads to mate within `plies`.
    fn is_lost<B: MateBoard<Move = M>>(&mut self, board: &B, plies: u16) -> Option<bool> {
        if self.meter.count() {
            return None;
        }
        if plies == 0 {
            self.line.clear();
            return Some(board.defences() == 0);
        }
        let mut evasions = MoveList::new();
        board.legal_moves(&mut evasions);
        let mut longest: Vec<M> = Vec::new();
        for mv in evasions {
            let mut next = board.clone();
            next.play(mv);
            // The shortest mate against each evasion, so that the longest of them is a true defence.
            let mut within = 1;
            while !self.mates(&next, within)? {
                within += 2;
                if within >= plies {
                    return Some(false);
                }
            }
            if self.line.len() >= longest.len() {
                longest.clone_from(&self.line);
                longest.push(mv);
            }
        }
        self.line = longest;
        Some(true)
    }
}
