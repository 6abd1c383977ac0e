//! What a run is, as a typed file: unknown keys are errors, and every default can be printed.

use serde::{Deserialize, Serialize};
use tesuji_core::{Encoder, Game, Rules};
use tesuji_nn::graph::Activation;
use tesuji_nn::spec::{Convolution, ConvolutionLayer, Dense, Dqn, Head, Pooling, Reading, Residual, ValueHead};
use tesuji_nn::train::{Optimiser, Schedule};
use tesuji_nn::{ConvMethod, Spec};
use tesuji_search::mcts::{Decay, Fpu, Noise, RootOptions, Selection, Temperature, TreeOptions};

use crate::dqn::DqnOptions;
use crate::mates::MateOption;
use crate::supervised::SupervisedOptions;
use crate::td::TdOptions;

/// A run: which game, which network, how games are played, how they are learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// One line for people.
    #[serde(default)]
    pub about: String,
    /// The game's registered name.
    pub game: String,
    /// The rules in force.
    #[serde(default)]
    pub rules: Rules,
    /// Where every random choice comes from.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// How long to go on if the command line does not say: `10m`, `2h` or a number of generations.
    #[serde(default = "default_budget")]
    pub budget: String,
    /// The network.
    #[serde(default)]
    pub network: NetworkConfig,
    /// How games are played.
    #[serde(default)]
    pub selfplay: SelfPlay,
    /// How they are learned from.
    #[serde(default)]
    pub training: Training,
    /// How strength is measured on the way.
    #[serde(default)]
    pub measure: Measure,
    /// What is kept on disk.
    #[serde(default)]
    pub keep: Keep,
    /// Deep Q-learning instead of AlphaZero's way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dqn: Option<DqnOptions>,
    /// TD(lambda) instead of AlphaZero's way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub td: Option<TdOptions>,
    /// Learning from game records instead of self-play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supervised: Option<SupervisedOptions>,
}

fn default_seed() -> u64 {
    1
}

fn default_budget() -> String {
    "10m".to_owned()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What a network is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKind {
    /// A residual tower with policy and value heads.
    #[default]
    Residual,
    /// Convolutions and dense layers with one output for each action.
    Dqn,
    /// Dense layers with one output, the value.
    Dense,
}

impl NetworkKind {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            NetworkKind::Residual => "residual",
            NetworkKind::Dqn => "dqn",
            NetworkKind::Dense => "dense",
        }
    }
}

/// The network, less what the game's encoder decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// The encoder's name; the game's default one if empty.
    pub encoder: String,
    /// A network to begin with instead of a random one: a weight file, a run or RUN@GENERATION.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub initial: String,
    /// What it is made of: `residual`; `dqn`, which reads `convolutions`, `hidden`, `reading` and `duelling` and none of
    /// the others; `dense`, which reads `hidden` and `activation`.
    #[serde(skip_serializing_if = "is_default")]
    pub kind: NetworkKind,
    /// Convolutions of a `dqn` network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub convolutions: Vec<ConvolutionLayer>,
    /// Hidden dense layers of a `dqn` network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<usize>,
    /// What follows the hidden layers of a `dense` network.
    #[serde(skip_serializing_if = "is_default")]
    pub activation: Activation,
    /// How a `dqn` network reads the planes.
    #[serde(skip_serializing_if = "is_default")]
    pub reading: Reading,
    /// Value and advantages of a `dqn` network apart.
    #[serde(skip_serializing_if = "is_default")]
    pub duelling: bool,
    /// Residual blocks.
    pub blocks: usize,
    /// Channels of the tower.
    pub filters: usize,
    /// What the blocks convolve with.
    pub convolution: Convolution,
    /// Share of activations dropped in the middle of each block while training.
    pub dropout: f32,
    /// Width of squeeze-and-excitation; none if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub squeeze: Option<usize>,
    /// Global pooling; none if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pooling: Option<Pooling>,
    /// Channels of the policy head's 1x1 convolution; 0 for none.
    pub policy_filters: usize,
    /// Hidden layers of the policy head.
    pub policy_hidden: Vec<usize>,
    /// Channels of the value head's 1x1 convolution; 0 for none.
    pub value_filters: usize,
    /// Hidden layers of the value head.
    pub value_hidden: Vec<usize>,
    /// A head that predicts the opponent's reply: helps learning, is left out in play.
    pub reply: bool,
    /// A head that predicts how long the game goes on: helps learning, is left out in play.
    pub moves_left: bool,
    /// How 3x3 convolutions are computed in play. Fixed here rather than timed, because methods differ in the last
    /// bits of their outputs and a repeated run must take the same one.
    pub inference: ConvMethod,
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig {
            encoder: String::new(),
            initial: String::new(),
            kind: NetworkKind::Residual,
            convolutions: Vec::new(),
            hidden: Vec::new(),
            activation: Activation::Relu,
            reading: Reading::Planes,
            duelling: false,
            blocks: 4,
            filters: 32,
            convolution: Convolution::Plain,
            dropout: 0.0,
            squeeze: None,
            pooling: None,
            policy_filters: 8,
            policy_hidden: Vec::new(),
            value_filters: 4,
            value_hidden: vec![64],
            reply: false,
            moves_left: false,
            inference: ConvMethod::Winograd3,
        }
    }
}

