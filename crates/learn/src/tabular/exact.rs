//! The exact values that the methods are held against, by other means than theirs.

use super::options::Goal;
use super::setting::Setting;

/// The exact value of every state for the first player, 0 for ends.
///
/// In games every successor has a greater number, so that one pass from the last state to the first meets no value
/// before it is known: the mean over the actions for the random policy, the mover's best for the optimum. States of the
/// random walk recur; its values have a closed form.
pub fn values(setting: &Setting, goal: Goal, gamma: f64) -> Vec<f64> {
    let mut values = vec![0.0; setting.len()];
    for &state in setting.open().iter().rev() {
        values[state] = match (setting.walk, goal) {
            (Some(states), Goal::RandomPolicy) => walk_value(states, state, gamma),
            // Straight to the right: the reward comes with step number `states + 1 - state`.
            (Some(states), Goal::Optimum) => gamma.powi((states - state) as i32),
            (None, Goal::RandomPolicy) => {
                setting.targets(state, &values, gamma).sum::<f64>() / setting.actions(state) as f64
            }
            (None, Goal::Optimum) => setting.best(state, setting.targets(state, &values, gamma)),
        };
    }
    values
}

/// The value of state i of n of the random walk, under the random policy.
///
/// `V(i) = gamma (V(i-1) + V(i+1)) / 2` between the ends, where `gamma V(0)` counts as -1 and `gamma V(n+1)` as +1. It
/// is solved by `V(i) = sinh(theta d) / (gamma sinh(theta (n+1)/2))` with `cosh theta = 1 / gamma` and `d` the distance
/// of i from the middle; without discount that is the straight line `2i/(n+1) - 1`.
fn walk_value(states: usize, state: usize, gamma: f64) -> f64 {
    let half = (states + 1) as f64 / 2.0;
    let distance = state as f64 - half;
    if gamma == 1.0 {
        return distance / half;
    }
    let theta = (1.0 / gamma).acosh();
    // sinh(theta distance) / sinh(theta half), with exp(theta half) taken out of both lest they overflow.
    let growth = |x: f64| ((theta * (x - half)).exp() - (-theta * (x + half)).exp()) / 2.0;
    growth(distance) / (gamma * growth(half))
}

#[cfg(test)]
mod tests {
    use super::super::tests::tictactoe;
    use super::*;
    use tesuji_core::{GameRules, MoveList, Position, Rules};
    use tesuji_games::tictactoe::TicTacToe;

    /// The mean over the moves, or the mover's best of them, looking at every line of play.
    fn look_at_everything<P: Position>(position: &P, goal: Goal) -> f64 {
        let mut moves = MoveList::new();
        if let Some(outcome) = position.expand(&mut moves) {
            return f64::from(outcome.value().get());
        }
        let sign = f64::from(position.mover().sign());
        let below = moves.iter().map(|&mv| {
            let mut child = position.clone();
            child.play(mv);
            look_at_everything(&child, goal)
        });
        match goal {
            Goal::RandomPolicy => below.sum::<f64>() / moves.len() as f64,
            Goal::Optimum => sign * below.map(|value| sign * value).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    #[test]
    fn values_are_those_of_looking_at_everything() {
        let start = TicTacToe::new(Rules::Official).start();
        let setting = tictactoe();
        let mut moves = MoveList::new();
        start.moves(&mut moves);
        for goal in [Goal::RandomPolicy, Goal::Optimum] {
            let exact = values(&setting, goal, 1.0);
            // Every state of the first two plies, by its own tree.
            for (action, &mv) in moves.iter().enumerate() {
                let mut child = start;
                child.play(mv);
                let state = setting.after(setting.start, action);
                assert!((exact[state] - look_at_everything(&child, goal)).abs() < 1e-12, "{goal:?} {mv:?}");
            }
            assert!((exact[setting.start] - look_at_everything(&start, goal)).abs() < 1e-12);
        }
        // The known chances of random play: 58.5% won, 28.8% lost.
        let random = values(&setting, Goal::RandomPolicy, 1.0)[setting.start];
        assert!((random - 0.296_825).abs() < 1e-6, "{random}");
        assert_eq!(values(&setting, Goal::Optimum, 1.0)[setting.start], 0.0);
    }

    #[test]
    fn values_of_the_walk_satisfy_their_equation() {
        for (states, gamma) in [(1, 1.0), (5, 1.0), (19, 1.0), (19, 0.9), (199, 0.99), (199, 0.01)] {
            let setting = Setting::walk(states).unwrap();
            for goal in [Goal::RandomPolicy, Goal::Optimum] {
                let exact = values(&setting, goal, gamma);
                for &state in setting.open() {
                    let targets = setting.targets(state, &exact, gamma);
                    let right = match goal {
                        Goal::RandomPolicy => targets.sum::<f64>() / 2.0,
                        Goal::Optimum => setting.best(state, targets),
                    };
                    assert!((exact[state] - right).abs() < 1e-12, "{states} {gamma} {goal:?} {state}");
                }
            }
        }
        // Sutton and Barto's walk of 19 states: -0.9 to 0.9.
        let exact = values(&Setting::walk(19).unwrap(), Goal::RandomPolicy, 1.0);
        assert!((exact[1] + 0.9).abs() < 1e-12 && exact[10].abs() < 1e-12 && (exact[19] - 0.9).abs() < 1e-12);
    }
}
