//! The recursion of alpha-beta.
//!
//! Scores cross a ply as the **first player's**; within a node they are the mover's. Nothing is negated because of
//! depth, so a side may move any number of times in a row.
//!
//! # Repetition and the table
//! A position owns its history, so [`Position::outcome`] is always right where the search stands. The table is not so
//! lucky: its key leaves history out. What was scored by an end that history brought about (repetition, a move limit)
//! belongs to one path only, so such scores are never stored. The reverse error remains, as in every program that keeps
//! a table: an entry made on a path without a repetition may be used on one that has it. `hash=0` searches without a
//! table.

use super::order::{Order, pick};
use super::table::{Bound, Table};
use crate::clock::Clock;
use crate::score::{self, INFINITE, LeafJudge, Score};
use tesuji_core::{Game, Move, MoveList, MoveOf, Outcome, Position, Report};

/// A score for the first player, and what it rests on.
#[derive(Clone, Copy, Debug)]
pub struct NodeScore {
    /// The score.
    pub score: Score,
    /// Whether it depends on a heuristic evaluation. If not, it is the game's true score.
    pub horizon: bool,
    /// Whether it depends on the history of one path.
    pub history: bool,
}

/// Buffers of one ply, so that nothing is allocated below the root.
pub struct Ply<P: Position> {
    child: P,
    moves: MoveList<P::Move>,
    scores: Vec<i32>,
    /// The principal variation from here.
    pub line: Vec<P::Move>,
}

impl<P: Position> Ply<P> {
    /// Empty buffers.
    pub fn new(position: &P) -> Ply<P> {
        Ply { child: position.clone(), moves: MoveList::new(), scores: Vec::new(), line: Vec::new() }
    }
}

/// One search: what it works with and what it has counted.
pub struct Walk<'a, G: Game> {
    pub game: &'a G,
    pub judge: Option<&'a mut LeafJudge<G::Position>>,
    pub table: &'a mut Table,
    pub order: &'a mut Order<MoveOf<G>>,
    /// Plies of quiescence below the horizon.
    pub quiescence: usize,
    pub clock: Clock,
    pub node_limit: u64,
    pub report: &'a mut dyn Report<MoveOf<G>>,
    pub nodes: u64,
    pub evaluations: u64,
    /// The move to try first at the root: the best of the iteration before.
    pub first: Option<MoveOf<G>>,
    /// The moves to choose from at the root; empty means all.
    pub only: &'a [MoveOf<G>],
    /// The moves that are left out at the root: those that have been found to be better.
    pub without: Vec<MoveOf<G>>,
    /// Set when a limit is reached: scores are worthless from then on.
    pub stopped: bool,
    /// The best line of the iteration so far, with its score for the first player: what remains if it is stopped.
    pub best_so_far: Option<(Score, Vec<MoveOf<G>>)>,
}

