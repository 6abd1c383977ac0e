//! Games by tree search: many in flight on each thread, the leaves of all their trees in one batch.

use super::game::{GameInProgress, Series};
use super::greedy::GreedyRollouts;
use super::mates::RootSolver;
use super::options::SelfPlay;
use super::threads::{Desk, on_threads};
use crate::run::events::WOULD_RESIGN;
use crate::run::ledger::PlayCost;
use crate::run::{Done, Play, PlayedGame};
use cpu_time::ThreadTime;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tesuji_core::record::Thought;
use tesuji_core::{Encoder, Evaluation, Evaluator, Game, GameRecord, Leaf, Move, Outcome, Position, Side};
use tesuji_nn::evaluator::Mismatch;
use tesuji_nn::{Cache, Model, NetworkEvaluator, Worker};
use tesuji_search::mcts::Tree;

/// Weights of a policy in a record add up to about this.
const POLICY_SCALE: f32 = 65_536.0;

/// Own moves in a row that a side must see as lost before it resigns.
const RESIGN_MOVES: u32 = 3;

/// Plays the games of a generation by tree search with a network.
pub struct TreePlay<'a, G: Game> {
    /// The games.
    pub series: Series<'a, G>,
    /// How the network reads positions.
    pub encoder: Arc<dyn Encoder<G::Position>>,
    /// The network.
    pub model: Arc<Model>,
}

impl<G: Game> TreePlay<'_, G> {
    /// Game number `index` at its start.
    fn new_game(&self, index: u64) -> Slot<G::Position> {
        let options = self.series.options;
        let mut game = self.series.begin("self-play", index);
        if options.random_plies > 0 {
            let plies = game.random.below(options.random_plies as usize + 1);
            game.play_random(plies);
        }
        let control = game.random.unit() < options.resign_control;
        let tree = Tree::new(&game.position, options.tree(), options.root(false));
        Slot { game, tree, planned: None, quick: false, hopeless: [0; 2], would_resign: None, control }
    }
}

impl<G: Game> Play for TreePlay<'_, G> {
    fn play(&self, todo: &[u64], threads: usize, stop: &AtomicBool, done: &mut Done<'_>) -> Result<PlayCost, String> {
        on_threads(todo, threads, stop, done, &|desk| {
            let mut thread = Thread::new(self).map_err(|error: Mismatch| error.to_string())?;
            thread.play(desk);
            Ok(thread.cost())
        })
    }
}

/// One thread: its evaluator, its solver and the games that it has in flight.
struct Thread<'a, G: Game> {
    games: &'a TreePlay<'a, G>,
    evaluator: Leaves<G::Position>,
    solver: Option<RootSolver>,
    leaf_solver: Option<RootSolver>,
    slots: Vec<Slot<G::Position>>,
    evaluations: Vec<Evaluation>,
    clock: ThreadTime,
    cost: PlayCost,
}

/// How leaves are judged.
enum Leaves<P: Position> {
    /// By the network.
    Network(NetworkEvaluator<P>),
    /// By complete games of its greedy policy.
    Greedy(GreedyRollouts<NetworkEvaluator<P>>),
}

impl<P: Position> Leaves<P> {
    fn network(&self) -> &NetworkEvaluator<P> {
        match self {
            Leaves::Network(network) => network,
            Leaves::Greedy(rollouts) => rollouts.policy(),
        }
    }

    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        match self {
            Leaves::Network(network) => network.evaluate(leaves, out),
            Leaves::Greedy(rollouts) => rollouts.evaluate(leaves, out),
        }
    }
}

/// A game in flight, with its tree.
struct Slot<P: Position> {
    game: GameInProgress<P>,
    tree: Tree<P>,
    /// Simulations of the search under way; `None` before one begins.
    planned: Option<u64>,
    quick: bool,
    /// Moves in a row that each side saw itself lost.
    hopeless: [u32; 2],
    /// In a control game: who would have resigned.
    would_resign: Option<Side>,
    control: bool,
}

