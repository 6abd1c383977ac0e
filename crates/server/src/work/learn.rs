//! A tabular method learns on a small game, step by step.

use super::search::open;
use crate::app::App;
use crate::jobs::list::Part;
use crate::jobs::{Job, Kind};
use crate::played::Line;
use crate::problem::{Answer, Problem};
use cpu_time::ThreadTime;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tesuji_learn::tabular::{METHODS, Setting, TabularMethod, TabularOptions, Unit};

/// States that a table may have.
const MOST_STATES: usize = 10_000;
/// Episodes that a lesson may have.
const MOST_EPISODES: u64 = 200_000;

/// Which method learns from where.
#[derive(Deserialize)]
pub struct LearnInput {
    #[serde(flatten)]
    line: Line,
    method: String,
    #[serde(default = "episodes")]
    episodes: u64,
    #[serde(default)]
    alpha: Option<String>,
    #[serde(default = "one")]
    gamma: f64,
    #[serde(default)]
    lambda: Option<f64>,
    #[serde(default)]
    steps: Option<usize>,
    #[serde(default)]
    epsilon: Option<f64>,
    #[serde(default)]
    exploring_starts: bool,
    #[serde(default = "seed")]
    seed: u64,
}

fn episodes() -> u64 {
    20_000
}

fn one() -> f64 {
    1.0
}

fn seed() -> u64 {
    1
}

/// The methods, documented.
pub fn methods() -> Vec<Value> {
    let methods = METHODS.iter().map(|method| {
        json!({
            "name": method.name, "title": method.title, "formula": method.formula, "unit": method.unit,
            "goal": method.goal, "options": method.options, "alpha": method.alpha.map(|alpha| alpha.to_string()),
        })
    });
    methods.collect()
}

impl LearnInput {
    fn options(&self) -> Answer<TabularOptions> {
        let usual = TabularOptions::default();
        let within = |name: &str, value: f64, low: f64| {
            let fits = value >= low && value <= 1.0;
            if fits { Ok(value) } else { Err(Problem::bad(format!("{name}: expected {low} to 1"))) }
        };
        if !(1..=MOST_EPISODES).contains(&self.episodes) {
            return Err(Problem::bad(format!("episodes: expected 1 to {MOST_EPISODES}")));
        }
        let steps = self.steps.unwrap_or(usual.steps);
        if !(1..=100).contains(&steps) {
            return Err(Problem::bad("steps: expected 1 to 100"));
        }
        Ok(TabularOptions {
            episodes: self.episodes,
            alpha: self.alpha.as_deref().map(str::parse).transpose()?,
            gamma: within("gamma", self.gamma, 0.01)?,
            lambda: within("lambda", self.lambda.unwrap_or(usual.lambda), 0.0)?,
            steps,
            epsilon: within("epsilon", self.epsilon.unwrap_or(usual.epsilon), 0.0)?,
            exploring_starts: self.exploring_starts,
            seed: self.seed,
            ..usual
        })
    }

    /// Begins the lesson.
    pub fn start(self, app: &Arc<App>, tab: Option<&str>) -> Answer<Arc<Job>> {
        let options = self.options()?;
        let known = || Problem::bad(format!("method: no {:?}; GET /api/learn lists them", self.method));
        let method = TabularMethod::named(&self.method).ok_or_else(known)?;
        let played = open(&self.line)?;
        let setting = Setting::of_position(played.position.as_ref(), MOST_STATES);
        let setting = setting.map_err(|error| Problem::bad(error.to_string()))?;
        let result = json!({ "method": method.name, "position": self.line, "frames": [], "points": [] });
        let part: Part = Box::new(move |job| teach(method, &setting, &options, job));
        app.jobs.start(Kind::Learn, tab, result, vec![part]).map_err(Problem::conflict)
    }
}

/// Lets the method learn for 1, 2, 5, 10, 20 ... episodes: the same episodes, so each frame goes on where the last one ended.
fn teach(method: &TabularMethod, setting: &Setting, options: &TabularOptions, job: &Job) -> Result<(), String> {
    let clock = ThreadTime::now();
    let round = (0..6).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power)));
    let mut counts: Vec<u64> = round.filter(|&count| count < options.episodes).chain([options.episodes]).collect();
    if method.unit != Unit::Episodes {
        // Sweeps go on until nothing changes, whatever is asked for.
        counts = vec![options.episodes];
    }
    for (number, &episodes) in counts.iter().enumerate() {
        if job.is_stopped() {
            return Ok(());
        }
        let lesson = method.teach(setting, &TabularOptions { episodes, ..options.clone() }, &mut |_| {});
        let targets = |values: &[f64]| setting.targets(setting.start, values, options.gamma).collect::<Vec<f64>>();
        let (learned, exact) = (targets(&lesson.learned.values), targets(&lesson.exact));
        let moves: Vec<Value> = setting
            .moves
            .iter()
            .zip(learned.iter().zip(&exact))
            .map(|(mv, (learned, exact))| json!({ "move": mv, "learned": learned, "exact": exact }))
            .collect();
        let point = lesson.points.last();
        let frame = json!({ "count": point.map(|point| point.count), "point": point, "moves": moves });
        job.update(|status| {
            if let Some(frames) = status.result["frames"].as_array_mut() {
                frames.push(frame);
            }
            status.result["points"] = json!(lesson.points);
            status.cost.cpu = clock.elapsed().as_secs_f64();
            status.progress = Some((number + 1) as f64 / counts.len() as f64);
        });
    }
    Ok(())
}
