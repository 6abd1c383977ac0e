//! What is put right before a run goes on: files that are not what the manifest says, and a manifest that is missing.
//!
//! What the manifest holds in full (the experiment, `run.json`) or what there are two of (the events) is written again
//! to the same bytes. What is not ours is set aside as `*.damaged`. What cannot be had again is refused with the way out.

use super::checkpoint::Checkpoint;
use super::error::RunError;
use super::events::Event;
use super::files::{self, from_lines};
use super::layout::{self, EVENTS, EVENTS_COPY, EXPERIMENT, FORMAT, MANIFEST, RUN, RunInfo};
use super::manifest::{Manifest, Sum};
use std::path::Path;
use tesuji_nn::file::write_atomically;

/// The end of a line about something that cannot be had again.
const WAY_OUT: &str = "put a copy of it back, or begin the run anew in another --out: the same experiment and seed make \
                       the same run; its networks play all the same (pv:net=RUN@GENERATION)";

/// The manifest of a run, new or not, after the files that it holds in full have been put right.
///
/// # Errors
/// If the run is of another format, something is lost that cannot be had again, or the file system refuses.
pub(super) fn open(root: &Path, notes: &mut Vec<String>) -> Result<Manifest, RunError> {
    let info = RunInfo::read(root)?;
    let experiment = files::read(&root.join(EXPERIMENT))?;
    let networks = layout::network_generations(root)?;
    if experiment.is_none() && networks.is_empty() {
        // Not begun, or killed before it was.
        return Ok(Manifest::default());
    }
    // The manifest of an older run has sums of another kind.
    let older = matches!(&info, Some(Ok(info)) if info.format < FORMAT);
    match if older { None } else { Manifest::read(root)? } {
        Some(Ok(manifest)) => {
            let told = notes.len();
            restore(root, &manifest, experiment, info, notes)?;
            if networks.is_empty() {
                // Killed while it began: nothing was there yet.
                notes.truncate(told);
            }
            return Ok(manifest);
        }
        Some(Err(problem)) => {
            let path = root.join(MANIFEST);
            let aside = files::set_aside(&path)?;
            notes.push(format!("{}: {problem}; set aside as {}", path.display(), aside.display()));
        }
        None => {}
    }
    rebuild(root, experiment, info, &networks, notes)
}

/// Writes what the manifest holds in full again where a file has become another.
fn restore(
    root: &Path,
    manifest: &Manifest,
    experiment: Option<Vec<u8>>,
    info: Option<Result<RunInfo, String>>,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    let mut again = |name: &str, is_there: bool, text: &str| -> Result<(), RunError> {
        let path = root.join(name);
        if is_there {
            let aside = files::set_aside(&path)?;
            let advice = "set aside as";
            notes.push(format!("{}: not as the run began; {advice} {} and restored", path.display(), aside.display()));
        } else {
            notes.push(format!("{}: gone, and restored", path.display()));
        }
        write_atomically(&path, text.as_bytes()).map_err(RunError::io(&path))
    };
    if let Some(text) = &manifest.experiment
        && experiment.as_deref() != Some(text.as_bytes())
    {
        again(EXPERIMENT, experiment.is_some(), text)?;
    }
    if let Some(run) = &manifest.run
        && info.as_ref() != Some(&Ok(run.clone()))
    {
        again(RUN, info.is_some(), &run.to_text())?;
    }
    Ok(())
}

