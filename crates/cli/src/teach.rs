//! `tesuji teach`: the tabular methods, beside the exact values.

use crate::args::Common;
use crate::curve::curve;
use crate::files::NewFile;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::Table;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;
use tesuji_core::Side;
use tesuji_learn::report::chart::{Curve, Scale, chart};
use tesuji_learn::tabular::watch::is_round;
use tesuji_learn::tabular::{
    Goal, Lesson, METHODS, Point, Setting, SettingError, StepSize, TabularMethod, TabularOptions, Traces, Unit,
};

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
    /// The position to begin at, in the game's notation, perhaps with `moves M1 M2 ...`
    #[arg(long, value_name = "POSITION", default_value = "startpos")]
    from: String,
    /// A random walk of N states between two ends, instead of a game
    #[arg(long, value_name = "N", conflicts_with_all = ["game", "from", "states"])]
    walk: Option<usize>,
    /// How many games to learn from [default: 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    episodes: Option<u64>,
    /// The step size: a number up to 1, or 1/n or 1/n^P at the n-th visit [default: the method's, see --list]
    #[arg(long, value_name = "A")]
    alpha: Option<StepSize>,
    /// The discount of later rewards
    #[arg(long, value_name = "G", default_value_t = 1.0, value_parser = discount)]
    gamma: f64,
    /// The share of long returns in td-lambda [default: 0.8]
    #[arg(long, value_name = "L", value_parser = share)]
    lambda: Option<f64>,
    /// The n of n-step [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_STEPS))]
    steps: Option<u64>,
    /// How often q-learning plays at random [default: 0.5]
    #[arg(long, value_name = "E", value_parser = share)]
    epsilon: Option<f64>,
    /// What the traces of td-lambda do when a state recurs [default: accumulating]
    #[arg(long, value_name = "KIND")]
    traces: Option<TracesKind>,
    /// Begin episodes at states drawn at random, so that rare states are seen as often as others
    #[arg(long)]
    exploring_starts: bool,
    /// The seed of the episodes [default: 1]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The most states that a game may have
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = states)]
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
    /// Begin again at 1.
    Replacing,
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "must be from 0 to 1".to_owned())
}

fn discount(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| "must be above 0 and at most 1".to_owned())
}

fn states(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=10_000_000).contains(number));
    number.ok_or_else(|| "must be a number from 1 to 10000000".to_owned())
}

impl TeachArgs {
    /// The methods that were asked for, of which all heed the options that were given.
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
    let class = Class { args, place: &place, setting: &setting, options: args.options() };
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

fn goal(goal: Goal) -> &'static str {
    match goal {
        Goal::RandomPolicy => "random play",
        Goal::Optimum => "the optimum",
    }
}

/// Where the lessons take place, in words.
struct Place {
    game: &'static str,
    position: String,
    /// What the first player is called.
    first: &'static str,
}

/// Numbers the states of a game.
fn number(args: &TeachArgs, common: &Common) -> Result<(Setting, Place)> {
    let game = tesuji_registry::kit(&args.game, common.rules)?.game();
    let position = game.parse(&args.from)?;
    let setting = Setting::of_position(position.as_ref(), args.states).map_err(|error| match error {
        SettingError::TooMany { .. } => anyhow!("{error} (--from); --states raises the limit"),
        _ => anyhow!(error),
    })?;
    Ok((setting, Place { game: game.name(), position: position.text(), first: game.side_name(Side::First) }))
}

/// Lessons on one setting.
struct Class<'a> {
    args: &'a TeachArgs,
    place: &'a Place,
    setting: &'a Setting,
    options: TabularOptions,
}

