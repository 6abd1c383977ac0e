//! The network of an experiment.

use crate::networks::NetworkKind;
use serde::{Deserialize, Serialize};
use tesuji_core::EncoderInfo;
use tesuji_nn::graph::Activation;
use tesuji_nn::spec::{Convolution, ConvolutionLayer, Dense, Dqn, Head, Pooling, Reading, Residual, ValueHead};
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
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig::Residual(ResidualConfig::default())
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
    /// Hidden dense layers.
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

impl NetworkConfig {
    /// What it is made of.
    pub fn kind(&self) -> NetworkKind {
        match self {
            NetworkConfig::Residual(_) => NetworkKind::Residual,
            NetworkConfig::Dqn(_) => NetworkKind::Dqn,
            NetworkConfig::Dense(_) => NetworkKind::Dense,
        }
    }

    /// The encoder's name; the game's default one if empty.
    pub fn encoder(&self) -> &str {
        match self {
            NetworkConfig::Residual(config) => &config.encoder,
            NetworkConfig::Dqn(config) => &config.encoder,
            NetworkConfig::Dense(config) => &config.encoder,
        }
    }

    /// A network to begin with; a random one if empty.
    pub fn initial(&self) -> &str {
        match self {
            NetworkConfig::Residual(config) => &config.initial,
            NetworkConfig::Dqn(config) => &config.initial,
            NetworkConfig::Dense(config) => &config.initial,
        }
    }

    /// How 3x3 convolutions are computed in play.
    pub fn inference(&self) -> ConvMethod {
        match self {
            NetworkConfig::Residual(config) => config.inference,
            NetworkConfig::Dqn(config) => config.inference,
            NetworkConfig::Dense(config) => config.inference,
        }
    }

    /// Whether it has the heads that help learning: the opponent's reply, and how long the game goes on.
    pub fn auxiliary_heads(&self) -> [bool; 2] {
        match self {
            NetworkConfig::Residual(config) => [config.reply, config.moves_left],
            NetworkConfig::Dqn(_) | NetworkConfig::Dense(_) => [false; 2],
        }
    }

    /// The network, whole; `pairs` if it chooses a move in two steps.
    ///
    /// # Errors
    /// If the encoder knows no such steps.
    pub fn spec(&self, encoder: &EncoderInfo, pairs: bool) -> Result<Spec, String> {
        match self {
            NetworkConfig::Residual(config) => Ok(Spec::Residual(config.spec(encoder))),
            NetworkConfig::Dqn(config) => config.spec(encoder, pairs).map(Spec::Dqn),
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
                narrow(&mut config.hidden);
            }
            NetworkConfig::Dense(config) => {
                config.initial.clear();
                narrow(&mut config.hidden);
            }
        }
    }
}

impl ResidualConfig {
    fn spec(&self, encoder: &EncoderInfo) -> Residual {
        let some = |filters: usize| (filters > 0).then_some(filters);
        Residual {
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
            },
            value: ValueHead { filters: some(self.value_filters), hidden: self.value_hidden.clone() },
            reply: self.reply,
            moves_left: self.moves_left.then(|| ValueHead { filters: some(4), hidden: vec![16] }),
        }
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
        Ok(Dqn {
            input: encoder.shape,
            reading: self.reading,
            convolutions: self.convolutions.clone(),
            hidden: self.hidden.clone(),
            outputs,
            second,
            duelling: self.duelling,
        })
    }
}