/// How self-play games are played.
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
    #[serde(skip_serializing_if = "is_default")]
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
}

/// How games are learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Training {
    /// Samples of a step.
    pub batch: usize,
    /// Samples of a generation for each of its new positions.
    pub samples_per_position: f64,
    /// Steps of a generation, whatever the number of positions; 0 to go by `samples_per_position`.
    pub steps: u64,
    /// The latest games are the window; 0 for no limit by games.
    pub window_games: u64,
    /// The latest positions are the window (whole games); 0 for no limit by positions.
    pub window_positions: u64,
    /// The rule that turns gradients into steps.
    pub optimiser: Optimiser,
    /// The learning rate by step.
    pub schedule: Schedule,
    /// The coefficient c of c |w|^2.
    pub l2: f32,
    /// The weight of the value's loss.
    pub value_weight: f32,
    /// Share of the search's own value in the target of the value, the rest being the game's result.
    pub search_value: f32,
    /// Only legal moves compete in the policy's loss: the network need not learn the rules of movement.
    pub legal_only: bool,
    /// The weight of the loss of the opponent's reply, if the network has that head.
    pub reply_weight: f32,
    /// The weight of the loss of the moves left, if the network has that head.
    pub moves_left_weight: f32,
    /// Draw one of the game's symmetries for each sample.
    pub symmetries: bool,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            batch: 128,
            samples_per_position: 4.0,
            steps: 0,
            window_games: 0,
            window_positions: 60_000,
            optimiser: Optimiser::Sgd { momentum: 0.9, nesterov: true },
            schedule: Schedule::Constant { rate: 0.02 },
            l2: 1e-4,
            value_weight: 1.0,
            search_value: 0.0,
            legal_only: true,
            reply_weight: 0.15,
            moves_left_weight: 0.05,
            symmetries: true,
        }
    }
}

/// How strength is measured on the way.
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

/// What is kept on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keep {
    /// Every so many generations a network is kept for good; 0 for none but the latest two.
    pub networks_every: u64,
    /// Keep records that have left the window.
    pub old_records: bool,
}

impl Default for Keep {
    fn default() -> Keep {
        Keep { networks_every: 5, old_records: false }
    }
}

/// An experiment that cannot be run, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad experiment: {0}")]
pub struct ExperimentError(pub String);

impl Experiment {
    /// Reads an experiment file.
    ///
    /// # Errors
    /// If it is not TOML, has unknown keys, or values that make no sense.
    pub fn from_toml(text: &str) -> Result<Experiment, ExperimentError> {
        let experiment: Experiment =
            toml::from_str(text).map_err(|error| ExperimentError(error.to_string().trim_end().to_owned()))?;
        experiment.check()?;
        Ok(experiment)
    }

