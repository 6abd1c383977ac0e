//! Value iteration: evaluation and improvement in one sweep.
//!
//! ```text
//! v_{k+1}(s) = max over actions a of [ R + gamma * v_k(s') ]      where the first player moves
//! v_{k+1}(s) = min over actions a of [ R + gamma * v_k(s') ]      where the second does
//! ```
//!
//! This is minimax from the ends backwards: after k sweeps `v_k` is the value by the next k plies. `R` is the reward of
//! going to `s'` for the first player, `gamma` the discount, which makes both sides prefer to win soon and lose late.

use super::evaluation::change;
use super::options::{TOLERANCE, TabularOptions};
use super::setting::Setting;
use super::watch::{Learned, Watch};

/// Finds the optimum.
pub(super) fn learn(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    let mut values = vec![0.0; setting.len()];
    for sweeps in 1.. {
        let targets = |state| setting.targets(state, &values, options.gamma);
        let new: Vec<f64> = (0..setting.len()).map(|state| setting.best(state, targets(state))).collect();
        let done = change(&values, &new) < TOLERANCE;
        values = new;
        watch.after(sweeps, done, || {
            let targets = |state| setting.targets(state, &values, options.gamma);
            Learned {
                values: values.clone(),
                choices: Some((0..setting.len()).map(|state| setting.choice(state, targets(state))).collect()),
                seen: setting.open().len(),
                transitions: sweeps * setting.transitions(),
            }
        });
        if done {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{late_connect4, tictactoe, watched};
    use super::*;

    #[test]
    fn finds_the_optimum() {
        for setting in [tictactoe(), late_connect4(), Setting::walk(19).unwrap()] {
            for gamma in [1.0, 0.9] {
                let points =
                    watched("value-iteration", &setting, &TabularOptions { gamma, ..TabularOptions::default() });
                let last = points.last().unwrap();
                assert!(last.largest < 1e-9 && last.mistakes == Some(0), "{last:?}");
            }
        }
    }

    #[test]
    fn k_sweeps_see_k_plies() {
        // From the middle of 19 states it takes ten steps to see the reward.
        let points = watched("value-iteration", &Setting::walk(19).unwrap(), &TabularOptions::default());
        assert_eq!((points[8].count, points[8].start), (9, 0.0));
        assert_eq!((points[9].count, points[9].start), (10, 1.0));
    }
}
