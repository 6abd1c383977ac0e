//! What one thread of a search works with.

use super::order::{NO_KILLERS, Order, Played};
use super::params::{Feature, Params};
use super::scores::{KNOWN, REPEATED};
use super::table::{NO_MOVE, Table};
use crate::clock::Clock;
use crate::evaluate::StaticEvaluator;
use crate::score::{self, MAX_PLY, Score};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tesuji_core::{Budget, MoveList, Outcome, Position, Repetition, Report, Side};

/// Buffers below the horizon that the search keeps free: a node that has fewer is evaluated as it stands.
const RESERVE: usize = 2;

/// A score for the side to move, and what it goes back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The score.
    pub score: Score,
    /// One more than the shallowest ply of the line whose position the score depends on; 0 if that is before the root,
    /// [`FREE`] if it depends on none.
    pub base: u32,
}

/// Depends on no position of the line.
pub const FREE: u32 = u32::MAX;

impl Value {
    /// A score that depends on nothing before its position.
    #[inline]
    pub fn free(score: Score) -> Value {
        Value { score, base: FREE }
    }

    /// The score of a child as the side to move above it sees it.
    #[inline]
    pub fn above(self, same_mover: bool) -> Value {
        if same_mover { self } else { Value { score: -self.score, ..self } }
    }

    /// Whether the score holds for the position at `ply` on every path, so that the table may keep it.
    #[inline]
    pub fn holds_at(self, ply: usize) -> bool {
        self.base > ply as u32
    }
}

/// Buffers of one ply, so that nothing is allocated below the root.
#[derive(Debug)]
pub struct Ply<P: Position> {
    pub child: P,
    pub moves: MoveList<P::Move>,
    pub scores: Vec<i32>,
    /// The quiet moves that did not cut off.
    pub tried: Vec<P::Move>,
    /// The principal variation from here.
    pub line: Vec<P::Move>,
}

impl<P: Position> Ply<P> {
    fn new(position: &P) -> Ply<P> {
        Ply { child: position.clone(), moves: MoveList::new(), scores: Vec::new(), tried: Vec::new(), line: Vec::new() }
    }
}

/// Buffers for the deepest line.
pub fn plies<P: Position>(position: &P) -> Vec<Ply<P>> {
    (0..MAX_PLY).map(|_| Ply::new(position)).collect()
}

/// What is known of a ply of the line.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The side to move.
    pub mover: Side,
    /// The static evaluation for it, if it was not threatened.
    pub eval: Option<Score>,
    /// The move that was played from here; none of a pass.
    pub played: Played,
    pub killers: [u32; 2],
    /// A move that is left out, to see what the others are worth.
    pub excluded: u32,
}

const NO_FRAME: Frame = Frame { mover: Side::First, eval: None, played: None, killers: NO_KILLERS, excluded: NO_MOVE };

/// One thread of a search.
pub struct Worker<P: Position> {
    pub params: Params,
    pub table: Arc<Table>,
    pub order: Order,
    pub evaluator: Box<dyn StaticEvaluator<P>>,
    pub frames: Vec<Frame>,
    /// Reductions in 1024ths of a ply, by depth and number of the move.
    pub reductions: Box<[[i32; 64]; 64]>,
    pub nodes: u64,
    pub evaluations: u64,
    pub node_limit: u64,
    /// Set when a limit is reached: scores are worthless from then on.
    pub stopped: bool,
    /// Set by whoever wants all threads to end.
    pub halt: Arc<AtomicBool>,
    /// The depth of the iteration.
    pub root_depth: i32,
    /// The moves to choose from at the root; empty means all.
    pub only: Vec<P::Move>,
    /// The moves that are left out at the root: those that have been found to be better.
    pub without: Vec<P::Move>,
    /// The best line of the iteration so far with its score for the side to move: what remains if it is stopped.
    pub best: Option<(Score, Vec<P::Move>)>,
}

impl<P: Position> Worker<P> {
    /// A thread that has learned nothing yet.
    pub fn new(params: Params, table: Arc<Table>, evaluator: Box<dyn StaticEvaluator<P>>) -> Worker<P> {
        Worker {
            params,
            table,
            order: Order::new(P::ROWS),
            evaluator,
            frames: vec![NO_FRAME; MAX_PLY + 2],
            reductions: reductions(params.late),
            nodes: 0,
            evaluations: 0,
            node_limit: u64::MAX,
            stopped: false,
            halt: Arc::default(),
            root_depth: 0,
            only: Vec::new(),
            without: Vec::new(),
            best: None,
        }
    }

