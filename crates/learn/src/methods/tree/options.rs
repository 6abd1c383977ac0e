//! What can be chosen about learning from one tree a cycle.

use serde::{Deserialize, Serialize};

/// Learning from one tree a cycle: `kind = "tree"` in the section `[method]` of an experiment. A generation is a cycle.
/// Leaves judged together, the greatest length of their games and the most nodes are those of `[selfplay]`; batch,
/// samples, optimiser and schedule those of `[training]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeCycleOptions {
    /// Iterations of a cycle: select, expand, play to the end, back up.
    pub iterations: u64,
    /// tau of PUCB: how far the tree explores.
    pub tau: f32,
    /// Visits that a node needs to be learned from.
    pub visits: u32,
    /// What the policy learns of a node's moves.
    pub target: Target,
}

/// What the policy learns of a node's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The share of wins behind each visited move, (1 + Q) / 2, made to add up to 1: the paper's vector of Q(s, a).
    #[default]
    Q,
    /// The share of visits, as AlphaZero has it.
    Visits,
}

impl Default for TreeCycleOptions {
    fn default() -> TreeCycleOptions {
        TreeCycleOptions { iterations: 50_000, tau: 1.5, visits: 8, target: Target::Q }
    }
}
