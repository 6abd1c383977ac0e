//! Strength against fixed opponents, with fixed seeds: two runs of one experiment measure the same numbers.

use crate::agents::{AgentSpec, NetworkSpec};
use crate::experiments::Experiment;
use crate::kit::{Agents, GameKit};
use crate::networks::NetworkStore;
use crate::run::{StrengthEvent, network_path};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_arena::matches::{MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::{Budget, Player};
use tesuji_nn::ConvMethod;
use tesuji_search::AgentSource;

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
    /// A generation's network as the agent of a line, whose network has no name that could stand in a line.
    fn own_agent(&self, line: &str, generation: u64) -> Result<AgentSpec, String> {
        let mut spec = AgentSpec::parse(line).map_err(|error| error.to_string())?;
        if let AgentSpec::Network(NetworkSpec::Pv(options)) = &mut spec {
            options.net = self.network(generation);
        }
        Ok(spec)
    }

    fn network(&self, generation: u64) -> String {
        network_path(self.root, generation).display().to_string()
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

/// A match of a generation's network against an opponent; `None` if it was stopped.
///
/// # Errors
/// If the opponent cannot be made.
pub fn strength(
    candidate: &Candidate<'_>,
    opponent: &str,
    games: usize,
    stop: &AtomicBool,
) -> Result<Option<(StrengthEvent, Summary)>, String> {
    let generation = candidate.generation;
    let (name, line) = (candidate.experiment.agent(), candidate.experiment.agent_line());
    let spec = candidate.conditions(&name, opponent)?;
    // The run's own networks play by the kernels of the run; whoever is named by a line plays as it does everywhere.
    let ours = Agents::new(candidate.kit, Arc::new(NetworkStore::with_method(candidate.method)));
    let others = Agents::new(candidate.kit, Arc::new(NetworkStore::new()));
    let of_run = |generation: u64, name: &str| -> Result<Box<dyn Player>, String> {
        match line {
            Some(line) => {
                let line = line.replace("NET", &candidate.network(generation));
                others.player(&line, 0).map_err(|error| error.to_string())
            }
            None => {
                let spec = candidate.own_agent(&candidate.experiment.agent(), generation)?;
                ours.seat((&spec, spec.limits()), name, 0)
            }
        }
    };
    let first = || of_run(generation, &name);
    let second = || match earlier_generation(opponent, generation) {
        Some(earlier) => of_run(earlier, opponent),
        None => others.player(opponent, 0).map_err(|error| error.to_string()),
    };
    let extent = MatchLength { games, sprt: None, threads: candidate.threads };
    let game = candidate.kit.game();
    let results = play_match(game.as_ref(), &spec, &extent, [&first, &second], None, stop, &mut |_| {})?;
    if results.len() < games {
        return Ok(None);
    }
    let summary = Summary::of(&results);
    let elo = summary.elo();
    let finite = |value: f64| value.is_finite().then_some(value);
    let event = StrengthEvent {
        generation,
        agent: name.clone(),
        opponent: opponent.to_owned(),
        score: [summary.score.wins, summary.score.draws, summary.score.losses],
        distinct: summary.distinct as u64,
        elo: [finite(elo.difference), finite(elo.low), finite(elo.high)],
    };
    Ok(Some((event, summary)))
}
