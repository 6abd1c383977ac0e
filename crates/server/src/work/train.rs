//! Runs: begin, go on, stop. A run is a directory, as `tesuji train` makes it, so either can go on with the other's.
//!
//! `.serve/NAME.json` in the directory of runs says which runs were under way: the next start of the server goes on with
//! them.

use super::files;
use crate::app::{App, cores};
use crate::jobs::list::Part;
use crate::jobs::{Job, Kind};
use crate::networks::{self, RunPlace, opaque};
use crate::problem::{Answer, Problem};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use tesuji_learn::experiments::BUILT_IN;
use tesuji_learn::run::{Fresh, Progress, RunConditions, StopRule};
use tesuji_learn::train::train;
use tesuji_learn::{Experiment, run};

/// Where it is noted which runs are under way.
const NOTES: &str = ".serve";

/// A run to begin or to go on with.
#[derive(Deserialize)]
pub struct TrainInput {
    /// An experiment that comes with the program, for a new run.
    #[serde(default)]
    experiment: Option<String>,
    /// What the new run is called.
    #[serde(default)]
    name: Option<String>,
    /// The id of a run that is to go on.
    #[serde(default)]
    run: Option<String>,
    /// How long: `10m`, or a number of generations.
    #[serde(default)]
    budget: Option<String>,
    /// Numbers of the experiment that are changed. Only numbers: texts may name files and programs.
    #[serde(default)]
    set: Map<String, Value>,
    #[serde(default)]
    threads: Option<usize>,
}

/// What is to be done with a run, as it is noted.
#[derive(Clone, Serialize, Deserialize)]
struct Note {
    budget: Option<String>,
    threads: Option<usize>,
}

/// Whether a text can name a run.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=48).contains(&text.len()) && text.bytes().all(plain) && !text.starts_with('-')
}

fn note_path(app: &App, name: &str) -> PathBuf {
    app.options.runs.join(NOTES).join(format!("{name}.json"))
}

impl TrainInput {
    /// Begins or goes on.
    pub fn start(self, app: &Arc<App>) -> Answer<Arc<Job>> {
        if let Some(budget) = &self.budget {
            budget.parse::<StopRule>()?;
        }
        let note = Note { budget: self.budget.clone(), threads: self.threads };
        let (place, experiment) = match (&self.run, &self.experiment) {
            (Some(id), None) => {
                let place = networks::run(app, id)?;
                if run::is_at_work(&place.root) {
                    return Err(Problem::conflict("the run is at work already"));
                }
                let experiment = Experiment::of_run(&place.root).map_err(|error| Problem::bad(error.to_string()))?;
                (place, experiment.ok_or_else(|| Problem::missing("no such run"))?)
            }
            (None, Some(name)) => self.fresh(app, name)?,
            _ => return Err(Problem::bad("expected either experiment, for a new run, or run, to go on with one")),
        };
        if let Some((key, _)) = experiment.programs(&place.root).first() {
            // The directory of a new run is empty yet; that of another one stays.
            let _ = fs::remove_dir(&place.root);
            return Err(Problem::bad(format!(
                "{key} names a program; work on this run by `tesuji train --allow-engines`"
            )));
        }
        let io = |error: std::io::Error| Problem::internal(format!("cannot note the run: {error}"));
        fs::create_dir_all(app.options.runs.join(NOTES)).map_err(io)?;
        files::write(&note_path(app, &place.name), &note).map_err(io)?;
        start(app, place, experiment, note)
    }

    /// A new run in a directory of its own.
    fn fresh(&self, app: &App, asked: &str) -> Answer<(RunPlace, Experiment)> {
        let known = |name: &str| BUILT_IN.iter().any(|(known, _)| *known == name);
        if !known(asked.split('/').next().unwrap_or_default()) || asked.matches('/').count() > 1 {
            return Err(Problem::bad("experiment: no such experiment; GET /api/experiments lists them"));
        }
        let mut changes = Vec::new();
        for (key, value) in &self.set {
            if !value.is_number() {
                return Err(Problem::bad(format!("set: {key}: only numbers can be changed here")));
            }
            changes.push(format!("{key}={value}"));
        }
        let found = Experiment::load(asked, &changes).map_err(|error| Problem::bad(error.to_string()))?;
        let name = self.name.clone().unwrap_or(found.name);
        if !is_name(&name) {
            return Err(Problem::bad("name: expected 1 to 48 lower-case letters, digits and hyphens"));
        }
        let io = |error: std::io::Error| Problem::internal(format!("cannot make the run: {error}"));
        let name = files::take_free(&app.options.runs, &name).map_err(io)?;
        let root = app.options.runs.join(&name);
        Ok((RunPlace { id: opaque('r', &name), name, root }, found.experiment))
    }
}

