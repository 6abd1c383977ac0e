//! The one list of methods.

use super::options::{Goal, TabularOptions};
use super::setting::Setting;
use super::step::StepSize;
use super::watch::{Learned, Point, Watch};
use super::{evaluation, monte_carlo, policy_iteration, q_learning, td, td_lambda, value_iteration};
use serde::Serialize;

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
