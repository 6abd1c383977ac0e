//! What training lowers: the losses of the papers, with their gradients.
//!
//! Every loss is a mean over the batch. Gradients are those of the network's outputs: logits for policies, numbers
//! behind the tanh for values, Q as it is.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A loss of one number against its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pointwise {
    /// (x - t)^2.
    #[default]
    Squared,
    /// Half the square within `delta` of the target, linear outside (Huber).
    Huber {
        /// Where the line begins.
        delta: f32,
    },
}

impl Pointwise {
    /// The loss and its derivative by `x`.
    pub fn of(self, x: f32, target: f32) -> (f32, f32) {
        let error = x - target;
        match self {
            Pointwise::Squared => (error * error, 2.0 * error),
            Pointwise::Huber { delta } if error.abs() <= delta => (0.5 * error * error, error),
            Pointwise::Huber { delta } => (delta * (error.abs() - 0.5 * delta), delta * error.signum()),
        }
    }
}

/// What the outputs `policy` and `value` should have said, and those of the helping heads if there are any.
///
/// The loss is the cross-entropy -pi^T log p plus `value_weight` times that of the value, plus the helpers' with their
/// weights. The Kullback-Leibler divergence of the TUBSTAP paper differs from the cross-entropy by a constant; both are
/// reported.
#[derive(Clone, Copy, Debug)]
pub struct PolicyValue<'a> {
    /// pi: a probability for each logit, one row a position. A row of zeros teaches the policy nothing.
    pub policy: &'a [f32],
    /// Which logits compete, one row a position: the others get no probability and feel nothing. Empty means all.
    pub legal: &'a [bool],
    /// z, one a position.
    pub value: &'a [f32],
    /// The loss of the value.
    pub value_loss: Pointwise,
    /// The weight of the value's loss.
    pub value_weight: f32,
    /// The opponent's reply, for a network with an output `reply`.
    pub reply: Option<Reply<'a>>,
    /// The length of the rest of the game, for a network with an output `moves-left`.
    pub moves_left: Option<MovesLeft<'a>>,
}

impl<'a> PolicyValue<'a> {
    /// Policy and value with the squared loss of the papers, weight 1, all logits competing, nothing else.
    pub fn new(policy: &'a [f32], value: &'a [f32]) -> PolicyValue<'a> {
        PolicyValue {
            policy,
            legal: &[],
            value,
            value_loss: Pointwise::Squared,
            value_weight: 1.0,
            reply: None,
            moves_left: None,
        }
    }
}

/// What the opponent played next.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// A probability for each logit, one row a position; a row of zeros where there was no reply.
    pub policy: &'a [f32],
    /// The weight of its cross-entropy.
    pub weight: f32,
}

/// How long the game went on.
#[derive(Clone, Copy, Debug)]
pub struct MovesLeft<'a> {
    /// One number a position, in a unit that keeps them near 1 (say, hundreds of plies).
    pub moves: &'a [f32],
    /// The loss; lengths have outliers, which Huber's takes calmly.
    pub loss: Pointwise,
    /// The weight of the loss.
    pub weight: f32,
}

/// What the Q of the chosen actions should have been.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// The chosen actions, one a position.
    pub actions: &'a [u32],
    /// r + gamma max Q, one a position.
    pub targets: &'a [f32],
    /// The weight of each position (prioritised replay); empty means 1.
    pub weights: &'a [f32],
    /// The loss.
    pub loss: Pointwise,
}