/// Notes that a run is not to go on at the next start, also if it has not begun yet.
pub fn forget(app: &App, id: &str) {
    if let Ok(place) = networks::run(app, id) {
        let _ = fs::remove_file(note_path(app, &place.name));
    }
}

/// Goes on with every run that was under way.
pub fn go_on(app: &Arc<App>) {
    let notes = fs::read_dir(app.options.runs.join(NOTES)).into_iter().flatten().flatten();
    let mut names: Vec<String> = notes
        .filter_map(|entry| entry.file_name().into_string().ok()?.strip_suffix(".json").map(str::to_owned))
        .filter(|name| is_name(name))
        .collect();
    names.sort();
    for name in names {
        let root = app.options.runs.join(&name);
        let note = files::read::<Note>(&note_path(app, &name));
        let experiment = Experiment::of_run(&root).ok().flatten();
        let (Some(note), Some(experiment)) = (note, experiment) else { continue };
        if experiment.programs(&root).is_empty() {
            let _ = start(app, RunPlace { id: opaque('r', &name), name, root }, experiment, note);
        }
    }
}

fn start(app: &Arc<App>, place: RunPlace, experiment: Experiment, note: Note) -> Answer<Arc<Job>> {
    let result =
        json!({ "run": place.id, "name": place.name, "game": experiment.game, "phase": "waiting", "notes": [] });
    let app_too = Arc::clone(app);
    let part: Part = Box::new(move |job| {
        let worked = work(&place, &experiment, &note, job);
        // A server that ends leaves the run to the next one.
        if !app_too.is_closing() {
            let _ = fs::remove_file(note_path(&app_too, &place.name));
        }
        worked
    });
    app.jobs.start(Kind::Train, None, result, vec![part]).map_err(Problem::conflict)
}

fn work(place: &RunPlace, experiment: &Experiment, note: &Note, job: &Arc<Job>) -> Result<(), String> {
    let kit = tesuji_registry::kit(&experiment.game, experiment.rules).map_err(|error| error.to_string())?;
    let extent = note.budget.as_deref().unwrap_or(&experiment.budget).parse::<StopRule>()?;
    let before: f64 = run::read_costs(&place.root).unwrap_or_default().iter().map(|entry| entry.cpu).sum();
    let mut spent = 0.0;
    let mut tell = |progress: Progress| {
        // The ledger is read when a generation or a match is done: it does not change in between.
        if matches!(progress, Progress::Generation(_) | Progress::Strength(_)) {
            let costs = run::read_costs(&place.root).unwrap_or_default();
            spent = costs.iter().map(|entry| entry.cpu).sum::<f64>() - before;
        }
        job.update(|status| {
            status.cost.cpu = f64::max(spent, 0.0);
            show(&mut status.result, progress);
        });
    };
    let fresh = Fresh::of(&place.root);
    let conditions = RunConditions {
        threads: note.threads.unwrap_or_else(cores).clamp(1, cores()),
        extent,
        accept_loss: false,
        stop: job.stop_flag(),
        progress: &mut tell,
    };
    let ended = train(kit.as_ref(), experiment, &place.root, conditions);
    let ended = ended.inspect_err(|_| fresh.undo()).map_err(|error| error.to_string())?;
    job.update(|status| {
        status.result["phase"] = if ended.stopped { "stopped" } else { "done" }.into();
        status.result["generation"] = ended.generation.into();
    });
    Ok(())
}

/// Writes down what a run says of itself.
fn show(result: &mut Value, progress: Progress) {
    let mut set = |pairs: Value| {
        for (key, value) in pairs.as_object().into_iter().flatten() {
            result[key] = value.clone();
        }
    };
    match progress {
        Progress::Note(text) => {
            if let Some(notes) = result["notes"].as_array_mut().filter(|notes| notes.len() < 20) {
                notes.push(text.into());
            }
        }
        Progress::Begin { generation, parameters, flops, .. } => {
            set(json!({ "phase": "begins", "generation": generation, "parameters": parameters, "flops": flops }));
        }
        Progress::Playing { generation, games, of, positions_per_second, evaluations_per_second } => set(json!({
            "phase": "playing", "generation": generation, "done": games, "of": of,
            "positions_per_second": positions_per_second, "evaluations_per_second": evaluations_per_second })),
        Progress::Training { generation, step, of, losses } => set(json!({
            "phase": "training", "generation": generation, "done": step, "of": of, "losses": losses })),
        Progress::Generation(event) => {
            set(json!({ "phase": "generation", "generation": event.generation, "latest": event }));
        }
        Progress::Measuring { generation, opponent } => {
            set(json!({ "phase": "measuring", "generation": generation, "opponent": opponent }));
        }
        Progress::Strength(event) => set(json!({ "phase": "measured", "strength": event })),
    }
}
