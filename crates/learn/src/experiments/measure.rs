//! What can be chosen about measuring strength.

use serde::{Deserialize, Serialize};

/// How strength is measured on the way: the section `[measure]` of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measure {
    /// Every so many generations; 0 for only at the end.
    pub every: u64,
    /// Games against each opponent, on the way.
    pub games: usize,
    /// Games against each opponent, at the end.
    pub final_games: usize,
    /// Simulations of the network's player.
    pub simulations: u64,
    /// The opponents' lines, see `tesuji agents`; or `generation:N`, an earlier network of the run that is kept (see
    /// `keep.networks_every`; 0 always is), playing as the new one does.
    pub opponents: Vec<String>,
    /// What an opponent may spend on a move, if its line does not say.
    pub budget: String,
    /// The agent's line with NET for the network, such as `dqn:net=NET`; if empty, the way of learning decides.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Random moves at the beginning of each pair of games.
    pub opening_plies: u32,
    /// Start from the game's varied starts instead.
    pub varied_starts: bool,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure {
            every: 0,
            games: 20,
            final_games: 40,
            simulations: 100,
            opponents: vec!["random".to_owned(), "uct:sims=400".to_owned(), "alphabeta:depth=3".to_owned()],
            budget: "unlimited".to_owned(),
            agent: String::new(),
            opening_plies: 2,
            varied_starts: false,
        }
    }
}

impl Measure {
    /// Makes measuring as short as it can be.
    pub fn shrink(&mut self) {
        (self.every, self.games, self.final_games, self.simulations) = (0, 0, 2, 4);
        self.opponents = vec!["random".to_owned()];
    }
}
