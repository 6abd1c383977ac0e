//! `tesuji train`: a run, begun or gone on with.

use crate::args::Common;
use crate::contest;
use crate::output::Output;
use crate::table::Table;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tesuji_core::{Game, GameRecord, Outcome, Position, Stream};
use tesuji_games::Visitor;
use tesuji_learn::data::check::check;
use tesuji_learn::data::{Settings, Source, Writer};
use tesuji_learn::experiment::Experiment;
use tesuji_learn::ledger::{self, Phase};
use tesuji_learn::measure::{agent_line, earlier_generation};
use tesuji_learn::run::{self, Event, GenerationEvent, StrengthEvent};
use tesuji_learn::train::{Ended, Progress, RunConditions, StopRule, train};

/// The experiments that come with the program, the default one first.
const EXPERIMENTS: &[(&str, &str)] = &[
    ("minishogi-quick", include_str!("../../../experiments/minishogi-quick.toml")),
    ("minishogi-laptop", include_str!("../../../experiments/minishogi-laptop.toml")),
    ("minishogi-paper", include_str!("../../../experiments/minishogi-paper.toml")),
    ("tubstap-laptop", include_str!("../../../experiments/tubstap-laptop.toml")),
    ("tubstap-paper", include_str!("../../../experiments/tubstap-paper.toml")),
    ("connect4-laptop", include_str!("../../../experiments/connect4-laptop.toml")),
    ("bingo3d-az-laptop", include_str!("../../../experiments/bingo3d-az-laptop.toml")),
    ("chess-az-laptop", include_str!("../../../experiments/chess-az-laptop.toml")),
    ("shogi-az-laptop", include_str!("../../../experiments/shogi-az-laptop.toml")),
    ("chess-supervised-laptop", include_str!("../../../experiments/chess-supervised-laptop.toml")),
    ("chess-supervised-paper", include_str!("../../../experiments/chess-supervised-paper.toml")),
    ("chess-improve-laptop", include_str!("../../../experiments/chess-improve-laptop.toml")),
    ("chess-improve-paper", include_str!("../../../experiments/chess-improve-paper.toml")),
    ("dqn-shogi-laptop", include_str!("../../../experiments/dqn-shogi-laptop.toml")),
    ("dqn-shogi-paper", include_str!("../../../experiments/dqn-shogi-paper.toml")),
    ("dqn-tictactoe", include_str!("../../../experiments/dqn-tictactoe.toml")),
    ("td-bingo3d-laptop", include_str!("../../../experiments/td-bingo3d-laptop.toml")),
    ("td-tictactoe", include_str!("../../../experiments/td-tictactoe.toml")),
];

/// Where runs go.
const RUNS: &str = "runs";

/// Arguments of `tesuji train`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji train                                           minishogi with the mate solver, ten minutes
  tesuji train connect4-laptop --budget 1h --out runs/c4
  tesuji train --resume                                  go on with the latest run
  tesuji train minishogi-quick --set selfplay.mate=none --out runs/without-solver
  tesuji train my-experiment.toml --print-config         the whole experiment, defaults included

A run can be stopped at any moment (Ctrl-C, kill, power cut) and goes on with --resume as if nothing had happened. The
same experiment and seed give the same games and networks, byte for byte, at any number of threads. A run's network
plays as `pv:net=RUN`: tesuji match minishogi pv:net=runs/minishogi-quick bot")]
pub struct TrainArgs {
    /// A file, or an experiment that comes with the program: NAME or NAME/VARIANT, see --list [default: minishogi-quick]
    experiment: Option<String>,
    /// The run's directory [default: runs/EXPERIMENT, with a number if that exists]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How long: a time such as 10m or 2h of playing and training, or a number of generations
    #[arg(long, value_parser = |text: &str| text.parse::<StopRule>())]
    budget: Option<StopRule>,
    /// Threads [default: all cores]; results do not depend on it
    #[arg(long)]
    threads: Option<usize>,
    /// Go on with the run in --out, or with the latest one
    #[arg(long)]
    resume: bool,
    /// Change a value of the experiment, such as selfplay.simulations=200; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// One tiny generation of the experiment, in seconds: shows that it runs, teaches nothing
    #[arg(long)]
    dummy: bool,
    /// Print the experiment with all its defaults, and do nothing
    #[arg(long)]
    print_config: bool,
    /// List the experiments that come with the program
    #[arg(long)]
    list: bool,
}

