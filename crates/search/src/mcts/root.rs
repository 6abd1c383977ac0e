//! The results at the root of a tree: the move to play, a policy, a value, a principal variation.

use super::arena::ROOT;
use super::forced;
use super::node::{Bounds, Node};
use super::options::FinalMove;
use super::select::{Scorer, Selection};
use super::tree::Tree;
use crate::one_hot;
use crate::sort::Shares;
use tesuji_core::{Considered, Found, Move, MoveList, Outcome, Position, Side, Stream, Value};

/// What the tree knows of a move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// Simulations through it.
    pub visits: u32,
    /// The mean of their values, for the first player; 0 without any.
    pub mean: f32,
    /// Its prior, noise included.
    pub prior: f32,
    /// Its outcome under best play, if it is proved.
    pub proof: Option<Outcome>,
}

impl FinalMove {
    /// What a visited child counts for `side`.
    fn score<M>(self, root: &Node<M>, child: &Node<M>, side: Side) -> f32 {
        let n = child.visits as f32;
        let q = side.sign() * child.mean();
        match self {
            FinalMove::Max => q,
            FinalMove::Robust | FinalMove::RobustMax => n,
            FinalMove::Secure(a) => q - a / n.sqrt(),
            FinalMove::Ucb(c) => Scorer::new(Selection::Ucb1 { c }, root, side.sign()).score(child, 0.0),
        }
    }
}

impl<P: Position> Tree<P> {
    /// The root's children; none before the first evaluation.
    pub(super) fn children(&self) -> &[Node<P::Move>] {
        &self.arena.nodes[self.arena.nodes[ROOT].children()]
    }

    /// What is known of each move of the root, in no particular order; nothing before the first evaluation.
    pub fn root_moves(&self) -> impl ExactSizeIterator<Item = RootMove<P::Move>> {
        self.children().iter().map(|child| RootMove {
            mv: child.mv,
            visits: child.visits,
            mean: child.mean(),
            prior: child.prior,
            proof: child.bounds.proof(),
        })
    }

    /// The priors and the visits of the root's moves side by side, in the order of the move list; nothing before the
    /// first evaluation.
    pub fn considered(&self) -> Vec<Considered<P::Move>> {
        let mut moves = MoveList::new();
        self.root.moves(&mut moves);
        let of = |mv: P::Move| self.children().iter().find(|child| child.mv == mv);
        let considered = |child: &Node<P::Move>| Considered {
            mv: child.mv,
            prior: child.prior,
            visits: u64::from(child.visits),
            value: (child.visits > 0).then(|| child.value()),
        };
        moves.into_iter().filter_map(|mv| of(mv).map(considered)).collect()
    }

    /// The move to play by the rule, without temperature; before any visit, the one with the greatest prior.
    pub fn best(&self) -> P::Move {
        if let Some(mv) = self.winning_move {
            return mv;
        }
        match self.best_child(ROOT) {
            Some(child) => self.arena.nodes[child].mv,
            // Nothing has been searched: any legal move.
            None => self.arena.nodes[ROOT].mv,
        }
    }

    /// The child to play at a node, if it has children: a proven win; else by the rule among those that are not proven
    /// to be worse than another; but a proven draw rather than a move that looks worse.
    pub(super) fn best_child(&self, node: usize) -> Option<usize> {
        let parent = &self.arena.nodes[node];
        let side = parent.mover();
        let children = &self.arena.nodes[parent.children()];
        if node == ROOT
            && let Some(gumbel) = &self.arena.gumbel
            && parent.bounds == Bounds::UNKNOWN
        {
            return gumbel.best(parent, children).map(|index| parent.first as usize + index);
        }
        let rule = self.root_options.final_move;
        // Nothing proved counts in the usual way; what is proved has its true worth.
        let floor = parent.bounds.worst(side);
        let open = |child: &&(usize, &Node<P::Move>)| child.1.bounds.best(side) > floor;
        let certain = |child: &&(usize, &Node<P::Move>)| child.1.bounds.worst(side) == floor && floor > -1;
        let list: Vec<(usize, &Node<P::Move>)> = children.iter().enumerate().collect();
        let by_rule = |a: &&(usize, &Node<P::Move>), b: &&(usize, &Node<P::Move>)| {
            let visited = (a.1.visits > 0).cmp(&(b.1.visits > 0));
            let score = || rule.score(parent, a.1, side).total_cmp(&rule.score(parent, b.1, side));
            let prior = || a.1.prior.total_cmp(&b.1.prior);
            // The earlier of equals.
            let both = if a.1.visits > 0 && b.1.visits > 0 { score() } else { prior() };
            visited.then(both).then_with(|| b.0.cmp(&a.0))
        };
        let candidate = list.iter().filter(open).max_by(by_rule);
        let sure = list.iter().filter(certain).max_by(by_rule);
        let chosen = match (candidate, sure) {
            (Some(candidate), Some(sure)) if parent.bounds.proof().is_none() => {
                if side.sign() * candidate.1.mean() < f32::from(floor) { Some(sure) } else { Some(candidate) }
            }
            (_, Some(sure)) => Some(sure),
            (Some(candidate), None) => Some(candidate),
            // Everything loses: the move that took longest to refute.
            (None, None) => list.iter().max_by(by_rule),
        };
        chosen.map(|&(index, _)| parent.first as usize + index)
    }

