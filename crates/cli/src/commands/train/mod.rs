//! `tesuji train`: starts or resumes a run.
//!
//! | file | what it holds |
//! |---|---|
//! | [`engines`] | programs that an experiment may start |
//! | [`place`] | where a run goes |
//! | [`view`], [`pace`], [`growth`] | progress of a run: the screen, the budget and the time left, strength as it grows |
//! | [`words`] | what a run says when it begins, what its numbers mean, what to do next |
//! | [`mod@cost`] | what it will cost |
//! | [`mod@print`] | how it ended |

mod cost;
mod engines;
mod growth;
mod pace;
mod place;
mod print;
mod view;
mod words;

pub use print::{latest_strength, score_text};

use crate::common::contest;
use crate::common::crew::CrewArgs;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::ranges;
use crate::common::table::Table;
use anyhow::{Result, bail, ensure};
use clap::Args;
use engines::Source;
use serde_json::json;
use std::path::{Path, PathBuf};
use tesuji_learn::experiments::{BUILT_IN, DEFAULT, variants};
use tesuji_learn::measure::earlier_generation;
use tesuji_learn::run::{Fresh, RunConditions, StopRule, read_costs, read_events};
use tesuji_learn::train::{Crew, train_with};
use tesuji_learn::{Agents, Experiment};
use view::{Before, View};

/// Arguments of `tesuji train`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji train                                           minishogi by an integer network, ten minutes
  tesuji train minishogi-quick                           the same by policy and value with the mate solver
  tesuji train connect4-laptop --budget 1h --out runs/c4
  tesuji train --resume                                  resume the latest run
  tesuji train --explain                                 what it learns, and what the numbers on the screen mean
  tesuji train minishogi-quick --set selfplay.mate=none --out runs/without-solver
  tesuji train my-experiment.toml --print-config         the whole experiment, defaults included
  tesuji train connect4-laptop --workers dir:/shared/c4  games by `tesuji worker dir:/shared/c4`, see docs/cluster.md

A run can be stopped at any time (Ctrl-C, kill, power cut); --resume continues it as if nothing had happened. The same
experiment and seed give the same games and networks, byte for byte, at any number of threads. A run's network plays as
`nnue:net=RUN` or `pv:net=RUN`: tesuji match minishogi nnue:net=runs/nnue-minishogi-quick bot")]
pub struct TrainArgs {
    /// A file (FILE.toml or FILE.toml/VARIANT), or an experiment of the program: NAME or NAME/VARIANT, see --list [default: nnue-minishogi-quick]
    experiment: Option<String>,
    /// The run's directory [default: runs/EXPERIMENT, with a number if that exists]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How long: a time such as 10m or 2h of playing and training, or a number of generations
    #[arg(long, value_parser = |text: &str| text.parse::<StopRule>())]
    budget: Option<StopRule>,
    /// Threads [default: all cores]; results do not depend on it
    #[arg(long, value_parser = ranges::threads::<usize>())]
    threads: Option<usize>,
    /// Resume the run in --out, or the latest one
    #[arg(long)]
    resume: bool,
    /// Let programs run that an experiment file or a resumed run names (`engine:COMMAND`); see docs/security.md
    #[arg(long)]
    allow_engines: bool,
    /// Go on although games of the window are lost; the run is then no longer that of its experiment
    #[arg(long)]
    accept_loss: bool,
    /// Change a value of the experiment, such as selfplay.simulations=200; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// One tiny generation of the experiment, in seconds: a smoke test
    #[arg(long)]
    dummy: bool,
    /// Print the experiment with all its defaults and the ranges of its numbers, and do nothing
    #[arg(long)]
    print_config: bool,
    /// Say what the experiment learns and what the numbers on the screen mean, and do nothing
    #[arg(long, conflicts_with = "resume")]
    explain: bool,
    /// Begin a run that takes more than a day without being asked
    #[arg(long)]
    yes: bool,
    /// List the experiments that come with the program
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    crew: CrewArgs,
}

