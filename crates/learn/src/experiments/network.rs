//! The network of an experiment.

use crate::networks::NetworkKind;
use crate::ranges::{KeyRanges, real, whole};
use serde::{Deserialize, Serialize};
use tesuji_core::{EncoderInfo, FeaturesInfo};
use tesuji_nn::graph::Activation;
use tesuji_nn::nnue::{NnueActivation, NnueSpec};
use tesuji_nn::spec::{
    Convolution, ConvolutionLayer, Dense, Dqn, Head, HeadOrder, Pooling, Reading, Residual, ValueHead,
};
use tesuji_nn::{ConvMethod, Spec};

/// The network, less what the game's encoder decides: the section `[network]` of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum NetworkConfig {
    /// A residual tower with policy and value heads.
    Residual(ResidualConfig),
    /// Convolutions and dense layers with one output for each action.
    Dqn(DqnConfig),
    /// Dense layers with one output, the value.
    Dense(DenseConfig),
    /// An integer network on sparse inputs, with one output, the value.
    Nnue(NnueConfig),
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig::Residual(ResidualConfig::default())
    }
}

/// What the last layers of a policy or of Q are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadKind {
    /// Dense layers.
    #[default]
    Dense,
    /// Convolutions: moves as planes of the board, for encoders that number them so.
    Planes,
}

impl HeadKind {
    /// Whether it is the usual one.
    pub fn is_dense(&self) -> bool {
        *self == HeadKind::Dense
    }

    /// The planes of a head of this kind; none if it is dense.
    ///
    /// # Errors
    /// If planes are meant and the encoder has none.
    fn planes(self, key: &str, encoder: &EncoderInfo) -> Result<Option<usize>, String> {
        if self.is_dense() {
            return Ok(None);
        }
        let problem =
            || format!("network.{key} = \"planes\": the encoder {} does not number moves by planes", encoder.name);
        encoder.policy_planes.ok_or_else(problem).map(Some)
    }
}

/// `kind = "residual"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResidualConfig {
    /// The encoder's name; the game's default one if empty.
    pub encoder: String,
    /// A network to begin with instead of a random one: a weight file, a run or RUN@GENERATION.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub initial: String,
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
    /// What the policy head is made of: `dense`, or `planes` for convolutions with moves as planes of the board.
    #[serde(skip_serializing_if = "HeadKind::is_dense")]
    pub policy_head: HeadKind,
    /// Channels of the policy head's first convolution, 1x1, or 3x3 in a head of planes; 0 for none.
    pub policy_filters: usize,
    /// Hidden layers of the policy head.
    pub policy_hidden: Vec<usize>,
    /// Where the policy head's batch norm stands: `norm-first`, or `dense-first` for affine, batch norm, ReLU.
    #[serde(skip_serializing_if = "HeadOrder::is_usual")]
    pub policy_order: HeadOrder,
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

impl Default for ResidualConfig {
    fn default() -> ResidualConfig {
        ResidualConfig {
            encoder: String::new(),
            initial: String::new(),
            blocks: 4,
            filters: 32,
            convolution: Convolution::Plain,
            dropout: 0.0,
            squeeze: None,
            pooling: None,
            policy_head: HeadKind::Dense,
            policy_filters: 8,
            policy_hidden: Vec::new(),
            policy_order: HeadOrder::NormFirst,
            value_filters: 4,
            value_hidden: vec![64],
            reply: false,
            moves_left: false,
            inference: ConvMethod::Winograd3,
        }
    }
}

/// `kind = "dqn"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DqnConfig {
    /// The encoder's name; the game's default one if empty.
    pub encoder: String,
    /// A network to begin with instead of a random one: a weight file, a run or RUN@GENERATION.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub initial: String,
    /// How the network reads the planes.
    pub reading: Reading,
    /// Convolutions.
    pub convolutions: Vec<ConvolutionLayer>,
    /// Residual blocks behind the convolutions, as wide as the last of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub blocks: usize,
    /// What the last layers are made of: `dense`, or `planes` for convolutions with actions as planes of the board.
    #[serde(skip_serializing_if = "HeadKind::is_dense")]
    pub head: HeadKind,
    /// Hidden dense layers; in a head of planes those of the value, which needs `duelling`.
    pub hidden: Vec<usize>,
    /// Value and advantages apart.
    pub duelling: bool,
    /// How 3x3 convolutions are computed in play; see [`ResidualConfig::inference`].
    pub inference: ConvMethod,
}

impl Default for DqnConfig {
    fn default() -> DqnConfig {
        DqnConfig {
            encoder: String::new(),
            initial: String::new(),
            reading: Reading::Planes,
            convolutions: Vec::new(),
            blocks: 0,
            head: HeadKind::Dense,
            hidden: Vec::new(),
            duelling: false,
            inference: ConvMethod::Winograd3,
        }
    }
}

