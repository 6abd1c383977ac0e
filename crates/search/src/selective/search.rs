//! Iterative deepening over the recursion, as a [`Search`].

use super::node::Window;
use super::pace::Pace;
use super::params::{Feature, Params};
use super::scores::{DEEPEST, KNOWN};
use super::table::Table;
use super::worker::{Ply, Watch, Worker, plies};
use crate::clock::Clock;
use crate::evaluate::{EvaluatorSource, HeuristicEvaluator};
use crate::one_hot;
use crate::score::{self, INFINITE, Score, WIN};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tesuji_core::{
    Budget, Focus, Found, Game, Info, Line, Move, MoveList, MoveOf, Outcome, Position, Quiet, Report, Search,
};

/// What a selective search may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectiveConfig {
    /// Bytes of the transposition table; 0 for none.
    pub table: usize,
    /// Threads. With more than one the same search finds other things each time.
    pub threads: usize,
    /// What is on, and the margins.
    pub params: Params,
}

impl SelectiveConfig {
    /// One thread and 16 megabytes, with the parameters of a game.
    pub fn of<G: Game>(game: &G) -> SelectiveConfig {
        SelectiveConfig { table: 16 << 20, threads: 1, params: Params::of(game.name()) }
    }
}

/// One thread and its buffers.
struct Thread<P: Position> {
    worker: Worker<P>,
    /// Empty until the first search.
    plies: Vec<Ply<P>>,
}

/// Selective alpha-beta with iterative deepening.
pub struct Selective<G: Game> {
    game: G,
    table: Arc<Table>,
    halt: Arc<AtomicBool>,
    main: Thread<G::Position>,
    helpers: Vec<Thread<G::Position>>,
    focus: Focus<MoveOf<G>>,
}

impl<G: Game> fmt::Debug for Selective<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selective").field("game", &self.game.name()).finish_non_exhaustive()
    }
}

impl<G: Game> Selective<G> {
    /// A search of this game, its leaves evaluated by what the source makes.
    pub fn new(game: G, config: SelectiveConfig, evaluators: &EvaluatorSource<G::Position>) -> Selective<G> {
        let table = Arc::new(Table::new(config.table));
        let halt = Arc::new(AtomicBool::new(false));
        let thread = || {
            let mut worker = Worker::new(config.params, Arc::clone(&table), evaluators());
            worker.halt = Arc::clone(&halt);
            Thread { worker, plies: Vec::new() }
        };
        let main = thread();
        let helpers = (1..config.threads).map(|_| thread()).collect();
        Selective { game, main, helpers, focus: Focus::default(), table, halt }
    }

    /// A search whose leaves are evaluated by the game's heuristic.
    pub fn by_heuristic(game: G, config: SelectiveConfig) -> Selective<G> {
        let evaluated = game.clone();
        let source: EvaluatorSource<G::Position> = Arc::new(move || Box::new(HeuristicEvaluator(evaluated.clone())));
        Selective::new(game, config, &source)
    }

    /// The score for the **first** player by a search within this budget (nodes, mostly), without reports: for labelling
    /// many positions. The game may have ended.
    pub fn score(&mut self, position: &G::Position, budget: &Budget) -> Score {
        match position.outcome() {
            Some(outcome) => score::of_outcome(outcome, 0),
            None => self.deepen(position, budget, &mut Quiet, false).0,
        }
    }

    /// Searches deeper and deeper; with `early`, ends when the game is decided. The score is the first player's.
    fn deepen(
        &mut self,
        root: &G::Position,
        budget: &Budget,
        report: &mut dyn Report<MoveOf<G>>,
        early: bool,
    ) -> (Score, Found<MoveOf<G>>) {
        let clock = Clock::without_soft(budget);
        self.table.next_search();
        self.halt.store(false, Ordering::Relaxed);
        for thread in std::iter::once(&mut self.main).chain(&mut self.helpers) {
            if thread.plies.is_empty() {
                thread.plies = plies(root);
            }
            thread.worker.only.clone_from(&self.focus.only);
            thread.worker.begin(root, budget);
        }
        let Selective { game, halt, main, helpers, focus, .. } = self;
        std::thread::scope(|scope| {
            let helping: Vec<_> = helpers
                .iter_mut()
                .enumerate()
                .map(|(number, helper)| scope.spawn(move || help(helper, root, 1 + (number as i32 + 1) % 2)))
                .collect();
            let mut result = lead(game, main, root, budget, clock, focus.lines, report, early);
            halt.store(true, Ordering::Relaxed);
            for helper in helping {
                let (nodes, evaluations) = helper.join().expect("a helping thread does not panic");
                result.1.nodes += nodes;
                result.1.evaluations += evaluations;
            }
            result
        })
    }
}

