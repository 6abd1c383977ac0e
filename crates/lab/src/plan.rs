//! A reproduction at a scale, worked out: every run, match and measurement by name, in order.

use crate::error::LabError;
use crate::file::{Axis, Data, Match, Measure, Reproduction, Scale, Step, Train, belongs};
use crate::template::{Values, references, scalar};
use std::collections::BTreeSet;
use tesuji_core::Budget;

/// One thing that is done.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name, which is that of its files.
    pub id: String,
    /// The step that it belongs to.
    pub step: String,
    /// Where it stands on the step's axes.
    pub labels: Vec<(String, String)>,
    /// The jobs whose results it needs.
    pub after: Vec<String>,
    /// How much work it is beside the others.
    pub weight: f64,
    /// What is done.
    pub work: Work,
}

/// What a job does. Texts may still refer to other jobs.
#[derive(Clone, Debug)]
pub enum Work {
    /// A training run.
    Train {
        /// The experiment.
        experiment: String,
        /// Changes of it.
        set: Vec<String>,
        /// How long.
        budget: String,
    },
    /// A match.
    Match(Conditions),
    /// A data set.
    Data {
        /// A set that is there already; empty if it is to be made.
        place: String,
        /// Who plays itself.
        conditions: Conditions,
        /// The probability with which a position is kept.
        keep: f64,
    },
    /// Move paths by depth.
    States {
        /// The position.
        position: String,
        /// The greatest depth.
        depth: u32,
    },
    /// Policy and visits.
    Opinion {
        /// The position.
        position: String,
        /// Who is asked.
        agent: String,
    },
}

impl Work {
    /// The lines of players that are foreign programs.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        let players: &[String] = match self {
            Work::Match(conditions) | Work::Data { conditions, .. } => &conditions.players,
            Work::Opinion { agent, .. } => std::slice::from_ref(agent),
            Work::Train { .. } | Work::States { .. } => &[],
        };
        players.iter().map(String::as_str).filter(|line| line.starts_with("engine:"))
    }
}

/// The conditions of games.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The players.
    pub players: [String; 2],
    /// How many games.
    pub games: usize,
    /// Where they start.
    pub openings: String,
    /// What a player may spend on a move.
    pub budget: Budget,
    /// A game of so many plies is a draw.
    pub max_plies: Option<u32>,
    /// The seed.
    pub seed: u64,
}

/// Every job of a reproduction at a scale, each behind those that it needs.
///
/// # Errors
/// If a value is missing or no number, a name is taken twice, or a job needs one that does not come before it.
pub fn plan(file: &Reproduction, scale: Scale) -> Result<Vec<Job>, LabError> {
    let info = file.scales.get(&scale).ok_or_else(|| LabError::new(format!("{}: no scale {scale}", file.name)))?;
    let values = Values(info.values.clone().into_iter().collect());
    let mut jobs: Vec<Job> = Vec::new();
    for step in file.steps.iter().filter(|step| belongs(step.scales(), scale)) {
        let made = of_step(step, &values).map_err(|error| error.at(&format!("{}, step {}", file.name, step.name())))?;
        jobs.extend(made);
    }
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for job in &jobs {
        if let Some(missing) = job.after.iter().find(|name| !known.contains(name.as_str())) {
            return Err(LabError::new(format!(
                "{}: {} needs {missing}, which does not come before it",
                file.name, job.id
            )));
        }
        if !known.insert(&job.id) {
            return Err(LabError::new(format!("{}: two jobs are called {}", file.name, job.id)));
        }
    }
    Ok(jobs)
}

fn of_step(step: &Step, values: &Values) -> Result<Vec<Job>, LabError> {
    if let Step::Tournament(tournament) = step {
        let mut jobs = Vec::new();
        for (a, first) in tournament.players.iter().enumerate() {
            for second in &tournament.players[a + 1..] {
                let players = [values.fill(&first.line)?, values.fill(&second.line)?];
                let labels = vec![("a".to_owned(), first.name.clone()), ("b".to_owned(), second.name.clone())];
                let conditions = Conditions {
                    games: number(values, &tournament.games)?,
                    openings: values.fill(&tournament.openings)?,
                    max_plies: limit(values, &tournament.max_plies)?,
                    ..Conditions::of(players)
                };
                jobs.push(job(step.name(), labels, tournament.weight, Work::Match(conditions)));
            }
        }
        return Ok(jobs);
    }
    let mut jobs = Vec::new();
    for (labels, values) in points(step.over(), values)? {
        let (weight, work) = match step {
            Step::Train(step) => (step.weight, train(step, &values)?),
            Step::Match(step) | Step::Sweep(step) => (step.weight, a_match(step, &values)?),
            Step::Data(step) => (step.weight, data(step, &values)?),
            Step::Measure(step) => (0.2, measure(step, &values)?),
            Step::Tournament(_) => continue,
        };
        jobs.push(job(step.name(), labels, weight, work));
    }
    Ok(jobs)
}

