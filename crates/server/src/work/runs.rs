//! Runs as the page shows them: a table, curves, games, files of a run that is at work or not.

use crate::app::App;
use crate::networks::{self, RunPlace};
use crate::played::{line_of, outcome};
use crate::problem::{Answer, Problem};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Read;
use tesuji_core::GameRecord;
use tesuji_learn::Experiment;
use tesuji_learn::experiments::{BUILT_IN, DEFAULT, variants};
use tesuji_learn::report;
use tesuji_learn::run::curves::{Axis, Places};
use tesuji_learn::run::{self, Event, StrengthEvent};

/// Games that are shown.
const MOST_GAMES: usize = 12;
/// The longest file of games that is read.
const LONGEST_PART: u64 = 32 << 20;

/// The experiments that come with the program. The one that `tesuji train` alone starts comes first, so the page offers the
/// same.
pub fn experiments() -> Answer<Vec<Value>> {
    let mut all = Vec::new();
    for (name, text) in BUILT_IN {
        let wrong = |error: tesuji_learn::experiments::ExperimentError| Problem::internal(error.to_string());
        let mut names = vec![(*name).to_owned()];
        names.extend(variants(text).map_err(wrong)?.into_iter().map(|variant| format!("{name}/{variant}")));
        for name in names {
            let Ok(found) = Experiment::load(&name, &[]) else { continue };
            let experiment = found.experiment;
            all.push(json!({ "name": name, "game": experiment.game, "rules": experiment.rules,
                "about": experiment.about, "budget": experiment.budget, "method": experiment.method.name() }));
        }
    }
    all.sort_by_key(|one| one["name"] != DEFAULT);
    Ok(all)
}

/// The latest result against each opponent.
fn latest_strength(events: &[Event]) -> Vec<&StrengthEvent> {
    let mut latest: Vec<&StrengthEvent> = Vec::new();
    for event in events {
        if let Event::Strength(event) = event {
            latest.retain(|known| known.opponent != event.opponent);
            latest.push(event);
        }
    }
    latest
}

/// The id of the job that works on a run.
fn job_of(app: &App, id: &str) -> Value {
    let mut jobs = app.jobs.list(None).into_iter();
    let job = jobs.find(|job| {
        let state = job["state"].as_str().unwrap_or_default();
        job["kind"] == "train" && job["result"]["run"] == id && ["queued", "running"].contains(&state)
    });
    job.map(|job| job["id"].clone()).unwrap_or_default()
}

/// A row of the table.
fn row(app: &App, place: &RunPlace) -> Value {
    let read = || {
        let experiment = Experiment::of_run(&place.root).map_err(|error| error.to_string())?;
        let experiment = experiment.ok_or("no experiment")?;
        let generations = run::network_generations(&place.root).map_err(|error| error.to_string())?;
        let costs = run::read_costs(&place.root).map_err(|error| error.to_string())?;
        let events = run::read_events(&place.root).map_err(|error| error.to_string())?;
        let agent = networks::player(&experiment.agent(), &place.id);
        Ok::<Value, String>(json!({
            "id": place.id, "name": place.name, "game": experiment.game, "rules": experiment.rules,
            "about": experiment.about, "budget": experiment.budget, "agent": agent,
            "state": if run::is_at_work(&place.root) { "at work" } else { "idle" },
            "generation": generations.last().copied().unwrap_or(0),
            "seconds": costs.iter().map(|entry| entry.wall).sum::<f64>(),
            "cpu_seconds": costs.iter().map(|entry| entry.cpu).sum::<f64>(),
            "strength": latest_strength(&events), "job": job_of(app, &place.id),
        }))
    };
    // One damaged run is no reason to hide the others.
    read().unwrap_or_else(|problem| {
        let problem = problem.replace(&place.root.display().to_string(), &place.name);
        json!({ "id": place.id, "name": place.name, "state": "unreadable", "problem": problem })
    })
}

/// Every run.
pub fn list(app: &App) -> Vec<Value> {
    networks::runs(app).iter().map(|place| row(app, place)).collect()
}

/// A run with everything that happened.
pub fn one(app: &App, id: &str) -> Answer<Value> {
    let place = networks::run(app, id)?;
    let mut value = row(app, &place);
    if value["state"] == "unreadable" {
        return Ok(value);
    }
    let wrong = |error: run::RunError| {
        Problem::conflict(error.to_string().replace(&place.root.display().to_string(), &place.name))
    };
    let experiment = Experiment::of_run(&place.root).map_err(wrong)?.ok_or_else(|| Problem::missing("no such run"))?;
    let (events, costs) = (run::read_events(&place.root).map_err(wrong)?, run::read_costs(&place.root).map_err(wrong)?);
    let places = Places::of(&events, &costs);
    let generations = run::network_generations(&place.root).map_err(wrong)?;
    let mut known: Vec<u64> = events.iter().map(Event::generation).collect();
    known.dedup();
    value["experiment"] = experiment.to_toml().into();
    value["places"] = known.into_iter().map(|generation| json!(places.at(generation))).collect();
    value["generations"] = json!(generations);
    value["events"] = json!(events);
    value["costs"] = json!(costs);
    value["charts"] = json!(report::CHARTS);
    Ok(value)
}

/// A chart of a run as SVG; its axis is one of `generation`, `steps`, `minutes` and `cpu`.
pub fn chart(app: &App, id: &str, name: &str, axis: &str) -> Answer<String> {
    let place = networks::run(app, id)?;
    let axis = match axis {
        "generation" => Axis::Generation,
        "steps" => Axis::Steps,
        "minutes" => Axis::Minutes,
        "cpu" => Axis::CpuMinutes,
        _ => return Err(Problem::bad("x: expected generation, steps, minutes or cpu")),
    };
    let wrong = |error: run::RunError| {
        Problem::conflict(error.to_string().replace(&place.root.display().to_string(), &place.name))
    };
    let (events, costs) = (run::read_events(&place.root).map_err(wrong)?, run::read_costs(&place.root).map_err(wrong)?);
    let svg = report::svg(name, axis, &events, &costs).map_err(Problem::internal)?;
    svg.ok_or_else(|| Problem::missing(format!("no such chart; there are {}", report::CHARTS.join(", "))))
}

/// The newest games of a run, the latest first.
pub fn games(app: &App, id: &str) -> Answer<Vec<Value>> {
    let place = networks::run(app, id)?;
    let entries = fs::read_dir(place.root.join("records")).into_iter().flatten().flatten();
    let mut parts: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".tsjr"))
        .collect();
    parts.sort();
    let mut games = Vec::new();
    for part in parts.iter().rev() {
        let mut bytes = Vec::new();
        let file = File::open(place.root.join("records").join(part));
        if file.and_then(|file| file.take(LONGEST_PART).read_to_end(&mut bytes)).is_err() {
            continue;
        }
        let generation = part.split('-').next().and_then(|number| number.parse::<u64>().ok());
        // Those before a damaged one are good.
        let (records, _) = GameRecord::read_all(&bytes);
        for record in records.iter().rev() {
            let Ok(line) = line_of(record) else { continue };
            let values: Vec<Option<f32>> =
                record.moves.iter().map(|played| played.thought.as_ref().map(|thought| thought.value.get())).collect();
            games.push(json!({
                "game": line.game, "rules": line.rules, "start": line.start, "moves": line.moves, "values": values,
                "outcome": outcome(record.outcome), "ending": record.ending, "generation": generation,
            }));
            if games.len() == MOST_GAMES {
                return Ok(games);
            }
        }
    }
    Ok(games)
}
