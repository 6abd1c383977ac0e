//! What can be chosen about a tree search.

use super::noise::Noise;
use super::select::Selection;
use serde::{Deserialize, Serialize};

/// Everything that can be chosen about a tree search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MctsOptions {
    /// How the tree grows.
    pub tree: TreeOptions,
    /// What is special about the root.
    pub root: RootOptions,
    /// Leaves that are evaluated together; 0 counts as 1.
    pub batch: usize,
    /// Keep what is below the moves that are played.
    pub reuse: bool,
}

/// How the tree grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// Which child a simulation goes down to.
    pub selection: Selection,
    /// How often a node is visited before it gets its children; 0 gives it them with its first evaluation, which priors
    /// need. (1 grows the same tree as 0 with fewer nodes if there are no priors.)
    pub expand_after: u32,
    /// Progressive widening: consider few children first.
    pub widening: Option<Widening>,
    /// Proven wins, losses and draws propagate, and what is settled is not visited again.
    pub solver: bool,
    /// Try moves that won elsewhere at the same depth first.
    pub killers: bool,
    /// The weight of a move's mean anywhere in the tree; 0 for none.
    pub history: f32,
    /// What a visit under way counts as a loss, so that the other leaves of a batch lie elsewhere.
    pub virtual_loss: f32,
    /// The greatest number of nodes (32 bytes each); then leaves stay leaves.
    pub node_limit: usize,
    /// The opponent's nodes also maximise the root side's value: a flaw of M-UCT, reproduced for comparison.
    pub opponent_helps: bool,
}

impl Default for TreeOptions {
    fn default() -> TreeOptions {
        TreeOptions {
            selection: Selection::Ucb1 { c: std::f32::consts::SQRT_2 },
            expand_after: 1,
            widening: None,
            solver: true,
            killers: false,
            history: 0.0,
            virtual_loss: 1.0,
            node_limit: 8 << 20,
            opponent_helps: false,
        }
    }
}

/// Progressive widening: after `n` visits a node looks at `factor * n^exponent` of its children, at least one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Widening {
    /// The factor.
    pub factor: f32,
    /// The exponent, in 0..=1.
    pub exponent: f32,
}

impl Widening {
    /// How many of `len` children a node with these visits (the one under way included) looks at.
    pub(super) fn width(self, visits: u32, len: usize) -> usize {
        let visits = visits.saturating_sub(1).max(1) as f32;
        (self.factor * libm::powf(visits, self.exponent)).clamp(1.0, len as f32) as usize
    }
}

/// What is special about the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootOptions {
    /// Dirichlet noise on the priors.
    pub noise: Option<Noise>,
    /// Sequential halving over this many moves drawn by Gumbel noise.
    pub gumbel: Option<u32>,
    /// Which move is played.
    pub final_move: FinalMove,
    /// When moves are drawn instead.
    pub temperature: Temperature,
    /// Forced playouts: a child that was visited is visited at least `sqrt(k P N)` times, with this `k` (KataGo: 2),
    /// and the policy leaves out what was merely forced. 0 for none; only where the selection uses priors.
    pub forced: f32,
}

impl Default for RootOptions {
    fn default() -> RootOptions {
        RootOptions {
            noise: None,
            gumbel: None,
            final_move: FinalMove::Robust,
            temperature: Temperature::NONE,
            forced: 0.0,
        }
    }
}

/// Which child of the root is played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FinalMove {
    /// The greatest mean.
    Max,
    /// The most visits.
    #[default]
    Robust,
    /// Both: the search goes on, for as long again at most, until one child has both.
    RobustMax,
    /// The greatest lower confidence bound, `Q - a / sqrt(n)`, with this `a`.
    Secure(f32),
    /// The greatest UCB1, with this exploration constant.
    Ucb(f32),
}

/// When moves are drawn in proportion to `visits^(1 / temperature)` instead of by the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature {
    /// The temperature at the start of the game; 0 for none.
    pub start: f32,
    /// The ply of the game at which it has come down to `end`.
    pub plies: u32,
    /// The temperature from then on.
    pub end: f32,
    /// How it comes down.
    pub decay: Decay,
}

/// How a temperature comes down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decay {
    /// All at once, at the end of its plies.
    #[default]
    Step,
    /// A little every ply.
    Linear,
}

impl Temperature {
    /// Always the move by the rule.
    pub const NONE: Temperature = Temperature { start: 0.0, plies: 0, end: 0.0, decay: Decay::Step };

    /// The temperature at a ply of the game.
    pub fn at(self, ply: u32) -> f32 {
        match self.decay {
            _ if ply >= self.plies => self.end,
            Decay::Step => self.start,
            Decay::Linear => self.start + (self.end - self.start) * ply as f32 / self.plies as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_fall() {
        let step = Temperature { start: 1.0, plies: 20, end: 0.0, decay: Decay::Step };
        assert_eq!([step.at(0), step.at(19), step.at(20)], [1.0, 1.0, 0.0]);
        let linear = Temperature { start: 1.0, plies: 20, end: 0.5, decay: Decay::Linear };
        assert_eq!([linear.at(0), linear.at(10), linear.at(20), linear.at(99)], [1.0, 0.75, 0.5, 0.5]);
        assert_eq!(Temperature::NONE.at(0), 0.0);
    }
}
