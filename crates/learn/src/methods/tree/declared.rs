//! What the rest of the program has to know of learning from one tree a cycle.

use super::cycle::GameCycle;
use super::learner::TreeLearner;
use super::options::TreeCycleOptions;
use crate::methods::kind::MethodKind;
use crate::methods::learner::{Learner, Setup};
use crate::methods::work::{Typical, Work};
use crate::networks::{NetworkKind, encoder};
use crate::ranges::{KeyRanges, real, whole};
use crate::run::{Run, RunError};
use tesuji_core::Game;

impl MethodKind for TreeCycleOptions {
    const ABOUT: &'static str = "policy and value from all nodes of one tree a cycle, leaves played out by the policy";
    const NETWORKS: &'static [NetworkKind] = &[NetworkKind::Residual];

    fn ranges() -> KeyRanges {
        // With one visit no move of a node has been tried.
        vec![("iterations", whole(1..=1 << 32)), ("tau", real(0.000_001..=1000.0)), ("visits", whole(2..=1 << 31))]
    }

    fn shrink(&mut self) {
        (self.iterations, self.visits) = (self.iterations.min(40), 2);
    }

    fn work(&self, setup: &Setup, games: Typical) -> Option<Work> {
        // Every iteration is a game from a leaf to its end. About one node in ten is visited often enough.
        let (iterations, training) = (self.iterations as f64, &setup.training);
        let samples = training.steps_for(self.iterations / 10) as f64 * training.batch as f64;
        Some(Work { positions: 0.0, evaluations: iterations * games.plies, samples })
    }

    fn learner<G: Game>(&self, game: &G, setup: &Setup, _run: &Run<'_>) -> Result<Box<dyn Learner>, RunError> {
        let encoder = encoder(game, &setup.encoder).map_err(RunError::Other)?;
        let cycle = GameCycle::new(game, encoder, setup.selfplay.clone(), self.clone());
        Ok(Box::new(TreeLearner::new(setup, self.clone(), Box::new(cycle))))
    }
}
