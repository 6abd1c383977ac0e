//! What learning an integer network declares.

use super::games::Games;
use super::learner::{NnueAnywhere, NnueLearner};
use super::options::{NnueOptions, Start};
use crate::methods::kind::MethodKind;
use crate::methods::learner::{Learner, Setup};
use crate::methods::training::Training;
use crate::methods::work::{Typical, Work};
use crate::networks::{NetworkKind, features};
use crate::ranges::{KeyRanges, SHARE, real, whole};
use crate::run::{Anywhere, Run, RunError};
use tesuji_core::{Game, limits};
use tesuji_nn::nnue::NnueTraining;

impl MethodKind for NnueOptions {
    const ABOUT: &'static str = "an integer network (NNUE), from alpha-beta's games with itself";
    const NETWORKS: &'static [NetworkKind] = &[NetworkKind::Nnue];
    const LAGS: bool = true;

    fn ranges() -> KeyRanges {
        let megabytes = *limits::MEGABYTES.end() as u64;
        vec![
            ("lambda", SHARE),
            ("window", whole(1..=1_000_000)),
            ("epochs", whole(1..=1000)),
            ("rate", real(0.000_000_001..=1.0)),
            ("final_rate", SHARE),
            ("warm_up", whole(0..=1_000_000_000)),
            ("decay", real(0.0..=100.0)),
            ("own_rate", SHARE),
            ("loss.power.exponent", real(1.0..=10.0)),
            ("held_out", whole(0..=1_000_000)),
            ("play.nodes", whole(limits::NODES)),
            ("play.node_spread", SHARE),
            ("play.least_random_plies", whole(0..=u64::from(*limits::OPENING_PLIES.end()))),
            ("play.opening_limit", SHARE),
            ("play.random_moves", SHARE),
            ("play.hash", whole(1..=megabytes)),
        ]
    }

    fn check(&self, training: &Training) -> Result<(), String> {
        if (self.start == Start::Games) == self.games.is_empty() {
            return Err("method.games: files to read with method.start = games, and none otherwise".to_owned());
        }
        if self.held_out == 1 {
            return Err("method.held_out = 1: nothing would be left to learn from".to_owned());
        }
        if training.search_value > 0.0 {
            return Err("training.search_value: method.kind = nnue has method.lambda instead".to_owned());
        }
        self.training().check().map_err(|problem| format!("method: {problem}"))
    }

    fn agent(_network: NetworkKind) -> Option<&'static str> {
        Some("nnue:net=NET,nodes=20000")
    }

    fn integer_training(&self) -> NnueTraining {
        self.training()
    }

    fn shrink(&mut self) {
        (self.epochs, self.play.nodes, self.play.hash) = (1, 20, 1);
        self.play.least_random_plies = self.play.least_random_plies.min(2);
        self.held_out = 2;
        // A dummy run needs no files.
        if self.start == Start::Games {
            self.start = Start::Heuristic;
            self.games.clear();
        }
    }

    fn work(&self, setup: &Setup, games: Typical) -> Option<Work> {
        // Every move is a search but the random ones; then the window is gone through, less what is held out.
        let positions = setup.selfplay.games as f64 * games.plies;
        let held_out = if self.held_out > 0 { 1.0 / self.held_out as f64 } else { 0.0 };
        let samples = match setup.training.steps {
            0 => self.window_of(&setup.training, positions) * (1.0 - held_out) * f64::from(self.epochs),
            steps => steps as f64 * setup.training.batch as f64,
        };
        let evaluations = positions * (1.0 - self.play.random_moves) * self.play.nodes as f64;
        Some(Work { positions, evaluations, samples })
    }

    fn anywhere<G: Game>(&self, game: &G, setup: &Setup, seed: u64) -> Result<Option<Box<dyn Anywhere>>, String> {
        Ok(Some(Box::new(NnueAnywhere { games: self.games_of(game, setup)?, seed })))
    }

    fn learner<G: Game>(&self, game: &G, setup: &Setup, _run: &Run<'_>) -> Result<Box<dyn Learner>, RunError> {
        Ok(Box::new(self.games_of(game, setup).map_err(RunError::Other)?))
    }
}

impl NnueOptions {
    fn games_of<G: Game>(&self, game: &G, setup: &Setup) -> Result<NnueLearner, String> {
        let games = Games { game: game.clone(), features: features(game, &setup.encoder)? };
        Ok(NnueLearner::new(Box::new(games), setup, self.clone()))
    }
}
