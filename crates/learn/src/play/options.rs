//! What can be chosen about the games of a generation.

use super::mates::MateOption;
use crate::ranges::{KeyRanges, SHARE, WEIGHT, real, whole};
use serde::{Deserialize, Serialize};
use tesuji_core::{Stream, limits};
use tesuji_search::mcts::{Decay, Fpu, Noise, RootOptions, Selection, Temperature, TreeOptions};

/// Positions that a thread evaluates together, at most.
const MOST_TOGETHER: usize = 65_536;

/// How games are played: the section `[selfplay]` of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlay {
    /// How many generations older than the newest network the one is that plays: generation g is played by network
    /// g - 1 - lag. With 1, other processes play a generation while the one before it is being learned from.
    #[serde(skip_serializing_if = "is_zero")]
    pub lag: u64,
    /// Games of a generation.
    pub games: u64,
    /// Games of the first generation, played by the untrained network; 0 for as many as of the others.
    pub first_games: u64,
    /// Simulations of a search.
    pub simulations: u64,
    /// C of PUCT.
    pub c_puct: f32,
    /// B_attack of PUCT (TUBSTAP's paper: 3.7).
    pub b_attack: f32,
    /// Where a network is asked once for each unit (TUBSTAP): each unit's P sums to 1 by itself, as the paper's formula is
    /// written, instead of being divided by the number of units.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole_units: bool,
    /// What an untried move counts: the parent's value less this number, or `draw`.
    pub fpu: FpuConfig,
    /// Forced playouts at the root, KataGo's k (2 there); 0 for none. The policy leaves out what was merely forced.
    pub forced: f32,
    /// Dirichlet noise at the root: alpha.
    pub noise_alpha: f32,
    /// Dirichlet noise at the root: its share; 0 for none.
    pub noise_epsilon: f32,
    /// Temperature of the first moves.
    pub temperature: f32,
    /// Plies for which it holds.
    pub temperature_plies: u32,
    /// Temperature after that.
    pub temperature_end: f32,
    /// How it comes down: `step` all at once, `linear` a little every ply.
    pub temperature_decay: Decay,
    /// Sequential halving over this many moves instead of noise and PUCT at the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gumbel: Option<u32>,
    /// Keep the tree below the moves that are played.
    pub reuse: bool,
    /// Proven wins and losses propagate in the tree.
    pub solver: bool,
    /// Value a leaf by a complete game of the greedy policy instead of the network's value, as the chess paper does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub greedy_rollouts: bool,
    /// Leaves of one tree that are judged together.
    pub leaves: usize,
    /// What a leaf under way counts as a loss.
    pub virtual_loss: f32,
    /// The mate solver at the root: `none`, `dfs:DEPTH`, `dfpn:NODES` or `exact:MOVES`.
    pub mate: MateOption,
    /// Positions that the mate solver at the root gets for each simulation of a search, as one that works beside the
    /// search would; 0 for as many as it needs.
    #[serde(skip_serializing_if = "is_zero")]
    pub mate_beside: u64,
    /// The mate solver at each leaf of the tree, beside the network.
    pub leaf_mate: MateOption,
    /// Share of moves with a quick search, which are not learned from (playout-cap randomisation).
    pub playout_cap_share: f64,
    /// Simulations of a quick search.
    pub playout_cap_simulations: u64,
    /// A side resigns that sees itself at minus this or worse in three moves of its own; 0 for never.
    pub resign: f32,
    /// Share of games in which nobody resigns, to see how often it would have been wrong.
    pub resign_control: f64,
    /// Start from the game's varied starts.
    pub varied_starts: bool,
    /// Positions to start from instead, one drawn for each game, in the game's notation; SEED stands for a number that
    /// is drawn too, as in `random:SEED:8x8`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<String>,
    /// Random moves at the beginning of each game, at most.
    pub random_plies: u32,
    /// A game of this many plies is a draw.
    pub max_plies: u32,
    /// Most nodes of one tree (32 bytes each).
    pub tree_nodes: usize,
    /// Games in flight on each thread; results do not depend on it.
    pub in_flight: usize,
    /// Megabytes for remembered evaluations on each thread; results do not depend on it.
    pub cache: usize,
}

/// What an untried move counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or \"draw\"")]
pub enum FpuConfig {
    /// The parent's value less this.
    Less(f32),
    /// As a word says.
    As(FpuWord),
}

/// What an untried move counts, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FpuWord {
    /// As a draw.
    Draw,
}

impl From<FpuConfig> for Fpu {
    fn from(untried: FpuConfig) -> Fpu {
        match untried {
            FpuConfig::Less(reduction) => Fpu::Parent(reduction),
            FpuConfig::As(FpuWord::Draw) => Fpu::Value(0.0),
        }
    }
}

