//! `tesuji teach`: the tabular methods, beside the exact values.

mod class;

use crate::common::files::NewFile;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::ranges;
use crate::common::table::Table;
use anyhow::{Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use class::{Class, Place, goal};
use serde_json::json;
use std::path::PathBuf;
use tesuji_core::Side;
use tesuji_learn::tabular::{Lesson, METHODS, Setting, SettingError, StepSize, TabularMethod, TabularOptions, Traces};

/// More steps would be whole games, which Monte Carlo does faster.
const MOST_STEPS: u64 = 1000;

/// Arguments of `tesuji teach`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji teach --list
  tesuji teach td0
  tesuji teach td-lambda --lambda 0.9 --alpha 0.05 --episodes 20000 --plot td.svg
  tesuji teach every-visit --walk 19
  tesuji teach q-learning --epsilon 1
  tesuji teach value-iteration --game connect4 --from \"a c a a g a c a b e c b a b b g f f g g d b f b c e\"
  tesuji teach all --walk 19

A method learns the values of all states of a small game, and prints how far it is from the exact ones: the root of
the mean square error (rms) and the largest error, over all states but ends, after so many sweeps over the states,
iterations or episodes. `seen` counts the states of which it knows something, `mistakes` those in which it would not
choose a best move. Values are expected outcomes for the first player, from -1 to 1. The same seed gives the same
episodes to every method that evaluates random play. docs/teach.md explains the methods.")]
pub struct TeachArgs {
    /// A method, see --list; or `all`, to compare them
    #[arg(required_unless_present = "list")]
    method: Option<String>,
    /// List the methods
    #[arg(long)]
    list: bool,
    /// A game that is small from its start, or from --from; see `tesuji games`
    #[arg(long, default_value = "tictactoe")]
    game: String,
    /// The position to start from, in the game's notation, perhaps with `moves M1 M2 ...`
    #[arg(long, value_name = "POSITION", default_value = "startpos")]
    from: String,
    /// A random walk of N states between two ends, instead of a game
    #[arg(long, value_name = "N", conflicts_with_all = ["game", "from", "states"])]
    walk: Option<usize>,
    /// How many games to learn from [default: 100000]
    #[arg(long, value_name = "N", value_parser = ranges::episodes::<u64>())]
    episodes: Option<u64>,
    /// The step size: a number up to 1, or 1/n or 1/n^P at the n-th visit [default: the method's, see --list]
    #[arg(long, value_name = "A")]
    alpha: Option<StepSize>,
    /// The discount of later rewards
    #[arg(long, value_name = "G", default_value_t = 1.0, value_parser = ranges::discount)]
    gamma: f64,
    /// The trace decay of td-lambda: 0 learns from the next state, 1 from the result [default: 0.8]
    #[arg(long, value_name = "L", value_parser = ranges::share)]
    lambda: Option<f64>,
    /// The n of n-step [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    steps: Option<u64>,
    /// How often q-learning plays at random [default: 0.5]
    #[arg(long, value_name = "E", value_parser = ranges::share)]
    epsilon: Option<f64>,
    /// What the traces of td-lambda do when a state recurs [default: accumulating]
    #[arg(long, value_name = "KIND")]
    traces: Option<TracesKind>,
    /// Start episodes at states drawn at random, so that rare states are seen as often as others
    #[arg(long)]
    exploring_starts: bool,
    /// The seed of the episodes [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The most states that a game may have
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = ranges::states::<usize>())]
    states: usize,
    /// Draw the errors into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// What traces do when a state recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TracesKind {
    /// Add 1.
    Accumulating,
    /// Reset to 1.
    Replacing,
}

