//! The tree of one root position: it gathers leaves and applies their evaluations.
//!
//! Batching is outside. A caller asks for leaves ([`Tree::gather`]), has them evaluated together with those of any
//! number of other trees, and hands the evaluations back ([`Tree::apply`]). Nothing here waits or recurses, and a
//! simulation does not allocate once the buffers have grown.
//!
//! It is a tree, not a graph: a node is a path, and the position at its end owns its history, so repetition and move
//! limits are right everywhere.

use super::arena::{Arena, ROOT};
use super::gumbel::Gumbel;
use super::node::{Bounds, Node};
use super::noise;
use super::options::{RootOptions, TreeOptions};
use tesuji_core::{Evaluation, Leaf, MoveList, Outcome, Position, Stream};

/// A leaf that waits for its evaluation.
#[derive(Clone, Debug)]
struct Waiting<P: Position> {
    position: P,
    moves: MoveList<P::Move>,
    path: Vec<u32>,
}

/// Simulations in a row that end with the game before the caller is asked whether to go on.
const MOST_ENDS: u32 = 1024;

/// Where a simulation came to.
enum Arrival {
    /// A position to be evaluated.
    Leaf,
    /// The end of a game, already backed up.
    End,
    /// A position whose evaluation is already under way.
    Taken,
}

/// A Monte-Carlo tree.
#[derive(Clone, Debug)]
pub struct Tree<P: Position> {
    pub(super) root: P,
    pub(super) arena: Arena<P::Move>,
    pub(super) root_options: RootOptions,
    /// A winning move that was found elsewhere.
    pub(super) winning_move: Option<P::Move>,
    /// Simulations that the search is going to make, if known: sequential halving plans with it.
    planned: u64,
    /// The first `waiting` of these wait; the rest are buffers for later.
    leaves: Vec<Waiting<P>>,
    waiting: usize,
    /// Paths that ended at a leaf that was taken; their virtual losses stand until the batch is applied.
    taken: Vec<Vec<u32>>,
    simulations: u64,
    evaluations: u64,
    depth: usize,
}

impl<P: Position> Tree<P> {
    /// A tree with nothing but a root, whose game still goes on.
    pub fn new(root: &P, options: TreeOptions, root_options: RootOptions) -> Tree<P> {
        let mut tree = Tree {
            root: root.clone(),
            arena: Arena::new(options),
            root_options,
            winning_move: None,
            planned: 0,
            leaves: Vec::new(),
            waiting: 0,
            taken: Vec::new(),
            simulations: 0,
            evaluations: 0,
            depth: 0,
        };
        tree.clear(root);
        tree
    }

    /// Begins a search of `root` for about `planned` simulations, with random choices from `random`.
    ///
    /// What the tree knows is kept if it has been [advanced](Self::advance) to this position.
    pub fn begin(&mut self, root: &P, planned: u64, random: Stream) {
        self.abandon();
        let known = self.root.key() == root.key() && self.root.ply() == root.ply();
        if !known || self.arena.root_disturbed || self.simulations > 0 || self.winning_move.is_some() {
            self.clear(root);
        }
        self.root.clone_from(root);
        self.arena.random = random;
        self.planned = planned;
        self.arena.forced = if self.arena.options.selection.uses_priors() { self.root_options.forced } else { 0.0 };
        self.winning_move = None;
        (self.simulations, self.evaluations, self.depth) = (0, 0, 0);
        if self.arena.nodes[ROOT].len == 0 {
            let mut moves = MoveList::new();
            root.moves(&mut moves);
            // Whatever led here is not a move of this position; and what was proved of it elsewhere, as a leaf, does not
            // say which move to play.
            self.arena.nodes[ROOT].mv = moves[0];
            self.arena.nodes[ROOT].bounds = Bounds::UNKNOWN;
            if self.arena.options.expand_after > 0 && self.arena.has_room(moves.len()) {
                self.arena.expand(ROOT, root.mover(), &moves, &[], |mv| root.is_attack(mv));
            }
        }
        if self.arena.nodes[ROOT].len > 0 {
            self.prepare_root(self.arena.nodes[ROOT].mean());
        }
    }

    /// Changes what is special about the root, from the next search on.
    pub fn set_root_options(&mut self, options: RootOptions) {
        self.root_options = options;
    }

