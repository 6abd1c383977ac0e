//! Iterative deepening over the walk, as a [`Search`].

use super::order::Order;
use super::table::Table;
use super::walk::{self, Walk};
use crate::clock::Clock;
use crate::one_hot;
use crate::score::{self, INFINITE, LeafJudge, MAX_PLY, Score};
use tesuji_core::{Budget, Focus, Found, Game, Info, Line, MoveList, MoveOf, Outcome, Position, Report, Search};

/// What alpha-beta may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaBetaConfig {
    /// Bytes of the transposition table; 0 for none.
    pub table: usize,
    /// Plies of quiescence below the horizon, in games with attacks; 0 for none.
    pub quiescence: usize,
}

impl Default for AlphaBetaConfig {
    fn default() -> AlphaBetaConfig {
        AlphaBetaConfig { table: 16 << 20, quiescence: 8 }
    }
}

/// Alpha-beta with iterative deepening.
#[derive(Debug)]
pub struct AlphaBeta<G: Game> {
    game: G,
    judge: Option<LeafJudge<G::Position>>,
    options: AlphaBetaConfig,
    table: Table,
    order: Order<MoveOf<G>>,
    focus: Focus<MoveOf<G>>,
}

impl<G: Game> AlphaBeta<G> {
    /// A search of this game.
    pub fn new(game: G, options: AlphaBetaConfig) -> AlphaBeta<G> {
        // More plies than the score can count apart would make a late win look like none.
        let options = AlphaBetaConfig { quiescence: options.quiescence.min(MAX_PLY / 4), ..options };
        let table = Table::new(options.table);
        AlphaBeta { game, judge: None, options, table, order: Order::new(), focus: Focus::default() }
    }

    /// Evaluates leaves by something other than the heuristic.
    #[must_use]
    pub fn judged_by(self, judge: Option<LeafJudge<G::Position>>) -> AlphaBeta<G> {
        AlphaBeta { judge, ..self }
    }

    /// The score for the first player at exactly this depth.
    pub fn score(&mut self, position: &G::Position, depth: u32) -> Score {
        if let Some(outcome) = position.outcome() {
            return score::of_outcome(outcome, 0);
        }
        self.deepen(position, &Budget::depth(depth), &mut tesuji_core::Quiet, false).0
    }

    /// Searches deeper and deeper; with `early`, ends when the game is decided.
    fn deepen(
        &mut self,
        root: &G::Position,
        budget: &Budget,
        report: &mut dyn Report<MoveOf<G>>,
        early: bool,
    ) -> (Score, Found<MoveOf<G>>) {
        let mut moves = MoveList::new();
        root.moves(&mut moves);
        self.table.next_search();
        self.order.next_search();
        let deepest = budget.depth.unwrap_or(u32::MAX).clamp(1, (MAX_PLY / 2) as u32);
        let mut walk = Walk {
            game: &self.game,
            judge: self.judge.as_mut(),
            table: &mut self.table,
            order: &mut self.order,
            quiescence: self.options.quiescence,
            clock: Clock::start(budget),
            node_limit: budget.nodes.unwrap_or(u64::MAX),
            report,
            nodes: 0,
            evaluations: 0,
            first: None,
            only: &self.focus.only,
            without: Vec::new(),
            stopped: false,
            best_so_far: None,
        };
        let policy_moves = moves.clone();
        moves.retain(|mv| walk.allows(mv));
        let mut others: Vec<Line<MoveOf<G>>> = Vec::new();
        let mut plies = Vec::new();
        let (mut score, mut line, mut proof, mut completed) = (0, vec![moves[0]], None, 0);
        for depth in 1..=deepest {
            if plies.len() <= depth as usize + self.options.quiescence {
                plies = walk::plies(root, depth, self.options.quiescence);
            }
            walk.best_so_far = None;
            let judged = walk.search(root, depth, 0, (-INFINITE, INFINITE), &mut plies);
            // The first move of an iteration is the best of the one before, so what a stopped iteration found better is
            // better.
            if let Some((found, found_line)) = walk.best_so_far.take() {
                (score, line) = (found, found_line);
                proof = score::decided(score);
            }
            if walk.stopped {
                break;
            }
            completed = depth;
            walk.first = Some(line[0]);
            if !judged.horizon {
                proof = proof.or(Some(Outcome::Draw));
            }
            let value = score::to_value(&self.game, score);
            let time = walk.clock.elapsed();
            walk.report.info(&Info { depth, nodes: walk.nodes, time, value, proof, line: line.clone() });
            if self.focus.lines > 1 {
                let wanted = self.focus.lines.min(moves.len()) - 1;
                self::others(&mut walk, root, depth, wanted, &line, &mut plies, &mut others);
                if !walk.stopped {
                    walk.report.others(&others);
                }
            }
            walk.stopped = walk.nodes >= walk.node_limit || walk.clock.expired(walk.report);
            if walk.stopped || early && proof.is_some() {
                break;
            }
        }
        let found = Found {
            best: line[0],
            policy: one_hot(&policy_moves, line[0]),
            value: proof.map_or_else(|| score::to_value(&self.game, score), Outcome::value),
            proof,
            line,
            nodes: walk.nodes,
            simulations: 0,
            evaluations: walk.evaluations,
            depth: completed,
        };
        (score, found)
    }
}

impl<G: Game> Search<G::Position> for AlphaBeta<G> {
    fn refusal(&self, root: &G::Position) -> Option<String> {
        self.judge.as_ref()?.refusal(root)
    }

    fn search(&mut self, root: &G::Position, budget: &Budget, report: &mut dyn Report<MoveOf<G>>) -> Found<MoveOf<G>> {
        self.deepen(root, budget, report, true).1
    }

    fn focus(&mut self, focus: &Focus<MoveOf<G>>) {
        self.focus = focus.clone();
    }

    fn new_game(&mut self, _seed: u64) {
        self.table.clear();
        self.order = Order::new();
    }
}

/// Searches the root to `depth` again without its best moves, once for each line that is wanted; `lines` holds those of
/// the iteration before, which say what to try first.
fn others<G: Game>(
    walk: &mut Walk<'_, G>,
    root: &G::Position,
    depth: u32,
    wanted: usize,
    best: &[MoveOf<G>],
    plies: &mut [walk::Ply<G::Position>],
    lines: &mut Vec<Line<MoveOf<G>>>,
) {
    let before = std::mem::take(lines);
    walk.without.push(best[0]);
    for number in 0..wanted {
        walk.first = before.get(number).map(|line| line.line[0]).filter(|mv| walk.allows(mv));
        walk.best_so_far = None;
        let judged = walk.search(root, depth, 0, (-INFINITE, INFINITE), plies);
        let Some((score, line)) = walk.best_so_far.take().filter(|_| !walk.stopped) else { break };
        let drawn = (!judged.horizon).then_some(Outcome::Draw);
        walk.without.push(line[0]);
        lines.push(Line { value: score::to_value(walk.game, score), proof: score::decided(score).or(drawn), line });
    }
    walk.without.clear();
    walk.first = Some(best[0]);
}
