//! What the rest of the program has to know of deep Q-learning.

use super::games::Memory;
use super::learner::DqnLearner;
use super::options::{DqnOptions, Opponent};
use crate::methods::kind::MethodKind;
use crate::methods::learner::{Learner, Setup};
use crate::methods::training::Training;
use crate::methods::work::{Typical, Work};
use crate::networks::{NetworkKind, encoder};
use crate::play::Epsilon;
use crate::ranges::{KeyRanges, SHARE, WEIGHT, real, whole};
use crate::run::{Run, RunError};
use tesuji_core::Game;

impl MethodKind for DqnOptions {
    const ABOUT: &'static str = "Q values from epsilon-greedy games: r + gamma max Q by a copy of the network";
    const NETWORKS: &'static [NetworkKind] = &[NetworkKind::Dqn];

    fn ranges() -> KeyRanges {
        let mut ranges = Epsilon::ranges();
        ranges.extend([
            ("train_every", whole(0..=1_000_000_000)),
            ("replay", whole(1..=100_000_000)),
            ("gamma", SHARE),
            ("steps", whole(1..=1000)),
            ("win", WEIGHT),
            ("captures", WEIGHT),
            ("target_every", whole(1..=1_000_000_000)),
            ("priority", SHARE),
            ("correction", SHARE),
            ("search", whole(0..=1_000_000)),
            ("loss.huber.delta", real(0.000_001..=1_000_000.0)),
        ]);
        ranges
    }

    fn check(&self, _training: &Training) -> Result<(), String> {
        self.epsilon.check()?;
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

    fn work(&self, setup: &Setup, games: Typical) -> Option<Work> {
        let (play, training) = (&setup.selfplay, &setup.training);
        let positions = play.games as f64 * games.plies;
        let steps = match self.train_every {
            0 => training.steps_for(positions as u64) as f64,
            every => positions / every as f64,
        };
        let samples = steps * training.batch as f64;
        // The copy judges what follows each sample.
        Some(Work { positions, evaluations: positions + samples * self.search.max(1) as f64, samples })
    }

    fn learner<G: Game>(&self, game: &G, setup: &Setup, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError> {
        let encoder = encoder(game, &setup.encoder).map_err(RunError::Other)?;
        let memory = Memory::new(game, encoder, self.clone());
        Ok(Box::new(DqnLearner::new(Box::new(memory), setup, self.clone(), run)))
    }
}
