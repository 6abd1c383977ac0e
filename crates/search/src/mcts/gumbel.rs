//! Gumbel root selection with sequential halving (Danihelka et al., "Policy improvement by planning with Gumbel"):
//! a better use of few simulations than noise and PUCT at the root.
//!
//! Some moves are drawn without replacement by Gumbel noise on their priors; all of them are visited equally often;
//! then the worse half is dropped, again and again.

use super::node::Node;
use tesuji_core::{Side, Stream};

/// The constants of the paper: how strongly values count beside priors.
const VISIT_SCALE: f32 = 50.0;

/// The plan for one search of one root.
#[derive(Clone, Debug)]
pub struct Gumbel {
    /// Gumbel noise and log-prior of each child.
    scores: Vec<f32>,
    /// The number of visits that the next child must have, simulation by simulation.
    sequence: Vec<u32>,
    /// Visits that the root's children had before this search.
    before: Vec<u32>,
    /// The value of the root before the search, for the first player.
    root_value: f32,
}

impl Gumbel {
    /// A plan for so many simulations over at most `considered` of the children.
    pub fn new<M>(
        children: &[Node<M>],
        root_value: f32,
        considered: u32,
        simulations: u32,
        random: &mut Stream,
    ) -> Gumbel {
        let scores = children.iter().map(|child| log(child.prior) + gumbel(random)).collect();
        let considered = considered.min(children.len() as u32).max(1);
        let before = children.iter().map(|child| child.visits).collect();
        Gumbel { scores, sequence: sequence(considered, simulations), before, root_value }
    }

    /// The child to visit next; `None` if every one of them is settled.
    pub fn select<M>(&self, root: &Node<M>, children: &[Node<M>], solver: bool) -> Option<usize> {
        let done: u32 = self.visits(children).sum();
        // Beyond the plan, whichever of the last was visited least.
        let wanted = self.sequence.get(done as usize).copied();
        let mover = root.mover();
        let floor = root.bounds.worst(mover);
        let completed = self.completed(root, children);
        let score = |i: usize| self.scores[i] + completed[i];
        let open = |i: &usize| !solver || children[*i].bounds.best(mover) > floor;
        let visits: Vec<u32> = self.visits(children).collect();
        let most = visits.iter().copied().max().unwrap_or(0);
        let best_with = |count: u32| {
            (0..children.len())
                .filter(open)
                .filter(|&i| visits[i] == count)
                .max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))
        };
        wanted.and_then(best_with).or_else(|| (0..=most).rev().find_map(best_with))
    }

    /// The child to play: of those that were visited most, the one with the best score.
    pub fn best<M>(&self, root: &Node<M>, children: &[Node<M>]) -> Option<usize> {
        let most = self.visits(children).max()?;
        let completed = self.completed(root, children);
        let visits: Vec<u32> = self.visits(children).collect();
        (0..children.len()).filter(|&i| visits[i] == most).max_by(|&a, &b| {
            (self.scores[a] + completed[a]).total_cmp(&(self.scores[b] + completed[b])).then(b.cmp(&a))
        })
    }

    /// The improved policy: `softmax(log prior + scaled value)`.
    pub fn policy<M>(&self, root: &Node<M>, children: &[Node<M>]) -> Vec<f32> {
        let completed = self.completed(root, children);
        let logits: Vec<f32> = children.iter().zip(completed).map(|(child, value)| log(child.prior) + value).collect();
        let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f32> = logits.iter().map(|logit| libm::expf(logit - greatest)).collect();
        let total: f32 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// Visits of each child in this search.
    fn visits<'a, M>(&'a self, children: &'a [Node<M>]) -> impl Iterator<Item = u32> + 'a {
        children.iter().zip(&self.before).map(|(child, before)| child.visits.saturating_sub(*before))
    }

    /// The scaled value of each child, those without a visit completed by what is known of the root.
    fn completed<M>(&self, root: &Node<M>, children: &[Node<M>]) -> Vec<f32> {
        let side = root.mover();
        let most = children.iter().map(|child| child.visits).max().unwrap_or(0);
        let scale = VISIT_SCALE + most as f32;
        let share = |value: f32| 0.5 + 0.5 * value;
        let mixed = share(self.mixed_value(side, children));
        let value = |child: &Node<M>| if child.visits == 0 { mixed } else { share(child.value().for_side(side)) };
        children.iter().map(|child| scale * value(child)).collect()
    }

    /// The root's value for its mover, from its own evaluation and its visited children in proportion to their priors.
    fn mixed_value<M>(&self, side: Side, children: &[Node<M>]) -> f32 {
        let own = side.sign() * self.root_value;
        let visited = || children.iter().filter(|child| child.visits > 0);
        let visits: u32 = visited().map(|child| child.visits).sum();
        let priors: f32 = visited().map(|child| child.prior).sum();
        if priors <= 0.0 {
            return own;
        }
        let weighted: f32 = visited().map(|child| child.prior * child.value().for_side(side)).sum::<f32>() / priors;
        (own + visits as f32 * weighted) / (1.0 + visits as f32)
    }
}

fn log(prior: f32) -> f32 {
    libm::logf(prior.max(1e-30))
}

/// A draw from the standard Gumbel distribution.
fn gumbel(random: &mut Stream) -> f32 {
    // 1 - unit() is in (0, 1], and its logarithm 0 only at 1: keep clear of that.
    let uniform = (1.0 - random.unit()).min(1.0 - f64::EPSILON);
    -libm::log(-libm::log(uniform)) as f32
}

/// For each simulation the number of visits that the chosen child must have had.
fn sequence(considered: u32, simulations: u32) -> Vec<u32> {
    if considered <= 1 {
        return (0..simulations).collect();
    }
    let rounds = (considered - 1).ilog2() + 1;
    let mut sequence = Vec::with_capacity(simulations as usize);
    let (mut visits, mut left) = (0, considered);
    while sequence.len() < simulations as usize {
        let extra = (simulations / (rounds * left)).max(1);
        for visits in visits..visits + extra {
            sequence.extend(std::iter::repeat_n(visits, left as usize));
        }
        visits += extra;
        left = (left / 2).max(2);
    }
    sequence.truncate(simulations as usize);
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_visits_the_better_half_twice() {
        // 4 moves, 8 simulations: one visit each, then two for the better two (8 / (2 * 2)).
        assert_eq!(sequence(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(sequence(1, 3), [0, 1, 2]);
        assert_eq!(sequence(2, 5), [0, 0, 1, 1, 2]);
        assert_eq!(sequence(16, 16), [0; 16]);
    }

    #[test]
    fn gumbel_noise_has_its_mean() {
        let mut random = Stream::new(1, "test", 0);
        let mean = (0..20_000).map(|_| f64::from(gumbel(&mut random))).sum::<f64>() / 20_000.0;
        // The Euler-Mascheroni constant, with a standard error of 0.009.
        assert!((mean - 0.5772).abs() < 0.04, "{mean}");
    }
}
