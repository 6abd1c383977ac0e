//! One Monte-Carlo tree for UCT and PUCT.
//!
//! | file | what it is |
//! |---|---|
//! | `tree` | [`Tree`]: gathers leaves, applies evaluations, moves on to the next root |
//! | `arena` | its nodes in one array: selection, expansion, backing up |
//! | `node` | one node, and the bounds that are proved of it |
//! | `select` | [`Selection`]: UCB1, UCB1-Tuned, UCT, PUCT, PUCB |
//! | `memory` | killers and history in the tree |
//! | `root` | the final move, policy and principal variation |
//! | `lines` | the best moves of the root, each with what follows |
//! | `noise`, `gumbel`, `forced` | what may happen at the root |
//!
//! Values are stored for the first player everywhere and turned only where a mover compares.
//!
//! # One search
//! [`Mcts`] is a tree with an [`Evaluator`] for its leaves: a whole [`Search`], which agents are made of.
//!
//! # Many trees on one thread
//! Self-play keeps hundreds of games in flight and has their leaves judged together, so it uses [`Tree`] itself. For each
//! move of a game: [`Tree::set_root_options`] (noise and forced playouts for a full search, neither for a quick one),
//! [`Tree::begin`], then [`Tree::gather`] and [`Tree::apply`] in turn until enough simulations are made or the root is
//! proved, [`Tree::found`], and [`Tree::advance`] to keep what is known below the move. What a mate solver finds is told
//! by [`Tree::prove_root`] and [`Tree::prove_leaf`]. A tree of `n` simulations has at most `n` times as many nodes as
//! there are moves, of 32 bytes each, and never more than [`TreeOptions::node_limit`]; [`Tree::advance`] frees the rest.
//!
//! ```
//! use tesuji_core::{Evaluation, Game, Leaf, Position, Rules, Stream, Value};
//! use tesuji_games::connect4::Connect4;
//! use tesuji_search::mcts::{Fpu, Noise, RootOptions, Selection, Tree, TreeOptions};
//!
//! let game = Connect4::new(Rules::Official);
//! let selection = Selection::Puct { c: 1.5, attack: 0.0, fpu: Fpu::Parent(0.2) };
//! let options = TreeOptions { selection, expand_after: 0, node_limit: 10_000, ..TreeOptions::default() };
//! let noise = Some(Noise { alpha: 1.0, epsilon: 0.25 });
//! let full = RootOptions { noise, forced: 2.0, ..RootOptions::default() };
//!
//! let mut games: Vec<_> = (0..8).map(|_| (game.start(), Tree::new(&game.start(), options, full))).collect();
//! let mut evaluations = vec![Evaluation::default(); 8 * 4];
//! for ply in 0..3 {
//!     for (index, (position, tree)) in games.iter_mut().enumerate() {
//!         // Playout-cap randomisation: one move in three is searched in full, the others quickly and without noise.
//!         let quick = (index + ply) % 3 > 0;
//!         tree.set_root_options(if quick { RootOptions::default() } else { full });
//!         tree.begin(position, if quick { 20 } else { 100 }, Stream::new(1, "search", (ply * 8 + index) as u64));
//!     }
//!     let left = |tree: &Tree<_>| tree.planned() - tree.simulations();
//!     while games.iter().any(|(_, tree)| left(tree) > 0 && tree.proof().is_none()) {
//!         for (_, tree) in &mut games {
//!             tree.gather(4, left(tree));
//!         }
//!         let leaves: Vec<Leaf<'_, _>> = games.iter().flat_map(|(_, tree)| tree.leaves()).collect();
//!         for (leaf, evaluation) in leaves.iter().zip(&mut evaluations) {
//!             // A network would be asked here, once for them all.
//!             evaluation.value = Value::ZERO;
//!             evaluation.priors = vec![1.0 / leaf.moves.len() as f32; leaf.moves.len()];
//!         }
//!         let mut first = 0;
//!         for (_, tree) in &mut games {
//!             let count = tree.leaves().len();
//!             tree.apply(&evaluations[first..first + count]);
//!             first += count;
//!         }
//!     }
//!     for (position, tree) in &mut games {
//!         // The policy is what a network would learn; the value is for the first player.
//!         let found = tree.found();
//!         assert!(position.is_legal(found.best));
//!         position.play(found.best);
//!         tree.advance(found.best);
//!     }
//! }
//! ```