/// The main thread's part of a search.
#[expect(clippy::too_many_arguments, reason = "what a search is made of")]
fn lead<G: Game>(
    game: &G,
    Thread { worker, plies }: &mut Thread<G::Position>,
    root: &G::Position,
    budget: &Budget,
    mut clock: Clock,
    lines: usize,
    report: &mut dyn Report<MoveOf<G>>,
    early: bool,
) -> (Score, Found<MoveOf<G>>) {
    let mut moves = MoveList::new();
    root.moves(&mut moves);
    let policy_moves = moves.clone();
    moves.retain(|mv| worker.allows(mv));
    let sign = score::sign(root.mover());
    let deepest = budget.depth.unwrap_or(u32::MAX).clamp(1, DEEPEST as u32) as i32;
    let (mut score, mut line, mut completed) = (0, vec![moves[0]], 0);
    let mut others: Vec<Line<MoveOf<G>>> = Vec::new();
    let mut pace = budget.soft.map(|soft| Pace::new(soft, worker.params.aspiration));
    for depth in 1..=deepest {
        let mut watch = Watch::Clock(&mut clock, report);
        iterate(worker, plies, root, depth, score, &mut watch);
        // What a stopped iteration found better than its window is better.
        if let Some((found, found_line)) = worker.best.take() {
            (score, line) = (found, found_line);
        }
        if worker.stopped {
            break;
        }
        completed = depth;
        let time = clock.elapsed();
        let (value, proof) = verdict(game, sign * score);
        report.info(&Info { depth: depth as u32, nodes: worker.nodes, time, value, proof, line: line.clone() });
        if lines > 1 {
            let wanted = lines.min(moves.len()) - 1;
            let mut watch = Watch::Clock(&mut clock, report);
            self::others(game, worker, plies, root, depth, wanted, &line, &mut watch, &mut others);
            if !worker.stopped {
                report.others(&others);
            }
        }
        let done = pace
            .as_mut()
            .is_some_and(|pace| moves.len() == 1 || !pace.goes_on(clock.elapsed(), line[0].to_bits(), score));
        let decided = early && score::decided(score).is_some() && WIN - score.abs() <= depth;
        if worker.stopped || decided || done || worker.nodes >= worker.node_limit || clock.expired(report) {
            break;
        }
    }
    let (value, proof) = verdict(game, sign * score);
    let found = Found {
        best: line[0],
        policy: one_hot(&policy_moves, line[0]),
        value,
        proof,
        line,
        nodes: worker.nodes,
        simulations: 0,
        evaluations: worker.evaluations,
        depth: completed as u32,
    };
    (sign * score, found)
}

/// Another thread's part of a search: it fills the table. Returns the nodes and evaluations that it took.
fn help<P: Position>(Thread { worker, plies }: &mut Thread<P>, root: &P, first: i32) -> (u64, u64) {
    let mut score = 0;
    for depth in first..=DEEPEST {
        iterate(worker, plies, root, depth, score, &mut Watch::Halt);
        if worker.stopped || worker.halt.load(Ordering::Relaxed) {
            break;
        }
        score = worker.best.take().map_or(score, |(score, _)| score);
    }
    (worker.nodes, worker.evaluations)
}

/// One iteration, with windows that grow until they hold the score; the result is in `worker.best`. `last` is the score
/// of the iteration before.
fn iterate<P: Position>(
    worker: &mut Worker<P>,
    plies: &mut [Ply<P>],
    root: &P,
    depth: i32,
    last: Score,
    watch: &mut Watch<'_, P::Move>,
) {
    worker.root_depth = depth;
    worker.best = None;
    let mut width = worker.params.aspiration;
    let mut window = Window { alpha: -INFINITE, beta: INFINITE };
    if worker.has(Feature::Aspiration) && depth >= 4 && last.abs() < KNOWN {
        window = Window { alpha: last - width, beta: last + width };
    }
    loop {
        let value = worker.node(root, plies, window, depth, 0, false, watch);
        if worker.stopped || value.score > window.alpha && value.score < window.beta {
            return;
        }
        width *= 3;
        let far = width > 30 * worker.params.aspiration;
        if value.score <= window.alpha {
            window.beta = (window.alpha + window.beta) / 2;
            window.alpha = if far { -INFINITE } else { value.score - width };
        } else {
            window.beta = if far { INFINITE } else { value.score + width };
        }
    }
}

/// A score for the first player as a value, and the outcome that it proves.
fn verdict<G: Game>(game: &G, score: Score) -> (tesuji_core::Value, Option<Outcome>) {
    (score::to_value(game, score), score::decided(score))
}

/// Searches the root to `depth` again without its best moves, once for each line that is wanted.
#[expect(clippy::too_many_arguments, reason = "what a search is made of")]
fn others<G: Game>(
    game: &G,
    worker: &mut Worker<G::Position>,
    plies: &mut [Ply<G::Position>],
    root: &G::Position,
    depth: i32,
    wanted: usize,
    best: &[MoveOf<G>],
    watch: &mut Watch<'_, MoveOf<G>>,
    lines: &mut Vec<Line<MoveOf<G>>>,
) {
    let sign = score::sign(root.mover());
    lines.clear();
    worker.without.push(best[0]);
    for _ in 0..wanted {
        // Beyond every score, so that no window is laid around it.
        iterate(worker, plies, root, depth, INFINITE, watch);
        let Some((score, line)) = worker.best.take().filter(|_| !worker.stopped) else { break };
        worker.without.push(line[0]);
        let (value, proof) = verdict(game, sign * score);
        lines.push(Line { value, proof, line });
    }
    worker.without.clear();
}

impl<G: Game> Search<G::Position> for Selective<G> {
    fn search(&mut self, root: &G::Position, budget: &Budget, report: &mut dyn Report<MoveOf<G>>) -> Found<MoveOf<G>> {
        self.deepen(root, budget, report, true).1
    }

    fn focus(&mut self, focus: &Focus<MoveOf<G>>) {
        self.focus = focus.clone();
    }

    fn new_game(&mut self, _seed: u64) {
        self.table.clear();
        for thread in std::iter::once(&mut self.main).chain(&mut self.helpers) {
            thread.worker.order.clear();
        }
    }
}
