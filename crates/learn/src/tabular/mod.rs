//! Tabular methods: learning with one number for each state, on games small enough for that.
//!
//! The classical methods that later ones approximate, each in one file with its formula. All of them work on a
//! [`Setting`], the numbered states of a small game or of a random walk, and all are held against the exact values
//! ([`exact`]) while they learn ([`watch`]).
//!
//! | file | what it holds | what it finds |
//! |---|---|---|
//! | [`evaluation`] | policy evaluation by dynamic programming | the values of the random policy |
//! | [`monte_carlo`] | first-visit and every-visit Monte Carlo | the same, from episodes |
//! | [`td`] | TD(0), n-step | the same, from episodes and estimates |
//! | [`td_lambda`] | TD(lambda) with eligibility traces | the same |
//! | [`policy_iteration`] | policy iteration | the optimum |
//! | [`value_iteration`] | value iteration | the optimum |
//! | [`q_learning`] | Q-learning by self-play | the optimum, from episodes |
//!
//! [`METHODS`] is the one list of them: to add a method, add a file and an entry.

pub mod evaluation;
pub mod exact;
pub mod monte_carlo;
pub mod policy_iteration;
pub mod q_learning;
pub mod setting;
pub mod step;
pub mod td;
pub mod td_lambda;
pub mod value_iteration;
pub mod watch;

use serde::Serialize;
use tesuji_core::Stream;

pub use setting::{Setting, SettingError};
pub use step::StepSize;
pub use watch::{Learned, Point, Watch};

/// Sweeps stop when no value changes by more.
const TOLERANCE: f64 = 1e-13;

/// What a method looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The values of states if both sides play at random.
    RandomPolicy,
    /// The values of states if both sides play as well as can be.
    Optimum,
}

/// What eligibility traces do when a state recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traces {
    /// Add 1.
    Accumulating,
    /// Begin again at 1.
    Replacing,
}

/// What a method counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Passes over all states.
    Sweeps,
    /// Evaluations and improvements of a policy.
    Iterations,
    /// Games.
    Episodes,
}

impl Unit {
    /// The unit in a table's head.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Sweeps => "sweeps",
            Unit::Iterations => "iterations",
            Unit::Episodes => "episodes",
        }
    }
}

/// The parameters of the methods; each uses those that [`TabularMethod::options`] names.
#[derive(Clone, Debug, PartialEq)]
pub struct TabularOptions {
    /// How many games to learn from.
    pub episodes: u64,
    /// The step size; `None` is the method's own ([`TabularMethod::alpha`]).
    pub alpha: Option<StepSize>,
    /// The discount, above 0 and at most 1.
    pub gamma: f64,
    /// The share of long returns in TD(lambda), 0 to 1.
    pub lambda: f64,
    /// The n of n-step methods, at least 1.
    pub steps: usize,
    /// How often Q-learning plays at random, 0 to 1.
    pub epsilon: f64,
    /// What traces do when a state recurs.
    pub traces: Traces,
    /// Whether episodes begin at states drawn at random instead of at the start.
    pub exploring_starts: bool,
    /// The seed of the episodes.
    pub seed: u64,
}

impl Default for TabularOptions {
    fn default() -> TabularOptions {
        TabularOptions {
            episodes: 100_000,
            alpha: None,
            gamma: 1.0,
            lambda: 0.8,
            steps: 3,
            epsilon: 0.5,
            traces: Traces::Accumulating,
            exploring_starts: false,
            seed: 1,
        }
    }
}

impl TabularOptions {
    /// The step size: the mean, if neither the caller nor the method has named one.
    fn alpha(&self) -> StepSize {
        self.alpha.unwrap_or(StepSize::MEAN)
    }
}

/// A method, as the command line knows it.
#[derive(Clone, Copy)]
pub struct TabularMethod {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// What it repeats, in one line.
    pub formula: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// What it looks for.
    pub goal: Goal,
    /// The options that it heeds beside `gamma`.
    pub options: &'static [&'static str],
    /// Its own step size, if it has one.
    pub alpha: Option<StepSize>,
    learn: fn(&Setting, &TabularOptions, &mut Watch<'_>),
}

/// The options of every method that learns from games of the random policy.
const SAMPLED: &[&str] = &["episodes", "alpha", "exploring-starts", "seed"];
/// The step size of methods that learn from their own estimates.
const FORGETTING: Option<StepSize> = Some(StepSize::Visits { power: 0.7 });

