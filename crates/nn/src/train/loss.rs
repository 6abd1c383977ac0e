//! What training lowers: the losses of the papers, with their gradients.
//!
//! Every loss is a mean over the batch. Gradients are those of the network's outputs: logits for policies, numbers
//! behind the tanh for values, Q as it is.

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

/// What a batch should have come to.
#[derive(Clone, Copy, Debug)]
pub enum Targets<'a> {
    /// Outputs `policy` and `value`: cross-entropy -pi^T log p plus `value_weight` times (z - v)^2. The Kullback-Leibler
    /// divergence of the TUBSTAP paper differs from the cross-entropy by a constant; both are reported.
    PolicyValue {
        /// pi: a probability for each logit, one row a position.
        policy: &'a [f32],
        /// z, one a position.
        value: &'a [f32],
        /// The weight of the value's loss.
        value_weight: f32,
    },
    /// Output `q`: the loss of the chosen action's Q against its target; the others feel nothing (masked Q).
    Action {
        /// The chosen actions, one a position.
        actions: &'a [u32],
        /// r + gamma max Q, one a position.
        targets: &'a [f32],
        /// The weight of each position (prioritised replay); empty means 1.
        weights: &'a [f32],
        /// The loss.
        loss: Pointwise,
    },
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
    /// Share of positions where the most probable move is the target's.
    pub policy_accuracy: f32,
    /// Share of positions where value and target have the same sign.
    pub value_accuracy: f32,
    /// x - t of each position, for outputs of one number and for actions (prioritised replay asks).
    pub errors: Vec<f32>,
}

/// Cross-entropy of a softmax over `logits`, added to `losses`; writes the gradient for one of `batch` positions.
pub(super) fn policy(logits: &[f32], target: &[f32], batch: f32, gradient: &mut [f32], losses: &mut Losses) {
    let greatest = logits.iter().fold(f32::NEG_INFINITY, |greatest, &x| greatest.max(x));
    // Sums of hundreds of terms, cheap beside the network: in double precision.
    let sum: f64 = logits.iter().map(|x| f64::from(x - greatest).exp()).sum();
    let log_sum = sum.ln() as f32 + greatest;
    let mass: f32 = target.iter().sum();
    let (mut loss, mut entropy) = (0.0, 0.0);
    for ((&x, &t), gradient) in logits.iter().zip(target).zip(gradient) {
        let log_p = x - log_sum;
        *gradient = (log_p.exp() * mass - t) / batch;
        if t > 0.0 {
            loss -= t * log_p;
            entropy -= t * t.ln();
        }
    }
    losses.policy += loss / batch;
    losses.divergence += (loss - entropy) / batch;
    if argmax(logits) == argmax(target) {
        losses.policy_accuracy += 1.0 / batch;
    }
}

/// The index of the first greatest number.
fn argmax(numbers: &[f32]) -> usize {
    numbers.iter().enumerate().fold(0, |best, (i, &x)| if x > numbers[best] { i } else { best })
}
