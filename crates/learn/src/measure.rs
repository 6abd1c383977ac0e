//! Strength against fixed opponents, with fixed seeds: two runs of one experiment measure the same numbers.

use crate::cluster::{Contest, Foreman, ForemanOptions, MATCHES, Networks, Purpose, Seat, Task, Terms, Transport};
use crate::experiments::Experiment;
use crate::kit::GameKit;
use crate::run::ledger::PlayCost;
use crate::run::{Checkpoint, Order, PlayedGame, StrengthEvent, Workers, network_path};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_arena::matches::{GameResult, MatchSpec, Summary};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::Budget;
use tesuji_nn::{ConvMethod, Isa, KernelPath};

/// Games of a match that a worker plays at a time: matches are short, and several workers are to share one.
const PART: u64 = 4;

/// The generation that an opponent's line `generation:N` means to this one: an earlier network of the same run, playing
/// as the new one does. `generation:-1` is the one before.
pub fn earlier_generation(line: &str, generation: u64) -> Option<u64> {
    let number = line.strip_prefix("generation:")?;
    match number.strip_prefix('-') {
        Some(back) => back.parse().ok().map(|back| generation.saturating_sub(back)),
        None => number.parse().ok(),
    }
}

/// Who plays a match, and how.
pub struct Candidate<'a> {
    /// The game.
    pub kit: &'a dyn GameKit,
    /// The run's experiment.
    pub experiment: &'a Experiment,
    /// The run's directory, which holds the networks.
    pub root: &'a Path,
    /// The generation.
    pub generation: u64,
    /// How the run computes 3x3 convolutions.
    pub method: ConvMethod,
    /// Games at a time; results do not depend on it.
    pub threads: usize,
}

impl Candidate<'_> {
    /// A generation's network as a player: as the agent of the experiment's line, or as it was trained.
    fn seat(&self, generation: u64, networks: &mut Networks) -> Result<Seat, String> {
        let name = format!("generation-{generation}");
        if !networks.contains_key(&name) {
            let path = network_path(self.root, generation);
            networks.insert(name.clone(), Checkpoint::load(&path).map_err(|error| error.to_string())?);
        }
        Ok(match self.experiment.agent_line() {
            Some(line) => Seat::Line(line.replace("NET", &name)),
            None => Seat::Own(self.experiment.agent(), name),
        })
    }

    /// What is played against an opponent, and the networks of the run in it.
    fn terms(&self, opponent: &str) -> Result<(Terms, Networks), String> {
        let mut networks = Networks::new();
        let first = self.seat(self.generation, &mut networks)?;
        let second = match earlier_generation(opponent, self.generation) {
            Some(earlier) => self.seat(earlier, &mut networks)?,
            None => Seat::Line(opponent.to_owned()),
        };
        let spec = self.conditions(&self.experiment.agent(), opponent)?;
        Ok((Terms { purpose: Purpose::Match, spec, seats: [first, second], method: self.method }, networks))
    }

    fn conditions(&self, name: &str, opponent: &str) -> Result<MatchSpec, String> {
        let (game, experiment) = (self.kit.game(), self.experiment);
        let measure = &experiment.measure;
        let openings = match () {
            () if !measure.starts.is_empty() => Openings::Lines(measure.starts.clone()),
            () if measure.varied_starts => Openings::Varied,
            () => Openings::Random(measure.opening_plies),
        };
        let budget: Budget = measure.budget.parse().map_err(|error: tesuji_core::ParseError| error.to_string())?;
        Ok(MatchSpec {
            game: game.name().to_owned(),
            rules: game.rules(),
            players: [name.to_owned(), opponent.to_owned()],
            budgets: [Budget::UNLIMITED, budget],
            margin: Duration::from_secs(1),
            openings,
            adjudication: Adjudication {
                max_plies: Some(measure.max_plies.unwrap_or(experiment.selfplay.max_plies)),
                ..Adjudication::default()
            },
            seed: experiment.seed,
        })
    }
}

/// Other processes that play the matches of a run.
pub struct Judges<'t> {
    foreman: Foreman<'t>,
}

