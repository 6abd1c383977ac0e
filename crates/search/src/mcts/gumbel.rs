//! Gumbel root selection with sequential halving (Danihelka et al., "Policy improvement by planning with Gumbel"):
//! a better use of few simulations than noise and PUCT at the root.
//!
//! Some moves are drawn without replacement by Gumbel noise on their priors; all of them are visited equally often;
//! then the worse half is dropped, again and again.

use super::node::Node;
use tesuji_core::{Side, Stream};

/// The constant of the paper (c_visit, with c_scale = 1): how strongly values count beside priors.
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
        let done: u32 = (0..children.len()).map(|index| self.visits(children, index)).sum();
        let (mover, worth) = (root.mover(), self.worth(root, children));
        let floor = root.bounds.worst(mover);
        let open = |index: usize| !solver || children[index].bounds.best(mover) > floor;
        let wanted = self.sequence.get(done as usize);
        let best_of = |fits: &dyn Fn(usize) -> bool| self.argmax(children, &worth, |index| open(index) && fits(index));
        wanted.and_then(|&visits| best_of(&|index| self.visits(children, index) == visits)).or_else(|| {
            // Beyond the plan, or where it has nothing left: the most visited of those that are open.
            let most = (0..children.len()).filter(|&i| open(i)).map(|i| self.visits(children, i)).max()?;
            best_of(&|index| self.visits(children, index) == most)
        })
    }

    /// The child to play: of those that were visited most, the one with the best score.
    pub fn best<M>(&self, root: &Node<M>, children: &[Node<M>]) -> Option<usize> {
        let most = (0..children.len()).map(|index| self.visits(children, index)).max()?;
        self.argmax(children, &self.worth(root, children), |index| self.visits(children, index) == most)
    }

    /// The improved policy: `softmax(log prior + scaled value)`.
    pub fn policy<M>(&self, root: &Node<M>, children: &[Node<M>]) -> Vec<f32> {
        let worth = self.worth(root, children);
        let logits: Vec<f32> = children.iter().map(|child| log(child.prior) + worth.of(child)).collect();
        let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f32> = logits.iter().map(|logit| libm::expf(logit - greatest)).collect();
        let total: f32 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// Visits of a child in this search.
    fn visits<M>(&self, children: &[Node<M>], index: usize) -> u32 {
        children[index].visits.saturating_sub(self.before[index])
    }

    /// The first child with the greatest noisy prior and value among those that fit.
    fn argmax<M>(&self, children: &[Node<M>], worth: &Worth, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let score = |index: usize| self.scores[index] + worth.of(&children[index]);
        (0..children.len())
            .filter(|&index| fits(index))
            .map(|index| (score(index), index))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, index)| index)
    }

    fn worth<M>(&self, root: &Node<M>, children: &[Node<M>]) -> Worth {
        let side = root.mover();
        let most = children.iter().map(|child| child.visits).max().unwrap_or(0);
        Worth { side, scale: VISIT_SCALE + most as f32, unvisited: self.mixed_value(side, children) }
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

/// What values count beside log-priors.
struct Worth {
    side: Side,
    scale: f32,
    /// The value of a child without a visit, completed by what is known of the root.
    unvisited: f32,
}

impl Worth {
    fn of<M>(&self, child: &Node<M>) -> f32 {
        let value = if child.visits == 0 { self.unvisited } else { child.value().for_side(self.side) };
        self.scale * (0.5 + 0.5 * value)
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
