//! Networks and runs by opaque ids: the page never names a path.

use crate::app::App;
use crate::problem::{Answer, Problem};
use serde::Serialize;
use std::fs;
use std::path::PathBuf;
use tesuji_core::Rules;
use tesuji_core::random::mix;
use tesuji_learn::agents::spec::NET;
use tesuji_learn::networks::{BuiltIn, built_in, shipped};
use tesuji_learn::{Experiment, run};
use tesuji_search::agent::split;

/// A network that the page may name.
#[derive(Serialize)]
pub struct Known {
    /// What `net=` takes.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The game that it plays.
    pub game: String,
    /// The line of the agent that plays with it as well as it was trained to.
    pub agent: String,
    /// The id of its run, unless it comes with the program.
    pub run: Option<String>,
    /// Its generation in its run.
    pub generation: Option<u64>,
}

/// A run's directory with its id.
pub struct RunPlace {
    /// The id: the same at every start, and no path.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The directory.
    pub root: PathBuf,
}

/// An id that says nothing of the name that it stands for.
pub fn opaque(kind: char, name: &str) -> String {
    let number = name.bytes().fold(0x7465_7375_6a69, |number, byte| mix(number ^ u64::from(byte)));
    format!("{kind}{number:016x}")
}

/// Every run in the directory of runs, by name. Hidden directories are none.
pub fn runs(app: &App) -> Vec<RunPlace> {
    let entries = fs::read_dir(&app.options.runs).into_iter().flatten().flatten();
    let mut places: Vec<RunPlace> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let root = entry.path();
            let is_run = !name.starts_with('.') && root.join("experiment.toml").is_file();
            is_run.then(|| RunPlace { id: opaque('r', &name), name, root })
        })
        .collect();
    places.sort_by(|a, b| a.name.cmp(&b.name));
    places
}

/// The run of an id.
///
/// # Errors
/// If there is none.
pub fn run(app: &App, id: &str) -> Answer<RunPlace> {
    runs(app).into_iter().find(|place| place.id == id).ok_or_else(|| Problem::missing("no such run"))
}

/// The line of an agent that is stored with a network, for the network of an id. What is stored are the defaults of agents
/// with a network of their own, so they need not be repeated, and limits that are not repeated can be exceeded.
pub fn player(stored: &str, id: &str) -> String {
    match split(stored).0 {
        kind @ ("pv" | "policy" | "dqn" | "nnue") => format!("{kind}:net={id}"),
        _ => stored.replace(NET, id),
    }
}

/// Every network: those that come with the program, then the newest of each run.
pub fn list(app: &App) -> Vec<Known> {
    // The page plays by the official rules.
    let own = shipped().iter().filter(|network| network.rules == Rules::Official).map(
        |BuiltIn { name, game, agent, .. }| Known {
            id: (*name).to_owned(),
            name: format!("{name} (comes with the program)"),
            game: game.clone(),
            agent: agent.clone(),
            run: None,
            generation: None,
        },
    );
    let newest = runs(app).into_iter().filter_map(|place| {
        let experiment = Experiment::of_run(&place.root).ok()??;
        let generation = *run::network_generations(&place.root).ok()?.last()?;
        Some(Known {
            agent: player(&experiment.agent(), &place.id),
            name: format!("{}, generation {generation}", place.name),
            game: experiment.game,
            run: Some(place.id.clone()),
            id: place.id,
            generation: Some(generation),
        })
    });
    own.chain(newest).collect()
}

/// The path, or the name, of a network of an id: `ID` or `ID@GENERATION` of a run, or one that comes with the program.
///
/// # Errors
/// If there is none.
pub fn path(app: &App, id: &str) -> Answer<String> {
    let missing = || Problem::bad("no such network; GET /api/networks lists them");
    if built_in().contains(&id) {
        return Ok(id.to_owned());
    }
    let (name, generation) = id.split_once('@').map_or((id, None), |(name, number)| (name, Some(number)));
    let generation = generation.map(|number| number.parse::<u64>().map_err(|_| missing())).transpose()?;
    let place = run(app, name).map_err(|_| missing())?;
    let root = place.root.canonicalize().map_err(|_| missing())?;
    let root = root.to_str().filter(|root| !root.contains([',', '@'])).ok_or_else(missing)?.to_owned();
    Ok(generation.map_or(root.clone(), |generation| format!("{root}@{generation}")))
}

/// The line of an agent with the newest generation put in where it names a run without one.
///
/// # Errors
/// If it names a network that is not there.
pub fn pin(app: &App, line: &str) -> Answer<String> {
    let Some(id) = tesuji_learn::AgentSpec::network_of(line).filter(|id| !id.contains('@')) else {
        return Ok(line.to_owned());
    };
    if built_in().contains(&id) {
        return Ok(line.to_owned());
    }
    let place = run(app, id)?;
    let kept = run::network_generations(&place.root).map_err(|error| Problem::bad(error.to_string()))?;
    let newest = kept.last().ok_or_else(|| Problem::bad("the run has no network yet"))?;
    Ok(line.replacen(id, &format!("{id}@{newest}"), 1))
}