/// The methods, in the order in which they are taught.
pub const METHODS: [TabularMethod; 9] = [
    TabularMethod {
        name: "evaluation",
        title: "policy evaluation by dynamic programming, of the random policy",
        formula: "V(s) = mean over actions of [R + gamma V(s')]",
        unit: Unit::Sweeps,
        goal: Goal::RandomPolicy,
        options: &[],
        alpha: None,
        learn: evaluation::learn,
    },
    TabularMethod {
        name: "first-visit",
        title: "Monte Carlo, the mean of the returns after first visits",
        formula: "V(s) += alpha [G - V(s)], G the return after the first visit to s in an episode",
        unit: Unit::Episodes,
        goal: Goal::RandomPolicy,
        options: SAMPLED,
        alpha: Some(StepSize::MEAN),
        learn: monte_carlo::first_visit,
    },
    TabularMethod {
        name: "every-visit",
        title: "Monte Carlo, the mean of the returns after all visits",
        formula: "V(s) += alpha [G - V(s)], G the return after a visit to s",
        unit: Unit::Episodes,
        goal: Goal::RandomPolicy,
        options: SAMPLED,
        alpha: Some(StepSize::MEAN),
        learn: monte_carlo::every_visit,
    },
    TabularMethod {
        name: "td0",
        title: "TD(0), temporal differences of one step",
        formula: "V(s) += alpha [R + gamma V(s') - V(s)]",
        unit: Unit::Episodes,
        goal: Goal::RandomPolicy,
        options: SAMPLED,
        alpha: FORGETTING,
        learn: td::td0,
    },
    TabularMethod {
        name: "n-step",
        title: "temporal differences of n steps (--steps)",
        formula: "V(s) += alpha [R1 + gamma R2 + ... + gamma^(n-1) Rn + gamma^n V(sn) - V(s)]",
        unit: Unit::Episodes,
        goal: Goal::RandomPolicy,
        options: &["episodes", "alpha", "steps", "exploring-starts", "seed"],
        alpha: FORGETTING,
        learn: td::n_step,
    },
    TabularMethod {
        name: "td-lambda",
        title: "TD(lambda), eligibility traces (--lambda, --traces)",
        formula: "V(s) += alpha z(s) [R + gamma V(s') - V(st)] for all s, z(s) falling by gamma lambda a step",
        unit: Unit::Episodes,
        goal: Goal::RandomPolicy,
        options: &["episodes", "alpha", "lambda", "traces", "exploring-starts", "seed"],
        alpha: FORGETTING,
        learn: td_lambda::learn,
    },
    TabularMethod {
        name: "policy-iteration",
        title: "evaluate a policy, improve it, and so on to the optimum",
        formula: "V(s) = [R + gamma V(s')] for the policy's action; then the policy takes the best action",
        unit: Unit::Iterations,
        goal: Goal::Optimum,
        options: &[],
        alpha: None,
        learn: policy_iteration::learn,
    },
    TabularMethod {
        name: "value-iteration",
        title: "the best action of each state, sweep by sweep",
        formula: "V(s) = best over actions of [R + gamma V(s')]",
        unit: Unit::Sweeps,
        goal: Goal::Optimum,
        options: &[],
        alpha: None,
        learn: value_iteration::learn,
    },
    TabularMethod {
        name: "q-learning",
        title: "Q-learning by self-play (--epsilon)",
        formula: "Q(s,a) += alpha [R + gamma best Q(s',a') - Q(s,a)]",
        unit: Unit::Episodes,
        goal: Goal::Optimum,
        options: &["episodes", "alpha", "epsilon", "exploring-starts", "seed"],
        alpha: Some(StepSize::Constant(0.5)),
        learn: q_learning::learn,
    },
];

/// What came of a method: how it converged, and what it knows in the end.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The errors over time, the last at the end.
    pub points: Vec<Point>,
    /// What the method knows in the end.
    pub learned: Learned,
    /// What it should know.
    pub exact: Vec<f64>,
}

impl TabularMethod {
    /// The method of this name.
    pub fn named(name: &str) -> Option<&'static TabularMethod> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// Lets the method learn; `progress` is told every sweep, iteration or episode.
    pub fn teach(&self, setting: &Setting, options: &TabularOptions, progress: &mut dyn FnMut(u64)) -> Lesson {
        let options = TabularOptions { alpha: options.alpha.or(self.alpha), ..options.clone() };
        let mut watch = Watch::new(setting, self.goal, options.gamma, progress);
        (self.learn)(setting, &options, &mut watch);
        Lesson { points: watch.points, learned: watch.learned, exact: watch.exact }
    }
}