impl Default for SelfPlay {
    fn default() -> SelfPlay {
        SelfPlay {
            lag: 0,
            games: 200,
            first_games: 0,
            simulations: 100,
            c_puct: 1.5,
            b_attack: 0.0,
            whole_units: false,
            fpu: FpuConfig::Less(0.2),
            forced: 0.0,
            noise_alpha: 0.3,
            noise_epsilon: 0.25,
            temperature: 1.0,
            temperature_plies: 12,
            temperature_end: 0.0,
            temperature_decay: Decay::Step,
            gumbel: None,
            reuse: true,
            solver: true,
            greedy_rollouts: false,
            leaves: 2,
            virtual_loss: 1.0,
            mate: MateOption::NONE,
            mate_beside: 0,
            leaf_mate: MateOption::NONE,
            playout_cap_share: 0.0,
            playout_cap_simulations: 20,
            resign: 0.0,
            resign_control: 0.1,
            varied_starts: false,
            starts: Vec::new(),
            random_plies: 0,
            max_plies: 512,
            tree_nodes: 1 << 18,
            in_flight: 32,
            cache: 32,
        }
    }
}

impl SelfPlay {
    /// The ranges of its numbers.
    pub fn ranges() -> KeyRanges {
        let (simulations, plies) = (*limits::SIMULATIONS.end(), u64::from(*limits::PLIES.end()));
        vec![
            ("lag", whole(0..=100)),
            ("games", whole(limits::GAMES)),
            ("first_games", whole(0..=*limits::GAMES.end())),
            ("simulations", whole(limits::SIMULATIONS)),
            ("c_puct", WEIGHT),
            ("b_attack", WEIGHT),
            ("fpu", WEIGHT),
            ("forced", WEIGHT),
            ("noise_alpha", real(0.000_001..=1000.0)),
            ("noise_epsilon", SHARE),
            ("temperature", real(0.0..=100.0)),
            ("temperature_plies", whole(0..=plies)),
            ("temperature_end", real(0.0..=100.0)),
            ("mate_beside", whole(0..=1 << 32)),
            ("gumbel", whole(1..=1024)),
            ("leaves", whole(1..=256)),
            ("virtual_loss", WEIGHT),
            ("playout_cap_share", SHARE),
            ("playout_cap_simulations", whole(0..=simulations)),
            ("resign", SHARE),
            ("resign_control", SHARE),
            ("random_plies", whole(0..=u64::from(*limits::OPENING_PLIES.end()))),
            ("max_plies", whole(1..=plies)),
            ("tree_nodes", whole(1000..=1 << 30)),
            ("in_flight", whole(1..=4096)),
            ("cache", whole(0..=*limits::MEGABYTES.end() as u64)),
        ]
    }

    /// How trees grow.
    pub fn tree(&self) -> TreeOptions {
        TreeOptions {
            selection: Selection::Puct { c: self.c_puct, attack: self.b_attack, fpu: self.fpu.into() },
            expand_after: 0,
            solver: self.solver,
            virtual_loss: self.virtual_loss,
            node_limit: self.tree_nodes,
            ..TreeOptions::default()
        }
    }

    /// What is special about the root of a full search, or of a quick one, which has no noise.
    pub fn root(&self, quick: bool) -> RootOptions {
        let noise = Noise { alpha: self.noise_alpha, epsilon: self.noise_epsilon };
        RootOptions {
            noise: (!quick && self.noise_epsilon > 0.0 && self.gumbel.is_none()).then_some(noise),
            gumbel: if quick { None } else { self.gumbel },
            forced: if quick { 0.0 } else { self.forced },
            temperature: Temperature {
                start: self.temperature,
                plies: self.temperature_plies,
                end: self.temperature_end,
                decay: self.temperature_decay,
            },
            ..RootOptions::default()
        }
    }

    /// The generation of the network that plays a generation, counted from 1.
    pub fn player_of(&self, generation: u64) -> u64 {
        generation.saturating_sub(1).saturating_sub(self.lag)
    }

    /// Games of a generation, counted from 1.
    pub fn games_of(&self, generation: u64) -> u64 {
        if generation == 1 && self.first_games > 0 { self.first_games } else { self.games }
    }

    /// Checks that the values, each in its range, make sense together.
    ///
    /// # Errors
    /// With the first one that does not, in words.
    pub fn check(&self) -> Result<(), String> {
        if self.playout_cap_share > 0.0 && self.playout_cap_simulations == 0 {
            return Err("selfplay.playout_cap_simulations = 0: quick searches need at least 1".to_owned());
        }
        if self.mate_beside > 0 && self.mate == MateOption::NONE {
            return Err(format!("selfplay.mate_beside = {}: needs selfplay.mate", self.mate_beside));
        }
        let together = self.in_flight.saturating_mul(self.leaves);
        if together > MOST_TOGETHER {
            return Err(format!(
                "selfplay.in_flight x selfplay.leaves = {together}: expected at most {MOST_TOGETHER} positions in a batch"
            ));
        }
        Ok(())
    }

    /// Makes games as few, short and quick as they can be without leaving anything out.
    pub fn shrink(&mut self) {
        (self.games, self.first_games, self.simulations, self.playout_cap_simulations) = (2, 0, 8, 4);
        (self.max_plies, self.in_flight) = (self.max_plies.min(12), 2);
    }
}

/// A line of [`SelfPlay::starts`] with a number that is drawn in place of SEED.
pub fn seeded(line: &str, random: &mut Stream) -> String {
    line.replace("SEED", &random.below(1 << 31).to_string())
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
