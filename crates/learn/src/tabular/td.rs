//! Temporal differences over one step and over n steps.
//!
//! ```text
//! TD(0):   V(s_t) = V(s_t) + alpha * [ R_{t+1} + gamma * V(s_{t+1}) - V(s_t) ]
//!
//! n-step:  G_t    = R_{t+1} + gamma * R_{t+2} + ... + gamma^{n-1} * R_{t+n} + gamma^n * V(s_{t+n})
//!          V(s_t) = V(s_t) + alpha * [ G_t - V(s_t) ]
//! ```
//!
//! Like Monte Carlo they learn from episodes; like dynamic programming they learn an estimate from an estimate
//! (bootstrapping), and need not wait for the end. TD(0) is n-step with n = 1; where n is at least the length of the
//! episode, nothing is left of the estimate, and n-step is Monte Carlo. `alpha` falls more slowly than 1/n, since early
//! targets are made of early estimates and should be forgotten.

use super::options::{TabularOptions, episode};
use super::setting::Setting;
use super::step::Rates;
use super::watch::{Learned, Watch};

/// Evaluates the random policy by TD(0).
pub(super) fn td0(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    let mut values = vec![0.0; setting.len()];
    let mut rates = Rates::new(setting.len(), options.alpha());
    let mut transitions = 0;
    for number in 1..=options.episodes {
        let path = episode(setting, options, number);
        for (&state, &next) in path.iter().zip(&path[1..]) {
            let target = setting.reward(next) + options.gamma * values[next];
            values[state] += rates.visit(state) * (target - values[state]);
        }
        transitions += path.len() as u64 - 1;
        let learned = || Learned { values: values.clone(), choices: None, seen: rates.seen(), transitions };
        watch.after(number, number == options.episodes, learned);
    }
}

/// Evaluates the random policy by n-step temporal differences.
pub(super) fn n_step(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    let mut values = vec![0.0; setting.len()];
    let mut rates = Rates::new(setting.len(), options.alpha());
    let mut transitions = 0;
    for number in 1..=options.episodes {
        let path = episode(setting, options, number);
        let end = path.len() - 1;
        // The update of s_t is due as soon as s_{t+n} is known: those of the last n states when the game ends.
        for time in 0..end {
            let horizon = time.saturating_add(options.steps).min(end);
            let target = path[time + 1..=horizon]
                .iter()
                .rev()
                .fold(values[path[horizon]], |target, &next| setting.reward(next) + options.gamma * target);
            let state = path[time];
            values[state] += rates.visit(state) * (target - values[state]);
        }
        transitions += end as u64;
        let learned = || Learned { values: values.clone(), choices: None, seen: rates.seen(), transitions };
        watch.after(number, number == options.episodes, learned);
    }
}

#[cfg(test)]
mod tests {
    use super::super::StepSize;
    use super::super::tests::{assert_learns_random_play, tictactoe, values};
    use super::*;

    #[test]
    fn reach_the_exact_values() {
        for method in ["td0", "n-step"] {
            assert_learns_random_play(method, &TabularOptions::default());
        }
    }

    #[test]
    fn n_step_lies_between_td0_and_monte_carlo() {
        let alpha = Some(StepSize::Constant(0.1));
        let options = |steps| TabularOptions { episodes: 300, alpha, steps, gamma: 0.9, ..TabularOptions::default() };
        for setting in [tictactoe(), Setting::walk(19).unwrap()] {
            assert_eq!(values("n-step", &setting, &options(1)), values("td0", &setting, &options(1)));
        }
        // No episode of tic-tac-toe is longer than nine moves, and no state recurs.
        let setting = tictactoe();
        let [nine, endless] = [9, usize::MAX].map(|steps| values("n-step", &setting, &options(steps)));
        assert_eq!(nine, endless);
        assert_eq!(nine, values("every-visit", &setting, &options(1)));
        assert_ne!(nine, values("n-step", &setting, &options(3)));
    }

    #[test]
    fn bootstrapping_learns_in_the_order_of_the_steps() {
        // The first episode of the walk teaches TD(0) the state before the end and no other.
        let setting = Setting::walk(19).unwrap();
        let options = TabularOptions { episodes: 1, ..TabularOptions::default() };
        let known = |method| values(method, &setting, &options).iter().filter(|&&value| value != 0.0).count();
        assert_eq!(known("td0"), 1);
        assert!(known("n-step") > 1);
    }
}
