//! Q-learning by self-play: the best moves, learned from games that need not be good.
//!
//! ```text
//! Q(s,a) = Q(s,a) + alpha * [ R + gamma * best Q(s',a') - Q(s,a) ]
//! ```
//!
//! `best` is the greatest over the actions `a'` where the first player moves at `s'`, the least where the second does,
//! and 0 at ends: `Q` is for the first player throughout. One table plays both sides. With probability `epsilon` a
//! mover plays at random, else the best by `Q` (one of the best at random). What is learned does not depend on how the
//! games were played, as long as every action is tried again and again (off-policy): `epsilon` = 1 learns the optimum
//! from random games. Since the next state is certain in these games, `alpha` = 1 would do; a smaller one also learns
//! where chance plays.

use super::options::{TabularOptions, begin};
use super::setting::Setting;
use super::step::Rates;
use super::watch::{Learned, Watch};
use tesuji_core::Stream;

/// An episode is cut off here: without discount a walker may go to and fro between equally good states.
const LONGEST_EPISODE: u64 = 100_000;

/// `Q(s,a)` for each state and action.
struct Table<'a> {
    setting: &'a Setting,
    q: Vec<Vec<f64>>,
}

impl Table<'_> {
    /// What the mover can get at a state.
    fn best(&self, state: usize) -> f64 {
        self.setting.best(state, self.q[state].iter().copied())
    }

    /// The best action, and the first of several.
    fn choice(&self, state: usize) -> usize {
        self.setting.choice(state, self.q[state].iter().copied())
    }

    /// With probability `epsilon` any action, else one of the best.
    fn explore(&self, state: usize, epsilon: f64, random: &mut Stream) -> usize {
        let q = &self.q[state];
        if random.unit() < epsilon {
            return random.below(q.len());
        }
        let best = self.best(state);
        let count = q.iter().filter(|&&value| value == best).count();
        let chosen = random.below(count);
        q.iter().enumerate().filter(|&(_, &value)| value == best).nth(chosen).map_or(0, |(action, _)| action)
    }
}

/// Finds the optimum.
pub(super) fn learn(setting: &Setting, options: &TabularOptions, watch: &mut Watch<'_>) {
    let mut table = Table { setting, q: (0..setting.len()).map(|state| vec![0.0; setting.actions(state)]).collect() };
    let mut rates: Vec<Rates> = table.q.iter().map(|actions| Rates::new(actions.len(), options.alpha())).collect();
    let mut transitions = 0;
    for number in 1..=options.episodes {
        let (mut state, mut random) = begin(setting, options, number);
        let mut steps = 0;
        while setting.actions(state) > 0 && steps < LONGEST_EPISODE {
            let action = table.explore(state, options.epsilon, &mut random);
            let next = setting.after(state, action);
            let target = setting.reward(next) + options.gamma * table.best(next);
            let q = &mut table.q[state][action];
            *q += rates[state].visit(action) * (target - *q);
            state = next;
            steps += 1;
        }
        transitions += steps;
        watch.after(number, number == options.episodes, || Learned {
            values: (0..setting.len()).map(|state| table.best(state)).collect(),
            choices: Some((0..setting.len()).map(|state| table.choice(state)).collect()),
            seen: rates.iter().filter(|rates| rates.seen() > 0).count(),
            transitions,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::StepSize;
    use super::super::tests::{learned, tictactoe, watched};
    use super::*;
    use tesuji_core::Side;

    #[test]
    fn reaches_the_exact_values() {
        let options =
            TabularOptions { episodes: 3_000, gamma: 0.9, exploring_starts: true, ..TabularOptions::default() };
        let last = watched("q-learning", &Setting::walk(19).unwrap(), &options).pop().unwrap();
        assert!(last.largest < 1e-6 && last.mistakes == Some(0), "{last:?}");
        let options = TabularOptions { episodes: 200_000, epsilon: 1.0, ..TabularOptions::default() };
        let last = watched("q-learning", &tictactoe(), &options).pop().unwrap();
        assert!(last.largest < 1e-3 && last.mistakes == Some(0), "{last:?}");
    }

    #[test]
    fn every_action_has_its_own_step_size() {
        // One state, each action an end: with 1/n the first try of an action tells all, whatever was tried before.
        for seed in 0..10 {
            let alpha = Some(StepSize::MEAN);
            let options = TabularOptions { episodes: 50, epsilon: 1.0, alpha, seed, ..TabularOptions::default() };
            let last = watched("q-learning", &Setting::walk(1).unwrap(), &options).pop().unwrap();
            assert_eq!((last.largest, last.mistakes), (0.0, Some(0)), "{last:?}");
        }
    }

    /// The least that `side` gets by its choices against every reply, at a state.
    fn worst(setting: &Setting, choices: &[usize], side: Side, state: usize, reward: f64) -> f64 {
        let sign = f64::from(side.sign());
        if setting.actions(state) == 0 {
            return sign * reward;
        }
        let below = |next| worst(setting, choices, side, next, setting.reward(next));
        if setting.sign(state) == sign {
            below(setting.after(state, choices[state]))
        } else {
            setting.next(state).map(below).fold(f64::INFINITY, f64::min)
        }
    }

    #[test]
    fn greedy_play_never_loses_at_tictactoe() {
        let setting = tictactoe();
        let learned =
            learned("q-learning", &setting, &TabularOptions { episodes: 100_000, ..TabularOptions::default() });
        let choices = learned.choices.unwrap();
        for side in Side::BOTH {
            assert_eq!(worst(&setting, &choices, side, setting.start, 0.0), 0.0, "{side}: a draw at least");
            let (mut lost, mut won) = (0, 0);
            for game in 0..1000 {
                let mut random = Stream::new(5, "opponent", game);
                let mut state = setting.start;
                while setting.actions(state) > 0 {
                    let own = setting.sign(state) == f64::from(side.sign());
                    let action = if own { choices[state] } else { random.below(setting.actions(state)) };
                    state = setting.after(state, action);
                }
                let result = f64::from(side.sign()) * setting.reward(state);
                lost += usize::from(result < 0.0);
                won += usize::from(result > 0.0);
            }
            assert_eq!(lost, 0, "{side}");
            assert!(won > 700, "{side}: {won} of 1000 games won against random play");
        }
    }

    #[test]
    fn untaught_play_loses() {
        // The test above could fail.
        let setting = tictactoe();
        let learned = learned("q-learning", &setting, &TabularOptions { episodes: 10, ..TabularOptions::default() });
        assert_eq!(worst(&setting, &learned.choices.unwrap(), Side::Second, setting.start, 0.0), -1.0);
    }
}
