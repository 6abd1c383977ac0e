//! What came out of the jobs, with every number by name.

use serde::{Deserialize, Serialize};
use tesuji_arena::matches::{GameResult, MatchSpec, Summary};
use tesuji_core::{Outcome, Side};
use tesuji_learn::Experiment;
use tesuji_learn::data::DataSetInfo;
use tesuji_learn::report::generations;
use tesuji_learn::run::ledger::{self, Phase};
use tesuji_learn::run::{Event, GenerationEvent};
use tesuji_report::{Measure, Quantity};

use crate::standing::Standing;

/// The result of a job, or of a player of a tournament.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The step.
    pub step: String,
    /// Where it stands on the step's axes.
    pub labels: Vec<(String, String)>,
    /// Whether it depends on clocks or foreign programs.
    pub timed: bool,
    /// What came out.
    pub data: Data,
}

/// What came out of a job.
#[derive(Clone, Debug)]
pub enum Data {
    /// A training run.
    Run {
        /// The job's name.
        id: String,
        /// What was run.
        experiment: Box<Experiment>,
        /// What happened.
        events: Vec<Event>,
        /// What it cost.
        costs: Vec<ledger::Entry>,
    },
    /// A match.
    Match {
        /// Its conditions.
        spec: Box<MatchSpec>,
        /// Its games, by number.
        results: Vec<GameResult>,
    },
    /// A data set.
    Set(DataSetInfo),
    /// Move paths by depth, from 1.
    States(Vec<u64>),
    /// Policy and visits.
    Opinion(Opinion),
    /// A player of a tournament.
    Player(Standing),
}

/// What an agent thinks of a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// The position.
    pub position: String,
    /// The board, in letters.
    pub board: String,
    /// The move that it would play.
    pub best: String,
    /// Every move, the most probable first.
    pub thoughts: Vec<Thought>,
}

/// A move and what is thought of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thought {
    /// The move.
    pub mv: String,
    /// Its probability by the network.
    pub prior: f64,
    /// Simulations through it.
    pub visits: u64,
}

/// The numbers of a match that go into every report.
const OF_MATCH: &[&str] = &["win-share", "score", "plies", "cpu-ms", "games"];
/// The numbers of a run that go into every report.
const OF_RUN: &[&str] = &[
    "games",
    "steps",
    "generations",
    "plies",
    "policy-loss",
    "value-loss",
    "total-loss",
    "policy-accuracy",
    "value-accuracy",
    "top1",
    "top5",
    "value-error",
    "cpu-minutes",
];

impl Entry {
    /// Its name: `step[axis=label, ...]`.
    pub fn name(&self) -> String {
        if self.labels.is_empty() {
            return self.step.clone();
        }
        let labels: Vec<String> = self.labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        format!("{}[{}]", self.step, labels.join(", "))
    }

    /// The label on an axis.
    pub fn label(&self, axis: &str) -> Option<&str> {
        self.labels.iter().find(|(known, _)| known == axis).map(|(_, label)| label.as_str())
    }

    /// The numbers that go into every report.
    pub fn measures(&self) -> impl Iterator<Item = (String, Measure)> + '_ {
        let names: &[&str] = match &self.data {
            Data::Match { .. } => OF_MATCH,
            Data::Run { .. } => OF_RUN,
            Data::Player(_) => &["elo", "cpu-ms"],
            Data::Set(_) => &["games", "positions", "first-share", "draw-share", "second-share"],
            Data::States(_) | Data::Opinion(_) => &[],
        };
        names.iter().filter_map(|name| Some((format!("{}.{name}", self.name()), self.metric(name)?)))
    }

    /// A number by name; `None` if there is no such number here.
    pub fn metric(&self, name: &str) -> Option<Measure> {
        let (quantity, by_clock) = match &self.data {
            Data::Run { events, costs, .. } => of_run(name, events, costs)?,
            Data::Match { results, .. } => of_match(name, results)?,
            Data::Set(set) => (of_set(name, set)?, false),
            Data::States(counts) => {
                let depth: usize = name.strip_prefix("depth-")?.parse().ok()?;
                (Quantity::Exact(*counts.get(depth.checked_sub(1)?)? as f64), false)
            }
            Data::Opinion(opinion) => (of_opinion(name, opinion)?, false),
            Data::Player(standing) => standing.metric(name)?,
        };
        Some(Measure { quantity, timed: self.timed || by_clock })
    }
}

