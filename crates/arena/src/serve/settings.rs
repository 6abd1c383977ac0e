//! The options that a client may set.

use crate::protocol::{Protocol, Words};
use std::time::Duration;
use tesuji_core::error::excerpt;
use tesuji_core::{ParseError, limits};
use tesuji_search::agent::KindInfo;

/// Keys of agents that set how many megabytes they may use.
const MEMORY_KEYS: [&str; 2] = ["hash", "memory"];
/// Megabytes if neither the client nor the agent sets them.
const USUAL_HASH: u64 = 256;
const MOST_HASH: u64 = 65_536;
const MOST_LINES: usize = 256;
const MOST_OVERHEAD: u64 = 10_000;

/// What the client has chosen.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The agent's line.
    pub agent: String,
    /// Megabytes, if the client has said so.
    hash: Option<u64>,
    /// Lines to show.
    pub lines: usize,
    /// The delay of an answer on its way to the client.
    pub overhead: Duration,
    pub seed: u64,
}

/// What follows from setting an option.
pub(super) enum Change {
    /// Nothing at once.
    None,
    /// The agent is another.
    Agent,
    /// The agent is to forget what it knows.
    Forget,
}

impl Settings {
    pub(super) fn new(agent: &str, seed: u64) -> Settings {
        Settings { agent: agent.to_owned(), hash: None, lines: 1, overhead: Duration::from_millis(30), seed }
    }

    /// Bytes for the mate solver.
    pub(super) fn memory(&self) -> usize {
        (self.hash.unwrap_or(USUAL_HASH) as usize) << 20
    }

    /// The agent's line with the memory that the client allows.
    pub(super) fn agent_line(&self, kinds: &[KindInfo]) -> String {
        match (self.hash, memory_key(&self.agent, kinds)) {
            (Some(hash), Some((key, _))) => with_key(&self.agent, key, &hash.to_string()),
            _ => self.agent.clone(),
        }
    }

    /// The `option` lines.
    pub(super) fn offer(&self, game: &str, words: Words, kinds: &[KindInfo]) -> Vec<String> {
        let default = memory_key(&self.agent, kinds).and_then(|(_, default)| default.parse().ok());
        let hash = self.hash.or(default).unwrap_or(USUAL_HASH);
        let prefix = match words {
            Words::Uci => "",
            Words::Usi => "USI_",
        };
        let mut lines = vec![
            format!("{prefix}Hash type spin default {hash} min 1 max {MOST_HASH}"),
            format!("{prefix}Ponder type check default false"),
            format!("MultiPV type spin default {} min 1 max {MOST_LINES}", self.lines),
            "Threads type spin default 1 min 1 max 1".to_owned(),
            format!("Agent type string default {}", self.agent),
            format!("Seed type spin default {} min 0 max {}", self.seed, u32::MAX),
            format!("MoveOverhead type spin default {} min 0 max {MOST_OVERHEAD}", self.overhead.as_millis()),
        ];
        if words == Words::Uci {
            lines.push("Clear Hash type button".to_owned());
            if let Some(variant) = Protocol::variant(game) {
                lines.push(format!("UCI_Variant type combo default {variant} var {variant}"));
            }
        }
        lines.into_iter().map(|line| format!("option name {line}")).collect()
    }

