//! Self-play: many games in flight on each thread, the leaves of all their trees in one batch.
//!
//! No thread waits for another. A thread takes the next game of the generation whenever one of its own ends; which
//! thread plays it, and beside which other games, changes nothing about it.

use crate::experiment::SelfPlay;
use crate::greedy::GreedyRollouts;
use crate::mates::RootSolver;
use crate::train::Done;
use cpu_time::ThreadTime;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tesuji_core::record::{Played, Thought};
use tesuji_core::{
    Encoder, Evaluation, Evaluator, Game, GameRecord, Leaf, Move, MoveList, Outcome, Position, Side, Stream,
};
use tesuji_nn::evaluator::Mismatch;
use tesuji_nn::{Cache, Model, NetworkEvaluator, Worker};
use tesuji_search::mcts::Tree;

/// Weights of a policy in a record add up to about this.
const POLICY_SCALE: f32 = 65_536.0;

/// Own moves in a row that a side must see as lost before it resigns.
const RESIGN_MOVES: u32 = 3;

/// The tag of a game in which nobody resigns, with who would have.
const WOULD_RESIGN: &str = "would-resign";

/// The tag with the number of mates that the solver found.
pub(crate) const MATES: &str = "mates";

/// What is played in a generation.
pub struct Actor<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// How it is played.
    pub options: &'a SelfPlay,
    /// How the network reads it.
    pub encoder: Arc<dyn Encoder<G::Position>>,
    /// The network.
    pub model: Arc<Model>,
    /// The run's seed.
    pub seed: u64,
    /// The generation, from 1.
    pub generation: u64,
}

impl<G: Game> Actor<'_, G> {
    /// Game number `index` at its start.
    fn new_game(&self, index: u64) -> Slot<G::Position> {
        let Actor { game, options, seed, generation, .. } = *self;
        let mut random = Stream::new(seed, &format!("self-play {generation}"), index);
        let mut position = if options.varied_starts { game.varied_start(&mut random) } else { game.start() };
        let start = game.format_position(&position);
        let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), &start);
        record.tags.push(("generation".to_owned(), generation.to_string()));
        record.tags.push(("game".to_owned(), index.to_string()));
        if options.random_plies > 0 {
            let plies = random.below(options.random_plies as usize + 1);
            random_opening(&mut position, plies, &mut random, &mut record);
        }
        let control = random.unit() < options.resign_control;
        let tree = Tree::new(&position, options.tree(), options.root(false));
        Slot {
            index,
            position,
            tree,
            record,
            random,
            planned: None,
            quick: false,
            hopeless: [0; 2],
            would_resign: None,
            control,
            mates: 0,
        }
    }
}

/// What playing cost; unlike the games themselves, it depends on the machine and the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayCost {
    /// Processor time in all.
    pub cpu: Duration,
    /// Of it, in the network.
    pub inference: Duration,
    /// Of it, in the mate solver.
    pub mate: Duration,
    /// Views that went through the network.
    pub evaluations: u64,
    /// Questions that the cache answered.
    pub cached: u64,
    /// Simulations.
    pub simulations: u64,
}

impl std::ops::AddAssign for PlayCost {
    fn add_assign(&mut self, other: PlayCost) {
        self.cpu += other.cpu;
        self.inference += other.inference;
        self.mate += other.mate;
        self.evaluations += other.evaluations;
        self.cached += other.cached;
        self.simulations += other.simulations;
    }
}

/// Plays the games whose numbers `todo` lists on so many threads; `done` gets each as it ends.
///
/// Ends early if `stop` is set; games that have not ended by then are lost.
///
/// # Errors
/// If the network does not fit the encoder, or `done` fails.
pub fn play_games<G: Game>(
    actor: &Actor<'_, G>,
    todo: &[u64],
    threads: usize,
    stop: &AtomicBool,
    done: &mut Done<'_>,
) -> Result<PlayCost, String> {
    on_threads(todo, threads, stop, done, &|take, halt, finished| {
        let mut thread = Thread::new(actor).map_err(|error: Mismatch| error.to_string())?;
        thread.play(take, halt, finished);
        Ok(thread.cost())
    })
}

/// What a thread hands a finished game to.
type Finished<'a> = dyn FnMut(u64, GameRecord, PlayCost) + 'a;

