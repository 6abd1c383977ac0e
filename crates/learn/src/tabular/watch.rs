//! Looking on while a method learns: the error to the exact values, at times that lie evenly on a logarithmic scale.

use super::exact;
use super::options::Goal;
use super::setting::Setting;
use serde::Serialize;

/// Two looks are this factor apart, once counts are great enough.
const SPACING: f64 = 1.15;
/// What counts as equally good, when a choice is compared with the best.
const TIE: f64 = 1e-9;

/// What a method knows at some moment.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// The values of the states for the first player.
    pub values: Vec<f64>,
    /// The action that the method would choose in each state, if it chooses.
    pub choices: Option<Vec<usize>>,
    /// The number of states of which it knows something.
    pub seen: usize,
    /// The number of actions that it has looked at: those of all states in each sweep, those played in each episode.
    pub transitions: u64,
}

/// A method at some moment, beside the exact values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Sweeps, iterations or episodes.
    pub count: u64,
    /// Actions looked at.
    pub transitions: u64,
    /// States (no ends) of which the method knows something.
    pub seen: usize,
    /// The value of the start.
    pub start: f64,
    /// The root of the mean square error over all states but ends.
    pub rms: f64,
    /// The largest error of a state.
    pub largest: f64,
    /// The states in which the method would not choose a best action; `None` if it does not choose.
    pub mistakes: Option<usize>,
}

/// Looks at a method now and then.
pub struct Watch<'a> {
    setting: &'a Setting,
    gamma: f64,
    progress: &'a mut dyn FnMut(u64),
    due: u64,
    /// The values that the method should find.
    pub exact: Vec<f64>,
    /// What has been seen so far.
    pub points: Vec<Point>,
    /// What the method knew at the last look.
    pub learned: Learned,
}

/// Whether a count is one of 1, 2, 5, 10, 20, 50, 100 ...: those are always looked at, for tables.
pub fn is_round(mut count: u64) -> bool {
    while count > 0 && count.is_multiple_of(10) {
        count /= 10;
    }
    matches!(count, 1 | 2 | 5)
}

impl<'a> Watch<'a> {
    /// Begins to look; `progress` is told every count.
    pub fn new(setting: &'a Setting, goal: Goal, gamma: f64, progress: &'a mut dyn FnMut(u64)) -> Watch<'a> {
        let exact = exact::values(setting, goal, gamma);
        Watch { setting, gamma, progress, due: 1, exact, points: Vec::new(), learned: Learned::default() }
    }

    /// Is told that `count` sweeps, iterations or episodes are done, and asks what has been learned if a look is due or
    /// it was the last.
    pub fn after(&mut self, count: u64, last: bool, learned: impl FnOnce() -> Learned) {
        (self.progress)(count);
        if count < self.due && !last {
            return;
        }
        let spaced = (count + 1).max((count as f64 * SPACING) as u64);
        self.due = (count + 1..spaced).find(|&count| is_round(count)).unwrap_or(spaced);
        self.learned = learned();
        let point = self.point(count, &self.learned);
        self.points.push(point);
    }

    fn point(&self, count: u64, learned: &Learned) -> Point {
        let open = self.setting.open();
        let errors = || open.iter().map(|&state| (learned.values[state] - self.exact[state]).abs());
        let square = errors().map(|error| error * error).sum::<f64>() / open.len() as f64;
        Point {
            count,
            transitions: learned.transitions,
            seen: learned.seen,
            start: learned.values[self.setting.start],
            rms: square.sqrt(),
            largest: errors().fold(0.0, f64::max),
            mistakes: learned
                .choices
                .as_ref()
                .map(|choices| open.iter().filter(|&&state| self.is_mistake(state, choices[state])).count()),
        }
    }

    fn is_mistake(&self, state: usize, choice: usize) -> bool {
        let target = |next| self.setting.reward(next) + self.gamma * self.exact[next];
        let chosen = target(self.setting.after(state, choice));
        // `exact` of the state itself is the best target, since only methods that look for the optimum choose.
        (chosen - self.exact[state]).abs() > TIE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_counts() {
        assert!([1, 2, 5, 10, 200, 50_000].into_iter().all(is_round));
        assert!(![0, 3, 4, 11, 25, 120, 30_000].into_iter().any(is_round));
    }

    #[test]
    fn errors_and_mistakes_are_counted_over_states_that_are_no_ends() {
        let setting = Setting::walk(4).unwrap();
        let mut told = Vec::new();
        let mut progress = |count| told.push(count);
        let mut watch = Watch::new(&setting, Goal::Optimum, 0.5, &mut progress);
        assert_eq!(watch.exact[1..5], [0.125, 0.25, 0.5, 1.0]);
        let learned = || Learned {
            values: vec![9.0, 0.125, 0.0, 0.5, 1.0, 9.0],
            choices: Some(vec![0, 1, 0, 1, 0, 0]),
            seen: 4,
            transitions: 7,
        };
        for count in 1..=100 {
            watch.after(count, count == 100, learned);
        }
        let counts: Vec<u64> = watch.points.iter().map(|point| point.count).collect();
        assert_eq!(counts[..8], [1, 2, 3, 4, 5, 6, 7, 8]);
        assert!([1, 2, 5, 10, 20, 50].iter().all(|count| counts.contains(count)), "{counts:?}");
        assert!(counts.len() < 40 && counts.is_sorted() && counts.last() == Some(&100), "{counts:?}");
        let expected =
            Point { count: 1, transitions: 7, seen: 4, start: 0.0, rms: 0.125, largest: 0.25, mistakes: Some(2) };
        assert_eq!(watch.points[0], expected);
        drop(watch);
        assert_eq!(told.len(), 100);
    }
}
