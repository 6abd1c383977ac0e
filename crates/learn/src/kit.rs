//! The seam between what is compiled once for each game and what is compiled once.
//!
//! [`GameKit`] is all that the loops above (runs, matches, commands) may ask of a game that needs the types of its
//! positions. [`Kit`] implements it for every game, so that a crate that has `Kit<Chess>` holds all that is compiled for
//! chess.

use crate::agents::{AgentSpec, LeafStore, best};
use crate::data::check::{Checked, Skip, check};
use crate::data::{AnyDataSet, DataError, DataSet};
use crate::methods::replayed::{replayed, same_rules};
use crate::methods::{Learner, Method, Setup};
use crate::networks::NetworkStore;
use crate::run::{Anywhere, Run, RunError};
use std::path::Path;
use std::sync::Arc;
use tesuji_arena::engine::Engine;
use tesuji_core::{AnyGame, Game, GameRecord, ParseError, Player, Position};
use tesuji_nn::ConvMethod;
use tesuji_search::agent::{AgentLimits, KindInfo};
use tesuji_search::handle::{AgentSource, AnySearch, ErasedSearch, GameSolver, MateSolver, Searcher};
use tesuji_search::mate::SolverSpec;
use tesuji_search::player::SearchPlayer;
use tesuji_search::strengths::Choices;

/// Everything about a game that is compiled for each game.
pub trait GameKit: Send + Sync {
    /// The game.
    fn game(&self) -> Arc<dyn AnyGame>;

    /// Makes the search of an agent; `seed` is where its random choices come from until a game begins.
    ///
    /// # Errors
    /// If the agent's options cannot be met, its network is not there or does not fit, or it is a foreign engine, which
    /// only plays.
    fn search(&self, spec: &AgentSpec, networks: &Arc<NetworkStore>, seed: u64) -> Result<Box<dyn AnySearch>, String>;

    /// A mate solver with a table of about this many bytes; `None` if the game has no mate.
    fn solver(&self, spec: SolverSpec, bytes: usize) -> Option<Box<dyn MateSolver>>;

    /// The learner of a learning method, before anything has been played.
    ///
    /// # Errors
    /// If its options do not fit the game, or something that they name is not there.
    fn learner(&self, setup: &Setup, method: &Method, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError>;

    /// The games of a learning method, if they can be played anywhere; see [`Method::anywhere`].
    ///
    /// # Errors
    /// If its options do not fit the game, in words.
    fn anywhere(&self, setup: &Setup, method: &Method, seed: u64) -> Result<Option<Box<dyn Anywhere>>, String>;

    /// Whether a game can be learned from, and what of it; see [`check`].
    ///
    /// # Errors
    /// If the record is of another game or other rules, has no result or no moves, or cannot be replayed.
    fn check_record(&self, record: &GameRecord) -> Result<Checked, Skip>;

    /// The features of moves that strengths are learned for, by name.
    fn move_features(&self) -> &'static [&'static str];

    /// Adds every choice of a game to those that strengths are learned from.
    ///
    /// # Errors
    /// If the record is of another game or cannot be replayed, in words; then nothing is added.
    fn add_choices(&self, record: &GameRecord, choices: &mut Choices) -> Result<(), String>;

    /// Opens a data set of this game.
    ///
    /// # Errors
    /// If it is unfinished, of another game, rules or version, or a shard is missing or has another size: in one line.
    fn data_set(&self, directory: &Path) -> Result<Box<dyn AnyDataSet>, DataError>;
}

/// The kit of a game.
pub struct Kit<G>(pub G);

impl<G: Game> GameKit for Kit<G> {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.0.handle()
    }

    fn search(&self, spec: &AgentSpec, networks: &Arc<NetworkStore>, seed: u64) -> Result<Box<dyn AnySearch>, String> {
        let search = match spec {
            AgentSpec::Classical(spec) => {
                let leaves = LeafStore { game: self.0.clone(), networks: Arc::clone(networks) };
                spec.build(&self.0, &leaves, seed)
            }
            AgentSpec::Network(spec) => spec.build(&self.0, networks, seed),
            AgentSpec::Engine(_) => Err("a foreign engine has no search that could be asked".to_owned()),
            AgentSpec::Best(_) => {
                let spec = spec.clone().in_game(self.0.name()).map_err(|error| error.to_string())?;
                return self.search(&spec, networks, seed);
            }
        };
        Ok(Box::new(ErasedSearch(search?)))
    }

    fn solver(&self, spec: SolverSpec, bytes: usize) -> Option<Box<dyn MateSolver>> {
        GameSolver::new(&self.0, spec, bytes).map(|solver| Box::new(solver) as Box<dyn MateSolver>)
    }

    fn learner(&self, setup: &Setup, method: &Method, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError> {
        method.learner(&self.0, setup, run)
    }

    fn anywhere(&self, setup: &Setup, method: &Method, seed: u64) -> Result<Option<Box<dyn Anywhere>>, String> {
        method.anywhere(&self.0, setup, seed)
    }

    fn check_record(&self, record: &GameRecord) -> Result<Checked, Skip> {
        check(&self.0, record)
    }

    fn move_features(&self) -> &'static [&'static str] {
        self.0.feature_names()
    }

    fn add_choices(&self, record: &GameRecord, choices: &mut Choices) -> Result<(), String> {
        let game = &self.0;
        same_rules(game, record).map_err(|problem| format!("{problem}, not of {}", game.name()))?;
        let (mut position, played) = replayed(game, record)?;
        let (mut moves, mut features) = (Vec::new(), Vec::new());
        for mv in played {
            position.moves(&mut moves);
            features.clear();
            features.extend(moves.iter().map(|&mv| game.move_features(&position, mv)));
            if let Some(place) = moves.iter().position(|&legal| legal == mv) {
                choices.add(&features, place);
            }
            position.play(mv);
        }
        Ok(())
    }

    fn data_set(&self, directory: &Path) -> Result<Box<dyn AnyDataSet>, DataError> {
        Ok(Box::new(DataSet::open(self.0.clone(), directory)?))
    }
}

