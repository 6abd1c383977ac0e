//! What AlphaZero's way declares.

use super::learner::{AlphaZero, SelfPlayGames};
use super::window::Window;
use crate::methods::kind::MethodKind;
use crate::methods::learner::{Learner, Setup};
use crate::methods::replayed::{accepted, played_elsewhere};
use crate::methods::work::{Typical, Work};
use crate::networks::{NetworkKind, encoder};
use crate::play::{SelfPlay, Series, TreePlay};
use crate::run::{Anywhere, Play, Ready, Run, RunError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tesuji_core::{Encoder, Game, GameRecord};
use tesuji_nn::Model;

/// AlphaZero's way has no options of its own: games are those of `[selfplay]`, the window and the steps those of
/// `[training]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlphaZeroOptions {}

impl MethodKind for AlphaZeroOptions {
    const ABOUT: &'static str = "policy and value from games by tree search";
    const NETWORKS: &'static [NetworkKind] = &[NetworkKind::Residual];
    const LAGS: bool = true;

    fn work(&self, setup: &Setup, games: Typical) -> Option<Work> {
        let (play, training) = (&setup.selfplay, &setup.training);
        let positions = play.games as f64 * games.plies;
        let (quick, full) = (play.playout_cap_share, 1.0 - play.playout_cap_share);
        let simulations = full * play.simulations as f64 + quick * play.playout_cap_simulations as f64;
        // A leaf that is played out costs the rest of a game.
        let leaf = if play.greedy_rollouts { (games.plies / 2.0).max(1.0) } else { 1.0 };
        let samples = training.steps_for((full * positions) as u64) as f64 * training.batch as f64;
        Some(Work { positions, evaluations: positions * simulations * leaf, samples })
    }

    fn anywhere<G: Game>(&self, game: &G, setup: &Setup, seed: u64) -> Result<Option<Box<dyn Anywhere>>, String> {
        Ok(Some(Box::new(TreeGames::new(game, setup, seed)?)))
    }

    fn learner<G: Game>(&self, game: &G, setup: &Setup, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError> {
        let games = TreeGames::new(game, setup, run.seed()).map_err(RunError::Other)?;
        let window = Window::new(game.clone(), Arc::clone(&games.encoder));
        Ok(Box::new(AlphaZero::new(setup, Box::new(games), Box::new(window))))
    }
}

/// Games of tree search with whichever network.
struct TreeGames<G: Game> {
    game: G,
    options: SelfPlay,
    encoder: Arc<dyn Encoder<G::Position>>,
    seed: u64,
}

impl<G: Game> TreeGames<G> {
    fn new(game: &G, setup: &Setup, seed: u64) -> Result<TreeGames<G>, String> {
        let encoder = encoder(game, &setup.encoder)?;
        Ok(TreeGames { game: game.clone(), options: setup.selfplay.clone(), encoder, seed })
    }
}

impl<G: Game> Anywhere for TreeGames<G> {
    fn generation(&self, generation: u64, network: Ready) -> Option<Box<dyn Play + '_>> {
        Some(SelfPlayGames::generation(self, generation, network.float()?))
    }

    fn check(&self, record: &GameRecord) -> Result<(), String> {
        accepted(self.encoder.as_ref(), &played_elsewhere(&self.game, record)?)
    }
}

impl<G: Game> SelfPlayGames for TreeGames<G> {
    fn generation(&self, generation: u64, model: Arc<Model>) -> Box<dyn Play + '_> {
        let series = Series { game: &self.game, options: &self.options, seed: self.seed, generation };
        Box::new(TreePlay { series, encoder: Arc::clone(&self.encoder), model })
    }
}
