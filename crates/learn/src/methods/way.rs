//! What a way of learning declares, in one place.

use super::learner::{Learner, Setup};
use super::training::Training;
use crate::data::{Checked, DataError, Skip};
use crate::networks::NetworkKind;
use crate::run::{Run, RunError};
use std::path::Path;
use tesuji_core::{AnyGame, Game, GameRecord};

/// The options of a way of learning, with everything that the rest of the program has to know of it.
pub trait Way: Sized {
    /// What it learns, in a line.
    const ABOUT: &'static str;

    /// The kinds of network that it can teach.
    const NETWORKS: &'static [NetworkKind];

    /// Checks that the options make sense.
    ///
    /// # Errors
    /// With the first one that does not, in words.
    fn check(&self, _training: &Training) -> Result<(), String> {
        Ok(())
    }

    /// The line of the agent that its networks are measured as, with NET for the network; `None` for `pv` as the
    /// experiment's self-play has it.
    fn agent(_network: NetworkKind) -> Option<&'static str> {
        None
    }

    /// Whether the network chooses a move in two steps: what moves, and where to.
    fn pairs(&self) -> bool {
        false
    }

    /// Makes it as small as it can be without leaving anything out.
    fn shrink(&mut self) {}

    /// Makes what the small form needs and was not given, in a directory of its own in the run's.
    ///
    /// # Errors
    /// If it cannot be written.
    fn furnish(&mut self, _root: &Path, _game: &dyn AnyGame, _check: &CheckRecord<'_>) -> Result<(), DataError> {
        Ok(())
    }

    /// The learner, before anything has been played.
    ///
    /// # Errors
    /// If the options do not fit the game, or something that they name is not there.
    fn learner<G: Game>(&self, game: &G, setup: &Setup, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError>;
}

/// Whether a game can be learned from, and what of it.
pub type CheckRecord<'a> = dyn Fn(&GameRecord) -> Result<Checked, Skip> + 'a;