impl<'t> Judges<'t> {
    /// Those at a place, for the matches of a run of this name.
    pub fn new(
        transport: &'t dyn Transport,
        options: ForemanOptions,
        run: &str,
        (kit, experiment): (&dyn GameKit, &Experiment),
    ) -> Judges<'t> {
        let (game, opponents) = (kit.game(), &experiment.measure.opponents);
        let lines = opponents.iter().map(String::as_str).chain([experiment.measure.agent.as_str()]);
        let task = Task::of_agents(game.name(), lines, Some(experiment.network.kind()));
        Judges { foreman: Foreman::of_contests(transport, options, &format!("{run}{MATCHES}"), task, game) }
    }

    /// Plays a match that has this number among all matches of the run; `None` if it was stopped.
    fn play(
        &mut self,
        candidate: &Candidate<'_>,
        contest: (&Terms, &Networks),
        (number, games): (u64, usize),
        stop: &AtomicBool,
        say: &mut dyn FnMut(String),
    ) -> Result<(Vec<GameResult>, PlayCost), String> {
        let game = candidate.kit.game();
        let bytes = contest.0.to_bytes(contest.1);
        // As workers have it. The learner has the programs' leave already.
        let here = Contest::sent(&bytes, true)?;
        let here = here.of(candidate.kit);
        self.foreman.repeats(here.repeats());
        let todo: Vec<u64> = (0..games as u64).collect();
        let order = Order {
            generation: number,
            games: games as u64,
            todo: &todo,
            size: PART,
            before: number,
            network: &|| bytes.clone(),
            path: KernelPath { isa: Isa::best(), method: candidate.method },
            threads: candidate.threads,
            stop,
        };
        let mut results = BTreeMap::new();
        let mut done = |played: PlayedGame| {
            let result = GameResult::of_record(game.as_ref(), played.index as usize, &played.record);
            results.insert(played.index, result.map_err(|error| error.to_string())?);
            Ok(())
        };
        let cost = self.foreman.play(&order, &here, &mut done, say)?;
        Ok((results.into_values().collect(), cost))
    }
}

/// A match of a generation's network against an opponent; `None` if it was stopped. `judges` play it, if there are any and
/// they can; `number` is that of the match among all matches of the run. What comes out is the same.
///
/// # Errors
/// If the opponent cannot be made.
pub fn strength(
    candidate: &Candidate<'_>,
    opponent: &str,
    games: usize,
    stop: &AtomicBool,
    judges: Option<(&mut Judges<'_>, u64)>,
    say: &mut dyn FnMut(String),
) -> Result<Option<(StrengthEvent, Summary, PlayCost)>, String> {
    let (terms, mut networks) = candidate.terms(opponent)?;
    let refusal = judges.is_some().then(|| terms.refusal()).flatten();
    if let Some(problem) = &refusal {
        say(format!("{problem}: the match is played here"));
    }
    let (results, cost) = match judges.filter(|_| refusal.is_none()) {
        Some((judges, number)) => {
            terms.add_networks(candidate.kit.game().as_ref(), &mut networks)?;
            judges.play(candidate, (&terms, &networks), (number, games), stop, say)?
        }
        None => {
            let (contest, numbers) = (Contest::here(terms, &networks), (0..games).collect::<Vec<_>>());
            let mut results = Vec::new();
            let mut keep = |result| {
                results.push(result);
                Ok(())
            };
            contest.of(candidate.kit).results(&numbers, candidate.threads, stop, &mut keep)?;
            let evaluations = results.iter().map(|result: &GameResult| result.costs[0].evaluations).sum();
            (results, PlayCost { evaluations, ..PlayCost::default() })
        }
    };
    if results.len() < games {
        return Ok(None);
    }
    let summary = Summary::of(&results);
    let elo = summary.elo();
    let finite = |value: f64| value.is_finite().then_some(value);
    let event = StrengthEvent {
        generation: candidate.generation,
        agent: candidate.experiment.agent(),
        opponent: opponent.to_owned(),
        score: [summary.score.wins, summary.score.draws, summary.score.losses],
        distinct: summary.distinct as u64,
        elo: [finite(elo.difference), finite(elo.low), finite(elo.high)],
    };
    Ok(Some((event, summary, cost)))
}
