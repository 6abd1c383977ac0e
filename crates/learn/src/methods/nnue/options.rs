//! What can be chosen about learning an integer network.

use crate::methods::training::Training;
use crate::play::AlphaBetaPlay;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tesuji_nn::nnue::{NnueLoss, NnueTraining};

/// Who plays the games of the first generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Alpha-beta with the game's heuristic; the network itself if `network.initial` names one.
    Heuristic,
    /// Alpha-beta with the network as it is at the beginning: random weights know nothing.
    Nothing,
    /// Nobody: they are read from the files of `games`.
    Games,
}

/// What positions of a game learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Targets {
    /// `lambda` of the game's result, the rest the search's value of the position.
    Mix,
    /// TD(lambda) over the search's values: each position learns `lambda` of what the next one learns, the rest its own
    /// value; the last one has the result behind it. Values of a minimax search are those of the leaves of their best
    /// lines, so this is TD-leaf.
    TdLeaf,
}

/// Integer networks: `kind = "nnue"` in the section `[method]` of an experiment.
///
/// Of `[selfplay]` it takes the number, starts, openings, greatest length and resigning of games; of `[training]` the
/// batch, the steps if they are set, the limits of the window and the symmetries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NnueOptions {
    /// Who plays the games of the first generation: `heuristic`, `nothing`, or `games` to read them.
    pub start: Start,
    /// With `start = "games"`: record files (.tsjr) whose moves have values, or data sets by `tesuji data generate`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<PathBuf>,
    /// What positions learn: `mix` or `td-leaf`.
    pub targets: Targets,
    /// How much of the target is the game's result; see `targets`.
    pub lambda: f32,
    /// Generations in the window.
    pub window: u64,
    /// How often a generation goes through the window.
    pub epochs: u32,
    /// The learning rate at the beginning of a generation.
    pub rate: f32,
    /// The share of it that is left at the end: it falls like a cosine.
    pub final_rate: f32,
    /// Steps in which it rises at the beginning.
    pub warm_up: u64,
    /// Each generation begins with random weights instead of the last one's.
    pub fresh: bool,
    /// A step multiplies the rows of the first layer by 1 - rate x decay.
    pub decay: f32,
    /// How fast an input's own row learns, relative to the row that it shares with others.
    pub own_rate: f32,
    /// What is lowered: `squared`, `cross-entropy` or `{ power = { exponent = 2.5 } }`.
    pub loss: NnueLoss,
    /// Scores are brought to the size of the heuristic's in each generation, so that the margins of the search fit: other
    /// programs' values are surer of themselves than the heuristic.
    pub calibrate: bool,
    /// Every so many games one is not learned from, but tested on; 0 for none.
    pub held_out: u64,
    /// How moves are found.
    pub play: AlphaBetaPlay,
}

impl Default for NnueOptions {
    fn default() -> NnueOptions {
        NnueOptions {
            start: Start::Heuristic,
            games: Vec::new(),
            targets: Targets::Mix,
            lambda: 0.4,
            window: 4,
            epochs: 6,
            rate: 0.001,
            final_rate: 0.02,
            warm_up: 50,
            fresh: false,
            decay: 0.3,
            own_rate: 0.1,
            loss: NnueLoss::Squared,
            calibrate: false,
            held_out: 20,
            play: AlphaBetaPlay::default(),
        }
    }
}

impl NnueOptions {
    /// Positions of a full window, given those of a generation.
    pub fn window_of(&self, training: &Training, positions: f64) -> f64 {
        let all = self.window as f64 * positions;
        if training.window_positions > 0 { all.min(training.window_positions as f64) } else { all }
    }

    /// How the network is trained.
    pub fn training(&self) -> NnueTraining {
        let (decay, own_rate, loss) = (self.decay, self.own_rate, self.loss);
        NnueTraining { decay, own_rate, loss, ..NnueTraining::default() }
    }
}