impl<G: Game> Walk<'_, G> {
    /// Searches a position to `depth` plies within a window for the first player, `ply` plies below the root.
    ///
    /// `plies` holds at least `depth` plus the plies of quiescence.
    pub fn search(
        &mut self,
        position: &G::Position,
        depth: u32,
        ply: usize,
        (alpha, beta): (Score, Score),
        plies: &mut [Ply<G::Position>],
    ) -> NodeScore {
        let (here, below) = plies.split_first_mut().expect("there are buffers for every ply");
        here.line.clear();
        if depth == 0 {
            return self.leaf(position, ply, (alpha, beta), here, below);
        }
        self.nodes += 1;
        if let Some(outcome) = position.expand(&mut here.moves) {
            return Self::ended(position, outcome, ply);
        }
        let partial = ply == 0 && !(self.only.is_empty() && self.without.is_empty());
        if partial {
            here.moves.retain(|mv| self.allows(mv));
        }
        let mover = position.mover();
        let sign = score::sign(mover);
        let (mut alpha, beta) = score::window(mover, alpha, beta);
        let floor = alpha;
        let key = position.key();
        let mut table_move = None;
        if let Some(entry) = self.table.probe(key) {
            table_move = Move::from_bits(entry.mv);
            // Only a search of the same depth counts as the same, so that the result is that of plain minimax. Nodes of
            // the principal variation are searched in any case, so that it is known in full.
            if u32::from(entry.depth) == depth && beta - alpha == 1 {
                let score = entry.score(ply);
                let settled = match entry.bound {
                    Bound::Exact => true,
                    Bound::Lower => score >= beta,
                    Bound::Upper => score <= alpha,
                    Bound::None => false,
                };
                if settled {
                    return NodeScore { score: sign * score, horizon: entry.horizon, history: false };
                }
            }
        }
        if ply == 0 {
            table_move = self.first.or(table_move);
        }
        self.order.score(self.game, position, ply, table_move, &here.moves, &mut here.scores);
        let (mut best, mut best_move) = (-INFINITE, None);
        let (mut horizon, mut history) = (false, false);
        for index in 0..here.moves.len() {
            let mv = pick(&mut here.moves, &mut here.scores, index);
            here.child.clone_from(position);
            here.child.play(mv);
            // After the first move the rest only have to be shown to be no better: a window of nothing is enough,
            // and the true score is asked for only if one is better after all.
            let mut judged = None;
            if index > 0 && beta - alpha > 1 {
                let narrow = score::window(mover, alpha, alpha + 1);
                let probe = self.search(&here.child, depth - 1, ply + 1, narrow, below);
                let better = sign * probe.score > alpha && sign * probe.score < beta;
                judged = (self.stopped || !better).then_some(probe);
            }
            let judged = match judged {
                Some(judged) => judged,
                None => self.search(&here.child, depth - 1, ply + 1, score::window(mover, alpha, beta), below),
            };
            if self.stopped {
                return judged;
            }
            let score = sign * judged.score;
            horizon |= judged.horizon;
            history |= judged.history;
            if score > best {
                (best, best_move) = (score, Some(mv));
            }
            if score > alpha {
                alpha = score;
                here.line.clear();
                here.line.push(mv);
                here.line.extend_from_slice(&below[0].line);
                if ply == 0 {
                    self.best_so_far = Some((sign * score, here.line.clone()));
                }
            }
            if alpha >= beta {
                // One good move is proof enough: what the others rest on does not matter.
                (horizon, history) = (judged.horizon, judged.history);
                self.order.cut_off(mover, ply, depth, mv, !position.is_attack(mv));
                break;
            }
            self.stopped = self.nodes >= self.node_limit || self.clock.expired(self.report);
            if self.stopped {
                return judged;
            }
        }
        let bound = match best {
            _ if history || partial => Bound::None,
            best if best >= beta => Bound::Lower,
            best if best <= floor => Bound::Upper,
            _ => Bound::Exact,
        };
        let mv = best_move.expect("every score is above minus infinity").to_bits();
        self.table.store(key, ply, mv, best, depth as u8, bound, horizon);
        NodeScore { score: sign * best, horizon, history }
    }

    /// Whether a move may be chosen at the root.
    pub fn allows(&self, mv: &MoveOf<G>) -> bool {
        (self.only.is_empty() || self.only.contains(mv)) && !self.without.contains(mv)
    }

    /// The end of a game.
    fn ended(position: &G::Position, outcome: Outcome, ply: usize) -> NodeScore {
        NodeScore { score: score::of_outcome(outcome, ply), horizon: false, history: position.ended_by_history() }
    }

    /// A position at the horizon.
    fn leaf(
        &mut self,
        position: &G::Position,
        ply: usize,
        window: (Score, Score),
        here: &mut Ply<G::Position>,
        below: &mut [Ply<G::Position>],
    ) -> NodeScore {
        if self.quiescence > 0 && self.order.attacks_seen {
            return self.quiesce(position, ply, window, self.quiescence, here, below);
        }
        self.nodes += 1;
        if let Some(outcome) = position.outcome() {
            return Self::ended(position, outcome, ply);
        }
        self.evaluations += 1;
        NodeScore {
            score: score::of_leaf(self.game, self.judge.as_deref_mut(), position),
            horizon: true,
            history: false,
        }
    }

    /// Follows attacks (and every move of a side in check) until it is quiet, for at most `left` plies; a side that is
    /// not in check may leave things as they are.
    fn quiesce(
        &mut self,
        position: &G::Position,
        ply: usize,
        (alpha, beta): (Score, Score),
        left: usize,
        here: &mut Ply<G::Position>,
        below: &mut [Ply<G::Position>],
    ) -> NodeScore {
        self.nodes += 1;
        here.line.clear();
        if let Some(outcome) = position.expand(&mut here.moves) {
            return Self::ended(position, outcome, ply);
        }
        let mover = position.mover();
        let sign = score::sign(mover);
        let judged = |score: Score| NodeScore { score: sign * score, horizon: true, history: false };
        let (mut alpha, beta) = score::window(mover, alpha, beta);
        self.evaluations += 1;
        let quiet = sign * score::of_leaf(self.game, self.judge.as_deref_mut(), position);
        let in_check = position.in_check();
        let mut best = if in_check && left > 0 { -INFINITE } else { quiet };
        if left == 0 || best >= beta {
            return judged(best);
        }
        alpha = alpha.max(best);
        if !in_check {
            here.moves.retain(|&mv| position.is_attack(mv));
        }
        // The best gain first, by the heuristic after the move: any game has that.
        here.scores.clear();
        for &mv in &here.moves {
            here.child.clone_from(position);
            here.child.play(mv);
            here.scores.push(sign * score::of_heuristic(self.game, &here.child));
        }
        let (next, deeper) = below.split_first_mut().expect("there are buffers for every ply");
        let mut history = false;
        for index in 0..here.moves.len() {
            let mv = pick(&mut here.moves, &mut here.scores, index);
            here.child.clone_from(position);
            here.child.play(mv);
            let window = score::window(mover, alpha, beta);
            let child = self.quiesce(&here.child, ply + 1, window, left - 1, next, deeper);
            history |= child.history;
            best = best.max(sign * child.score);
            alpha = alpha.max(best);
            if alpha >= beta {
                history = child.history;
                break;
            }
        }
        NodeScore { history, ..judged(best) }
    }
}

/// Buffers for a search of `depth` plies and `quiescence` plies below them.
pub fn plies<P: Position>(position: &P, depth: u32, quiescence: usize) -> Vec<Ply<P>> {
    (0..=depth as usize + quiescence).map(|_| Ply::new(position)).collect()
}
