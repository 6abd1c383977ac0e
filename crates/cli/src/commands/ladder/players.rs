//! Who stands on a ladder.

use super::args::LadderArgs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tesuji_core::{AnyGame, Budget};
use tesuji_learn::agents::AgentSpec;
use tesuji_learn::networks::{self, BuiltIn};

/// A player: an agent at a time, or a yardstick.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entrant {
    /// The line of the agent.
    pub line: String,
    /// Processor time for a move; none for a yardstick.
    pub at: Option<Duration>,
}

impl Entrant {
    /// Its name on the ladder.
    pub fn name(&self) -> String {
        match self.at {
            None => self.line.clone(),
            Some(_) => format!("{} @ {}", self.line, self.budget().to_string().trim_start_matches("cpu=")),
        }
    }

    /// What it may spend on a move. An engine without a limit of its own would think for ever.
    pub fn budget(&self) -> Budget {
        let cpu = self.at.or_else(|| self.line.starts_with("engine:").then_some(ENGINE_TIME));
        Budget { cpu, ..Budget::UNLIMITED }
    }

    /// Processor time that the training of its network took, in seconds.
    pub fn training(&self) -> Option<f64> {
        networks::training_cost(AgentSpec::network_of(&self.line)?)
    }
}

/// What an engine that is a yardstick may spend on a move.
const ENGINE_TIME: Duration = Duration::from_millis(100);

/// Yardsticks of every game.
const YARDSTICKS: [&str; 5] = ["random", "bot", "alphabeta:pure,depth=2", "uct:sims=100", "uct:sims=1000"];

/// Agents of every game that think as long as they may.
const THINKERS: [&str; 2] = ["alphabeta", "uct"];

/// Such agents of single games.
const OF_GAMES: [(&str, &str); 6] = [
    ("shogi", "shogi-uct"),
    ("minishogi", "shogi-uct"),
    ("bingo3d", "bingo-uct"),
    ("tubstap", "muct"),
    ("tubstap", "pmc"),
    ("tubstap", "tubstap-mcts:sims=none"),
];

/// An engine that plays a game if it is installed.
struct Installed {
    game: &'static str,
    program: &'static str,
    /// Its options as a player that thinks as long as it may, behind the `?`.
    full: &'static str,
    /// Its options as yardsticks.
    lower: &'static [&'static str],
}

const ENGINES: [Installed; 3] = [
    Installed {
        game: "chess",
        program: "stockfish",
        full: "Threads=1",
        lower: &[
            "UCI_LimitStrength=true&UCI_Elo=1350",
            "UCI_LimitStrength=true&UCI_Elo=1700",
            "UCI_LimitStrength=true&UCI_Elo=2100",
            "UCI_LimitStrength=true&UCI_Elo=2500",
        ],
    },
    Installed {
        game: "shogi",
        program: "fairy-stockfish",
        full: "Threads=1",
        lower: &["Skill Level=-10", "Skill Level=0", "Skill Level=10"],
    },
    Installed {
        game: "minishogi",
        program: "fairy-stockfish",
        full: "Threads=1",
        lower: &["Skill Level=-10", "Skill Level=0", "Skill Level=10"],
    },
];

/// The players of a ladder by name, each once: their numbers do not depend on the order of the command line.
pub fn entrants(args: &LadderArgs, game: &dyn AnyGame) -> Vec<Entrant> {
    let (mut thinkers, mut fixed) = (args.agents.clone(), args.fixed.clone());
    if !args.only {
        let of_game = OF_GAMES.iter().filter(|(of, _)| *of == game.name()).map(|(_, line)| *line);
        thinkers.extend(THINKERS.into_iter().chain(of_game).map(str::to_owned));
        thinkers.extend(built_in(game));
        fixed.extend(YARDSTICKS.map(str::to_owned));
        for engine in ENGINES.iter().filter(|engine| engine.game == game.name()) {
            let Some(path) = installed(engine.program) else { continue };
            let line = |options: &str| format!("engine:{}?{options}", path.display());
            thinkers.push(line(engine.full));
            fixed.extend(engine.lower.iter().map(|options| line(options)));
        }
    }
    let at_times =
        thinkers.iter().flat_map(|line| args.at.iter().map(|&at| Entrant { line: line.clone(), at: Some(at) }));
    let mut all: Vec<Entrant> = at_times.chain(fixed.into_iter().map(|line| Entrant { line, at: None })).collect();
    all.sort();
    all.dedup();
    all
}

/// The networks of a game that come with the program, as the agents that they were trained to be.
fn built_in(game: &dyn AnyGame) -> Vec<String> {
    let fits = |network: &&BuiltIn| network.game == game.name() && network.rules == game.rules();
    let own = networks::shipped().iter().filter(fits);
    own.map(|network| network.agent.clone()).collect()
}

/// A program, if the system finds it by its name, or where games are.
fn installed(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
        return Some(PathBuf::from(program));
    }
    Some(Path::new("/usr/games").join(program)).filter(|path| path.is_file())
}
