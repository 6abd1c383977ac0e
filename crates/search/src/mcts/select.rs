//! Which child a simulation goes down to: every formula of the papers.

use super::node::Node;

/// The formula. `Q` is a child's mean for the side that chooses in -1..=1, `w = (1 + Q) / 2` the same as a share of
/// wins, `n` the child's visits, `N` the parent's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// `w + c sqrt(ln N / n)`; unvisited children come first.
    Ucb1 {
        /// Exploration; sqrt(2) in theory, sqrt(1.41) in the shogi paper, 0.15 in M-UCT.
        c: f32,
    },
    /// `w + sqrt(min(1/4, V) ln N / n)` with `V = variance + sqrt(2 ln N / n)`.
    Tuned {
        /// The first-play urgency: what an unvisited child counts (the paper: 10000, so it comes first).
        urgency: f32,
    },
    /// `Q + 2 cp sqrt(2 ln N / n)`; unvisited children come first.
    Uct {
        /// Exploration; 0.3 was the 3D-Bingo paper's best.
        cp: f32,
    },
    /// `Q + c P sqrt(sum of n) / (1 + n) + b / (1 + n)`, where `b` counts on attacks only.
    Puct {
        /// Exploration; 5 in the minishogi paper, 0.8 in TUBSTAP's.
        c: f32,
        /// The bias towards attacks; 3.7 in TUBSTAP's paper.
        attack: f32,
        /// What `Q` is before a child is visited.
        fpu: Fpu,
    },
    /// `Q + tau P sqrt(N) / (1 + n)`.
    Pucb {
        /// Exploration.
        tau: f32,
    },
}

/// The `Q` of an unvisited child.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fpu {
    /// This value for the side that chooses.
    Value(f32),
    /// The parent's value less this.
    Parent(f32),
}

impl Selection {
    /// Whether unvisited children come before all others.
    pub fn tries_all(self) -> bool {
        match self {
            Selection::Ucb1 { .. } | Selection::Uct { .. } => true,
            // The formula never exceeds 1 + sqrt(ln N / 4), which is below 4 for any 32-bit count.
            Selection::Tuned { urgency } => urgency >= 4.0,
            Selection::Puct { .. } | Selection::Pucb { .. } => false,
        }
    }

    /// Whether the priors of the moves count.
    pub fn uses_priors(self) -> bool {
        matches!(self, Selection::Puct { .. } | Selection::Pucb { .. })
    }

    /// Whether it needs to know which moves attack.
    pub fn uses_attacks(self) -> bool {
        matches!(self, Selection::Puct { attack, .. } if attack != 0.0)
    }

    /// Whether it needs the variance of the values.
    pub fn uses_variance(self) -> bool {
        matches!(self, Selection::Tuned { .. })
    }
}

/// A formula with what it needs to know of the parent worked out.
#[derive(Clone, Copy, Debug)]
pub struct Scorer {
    selection: Selection,
    /// Turns values to the side that chooses.
    sign: f32,
    /// `ln N`, or the factor before `P / (1 + n)`.
    scale: f32,
    /// What an unvisited child has for a score or `Q`.
    unvisited: f32,
}

impl Scorer {
    /// The formula below this parent; `sign` is +1 if the first player's good is sought, -1 for the second's.
    pub fn new<M>(selection: Selection, parent: &Node<M>, sign: f32) -> Scorer {
        // The visit under way does not count yet.
        let visits = parent.visits.saturating_sub(1);
        let (scale, unvisited) = match selection {
            Selection::Ucb1 { .. } | Selection::Uct { .. } => (libm::logf(visits.max(1) as f32), f32::INFINITY),
            Selection::Tuned { urgency } => (libm::logf(visits.max(1) as f32), urgency),
            Selection::Puct { c, fpu, .. } => {
                let unvisited = match fpu {
                    Fpu::Value(value) => value,
                    Fpu::Parent(reduction) => sign * parent.mean() - reduction,
                };
                // The first visit of a node with priors was its own evaluation, not a child's.
                (c * (visits.saturating_sub(1) as f32).sqrt(), unvisited)
            }
            Selection::Pucb { tau } => (tau * (visits as f32).sqrt(), 0.0),
        };
        Scorer { selection, sign, scale, unvisited }
    }

