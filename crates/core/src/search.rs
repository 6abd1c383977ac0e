//! What searches ask and answer.

use crate::{Budget, Move, MoveId, Outcome, Position, Stream, Value};
use std::time::Duration;

/// A position to be evaluated, with its moves already generated.
#[derive(Debug)]
pub struct Leaf<'a, P: Position> {
    /// The position; its game has not ended.
    pub position: &'a P,
    /// Its moves, not empty.
    pub moves: &'a [P::Move],
}

/// The evaluation of a leaf.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// What the position is worth, for the first player.
    pub value: Value,
    /// The prior probability of each move of the leaf, in their order; empty means uniform.
    pub priors: Vec<f32>,
}

/// Evaluates positions, several at a time: by a heuristic, a playout, a network, or a cache in front of one of them.
pub trait Evaluator<P: Position> {
    /// Writes the evaluation of `leaves[i]` to `out[i]`, reusing its buffers.
    ///
    /// The evaluation of a leaf must not depend on its batch mates.
    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]);

    /// Starts a search whose random choices come from `random`; evaluators that make none ignore it.
    fn reseed(&mut self, _random: Stream) {}

    /// Why it cannot evaluate this position and those that follow from it, in words; see [`Search::refusal`].
    fn refusal(&self, _position: &P) -> Option<String> {
        None
    }
}

impl<P: Position, E: Evaluator<P> + ?Sized> Evaluator<P> for Box<E> {
    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        (**self).evaluate(leaves, out);
    }

    fn reseed(&mut self, random: Stream) {
        (**self).reseed(random);
    }

    fn refusal(&self, position: &P) -> Option<String> {
        (**self).refusal(position)
    }
}

/// The answer of a search.
#[derive(Clone, Debug)]
pub struct Found<M> {
    /// The move to play.
    pub best: M,
    /// A probability for each legal move, for training; in the order of the move list, adding up to 1.
    pub policy: Vec<(M, f32)>,
    /// What the position is worth, for the first player.
    pub value: Value,
    /// The outcome under best play, if the search proved it.
    pub proof: Option<Outcome>,
    /// The principal variation, starting with `best`.
    pub line: Vec<M>,
    /// Positions visited, or tree nodes made.
    pub nodes: u64,
    /// Simulations of a tree search; 0 for others.
    pub simulations: u64,
    /// Evaluations asked of a network or heuristic.
    pub evaluations: u64,
    /// Plies of the last completed iteration, or the greatest depth of the tree.
    pub depth: u32,
}

impl<M: Move> Found<M> {
    /// The same with numbers for moves.
    pub fn by_number(self) -> Found<MoveId> {
        Found {
            best: MoveId::of(self.best),
            policy: self.policy.into_iter().map(|(mv, share)| (MoveId::of(mv), share)).collect(),
            value: self.value,
            proof: self.proof,
            line: numbered(self.line),
            nodes: self.nodes,
            simulations: self.simulations,
            evaluations: self.evaluations,
            depth: self.depth,
        }
    }
}

fn numbered<M: Move>(line: Vec<M>) -> Vec<MoveId> {
    line.into_iter().map(MoveId::of).collect()
}

/// Progress of a running search.
#[derive(Clone, Debug)]
pub struct Info<M> {
    /// Depth reached.
    pub depth: u32,
    /// Positions visited, or tree nodes made.
    pub nodes: u64,
    /// Time since the search started.
    pub time: Duration,
    /// Current value, for the first player.
    pub value: Value,
    /// Outcome under best play, if proved.
    pub proof: Option<Outcome>,
    /// Current principal variation.
    pub line: Vec<M>,
}

impl<M: Move> Info<M> {
    /// The same with numbers for moves.
    pub fn by_number(self) -> Info<MoveId> {
        let Info { depth, nodes, time, value, proof, line } = self;
        Info { depth, nodes, time, value, proof, line: numbered(line) }
    }
}

/// Which root moves a search considers, and how many lines it reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focus<M> {
    /// The moves to choose from; empty means all.
    pub only: Vec<M>,
    /// How many of the best moves to report (MultiPV); 0 counts as 1.
    pub lines: usize,
}

impl<M> Default for Focus<M> {
    fn default() -> Focus<M> {
        Focus { only: Vec::new(), lines: 1 }
    }
}

/// One of the best moves at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<M> {
    /// Its value, for the first player.
    pub value: Value,
    /// Its outcome under best play, if proved.
    pub proof: Option<Outcome>,
    /// The move and what follows; not empty.
    pub line: Vec<M>,
}

impl<M: Move> Line<M> {
    /// The same with numbers for moves.
    pub fn by_number(self) -> Line<MoveId> {
        Line { value: self.value, proof: self.proof, line: numbered(self.line) }
    }
}

/// What a tree search knows of a move at the root: the policy before the search and what became of it, side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Considered<M> {
    /// The move.
    pub mv: M,
    /// Its prior probability, noise included.
    pub prior: f32,
    /// Simulations through it.
    pub visits: u64,
    /// Its value, for the first player; none before the first visit.
    pub value: Option<Value>,
}

impl<M: Move> Considered<M> {
    /// The same with a number for the move.
    pub fn by_number(self) -> Considered<MoveId> {
        let Considered { mv, prior, visits, value } = self;
        Considered { mv: MoveId::of(mv), prior, visits, value }
    }
}

/// Receives the progress of a search and may stop it.
pub trait Report<M> {
    /// Called now and then.
    fn info(&mut self, _info: &Info<M>) {}

    /// Called after [`info`](Self::info) by searches that were asked for several lines: the second best move and those
    /// behind it, in order.
    fn others(&mut self, _lines: &[Line<M>]) {}

    /// Called after [`info`](Self::info) by tree searches: what they know of each move of the root, as
    /// [`Search::considered`] says it in the end.
    fn considered(&mut self, _moves: &[Considered<M>]) {}

    /// Whether the search should end now and answer with what it has. Asked often: must be cheap.
    fn stop(&self) -> bool {
        false
    }
}

/// A [`Report`] that ignores progress and never stops a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl<M> Report<M> for Quiet {}

/// Finds a move.
pub trait Search<P: Position>: Send {
    /// Searches a position whose game has not ended.
    fn search(&mut self, root: &P, budget: &Budget, report: &mut dyn Report<P::Move>) -> Found<P::Move>;

    /// Why it cannot search this position and those that follow from it, in words: a network, say, whose encoder does
    /// not [`accept`](crate::Encoder::accepts) them. Whoever has a position from outside asks before the first search;
    /// a search of a position that was refused may panic.
    fn refusal(&self, _root: &P) -> Option<String> {
        None
    }

    /// Tells the search that `mv` was played in the position that it searched last (or reached by this call), so that it
    /// may keep the subtree below. Without this call the next search starts from scratch.
    fn advance(&mut self, _mv: P::Move) {}

    /// Sets which root moves the next searches consider. Searches that cannot restrict themselves ignore it, so a caller
    /// that allows only some moves must check the answer.
    fn focus(&mut self, _focus: &Focus<P::Move>) {}

    /// What the last search knows of each move of its root, in the order of the move list; empty for searches that keep
    /// no such numbers, and where the last answer came without them.
    fn considered(&self) -> Vec<Considered<P::Move>> {
        Vec::new()
    }

    /// Forgets the previous game; the random choices of the next one follow from `seed`.
    ///
    /// Required, and forwarded by whatever wraps a search: one that keeps drawing from the stream of the game before
    /// plays differently on every number of threads.
    fn new_game(&mut self, seed: u64);
}
