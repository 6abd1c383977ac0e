//! What the rest of the program has to know of deep Q-learning.

use super::games::Memory;
use super::learner::DqnLearner;
use super::options::{DqnOptions, Opponent};
use crate::methods::learner::{Learner, Setup};
use crate::methods::training::Training;
use crate::methods::way::Way;
use crate::networks::{NetworkKind, encoder};
use crate::run::{Run, RunError};
use tesuji_core::Game;

impl Way for DqnOptions {
    const ABOUT: &'static str = "Q values from epsilon-greedy games: r + gamma max Q by a copy of the network";
    const NETWORKS: &'static [NetworkKind] = &[NetworkKind::Dqn];

    fn check(&self, _training: &Training) -> Result<(), String> {
        let share = |number: f32| (0.0..=1.0).contains(&number);
        if self.replay == 0 || self.replay > 1 << 28 {
            return Err(format!("method.replay = {}: expected 1 to 2^28", self.replay));
        }
        if !share(self.gamma) {
            return Err(format!("method.gamma = {}: expected 0 to 1", self.gamma));
        }
        if self.steps == 0 {
            return Err("method.steps = 0: expected at least 1".to_owned());
        }
        if self.target_every == 0 {
            return Err("method.target_every = 0: expected at least 1".to_owned());
        }
        if !self.epsilon.is_sane() {
            return Err("method.epsilon: expected shares between 0 and 1".to_owned());
        }
        if !(share(self.priority) && share(self.correction)) {
            return Err("method.priority and method.correction: expected 0 to 1".to_owned());
        }
        if self.search > 0 && (self.pairs || self.opponent == Opponent::Ignored || self.win > 1.0) {
            return Err("method.search needs opponent = \"negates\", win = 1 at most, and no pairs".to_owned());
        }
        Ok(())
    }

    fn agent(_network: NetworkKind) -> Option<&'static str> {
        Some("dqn:net=NET")
    }

    fn pairs(&self) -> bool {
        self.pairs
    }

    fn learner<G: Game>(&self, game: &G, setup: &Setup, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError> {
        let encoder = encoder(game, &setup.encoder).map_err(RunError::Other)?;
        let memory = Memory::new(game, encoder, self.clone());
        Ok(Box::new(DqnLearner::new(Box::new(memory), setup, self.clone(), run)))
    }
}