    /// The score of a child; `square` is its sum of squared shares of wins for the first player, if the formula
    /// [uses the variance](Selection::uses_variance).
    #[inline]
    pub fn score<M>(&self, child: &Node<M>, square: f32) -> f32 {
        let n = child.visits as f32;
        let q = || self.sign * (child.sum / f64::from(child.visits)) as f32;
        match self.selection {
            Selection::Puct { attack, .. } => {
                let q = if child.visits == 0 { self.unvisited } else { q() };
                let bias = if child.attacks() { attack } else { 0.0 };
                q + (self.scale * child.prior + bias) / (1.0 + n)
            }
            Selection::Pucb { .. } => {
                let q = if child.visits == 0 { self.unvisited } else { q() };
                q + self.scale * child.prior / (1.0 + n)
            }
            _ if child.visits == 0 => self.unvisited,
            Selection::Ucb1 { c } => 0.5 + 0.5 * q() + c * (self.scale / n).sqrt(),
            Selection::Uct { cp } => q() + 2.0 * cp * (2.0 * self.scale / n).sqrt(),
            Selection::Tuned { .. } => {
                let q = q();
                // The squares are the first player's; a share s of one side is 1 - s of the other, with the same variance.
                let first = 0.5 + 0.5 * self.sign * q;
                let variance = (square / n - first * first).max(0.0) + (2.0 * self.scale / n).sqrt();
                0.5 + 0.5 * q + (self.scale / n * variance.min(0.25)).sqrt()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A child with these visits, mean for the first player and prior.
    fn child(visits: u32, mean: f64, prior: f32, attack: bool) -> Node<u32> {
        Node { visits, sum: mean * f64::from(visits), ..Node::new(0, prior, attack) }
    }

    /// The score of a child of a parent that was visited 100 times before.
    fn score(selection: Selection, sign: f32, node: Node<u32>, square: f32) -> f32 {
        Scorer::new(selection, &child(101, 0.2, 1.0, false), sign).score(&node, square)
    }

    #[track_caller]
    fn near(value: f32, expected: f32) {
        assert!((value - expected).abs() < 1e-4, "{value} is not {expected}");
    }

    #[test]
    fn ucb1() {
        // 0.75 + 1.1874 * sqrt(ln 100 / 10) = 0.75 + 1.1874 * 0.67861
        let selection = Selection::Ucb1 { c: 1.1874 };
        near(score(selection, 1.0, child(10, 0.5, 0.0, false), 0.0), 1.55579);
        near(score(selection, -1.0, child(10, 0.5, 0.0, false), 0.0), 1.05579);
        assert_eq!(score(selection, 1.0, child(0, 0.0, 0.0, false), 0.0), f32::INFINITY);
    }

    #[test]
    fn ucb1_tuned() {
        let selection = Selection::Tuned { urgency: 10_000.0 };
        // 400 visits, all worth a share of 0.5: no variance, V = sqrt(2 ln 100 / 400) = 0.15174 < 1/4.
        // 0.5 + sqrt(ln 100 / 400 * 0.15174) = 0.5 + 0.041797
        near(score(selection, 1.0, child(400, 0.0, 0.0, false), 100.0), 0.541797);
        // 10 visits, 6 won: V = 0.24 + sqrt(2 ln 100 / 10) > 1/4. 0.6 + sqrt(0.460517 * 0.25) = 0.6 + 0.339307
        near(score(selection, 1.0, child(10, 0.2, 0.0, false), 6.0), 0.939307);
        near(score(selection, -1.0, child(10, 0.2, 0.0, false), 6.0), 0.739307);
        assert_eq!(score(selection, 1.0, child(0, 0.0, 0.0, false), 0.0), 10_000.0);
    }

    #[test]
    fn uct() {
        // 0.5 + 2 * 0.3 * sqrt(2 ln 100 / 10) = 0.5 + 0.6 * 0.959705
        near(score(Selection::Uct { cp: 0.3 }, 1.0, child(10, 0.5, 0.0, false), 0.0), 1.075823);
    }

    #[test]
    fn puct() {
        let selection = Selection::Puct { c: 0.8, attack: 3.7, fpu: Fpu::Value(0.0) };
        // 0.5 + 0.8 * 0.25 * sqrt(99) / 5, without and with 3.7 / 5
        near(score(selection, 1.0, child(4, 0.5, 0.25, false), 0.0), 0.897995);
        near(score(selection, 1.0, child(4, 0.5, 0.25, true), 0.0), 1.637995);
        near(score(selection, -1.0, child(4, 0.5, 0.25, false), 0.0), -0.102005);
        near(score(selection, 1.0, child(0, 0.0, 0.25, false), 0.0), 1.989975);
        let reduced = Selection::Puct { c: 0.0, attack: 0.0, fpu: Fpu::Parent(0.3) };
        near(score(reduced, 1.0, child(0, 0.0, 0.25, false), 0.0), -0.1);
        near(score(reduced, -1.0, child(0, 0.0, 0.25, false), 0.0), -0.5);
    }

    #[test]
    fn pucb() {
        // -0.5 + 2 * 0.25 * sqrt(100) / 5
        near(score(Selection::Pucb { tau: 2.0 }, -1.0, child(4, 0.5, 0.25, false), 0.0), 0.5);
    }
}
