//! TD(lambda): the mean over all n-step returns, by eligibility traces.
//!
//! ```text
//! forwards:   G_t   = (1 - lambda) * sum over n >= 1 of  lambda^{n-1} * (the n-step return after t)
//!
//! backwards:  delta = R_{t+1} + gamma * V(s_{t+1}) - V(s_t)       how wrong the latest step was
//!             z(s)  = gamma * lambda * z(s)        for all s      what happened long ago matters less
//!             z(s_t) = z(s_t) + 1                  (accumulating) or 1 (replacing)
//!             V(s)  = V(s) + alpha * delta * z(s)  for all s      each state takes its share of the error
//! ```
//!
//! The backward form gives the forward form's updates while the episode goes on. `lambda` = 0 is TD(0); `lambda` = 1
//! is Monte Carlo. Accumulating and replacing traces differ only where a state recurs within an episode, as in the
//! random walk.

use super::options::{TabularOptions, Traces, episode};
use super::setting::Setting;
use super::step::Rates;
use super::watch::{Learned, Watch};

/// Traces below this are forgotten.
const FAINT: f64 = 1e-9;

/// Evaluates the random policy.
pub(super) fn learn(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    let mut values = vec![0.0; setting.len()];
    let mut rates = Rates::new(setting.len(), options.alpha());
    let mut transitions = 0;
    let mut traces = vec![0.0; setting.len()];
    // The states whose trace is not 0.
    let mut eligible: Vec<usize> = Vec::new();
    for number in 1..=options.episodes {
        let path = episode(setting, options, number);
        for (&state, &next) in path.iter().zip(&path[1..]) {
            let delta = setting.reward(next) + options.gamma * values[next] - values[state];
            rates.visit(state);
            if traces[state] == 0.0 {
                eligible.push(state);
            }
            match options.traces {
                Traces::Accumulating => traces[state] += 1.0,
                Traces::Replacing => traces[state] = 1.0,
            }
            for &state in &eligible {
                values[state] += rates.current(state) * delta * traces[state];
                traces[state] *= options.gamma * options.lambda;
            }
            eligible.retain(|&state| {
                let kept = traces[state] > FAINT;
                if !kept {
                    traces[state] = 0.0;
                }
                kept
            });
        }
        for state in eligible.drain(..) {
            traces[state] = 0.0;
        }
        transitions += path.len() as u64 - 1;
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
    fn reaches_the_exact_values() {
        for traces in [Traces::Accumulating, Traces::Replacing] {
            assert_learns_random_play("td-lambda", &TabularOptions { traces, ..TabularOptions::default() });
        }
    }

    /// The largest difference between what two methods learn.
    fn difference(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn its_ends_are_td0_and_monte_carlo() {
        let alpha = Some(StepSize::Constant(0.1));
        let options = |lambda| TabularOptions { episodes: 300, alpha, lambda, gamma: 0.9, ..TabularOptions::default() };
        for setting in [tictactoe(), Setting::walk(19).unwrap()] {
            let zero = values("td-lambda", &setting, &options(0.0));
            assert!(difference(&zero, &values("td0", &setting, &options(0.0))) < 1e-12);
        }
        let setting = tictactoe();
        let [half, one] = [0.5, 1.0].map(|lambda| values("td-lambda", &setting, &options(lambda)));
        let monte_carlo = values("every-visit", &setting, &options(1.0));
        assert!(difference(&one, &monte_carlo) < 1e-12);
        assert!(difference(&half, &monte_carlo) > 1e-3);
    }

    #[test]
    fn the_forward_form_agrees() {
        // Where no state recurs, the updates of an episode are those of the lambda-return with the values before it.
        let setting = tictactoe();
        let (lambda, gamma, alpha) = (0.6, 0.9, 0.2);
        let options = TabularOptions {
            episodes: 200,
            alpha: Some(StepSize::Constant(alpha)),
            lambda,
            gamma,
            ..TabularOptions::default()
        };
        let mut expected = vec![0.0; setting.len()];
        for number in 1..=options.episodes {
            let path = episode(&setting, &options, number);
            let before = expected.clone();
            let mut gain = 0.0;
            for time in (0..path.len() - 1).rev() {
                let (state, next) = (path[time], path[time + 1]);
                // G_t = R + gamma [(1 - lambda) V(s_{t+1}) + lambda G_{t+1}]: the sum over n, written recursively.
                gain = setting.reward(next) + gamma * ((1.0 - lambda) * before[next] + lambda * gain);
                expected[state] += alpha * (gain - before[state]);
            }
        }
        assert!(difference(&values("td-lambda", &setting, &options), &expected) < 1e-12);
    }

    #[test]
    fn traces_differ_only_where_states_recur() {
        let options = |traces| TabularOptions { episodes: 100, traces, ..TabularOptions::default() };
        let both = [Traces::Accumulating, Traces::Replacing];
        let [a, r] = both.map(|traces| values("td-lambda", &tictactoe(), &options(traces)));
        assert_eq!(a, r);
        let [a, r] = both.map(|traces| values("td-lambda", &Setting::walk(19).unwrap(), &options(traces)));
        assert_ne!(a, r);
    }
}
