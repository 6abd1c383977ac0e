//! Strength against fixed opponents, with fixed seeds: two runs of one experiment measure the same numbers.

use crate::agents::pv::PvOptions;
use crate::agents::{AgentSpec, NetworkSpec};
use crate::experiments::Experiment;
use crate::kit::{Agents, GameKit};
use crate::networks::NetworkStore;
use crate::play::options::FpuConfig;
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

/// The generation that an opponent's line `generation:N` means: an earlier network of the same run, playing as the new
/// one does.
pub fn earlier_generation(line: &str) -> Option<u64> {
    line.strip_prefix("generation:")?.parse().ok()
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
    /// The name that its agent has in events, and its line with NET for the network; no line if it plays as
    /// [`own_agent`](Self::own_agent).
    fn line(&self) -> (String, Option<&str>) {
        let line = self.experiment.agent_line();
        let (simulations, mate) = (self.experiment.measure.simulations, self.experiment.selfplay.mate);
        (line.map_or_else(|| format!("pv:sims={simulations},mate={mate}"), str::to_owned), line)
    }

    /// A generation's network with tree search as the experiment's self-play has it.
    fn own_agent(&self, generation: u64) -> AgentSpec {
        let play = &self.experiment.selfplay;
        AgentSpec::Network(NetworkSpec::Pv(PvOptions {
            net: self.network(generation),
            sims: Some(self.experiment.measure.simulations),
            c: play.c_puct,
            battack: play.b_attack,
            fpu: match play.fpu {
                FpuConfig::Less(reduction) => Some(reduction),
                FpuConfig::As(_) => None,
            },
            mate: play.mate,
            ..PvOptions::default()
        }))
    }

    fn network(&self, generation: u64) -> String {
        network_path(self.root, generation).display().to_string()
    }

    fn conditions(&self, name: &str, opponent: &str) -> Result<MatchSpec, String> {
        let (game, experiment) = (self.kit.game(), self.experiment);
        let measure = &experiment.measure;
        let openings = if measure.varied_starts { Openings::Varied } else { Openings::Random(measure.opening_plies) };
        let budget: Budget = measure.budget.parse().map_err(|error: tesuji_core::ParseError| error.to_string())?;
        Ok(MatchSpec {
            game: game.name().to_owned(),
            rules: game.rules(),
            players: [name.to_owned(), opponent.to_owned()],
            budgets: [Budget::UNLIMITED, budget],
            margin: Duration::from_secs(1),
            openings,
            adjudication: Adjudication { max_plies: Some(experiment.selfplay.max_plies), ..Adjudication::default() },
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
    let (name, line) = candidate.line();
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
            None => ours.seat(&candidate.own_agent(generation), name, 0),
        }
    };
    let first = || of_run(generation, &name);
    let second = || match earlier_generation(opponent) {
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