/// `kind = "dense"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DenseConfig {
    /// The encoder's name; the game's default one if empty.
    pub encoder: String,
    /// A network to begin with instead of a random one: a weight file, a run or RUN@GENERATION.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub initial: String,
    /// Hidden layers.
    pub hidden: Vec<usize>,
    /// What follows the hidden layers.
    pub activation: Activation,
    /// The way through the kernels; it has no 3x3 convolutions.
    pub inference: ConvMethod,
}

impl Default for DenseConfig {
    fn default() -> DenseConfig {
        DenseConfig {
            encoder: String::new(),
            initial: String::new(),
            hidden: Vec::new(),
            activation: Activation::Relu,
            inference: ConvMethod::Winograd3,
        }
    }
}

/// `kind = "nnue"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NnueConfig {
    /// The name of the sparse inputs, see `tesuji games`; the game's default ones if empty.
    pub features: String,
    /// A network to begin with instead of a random one: a weight file, a run or RUN@GENERATION.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub initial: String,
    /// Hidden units of each side, a multiple of 32.
    pub width: usize,
    /// Units of dense layers between the hidden units and the output; none is the quickest.
    pub dense: Vec<usize>,
    /// What follows the first layer: `squared-clipped` or `clipped`.
    pub activation: NnueActivation,
}