impl<'a, G: Game> Thread<'a, G> {
    fn new(games: &'a TreePlay<'a, G>) -> Result<Thread<'a, G>, Mismatch> {
        let options = games.series.options;
        let cache = (options.cache > 0).then(|| Cache::new(options.cache << 20));
        let worker = Worker::new(Arc::clone(&games.model));
        let network = NetworkEvaluator::new(Arc::clone(&games.encoder), worker, cache)?;
        let network = network.whole_views(options.whole_units);
        let evaluator = match options.greedy_rollouts {
            true => Leaves::Greedy(GreedyRollouts::new(network, options.max_plies)),
            false => Leaves::Network(network),
        };
        Ok(Thread {
            evaluator,
            solver: games.series.solver(),
            leaf_solver: RootSolver::new(options.leaf_mate),
            games,
            slots: Vec::new(),
            evaluations: Vec::new(),
            clock: ThreadTime::now(),
            cost: PlayCost::default(),
        })
    }

    /// Plays until there are no more games to take or the desk halts.
    fn play(&mut self, desk: &Desk<'_>) {
        while self.slots.len() < self.games.series.options.in_flight {
            let Some(index) = desk.take() else { break };
            self.slots.push(self.games.new_game(index));
        }
        while !self.slots.is_empty() && !desk.halts() {
            let mut at = 0;
            while at < self.slots.len() {
                if self.prepare(at) {
                    at += 1;
                    continue;
                }
                let cost = self.cost();
                let ended = match desk.take() {
                    Some(index) => std::mem::replace(&mut self.slots[at], self.games.new_game(index)),
                    None => self.slots.swap_remove(at),
                };
                desk.hand_over(PlayedGame { index: ended.game.index, record: ended.into_record(), cost });
            }
            self.evaluate();
        }
    }

    fn cost(&self) -> PlayCost {
        let network = self.evaluator.network();
        let cached = network.cache().map_or(0, |cache| cache.hits_and_misses().0);
        PlayCost { cpu: self.clock.elapsed(), evaluations: network.evaluations(), cached, ..self.cost }
    }

    /// Brings a game to where leaves of it wait, playing the moves that are due; `false` if it has ended.
    fn prepare(&mut self, at: usize) -> bool {
        let options = self.games.series.options;
        loop {
            let slot = &mut self.slots[at];
            let Some(planned) = slot.planned else {
                if slot.game.is_over() {
                    return false;
                }
                self.begin_search(at);
                continue;
            };
            let left = planned - slot.tree.simulations().min(planned);
            if left > 0 && slot.tree.proof().is_none() && slot.tree.gather(options.leaves, left) > 0 {
                return true;
            }
            if slot.tree.simulations() < planned && slot.tree.proof().is_none() {
                continue;
            }
            self.cost.simulations += slot.tree.simulations();
            if slot.end_search(options) {
                return false;
            }
        }
    }

    /// Begins the search of a root, unless a mate is found there: that is played at once.
    fn begin_search(&mut self, at: usize) {
        let Series { game: rules, options, .. } = self.games.series;
        let Slot { game, tree, quick, planned, .. } = &mut self.slots[at];
        if let Some(solver) = &mut self.solver {
            let clock = ThreadTime::now();
            // A solver that works beside the search plays the same mates: what the search has seen by then is thrown away.
            let most = options.mate_beside.saturating_mul(options.simulations);
            let mate = solver.mate_by_nodes(rules, &game.position, (most > 0).then_some(most));
            self.cost.mate += clock.elapsed();
            if let Some(line) = mate {
                let value = Outcome::Win(game.position.mover()).value();
                let policy = vec![(line[0].to_bits(), 1)];
                game.play_mate(line[0], Some(Thought { value, policy }));
                if options.reuse {
                    tree.advance(line[0]);
                }
                return;
            }
        }
        *quick = game.random.unit() < options.playout_cap_share;
        let simulations = if *quick { options.playout_cap_simulations } else { options.simulations };
        tree.set_root_options(options.root(*quick));
        let random = game.random.fork("search");
        tree.begin(&game.position, simulations, random);
        *planned = Some(simulations);
    }

    /// Looks for mates at the leaves of all games, and tells the trees.
    fn prove_leaves(&mut self) {
        let Some(solver) = &mut self.leaf_solver else { return };
        let clock = ThreadTime::now();
        for slot in &mut self.slots {
            let leaves = slot.tree.leaves().len();
            for index in 0..leaves {
                let mate =
                    slot.tree.leaves().nth(index).and_then(|leaf| solver.mate(self.games.series.game, leaf.position));
                if let Some(line) = mate {
                    slot.tree.prove_leaf(index, line[0]);
                }
            }
        }
        self.cost.mate += clock.elapsed();
    }

    /// Judges the leaves of all games together.
    fn evaluate(&mut self) {
        self.prove_leaves();
        let clock = ThreadTime::now();
        let leaves: Vec<Leaf<'_, G::Position>> = self.slots.iter().flat_map(|slot| slot.tree.leaves()).collect();
        if self.evaluations.len() < leaves.len() {
            self.evaluations.resize_with(leaves.len(), Evaluation::default);
        }
        self.evaluator.evaluate(&leaves, &mut self.evaluations[..leaves.len()]);
        drop(leaves);
        let mut first = 0;
        for slot in &mut self.slots {
            let count = slot.tree.leaves().len();
            slot.tree.apply(&self.evaluations[first..first + count]);
            first += count;
        }
        self.cost.inference += clock.elapsed();
    }
}

impl<P: Position> Slot<P> {
    /// The record of the game that has ended.
    fn into_record(self) -> GameRecord {
        self.game.into_record(self.would_resign.map(|side| (WOULD_RESIGN, side.to_string())))
    }

    /// Plays the move that the search found; `true` if a side resigned instead.
    fn end_search(&mut self, options: &SelfPlay) -> bool {
        self.planned = None;
        let found = self.tree.found();
        let mover = self.game.position.mover();
        let value = found.value.for_side(mover);
        let count = &mut self.hopeless[mover.index()];
        *count = if options.resign > 0.0 && value <= -options.resign { *count + 1 } else { 0 };
        if *count >= RESIGN_MOVES {
            if !self.control {
                self.game.end(Outcome::Win(mover.other()), "resignation");
                return true;
            }
            self.would_resign.get_or_insert(mover);
        }
        let weights = found.policy.iter().map(|&(mv, share)| (mv.to_bits(), (share * POLICY_SCALE).round() as u32));
        let policy = weights.filter(|&(_, weight)| weight > 0).collect();
        let thought = (!self.quick).then_some(Thought { value: found.value, policy });
        self.game.play(found.best, thought);
        if options.reuse {
            self.tree.advance(found.best);
        }
        false
    }
}