mod arena;
mod forced;
mod gumbel;
mod lines;
mod memory;
mod node;
mod noise;
mod root;
mod select;
mod tree;

use crate::clock::Clock;
pub use noise::{Noise, dirichlet};
pub use root::{Decay, FinalMove, RootMove, RootOptions, Temperature, draw};
pub use select::{Fpu, Selection};
use tesuji_core::{Budget, Evaluation, Evaluator, Focus, Found, Info, Leaf, Position, Report, Search, Stream};
pub use tree::Tree;

/// How the tree grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// Which child a simulation goes down to.
    pub selection: Selection,
    /// How often a node is visited before it gets its children; 0 gives it them with its first evaluation, which priors
    /// need. (1 grows the same tree as 0 with fewer nodes if there are no priors.)
    pub expand_after: u32,
    /// Look at few children first.
    pub widening: Option<Widening>,
    /// Proven wins, losses and draws propagate, and what is settled is not visited again.
    pub solver: bool,
    /// Try moves that won elsewhere at the same depth first.
    pub killers: bool,
    /// The weight of a move's mean anywhere in the tree; 0 for none.
    pub history: f32,
    /// What a visit under way counts as a loss, so that the other leaves of a batch lie elsewhere.
    pub virtual_loss: f32,
    /// The greatest number of nodes (32 bytes each); then leaves stay leaves.
    pub node_limit: usize,
    /// The opponent's choices seek the root side's good: a flaw of M-UCT, kept to be faithful.
    pub opponent_helps: bool,
}

impl Default for TreeOptions {
    fn default() -> TreeOptions {
        TreeOptions {
            selection: Selection::Ucb1 { c: std::f32::consts::SQRT_2 },
            expand_after: 1,
            widening: None,
            solver: true,
            killers: false,
            history: 0.0,
            virtual_loss: 1.0,
            node_limit: 8 << 20,
            opponent_helps: false,
        }
    }
}

/// Progressive widening: after `n` visits a node looks at `factor * n^exponent` of its children, at least one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Widening {
    /// The factor.
    pub factor: f32,
    /// The exponent, in 0..=1.
    pub exponent: f32,
}

impl Widening {
    /// How many of `len` children a node with these visits (the one under way included) looks at.
    fn width(self, visits: u32, len: usize) -> usize {
        let visits = visits.saturating_sub(1).max(1) as f32;
        (self.factor * libm::powf(visits, self.exponent)).clamp(1.0, len as f32) as usize
    }
}

/// A tree search: the tree, and who judges its leaves.
pub struct Mcts<P: Position> {
    options: MctsOptions,
    /// Asked once a batch, so a search is compiled once a game and not once for each evaluator.
    evaluator: Box<dyn Evaluator<P> + Send>,
    tree: Option<Tree<P>>,
    evaluations: Vec<Evaluation>,
    focus: Focus<P::Move>,
    seed: u64,
    searches: u64,
}

/// Everything that can be chosen about a tree search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MctsOptions {
    /// How the tree grows.
    pub tree: TreeOptions,
    /// What is special about the root.
    pub root: RootOptions,
    /// Leaves that are judged together; 0 counts as 1.
    pub batch: usize,
    /// Keep what is below the moves that are played.
    pub reuse: bool,
}

impl<P: Position> Mcts<P> {
    /// A tree search; equal seeds search equally.
    pub fn new(options: MctsOptions, evaluator: Box<dyn Evaluator<P> + Send>, seed: u64) -> Mcts<P> {
        Mcts { options, evaluator, tree: None, evaluations: Vec::new(), focus: Focus::default(), seed, searches: 0 }
    }

