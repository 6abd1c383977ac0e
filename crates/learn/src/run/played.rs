//! Games as they are handed to a run.

use super::ledger::PlayCost;
use std::sync::atomic::AtomicBool;
use tesuji_core::GameRecord;

/// A game that has ended.
pub struct PlayedGame {
    /// Its number in the generation.
    pub index: u64,
    /// Its moves and result.
    pub record: GameRecord,
    /// What its thread has spent so far.
    pub cost: PlayCost,
}

/// Whom finished games are handed to.
pub type Done<'a> = dyn FnMut(PlayedGame) -> Result<(), String> + 'a;

/// Whatever plays the games of a generation.
pub trait Play {
    /// Plays the games whose numbers `todo` lists on so many threads; `done` gets each as it ends, on the calling thread.
    /// Ends early if `stop` is set; games that have not ended by then are lost.
    ///
    /// # Errors
    /// If no game can be played, or `done` fails.
    fn play(&self, todo: &[u64], threads: usize, stop: &AtomicBool, done: &mut Done<'_>) -> Result<PlayCost, String>;
}
