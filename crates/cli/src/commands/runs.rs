//! `tesuji runs`: runs with their state and latest strength.

use crate::commands::train::{latest_strength, score_text};
use crate::common::files::NewFile;
use crate::common::output::Output;
use crate::common::runs::directories;
use crate::common::table::Table;
use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};
use tesuji_learn::Experiment;
use tesuji_learn::report::tensorboard;
use tesuji_learn::run::curves::{Place, Places};
use tesuji_learn::run::{self, Event};

/// Arguments of `tesuji runs`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji runs
  tesuji runs elsewhere --json
  tesuji runs --curves runs/minishogi-quick
  tesuji runs --curves runs/minishogi-quick --json    a line for each generation, to be plotted
  tesuji runs export runs/minishogi-quick --tensorboard logs/quick

--curves joins a run's events with its ledger: training steps and minutes behind each generation, with its losses. Minutes
are those of playing and training; measuring is apart.")]
#[command(args_conflicts_with_subcommands = true)]
pub struct RunsArgs {
    #[command(subcommand)]
    command: Option<RunsCommand>,
    /// The directory that holds the runs
    #[arg(default_value = "runs")]
    directory: PathBuf,
    /// The curves of this run instead: losses by generation, training steps and minutes
    #[arg(long, value_name = "RUN")]
    curves: Option<PathBuf>,
}

/// What else can be done with runs.
#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// Write a run's events in the form of other programs
    Export(ExportArgs),
}

/// Arguments of `tesuji runs export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji runs export runs/minishogi-quick --tensorboard logs/quick
  tensorboard --logdir logs

Steps are generations, times are seconds of playing and training since the run began. Exporting again replaces the file.")]
pub struct ExportArgs {
    /// The run
    run: PathBuf,
    /// Write an event file for TensorBoard into this directory, which is made if it is not there
    #[arg(long, value_name = "DIR", required = true)]
    tensorboard: PathBuf,
}

/// Writes a run's events for TensorBoard.
fn export(args: &ExportArgs, out: &mut Output) -> Result<()> {
    let (root, directory) = (&args.run, &args.tensorboard);
    ensure!(Experiment::of_run(root)?.is_some(), "{}: no run", root.display());
    let events = run::read_events(root)?;
    let bytes = tensorboard::event_file(&events, &run::read_costs(root)?);
    std::fs::create_dir_all(directory).with_context(|| format!("cannot make {directory:?}"))?;
    let path = directory.join(tensorboard::FILE);
    let mut file = NewFile::create(&path)?;
    file.write(&bytes)?;
    file.finish()?;
    if out.json {
        out.object(&json!({ "run": root, "events": events.len(), "file": path }))
    } else {
        out.line(&format!("{} events of {} in {}", events.len(), root.display(), path.display()))
    }
}

/// Runs the subcommand.
pub fn run(args: &RunsArgs, out: &mut Output) -> Result<()> {
    if let Some(RunsCommand::Export(args)) = &args.command {
        return export(args, out);
    }
    if let Some(root) = &args.curves {
        return curves(root, out);
    }
    let runs = directories(&args.directory)?;
    let mut table = Table::new().right(2..4);
    table.row(["run", "game", "generation", "hours", "state", "strength"]);
    for root in &runs {
        // One damaged run is no reason to hide the others.
        let state = match State::of(root) {
            Ok(state) => state,
            Err(error) if out.json => {
                out.object(&json!({ "run": root, "state": "unreadable", "problem": error.to_string() }))?;
                continue;
            }
            Err(error) => {
                let (run, state) = (root.display().to_string(), "unreadable".to_owned());
                table.row([run, String::new(), String::new(), String::new(), state, error.to_string()]);
                continue;
            }
        };
        let State { game, generation, seconds, events } = state;
        let state = if run::is_at_work(root) { "at work" } else { "idle" };
        let strength = latest_strength(&events);
        if out.json {
            out.object(&json!({
                "run": root, "game": game, "generation": generation, "seconds": seconds, "state": state,
                "strength": strength,
            }))?;
            continue;
        }
        let words: Vec<String> =
            strength.iter().map(|event| format!("{} v {}", score_text(event), event.opponent)).collect();
        table.row([
            root.display().to_string(),
            game,
            generation.to_string(),
            format!("{:.2}", seconds / 3600.0),
            state.to_owned(),
            words.join("; "),
        ]);
    }
    if out.json {
        Ok(())
    } else if runs.is_empty() {
        out.line(&format!("no runs in {}; `tesuji train` makes one", args.directory.display()))
    } else {
        out.bytes(table.text().as_bytes())
    }
}

/// The generations of a run with their places on every axis.
fn curves(root: &Path, out: &mut Output) -> Result<()> {
    ensure!(Experiment::of_run(root)?.is_some(), "{}: no run", root.display());
    let events = run::read_events(root)?;
    let places = Places::of(&events, &run::read_costs(root)?);
    let mut table = Table::new().right(0..11);
    table.row([
        "generation",
        "steps",
        "minutes",
        "CPU min",
        "policy",
        "KL",
        "value",
        "L2",
        "total",
        "policy right",
        "value right",
    ]);
    for event in &events {
        let run::Event::Generation(event) = event else { continue };
        let Place { generation, steps, minutes, cpu_minutes } = places.at(event.generation);
        if out.json {
            out.object(&json!({ "place": places.at(event.generation), "event": event }))?;
            continue;
        }
        let number = |value: Option<f32>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        let percent =
            |value: Option<f32>| value.map_or_else(|| "-".to_owned(), |value| format!("{:.1}%", 100.0 * value));
        let mut row = vec![generation.to_string(), steps.to_string()];
        row.extend([minutes, cpu_minutes].map(|minutes| format!("{minutes:.2}")));
        row.extend([event.policy_loss, event.divergence].map(number));
        row.extend([event.value_loss, event.l2_loss, event.total_loss].map(|loss| number(Some(loss))));
        row.extend([event.policy_accuracy, Some(event.value_accuracy)].map(percent));
        table.row(row);
    }
    if out.json { Ok(()) } else { out.bytes(table.text().as_bytes()) }
}

/// What is shown of a run.
struct State {
    game: String,
    generation: u64,
    seconds: f64,
    events: Vec<Event>,
}

impl State {
    /// Reads it.
    fn of(root: &Path) -> Result<State> {
        let experiment = Experiment::of_run(root)?.context("no experiment")?;
        Ok(State {
            game: experiment.game,
            generation: run::network_generations(root)?.last().copied().unwrap_or(0),
            seconds: run::read_costs(root)?.iter().map(|entry| entry.wall).sum(),
            events: run::read_events(root)?,
        })
    }
}
