//! Monte Carlo: the value of a state is the mean of what came out of the games that passed it.
//!
//! ```text
//! G_t    = R_{t+1} + gamma * R_{t+2} + gamma^2 * R_{t+3} + ...      the return after time t
//! V(s_t) = V(s_t) + alpha * [ G_t - V(s_t) ]                        alpha = 1/n: the mean of n returns
//! ```
//!
//! The *first-visit* method counts a state once an episode, with the return after its first visit; its returns are
//! independent, and their mean has no bias. The *every-visit* method counts every visit; the returns of one episode
//! depend on each other, but there are more of them. No state occurs twice in a game that fills its board, such as
//! tic-tac-toe: there the two are the same, and the random walk shows the difference.

use super::options::{TabularOptions, episode};
use super::setting::Setting;
use super::step::Rates;
use super::watch::{Learned, Watch};

/// Which visits to a state count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visits {
    First,
    Every,
}

/// Evaluates the random policy by the first visits.
pub(super) fn first_visit(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    learn(setting, options, watch, Visits::First);
}

/// Evaluates the random policy by all visits.
pub(super) fn every_visit(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    learn(setting, options, watch, Visits::Every);
}

fn learn(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>, counted: Visits) {
    let mut values = vec![0.0; setting.len()];
    let mut rates = Rates::new(setting.len(), options.alpha());
    let mut transitions = 0;
    // When each state was first visited, in the latest episode that visited it.
    let mut first = vec![(0, 0); setting.len()];
    for number in 1..=options.episodes {
        let path = episode(setting, options, number);
        for (time, &state) in path.iter().enumerate() {
            if first[state].0 != number {
                first[state] = (number, time);
            }
        }
        let mut gain = 0.0;
        for time in (0..path.len() - 1).rev() {
            let state = path[time];
            gain = setting.reward(path[time + 1]) + options.gamma * gain;
            if counted == Visits::Every || first[state].1 == time {
                values[state] += rates.visit(state) * (gain - values[state]);
            }
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
    fn reach_the_exact_values() {
        for method in ["first-visit", "every-visit"] {
            assert_learns_random_play(method, &TabularOptions::default());
        }
    }

    #[test]
    fn visits_differ_only_where_states_recur() {
        let options = TabularOptions { episodes: 500, ..TabularOptions::default() };
        let [first, every] = ["first-visit", "every-visit"].map(|method| values(method, &tictactoe(), &options));
        assert_eq!(first, every);
        let walk = Setting::walk(19).unwrap();
        let [first, every] = ["first-visit", "every-visit"].map(|method| values(method, &walk, &options));
        assert_ne!(first, every);
    }

    #[test]
    fn means_are_means_of_returns() {
        // By the definition: all returns of the start, first visits only.
        let setting = Setting::walk(5).unwrap();
        let options =
            TabularOptions { episodes: 50, gamma: 0.9, alpha: Some(StepSize::MEAN), ..TabularOptions::default() };
        let returns = (1..=50).map(|number| {
            let path = episode(&setting, &options, number);
            let end = path.len() - 1;
            setting.reward(path[end]) * 0.9_f64.powi(end as i32 - 1)
        });
        let mean = returns.sum::<f64>() / 50.0;
        assert!((values("first-visit", &setting, &options)[setting.start] - mean).abs() < 1e-12);
    }
}
