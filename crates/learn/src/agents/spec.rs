//! The one list of agents.

use super::dqn::DqnKind;
use super::policy::PolicyKind;
use super::pv::PvKind;
use crate::networks::NetworkStore;
use tesuji_arena::engine::EngineSpec;
use tesuji_core::ParseError;
use tesuji_search::ClassicalSpec;
use tesuji_search::agent::{AgentLimits, KindInfo, split, unknown};

tesuji_search::agents! {
    /// The agents that have a network.
    pub enum NetworkSpec(NetworkStore) {
        Pv(PvKind),
        Policy(PolicyKind),
        Dqn(DqnKind),
    }
}

/// The word before the `:` of a foreign engine.
const ENGINE: &str = "engine";

/// An agent, read from its line: whatever can sit down to a game.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentSpec {
    /// One without a network of its own.
    Classical(ClassicalSpec),
    /// One with a network.
    Network(NetworkSpec),
    /// A program of its own: `engine:stockfish?UCI_Elo=2000`.
    Engine(EngineSpec),
}

impl AgentSpec {
    /// Every kind, documented, in the order in which they are shown.
    pub fn kinds() -> Vec<KindInfo> {
        let mut kinds = ClassicalSpec::kinds();
        kinds.extend(NetworkSpec::kinds());
        kinds.push(KindInfo {
            name: ENGINE,
            about: "a foreign UCI, USI or GNU Shogi engine: engine:COMMAND[?OPTION=VALUE&OPTION=VALUE...]",
            keys: Vec::new(),
            stands_for: None,
        });
        kinds
    }

    /// Reads a line such as `uct:sims=2000`.
    ///
    /// # Errors
    /// If the kind is unknown (the error lists those that are known), or its options do not fit.
    pub fn parse(line: &str) -> Result<AgentSpec, ParseError> {
        let (name, text) = split(line);
        if name == ENGINE {
            return text.parse().map(AgentSpec::Engine);
        }
        let classical = ClassicalSpec::parse(name, text).map(|spec| spec.map(AgentSpec::Classical));
        let spec = classical.or_else(|| NetworkSpec::parse(name, text).map(|spec| spec.map(AgentSpec::Network)));
        spec.unwrap_or_else(|| Err(unknown(line, &AgentSpec::kinds())))
    }

    /// The limits that the line sets; an engine has none that we know of.
    pub fn limits(&self) -> AgentLimits {
        match self {
            AgentSpec::Classical(spec) => spec.limits(),
            AgentSpec::Network(spec) => spec.limits(),
            AgentSpec::Engine(_) => AgentLimits::default(),
        }
    }
}

impl std::str::FromStr for AgentSpec {
    type Err = ParseError;

    fn from_str(line: &str) -> Result<AgentSpec, ParseError> {
        AgentSpec::parse(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_name_and_no_name_is_taken_twice() {
        let kinds = AgentSpec::kinds();
        let mut names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        for name in &names {
            let line = if *name == ENGINE { "engine:gnuchess" } else { *name };
            assert!(AgentSpec::parse(line).is_ok(), "{line}");
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let error = AgentSpec::parse("nobody:x=1").unwrap_err().to_string();
        assert!(error.contains("uct") && error.contains("pv") && error.contains("engine"), "{error}");
    }
}
