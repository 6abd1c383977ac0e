//! Our own agents and foreign engines behind one trait.

use crate::{Budget, Rules};
use std::time::Duration;

/// A game in progress, as text: what every player, ours or foreign, is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameLine {
    /// The game's registered name.
    pub game: String,
    /// The rules in force.
    pub rules: Rules,
    /// The start, in the game's position notation or `startpos`.
    pub start: String,
    /// The moves since, in the game's notation.
    pub moves: Vec<String>,
}

/// A player's choice and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// The move, in the game's notation.
    pub text: String,
    /// The player's evaluation for the side to move, if it gave one, in -1..=1.
    pub value: Option<f32>,
    /// Positions visited, if known.
    pub nodes: u64,
    /// Network or heuristic evaluations, if known.
    pub evaluations: u64,
    /// CPU time spent, if known.
    pub cpu: Duration,
    /// The principal variation, in the game's notation, if given.
    pub line: Vec<String>,
}

/// Why a player did not move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// The player resigned.
    #[error("resigned")]
    Resigned,
    /// The player answered with something that is no legal move.
    #[error("played an illegal move: {0}")]
    Illegal(String),
    /// The player did not answer in time.
    #[error("ran out of time after {0:?}")]
    Timeout(Duration),
    /// The player is gone.
    #[error("crashed: {0}")]
    Crashed(String),
    /// The player cannot play from this position, or not with this budget.
    #[error("refused to play: {0}")]
    Refused(String),
    /// The player said something that we do not understand.
    #[error("protocol error: {0}")]
    Protocol(String),
}

/// Chooses moves. Object-safe: a match holds `Box<dyn Player>`s.
pub trait Player: Send {
    /// The name in tables.
    fn name(&self) -> String;

    /// Forgets the previous game; the random choices of the next one follow from `seed`.
    ///
    /// # Errors
    /// If the player cannot start (a foreign engine that is gone).
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError>;

    /// Whether the player can play from this position with this budget; asked before a match, which is not begun if it
    /// cannot.
    ///
    /// # Errors
    /// [`PlayerError::Refused`] if it cannot; other errors if that could not be found out.
    fn check(&mut self, _line: &GameLine, _budget: &Budget) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Chooses a move for the side to move at the end of `line`.
    ///
    /// # Errors
    /// If the player resigns, fails or misbehaves; the match records the reason.
    fn choose(&mut self, line: &GameLine, budget: &Budget) -> Result<Choice, PlayerError>;

    /// The player's greatest use of memory so far in bytes, if it is a process of its own.
    fn peak_memory(&self) -> Option<u64> {
        None
    }
}
