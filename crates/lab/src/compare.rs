//! Agents at equal CPU time: the general form of the question which method is better, at which cost.

use crate::entry::{Data, Entry};
use crate::error::{LabError, problem};
use crate::openings::openings;
use crate::standings::{Contender, standings};
use crate::work::{check_players, player};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_arena::cost::forget_peak_memory;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{MatchLength, MatchSpec, play_match};
use tesuji_arena::play::Adjudication;
use tesuji_arena::tournament::Format;
use tesuji_core::{Budget, Rules};
use tesuji_learn::agents::AgentSpec;
use tesuji_learn::run::ledger;
use tesuji_learn::run::{Event, read_costs, read_events};
use tesuji_learn::{Agents, Experiment};
use tesuji_report::{Axis, Block, Chart, Point, Report, Series};
use tesuji_search::AgentSource;

/// What is compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The game's registered name.
    pub game: String,
    /// The rules.
    pub rules: Rules,
    /// The agents.
    pub agents: Vec<String>,
    /// CPU time of a move: a tournament for each.
    pub at: Vec<Duration>,
    /// Games of each pairing.
    pub games: usize,
    /// Where games start.
    pub openings: String,
    /// A game of this many plies is a draw.
    pub max_plies: Option<u32>,
    /// The seed.
    pub seed: u64,
    /// Games at a time.
    pub threads: usize,
}

/// Plays the tournaments, journals in `out`, and makes the report; `progress` is told the games so far and in all.
///
/// # Errors
/// If an agent cannot be made, a journal is of other conditions, or it was stopped.
pub fn compare(
    what: &Comparison,
    out: &Path,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, LabError> {
    let kit = tesuji_registry::kit(&what.game, what.rules).map_err(problem)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    check_players(&agents, &what.agents)?;
    std::fs::create_dir_all(out).map_err(|error| LabError::new(format!("cannot make {out:?}: {error}")))?;
    let pairings = Format::RoundRobin.pairings(what.agents.len());
    let all = pairings.len() * what.at.len() * what.games;
    let mut entries: Vec<Entry> = Vec::new();
    let mut behind = 0;
    for time in &what.at {
        let step = step_name(*time);
        for &(a, b) in &pairings {
            let spec = MatchSpec {
                game: game.name().to_owned(),
                rules: game.rules(),
                players: [what.agents[a].clone(), what.agents[b].clone()],
                budgets: [Budget { cpu: Some(*time), ..Budget::UNLIMITED }; 2],
                margin: Duration::from_secs(1),
                openings: openings(game.as_ref(), &what.openings)?,
                adjudication: Adjudication { max_plies: what.max_plies, ..Adjudication::default() },
                seed: what.seed,
            };
            let path = out.join(format!("{}-{a}-{b}.jsonl", step.replace(' ', "")));
            let mut journal = Journal::open(&path, &spec).map_err(problem)?;
            let length = MatchLength { games: what.games, sprt: None, threads: what.threads };
            let make = [a, b].map(|number| {
                let (agents, line) = (&agents, &what.agents[number]);
                move || player(agents, line)
            });
            let mut show = |results: &[_]| progress(behind + results.len(), all);
            forget_peak_memory();
            let results =
                play_match(game.as_ref(), &spec, &length, [&make[0], &make[1]], Some(&mut journal), stop, &mut show);
            let results = results.map_err(LabError::new)?;
            if results.len() < what.games {
                return Err(LabError::Stopped);
            }
            behind += what.games;
            let labels = vec![("a".to_owned(), what.agents[a].clone()), ("b".to_owned(), what.agents[b].clone())];
            entries.push(Entry {
                step: step.clone(),
                labels,
                timed: true,
                data: Data::Match { spec: Box::new(spec), results },
            });
        }
    }
    Ok(report(what, entries))
}

fn step_name(time: Duration) -> String {
    format!("{} ms", time.as_secs_f64() * 1e3)
}

/// What is known of the training of an agent's network: the run that it names.
type Trained = Option<(Experiment, Vec<Event>, Vec<ledger::Entry>)>;

fn trained(line: &str) -> Trained {
    let network = AgentSpec::network_of(line)?;
    let root = PathBuf::from(network.split('@').next().unwrap_or(network));
    let experiment = Experiment::of_run(&root).ok()??;
    Some((experiment, read_events(&root).ok()?, read_costs(&root).ok()?))
}

fn report(what: &Comparison, mut entries: Vec<Entry>) -> Report {
    let runs: Vec<Trained> = what.agents.iter().map(|line| trained(line)).collect();
    let mut report = Report::new(format!("{}: {} agents at equal CPU time", what.game, what.agents.len()));
    report.lead.push(
        "Every agent has the same CPU time for a move; agents that need less use less. Which one is stronger, and what did its training cost?".to_owned(),
    );
    let fact = |name: &str, value: String| (name.to_owned(), value);
    report.facts = vec![
        fact("game", format!("{} ({} rules)", what.game, what.rules)),
        fact("games of each pairing", what.games.to_string()),
        fact("openings", what.openings.clone()),
        fact("machine", crate::differs::machine()),
    ];
    let mut series: Vec<Series> =
        what.agents.iter().map(|line| Series { name: line.clone(), ..Series::default() }).collect();
    let mut sections = Vec::new();
    for time in &what.at {
        let step = step_name(*time);
        let contenders: Vec<Contender<'_>> = what
            .agents
            .iter()
            .zip(&runs)
            .map(|(line, run)| Contender {
                name: line,
                line,
                run: run.as_ref().map(|(experiment, events, costs)| (experiment, &events[..], &costs[..])),
            })
            .collect();
        let players = standings(&step, &contenders, &entries);
        for (line, entry) in series.iter_mut().zip(&players) {
            if let Data::Player(standing) = &entry.data {
                line.points.push(Point::of(time.as_secs_f64() * 1e3, &standing.elo(), 1.0));
            }
        }
        entries.extend(players);
        let caption = format!("A tournament with {step} of CPU time a move, the strongest first.");
        sections.push((format!("{step} a move"), crate::standings::show(&step, &caption, &entries)));
    }
    let chart = Chart {
        title: "Strength by the CPU time of a move".to_owned(),
        caption: "Elo above the mean of these players at the same time a move; bands are 95% intervals. Ratings at different times are of different tournaments.".to_owned(),
        x: Axis::logarithmic("CPU-milliseconds a move"),
        y: Axis::linear("Elo above the mean"),
        series,
        ..Chart::default()
    };
    report.section("Strength", vec![Block::Chart(chart)]);
    for (title, blocks) in sections {
        report.section(title, blocks);
    }
    for entry in &entries {
        report.measures.extend(entry.measures());
    }
    report
}
