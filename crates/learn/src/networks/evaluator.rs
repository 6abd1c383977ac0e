//! An integer network as a judge of positions: under selective search, and for the leaves of trees.

use std::sync::Arc;
use tesuji_core::{Evaluation, Evaluator, FeatureChanges, Features, Game, Leaf, Position, Side, Value};
use tesuji_nn::nnue::{Accumulator, NnueNetwork};
use tesuji_search::evaluate::{EvaluatorSource, HeuristicEvaluator, StaticEvaluator};
use tesuji_search::score::{self, DECIDED, Score};

/// Evaluates positions by an integer network, whose first layer is kept up to date along a search's line.
///
/// A position that the features cannot describe (a map that is too large) is judged by the game's heuristic.
pub struct NnueEvaluator<G: Game> {
    network: Arc<NnueNetwork>,
    features: Arc<dyn Features<G::Position>>,
    heuristic: HeuristicEvaluator<G>,
    /// Whether the features describe the positions of this line.
    accepted: bool,
    /// The line, the start first; those behind `depth` are spare.
    line: Vec<Step>,
    depth: usize,
    latest: Latest,
}

/// A position of the line.
struct Step {
    sums: Accumulator,
    /// Whether the sums of a side are those of this position.
    ready: [bool; 2],
    /// What changed since the position before.
    changes: [FeatureChanges; 2],
    /// Whether the changes are known; otherwise the sums start again.
    changed: [bool; 2],
}

/// The inputs that were last added up from a whole list, for each side: the next list often differs little.
struct Latest {
    sums: Accumulator,
    active: [Vec<u32>; 2],
    /// For each side and input the number of the last list that it was on.
    seen: [Vec<u32>; 2],
    lists: [u32; 2],
    changes: FeatureChanges,
    next: Vec<u32>,
}

impl<G: Game> NnueEvaluator<G> {
    /// An evaluator by a network of the game's features.
    pub fn new(game: G, features: Arc<dyn Features<G::Position>>, network: Arc<NnueNetwork>) -> NnueEvaluator<G> {
        let latest = Latest {
            sums: network.accumulator(),
            active: Default::default(),
            seen: std::array::from_fn(|_| vec![0; features.inputs()]),
            lists: [0; 2],
            changes: FeatureChanges::default(),
            next: Vec::new(),
        };
        let heuristic = HeuristicEvaluator(game);
        NnueEvaluator { network, features, heuristic, accepted: true, line: Vec::new(), depth: 0, latest }
    }

    /// Makes such evaluators, all with the same network.
    pub fn source(
        game: &G,
        features: &Arc<dyn Features<G::Position>>,
        network: &Arc<NnueNetwork>,
    ) -> EvaluatorSource<G::Position> {
        let (game, features, network) = (game.clone(), Arc::clone(features), Arc::clone(network));
        Arc::new(move || Box::new(NnueEvaluator::new(game.clone(), Arc::clone(&features), Arc::clone(&network))))
    }

    /// Makes the step at the end of the line, if there is none to spare.
    fn lengthen(&mut self) {
        if self.line.len() == self.depth {
            let (sums, changes) = (self.network.accumulator(), Default::default());
            self.line.push(Step { sums, ready: [false; 2], changes, changed: [false; 2] });
        }
    }

    /// Brings the sums of a side at the end of the line up to date.
    fn bring(&mut self, position: &G::Position, side: Side) {
        let of = side.index();
        let mut at = self.depth;
        while !self.line[at].ready[of] {
            if at == 0 || !self.line[at].changed[of] {
                self.latest.add_up(&self.network, self.features.as_ref(), position, side);
                let step = &mut self.line[self.depth];
                self.network.update_from(&self.latest.sums, &mut step.sums, side, &FeatureChanges::default());
                step.ready[of] = true;
                return;
            }
            at -= 1;
        }
        for at in at + 1..=self.depth {
            let (before, after) = self.line.split_at_mut(at);
            let step = &mut after[0];
            self.network.update_from(&before[at - 1].sums, &mut step.sums, side, &step.changes[of]);
            step.ready[of] = true;
        }
    }
}

impl Latest {
    /// Adds up the inputs of a side: what differs from the list before, or all if that is less.
    fn add_up<P: Position>(&mut self, network: &NnueNetwork, features: &dyn Features<P>, position: &P, side: Side) {
        let of = side.index();
        features.active(position, side, &mut self.next);
        let seen = &mut self.seen[of];
        let mut before = self.lists[of];
        if before == u32::MAX {
            // Numbers begin again, as if there had been no list.
            seen.fill(0);
            before = 0;
        }
        let list = before + 1;
        self.lists[of] = list;
        self.changes.clear();
        for &input in &self.next {
            if before == 0 || seen[input as usize] != before {
                self.changes.added.push(input);
            }
            seen[input as usize] = list;
        }
        let gone = self.active[of].iter().filter(|&&input| seen[input as usize] != list);
        self.changes.removed.extend(gone);
        let few = self.changes.added.len() + self.changes.removed.len() < self.next.len();
        if before != 0 && few {
            network.update(&mut self.sums, side, &self.changes);
        } else {
            network.refresh(&mut self.sums, side, &self.next);
        }
        std::mem::swap(&mut self.active[of], &mut self.next);
    }
}

impl<G: Game> StaticEvaluator<G::Position> for NnueEvaluator<G> {
    fn start(&mut self, root: &G::Position) {
        self.accepted = self.features.accepts(root);
        self.depth = 0;
        self.lengthen();
        self.line[0].ready = [false; 2];
    }

    fn push(&mut self, before: &G::Position, after: &G::Position) {
        self.depth += 1;
        self.lengthen();
        let step = &mut self.line[self.depth];
        step.ready = [false; 2];
        for side in Side::BOTH {
            let changes = &mut step.changes[side.index()];
            changes.clear();
            step.changed[side.index()] = self.accepted && self.features.changes(before, after, side, changes);
        }
    }

    fn pop(&mut self) {
        self.depth -= 1;
    }

    fn evaluate(&mut self, position: &G::Position) -> Score {
        if !self.accepted {
            return self.heuristic.evaluate(position);
        }
        Side::BOTH.into_iter().for_each(|side| self.bring(position, side));
        self.network.evaluate(&self.line[self.depth].sums, position.mover()).clamp(-DECIDED, DECIDED)
    }
}

impl<G: Game> NnueEvaluator<G> {
    /// The value of a single position whose game goes on, for the first player.
    pub fn value(&mut self, position: &G::Position) -> Value {
        self.start(position);
        let score = StaticEvaluator::evaluate(self, position) * score::sign(position.mover());
        score::to_value(&self.heuristic.0, score)
    }
}

/// The leaves of a tree, one after another.
impl<G: Game> Evaluator<G::Position> for NnueEvaluator<G> {
    fn evaluate(&mut self, leaves: &[Leaf<'_, G::Position>], out: &mut [Evaluation]) {
        for (leaf, out) in leaves.iter().zip(out) {
            out.value = self.value(leaf.position);
            out.priors.clear();
        }
    }
}
