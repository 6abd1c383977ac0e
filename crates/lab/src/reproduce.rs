//! A reproduction, from its name to its report.

use crate::compose::compose;
use crate::entry::{Data, Entry};
use crate::error::{LabError, problem};
use crate::file::{Reproduction, Scale, Step};
use crate::layout::{Layout, State};
use crate::needs::missing;
use crate::plan::{Job, Work, plan};
use crate::standings::{Contender, standings};
use crate::template::{Values, references};
use crate::work::Bench;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tesuji_report::{Report, html, json, markdown};

/// How a reproduction is worked on; none of it changes what comes out.
pub struct Setting<'a> {
    /// Threads.
    pub threads: usize,
    /// Set to stop.
    pub stop: &'a AtomicBool,
    /// Told how far it is.
    pub progress: &'a mut dyn FnMut(&Progress<'_>),
}

/// How far a reproduction is.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The job at work.
    pub job: &'a str,
    /// Its number, from 1.
    pub number: usize,
    /// How many jobs there are.
    pub of: usize,
    /// How much of all work is done, from 0 to 1.
    pub done: f64,
    /// How much of it was done before this start.
    pub before: f64,
}

/// What must be known before anything starts: the jobs.
///
/// # Errors
/// If the file is wrong, or names a program that it may not start, or an engine, a data set or an experiment is missing; with
/// what to do about it.
pub fn prepare(file: &Reproduction, scale: Scale) -> Result<Vec<Job>, LabError> {
    let jobs = plan(file, scale)?;
    for job in &jobs {
        if let Some(line) = job.work.programs().find(|_| !file.trusted) {
            return Err(LabError::new(format!(
                "{}: {} names a program to run, {line:?}; if you trust the file, --allow-engines lets it run",
                file.name, job.id
            )));
        }
    }
    let missing = missing(file, scale)?;
    if !missing.is_empty() {
        return Err(LabError::new(format!("{} at scale {scale} needs {}", file.name, missing.join("; and "))));
    }
    for job in &jobs {
        if let Work::Train { experiment, .. } = &job.work {
            tesuji_learn::Experiment::load(experiment, &[]).map_err(|error| problem(error).at(&job.id))?;
        }
    }
    Ok(jobs)
}

/// Does everything that is not done yet in a directory, and writes `report.html`, `report.md`, `report.json` and
/// `results.json` there, the last without whatever depends on clocks.
///
/// # Errors
/// If something is missing, wrong, or it was stopped; the same call goes on.
pub fn reproduce(
    file: &Reproduction,
    scale: Scale,
    root: &Path,
    setting: &mut Setting<'_>,
) -> Result<Report, LabError> {
    let jobs = prepare(file, scale)?;
    let (layout, mut state) = Layout::open(root, &file.name, scale)?;
    layout.save(&state)?;
    let bench = Bench { file, layout: &layout, threads: setting.threads, stop: setting.stop };
    let all: f64 = jobs.iter().map(|job| job.weight).sum();
    let before: f64 = jobs.iter().filter(|job| state.done.contains_key(&job.id)).map(|job| job.weight).sum();
    let (mut entries, mut timed) = (Vec::new(), BTreeSet::new());
    let mut behind = 0.0;
    for (number, job) in jobs.iter().enumerate() {
        if setting.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(LabError::Stopped);
        }
        let start = Instant::now();
        let progress = &mut *setting.progress;
        let mut tell = |share: f64, _: &str| {
            let done = (behind + share.clamp(0.0, 1.0) * job.weight) / all.max(1e-9);
            progress(&Progress {
                job: &job.id,
                number: number + 1,
                of: jobs.len(),
                done,
                before: before / all.max(1e-9),
            });
        };
        tell(0.0, "");
        let entry = bench.work(job, &timed, &mut tell)?;
        behind += job.weight;
        if entry.timed {
            timed.insert(job.id.clone());
        }
        finish(&layout, &mut state, job, start)?;
        entries.push(entry);
    }
    let players = tournaments(file, scale, &entries)?;
    entries.extend(players);
    let report = compose(file, scale, &jobs, &entries, &state);
    layout.write("report.html", &html(&report))?;
    layout.write("report.md", &markdown(&report))?;
    layout.write("report.json", &json::write(&report))?;
    let results = serde_json::to_string_pretty(&report.without_times()).map_err(problem)?;
    layout.write("results.json", &(results + "\n"))?;
    Ok(report)
}

/// Notes that a job is done.
fn finish(layout: &Layout, state: &mut State, job: &Job, start: Instant) -> Result<(), LabError> {
    if state.done.contains_key(&job.id) {
        return Ok(());
    }
    state.done.insert(job.id.clone(), start.elapsed().as_secs_f64());
    layout.save(state)
}

/// The players of all tournaments.
fn tournaments(file: &Reproduction, scale: Scale, entries: &[Entry]) -> Result<Vec<Entry>, LabError> {
    let values = file.scales.get(&scale).map(|info| info.values.clone()).unwrap_or_default();
    let values = Values(values.into_iter().collect());
    let mut players = Vec::new();
    for step in &file.steps {
        let Step::Tournament(step) = step else { continue };
        let lines: Vec<String> =
            step.players.iter().map(|player| values.fill(&player.line)).collect::<Result<_, _>>()?;
        let named: Vec<String> = lines
            .iter()
            .map(|line| crate::template::refer(line, &|reference| Ok(reference.job.clone())))
            .collect::<Result<_, _>>()?;
        let contenders = step.players.iter().zip(&lines).zip(&named).map(|((player, line), named)| {
            let run = references(line).into_iter().find(|reference| reference.run).and_then(|reference| {
                entries.iter().find_map(|entry| match &entry.data {
                    Data::Run { id, experiment, events, costs } if *id == reference.job => {
                        Some((&**experiment, &events[..], &costs[..]))
                    }
                    _ => None,
                })
            });
            Contender { name: &player.name, line: named, run }
        });
        let contenders: Vec<Contender<'_>> = contenders.collect();
        if entries.iter().any(|entry| entry.step == step.name) {
            players.extend(standings(&step.name, &contenders, entries));
        }
    }
    Ok(players)
}