    /// Notes that the side to move wins by this legal move, as a mate solver has found: the search is over, and the policy
    /// is certain of the move. Holds until the next search begins.
    pub fn prove_root(&mut self, mv: P::Move) {
        self.winning_move = Some(mv);
        self.arena.nodes[ROOT].bounds = Bounds::exactly(Outcome::Win(self.root.mover()));
    }

    /// Notes that the side to move at a leaf that waits wins by this legal move. The leaf's evaluation is ignored when it
    /// is [applied](Self::apply), and the win propagates.
    ///
    /// # Panics
    /// If there is no such leaf.
    pub fn prove_leaf(&mut self, index: usize, mv: P::Move) {
        let leaf = &self.leaves[..self.waiting][index];
        match leaf.path[..] {
            [_] => self.prove_root(mv),
            [.., last] => {
                self.arena.nodes[last as usize].bounds = Bounds::exactly(Outcome::Win(leaf.position.mover()));
            }
            [] => unreachable!("a path begins at the root"),
        }
    }

    fn clear(&mut self, root: &P) {
        self.root.clone_from(root);
        let mut moves = MoveList::new();
        root.moves(&mut moves);
        self.arena.reset(moves[0]);
    }

    /// Forgets the leaves that wait.
    fn abandon(&mut self) {
        for leaf in &self.leaves[..self.waiting] {
            self.arena.leave(&leaf.path);
            let last = leaf.path[leaf.path.len() - 1] as usize;
            self.arena.nodes[last].set_waiting(false);
        }
        self.waiting = 0;
        self.free_taken();
    }

    fn free_taken(&mut self) {
        for path in self.taken.drain(..) {
            self.arena.leave(&path);
        }
    }

    /// Plays a move: what is known below it is kept for the next search, the rest is forgotten.
    pub fn advance(&mut self, mv: P::Move) {
        self.abandon();
        let root = &self.arena.nodes[ROOT];
        let child = root.children().find(|&child| self.arena.nodes[child].mv == mv);
        self.root.play(mv);
        self.simulations = 0;
        self.winning_move = None;
        match child {
            Some(child) => self.arena.reroot(child),
            None => self.arena.reset(mv),
        }
    }

    /// Simulates until `limit` leaves wait, `simulations` have been begun, the root is solved, or many simulations in a
    /// row came to the end of the game; returns how many leaves wait. Leaves of an earlier call must have been
    /// [applied](Self::apply).
    pub fn gather(&mut self, limit: usize, simulations: u64) -> usize {
        debug_assert_eq!(self.waiting, 0, "the leaves of the last call still wait");
        let end = self.simulations.saturating_add(simulations);
        let mut ends = 0;
        // Without the solver a tree that knows the whole rest of the game has no leaves any more. The caller has a clock.
        while self.waiting < limit && self.simulations < end && ends < MOST_ENDS && self.proof().is_none() {
            match self.simulate() {
                Arrival::Leaf => (self.waiting, ends) = (self.waiting + 1, 0),
                Arrival::End => ends += 1,
                Arrival::Taken if self.taken.len() >= limit => break,
                Arrival::Taken => continue,
            }
            self.simulations += 1;
        }
        self.waiting
    }

