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

/// How far a batch was from its targets. Positions that have no target for something do not count in the means of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Losses {
    /// What was lowered, without the L2 term: means over all positions of the batch, whether they have a target or not,
    /// because a sample weighs the same whatever it is drawn with.
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
    /// Share of positions where value and target have the same sign, of those whose target is not 0.
    pub value_accuracy: f32,
    /// Positions with a target for the policy, for the reply, and with a value other than 0 for a target.
    pub targets: TargetCounts,
    /// x - t of each position, for outputs of one number and for actions (prioritised replay asks).
    pub errors: Vec<f32>,
}

/// How many positions had something to be compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetCounts {
    /// A policy.
    pub policy: u64,
    /// A reply.
    pub reply: u64,
    /// A value other than 0.
    pub value: u64,
}

/// Sums of losses over many steps, for their means.
#[derive(Clone, Debug, Default)]
pub struct LossSums {
    steps: u64,
    targets: TargetCounts,
    /// Sums over the steps: total, value, moves left.
    by_step: [f64; 3],
    /// Sums over positions with a target: policy, divergence and accuracy of it, reply, accuracy of the value.
    by_target: [f64; 5],
}

impl LossSums {
    /// Adds the losses of a step; the errors of single positions are not kept.
    pub fn add(&mut self, other: &Losses) {
        let TargetCounts { policy, reply, value } = other.targets;
        self.steps += 1;
        self.targets.policy += policy;
        self.targets.reply += reply;
        self.targets.value += value;
        let of_step = [other.total, other.value, other.moves_left];
        self.by_step.iter_mut().zip(of_step).for_each(|(sum, loss)| *sum += f64::from(loss));
        let of_targets = [
            (other.policy, policy),
            (other.divergence, policy),
            (other.policy_accuracy, policy),
            (other.reply, reply),
            (other.value_accuracy, value),
        ];
        let sums = self.by_target.iter_mut().zip(of_targets);
        sums.for_each(|(sum, (mean, count))| *sum += f64::from(mean) * count as f64);
    }

    /// The means: over the positions that had a target, and over the steps of whatever every position has.
    pub fn means(&self) -> Losses {
        let TargetCounts { policy, reply, value } = self.targets;
        let over = |sum: f64, count: u64| (sum / count.max(1) as f64) as f32;
        let [total, values, moves_left] = self.by_step.map(|sum| over(sum, self.steps));
        let [cross_entropy, divergence, right_moves, replies, right_signs] = self.by_target;
        Losses {
            total,
            policy: over(cross_entropy, policy),
            divergence: over(divergence, policy),
            value: values,
            reply: over(replies, reply),
            moves_left,
            policy_accuracy: over(right_moves, policy),
            value_accuracy: over(right_signs, value),
            targets: self.targets,
            errors: Vec::new(),
        }
    }
}

impl Losses {
    /// Notes how the values and their targets differ.
    pub(super) fn compare(&mut self, values: &[f32], targets: &[f32]) {
        let right = values.iter().zip(targets).filter(|(value, target)| *value * *target > 0.0).count();
        let decided = targets.iter().filter(|target| **target != 0.0).count();
        self.value_accuracy = right as f32 / decided.max(1) as f32;
        self.targets.value = decided as u64;
        self.errors = values.iter().zip(targets).map(|(value, target)| value - target).collect();
    }
}

/// What the policy's losses come to: means over the positions that have a target.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PolicyLoss {
    pub cross_entropy: f32,
    pub divergence: f32,
    pub accuracy: f32,
    /// Positions with a target.
    pub targets: u64,
    /// The mean of the cross-entropy over all positions: what was lowered.
    pub lowered: f32,
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
    let mut mean = PolicyLoss { targets: of_rows.iter().map(|loss| loss.targets).sum(), ..PolicyLoss::default() };
    let count = mean.targets.max(1) as f32;
    for loss in of_rows {
        mean.cross_entropy += loss.cross_entropy / count;
        mean.divergence += loss.divergence / count;
        mean.accuracy += loss.accuracy / count;
        mean.lowered += loss.cross_entropy / batch;
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
    let targets = u64::from(mass > 0.0);
    PolicyLoss { cross_entropy: loss, divergence: loss - entropy, accuracy, targets, lowered: loss }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_without_a_target_are_neither_wrong_nor_free() {
        // The favourite is the first of two logits; the second row has no target.
        let logits = [1.0, 0.0, 1.0, 0.0];
        let mut gradients = [0.0; 4];
        let both = policies((&logits, 2), &[1.0, 0.0, 0.0, 0.0], &[], 1.0, &mut gradients);
        let one = policies((&logits[..2], 2), &[1.0, 0.0], &[], 1.0, &mut [0.0; 2]);
        assert_eq!((both.targets, both.accuracy, both.cross_entropy), (1, 1.0, one.cross_entropy));
        assert_eq!(both.divergence, one.divergence);
        assert_eq!(both.lowered, one.cross_entropy / 2.0);
        assert_eq!(gradients[2..], [0.0, 0.0]);
        // A drawn game has no sign to be right about.
        let mut losses = Losses::default();
        losses.compare(&[0.5, -0.5, 0.1], &[1.0, 1.0, 0.0]);
        assert_eq!((losses.value_accuracy, losses.targets.value), (0.5, 2));
    }

    #[test]
    fn means_over_steps_count_targets_and_not_steps() {
        let step = |policy: f32, targets: u64, value: f32| Losses {
            policy,
            policy_accuracy: policy / 4.0,
            value,
            targets: TargetCounts { policy: targets, reply: 0, value: 1 },
            ..Losses::default()
        };
        let mut sums = LossSums::default();
        for losses in [step(2.0, 3, 0.5), step(0.0, 0, 0.25), step(4.0, 1, 0.75)] {
            sums.add(&losses);
        }
        let means = sums.means();
        assert_eq!((means.policy, means.policy_accuracy, means.value), (2.5, 0.625, 0.5));
        assert_eq!(means.targets, TargetCounts { policy: 4, reply: 0, value: 3 });
        assert_eq!(LossSums::default().means(), Losses::default());
    }
}