/// Runs the subcommand.
pub fn run(args: &TrainArgs, out: &mut Output) -> Result<()> {
    if args.list {
        return list(out);
    }
    ensure!(args.threads != Some(0), "--threads 0: at least one is needed");
    if args.resume {
        let root = match &args.out {
            Some(root) => root.clone(),
            None => latest_run(args.experiment.as_deref())?,
        };
        let Some(experiment) = run::read_experiment(&root)? else {
            bail!("{}: no run to go on with", root.display());
        };
        let experiment = if args.experiment.is_some() || !args.set.is_empty() { load(args)?.1 } else { experiment };
        return work(args, &experiment, &root, out);
    }
    let (name, mut experiment) = load(args)?;
    if args.dummy {
        shrink(&mut experiment);
    }
    if args.print_config {
        return out.bytes(experiment.to_toml().as_bytes());
    }
    let root = match &args.out {
        Some(root) => {
            let begun = root.join("experiment.toml").exists();
            ensure!(!begun, "{} holds a run: add --resume to go on with it, or choose another --out", root.display());
            root.clone()
        }
        None => free_directory(&name)?,
    };
    work(args, &experiment, &root, out)
}

fn list(out: &mut Output) -> Result<()> {
    let mut table = Table::new();
    for (name, text) in EXPERIMENTS {
        let (experiment, variants) = read(text, "", &[])?;
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

/// The name and the experiment that the arguments mean, with what `--set` changes.
fn load(args: &TrainArgs) -> Result<(String, Experiment)> {
    let asked = args.experiment.as_deref().unwrap_or(EXPERIMENTS[0].0);
    let known = |name: &str| EXPERIMENTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    let path = Path::new(asked);
    let (name, text, variant) = if path.is_file() {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {asked:?}"))?;
        (path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()), text, "")
    } else {
        let (name, variant) = asked.split_once('/').unwrap_or((asked, ""));
        let Some(text) = known(name) else {
            let names: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
            bail!("no experiment {asked:?}: neither a file nor one of {}", names.join(", "));
        };
        (asked.replace('/', "-"), text.to_owned(), variant)
    };
    let (experiment, _) = read(&text, variant, &args.set).with_context(|| format!("{asked:?}"))?;
    Ok((name, experiment))
}

/// Reads an experiment file with one of its variants, if one is named, and changes `KEY=VALUE`; returns the names of all
/// variants too.
fn read(text: &str, variant: &str, changes: &[String]) -> Result<(Experiment, Vec<String>)> {
    let mut table: toml::Table = text.parse()?;
    let variants = match table.remove("variants") {
        Some(toml::Value::Table(variants)) => variants,
        Some(_) => bail!("`variants` is no section"),
        None => toml::Table::new(),
    };
    let names: Vec<String> = variants.keys().cloned().collect();
    if !variant.is_empty() {
        let Some(toml::Value::Table(chosen)) = variants.get(variant) else {
            bail!("no variant {variant:?}; there are: {}", names.join(", "));
        };
        for (key, value) in chosen {
            set(&mut table, key, value.clone())?;
        }
    }
    for change in changes {
        let Some((key, text)) = change.split_once('=') else { bail!("--set {change:?}: expected KEY=VALUE") };
        // What is not TOML is a string, so that words need no quotes.
        let value = format!("v = {text}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("v"));
        set(&mut table, key, value.unwrap_or_else(|| toml::Value::String(text.to_owned())))?;
    }
    Ok((Experiment::from_toml(&toml::to_string(&table)?)?, names))
}

/// Makes an experiment as small as it can be without leaving anything out.
fn shrink(experiment: &mut Experiment) {
    experiment.budget = "1".to_owned();
    let (network, play) = (&mut experiment.network, &mut experiment.selfplay);
    (network.blocks, network.filters) = (network.blocks.min(1), 8);
    network.initial.clear();
    network.convolutions.iter_mut().for_each(|layer| layer.filters = 8);
    network.hidden.iter_mut().for_each(|width| *width = (*width).min(16));
    (play.games, play.first_games, play.simulations, play.playout_cap_simulations) = (2, 0, 8, 4);
    (play.max_plies, play.in_flight) = (play.max_plies.min(12), 2);
    if let Some(supervised) = &mut experiment.supervised {
        supervised.test_positions = supervised.test_positions.min(20);
    }
    (experiment.training.batch, experiment.training.steps) = (8, 2);
    let measure = &mut experiment.measure;
    (measure.every, measure.games, measure.final_games, measure.simulations) = (0, 0, 2, 4);
    measure.opponents = vec!["random".to_owned()];
}

/// Sets `a.b` in a table.
fn set(table: &mut toml::Table, key: &str, value: toml::Value) -> Result<()> {
    let mut parts: Vec<&str> = key.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut at = table;
    for part in parts {
        let below = at.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        at = below.as_table_mut().with_context(|| format!("{key:?}: {part:?} is no section"))?;
    }
    at.insert(last.to_owned(), value);
    Ok(())
}

/// `runs/NAME`, or the first of `runs/NAME-2`, `runs/NAME-3`... that is free.
fn free_directory(name: &str) -> Result<PathBuf> {
    let numbered = |number: u32| if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
    let free = (1..10_000).map(|number| Path::new(RUNS).join(numbered(number))).find(|path| !path.exists());
    free.with_context(|| format!("{RUNS}/{name}: too many runs"))
}

/// The run that was worked on last, of this experiment if one is named.
fn latest_run(name: Option<&str>) -> Result<PathBuf> {
    let runs = crate::runs::directories(Path::new(RUNS))?;
    let of_name = |path: &&PathBuf| {
        let directory = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.is_none_or(|name| {
            directory == name || directory.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
        })
    };
    let touched = |path: &PathBuf| std::fs::metadata(path.join("networks")).and_then(|data| data.modified()).ok();
    let latest = runs.iter().filter(of_name).max_by_key(|path| touched(path));
    latest.cloned().context("there is no run in runs/ to go on with: name one by --out")
}

fn work(args: &TrainArgs, experiment: &Experiment, root: &Path, out: &mut Output) -> Result<()> {
    tesuji_games::visit(&experiment.game, experiment.rules, Work { args, experiment, root, out })?
}

struct Work<'a> {
    args: &'a TrainArgs,
    experiment: &'a Experiment,
    root: &'a Path,
    out: &'a mut Output,
}

impl Visitor for Work<'_> {
    type Output = Result<()>;

    fn visit<G: Game>(self, game: G) -> Result<()> {
        let Work { args, experiment, root, out } = self;
        let mut experiment = experiment.clone();
        if let Some(supervised) = experiment.supervised.as_mut().filter(|options| args.dummy && options.data.is_empty())
        {
            let data = root.join("dummy-data");
            random_games(&game, &data)?;
            supervised.data = data.display().to_string();
        }
        let experiment = &experiment;
        for opponent in &experiment.measure.opponents {
            if earlier_generation(opponent).is_none() {
                contest::check_agent(&game, opponent)?;
            }
        }
        let extent = match args.budget {
            Some(extent) => extent,
            None => experiment.budget.parse::<StopRule>().map_err(anyhow::Error::msg)?,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let stop = contest::listen_for_interrupt()?;
        let spent = run::read_costs(root).unwrap_or_default();
        let mut view = View::new(root, extent, &spent);
        let conditions = RunConditions {
            threads: args.threads.unwrap_or(cores),
            extent,
            stop,
            progress: &mut |progress| view.show(progress),
        };
        let ended = train(&game, experiment, root, conditions)?;
        view.finish();
        if out.json { print_json(root, &ended, out) } else { print(root, experiment, &ended, out) }
    }
}

/// A data set of a few random games, for a dummy run that is given none.
fn random_games<G: Game>(game: &G, directory: &Path) -> Result<()> {
    let sources = vec![Source { name: "random games".to_owned(), bytes: 0 }];
    let mut writer = Writer::create(game, directory, Settings { seed: 1, keep: 1.0, sources })?;
    for number in 0..8 {
        let mut random = Stream::new(number, "dummy data", 0);
        let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), "startpos");
        let mut position = game.start();
        let mut moves = Vec::new();
        while record.moves.len() < 12 && position.expand(&mut moves).is_none() {
            let Some(&mv) = random.choose(&moves) else { break };
            record.push(mv);
            position.play(mv);
        }
        record.outcome = Some(position.outcome().unwrap_or(Outcome::Draw));
        match check(game, &record) {
            Ok(game) => writer.add(game)?,
            Err(skip) => writer.skip(&skip),
        }
    }
    writer.finish()?;
    Ok(())
}