impl Class<'_> {
    fn teach(&self, method: &TabularMethod) -> Lesson {
        let mut progress = Progress::new(method.unit.name(), self.options.episodes);
        method.teach(self.setting, &self.options, &mut |count| {
            // Nobody knows how many sweeps it will take.
            if method.unit == Unit::Episodes {
                progress.set(count);
            }
        })
    }

    /// `tictactoe from startpos: 5478 states, 958 of them ends`.
    fn place(&self) -> String {
        let Place { game, position, .. } = self.place;
        let (states, open) = (self.setting.len(), self.setting.open().len());
        format!("{game} from {position}: {states} states, {} of them ends", states - open)
    }

    /// The parameters that the method heeds.
    fn parameters(&self, method: &TabularMethod) -> String {
        let options = &self.options;
        let mut texts = vec![format!("gamma {}", options.gamma)];
        let alpha = options.alpha.or(method.alpha);
        for option in method.options {
            texts.push(match *option {
                "alpha" => format!("alpha {}", alpha.unwrap_or(StepSize::MEAN)),
                "lambda" => format!("lambda {}", options.lambda),
                "steps" => format!("n {}", options.steps),
                "epsilon" => format!("epsilon {}", options.epsilon),
                "traces" if options.traces == Traces::Replacing => "replacing traces".to_owned(),
                "traces" => "accumulating traces".to_owned(),
                "exploring-starts" if options.exploring_starts => "exploring starts".to_owned(),
                "seed" => format!("seed {}", options.seed),
                _ => continue,
            });
        }
        texts.join(", ")
    }

    /// (move, what was learned of it, what is exact) at the start, for the first player.
    fn moves(&self, lesson: &Lesson) -> Vec<(&str, f64, f64)> {
        let Class { setting, options, .. } = self;
        let targets = |values| setting.targets(setting.start, values, options.gamma);
        let both = targets(&lesson.learned.values).zip(targets(&lesson.exact));
        setting.moves.iter().zip(both).map(|(mv, (learned, exact))| (mv.as_str(), learned, exact)).collect()
    }

    fn print(&self, method: &TabularMethod, lesson: &Lesson, out: &mut Output) -> Result<()> {
        out.line(&format!("{}: {}", method.name, method.title))?;
        out.line(&format!("  {}", method.formula))?;
        out.line(&self.place())?;
        let what = match method.goal {
            Goal::RandomPolicy => "the values of random play",
            Goal::Optimum => "the values of best play",
        };
        out.line(&format!("finds {what} for {}; {}", self.place.first, self.parameters(method)))?;
        out.line("")?;
        let mut table = Table::new().right(0..7);
        let mut head = vec![method.unit.name(), "transitions", "seen", "V(start)", "rms error", "largest"];
        head.extend((method.goal == Goal::Optimum).then_some("mistakes"));
        table.row(head);
        for point in rows(method, &lesson.points) {
            let mut row = vec![point.count.to_string(), point.transitions.to_string(), point.seen.to_string()];
            row.extend([point.start, point.rms, point.largest].map(decimal));
            row.extend(point.mistakes.map(|mistakes| mistakes.to_string()));
            table.row(row);
        }
        let exact = decimal(lesson.exact[self.setting.start]);
        table.row(["exact".to_owned(), String::new(), self.setting.open().len().to_string(), exact]);
        out.bytes(table.text().as_bytes())?;
        out.line("\nrms error")?;
        let points: Vec<(u64, f64)> = lesson.points.iter().map(|point| (point.count, point.rms)).collect();
        out.bytes(curve(&points, method.unit.name()).as_bytes())?;
        out.line("")?;
        let mut table = Table::new().right(1..3);
        table.row(["move", "learned", "exact"]);
        for (mv, learned, exact) in self.moves(lesson) {
            table.row([mv.to_owned(), decimal(learned), decimal(exact)]);
        }
        out.bytes(table.text().as_bytes())
    }

    /// The ends of all lessons in one table.
    fn compare(&self, methods: &[&TabularMethod], lessons: &[Lesson], out: &mut Output) -> Result<()> {
        out.line(&self.place())?;
        out.line("")?;
        let mut table = Table::new().right([2, 4, 5, 6, 7, 8, 9, 10]);
        let numbers = ["transitions", "seen", "V(start)", "exact", "rms error", "largest", "mistakes"];
        table.row(["method", "finds", "", "after"].into_iter().chain(numbers).map(str::to_owned));
        for (method, lesson) in methods.iter().zip(lessons) {
            let point = lesson.points.last().context("a method that learned nothing")?;
            let mut row = vec![method.name.to_owned(), goal(method.goal).to_owned(), point.count.to_string()];
            row.extend([method.unit.name().to_owned(), point.transitions.to_string(), point.seen.to_string()]);
            row.extend([point.start, lesson.exact[self.setting.start], point.rms, point.largest].map(decimal));
            row.push(point.mistakes.map_or("-".to_owned(), |mistakes| mistakes.to_string()));
            table.row(row);
        }
        out.bytes(table.text().as_bytes())
    }

    /// One method: its two errors by its own count. Several: their rms errors by what they have looked at.
    fn plot(&self, methods: &[&TabularMethod], lessons: &[Lesson]) -> Result<String> {
        let place = format!("{} from {}", self.place.game, self.place.position);
        let curve = |name: &str, lesson: &Lesson, at: &dyn Fn(&Point) -> (u64, f64)| Curve {
            name: name.to_owned(),
            points: lesson.points.iter().map(at).map(|(x, y)| (x as f64, y)).collect(),
            intervals: Vec::new(),
        };
        let drawn = match (methods, lessons) {
            ([method], [lesson]) => {
                let rms = curve("rms error", lesson, &|point| (point.count, point.rms));
                let largest = curve("largest error", lesson, &|point| (point.count, point.largest));
                let title = format!("{}: error on {place}", method.name);
                chart(&title, method.unit.name(), Scale::Logarithmic, &[rms, largest])
            }
            _ => {
                let curves: Vec<Curve> = methods
                    .iter()
                    .zip(lessons)
                    .map(|(method, lesson)| curve(method.name, lesson, &|point| (point.transitions, point.rms)))
                    .collect();
                chart(&format!("rms error on {place}"), "transitions", Scale::Logarithmic, &curves)
            }
        };
        drawn.map_err(|error| anyhow!(error))
    }

    fn print_json(&self, method: &TabularMethod, lesson: &Lesson, out: &mut Output) -> Result<()> {
        let moves: Vec<serde_json::Value> = self
            .moves(lesson)
            .into_iter()
            .map(|(mv, learned, exact)| json!({ "move": mv, "learned": learned, "exact": exact }))
            .collect();
        out.object(&json!({
            "method": method.name, "goal": method.goal, "unit": method.unit, "game": self.place.game,
            "walk": self.args.walk, "position": self.place.position, "states": self.setting.len(),
            "ends": self.setting.len() - self.setting.open().len(), "parameters": self.parameters(method),
            "exact": lesson.exact[self.setting.start], "points": lesson.points, "moves": moves,
        }))
    }
}

/// The points that a table shows: every one of few sweeps, else those at 1, 2, 5, 10, 20, 50 ..., and the last.
fn rows<'a>(method: &TabularMethod, points: &'a [Point]) -> Vec<&'a Point> {
    let last = points.last().map_or(0, |point| point.count);
    let few = method.unit != Unit::Episodes && last <= 20;
    points.iter().filter(|point| few || is_round(point.count) || point.count == last).collect()
}

/// Four digits after the point; what rounds to 0 has no sign.
fn decimal(number: f64) -> String {
    let text = format!("{number:.4}");
    if text == "-0.0000" { "0.0000".to_owned() } else { text }
}
