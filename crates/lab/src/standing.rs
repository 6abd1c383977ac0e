//! A player of a tournament: how strong, at what cost.

use tesuji_arena::cost::Cost;
use tesuji_arena::rating::Rating;
use tesuji_report::Quantity;

/// A player of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The agent's line.
    pub line: String,
    /// Its rating among the players.
    pub rating: Rating,
    /// Points of all its games.
    pub score: Quantity,
    /// Games won against the player called `random`, if there is one.
    pub against_random: Option<Quantity>,
    /// What all its moves cost.
    pub cost: Cost,
    /// Games that it played.
    pub games: u64,
    /// What is to be chosen about it: options of the agent, and of the experiment that trained its network.
    pub settings: u64,
    /// What its training took, if it has a network from a run that is known.
    pub training: Option<Training>,
}

/// What a training took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Training {
    /// Games.
    pub games: u64,
    /// Seconds on the processor.
    pub cpu: f64,
    /// Bytes of memory at most.
    pub memory: u64,
}

impl Standing {
    /// CPU-seconds of its moves of a game.
    pub fn cpu_a_game(&self) -> f64 {
        self.cost.cpu / self.games.max(1) as f64
    }

    /// CPU-seconds of training and of playing so many games.
    pub fn total(&self, games: f64) -> f64 {
        self.training.map_or(0.0, |training| training.cpu) + games * self.cpu_a_game()
    }

    /// The rating as a quantity.
    pub fn elo(&self) -> Quantity {
        // A mean of very many whose interval is the rating's.
        let count = 1e6;
        Quantity::Mean { mean: self.rating.elo, deviation: self.rating.margin / 1.96 * f64::sqrt(count), count }
    }

    /// A number by name, and whether it depends on clocks.
    pub fn metric(&self, name: &str) -> Option<(Quantity, bool)> {
        let each = |total: f64| total / self.cost.moves.max(1) as f64;
        Some(match name {
            "elo" => (self.elo(), false),
            "score" => (self.score, false),
            "win-share-v-random" => (self.against_random?, false),
            "cpu-ms" => (Quantity::Exact(1e3 * each(self.cost.cpu)), true),
            "seconds" => (Quantity::Exact(each(self.cost.wall)), true),
            "settings" => (Quantity::Exact(self.settings as f64), false),
            "training-games" => (Quantity::Exact(self.training.map_or(0, |training| training.games) as f64), false),
            "training-cpu-hours" => {
                (Quantity::Exact(self.training.map_or(0.0, |training| training.cpu) / 3600.0), true)
            }
            "memory-mb" => {
                let memory = self.training.map_or(0, |training| training.memory).max(self.cost.peak_memory);
                (Quantity::Exact(memory as f64 / 1e6), true)
            }
            _ => return None,
        })
    }
}