    /// The whole experiment, defaults included, as a file.
    ///
    /// # Panics
    /// Never: experiments are plain data.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("experiments are plain data")
    }

    fn check(&self) -> Result<(), ExperimentError> {
        let play = &self.selfplay;
        let training = &self.training;
        let share = |name: &str, value: f64| match value {
            0.0..=1.0 => Ok(()),
            _ => Err(ExperimentError(format!("{name} = {value}: expected 0 to 1"))),
        };
        let positive = |name: &str, value: u64| match value {
            0 => Err(ExperimentError(format!("{name} = 0: expected at least 1"))),
            _ => Ok(()),
        };
        positive("selfplay.games", play.games)?;
        positive("selfplay.simulations", play.simulations)?;
        positive("selfplay.leaves", play.leaves as u64)?;
        positive("selfplay.in_flight", play.in_flight as u64)?;
        positive("selfplay.max_plies", u64::from(play.max_plies))?;
        positive("training.batch", training.batch as u64)?;
        share("selfplay.noise_epsilon", f64::from(play.noise_epsilon))?;
        share("selfplay.playout_cap_share", play.playout_cap_share)?;
        share("selfplay.resign_control", play.resign_control)?;
        share("selfplay.resign", f64::from(play.resign))?;
        share("training.search_value", f64::from(training.search_value))?;
        if play.playout_cap_share > 0.0 {
            positive("selfplay.playout_cap_simulations", play.playout_cap_simulations)?;
        }
        if training.batch < 2 && self.network.kind == NetworkKind::Residual {
            return Err(ExperimentError("training.batch = 1: batch norm needs at least 2".to_owned()));
        }
        if training.window_games == 0 && training.window_positions == 0 {
            let problem = "training.window_games and training.window_positions are both 0: memory would have no bound";
            return Err(ExperimentError(problem.to_owned()));
        }
        if !(training.samples_per_position > 0.0 && training.samples_per_position <= 1e6) && training.steps == 0 {
            let problem = format!("training.samples_per_position = {}", training.samples_per_position);
            return Err(ExperimentError(problem));
        }
        if !(play.tree_nodes >= 1000 && play.tree_nodes <= 1 << 30) {
            return Err(ExperimentError("selfplay.tree_nodes: expected 1000 to 2^30".to_owned()));
        }
        if play.noise_epsilon > 0.0 && play.noise_alpha.is_nan() | (play.noise_alpha <= 0.0) {
            return Err(ExperimentError(format!("selfplay.noise_alpha = {}", play.noise_alpha)));
        }
        let sections = [self.dqn.is_some(), self.td.is_some(), self.supervised.is_some()];
        if sections.iter().filter(|&&there| there).count() > 1 {
            return Err(ExperimentError("[dqn], [td], [supervised]: one way of learning a run".to_owned()));
        }
        let kinds: &[NetworkKind] = match sections {
            [true, ..] => &[NetworkKind::Dqn],
            [_, true, _] => &[NetworkKind::Dense],
            [.., true] => &[NetworkKind::Residual, NetworkKind::Dense],
            _ => &[NetworkKind::Residual],
        };
        if !kinds.contains(&self.network.kind) {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            return Err(ExperimentError(format!("this way of learning needs network.kind = {}", names.join(" or "))));
        }
        self.dqn.as_ref().map_or(Ok(()), DqnOptions::check)?;
        self.td.as_ref().map_or(Ok(()), TdOptions::check)?;
        self.supervised.as_ref().map_or(Ok(()), |options| options.check(training.steps))?;
        self.budget.parse::<crate::train::StopRule>().map_err(ExperimentError)?;
        self.measure.budget.parse::<tesuji_core::Budget>().map_err(|error| ExperimentError(error.to_string()))?;
        Ok(())
    }

    /// The encoder that the network reads by.
    ///
    /// # Errors
    /// If the game has none of that name.
    pub fn encoder<G: Game>(&self, game: &G) -> Result<Box<dyn Encoder<G::Position>>, ExperimentError> {
        encoder_by_name(game, &self.network.encoder).map_err(ExperimentError)
    }

    /// The network, whole.
    pub fn spec<G: Game>(&self, game: &G) -> Result<Spec, ExperimentError> {
        let encoder = self.encoder(game)?;
        let network = &self.network;
        if network.kind == NetworkKind::Dense {
            let (hidden, activation) = (network.hidden.clone(), network.activation);
            return Ok(Spec::Dense(Dense { input: encoder.shape(), hidden, activation, outputs: 1 }));
        }
        if network.kind == NetworkKind::Dqn {
            let pairs = self.dqn.as_ref().is_some_and(|dqn| dqn.pairs);
            let lens = encoder.pairs().map(|pairs| (pairs.what_len(), Some(pairs.where_len())));
            let (outputs, second) = match (pairs, lens) {
                (false, _) => (encoder.policy_len(), None),
                (true, Some(lens)) => lens,
                (true, None) => {
                    let problem = format!("dqn.pairs: the encoder {} knows no pairs of what and where", encoder.name());
                    return Err(ExperimentError(problem));
                }
            };
            return Ok(Spec::Dqn(Dqn {
                input: encoder.shape(),
                reading: network.reading,
                convolutions: network.convolutions.clone(),
                hidden: network.hidden.clone(),
                outputs,
                second,
                duelling: network.duelling,
            }));
        }
        let some = |filters: usize| (filters > 0).then_some(filters);
        Ok(Spec::Residual(Residual {
            input: encoder.shape(),
            blocks: network.blocks,
            filters: network.filters,
            convolution: network.convolution,
            dropout: network.dropout,
            squeeze: network.squeeze,
            pooling: network.pooling,
            policy: Head {
                filters: some(network.policy_filters),
                hidden: network.policy_hidden.clone(),
                outputs: encoder.policy_len(),
            },
            value: ValueHead { filters: some(network.value_filters), hidden: network.value_hidden.clone() },
            reply: network.reply,
            moves_left: network.moves_left.then(|| ValueHead { filters: some(4), hidden: vec![16] }),
        }))
    }
}