    /// The tree of the last search.
    pub fn tree(&self) -> Option<&Tree<P>> {
        self.tree.as_ref()
    }
}

impl<P: Position> Search<P> for Mcts<P> {
    fn search(&mut self, root: &P, budget: &Budget, report: &mut dyn Report<P::Move>) -> Found<P::Move> {
        let mut clock = Clock::start(budget);
        let mut random = Stream::new(self.seed, "tree search", self.searches);
        self.searches += 1;
        self.evaluator.reseed(random.fork("evaluator"));
        let MctsOptions { tree: tree_options, root: root_options, batch, .. } = self.options;
        let planned = budget.simulations.unwrap_or(u64::MAX);
        let tree = self.tree.get_or_insert_with(|| Tree::new(root, tree_options, root_options));
        tree.begin(root, planned, random);
        let batch = batch.max(1);
        self.evaluations.resize_with(batch, Evaluation::default);
        let node_limit = budget.nodes.unwrap_or(u64::MAX);
        let mut steps = 0_u32;
        loop {
            let left = planned - tree.simulations().min(planned);
            // The robust-max rule may ask for as many simulations again.
            let more = root_options.final_move == FinalMove::RobustMax
                && tree.simulations() < planned.saturating_mul(2)
                && !tree.is_robust_max();
            // A simulation visits a position even where the tree has stopped growing.
            let nodes = tree.simulations().max(tree.nodes() as u64);
            if left == 0 && !more || tree.proof().is_some() || nodes >= node_limit {
                break;
            }
            match tree.gather(batch, left.max(1)) {
                0 => {}
                1 => {
                    let leaf = tree.leaf().expect("one leaf waits");
                    self.evaluator.evaluate(&[leaf], &mut self.evaluations[..1]);
                    tree.apply(&self.evaluations);
                }
                waiting => {
                    let leaves: Vec<Leaf<'_, P>> = tree.leaves().collect();
                    self.evaluator.evaluate(&leaves, &mut self.evaluations[..waiting]);
                    tree.apply(&self.evaluations);
                }
            }
            if clock.expired(report) {
                break;
            }
            steps += 1;
            if steps.is_multiple_of(256) && clock.info_due() {
                tell(tree, &clock, &self.focus, report);
            }
        }
        tell(tree, &clock, &self.focus, report);
        let mut found = tree.found();
        // The tree looks at every move; of those that are allowed, the best is the answer.
        let only = &self.focus.only;
        if !only.is_empty()
            && !only.contains(&found.best)
            && let Some(line) = tree.lines(1, only).into_iter().next()
        {
            (found.best, found.value, found.proof, found.line) = (line.line[0], line.value, line.proof, line.line);
        }
        found
    }

    fn advance(&mut self, mv: P::Move) {
        if self.options.reuse
            && let Some(tree) = &mut self.tree
        {
            tree.advance(mv);
        }
    }

    fn focus(&mut self, focus: &Focus<P::Move>) {
        self.focus = focus.clone();
    }

    fn new_game(&mut self, seed: u64) {
        (self.tree, self.seed, self.searches) = (None, seed, 0);
    }
}

/// Says what the tree thinks so far.
fn tell<P: Position>(tree: &Tree<P>, clock: &Clock, focus: &Focus<P::Move>, report: &mut dyn Report<P::Move>) {
    let mut info = Info {
        depth: tree.depth() as u32,
        nodes: tree.nodes() as u64,
        time: clock.elapsed(),
        value: tree.value(),
        proof: tree.proof(),
        line: tree.line(),
    };
    if focus.only.is_empty() && focus.lines <= 1 {
        return report.info(&info);
    }
    let mut lines = tree.lines(focus.lines.max(1), &focus.only);
    if lines.is_empty() {
        return report.info(&info);
    }
    let first = lines.remove(0);
    (info.value, info.proof, info.line) = (first.value, first.proof, first.line);
    report.info(&info);
    report.others(&lines);
}