/// A number of a generation by name.
pub fn of_generation(name: &str, event: &GenerationEvent) -> Option<f64> {
    match name {
        "policy-loss" => event.policy_loss.map(f64::from),
        "kl" => event.divergence.map(f64::from),
        "value-loss" => Some(f64::from(event.value_loss)),
        "total-loss" => Some(f64::from(event.total_loss)),
        "policy-accuracy" => event.policy_accuracy.map(f64::from),
        "value-accuracy" => Some(f64::from(event.value_accuracy)),
        "plies" => Some(event.play.mean_plies).filter(|_| event.play.games > 0),
        "top1" => event.test?.top1,
        "top5" => event.test?.top5,
        "cross-entropy" => event.test?.cross_entropy,
        "value-error" => event.test.map(|test| test.value_error),
        _ => None,
    }
}

fn of_run(name: &str, events: &[Event], costs: &[ledger::Entry]) -> Option<(Quantity, bool)> {
    let all: Vec<&GenerationEvent> = generations(events).collect();
    let spent = |what: fn(&ledger::Entry) -> f64| -> f64 {
        costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(what).sum()
    };
    let exact = |value: f64| Some((Quantity::Exact(value), false));
    let single = |value: f64| Some((Quantity::Single(value), false));
    let clock = |value: f64| Some((Quantity::Exact(value), true));
    let played: u64 = all.iter().map(|event| event.play.games).sum();
    let positions: u64 = all.iter().map(|event| event.play.positions).sum();
    // Lengths are means of games of one run: they tell nothing of other runs.
    let mean_plies = |events: &[&GenerationEvent]| {
        let games: u64 = events.iter().map(|event| event.play.games).sum();
        let plies: f64 = events.iter().map(|event| event.play.games as f64 * event.play.mean_plies).sum();
        (games > 0).then(|| plies / games as f64)
    };
    match name {
        "games" => exact(played as f64),
        "positions" => exact(positions as f64),
        "generations" => exact(all.len() as f64),
        "steps" => exact(all.last().map_or(0.0, |event| event.step as f64)),
        "mates" => exact(all.iter().map(|event| event.play.mates).sum::<u64>() as f64),
        // Generations are the measurements: their games share a network.
        "plies" => {
            let plies: Vec<f64> = all.iter().filter_map(|event| of_generation("plies", event)).collect();
            Some((Quantity::of(&plies)?, false))
        }
        "games-a-minute" => clock(played as f64 / (spent(|entry| entry.cpu) / 60.0).max(1e-9)),
        "plies-first" => single(mean_plies(all.get(..1)?)?),
        "plies-later" => single(mean_plies(all.get(1..)?)?),
        "plies-shortest" => {
            exact(all.iter().filter(|event| event.play.games > 0).map(|event| event.play.plies[0]).min()? as f64)
        }
        "plies-longest" => exact(all.iter().map(|event| event.play.plies[1]).max()? as f64),
        "test-positions" => exact(all.last()?.test?.positions as f64),
        "minutes" => clock(spent(|entry| entry.wall) / 60.0),
        "cpu-minutes" => clock(spent(|entry| entry.cpu) / 60.0),
        "cpu-hours" => clock(spent(|entry| entry.cpu) / 3600.0),
        "seconds-a-move" => clock(spent(|entry| entry.wall) / positions.max(1) as f64),
        "minutes-a-game" => clock(spent(|entry| entry.wall) / 60.0 / played.max(1) as f64),
        "memory-mb" => clock(costs.iter().map(|entry| entry.peak_memory).max()? as f64 / 1e6),
        _ => single(of_generation(name, all.last()?)?),
    }
}