/// A point of the axes: labels and values.
type Point = (Vec<(String, String)>, Values);

/// Every point of the axes.
fn points(axes: &[Axis], values: &Values) -> Result<Vec<Point>, LabError> {
    let mut points = vec![(Vec::new(), values.clone())];
    for axis in axes {
        let list = match &axis.values {
            toml::Value::String(name) => values.0.get(name.trim_matches(['{', '}'])),
            list => Some(list),
        };
        let Some(list) = list.and_then(toml::Value::as_array) else {
            return Err(LabError::new(format!("axis {}: its values are no list", axis.axis)));
        };
        let mut next = Vec::new();
        for (labels, values) in &points {
            for item in list {
                let (mut labels, mut values): Point = (labels.clone(), values.clone());
                let label = match item {
                    toml::Value::Table(table) => {
                        values.0.extend(table.clone());
                        table
                            .get("is")
                            .map(scalar)
                            .ok_or_else(|| LabError::new(format!("axis {}: a value has no `is`", axis.axis)))?
                    }
                    item => scalar(item),
                };
                values.0.insert(axis.axis.clone(), toml::Value::String(label.clone()));
                labels.push((axis.axis.clone(), label));
                next.push((labels, values));
            }
        }
        points = next;
    }
    Ok(points)
}

/// A job with its name and what it needs.
fn job(step: &str, labels: Vec<(String, String)>, weight: f64, work: Work) -> Job {
    let mut id = step.to_owned();
    for (_, label) in &labels {
        id.push('-');
        id.extend(
            label.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '_' }),
        );
    }
    let texts: Vec<&String> = match &work {
        Work::Train { experiment, set, .. } => set.iter().chain([experiment]).collect(),
        Work::Match(conditions) => conditions.players.iter().collect(),
        Work::Data { conditions, .. } => conditions.players.iter().collect(),
        Work::Opinion { agent, .. } => vec![agent],
        Work::States { .. } => Vec::new(),
    };
    let mut after: Vec<String> =
        texts.into_iter().flat_map(|text| references(text)).map(|reference| reference.job).collect();
    after.sort();
    after.dedup();
    Job { id, step: step.to_owned(), labels, after, weight, work }
}

impl Conditions {
    fn of(players: [String; 2]) -> Conditions {
        Conditions {
            players,
            games: 0,
            openings: "random:2".to_owned(),
            budget: Budget::UNLIMITED,
            max_plies: None,
            seed: 1,
        }
    }
}

fn train(step: &Train, values: &Values) -> Result<Work, LabError> {
    Ok(Work::Train {
        experiment: values.fill(&step.experiment)?,
        set: values.fill_list(&step.set)?,
        budget: values.fill(&step.budget)?,
    })
}

fn a_match(step: &Match, values: &Values) -> Result<Work, LabError> {
    let [a, b] = &step.players;
    Ok(Work::Match(Conditions {
        games: number(values, &step.games)?,
        openings: values.fill(&step.openings)?,
        budget: budget(values, &step.budget)?,
        max_plies: limit(values, &step.max_plies)?,
        ..Conditions::of([values.fill(a)?, values.fill(b)?])
    }))
}

fn data(step: &Data, values: &Values) -> Result<Work, LabError> {
    let player = values.fill(&step.player)?;
    let games = if step.place.is_empty() { number(values, &step.games)? } else { 0 };
    let conditions = Conditions {
        games,
        openings: "random:4".to_owned(),
        budget: budget(values, &step.budget)?,
        max_plies: limit(values, &step.max_plies)?,
        seed: step.seed + 1,
        ..Conditions::of([player.clone(), player])
    };
    Ok(Work::Data { place: values.fill(&step.place)?, conditions, keep: step.keep })
}

fn measure(step: &Measure, values: &Values) -> Result<Work, LabError> {
    let position = values.fill(&step.position)?;
    Ok(match step.what {
        crate::file::What::States => Work::States { position, depth: number(values, &step.depth)? },
        crate::file::What::Opinion => Work::Opinion { position, agent: values.fill(&step.agent)? },
    })
}

fn number<T: std::str::FromStr>(values: &Values, text: &str) -> Result<T, LabError> {
    let filled = values.fill(text)?;
    filled.parse().map_err(|_| LabError::new(format!("{filled:?} is no number")))
}

fn budget(values: &Values, text: &str) -> Result<Budget, LabError> {
    let filled = values.fill(text)?;
    if filled.is_empty() {
        return Ok(Budget::UNLIMITED);
    }
    filled.parse().map_err(|error: tesuji_core::ParseError| LabError::new(error.to_string()))
}

fn limit(values: &Values, text: &str) -> Result<Option<u32>, LabError> {
    if text.is_empty() { Ok(None) } else { number(values, text).map(Some) }
}
