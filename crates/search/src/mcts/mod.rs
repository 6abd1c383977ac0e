//! One Monte-Carlo tree for UCT and PUCT.
//!
//! | file | what it is |
//! |---|---|
//! | `options` | what can be chosen: [`MctsOptions`], [`TreeOptions`], [`RootOptions`] |
//! | `search` | [`Mcts`]: a whole search, the tree with an evaluator |
//! | `tree` | [`Tree`]: gathers leaves, applies evaluations, moves on to the next root |
//! | `arena` | its nodes in one array: selection, expansion, backing up |
//! | `node` | one node, and the bounds that are proved of it |
//! | `select` | [`Selection`]: UCB1, UCB1-Tuned, UCT, PUCT, PUCB |
//! | `memory` | killers and history in the tree |
//! | `root` | the final move, policy and principal variation |
//! | `lines` | the best moves of the root, each with what follows |
//! | `visit` | all nodes that were visited often enough |
//! | `noise`, `gumbel`, `forced` | what may happen at the root |
//!
//! Values are stored for the first player everywhere and turned only where a mover compares.
//!
//! # One search
//! [`Mcts`] is a tree with an [`Evaluator`](tesuji_core::Evaluator) for its leaves: a whole
//! [`Search`](tesuji_core::Search), which agents are made of.
//!
//! # Many trees on one thread
//! Self-play keeps hundreds of games in flight and has their leaves evaluated together, so it uses [`Tree`] itself. For
//! each move of a game: [`Tree::set_root_options`] (noise and forced playouts for a full search, neither for a quick
//! one), [`Tree::begin`], then [`Tree::gather`] and [`Tree::apply`] in turn until enough simulations are made or the
//! root is proved, [`Tree::found`], and [`Tree::advance`] to keep what is known below the move. The result of a mate
//! solver is passed in by [`Tree::prove_root`] and [`Tree::prove_leaf`]. A tree of `n` simulations has at most `n`
//! times as many nodes as there are moves, of 32 bytes each, and never more than [`TreeOptions::node_limit`];
//! [`Tree::advance`] frees the rest.
//!
//! ```
//! use tesuji_core::{Evaluation, GameRules, Leaf, Position, Rules, Stream, Value};
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
mod options;
mod root;
mod search;
mod select;
mod tree;
mod visit;

pub use noise::{Noise, dirichlet};
pub use options::{Decay, FinalMove, MctsOptions, RootOptions, Temperature, TreeOptions, Widening};
pub use root::{RootMove, draw};
pub use search::Mcts;
pub use select::{Fpu, Selection};
pub use tree::Tree;
pub use visit::{Show, Visited};
