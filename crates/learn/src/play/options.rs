//! What can be chosen about the games of a generation.

use super::mates::MateOption;
use serde::{Deserialize, Serialize};
use tesuji_search::mcts::{Decay, Fpu, Noise, RootOptions, Selection, Temperature, TreeOptions};

/// How games are played: the section `[selfplay]` of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlay {
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
#[serde(untagged)]
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
            games: 200,
            first_games: 0,
            simulations: 100,
            c_puct: 1.5,
            b_attack: 0.0,
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
            leaf_mate: MateOption::NONE,
            playout_cap_share: 0.0,
            playout_cap_simulations: 20,
            resign: 0.0,
            resign_control: 0.1,
            varied_starts: false,
            random_plies: 0,
            max_plies: 512,
            tree_nodes: 1 << 18,
            in_flight: 32,
            cache: 32,
        }
    }
}

impl SelfPlay {
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

    /// Games of a generation, counted from 1.
    pub fn games_of(&self, generation: u64) -> u64 {
        if generation == 1 && self.first_games > 0 { self.first_games } else { self.games }
    }
    /// Checks that the values make sense.
    ///
    /// # Errors
    /// With the first one that does not, in words.
    pub fn check(&self) -> Result<(), String> {
        at_least_one("selfplay.games", self.games)?;
        at_least_one("selfplay.simulations", self.simulations)?;
        at_least_one("selfplay.leaves", self.leaves as u64)?;
        at_least_one("selfplay.in_flight", self.in_flight as u64)?;
        at_least_one("selfplay.max_plies", u64::from(self.max_plies))?;
        share("selfplay.noise_epsilon", f64::from(self.noise_epsilon))?;
        share("selfplay.playout_cap_share", self.playout_cap_share)?;
        share("selfplay.resign_control", self.resign_control)?;
        share("selfplay.resign", f64::from(self.resign))?;
        if self.playout_cap_share > 0.0 {
            at_least_one("selfplay.playout_cap_simulations", self.playout_cap_simulations)?;
        }
        if !(self.tree_nodes >= 1000 && self.tree_nodes <= 1 << 30) {
            return Err("selfplay.tree_nodes: expected 1000 to 2^30".to_owned());
        }
        if self.noise_epsilon > 0.0 && self.noise_alpha.is_nan() | (self.noise_alpha <= 0.0) {
            return Err(format!("selfplay.noise_alpha = {}", self.noise_alpha));
        }
        Ok(())
    }

    /// Makes games as few, short and quick as they can be without leaving anything out.
    pub fn shrink(&mut self) {
        (self.games, self.first_games, self.simulations, self.playout_cap_simulations) = (2, 0, 8, 4);
        (self.max_plies, self.in_flight) = (self.max_plies.min(12), 2);
    }
}

fn share(name: &str, value: f64) -> Result<(), String> {
    match value {
        0.0..=1.0 => Ok(()),
        _ => Err(format!("{name} = {value}: expected 0 to 1")),
    }
}

fn at_least_one(name: &str, value: u64) -> Result<(), String> {
    match value {
        0 => Err(format!("{name} = 0: expected at least 1")),
        _ => Ok(()),
    }
}
