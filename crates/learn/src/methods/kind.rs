//! What a learning method declares, in one place.

use super::learner::{Learner, Setup};
use super::training::Training;
use super::work::{Typical, Work};
use crate::data::{Checked, DataError, Skip};
use crate::networks::NetworkKind;
use crate::ranges::KeyRanges;
use crate::run::{Anywhere, Run, RunError};
use std::path::Path;
use tesuji_core::{AnyGame, Game, GameRecord};
use tesuji_nn::nnue::NnueTraining;

/// The options of a learning method, with everything that the rest of the program has to know of it.
pub trait MethodKind: Sized {
    /// What it learns, in a line.
    const ABOUT: &'static str;

    /// The kinds of network that it can teach.
    const NETWORKS: &'static [NetworkKind];

    /// Whether its games may be played by an older network than the newest (`selfplay.lag`).
    const LAGS: bool = false;

    /// The ranges of the numbers among its options: every number has one.
    fn ranges() -> KeyRanges {
        KeyRanges::new()
    }

    /// Checks that the options, each in its range, make sense together.
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

    /// What a generation is made of, the games being as given; `None` if nobody can tell.
    fn work(&self, _setup: &Setup, _games: Typical) -> Option<Work> {
        None
    }

    /// How it trains integer networks, if it does.
    fn integer_training(&self) -> NnueTraining {
        NnueTraining::default()
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

    /// Its games, if they can be played anywhere; `None` if they depend on more than the network before them.
    ///
    /// # Errors
    /// If the options do not fit the game, in words.
    fn anywhere<G: Game>(&self, _game: &G, _setup: &Setup, _seed: u64) -> Result<Option<Box<dyn Anywhere>>, String> {
        Ok(None)
    }

    /// The learner, before anything has been played.
    ///
    /// # Errors
    /// If the options do not fit the game, or something that they name is not there.
    fn learner<G: Game>(&self, game: &G, setup: &Setup, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError>;
}

/// Whether a game can be learned from, and what of it.
pub type CheckRecord<'a> = dyn Fn(&GameRecord) -> Result<Checked, Skip> + 'a;