/// A game's encoder by name; the default one if the name is empty.
///
/// # Errors
/// If the game has none of that name; the error lists those that it has.
pub fn encoder_by_name<G: Game>(game: &G, name: &str) -> Result<Box<dyn Encoder<G::Position>>, String> {
    let mut encoders = game.encoders();
    let names: Vec<&str> = encoders.iter().map(|encoder| encoder.name()).collect();
    let place = if name.is_empty() { Some(0) } else { names.iter().position(|&known| known == name) };
    match place {
        Some(place) if place < encoders.len() => Ok(encoders.swap_remove(place)),
        _ => Err(format!("{} has no encoder {name:?}; it has {}", game.name(), names.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_read_what_they_write() {
        let experiment = Experiment::from_toml("game = \"connect4\"\n[selfplay]\nmate = \"dfpn:500\"\n").unwrap();
        assert_eq!(experiment.selfplay.mate.to_string(), "dfpn:500");
        assert_eq!(Experiment::from_toml(&experiment.to_toml()).unwrap(), experiment);
    }

    #[test]
    fn experiments_refuse_nonsense() {
        for (text, named) in [
            ("", "game"),
            ("game = \"chess\"\nsped = 1", "sped"),
            ("game = \"chess\"\n[selfplay]\nsims = 1", "sims"),
            ("game = \"chess\"\n[selfplay]\nsimulations = 0", "simulations"),
            ("game = \"chess\"\n[selfplay]\nmate = \"dfs\"", "dfs"),
            ("game = \"chess\"\n[training]\nwindow_positions = 0", "window"),
            ("game = \"chess\"\nbudget = \"soon\"", "soon"),
        ] {
            let error = Experiment::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(named), "{text:?}: {error}");
        }
    }
}