impl TeachArgs {
    /// The methods that were asked for, all of which use the options that were given.
    fn methods(&self) -> Result<Vec<&'static TabularMethod>> {
        let name = self.method.as_deref().unwrap_or_default();
        if name == "all" {
            return Ok(METHODS.iter().collect());
        }
        let Some(method) = TabularMethod::named(name) else {
            let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
            bail!("unknown method {name:?}; the methods are {}, and all", names.join(", "));
        };
        let given = [
            ("episodes", self.episodes.is_some()),
            ("alpha", self.alpha.is_some()),
            ("lambda", self.lambda.is_some()),
            ("steps", self.steps.is_some()),
            ("epsilon", self.epsilon.is_some()),
            ("traces", self.traces.is_some()),
            ("exploring-starts", self.exploring_starts),
            ("seed", self.seed.is_some()),
        ];
        let unused = given.into_iter().find(|(option, given)| *given && !method.options.contains(option));
        if let Some((option, _)) = unused {
            let users: Vec<&str> =
                METHODS.iter().filter(|method| method.options.contains(&option)).map(|method| method.name).collect();
            bail!("{name} does not use --{option}; leave it out, or choose {}", users.join(", "));
        }
        Ok(vec![method])
    }

    fn options(&self) -> TabularOptions {
        let default = TabularOptions::default();
        TabularOptions {
            episodes: self.episodes.unwrap_or(default.episodes),
            alpha: self.alpha,
            gamma: self.gamma,
            lambda: self.lambda.unwrap_or(default.lambda),
            steps: self.steps.map_or(default.steps, |steps| steps as usize),
            epsilon: self.epsilon.unwrap_or(default.epsilon),
            traces: match self.traces {
                Some(TracesKind::Replacing) => Traces::Replacing,
                Some(TracesKind::Accumulating) => Traces::Accumulating,
                None => default.traces,
            },
            exploring_starts: self.exploring_starts,
            seed: self.seed.unwrap_or(default.seed),
        }
    }
}

/// Runs the subcommand.
pub fn run(args: &TeachArgs, common: &Common, out: &mut Output) -> Result<()> {
    if args.list {
        return list(out);
    }
    let methods = args.methods()?;
    let plot = match &args.plot {
        None => None,
        Some(path) => {
            let svg = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
            ensure!(svg, "cannot draw into {path:?}: the plot is an SVG file, give it a name that ends with .svg");
            Some(NewFile::create(path)?)
        }
    };
    let (setting, place) = match args.walk {
        Some(states) => {
            let place = Place { game: "walk", position: "the middle".to_owned(), first: "the walker" };
            (Setting::walk(states)?, place)
        }
        None => number(args, common)?,
    };
    let class = Class { walk: args.walk, place: &place, setting: &setting, options: args.options() };
    let lessons: Vec<Lesson> = methods.iter().map(|method| class.teach(method)).collect();
    if let Some(mut file) = plot {
        file.write(class.plot(&methods, &lessons)?.as_bytes())?;
        file.finish()?;
    }
    if out.json {
        for (method, lesson) in methods.iter().zip(&lessons) {
            class.print_json(method, lesson, out)?;
        }
        return Ok(());
    }
    match (methods.as_slice(), lessons.as_slice()) {
        ([method], [lesson]) => class.print(method, lesson, out),
        _ => class.compare(&methods, &lessons, out),
    }
}

fn list(out: &mut Output) -> Result<()> {
    let mut table = Table::new();
    if !out.json {
        table.row(["method", "what it finds", "alpha", "what it is"]);
    }
    for method in &METHODS {
        let alpha = method.alpha.map(|alpha| alpha.to_string());
        if out.json {
            out.object(&json!({
                "method": method.name, "title": method.title, "formula": method.formula, "goal": method.goal,
                "unit": method.unit, "options": method.options, "alpha": alpha,
            }))?;
        } else {
            table.row([method.name, goal(method.goal), alpha.as_deref().unwrap_or("-"), method.title]);
        }
    }
    out.bytes(table.text().as_bytes())
}

/// Numbers the states of a game.
fn number(args: &TeachArgs, common: &Common) -> Result<(Setting, Place)> {
    let game = tesuji_games::game(&args.game, common.rules)?;
    let position = game.parse(&args.from)?;
    let setting = Setting::of_position(position.as_ref(), args.states).map_err(|error| match error {
        SettingError::TooMany { .. } => anyhow!("{error} (--from); --states raises the limit"),
        _ => anyhow!(error),
    })?;
    Ok((setting, Place { game: game.name(), position: position.text(), first: game.side_name(Side::First) }))
}
