//! Foreign engines as players: UCI, USI and the older dialect of GNU Shogi.

pub mod notation;
pub mod process;

mod gnu;
mod uci;

use process::{Process, Silence};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::time::{Duration, Instant};
use tesuji_core::player::Choice;
use tesuji_core::{Budget, GameLine, ParseError, Player, PlayerError};

/// How long an engine may take to introduce itself.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long beyond its time an engine may be silent before it counts as hanging.
const HANG: Duration = Duration::from_secs(2);
/// How long an engine without a time limit may think.
const PATIENCE: Duration = Duration::from_secs(600);

/// Which engine to run: written `COMMAND[?OPTION=VALUE[&OPTION=VALUE...]]`.
///
/// ```
/// use tesuji_arena::engine::EngineSpec;
/// let spec: EngineSpec = "stockfish?UCI_LimitStrength=true&UCI_Elo=1500".parse().unwrap();
/// assert_eq!(spec.options[1], ("UCI_Elo".to_owned(), "1500".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The command line.
    pub command: String,
    /// Engine options by name.
    pub options: Vec<(String, String)>,
}

impl FromStr for EngineSpec {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<EngineSpec, ParseError> {
        let (command, rest) = text.split_once('?').unwrap_or((text, ""));
        if command.trim().is_empty() {
            return Err(ParseError::new("engine", text, "expected COMMAND[?OPTION=VALUE&...]"));
        }
        let option = |part: &str| {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| ParseError::new("engine", text, format!("option {part:?}: expected OPTION=VALUE")))?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        };
        let options = rest.split('&').filter(|part| !part.is_empty()).map(option).collect::<Result<_, ParseError>>()?;
        Ok(EngineSpec { command: command.trim().to_owned(), options })
    }
}

/// The language an engine answered in.
#[derive(Clone, Debug)]
enum Dialect {
    Uci(uci::Session),
    Gnu,
}

/// A foreign engine. It is started for the first game, and again after it crashed or hung.
#[derive(Debug)]
pub struct Engine {
    spec: EngineSpec,
    game: String,
    name: Option<String>,
    running: Option<(Process, Dialect)>,
    peak_memory: Option<u64>,
}

impl Engine {
    /// An engine for a game; nothing is started yet.
    pub fn new(spec: EngineSpec, game: &str) -> Engine {
        Engine { spec, game: game.to_owned(), name: None, running: None, peak_memory: None }
    }

    /// Starts the program and finds out which language it speaks.
    ///
    /// # Errors
    /// If it does not start, does not answer or refuses an option.
    pub fn start(&mut self) -> Result<(), PlayerError> {
        self.running = None;
        let mut process = Process::start(&self.spec.command).map_err(PlayerError::Crashed)?;
        let deadline = Instant::now() + HANDSHAKE;
        let dialect = match uci::introduce(&mut process, &self.game, deadline)? {
            Some(mut session) => {
                self.name.clone_from(&session.name);
                session.configure(&mut process, &self.game, &self.spec.options, deadline)?;
                Dialect::Uci(session)
            }
            None if self.spec.options.is_empty() => Dialect::Gnu,
            None => {
                let problem = format!("GNU Shogi's dialect has no options, {:?} were given", self.spec.options);
                return Err(PlayerError::Protocol(problem));
            }
        };
        self.running = Some((process, dialect));
        Ok(())
    }

    fn ask(&mut self, line: &GameLine, budget: &Budget) -> Result<Choice, PlayerError> {
        if self.running.is_none() {
            self.start()?;
        }
        let (process, dialect) = self.running.as_mut().ok_or_else(|| PlayerError::Crashed("not running".into()))?;
        let before = process.cpu();
        let limit = budget.time.or(budget.cpu);
        let deadline = Instant::now() + limit.map_or(PATIENCE, |time| time + HANG);
        let mut choice = match dialect {
            Dialect::Uci(session) => session.go(process, line, budget, deadline)?,
            Dialect::Gnu => gnu::go(process, line, budget, deadline)?,
        };
        if let (Some(before), Some(after)) = (before, process.cpu()) {
            // At least the smallest unit, so that it is not taken for "unknown".
            choice.cpu = after.saturating_sub(before).max(Duration::from_nanos(1));
        }
        self.peak_memory = self.peak_memory.max(process.peak_memory());
        Ok(choice)
    }
}

impl Player for Engine {
    fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.spec.command.clone())
    }

    fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
        if self.running.is_none() {
            self.start()?;
        }
        if let Some((process, Dialect::Uci(session))) = &mut self.running {
            session.new_game(process, Instant::now() + HANDSHAKE)?;
        }
        Ok(())
    }

    fn choose(&mut self, line: &GameLine, budget: &Budget) -> Result<Choice, PlayerError> {
        let answer = self.ask(line, budget);
        // An engine that failed may be in any state: the next game gets a new process.
        if answer.is_err() && answer != Err(PlayerError::Resigned) {
            self.running = None;
        }
        answer
    }

    fn peak_memory(&self) -> Option<u64> {
        self.peak_memory
    }
}

/// Turns silence into the reason that a match records.
fn silent(error: Silence, waited: Duration) -> PlayerError {
    match error {
        Silence::Timeout => PlayerError::Timeout(waited),
        Silence::Closed => PlayerError::Crashed(error.to_string()),
    }
}
