//! Policy iteration: evaluate a policy, choose better actions by its values, and so on.
//!
//! ```text
//! evaluate:  v(s)  = the value of s if both sides play by pi                    (see evaluation.rs)
//! improve:   pi(s) = the action whose  R + gamma * v(s')  is the mover's best   (greatest for the first player,
//!                                                                                least for the second)
//! ```
//!
//! until the improvement changes no action. The first policy plays at random. An action gives way only to one that is
//! truly better, or two equally good ones would take turns for ever. Both sides improve at once: in a game without
//! repetition the last moves become right first, then those before them, so that no more rounds are needed than the
//! game has plies (and mostly far fewer); a walker alone is the usual case of one player.

use super::evaluation::{Policy, evaluate};
use super::options::{TOLERANCE, TabularOptions};
use super::setting::Setting;
use super::watch::{Learned, Watch};

/// An action must be better than the old one by more than the evaluation may be off.
const BETTER: f64 = 1e3 * TOLERANCE;

/// The policy that chooses best by `values`, keeping the old actions where they are as good as any.
fn improve(setting: &Setting, old: &Policy, values: &[f64], gamma: f64) -> Policy {
    let mut actions = vec![0; setting.len()];
    for &state in setting.open() {
        let targets = || setting.targets(state, values, gamma);
        actions[state] = setting.choice(state, targets());
        if let Policy::Fixed(old) = old {
            let gain =
                setting.sign(state) * (setting.best(state, targets()) - targets().nth(old[state]).unwrap_or(0.0));
            if gain <= BETTER {
                actions[state] = old[state];
            }
        }
    }
    Policy::Fixed(actions)
}

/// Finds the optimum.
pub(super) fn learn(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    let mut policy = Policy::Random;
    let mut values = vec![0.0; setting.len()];
    let mut sweeps = 0;
    for iteration in 1.. {
        let (evaluated, more) = evaluate(setting, &policy, options.gamma, values);
        values = evaluated;
        let better = improve(setting, &policy, &values, options.gamma);
        // An improvement looks at every action once, as a sweep does.
        sweeps += more + 1;
        let done = better == policy;
        policy = better;
        watch.after(iteration, done, || Learned {
            values: values.clone(),
            choices: match &policy {
                Policy::Fixed(actions) => Some(actions.clone()),
                Policy::Random => None,
            },
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
    use super::super::tests::{late_connect4, tictactoe, watched};
    use super::*;

    #[test]
    fn finds_the_optimum() {
        for setting in [tictactoe(), late_connect4(), Setting::walk(19).unwrap()] {
            for gamma in [1.0, 0.9] {
                let points =
                    watched("policy-iteration", &setting, &TabularOptions { gamma, ..TabularOptions::default() });
                let last = points.last().unwrap();
                assert!(last.largest < 1e-9 && last.mistakes == Some(0), "{last:?}");
                assert!(last.count <= 11, "{last:?}");
            }
        }
    }

    #[test]
    fn equally_good_actions_stay() {
        // Without discount every action of the walk that does not step off to the left is worth 1.
        let setting = Setting::walk(3).unwrap();
        let values = [0.0, 1.0, 1.0, 1.0, 0.0];
        let old = Policy::Fixed(vec![0, 1, 0, 1, 0]);
        assert_eq!(improve(&setting, &old, &values, 1.0), old);
        let Policy::Fixed(actions) = improve(&setting, &Policy::Fixed(vec![0; 5]), &values, 1.0) else { panic!() };
        assert_eq!(actions[1..4], [1, 0, 0]);
    }
}
