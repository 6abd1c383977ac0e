//! A foreign engine as a player.

use super::process::Process;
use super::spec::EngineSpec;
use super::{gnu, uci};
use std::time::{Duration, Instant};
use tesuji_core::player::Choice;
use tesuji_core::{Budget, GameLine, Player, PlayerError};

/// How long an engine may take to introduce itself.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long beyond its time an engine may be silent before it counts as hanging.
const HANG: Duration = Duration::from_secs(2);
/// How long an engine without a time limit may think.
const PATIENCE: Duration = Duration::from_secs(600);

/// The protocol that an engine answered.
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

    /// Starts the program and finds out which protocol it speaks.
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
        let Some((process, Dialect::Uci(session))) = &mut self.running else { return Ok(()) };
        let begun = session.new_game(process, Instant::now() + HANDSHAKE);
        if begun.is_err() {
            // It may be in any state: the next game gets a new process.
            self.running = None;
        }
        begun
    }

    fn check(&mut self, line: &GameLine, budget: &Budget) -> Result<(), PlayerError> {
        if self.running.is_none() {
            self.start()?;
        }
        match &self.running {
            Some((_, Dialect::Gnu)) => gnu::check(line, budget),
            Some((_, Dialect::Uci(_))) | None => Ok(()),
        }
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