/// Shows how a run is getting on: a line that is rewritten on a terminal, now and then a line on a log.
struct View {
    bar: Option<ProgressBar>,
    next_log: Instant,
    began: Instant,
    spent: Duration,
    extent: StopRule,
    strength: String,
}

const LOG_INTERVAL: Duration = Duration::from_secs(30);

impl View {
    fn new(root: &Path, extent: StopRule, costs: &[ledger::Entry]) -> View {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {wide_msg}");
            let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let spent: f64 = costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(|entry| entry.wall).sum();
        let view = View {
            bar,
            next_log: Instant::now() + LOG_INTERVAL,
            began: Instant::now(),
            spent: Duration::from_secs_f64(spent),
            extent,
            strength: String::new(),
        };
        view.line(&format!("run {}", root.display()));
        view
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }

    /// Something that changes all the time: the bar's line, or a line on the log if it is due.
    fn passing(&mut self, text: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text());
        } else if Instant::now() >= self.next_log {
            self.next_log = Instant::now() + LOG_INTERVAL;
            eprintln!("  {}", text());
        }
    }

    fn left(&self, generation: u64) -> String {
        match self.extent {
            StopRule::Generations(all) => format!("generation {generation} of {all}"),
            StopRule::Time(all) => {
                let left = all.saturating_sub(self.spent + self.began.elapsed());
                format!("generation {generation}, {} left", clock(left))
            }
        }
    }

    fn show(&mut self, progress: Progress) {
        match progress {
            Progress::Note(text) => self.line(&format!("note: {text}")),
            Progress::Begin { generation, initial, parameters, flops } => {
                let network =
                    format!("{} parameters, {:.1} MFLOP a position", HumanCount(parameters as u64), flops as f64 / 1e6);
                let place = match (generation, initial.as_str()) {
                    (0, "") => "from nothing".to_owned(),
                    (0, initial) => format!("from {initial}"),
                    _ => format!("from generation {generation}"),
                };
                self.line(&format!("network of {network}; {place}"));
            }
            Progress::Playing { generation, games, of, positions_per_second, evaluations_per_second } => {
                let left = self.left(generation);
                let strength = self.strength.clone();
                self.passing(|| {
                    format!(
                        "{left}: {games} of {of} games, {positions_per_second:.0} positions/s, \
                         {evaluations_per_second:.0} evaluations/s{strength}"
                    )
                });
            }
            Progress::Training { generation, step, of, losses } => {
                let left = self.left(generation);
                let strength = self.strength.clone();
                self.passing(|| format!("{left}: step {step} of {of}, {}{strength}", losses_text(losses)));
            }
            Progress::Generation(event) => self.line(&generation_line(&event)),
            Progress::Measuring { generation, opponent } => {
                self.passing(|| format!("generation {generation}: match against {opponent}"));
            }
            Progress::Strength(event) => {
                self.strength = format!(", {} v {}", score_text(&event), event.opponent);
                self.line(&format!("  generation {} v {}: {}", event.generation, event.opponent, elo_line(&event)));
            }
        }
    }

    fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// The losses of policy and value; networks without a policy have none of it.
