//! What can be chosen about measuring strength.

use crate::ranges::{KeyRanges, whole};
use serde::{Deserialize, Serialize};
use tesuji_core::limits;

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
    /// `keep.networks_every`; 0 always is), playing as the new one does; `generation:-1`, the one before.
    pub opponents: Vec<String>,
    /// What an opponent may spend on a move, if its line does not say.
    pub budget: String,
    /// The agent's line with NET for the network, such as `dqn:net=NET`; if empty, the learning method decides.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Random moves at the beginning of each pair of games.
    pub opening_plies: u32,
    /// Start from the game's varied starts instead.
    pub varied_starts: bool,
    /// Start from these positions instead, each in turn for a pair of games, in the game's notation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<String>,
    /// A game of this many plies is a draw; that of `[selfplay]` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u32>,
}

impl Default for Measure {
    fn default() -> Measure {
        Measure {
            every: 0,
            games: 20,
            final_games: 40,
            simulations: 100,
            opponents: vec!["random".to_owned(), "uct:sims=400".to_owned(), "alphabeta:pure,depth=3".to_owned()],
            budget: "unlimited".to_owned(),
            agent: String::new(),
            opening_plies: 2,
            varied_starts: false,
            starts: Vec::new(),
            max_plies: None,
        }
    }
}

impl Measure {
    /// The ranges of its numbers.
    pub fn ranges() -> KeyRanges {
        vec![
            ("every", whole(0..=1_000_000)),
            ("games", whole(0..=*limits::GAMES.end())),
            ("final_games", whole(0..=*limits::GAMES.end())),
            ("simulations", whole(limits::SIMULATIONS)),
            ("opening_plies", whole(0..=u64::from(*limits::OPENING_PLIES.end()))),
            ("max_plies", whole(1..=u64::from(*limits::PLIES.end()))),
        ]
    }

    /// Makes measuring as short as it can be.
    pub fn shrink(&mut self) {
        (self.every, self.games, self.final_games, self.simulations) = (0, 0, 2, 4);
        self.opponents = vec!["random".to_owned()];
        self.max_plies = self.max_plies.map(|most| most.min(12));
    }
}