    /// Sets an option.
    ///
    /// # Errors
    /// If it is unknown or the value does not fit; the text gives the reason.
    pub(super) fn set(&mut self, game: &str, name: &str, value: &str) -> Result<Change, String> {
        let number = |least: u64, most: u64| {
            let wrong = || format!("option {name}: expected a number from {least} to {most}, not {:?}", excerpt(value));
            value.parse::<u64>().ok().filter(|number| (least..=most).contains(number)).ok_or_else(wrong)
        };
        match name.to_ascii_lowercase().as_str() {
            "hash" | "usi_hash" => {
                let megabytes = number(1, MOST_HASH)?;
                limits::check_memory("option Hash", megabytes as usize)?;
                self.hash = Some(megabytes);
                Ok(Change::Agent)
            }
            "agent" => {
                self.agent = value.to_owned();
                Ok(Change::Agent)
            }
            "seed" => {
                self.seed = number(0, u64::from(u32::MAX))?;
                Ok(Change::Agent)
            }
            "multipv" => {
                self.lines = number(1, MOST_LINES as u64)? as usize;
                Ok(Change::None)
            }
            "moveoverhead" | "move overhead" => {
                self.overhead = Duration::from_millis(number(0, MOST_OVERHEAD)?);
                Ok(Change::None)
            }
            "threads" => number(1, 1).map(|_| Change::None),
            "clear hash" => Ok(Change::Forget),
            // Whether the client ponders changes nothing for us: it says so with each `go`.
            "ponder" | "usi_ponder" => Ok(Change::None),
            "uci_variant" if value == game => Ok(Change::None),
            "uci_variant" => Err(format!("option UCI_Variant: this engine plays {game}, not {:?}", excerpt(value))),
            _ => Err(format!("unknown option {:?}", excerpt(name))),
        }
    }
}

/// The key that sets the memory of an agent, and its default.
fn memory_key(line: &str, kinds: &[KindInfo]) -> Option<(&'static str, String)> {
    let name = line.split_once(':').map_or(line, |(name, _)| name);
    let kind = kinds.iter().find(|kind| kind.name == name)?;
    let key = kind.keys.iter().find(|key| MEMORY_KEYS.contains(&key.name))?;
    let given = pairs(line).find_map(|pair| pair.split_once('=').filter(|(name, _)| *name == key.name));
    Some((key.name, given.map_or_else(|| key.default.clone(), |(_, value)| value.to_owned())))
}

fn pairs(line: &str) -> impl Iterator<Item = &str> {
    line.split_once(':').map_or("", |(_, text)| text).split(',').filter(|pair| !pair.is_empty())
}

/// An agent's line with another value of a key.
fn with_key(line: &str, key: &str, value: &str) -> String {
    let name = line.split_once(':').map_or(line, |(name, _)| name);
    let others = pairs(line).filter(|pair| pair.split_once('=').is_none_or(|(name, _)| name != key));
    let all: Vec<String> = others.map(str::to_owned).chain([format!("{key}={value}")]).collect();
    format!("{name}:{}", all.join(","))
}

/// Why an engine cannot serve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServeError {
    /// The agent's line does not fit.
    #[error(transparent)]
    Agent(#[from] ParseError),
    /// The agent is a foreign engine.
    #[error("{0:?} only plays; be an engine with an agent of our own")]
    Foreign(String),
    /// The search thread has ended.
    #[error("the search failed")]
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_search::ClassicalSpec;

    #[test]
    fn memory_goes_to_the_agents_own_key() {
        let line = |agent: &str, hash: Option<&str>| {
            let mut settings = Settings::new(agent, 1);
            if let Some(hash) = hash {
                assert!(settings.set("chess", "Hash", hash).is_ok());
            }
            settings.agent_line(&ClassicalSpec::kinds())
        };
        assert_eq!(line("alphabeta", None), "alphabeta");
        assert_eq!(line("alphabeta", Some("64")), "alphabeta:hash=64");
        assert_eq!(line("alphabeta:hash=3,depth=5", Some("64")), "alphabeta:depth=5,hash=64");
        assert_eq!(line("uct:sims=9", Some("8")), "uct:sims=9,memory=8");
        assert_eq!(line("random", Some("8")), "random");
    }

    #[test]
    fn wrong_values_are_refused_with_a_reason() {
        let mut settings = Settings::new("uct", 1);
        for (name, value, word) in [
            ("Hash", "0", "1 to 65536"),
            ("MultiPV", "x", "\"x\""),
            ("Threads", "8", "1 to 1"),
            ("UCI_Variant", "shogi", "plays chess"),
            ("Contempt", "3", "unknown option"),
        ] {
            let error = settings.set("chess", name, value).err().unwrap();
            assert!(error.contains(word), "{name}: {error}");
        }
        assert!(settings.set("chess", "multipv", "4").is_ok() && settings.lines == 4);
        assert!(settings.set("chess", "Move Overhead", "7").is_ok() && settings.overhead.as_millis() == 7);
    }
}