/// A manifest of what is there: of a run that was begun before there were manifests, or has lost its own. Nothing can be
/// said then about files of other runs.
fn rebuild(
    root: &Path,
    experiment: Option<Vec<u8>>,
    info: Option<Result<RunInfo, String>>,
    networks: &[u64],
    notes: &mut Vec<String>,
) -> Result<Manifest, RunError> {
    let lost = |name: &str, problem: &str| RunError::at(&root.join(name), format!("{problem}: {WAY_OUT}"));
    let Some(experiment) = experiment else { return Err(lost(EXPERIMENT, "gone")) };
    let experiment = String::from_utf8(experiment).map_err(|error| lost(EXPERIMENT, &error.to_string()))?;
    let mut manifest = Manifest { experiment: Some(experiment), ..Manifest::default() };
    let old = match info {
        Some(Ok(info)) => {
            let old = info.format < FORMAT;
            manifest.run = Some(RunInfo { format: FORMAT, ..info });
            old
        }
        Some(Err(problem)) => return Err(lost(RUN, &problem)),
        None if networks.is_empty() => false,
        None => return Err(lost(RUN, "gone")),
    };
    for &generation in networks {
        // A damaged one is found out, and set aside, when it is looked for.
        let bytes = files::read(&layout::network_path(root, generation))?.unwrap_or_default();
        if let Ok(file) = Checkpoint::from_bytes(&bytes) {
            manifest.networks.insert(generation, Sum::of_network(&file));
        }
    }
    for name in layout::part_names(root)? {
        let bytes = files::read(&root.join("records").join(&name))?.unwrap_or_default();
        manifest.records.insert(name, Sum::of(&bytes));
    }
    for name in [EVENTS, EVENTS_COPY] {
        let path = root.join(name);
        let bytes = files::read(&path)?.unwrap_or_default();
        let (events, problems) = from_lines::<Event>(&bytes);
        if !events.is_empty() && problems.is_empty() {
            // Those of an older version may lack keys that are written now.
            let lines = files::to_lines(&events);
            if lines != bytes {
                write_atomically(&path, &lines).map_err(RunError::io(&path))?;
            }
            manifest.set_events(&lines);
            break;
        }
    }
    manifest.write(root)?;
    if let Some(run) = &manifest.run {
        let path = root.join(RUN);
        write_atomically(&path, run.to_text().as_bytes()).map_err(RunError::io(&path))?;
    }
    let reason = if old { "an older run" } else { "there was none" };
    notes.push(format!("{}: made from the files that are there ({reason})", root.join(MANIFEST).display()));
    Ok(manifest)
}

/// The events of a run up to its last finished generation, from either of their two files; both hold them afterwards.
///
/// # Errors
/// If neither file has them, or the file system refuses.
pub(super) fn events(
    root: &Path,
    manifest: &Manifest,
    generation: u64,
    say: &mut dyn FnMut(String),
) -> Result<Vec<Event>, RunError> {
    let mut problems = Vec::new();
    let mut found = None;
    for name in [EVENTS, EVENTS_COPY] {
        let bytes = files::read(&root.join(name))?.unwrap_or_default();
        let read = read_events(&bytes, manifest, generation);
        match read {
            Ok(events) if found.is_none() => found = Some(events),
            Ok(_) => {}
            Err(problem) => problems.push((name, problem, bytes)),
        }
    }
    let Some(events) = found else {
        let (name, problem, _) = problems.swap_remove(0);
        return Err(RunError::at(&root.join(name), format!("{problem}, and {EVENTS_COPY} is no better: {WAY_OUT}")));
    };
    for (name, problem, bytes) in problems {
        let path = root.join(name);
        if !bytes.is_empty() {
            files::set_aside(&path)?;
        }
        if name == EVENTS {
            say(format!("{}: {problem}; restored from {EVENTS_COPY}", path.display()));
        }
    }
    // A copy may be missing or a line behind; and events of a generation that is not finished are made again.
    let lines = files::to_lines(&events);
    for name in [EVENTS, EVENTS_COPY] {
        let path = root.join(name);
        if files::read(&path)?.unwrap_or_default() != lines {
            write_atomically(&path, &lines).map_err(RunError::io(&path))?;
        }
    }
    Ok(events)
}

/// Reads events and checks that they are the run's own, with every generation up to the last finished one.
fn read_events(bytes: &[u8], manifest: &Manifest, generation: u64) -> Result<Vec<Event>, String> {
    let (mut events, mut problems) = from_lines::<Event>(bytes);
    if !problems.is_empty() {
        return Err(problems.swap_remove(0));
    }
    if !manifest.has_events(bytes) {
        return Err("not as the run wrote it".to_owned());
    }
    events.retain(|event| event.generation() <= generation);
    let numbers = events.iter().filter(|event| matches!(event, Event::Generation(_))).map(Event::generation);
    if numbers.eq(1..=generation) {
        Ok(events)
    } else {
        Err(format!("it lacks some of the generations 1 to {generation}"))
    }
}