/// Compiles everything for a game, given by its type: defines `kit(rules)`, which a registry of games calls.
#[macro_export]
macro_rules! kit {
    ($game:ty) => {
        /// Everything that is compiled for the game, under these rules.
        pub fn kit(rules: ::tesuji_core::Rules) -> ::std::sync::Arc<dyn $crate::kit::GameKit> {
            ::std::sync::Arc::new($crate::kit::Kit(<$game>::new(rules)))
        }
    };
}

/// The agents of a game, all of [`AgentSpec`], with the networks that they share.
#[derive(Clone)]
pub struct Agents<'a> {
    kit: &'a dyn GameKit,
    networks: Arc<NetworkStore>,
}

impl<'a> Agents<'a> {
    /// The agents of a game, with a store of networks of their own.
    pub fn of(kit: &'a dyn GameKit) -> Agents<'a> {
        Agents::new(kit, Arc::new(NetworkStore::new()))
    }

    /// The agents of a game, whose networks come from this store.
    pub fn new(kit: &'a dyn GameKit, networks: Arc<NetworkStore>) -> Agents<'a> {
        Agents { kit, networks }
    }

    /// Reads the line of an agent of this game; what is stored with the network that it names are its defaults.
    ///
    /// # Errors
    /// If the line cannot be read, or what is stored with the network.
    fn read(&self, line: &str) -> Result<(AgentSpec, AgentLimits), ParseError> {
        let line = best::in_game(self.kit.game().name(), line);
        let line = line.as_ref();
        let Some(network) = AgentSpec::network_of(line) else { return AgentSpec::parse_on("", line) };
        // As the agents that have a policy open theirs: a network is not made ready twice.
        let method = if line.starts_with("pv:") || line.starts_with("policy:") {
            ConvMethod::Winograd3
        } else {
            ConvMethod::Direct
        };
        AgentSpec::parse_on(&self.networks.stored_agent(network, method), line)
    }

    /// Makes an agent that has been read as a player of this name, with these limits.
    ///
    /// # Errors
    /// If something that it needs is missing or does not fit, in words.
    pub fn seat(
        &self,
        (spec, limits): (&AgentSpec, AgentLimits),
        name: &str,
        seed: u64,
    ) -> Result<Box<dyn Player>, String> {
        if let AgentSpec::Engine(engine) = spec {
            return Ok(Box::new(Engine::new(engine.clone(), self.kit.game().name())));
        }
        let searcher = Searcher { search: self.kit.search(spec, &self.networks, seed)?, limits };
        Ok(Box::new(SearchPlayer::new(self.kit.game(), name, searcher)))
    }
}

impl AgentSource for Agents<'_> {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.kit.game()
    }

    fn kinds(&self) -> Vec<KindInfo> {
        AgentSpec::kinds()
    }

    fn searcher(&self, line: &str, seed: u64) -> Result<Option<Searcher>, ParseError> {
        let (spec, limits) = self.read(line)?;
        if matches!(spec, AgentSpec::Engine(_)) {
            return Ok(None);
        }
        let search = self.kit.search(&spec, &self.networks, seed);
        search
            .map(|search| Some(Searcher { search, limits }))
            .map_err(|problem| ParseError::new("agent", line, problem))
    }

    fn player(&self, line: &str, seed: u64) -> Result<Box<dyn Player>, ParseError> {
        let (spec, limits) = self.read(line)?;
        self.seat((&spec, limits), line, seed).map_err(|problem| ParseError::new("agent", line, problem))
    }

    fn solver(&self, spec: SolverSpec, bytes: usize) -> Option<Box<dyn MateSolver>> {
        self.kit.solver(spec, bytes)
    }
}
