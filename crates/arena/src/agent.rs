//! Foreign engines as agents: `engine:stockfish?UCI_Elo=2000`.

use crate::engine::{Engine, EngineSpec};
use tesuji_core::{Game, ParseError};
use tesuji_search::agent::{Agent, AgentKind};

tesuji_search::agents! {
    /// The agents that are programs of their own.
    pub struct Foreign;
    EngineKind;
}

/// `engine:COMMAND[?OPTION=VALUE&...]`.
pub struct EngineKind;

impl AgentKind for EngineKind {
    const NAME: &'static str = "engine";
    const ABOUT: &'static str = "a foreign UCI, USI or GNU Shogi engine: engine:COMMAND[?OPTION=VALUE&OPTION=VALUE...]";
    type Options = ();

    fn build<G: Game>(_game: &G, (): (), _seed: u64) -> Result<Agent<G::Position>, String> {
        Err("a command is missing: engine:COMMAND".to_owned())
    }

    fn from_text<G: Game>(game: &G, text: &str, _seed: u64) -> Result<Agent<G::Position>, ParseError> {
        let spec: EngineSpec = text.parse()?;
        Ok(Agent::Foreign(Box::new(Engine::new(spec, game.name()))))
    }
}
