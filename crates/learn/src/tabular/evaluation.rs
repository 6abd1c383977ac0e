//! Policy evaluation by dynamic programming: what is a given way of playing worth?
//!
//! ```text
//! v_{k+1}(s) = sum over actions a of  pi(a|s) * [ R + gamma * v_k(s') ]        for all states s at once (a sweep)
//! ```
//!
//! `pi(a|s)` is the policy's probability of action a in state s, `s'` the state that a leads to, `R` the reward of
//! going there (the outcome for the first player if `s'` is an end, else 0), `gamma` the discount. `v_0` is 0
//! everywhere. The values of states before the end are right after one sweep, those one step further from it after two;
//! where states recur, the error shrinks by a factor a sweep. Sweeping stops when no value changes any more.

use super::options::{TOLERANCE, TabularOptions};
use super::setting::Setting;
use super::watch::{Learned, Watch};

/// A way of playing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Every action is equally likely.
    Random,
    /// One action in each state.
    Fixed(Vec<usize>),
}

impl Policy {
    /// `pi(a|s)`.
    fn chance(&self, setting: &Setting, state: usize, action: usize) -> f64 {
        match self {
            Policy::Random => 1.0 / setting.actions(state) as f64,
            Policy::Fixed(actions) => f64::from(actions[state] == action),
        }
    }
}

/// One sweep: the values after it.
pub fn sweep(setting: &Setting, policy: &Policy, gamma: f64, old: &[f64]) -> Vec<f64> {
    let mut new = vec![0.0; setting.len()];
    for &state in setting.open() {
        for (action, target) in setting.targets(state, old, gamma).enumerate() {
            new[state] += policy.chance(setting, state, action) * target;
        }
    }
    new
}

/// The largest change of a value.
pub fn change(old: &[f64], new: &[f64]) -> f64 {
    old.iter().zip(new).map(|(old, new)| (new - old).abs()).fold(0.0, f64::max)
}

/// The values of a policy, and the sweeps that it took to find them from `values`.
pub fn evaluate(setting: &Setting, policy: &Policy, gamma: f64, mut values: Vec<f64>) -> (Vec<f64>, u64) {
    let mut sweeps = 0;
    loop {
        let new = sweep(setting, policy, gamma, &values);
        let changed = change(&values, &new);
        values = new;
        sweeps += 1;
        if changed < TOLERANCE {
            return (values, sweeps);
        }
    }
}

/// Evaluates the random policy.
pub(super) fn learn(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    let mut values = vec![0.0; setting.len()];
    for sweeps in 1.. {
        let new = sweep(setting, &Policy::Random, options.gamma, &values);
        let done = change(&values, &new) < TOLERANCE;
        values = new;
        watch.after(sweeps, done, || Learned {
            values: values.clone(),
            choices: None,
            seen: setting.open().len(),
            transitions: sweeps * setting.transitions(),
        });
        if done {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{tictactoe, watched};
    use super::super::{Goal, exact};
    use super::*;

    #[test]
    fn finds_the_exact_values_of_random_play() {
        // Nine plies, and a tenth sweep that changes nothing.
        let points = watched("evaluation", &tictactoe(), &TabularOptions::default());
        assert_eq!(points.last().map(|point| point.count), Some(10));
        assert!(points[8].largest < 1e-12 && points[7].largest > 1e-3);
        for gamma in [1.0, 0.9] {
            let points = watched(
                "evaluation",
                &Setting::walk(19).unwrap(),
                &TabularOptions { gamma, ..TabularOptions::default() },
            );
            let last = points.last().unwrap();
            assert!(last.largest < 1e-9, "{last:?}");
        }
    }

    #[test]
    fn finds_the_values_of_a_given_policy() {
        // Always to the right: +1, less the discount of the steps until then.
        let setting = Setting::walk(5).unwrap();
        let right = Policy::Fixed(vec![1; setting.len()]);
        let (values, sweeps) = evaluate(&setting, &right, 0.5, vec![0.0; setting.len()]);
        assert_eq!(values, [0.0, 0.0625, 0.125, 0.25, 0.5, 1.0, 0.0]);
        assert_eq!(sweeps, 6);
        // The best moves of tic-tac-toe: a draw.
        let setting = tictactoe();
        let best = exact::values(&setting, Goal::Optimum, 1.0);
        let choices =
            (0..setting.len()).map(|state| setting.choice(state, setting.targets(state, &best, 1.0))).collect();
        let (values, _) = evaluate(&setting, &Policy::Fixed(choices), 1.0, vec![0.0; setting.len()]);
        assert_eq!(values, best);
    }
}