/// What a thread does: where it takes the next game's number from, whether to halt, whom to hand finished games to.
type OnThread<'a> =
    dyn Fn(&dyn Fn() -> Option<u64>, &dyn Fn() -> bool, &mut Finished<'_>) -> Result<PlayCost, String> + Sync + 'a;

/// Lets every thread play games of `todo` until there are none left to take. Finished games reach `done` on the calling
/// thread; if it fails, all halt.
///
/// # Errors
/// If a thread or `done` fails.
pub(crate) fn on_threads(
    todo: &[u64],
    threads: usize,
    stop: &AtomicBool,
    done: &mut Done<'_>,
    play: &OnThread<'_>,
) -> Result<PlayCost, String> {
    let next = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .map(|_| {
                let sender = sender.clone();
                let (next, failed) = (&next, &failed);
                scope.spawn(move || {
                    let take = || todo.get(next.fetch_add(1, Ordering::Relaxed) as usize).copied();
                    let halt = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
                    play(&take, &halt, &mut |index, record, cost| {
                        let _ = sender.send((index, record, cost));
                    })
                })
            })
            .collect();
        drop(sender);
        let mut result = Ok(());
        for (index, record, cost) in receiver {
            if result.is_ok() {
                result = done(index, record, cost);
            }
            failed.store(result.is_err(), Ordering::Relaxed);
        }
        let mut total = PlayCost::default();
        for worker in workers {
            match worker.join() {
                Ok(cost) => total += cost?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result.map(|()| total)
    })
}

/// One thread: its evaluator, its solver and the games that it has in flight.
struct Thread<'a, G: Game> {
    actor: &'a Actor<'a, G>,
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

/// A game in flight.
struct Slot<P: Position> {
    index: u64,
    position: P,
    tree: Tree<P>,
    record: GameRecord,
    /// Random choices of the game itself; trees get forks of it.
    random: Stream,
    /// Simulations of the search under way; `None` before one begins.
    planned: Option<u64>,
    quick: bool,
    /// Moves in a row that each side saw itself lost.
    hopeless: [u32; 2],
    /// In a control game: who would have resigned.
    would_resign: Option<Side>,
    control: bool,
    mates: u32,
}

impl<'a, G: Game> Thread<'a, G> {
    fn new(actor: &'a Actor<'a, G>) -> Result<Thread<'a, G>, Mismatch> {
        let cache = (actor.options.cache > 0).then(|| Cache::new(actor.options.cache << 20));
        let worker = Worker::new(Arc::clone(&actor.model));
        let network = NetworkEvaluator::new(Arc::clone(&actor.encoder), worker, cache)?;
        let evaluator = match actor.options.greedy_rollouts {
            true => Leaves::Greedy(GreedyRollouts::new(network, actor.options.max_plies)),
            false => Leaves::Network(network),
        };
        Ok(Thread {
            evaluator,
            solver: RootSolver::new(actor.options.mate),
            leaf_solver: RootSolver::new(actor.options.leaf_mate),
            actor,
            slots: Vec::new(),
            evaluations: Vec::new(),
            clock: ThreadTime::now(),
            cost: PlayCost::default(),
        })
    }

    /// Plays until there are no more games to take or `halt` says so.
    fn play(&mut self, take: &dyn Fn() -> Option<u64>, halt: &dyn Fn() -> bool, done: &mut Finished<'_>) {
        while self.slots.len() < self.actor.options.in_flight {
            let Some(index) = take() else { break };
            self.slots.push(self.actor.new_game(index));
        }
        while !self.slots.is_empty() && !halt() {
            let mut at = 0;
            while at < self.slots.len() {
                if self.prepare(at) {
                    at += 1;
                    continue;
                }
                let cost = self.cost();
                done(self.slots[at].index, self.slots[at].finished(), cost);
                match take() {
                    Some(index) => self.slots[at] = self.actor.new_game(index),
                    None => drop(self.slots.swap_remove(at)),
                }
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
        let options = self.actor.options;
        loop {
            let slot = &mut self.slots[at];
            let Some(planned) = slot.planned else {
                if is_over(slot, options) {
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
        let Actor { game, options, .. } = *self.actor;
        let slot = &mut self.slots[at];
        if let Some(solver) = &mut self.solver {
            let clock = ThreadTime::now();
            let mate = solver.mate(game, &slot.position);
            self.cost.mate += clock.elapsed();
            if let Some(line) = mate {
                slot.mates += 1;
                let value = Outcome::Win(slot.position.mover()).value();
                let policy = vec![(line[0].to_bits(), 1)];
                slot.play(line[0], Some(Thought { value, policy }), options.reuse);
                return;
            }
        }
        slot.quick = slot.random.unit() < options.playout_cap_share;
        let simulations = if slot.quick { options.playout_cap_simulations } else { options.simulations };
        slot.tree.set_root_options(options.root(slot.quick));
        let random = slot.random.fork("search");
        slot.tree.begin(&slot.position, simulations, random);
        slot.planned = Some(simulations);
    }

    /// Looks for mates at the leaves of all games, and tells the trees.
    fn prove_leaves(&mut self) {
        let Some(solver) = &mut self.leaf_solver else { return };
        let clock = ThreadTime::now();
        for slot in &mut self.slots {
            let leaves = slot.tree.leaves().len();
            for index in 0..leaves {
                let mate = slot.tree.leaves().nth(index).and_then(|leaf| solver.mate(self.actor.game, leaf.position));
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

/// Plays random moves into a record; ends before the game would.
fn random_opening<P: Position>(position: &mut P, plies: usize, random: &mut Stream, record: &mut GameRecord) {
    let mut moves = MoveList::new();
    for _ in 0..plies {
        position.moves(&mut moves);
        let Some(&mv) = random.choose(&moves) else { return };
        let mut next = position.clone();
        next.play(mv);
        if next.outcome().is_some() {
            return;
        }
        *position = next;
        record.push(mv);
    }
}

/// Whether the game has ended by its rules or by the limit on its length; the record then says how.
fn is_over<P: Position>(slot: &mut Slot<P>, options: &SelfPlay) -> bool {
    if slot.record.outcome.is_some() {
        return true;
    }
    if let Some(outcome) = slot.position.outcome() {
        slot.record.outcome = Some(outcome);
        slot.record.ending = slot.position.ending().to_owned();
        return true;
    }
    if slot.record.moves.len() >= options.max_plies as usize {
        slot.record.outcome = Some(Outcome::Draw);
        slot.record.ending = "move limit".to_owned();
        return true;
    }
    false
}

impl<P: Position> Slot<P> {
    /// The record of the game that has ended, with what is known besides the moves.
    fn finished(&mut self) -> GameRecord {
        let mut tags = std::mem::take(&mut self.record.tags);
        if let Some(side) = self.would_resign {
            tags.push((WOULD_RESIGN.to_owned(), side.to_string()));
        }
        if self.mates > 0 {
            tags.push((MATES.to_owned(), self.mates.to_string()));
        }
        GameRecord { tags, ..self.record.clone() }
    }

    /// Plays the move that the search found; `true` if a side resigned instead.
    fn end_search(&mut self, options: &SelfPlay) -> bool {
        self.planned = None;
        let found = self.tree.found();
        let mover = self.position.mover();
        let value = found.value.for_side(mover);
        let count = &mut self.hopeless[mover.index()];
        *count = if options.resign > 0.0 && value <= -options.resign { *count + 1 } else { 0 };
        if *count >= RESIGN_MOVES {
            if !self.control {
                self.record.outcome = Some(Outcome::Win(mover.other()));
                self.record.ending = "resignation".to_owned();
                return true;
            }
            self.would_resign.get_or_insert(mover);
        }
        let weights = found.policy.iter().map(|&(mv, share)| (mv.to_bits(), (share * POLICY_SCALE).round() as u32));
        let policy = weights.filter(|&(_, weight)| weight > 0).collect();
        let thought = (!self.quick).then_some(Thought { value: found.value, policy });
        self.play(found.best, thought, options.reuse);
        false
    }

    fn play(&mut self, mv: P::Move, thought: Option<Thought>, reuse: bool) {
        self.record.moves.push(Played { bits: mv.to_bits(), thought });
        self.position.play(mv);
        if reuse {
            self.tree.advance(mv);
        }
    }
}

/// What the games of a generation were like: the same wherever and however they were played.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GameStatistics {
    /// Games.
    pub games: u64,
    /// Positions to learn from.
    pub positions: u64,
    /// Mean length.
    pub mean_plies: f64,
    /// Shortest and longest game.
    pub plies: [u64; 2],
    /// Won by the first player, drawn, won by the second.
    pub outcomes: [u64; 3],
    /// How many games ended for which reason.
    pub endings: std::collections::BTreeMap<String, u64>,
    /// Mates that the solver found.
    pub mates: u64,
    /// Games that went on although a side would have resigned.
    pub controls: u64,
    /// Of these, games that the side did not lose.
    pub wrong_resignations: u64,
}

impl GameStatistics {
    /// Counts records.
    pub fn of<'r>(records: impl IntoIterator<Item = &'r GameRecord>) -> GameStatistics {
        let mut all = GameStatistics { plies: [u64::MAX, 0], ..GameStatistics::default() };
        let mut total = 0;
        for record in records {
            let plies = record.moves.len() as u64;
            all.games += 1;
            total += plies;
            all.positions += positions(record) as u64;
            all.plies = [all.plies[0].min(plies), all.plies[1].max(plies)];
            all.outcomes[match record.outcome {
                Some(Outcome::Win(Side::First)) => 0,
                Some(Outcome::Win(Side::Second)) => 2,
                _ => 1,
            }] += 1;
            *all.endings.entry(record.ending.clone()).or_default() += 1;
            let tag = |name: &str| record.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value);
            all.mates += tag(MATES).and_then(|mates| mates.parse::<u64>().ok()).unwrap_or(0);
            if let Some(side) = tag(WOULD_RESIGN) {
                all.controls += 1;
                let loser = if side == "first" { Side::First } else { Side::Second };
                all.wrong_resignations += u64::from(record.outcome != Some(Outcome::Win(loser.other())));
            }
        }
        all.plies[0] = all.plies[0].min(all.plies[1]);
        all.mean_plies = total as f64 / all.games.max(1) as f64;
        all
    }
}

/// Positions of a record that there is something to learn from.
pub fn positions(record: &GameRecord) -> usize {
    record.moves.iter().filter(|played| played.thought.is_some()).count()
}