/// Where an episode begins, and its random numbers.
fn begin(setting: &Setting, options: &TabularOptions, number: u64) -> (usize, Stream) {
    let mut random = Stream::new(options.seed, "episode", number);
    let start = match options.exploring_starts {
        true => setting.open()[random.below(setting.open().len())],
        false => setting.start,
    };
    (start, random)
}

/// The states of an episode of the random policy: the same for every method.
fn episode(setting: &Setting, options: &TabularOptions, number: u64) -> Vec<usize> {
    let (start, mut random) = begin(setting, options, number);
    setting.random_episode(start, &mut random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::{GameRules, MoveList, Position, Rules, game};
    use tesuji_games::connect4::Connect4;
    use tesuji_games::tictactoe::TicTacToe;

    /// The whole of tic-tac-toe.
    pub fn tictactoe() -> Setting {
        Setting::of_game(&TicTacToe::new(Rules::Official).start(), 10_000).unwrap()
    }

    /// Tic-tac-toe with seven squares left.
    pub fn late_tictactoe() -> Setting {
        let game = TicTacToe::new(Rules::Official);
        Setting::of_game(&game::parse_line(&game, "b2 a1").unwrap(), 10_000).unwrap()
    }

    /// The end of a game of connect four that fills much of the board.
    pub fn late_connect4() -> Setting {
        let play = |seed| {
            let mut position = Connect4::new(Rules::Official).start();
            let (mut random, mut moves) = (Stream::new(seed, "test", 0), MoveList::new());
            while position.ply() < 30 && position.expand(&mut moves).is_none() {
                position.play(moves[random.below(moves.len())]);
            }
            position.outcome().is_none().then_some(position)
        };
        let position = (0..1000).find_map(play).expect("a long game");
        Setting::of_game(&position, 10_000).unwrap()
    }

    fn teach(method: &str, setting: &Setting, options: &TabularOptions) -> Lesson {
        TabularMethod::named(method).expect("a method").teach(setting, options, &mut |_| {})
    }

    /// How a method converges.
    pub fn watched(method: &str, setting: &Setting, options: &TabularOptions) -> Vec<Point> {
        teach(method, setting, options).points
    }

    /// What a method learns.
    pub fn learned(method: &str, setting: &Setting, options: &TabularOptions) -> Learned {
        teach(method, setting, options).learned
    }

    /// The values that a method learns.
    pub fn values(method: &str, setting: &Setting, options: &TabularOptions) -> Vec<f64> {
        learned(method, setting, options).values
    }

    /// A method that evaluates the random policy comes near the exact values: on the walk, with and without discount;
    /// at the end of tic-tac-toe; and on the whole of it, where many states are rare.
    #[track_caller]
    pub fn assert_learns_random_play(method: &str, options: &TabularOptions) {
        for gamma in [1.0, 0.95] {
            let options = TabularOptions { episodes: 20_000, gamma, ..options.clone() };
            let last = watched(method, &Setting::walk(19).unwrap(), &options).pop().unwrap();
            assert!(last.largest < 0.05 && last.rms < 0.025 && last.seen == 19, "{method}: {last:?}");
        }
        let setting = late_tictactoe();
        let options = TabularOptions { episodes: 200_000, exploring_starts: true, ..options.clone() };
        let last = watched(method, &setting, &options).pop().unwrap();
        assert!(last.largest < 0.25 && last.rms < 0.05 && last.seen == setting.open().len(), "{method}: {last:?}");
        let setting = tictactoe();
        let lesson = teach(method, &setting, &TabularOptions { exploring_starts: false, ..options });
        let last = lesson.points.last().unwrap();
        assert!((last.start - lesson.exact[setting.start]).abs() < 0.02 && last.rms < 0.1, "{method}: {last:?}");
    }

    #[test]
    fn the_same_seed_teaches_the_same() {
        let setting = Setting::walk(9).unwrap();
        for method in METHODS {
            let options = |seed| TabularOptions { episodes: 30, seed, ..TabularOptions::default() };
            let [a, b, c] = [1, 1, 2].map(|seed| values(method.name, &setting, &options(seed)));
            assert_eq!(a, b, "{}", method.name);
            assert_eq!(a != c, method.unit == Unit::Episodes, "{}", method.name);
        }
    }

    #[test]
    fn every_method_makes_progress_on_the_end_of_a_greater_game() {
        let setting = late_connect4();
        for method in METHODS {
            let options = TabularOptions { episodes: 5_000, exploring_starts: true, ..TabularOptions::default() };
            let points = watched(method.name, &setting, &options);
            let (first, last) = (&points[0], points.last().unwrap());
            assert!(last.rms < 0.3 * first.rms, "{}: {first:?} {last:?}", method.name);
        }
    }
}
