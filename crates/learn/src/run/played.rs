//! Games as they are handed to a run.

use super::ledger::PlayCost;
use std::sync::atomic::AtomicBool;
use tesuji_core::GameRecord;
use tesuji_nn::KernelPath;

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

/// What is to be played of a generation: all that its games depend on but the experiment.
pub struct Order<'o> {
    /// The generation.
    pub generation: u64,
    /// Games in it.
    pub games: u64,
    /// The numbers of those that are wanted: whole parts, in order.
    pub todo: &'o [u64],
    /// Games in a part, but for the last one.
    pub size: u64,
    /// The generation of the network that plays them.
    pub before: u64,
    /// The bytes of that network, or of whatever else the games depend on.
    pub network: &'o dyn Fn() -> Vec<u8>,
    /// The way through its kernels.
    pub path: KernelPath,
    /// Threads of this process.
    pub threads: usize,
    /// Set when somebody wants the run to stop.
    pub stop: &'o AtomicBool,
}

/// Whoever has the games of a generation played by other processes.
pub trait Workers {
    /// Has the games played. `done` gets those of a part in a row; games that it gets once more replace those that it got
    /// before. `here` plays them in this process, to the same bytes; `say` tells whoever watches.
    ///
    /// # Errors
    /// If what lies between the processes fails, no game can be played, or `done` fails.
    fn play(
        &mut self,
        order: &Order<'_>,
        here: &dyn Play,
        done: &mut Done<'_>,
        say: &mut dyn FnMut(String),
    ) -> Result<PlayCost, String>;

    /// Offers games that are to be had by [`play`](Self::play) later, and does not wait for them.
    ///
    /// # Errors
    /// If what lies between the processes fails.
    fn offer_ahead(&mut self, order: &Order<'_>) -> Result<(), String>;
}