impl Default for NnueConfig {
    fn default() -> NnueConfig {
        let (features, initial) = Default::default();
        NnueConfig { features, initial, width: 64, dense: Vec::new(), activation: NnueActivation::SquaredClipped }
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl NnueConfig {
    /// The network, whole; its scores are in the unit of the game's heuristic.
    ///
    /// # Errors
    /// If the sizes make no network.
    pub fn spec(&self, features: &FeaturesInfo, heuristic_scale: f32) -> Result<NnueSpec, String> {
        let spec = NnueSpec {
            features: features.name.to_owned(),
            features_version: features.version,
            inputs: features.inputs,
            shared_inputs: features.shared_inputs,
            most_active: features.most_active,
            width: self.width,
            dense: self.dense.clone(),
            activation: self.activation,
            scale: NnueSpec::usual_scale(heuristic_scale),
        };
        spec.check().map_err(|error| format!("[network]: {error}"))?;
        Ok(spec)
    }
}

impl NetworkConfig {
    /// The ranges of the numbers of the kind of this name; none if there is no such kind.
    pub fn ranges(kind: &str) -> KeyRanges {
        let (channels, width) = (whole(1..=4096), whole(1..=65_536));
        match kind {
            "residual" => vec![
                ("blocks", whole(0..=256)),
                ("filters", channels.clone()),
                ("dropout", real(0.0..=0.99)),
                ("squeeze", channels.clone()),
                ("pooling.channels", channels.clone()),
                ("pooling.every", whole(1..=256)),
                ("policy_filters", whole(0..=4096)),
                ("policy_hidden", width.clone()),
                ("value_filters", whole(0..=4096)),
                ("value_hidden", width),
            ],
            "dqn" => vec![
                ("convolutions.filters", channels),
                ("convolutions.size", whole(1..=15)),
                ("blocks", whole(0..=256)),
                ("hidden", width),
            ],
            "dense" => vec![("hidden", width)],
            "nnue" => vec![("width", whole(32..=1024)), ("dense", whole(1..=128))],
            _ => KeyRanges::new(),
        }
    }

    /// What it is made of.
    pub fn kind(&self) -> NetworkKind {
        match self {
            NetworkConfig::Residual(_) => NetworkKind::Residual,
            NetworkConfig::Dqn(_) => NetworkKind::Dqn,
            NetworkConfig::Dense(_) => NetworkKind::Dense,
            NetworkConfig::Nnue(_) => NetworkKind::Nnue,
        }
    }

    /// The name of the encoder, or of the sparse inputs; the game's default one if empty.
    pub fn encoder(&self) -> &str {
        match self {
            NetworkConfig::Residual(config) => &config.encoder,
            NetworkConfig::Dqn(config) => &config.encoder,
            NetworkConfig::Dense(config) => &config.encoder,
            NetworkConfig::Nnue(config) => &config.features,
        }
    }

    /// A network to begin with; a random one if empty.
    pub fn initial(&self) -> &str {
        match self {
            NetworkConfig::Residual(config) => &config.initial,
            NetworkConfig::Dqn(config) => &config.initial,
            NetworkConfig::Dense(config) => &config.initial,
            NetworkConfig::Nnue(config) => &config.initial,
        }
    }

    /// How 3x3 convolutions are computed in play.
    pub fn inference(&self) -> ConvMethod {
        match self {
            NetworkConfig::Residual(config) => config.inference,
            NetworkConfig::Dqn(config) => config.inference,
            NetworkConfig::Dense(config) => config.inference,
            NetworkConfig::Nnue(_) => ConvMethod::Direct,
        }
    }

    /// Whether it has the heads that help learning: the opponent's reply, and how long the game goes on.
    pub fn auxiliary_heads(&self) -> [bool; 2] {
        match self {
            NetworkConfig::Residual(config) => [config.reply, config.moves_left],
            NetworkConfig::Dqn(_) | NetworkConfig::Dense(_) | NetworkConfig::Nnue(_) => [false; 2],
        }
    }

    /// The network in floats, whole; `pairs` if it chooses a move in two steps.
    ///
    /// # Errors
    /// If the encoder knows no such steps, has no planes of moves where they are meant, or it is an integer network, which has no encoder.
    pub fn spec(&self, encoder: &EncoderInfo, pairs: bool) -> Result<Spec, String> {
        match self {
            NetworkConfig::Residual(config) => config.spec(encoder).map(Spec::Residual),
            NetworkConfig::Dqn(config) => config.spec(encoder, pairs).map(Spec::Dqn),
            NetworkConfig::Nnue(_) => Err("an integer network has no encoder".to_owned()),
            NetworkConfig::Dense(config) => {
                let (hidden, activation) = (config.hidden.clone(), config.activation);
                Ok(Spec::Dense(Dense { input: encoder.shape, hidden, activation, outputs: 1 }))
            }
        }
    }

    /// Makes it as small as it can be without leaving anything out, and begins with random weights.
    pub fn shrink(&mut self) {
        let narrow = |hidden: &mut Vec<usize>| hidden.iter_mut().for_each(|width| *width = (*width).min(16));
        match self {
            NetworkConfig::Residual(config) => {
                config.initial.clear();
                (config.blocks, config.filters) = (config.blocks.min(1), 8);
            }
            NetworkConfig::Dqn(config) => {
                config.initial.clear();
                config.convolutions.iter_mut().for_each(|layer| layer.filters = 8);
                config.blocks = config.blocks.min(1);
                narrow(&mut config.hidden);
            }
            NetworkConfig::Dense(config) => {
                config.initial.clear();
                narrow(&mut config.hidden);
            }
            NetworkConfig::Nnue(config) => {
                config.initial.clear();
                config.width = 32;
                narrow(&mut config.dense);
            }
        }
    }
}

impl ResidualConfig {
    fn spec(&self, encoder: &EncoderInfo) -> Result<Residual, String> {
        let some = |filters: usize| (filters > 0).then_some(filters);
        let planes = self.policy_head.planes("policy_head", encoder)?;
        if planes.is_some() && !(self.policy_hidden.is_empty() && self.policy_order.is_usual()) {
            return Err("network.policy_head = \"planes\" takes no policy_hidden and no policy_order".to_owned());
        }
        Ok(Residual {
            input: encoder.shape,
            blocks: self.blocks,
            filters: self.filters,
            convolution: self.convolution,
            dropout: self.dropout,
            squeeze: self.squeeze,
            pooling: self.pooling,
            policy: Head {
                filters: some(self.policy_filters),
                hidden: self.policy_hidden.clone(),
                outputs: encoder.policy_len,
                planes,
                order: self.policy_order,
            },
            value: ValueHead { filters: some(self.value_filters), hidden: self.value_hidden.clone() },
            reply: self.reply,
            moves_left: self.moves_left.then(|| ValueHead { filters: some(4), hidden: vec![16] }),
        })
    }
}

impl DqnConfig {
    fn spec(&self, encoder: &EncoderInfo, pairs: bool) -> Result<Dqn, String> {
        let (outputs, second) = match (pairs, encoder.pairs) {
            (false, _) => (encoder.policy_len, None),
            (true, Some((what, to))) => (what, Some(to)),
            (true, None) => {
                return Err(format!("method.pairs: the encoder {} knows no pairs of what and where", encoder.name));
            }
        };
        let planes = self.head.planes("head", encoder)?;
        let spec = Dqn {
            input: encoder.shape,
            reading: self.reading,
            convolutions: self.convolutions.clone(),
            blocks: self.blocks,
            planes,
            hidden: self.hidden.clone(),
            outputs,
            second,
            duelling: self.duelling,
        };
        // What does not go together is told in the specification's words.
        Spec::Dqn(spec.clone()).graph().map_err(|error| format!("[network]: {error}"))?;
        Ok(spec)
    }
}