fn losses_text([policy, value]: [f32; 2]) -> String {
    let policy = if policy > 0.0 { format!("policy loss {policy:.3}, ") } else { String::new() };
    format!("{policy}value loss {value:.3}")
}

fn generation_line(event: &GenerationEvent) -> String {
    let play = &event.play;
    let [first, draws, second] = play.outcomes;
    let mates = if play.mates > 0 { format!(", {} mates found", play.mates) } else { String::new() };
    let policy = match event.policy_loss {
        0.0 => String::new(),
        loss => format!("policy loss {loss:.3} ({:.0}%), ", 100.0 * event.policy_accuracy),
    };
    let games = match play.games {
        0 => String::new(),
        games => format!("{games} games +{first} ={draws} -{second} of {:.1} plies{mates}; ", play.mean_plies),
    };
    let test = event.test.map_or_else(String::new, |test| {
        let [top1, top5] = [test.top1, test.top5].map(|share| 100.0 * share);
        format!("; held out: top-1 {top1:.1}%, top-5 {top5:.1}%, value error {:.3}", test.value_error)
    });
    format!(
        "generation {:3}: {games}{} steps, {policy}value loss {:.3} ({:.0}%){test}",
        event.generation,
        event.steps,
        event.value_loss,
        100.0 * event.value_accuracy,
    )
}