fn of_match(name: &str, results: &[GameResult]) -> Option<(Quantity, bool)> {
    let summary = Summary::of(results);
    let share =
        |hits: u64, of: u64| Some((Quantity::Share { hits: hits as f64, of: of as f64 }, false)).filter(|_| of > 0);
    let count = |value: u64| Some((Quantity::Exact(value as f64), false));
    let (all, first) = (summary.score, summary.score_first);
    let mean = |what: &dyn Fn(&GameResult) -> Option<f64>, timed: bool| {
        Some((Quantity::of(&results.iter().filter_map(what).collect::<Vec<_>>())?, timed))
    };
    let each = |player: usize, what: fn(&tesuji_arena::cost::Cost) -> f64| {
        move |result: &GameResult| {
            let cost = &result.costs[player];
            (cost.moves > 0).then(|| what(cost) / cost.moves as f64)
        }
    };
    let second = all.games() - first.games();
    match name {
        "games" => count(all.games()),
        "wins" => count(all.wins),
        "draws" => count(all.draws),
        "losses" => count(all.losses),
        "first-wins" => count(first.wins),
        "first-draws" => count(first.draws),
        "first-losses" => count(first.losses),
        "second-wins" => count(all.wins - first.wins),
        "second-draws" => count(all.draws - first.draws),
        "second-losses" => count(all.losses - first.losses),
        "win-share" => share(all.wins, all.games()),
        "loss-share" => share(all.losses, all.games()),
        "draw-share" => share(all.draws, all.games()),
        "first-win-share" => share(first.wins, first.games()),
        "second-win-share" => share(all.wins - first.wins, second),
        "white-share" => {
            let white = results.iter().filter(|result| result.outcome == Outcome::Win(Side::First)).count();
            share(white as u64, all.games())
        }
        "black-share" => {
            let black = results.iter().filter(|result| result.outcome == Outcome::Win(Side::Second)).count();
            share(black as u64, all.games())
        }
        "score" => {
            let hits = all.wins as f64 + 0.5 * all.draws as f64;
            Some((Quantity::Share { hits, of: all.games() as f64 }, false)).filter(|_| all.games() > 0)
        }
        "plies" => mean(&|result| Some(result.moves.len() as f64), false),
        "minutes" => mean(&|result| Some(result.costs.iter().map(|cost| cost.wall).sum::<f64>() / 60.0), true),
        "cpu-ms" => mean(&each(0, |cost| 1e3 * cost.cpu), true),
        "opponent-cpu-ms" => mean(&each(1, |cost| 1e3 * cost.cpu), true),
        "seconds" => mean(&each(0, |cost| cost.wall), true),
        "early-seconds" => mean(&|result| of_third(result, 0), true),
        "late-seconds" => mean(&|result| of_third(result, 2), true),
        "nodes" => mean(&each(0, |cost| cost.nodes as f64), false),
        _ => None,
    }
}

/// Seconds a move of the player named first, in a third of a game.
fn of_third(result: &GameResult, third: usize) -> Option<f64> {
    let own: Vec<f64> =
        result.spent.iter().filter(|spent| spent.side == result.side_of(0)).map(|spent| spent.wall).collect();
    let part = own.len() / 3;
    let chosen = own.get(third * part..(third + 1) * part)?;
    (!chosen.is_empty()).then(|| chosen.iter().sum::<f64>() / chosen.len() as f64)
}

fn of_set(name: &str, set: &DataSetInfo) -> Option<Quantity> {
    let counts = &set.counts;
    let games: u64 = counts.outcomes.iter().sum();
    let share = |place: usize| Quantity::Share { hits: counts.outcomes[place] as f64, of: games.max(1) as f64 };
    Some(match name {
        "games" => Quantity::Exact(counts.games as f64),
        "positions" => Quantity::Exact(counts.kept as f64),
        "kept-share" => Quantity::Exact(counts.kept as f64 / counts.positions.max(1) as f64),
        "first-share" => share(0),
        "draw-share" => share(1),
        "second-share" => share(2),
        _ => return None,
    })
}

/// `prior:MOVE`, `visits:MOVE`, `rank:MOVE`.
fn of_opinion(name: &str, opinion: &Opinion) -> Option<Quantity> {
    let (what, mv) = name.split_once(':')?;
    let place = opinion.thoughts.iter().position(|thought| thought.mv == mv)?;
    let thought = &opinion.thoughts[place];
    Some(match what {
        "prior" => Quantity::Single(thought.prior),
        "visits" => Quantity::Single(thought.visits as f64),
        "rank" => Quantity::Single(place as f64 + 1.0),
        _ => return None,
    })
}