    /// Whether one child has both the most visits and the greatest mean, as the robust-max rule asks.
    pub(super) fn is_robust_max(&self) -> bool {
        let side = self.arena.nodes[ROOT].mover();
        let score = |rule: FinalMove, child: &Node<P::Move>| rule.score(&self.arena.nodes[ROOT], child, side);
        let visited = || self.children().iter().filter(|child| child.visits > 0);
        let greatest = |rule| visited().map(|child| score(rule, child)).fold(f32::NEG_INFINITY, f32::max);
        let (visits, mean) = (greatest(FinalMove::Robust), greatest(FinalMove::Max));
        visited().any(|child| score(FinalMove::Robust, child) == visits && score(FinalMove::Max, child) == mean)
    }

    /// What the root is worth, for the first player: what is proved, else the mean of the simulations. Sequential
    /// halving and forced playouts send many of them to moves that would not be played, which would make every position
    /// look worse for its mover; their mean is therefore that of the moves' values by the policy.
    pub fn value(&self) -> Value {
        let root = &self.arena.nodes[ROOT];
        if self.proof().is_some() || self.arena.gumbel.is_none() && self.arena.forced == 0.0 {
            return root.value();
        }
        let visited = self.children().iter().zip(self.shares()).filter(|(child, _)| child.visits > 0);
        let (sum, total) =
            visited.fold((0.0, 0.0), |(sum, total), (child, share)| (sum + share * child.value().get(), total + share));
        if total > 0.0 { Value::new(sum / total) } else { root.value() }
    }

    /// The [`policy`](Self::policy) of a root that is not proved, for each child.
    fn shares(&self) -> Vec<f32> {
        let (root, children) = (&self.arena.nodes[ROOT], self.children());
        let of_visits = |visits: &[u32]| {
            let total: u32 = visits.iter().sum();
            visits.iter().map(|&visits| visits as f32 / total as f32).collect()
        };
        match &self.arena.gumbel {
            Some(gumbel) => gumbel.policy(root, children),
            None if self.arena.forced > 0.0 => {
                of_visits(&forced::pruned(self.arena.forced, self.arena.options.selection, root, children))
            }
            None => of_visits(&children.iter().map(|child| child.visits).collect::<Vec<_>>()),
        }
    }

    /// A probability for each legal move in the order of the move list: the share of visits, less those that were merely
    /// forced; of sequential halving the improved policy; of a proven root certainty.
    pub fn policy(&self) -> Vec<(P::Move, f32)> {
        let mut moves = MoveList::new();
        self.root.moves(&mut moves);
        let children = self.children();
        if self.proof().is_some() || children.iter().all(|child| child.visits == 0) {
            return one_hot(&moves, self.best());
        }
        let numbers = children.iter().map(|child| child.mv.to_bits());
        let shares = Shares::new(numbers.zip(self.shares()).collect());
        moves.into_iter().map(|mv| (mv, shares.of(mv.to_bits()))).collect()
    }

    /// The principal variation: the best move at each node that has been expanded.
    pub fn line(&self) -> Vec<P::Move> {
        let mut line = Vec::new();
        let mut node = ROOT;
        if let Some(mv) = self.winning_move {
            line.push(mv);
            let known = self.arena.nodes[ROOT].children().find(|&child| self.arena.nodes[child].mv == mv);
            let Some(child) = known else { return line };
            node = child;
        }
        while let Some(child) = self.best_child(node)
            && (self.arena.nodes[child].visits > 0 || line.is_empty())
        {
            line.push(self.arena.nodes[child].mv);
            node = child;
        }
        line
    }

    /// The whole result; at a temperature the move is drawn from the visits.
    pub fn found(&mut self) -> Found<P::Move> {
        let policy = self.policy();
        let temperature = self.root_options.temperature.at(self.root.ply());
        let mut best = self.best();
        if temperature > 0.0 && self.proof().is_none() {
            best = draw(&policy, temperature, &mut self.arena.random);
        }
        let mut line = self.line();
        if line.first() != Some(&best) {
            line = vec![best];
        }
        Found {
            best,
            policy,
            value: self.value(),
            proof: self.proof(),
            line,
            nodes: self.nodes() as u64,
            simulations: self.simulations(),
            evaluations: self.evaluations(),
            depth: self.depth() as u32,
        }
    }
}

/// Draws a move in proportion to `probability^(1 / temperature)` (the Boltzmann distribution of `ln probability`).
pub fn draw<M: Copy>(policy: &[(M, f32)], temperature: f32, random: &mut Stream) -> M {
    // Relative to the greatest, so that low temperatures do not underflow.
    let greatest = policy.iter().map(|&(_, p)| p).fold(0.0, f32::max);
    let weight = |p: f32| f64::from(libm::powf(p / greatest, 1.0 / temperature));
    let total: f64 = policy.iter().map(|&(_, p)| weight(p)).sum();
    let mut left = random.unit() * total;
    for &(mv, p) in policy {
        left -= weight(p);
        if left < 0.0 {
            return mv;
        }
    }
    // Only rounding leads here.
    policy[policy.len() - 1].0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_moves_follow_the_temperature() {
        let policy = [('a', 0.8), ('b', 0.2), ('c', 0.0)];
        let share = |temperature: f32| {
            let mut random = Stream::new(1, "test", 0);
            let drawn: Vec<char> = (0..10_000).map(|_| draw(&policy, temperature, &mut random)).collect();
            assert!(!drawn.contains(&'c'));
            drawn.iter().filter(|&&mv| mv == 'a').count() as f32 / 10_000.0
        };
        // 0.8^2 / (0.8^2 + 0.2^2) = 0.941; four standard errors of 10,000 draws are 0.016.
        assert!((share(1.0) - 0.8).abs() < 0.016);
        assert!((share(0.5) - 0.941).abs() < 0.016);
        assert_eq!(share(0.01), 1.0);
    }
}