/// The score of a match: `+30 =2 -8, 77.5%`.
pub fn score_text(event: &StrengthEvent) -> String {
    let [wins, draws, losses] = event.score;
    let games = (wins + draws + losses).max(1);
    let share = 100.0 * (wins as f64 + 0.5 * draws as f64) / games as f64;
    format!("+{wins} ={draws} -{losses}, {share:.1}%")
}

fn elo_line(event: &StrengthEvent) -> String {
    let infinite = |value: Option<f64>, sign: &str| value.map_or(format!("{sign}inf"), |value| format!("{value:+.0}"));
    let [difference, low, high] = event.elo;
    let sign = if event.score[0] > event.score[2] { "+" } else { "-" };
    format!(
        "{}, Elo {} [{}, {}]",
        score_text(event),
        infinite(difference, sign),
        infinite(low, "-"),
        infinite(high, "+")
    )
}

/// The newest strength against each opponent.
pub fn latest_strength(events: &[Event]) -> Vec<&StrengthEvent> {
    let mut latest: Vec<&StrengthEvent> = Vec::new();
    for event in events {
        if let Event::Strength(event) = event {
            latest.retain(|known| known.opponent != event.opponent);
            latest.push(event);
        }
    }
    latest
}

fn print(root: &Path, experiment: &Experiment, ended: &Ended, out: &mut Output) -> Result<()> {
    let strength = latest_strength(&ended.events);
    if !strength.is_empty() {
        let mut table = Table::new().right(1..2);
        table.row(["opponent", "generation", "score", "Elo [95% interval]"]);
        for event in strength {
            let line = elo_line(event);
            let (score, elo) = line.split_once(", Elo ").unwrap_or((&line, ""));
            table.row([event.opponent.clone(), event.generation.to_string(), score.to_owned(), elo.to_owned()]);
        }
        out.bytes(table.text().as_bytes())?;
        out.line("")?;
    }
    let mut costs = Table::new().right(1..7);
    costs.row(["cost", "seconds", "CPU s", "games", "evaluations", "samples", "GFLOP"]);
    for entry in ledger::totals(&ended.costs) {
        costs.row([
            entry.phase.name().to_owned(),
            format!("{:.0}", entry.wall),
            format!("{:.0}", entry.cpu),
            HumanCount(entry.games).to_string(),
            HumanCount(entry.evaluations).to_string(),
            HumanCount(entry.samples).to_string(),
            format!("{:.0}", entry.flops as f64 / 1e9),
        ]);
    }
    out.bytes(costs.text().as_bytes())?;
    out.line("")?;
    let state = if ended.stopped { "stopped" } else { "finished" };
    out.line(&format!("{state} after generation {}: {}", ended.generation, root.display()))?;
    if ended.stopped {
        out.line(&format!("go on with: tesuji train --resume --out {}", root.display()))
    } else {
        out.line(&format!("report: {}", root.join("report.html").display()))?;
        let line = agent_line(experiment).unwrap_or_else(|| "pv:net=NET".to_owned());
        out.line(&format!("play it with: {}", line.replace("NET", &root.display().to_string())))
    }
}

fn print_json(root: &Path, ended: &Ended, out: &mut Output) -> Result<()> {
    out.object(&json!({
        "run": root, "generation": ended.generation, "stopped": ended.stopped,
        "strength": latest_strength(&ended.events), "costs": ledger::totals(&ended.costs),
    }))
}

/// `--rules` belongs to the experiment here.
pub fn check_rules(common: &Common) -> Result<()> {
    ensure!(
        common.rules == tesuji_core::Rules::Official,
        "--rules: an experiment says its rules itself (rules = \"paper\")"
    );
    Ok(())
}