    /// Prepares for another search.
    pub fn begin(&mut self, root: &P, budget: &Budget) {
        self.nodes = 0;
        self.evaluations = 0;
        self.node_limit = budget.nodes.unwrap_or(u64::MAX);
        self.stopped = false;
        self.without.clear();
        self.best = None;
        self.frames.fill(NO_FRAME);
        self.evaluator.start(root);
    }

    /// Whether a feature is on.
    #[inline]
    pub fn has(&self, feature: Feature) -> bool {
        self.params.on.has(feature)
    }

    /// Counts a node; says whether the search has to end. The first iteration is always finished, so that there is a
    /// move.
    #[inline]
    pub fn enter(&mut self, watch: &mut Watch<'_, P::Move>) -> bool {
        if self.stopped {
            return true;
        }
        self.nodes += 1;
        if self.root_depth > 1 {
            self.stopped = self.nodes >= self.node_limit
                || match watch {
                    Watch::Clock(clock, report) => clock.expired(*report),
                    Watch::Halt => self.nodes & 63 == 0 && self.halt.load(Ordering::Relaxed),
                };
        }
        self.stopped
    }

    /// The static evaluation for the side to move.
    #[inline]
    pub fn evaluate(&mut self, position: &P) -> Score {
        self.evaluations += 1;
        self.evaluator.evaluate(position).clamp(-KNOWN, KNOWN)
    }

    /// The end of a game.
    #[inline]
    pub fn ended(position: &P, outcome: Outcome, ply: usize) -> Value {
        let score = score::sign(position.mover()) * score::of_outcome(outcome, ply);
        Value { score, base: if position.ended_by_history() { 0 } else { FREE } }
    }

    /// The first return to a position of the line.
    #[inline]
    pub fn repeated(&self, position: &P, ply: usize) -> Option<Value> {
        if !self.has(Feature::Repeat) {
            return None;
        }
        let Repetition { outcome, plies } = position.repetition(ply as u32)?;
        let score = match outcome {
            Outcome::Draw => 0,
            Outcome::Win(side) if side == position.mover() => REPEATED - ply as Score,
            Outcome::Win(_) => ply as Score - REPEATED,
        };
        Some(Value { score, base: ply as u32 - plies + 1 })
    }

    /// The moves that led to a ply: the last one, and the one before.
    #[inline]
    pub fn before(&self, ply: usize) -> [Played; 2] {
        if !self.has(Feature::Follow) {
            return [None; 2];
        }
        [1, 2].map(|back| if ply >= back { self.frames[ply - back].played } else { None })
    }

    /// Whether the evaluation has risen since the mover's turn before. Unknown counts as risen.
    #[inline]
    pub fn improving(&self, ply: usize, eval: Score) -> bool {
        let mover = self.frames[ply].mover;
        let mine = self.frames[..ply].iter().rev().take(2).find(|frame| frame.mover == mover);
        mine.is_some_and(|frame| frame.eval.is_none_or(|before| eval > before))
    }

    /// Whether a move may be chosen at the root.
    pub fn allows(&self, mv: &P::Move) -> bool {
        (self.only.is_empty() || self.only.contains(mv)) && !self.without.contains(mv)
    }

    /// Whether the line is too long to go on.
    #[inline]
    pub fn is_full(plies: &[Ply<P>]) -> bool {
        plies.len() <= RESERVE
    }
}

/// Who says when to end.
pub enum Watch<'a, M> {
    /// The clock and the caller: the main thread.
    Clock(&'a mut Clock, &'a mut dyn Report<M>),
    /// The main thread: all others.
    Halt,
}

/// Reductions in 1024ths of a ply, by depth and number of the move; in percent of the usual.
fn reductions(percent: u32) -> Box<[[i32; 64]; 64]> {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, reduction) in row.iter_mut().enumerate().skip(1) {
            let usual = 0.4 + libm::log(depth as f64) * libm::log(number as f64) / 2.0;
            *reduction = (1024.0 * usual * f64::from(percent) / 100.0) as i32;
        }
    }
    table
}