/// What a batch should have come to.
#[derive(Clone, Copy, Debug)]
pub enum Targets<'a> {
    /// Outputs `policy` and `value`, and helping heads.
    PolicyValue(PolicyValue<'a>),
    /// Output `q`: the loss of the chosen action's Q against its target; the others feel nothing (masked Q).
    Action(Action<'a>),
    /// Outputs `q` and `q2`, each with actions and targets of its own.
    Actions([Action<'a>; 2]),
    /// Output `value`: the loss of every number against its target.
    Value {
        /// One row a position.
        targets: &'a [f32],
        /// The loss.
        loss: Pointwise,
    },
}

/// How far a batch was from its targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Losses {
    /// What was lowered, without the L2 term.
    pub total: f32,
    /// Cross-entropy of the policy.
    pub policy: f32,
    /// Kullback-Leibler divergence of the policy: the cross-entropy less the entropy of the targets.
    pub divergence: f32,
    /// Loss of the value or of Q.
    pub value: f32,
    /// Cross-entropy of the opponent's reply.
    pub reply: f32,
    /// Loss of the moves left.
    pub moves_left: f32,
    /// Share of positions where the most probable move is the target's.
    pub policy_accuracy: f32,
    /// Share of positions where value and target have the same sign.
    pub value_accuracy: f32,
    /// x - t of each position, for outputs of one number and for actions (prioritised replay asks).
    pub errors: Vec<f32>,
}

impl Losses {
    /// Adds another batch's to these, for means over many steps; the errors of single positions are not kept.
    pub fn add(&mut self, other: &Losses) {
        self.total += other.total;
        self.policy += other.policy;
        self.divergence += other.divergence;
        self.value += other.value;
        self.reply += other.reply;
        self.moves_left += other.moves_left;
        self.policy_accuracy += other.policy_accuracy;
        self.value_accuracy += other.value_accuracy;
    }

    /// Notes how the values and their targets differ.
    pub(super) fn compare(&mut self, values: &[f32], targets: &[f32]) {
        let right = values.iter().zip(targets).filter(|(value, target)| *value * *target > 0.0).count();
        self.value_accuracy = right as f32 / values.len() as f32;
        self.errors = values.iter().zip(targets).map(|(value, target)| value - target).collect();
    }
}

/// What the policy's losses come to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PolicyLoss {
    pub cross_entropy: f32,
    pub divergence: f32,
    pub accuracy: f32,
}

/// Mean cross-entropy of softmaxes over rows of `logits`; writes the gradients times `weight`.
///
/// Threads share out rows, and the rows are summed in order.
pub(super) fn policies(
    (logits, len): (&[f32], usize),
    target: &[f32],
    legal: &[bool],
    weight: f32,
    gradients: &mut [f32],
) -> PolicyLoss {
    assert_eq!(target.len(), logits.len(), "a target for each logit");
    assert!(legal.is_empty() || legal.len() == logits.len(), "a mark for each logit");
    let batch = (logits.len() / len) as f32;
    let rows = logits.par_chunks_exact(len).zip(target.par_chunks_exact(len));
    let rows = rows.zip(gradients.par_chunks_exact_mut(len)).enumerate();
    let of_rows: Vec<PolicyLoss> = rows
        .map(|(row, ((logits, target), gradient))| {
            let legal = if legal.is_empty() { &[] } else { &legal[row * len..][..len] };
            let loss = policy(logits, target, legal, gradient);
            gradient.iter_mut().for_each(|gradient| *gradient *= weight / batch);
            loss
        })
        .collect();
    let mut mean = PolicyLoss::default();
    for loss in of_rows {
        mean.cross_entropy += loss.cross_entropy / batch;
        mean.divergence += loss.divergence / batch;
        mean.accuracy += loss.accuracy / batch;
    }
    mean
}

/// Cross-entropy of the softmax over the legal ones of `logits`, and its gradient.
fn policy(logits: &[f32], target: &[f32], legal: &[bool], gradient: &mut [f32]) -> PolicyLoss {
    let competes = |i: usize| legal.get(i).copied().unwrap_or(true);
    let competing = || logits.iter().enumerate().filter(|&(i, _)| competes(i)).map(|(_, &x)| x);
    let greatest = competing().fold(f32::NEG_INFINITY, f32::max);
    // Sums of hundreds of terms: in double precision, so that their order does not show.
    let sum: f64 = competing().map(|x| f64::from((x - greatest).exp())).sum();
    let log_sum = sum.ln() as f32 + greatest;
    let mass: f32 = (0..target.len()).filter(|&i| competes(i)).map(|i| target[i]).sum();
    let (mut loss, mut entropy) = (0.0, 0.0);
    let (mut favourite, mut best) = (0, 0);
    for i in 0..logits.len() {
        if !competes(i) {
            gradient[i] = 0.0;
            continue;
        }
        let log_p = logits[i] - log_sum;
        gradient[i] = log_p.exp() * mass - target[i];
        if target[i] > 0.0 {
            loss -= target[i] * log_p;
            entropy -= target[i] * target[i].ln();
        }
        // The first of equals, and any legal one rather than an illegal one.
        if !competes(favourite) || logits[i] > logits[favourite] {
            favourite = i;
        }
        if !competes(best) || target[i] > target[best] {
            best = i;
        }
    }
    let accuracy = if mass > 0.0 && favourite == best { 1.0 } else { 0.0 };
    PolicyLoss { cross_entropy: loss, divergence: loss - entropy, accuracy }
}

/// Mean pointwise loss of a vector of outputs; writes the gradients times `scale`.
pub(super) fn pointwise(
    values: &[f32],
    targets: &[f32],
    weights: &[f32],
    (loss, scale): (Pointwise, f32),
    gradients: &mut [f32],
) -> f32 {
    assert_eq!(values.len(), targets.len(), "a target for each value");
    assert!(weights.is_empty() || weights.len() == values.len(), "a weight for each value");
    let count = values.len() as f32;
    let mut mean = 0.0;
    for (i, ((&value, &target), gradient)) in values.iter().zip(targets).zip(gradients).enumerate() {
        let weight = weights.get(i).copied().unwrap_or(1.0);
        let (loss, slope) = loss.of(value, target);
        mean += weight * loss / count;
        *gradient = scale * weight * slope / count;
    }
    mean
}
