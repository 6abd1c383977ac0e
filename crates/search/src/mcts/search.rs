//! A tree with an evaluator for its leaves, as a [`Search`].

use super::options::{FinalMove, MctsOptions};
use super::tree::Tree;
use crate::clock::Clock;
use tesuji_core::{
    Budget, Considered, Evaluation, Evaluator, Focus, Found, Info, Leaf, Position, Report, Search, Stream,
};

/// A tree search: the tree, and the evaluator of its leaves.
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
    fn refusal(&self, root: &P) -> Option<String> {
        self.evaluator.refusal(root)
    }

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
                report_progress(tree, &clock, &self.focus, report);
            }
        }
        report_progress(tree, &clock, &self.focus, report);
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

    fn considered(&self) -> Vec<Considered<P::Move>> {
        self.tree.as_ref().map_or_else(Vec::new, Tree::considered)
    }

    fn new_game(&mut self, seed: u64) {
        (self.tree, self.seed, self.searches) = (None, seed, 0);
    }
}

/// Reports the progress of the search.
fn report_progress<P: Position>(
    tree: &Tree<P>,
    clock: &Clock,
    focus: &Focus<P::Move>,
    report: &mut dyn Report<P::Move>,
) {
    report_lines(tree, clock, focus, report);
    report.considered(&tree.considered());
}

fn report_lines<P: Position>(tree: &Tree<P>, clock: &Clock, focus: &Focus<P::Move>, report: &mut dyn Report<P::Move>) {
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