/// Runs the subcommand.
pub fn run(args: &TrainArgs, out: &mut Output) -> Result<()> {
    if args.list {
        return list(out);
    }
    let asked = args.experiment.as_deref().unwrap_or(DEFAULT);
    if args.resume {
        let root = match &args.out {
            Some(root) => root.clone(),
            None => place::latest_run(args.experiment.as_deref())?,
        };
        let Some(experiment) = Experiment::of_run(&root)? else {
            bail!("{}: no run to resume", root.display());
        };
        let changed = args.experiment.is_some() || !args.set.is_empty();
        let experiment = if changed { Experiment::load(asked, &args.set)?.experiment } else { experiment };
        return work(args, ("", experiment), &root, out);
    }
    let found = Experiment::load(asked, &args.set)?;
    let mut experiment = found.experiment;
    if args.dummy {
        experiment.shrink();
    }
    if args.print_config {
        return out.bytes(experiment.to_annotated_toml().as_bytes());
    }
    if args.explain {
        let text = words::explain(asked, &experiment, extent(args, &experiment)?);
        return out.bytes(text.as_bytes());
    }
    let root = match &args.out {
        Some(root) => {
            let begun = root.join("experiment.toml").exists();
            ensure!(!begun, "{} holds a run: add --resume to continue it, or choose another --out", root.display());
            root.clone()
        }
        None => {
            let root = place::take_free(&found.name)?;
            return work(args, (&found.name, experiment), &root, out).inspect_err(|_| place::give_back(&root));
        }
    };
    work(args, (&found.name, experiment), &root, out)
}

fn list(out: &mut Output) -> Result<()> {
    let mut table = Table::new();
    for (name, text) in BUILT_IN {
        let (experiment, variants) = (Experiment::load(name, &[])?.experiment, variants(text)?);
        if out.json {
            let about = &experiment.about;
            out.object(&json!({ "name": name, "game": experiment.game, "about": about, "variants": variants }))?;
        }
        table.row([(*name).to_owned(), experiment.about]);
        for variant in variants {
            table.row([format!("  {name}/{variant}"), String::new()]);
        }
    }
    if out.json { Ok(()) } else { out.bytes(table.text().as_bytes()) }
}

/// Works on a run, whose experiment has this name if it is new; a start that fails leaves the directory as it was.
fn work(args: &TrainArgs, experiment: (&str, Experiment), root: &Path, out: &mut Output) -> Result<()> {
    let fresh = Fresh::of(root);
    let worked = prepare_and_train(args, experiment, root, out);
    if worked.is_err() {
        fresh.undo();
    }
    worked
}

fn prepare_and_train(
    args: &TrainArgs,
    (name, mut experiment): (&str, Experiment),
    root: &Path,
    out: &mut Output,
) -> Result<()> {
    if !args.allow_engines {
        let source = Source { named: args.experiment.as_deref(), resume: args.resume, set: &args.set };
        engines::check(&source, &experiment, root)?;
    }
    let kit = tesuji_registry::kit(&experiment.game, experiment.rules)?;
    if args.dummy {
        experiment.method.furnish(root, kit.game().as_ref(), &|record| kit.check_record(record))?;
    }
    let agents = Agents::of(kit.as_ref());
    for opponent in &experiment.measure.opponents {
        if earlier_generation(opponent, 0).is_none() {
            contest::check_agent(&agents, opponent)?;
        }
    }
    let extent = extent(args, &experiment)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.unwrap_or(cores);
    if !args.dummy && !name.is_empty() {
        cost::tell(&Agents::of(kit.as_ref()), (name, &experiment), extent, threads, args.yes)?;
    }
    let stop = contest::listen_for_interrupt()?;
    let (costs, events) = (read_costs(root).unwrap_or_default(), read_events(root).unwrap_or_default());
    let before = Before { experiment: &experiment, events: &events, costs: &costs };
    let mut view = View::new(root, extent, threads, &before);
    let conditions = RunConditions {
        threads,
        extent,
        accept_loss: args.accept_loss,
        stop,
        progress: &mut |progress| view.show(progress),
    };
    let transport = args.crew.transport()?;
    let hire = |transport| args.crew.hire(transport, (kit.as_ref(), &experiment, root));
    let mut hired = transport.as_deref().map(hire).transpose()?;
    let crew = hired.as_mut().map(|(players, judges)| Crew { players, judges });
    let ended = train_with(kit.as_ref(), &experiment, root, conditions, crew)?;
    view.finish();
    if out.json { print::print_json(root, &ended, out) } else { print::print(root, &experiment, &ended, out) }
}

/// How long to go on: as the command line says, or the experiment.
fn extent(args: &TrainArgs, experiment: &Experiment) -> Result<StopRule> {
    match args.budget {
        Some(extent) => Ok(extent),
        None => experiment.budget.parse::<StopRule>().map_err(anyhow::Error::msg),
    }
}

/// `--rules` belongs to the experiment here.
pub fn check_rules(common: &Common) -> Result<()> {
    ensure!(
        common.rules == tesuji_core::Rules::Official,
        "--rules: set the rules in the experiment (rules = \"paper\")"
    );
    Ok(())
}
