//! Strength against fixed opponents, with fixed seeds: two runs of one experiment measure the same numbers.

use crate::agent::{self, Networks, PvOptions};
use crate::experiment::{Experiment, FpuConfig, NetworkKind};
use crate::judged::Judged;
use crate::network::{self, Loaded};
use crate::run::{self, StrengthEvent};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_arena::agent::Foreign;
use tesuji_arena::matches::{MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::opening::Openings;
use tesuji_arena::play::Adjudication;
use tesuji_core::{Budget, Game, Player};
use tesuji_search::player::SearchPlayer;
use tesuji_search::{Agents, Classical};

/// The agents that a run may be measured against.
pub fn opponents() -> impl Agents + Sync {
    (Judged, ((Classical, Networks), Foreign))
}

/// The generation that an opponent's line `generation:N` means: an earlier network of the same run, playing as the new
/// one does.
pub fn earlier_generation(line: &str) -> Option<u64> {
    line.strip_prefix("generation:")?.parse().ok()
}

/// The line of the agent that a run's networks are measured as, with NET for the network; `None` for `pv` as the
/// experiment's self-play has it.
pub fn agent_line(experiment: &Experiment) -> Option<String> {
    match experiment.measure.agent.as_str() {
        "" if experiment.dqn.is_some() => Some("dqn:net=NET".to_owned()),
        "" if experiment.network.kind == NetworkKind::Dense => Some("alphabeta:depth=2,eval=net:NET".to_owned()),
        "" => None,
        line => Some(line.to_owned()),
    }
}

/// Who plays a match, and how.
pub struct Candidate<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The run's experiment.
    pub experiment: &'a Experiment,
    /// The run's directory.
    pub root: &'a Path,
    /// The generation.
    pub generation: u64,
    /// Its network.
    pub network: &'a Loaded<G>,
    /// Games at a time; results do not depend on it.
    pub threads: usize,
}

/// A match of a generation's network against an opponent; `None` if it was stopped.
///
/// # Errors
/// If the opponent cannot be made.
pub fn strength<G: Game>(
    candidate: &Candidate<'_, G>,
    opponent: &str,
    games: usize,
    stop: &AtomicBool,
) -> Result<Option<(StrengthEvent, Summary)>, String> {
    let Candidate { game, experiment, root, generation, network, threads } = *candidate;
    let measure = &experiment.measure;
    let options = PvOptions {
        sims: Some(measure.simulations),
        c: experiment.selfplay.c_puct,
        battack: experiment.selfplay.b_attack,
        fpu: match experiment.selfplay.fpu {
            FpuConfig::Less(reduction) => Some(reduction),
            FpuConfig::As(_) => None,
        },
        mate: experiment.selfplay.mate,
        ..PvOptions::default()
    };
    let line = agent_line(experiment);
    let name =
        line.clone().unwrap_or_else(|| format!("pv:sims={},mate={}", measure.simulations, experiment.selfplay.mate));
    let openings = if measure.varied_starts { Openings::Varied } else { Openings::Random(measure.opening_plies) };
    let budget: Budget = measure.budget.parse().map_err(|error: tesuji_core::ParseError| error.to_string())?;
    let spec = MatchSpec {
        game: game.name().to_owned(),
        rules: game.rules(),
        players: [name.clone(), opponent.to_owned()],
        budgets: [Budget::UNLIMITED, budget],
        margin: Duration::from_secs(1),
        openings,
        adjudication: Adjudication { max_plies: Some(experiment.selfplay.max_plies), ..Adjudication::default() },
        seed: experiment.seed,
    };
    let at = |generation: u64| run::network_path(root, generation).display().to_string();
    let by_line = |line: &str, generation: u64| {
        opponents().player(game, &line.replace("NET", &at(generation)), 0).map_err(|error| error.to_string())
    };
    let ours = || -> Result<Box<dyn Player>, String> {
        if let Some(line) = &line {
            return by_line(line, generation);
        }
        let searcher = agent::searcher(game, network, &options, 0)?;
        Ok(Box::new(SearchPlayer::new(game.clone(), &name, searcher)))
    };
    let earlier = earlier_generation(opponent);
    let before = earlier.filter(|_| line.is_none()).map(|earlier| {
        let path = run::network_path(root, earlier);
        network::load(game, &path, network.model.path().method)
    });
    let before = before.transpose()?;
    let theirs = || match (earlier.zip(line.as_ref()), &before) {
        (Some((earlier, line)), _) => by_line(line, earlier),
        (None, None) => opponents().player(game, opponent, 0).map_err(|error| error.to_string()),
        (None, Some(earlier)) => {
            let searcher = agent::searcher(game, earlier, &options, 0)?;
            Ok(Box::new(SearchPlayer::new(game.clone(), opponent, searcher)) as Box<dyn Player>)
        }
    };
    let extent = MatchLength { games, sprt: None, threads };
    let results = play_match(game, &spec, &extent, [&ours, &theirs], None, stop, &mut |_| {})?;
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
