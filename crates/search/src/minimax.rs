//! Plain minimax: every line to a fixed depth, nothing cut off.
//!
//! The papers compare it, and the tests hold alpha-beta against it. A node's mover, not its distance from the root,
//! says whether it takes the greatest or the least: one side may move twice in a row.

use crate::clock::Clock;
use crate::one_hot;
use crate::score::{self, LeafJudge, Score};
use tesuji_core::{Budget, Found, Game, Info, MoveList, MoveOf, Outcome, Position, Report, Search};

/// The greatest useful depth: plain minimax never gets near it.
const DEEPEST: u32 = 64;

/// Plain minimax.
#[derive(Debug)]
pub struct Minimax<G: Game> {
    game: G,
    judge: Option<LeafJudge<G::Position>>,
    /// Depth if the budget sets none.
    depth: u32,
    nodes: u64,
    evaluations: u64,
}

/// One scratch position and move list for each ply, so that nothing is allocated below the root.
struct Ply<P: Position> {
    child: P,
    moves: MoveList<P::Move>,
}

/// The limits, and whether one has been reached.
struct Limits<'a, M> {
    clock: Clock,
    nodes: u64,
    report: &'a dyn Report<M>,
    stopped: bool,
}

impl<G: Game> Minimax<G> {
    /// Minimax to this depth, if the budget does not set another.
    pub fn new(game: G, depth: u32) -> Minimax<G> {
        Minimax { game, judge: None, depth, nodes: 0, evaluations: 0 }
    }

    /// Evaluates leaves by something other than the heuristic.
    #[must_use]
    pub fn judged_by(self, judge: Option<LeafJudge<G::Position>>) -> Minimax<G> {
        Minimax { judge, ..self }
    }

    /// The score of a position for the first player by the lines of `depth` plies below it.
    pub fn score(&mut self, position: &G::Position, depth: u32) -> Score {
        let mut limits = Limits {
            clock: Clock::start(&Budget::UNLIMITED),
            nodes: u64::MAX,
            report: &tesuji_core::Quiet,
            stopped: false,
        };
        let mut plies = plies(position, depth);
        self.walk(position, 0, &mut plies, &mut limits)
    }

    fn walk(
        &mut self,
        position: &G::Position,
        ply: usize,
        plies: &mut [Ply<G::Position>],
        limits: &mut Limits<'_, MoveOf<G>>,
    ) -> Score {
        self.nodes += 1;
        let Some((here, below)) = plies.split_first_mut() else {
            if let Some(outcome) = position.outcome() {
                return score::of_outcome(outcome, ply);
            }
            self.evaluations += 1;
            return score::of_leaf(&self.game, self.judge.as_mut(), position);
        };
        if let Some(outcome) = position.expand(&mut here.moves) {
            return score::of_outcome(outcome, ply);
        }
        let sign = score::sign(position.mover());
        let mut best = -score::INFINITE;
        for &mv in &here.moves {
            here.child.clone_from(position);
            here.child.play(mv);
            best = best.max(sign * self.walk(&here.child, ply + 1, below, limits));
            if limits.stopped || self.nodes >= limits.nodes || limits.clock.expired(limits.report) {
                limits.stopped = true;
                break;
            }
        }
        sign * best
    }
}

fn plies<P: Position>(position: &P, depth: u32) -> Vec<Ply<P>> {
    (0..depth.min(DEEPEST)).map(|_| Ply { child: position.clone(), moves: MoveList::new() }).collect()
}

impl<G: Game> Search<G::Position> for Minimax<G> {
    fn refusal(&self, root: &G::Position) -> Option<String> {
        self.judge.as_ref()?.refusal(root)
    }

    fn search(&mut self, root: &G::Position, budget: &Budget, report: &mut dyn Report<MoveOf<G>>) -> Found<MoveOf<G>> {
        (self.nodes, self.evaluations) = (0, 0);
        let depth = budget.depth.unwrap_or(self.depth).clamp(1, DEEPEST);
        let mut moves = MoveList::new();
        root.moves(&mut moves);
        let sign = score::sign(root.mover());
        let mut limits =
            Limits { clock: Clock::start(budget), nodes: budget.nodes.unwrap_or(u64::MAX), report, stopped: false };
        let mut plies = plies(root, depth - 1);
        let mut child = root.clone();
        let (mut best, mut best_score) = (moves[0], -score::INFINITE);
        for &mv in &moves {
            child.clone_from(root);
            child.play(mv);
            let score = sign * self.walk(&child, 1, &mut plies, &mut limits);
            // A move whose lines were not all looked at has no score, unless there is nothing better to go by.
            if score > best_score && (!limits.stopped || best_score == -score::INFINITE) {
                (best, best_score) = (mv, score);
            }
            if limits.stopped {
                break;
            }
        }
        let score = sign * best_score;
        let proof: Option<Outcome> = if limits.stopped { None } else { score::decided(score) };
        let found = Found {
            best,
            policy: one_hot(&moves, best),
            value: score::to_value(&self.game, score),
            proof,
            line: vec![best],
            nodes: self.nodes,
            simulations: 0,
            evaluations: self.evaluations,
            depth,
        };
        let time = limits.clock.elapsed();
        let (value, line) = (found.value, found.line.clone());
        report.info(&Info { depth, nodes: self.nodes, time, value, proof, line });
        found
    }

    fn new_game(&mut self, _seed: u64) {
        // Nothing is remembered between searches, and nothing is drawn.
    }
}