    /// The leaves that wait, in order.
    pub fn leaves(&self) -> impl ExactSizeIterator<Item = Leaf<'_, P>> {
        self.leaves[..self.waiting].iter().map(|leaf| Leaf { position: &leaf.position, moves: &leaf.moves })
    }

    /// The first leaf that waits.
    pub fn leaf(&self) -> Option<Leaf<'_, P>> {
        self.leaves().next()
    }

    /// Backs up the evaluations of the leaves that wait, in their order.
    ///
    /// # Panics
    /// If there are fewer evaluations than leaves.
    pub fn apply(&mut self, evaluations: &[Evaluation]) {
        self.free_taken();
        let at_once = self.arena.options.expand_after == 0;
        for (index, evaluation) in evaluations[..self.waiting].iter().enumerate() {
            let leaf = &self.leaves[index];
            let node = leaf.path[leaf.path.len() - 1] as usize;
            self.arena.nodes[node].set_waiting(false);
            if let Some(outcome) = self.arena.nodes[node].bounds.proof() {
                self.arena.back_up(&leaf.path, outcome.value().get(), true);
                continue;
            }
            self.arena.back_up(&leaf.path, evaluation.value.get(), false);
            if at_once && self.arena.nodes[node].len == 0 && self.arena.has_room(leaf.moves.len()) {
                let (position, moves) = (&leaf.position, &leaf.moves);
                self.arena.expand(node, position.mover(), moves, &evaluation.priors, |mv| position.is_attack(mv));
                if node == ROOT {
                    self.prepare_root(evaluation.value.get());
                }
            }
        }
        self.evaluations += self.waiting as u64;
        self.waiting = 0;
    }

    /// One simulation down to a leaf.
    fn simulate(&mut self) -> Arrival {
        if self.leaves.len() == self.waiting {
            self.leaves.push(Waiting { position: self.root.clone(), moves: MoveList::new(), path: Vec::new() });
        }
        let leaf = &mut self.leaves[self.waiting];
        leaf.position.clone_from(&self.root);
        leaf.path.clear();
        let expand_after = self.arena.options.expand_after;
        let (mut node, mut parent) = (ROOT, None);
        let arrival = loop {
            self.arena.enter(parent, node);
            leaf.path.push(node as u32);
            let here = &self.arena.nodes[node];
            if let Some(outcome) = here.bounds.proof() {
                // Without the solver a finished game is visited again and again.
                self.arena.back_up(&leaf.path, outcome.value().get(), false);
                break Arrival::End;
            }
            if here.len == 0 {
                if here.is_waiting() {
                    break Arrival::Taken;
                }
                if let Some(outcome) = leaf.position.expand(&mut leaf.moves) {
                    self.arena.nodes[node].bounds = Bounds::exactly(outcome);
                    self.arena.back_up(&leaf.path, outcome.value().get(), true);
                    break Arrival::End;
                }
                let due = expand_after > 0 && here.visits > expand_after;
                if !due || !self.arena.has_room(leaf.moves.len()) {
                    self.arena.nodes[node].set_waiting(expand_after == 0);
                    break Arrival::Leaf;
                }
                let position = &leaf.position;
                self.arena.expand(node, position.mover(), &leaf.moves, &[], |mv| position.is_attack(mv));
            }
            let child = self.arena.select(node, leaf.path.len() - 1);
            leaf.position.play(self.arena.nodes[child].mv);
            (parent, node) = (Some(node), child);
        };
        self.depth = self.depth.max(leaf.path.len() - 1);
        if let Arrival::Taken = arrival {
            self.taken.push(leaf.path.clone());
        }
        arrival
    }

    /// Gives a root that has just got its children (or is used again) its noise, or its plan of sequential halving.
    fn prepare_root(&mut self, value: f32) {
        let arena = &mut self.arena;
        let children = arena.nodes[ROOT].children();
        if let Some(noise) = self.root_options.noise {
            let shares = noise::dirichlet(f64::from(noise.alpha), children.len(), &mut arena.random);
            for (child, share) in arena.nodes[children.clone()].iter_mut().zip(shares) {
                child.prior = (1.0 - noise.epsilon) * child.prior + noise.epsilon * share;
            }
            arena.root_disturbed = true;
        }
        if let Some(considered) = self.root_options.gumbel {
            let simulations = u32::try_from(self.planned).unwrap_or(u32::MAX).min(1 << 20);
            let children = &arena.nodes[children];
            arena.gumbel = Some(Gumbel::new(children, value, considered, simulations, &mut arena.random));
            arena.root_disturbed = true;
        }
    }

    /// The outcome under best play, if it is proved.
    pub fn proof(&self) -> Option<Outcome> {
        self.arena.nodes[ROOT].bounds.proof()
    }

    /// Simulations that the search was begun for.
    pub fn planned(&self) -> u64 {
        self.planned
    }

    /// Simulations since the search began.
    pub fn simulations(&self) -> u64 {
        self.simulations
    }

    /// Leaves that were evaluated since the search began.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Nodes in the tree.
    pub fn nodes(&self) -> usize {
        self.arena.nodes.len()
    }

    /// Bytes that the nodes take, those reserved for growth included; at most 32 for each node of the limit.
    pub fn bytes(&self) -> usize {
        self.arena.nodes.capacity() * size_of::<Node<P::Move>>()
    }

    /// The position at the root.
    pub fn root(&self) -> &P {
        &self.root
    }

    /// The greatest depth since the search began.
    pub fn depth(&self) -> usize {
        self.depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::{Fpu, Noise, Selection};
    use tesuji_core::{GameRules, Rules, Value};
    use tesuji_games::tictactoe::{Board, TicTacToe};

    fn options() -> TreeOptions {
        let selection = Selection::Puct { c: 1.5, attack: 0.0, fpu: Fpu::Value(0.0) };
        TreeOptions { selection, expand_after: 0, ..TreeOptions::default() }
    }

    /// Simulates with values of 0 and priors that fall along the move list.
    fn simulate(tree: &mut Tree<Board>, simulations: u64) {
        for _ in 0..simulations {
            if tree.gather(1, 1) == 1 {
                let n = tree.leaf().unwrap().moves.len();
                let total = (n * (n + 1) / 2) as f32;
                let priors = (0..n).map(|i| (n - i) as f32 / total).collect();
                tree.apply(&[Evaluation { value: Value::ZERO, priors }]);
            }
        }
    }

    fn priors(tree: &Tree<Board>) -> Vec<f32> {
        tree.children().iter().map(|child| child.prior).collect()
    }

    #[test]
    fn noise_is_for_the_root_and_for_every_root() {
        let start = TicTacToe::new(Rules::Official).start();
        let noisy = RootOptions { noise: Some(Noise { alpha: 0.3, epsilon: 0.25 }), ..RootOptions::default() };
        let mut plain = Tree::new(&start, options(), RootOptions::default());
        let mut tree = Tree::new(&start, options(), noisy);
        for tree in [&mut plain, &mut tree] {
            tree.begin(&start, 200, Stream::new(1, "test", 0));
            simulate(tree, 200);
        }
        assert_ne!(priors(&tree), priors(&plain));
        assert!((priors(&tree).iter().sum::<f32>() - 1.0).abs() < 1e-5);
        // The next root had no noise as a child; it gets its own when it is searched, although it is kept.
        let mv = tree.best();
        let mut next = start;
        next.play(mv);
        tree.advance(mv);
        let clean: Vec<f32> = (1..=8).rev().map(|i| i as f32 / 36.0).collect();
        assert_eq!(priors(&tree), clean);
        let visits = tree.arena.nodes[ROOT].visits;
        tree.begin(&next, 200, Stream::new(1, "test", 1));
        assert_ne!(priors(&tree), clean);
        assert_eq!(tree.arena.nodes[ROOT].visits, visits);
    }

    #[test]
    fn moves_that_would_not_be_played_do_not_count_in_the_value_of_a_root_that_spreads_its_simulations() {
        let start = TicTacToe::new(Rules::Official).start();
        let value = |root: RootOptions, simulations| {
            let mut tree = Tree::new(&start, options(), root);
            tree.begin(&start, simulations, Stream::new(1, "test", 0));
            for _ in 0..simulations {
                tree.gather(1, 1);
                let moves = &tree.leaf().unwrap().moves;
                // Only the centre is any good.
                let centre = moves.iter().all(|mv| mv.square() != 4);
                let value = if moves.len() == 9 { 0.0 } else { [-0.9, 0.9][usize::from(centre)] };
                let priors = vec![1.0 / moves.len() as f32; moves.len()];
                tree.apply(&[Evaluation { value: Value::new(value), priors }]);
            }
            assert_eq!(tree.best().square(), 4);
            [tree.value().get(), tree.arena.nodes[ROOT].value().get()]
        };
        let gumbel = RootOptions { gumbel: Some(9), ..RootOptions::default() };
        // The root itself and each move once: (0.9 - 8 * 0.9) / 10.
        let [policy, mean] = value(gumbel, 10);
        assert!(policy > 0.89 && (mean + 0.63).abs() < 0.01, "{policy} {mean}");
        let forced = RootOptions { forced: 2.0, ..RootOptions::default() };
        let [policy, mean] = value(forced, 40);
        assert!(policy > mean + 0.1, "{policy} {mean}");
        let [policy, mean] = value(RootOptions::default(), 40);
        assert_eq!(policy, mean);
    }

    #[test]
    fn leaves_without_evaluation_leave_no_trace() {
        let start = TicTacToe::new(Rules::Official).start();
        let mut tree = Tree::new(&start, options(), RootOptions::default());
        tree.begin(&start, 100, Stream::new(1, "test", 0));
        simulate(&mut tree, 50);
        let before: Vec<_> = tree.root_moves().collect();
        assert!(tree.gather(8, 50) > 1);
        assert_ne!(tree.root_moves().collect::<Vec<_>>(), before);
        tree.abandon();
        assert_eq!(tree.root_moves().collect::<Vec<_>>(), before);
        assert!(tree.arena.nodes.iter().all(|node| !node.is_waiting()));
    }
}
