//! Networks as plain data: what an experiment file says and a weight file carries.
//!
//! A [`Spec`] says what a person chooses; [`Spec::graph`] spells it out layer by layer. Nothing here names a game:
//! the presets at the bottom are the shapes that the papers print, by the numbers of their encoders.

pub use crate::graph::Reading;
use crate::graph::{Activation, Builder, Graph, Kernel, NodeId};
use serde::{Deserialize, Serialize};
use tesuji_core::Shape;

/// The most numbers that one layer's parameters or one position's activations may have.
///
/// The largest network of the papers has 168 million in one layer; the bound keeps a mistyped file from asking for
/// more memory than there is, and every size product within range.
const LARGEST: usize = 1 << 31;

/// A network, any of the kinds that the papers use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Spec {
    /// A residual tower with a policy and a value head (AlphaZero and its kin).
    Residual(Residual),
    /// Convolutions, then dense layers, then one output for each action (deep Q-learning).
    Dqn(Dqn),
    /// Dense layers only, one or more outputs (TD learning).
    Dense(Dense),
}

/// A residual tower with a policy and a value head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residual {
    /// The encoder's planes.
    pub input: Shape,
    /// Residual blocks, two convolutions each.
    pub blocks: usize,
    /// Channels of the tower.
    pub filters: usize,
    /// What the blocks convolve with.
    #[serde(default)]
    pub convolution: Convolution,
    /// Share of the activations dropped in the middle of each block while training.
    #[serde(default)]
    pub dropout: f32,
    /// Squeeze-and-excitation at the end of each block: the width of its bottleneck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squeeze: Option<usize>,
    /// Global pooling in some blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pooling: Option<Pooling>,
    /// The policy head; its last layer has `outputs` logits.
    pub policy: Head,
    /// The value head; one output, tanh.
    pub value: ValueHead,
    /// A second policy head, of the same shape, for the opponent's reply: it helps the tower to learn and is left
    /// out in play.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reply: bool,
    /// A head for the length of the rest of the game, one output as it is: it helps the tower to learn and is left
    /// out in play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves_left: Option<ValueHead>,
}

/// What a residual block convolves with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convolution {
    /// A plain 3x3 convolution.
    #[default]
    Plain,
    /// A 3x3 convolution of each channel by itself, then a 1x1 convolution over the channels.
    Separable,
}

/// Global pooling as KataGo has it: some channels are pooled over the board (mean and maximum), and a dense layer
/// of the result shifts the other channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pooling {
    /// Channels that are pooled.
    pub channels: usize,
    /// Every n-th block pools, counted so that the last of n does.
    pub every: usize,
}

/// A policy head: (1x1 convolution,) batch norm, ReLU, dense layers with ReLU, logits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Channels of the 1x1 convolution; without it the tower is normalised as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<usize>,
    /// Widths of the hidden dense layers.
    #[serde(default)]
    pub hidden: Vec<usize>,
    /// Logits.
    pub outputs: usize,
}

/// A value head: as [`Head`], with one output and tanh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueHead {
    /// Channels of the 1x1 convolution; without it the tower is normalised as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<usize>,
    /// Widths of the hidden dense layers.
    #[serde(default)]
    pub hidden: Vec<usize>,
}

/// A network for deep Q-learning: convolutions with ReLU, dense layers with ReLU, one output for each action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dqn {
    /// The encoder's planes.
    pub input: Shape,
    /// How the planes are read as an image.
    #[serde(default)]
    pub reading: Reading,
    /// The convolutions.
    pub convolutions: Vec<ConvolutionLayer>,
    /// Widths of the hidden dense layers.
    pub hidden: Vec<usize>,
    /// Actions.
    pub outputs: usize,
    /// Actions of a second network of the same shape beside the first, which shares nothing with it but the input: the
    /// shogi paper chooses what to move by one and where to by the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<usize>,
    /// Value and advantages apart (duelling): Q = V + A - mean A.
    #[serde(default)]
    pub duelling: bool,
}

/// One convolution with ReLU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConvolutionLayer {
    /// Output channels.
    pub filters: usize,
    /// Height and width of the kernel, odd.
    pub size: usize,
}

/// Dense layers only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dense {
    /// The encoder's planes; read as one long vector.
    pub input: Shape,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// What follows each hidden layer.
    #[serde(default)]
    pub activation: Activation,
    /// Outputs, each with tanh.
    #[serde(default = "one")]
    pub outputs: usize,
}

fn one() -> usize {
    1
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// A specification that makes no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad network specification: {0}")]
pub struct SpecError(String);

impl SpecError {
    pub(crate) fn new(problem: impl Into<String>) -> SpecError {
        SpecError(problem.into())
    }
}

impl Spec {
    /// The planes that the network reads, as the encoder writes them.
    pub fn input(&self) -> Shape {
        match self {
            Spec::Residual(spec) => spec.input,
            Spec::Dqn(spec) => spec.input,
            Spec::Dense(spec) => spec.input,
        }
    }

    /// The network layer by layer.
    ///
    /// # Errors
    /// If a size is zero or out of all proportion, a kernel is even, or the dropout is not a share.
    pub fn graph(&self) -> Result<Graph, SpecError> {
        let input = self.input();
        let Shape { planes, height, width } = input;
        // Bounds under which the number of weights of any layer below still fits in 64 bits.
        if input.is_empty() || planes > 4096 || height > 256 || width > 256 {
            return Err(SpecError::new(format!("input of {planes} planes of {height}x{width}")));
        }
        let graph = match self {
            Spec::Residual(spec) => spec.graph()?,
            Spec::Dqn(spec) => spec.graph()?,
            Spec::Dense(spec) => spec.graph()?,
        };
        for node in graph.nodes() {
            if node.shape.len() > LARGEST || node.parameters.iter().any(|parameter| parameter.len() > LARGEST) {
                return Err(SpecError::new(format!("layer {} is too large", node.name)));
            }
        }
        Ok(graph)
    }
}

/// Refuses widths that are zero or absurd; products of two checked widths and a board stay far within range.
fn check_width(what: &str, width: usize) -> Result<(), SpecError> {
    if width == 0 || width > 1 << 20 {
        return Err(SpecError::new(format!("{what} must be between 1 and {}, not {width}", 1 << 20)));
    }
    Ok(())
}

fn check_widths(what: &str, widths: &[usize]) -> Result<(), SpecError> {
    if widths.len() > 1000 {
        return Err(SpecError::new(format!("{} {what}s: at most 1000", widths.len())));
    }
    widths.iter().try_for_each(|&width| check_width(what, width))
}

impl Residual {
    fn graph(&self) -> Result<Graph, SpecError> {
        check_width("filters", self.filters)?;
        if self.blocks > 1000 {
            return Err(SpecError::new(format!("{} blocks: at most 1000", self.blocks)));
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return Err(SpecError::new(format!("dropout must be in 0..1, not {}", self.dropout)));
        }
        if let Some(width) = self.squeeze {
            check_width("squeeze", width)?;
        }
        if let Some(pooling) = self.pooling {
            check_width("pooling.channels", pooling.channels)?;
            check_width("pooling.every", pooling.every)?;
        }
        let mut net = Builder::new(self.input, Reading::Planes);
        let stem = net.conv("stem.conv", net.input(), self.filters, Kernel::square(3));
        let mut tower = net.norm("stem.norm", stem, None, Activation::Relu);
        for block in 0..self.blocks {
            tower = self.block(&mut net, &format!("block{block}"), block, tower);
        }
        let policy = &self.policy;
        check_width("policy.outputs", policy.outputs)?;
        let logits = head(&mut net, "policy", tower, policy.filters, &policy.hidden)?;
        let logits = net.dense("policy.out", logits, policy.outputs, Activation::Identity);
        let value = head(&mut net, "value", tower, self.value.filters, &self.value.hidden)?;
        let value = net.dense("value.out", value, 1, Activation::Tanh);
        let mut outputs = vec![("policy", logits), ("value", value)];
        if self.reply {
            let logits = head(&mut net, "reply", tower, policy.filters, &policy.hidden)?;
            outputs.push(("reply", net.dense("reply.out", logits, policy.outputs, Activation::Identity)));
        }
        if let Some(left) = &self.moves_left {
            let moves = head(&mut net, "moves-left", tower, left.filters, &left.hidden)?;
            outputs.push(("moves-left", net.dense("moves-left.out", moves, 1, Activation::Identity)));
        }
        Ok(net.finish(&outputs))
    }

    fn block(&self, net: &mut Builder, name: &str, number: usize, input: NodeId) -> NodeId {
        let mut inner = self.convolve(net, &format!("{name}.conv1"), input);
        if let Some(pooling) = self.pooling.filter(|pooling| (number + 1).is_multiple_of(pooling.every)) {
            let pooled = net.conv(&format!("{name}.pool.conv"), input, pooling.channels, Kernel::square(3));
            let pooled = net.norm(&format!("{name}.pool.norm"), pooled, None, Activation::Relu);
            let pooled = net.mean_max(&format!("{name}.pool.mean-max"), pooled);
            let shift = net.dense(&format!("{name}.pool.dense"), pooled, self.filters, Activation::Identity);
            inner = net.shift(&format!("{name}.pool.shift"), inner, shift);
        }
        inner = net.norm(&format!("{name}.norm1"), inner, None, Activation::Relu);
        if self.dropout > 0.0 {
            inner = net.dropout(&format!("{name}.dropout"), inner, self.dropout);
        }
        inner = self.convolve(net, &format!("{name}.conv2"), inner);
        let Some(width) = self.squeeze else {
            return net.norm(&format!("{name}.norm2"), inner, Some(input), Activation::Relu);
        };
        inner = net.norm(&format!("{name}.norm2"), inner, None, Activation::Identity);
        let gate = net.mean(&format!("{name}.squeeze.mean"), inner);
        let gate = net.dense(&format!("{name}.squeeze.dense1"), gate, width, Activation::Relu);
        let gate = net.dense(&format!("{name}.squeeze.dense2"), gate, self.filters, Activation::Identity);
        let gated = net.gate(&format!("{name}.squeeze.gate"), inner, gate);
        net.sum(&format!("{name}.sum"), gated, input, Activation::Relu)
    }

    fn convolve(&self, net: &mut Builder, name: &str, input: NodeId) -> NodeId {
        match self.convolution {
            Convolution::Plain => net.conv(name, input, self.filters, Kernel::square(3)),
            Convolution::Separable => {
                let depthwise = net.depthwise(&format!("{name}.depthwise"), input, Kernel::square(3));
                net.conv(&format!("{name}.pointwise"), depthwise, self.filters, Kernel::square(1))
            }
        }
    }
}

/// The part of a head before its last layer.
fn head(
    net: &mut Builder,
    name: &str,
    tower: NodeId,
    filters: Option<usize>,
    hidden: &[usize],
) -> Result<NodeId, SpecError> {
    check_widths("hidden layer", hidden)?;
    let mut x = tower;
    if let Some(filters) = filters {
        check_width("head filters", filters)?;
        x = net.conv(&format!("{name}.conv"), x, filters, Kernel::square(1));
    }
    x = net.norm(&format!("{name}.norm"), x, None, Activation::Relu);
    for (i, &width) in hidden.iter().enumerate() {
        x = net.dense(&format!("{name}.dense{}", i + 1), x, width, Activation::Relu);
    }
    Ok(x)
}

impl Dqn {
    fn graph(&self) -> Result<Graph, SpecError> {
        check_width("outputs", self.outputs)?;
        check_widths("hidden layer", &self.hidden)?;
        if self.convolutions.len() > 1000 {
            return Err(SpecError::new(format!("{} convolutions: at most 1000", self.convolutions.len())));
        }
        if let Some(second) = self.second {
            check_width("second", second)?;
        }
        let mut net = Builder::new(self.input, self.reading);
        let q = self.tower(&mut net, "", self.outputs)?;
        let mut outputs = vec![("q", q)];
        if let Some(second) = self.second {
            outputs.push(("q2", self.tower(&mut net, "second.", second)?));
        }
        Ok(net.finish(&outputs))
    }

    /// One network from the input to its actions.
    fn tower(&self, net: &mut Builder, prefix: &str, outputs: usize) -> Result<NodeId, SpecError> {
        let mut x = net.input();
        for (i, layer) in self.convolutions.iter().enumerate() {
            check_width("filters", layer.filters)?;
            if layer.size.is_multiple_of(2) || layer.size > 15 {
                return Err(SpecError::new(format!("kernel size must be odd and at most 15, not {}", layer.size)));
            }
            x = net.conv_relu(&format!("{prefix}conv{}", i + 1), x, layer.filters, Kernel::square(layer.size));
        }
        for (i, &width) in self.hidden.iter().enumerate() {
            x = net.dense(&format!("{prefix}dense{}", i + 1), x, width, Activation::Relu);
        }
        let mut q = net.dense(&format!("{prefix}out"), x, outputs, Activation::Identity);
        if self.duelling {
            let value = net.dense(&format!("{prefix}duel.value"), x, 1, Activation::Identity);
            q = net.duel(&format!("{prefix}duel"), q, value);
        }
        Ok(q)
    }
}

impl Dense {
    fn graph(&self) -> Result<Graph, SpecError> {
        check_width("outputs", self.outputs)?;
        check_widths("hidden layer", &self.hidden)?;
        let mut net = Builder::new(self.input, Reading::Planes);
        let mut x = net.input();
        for (i, &width) in self.hidden.iter().enumerate() {
            x = net.dense(&format!("dense{}", i + 1), x, width, self.activation);
        }
        let value = net.dense("out", x, self.outputs, Activation::Tanh);
        Ok(net.finish(&[("value", value)]))
    }
}

/// The networks that the papers describe.
impl Spec {
    /// AlphaZero's network: a plain tower, 1x1 convolutions of 2 and 1 channels and dense layers of 256 in its
    /// heads. The minishogi paper's is `alpha_zero(5x5x31, 10, 256, 1500)`, the chess paper's has 12 blocks of 256.
    pub fn alpha_zero(input: Shape, blocks: usize, filters: usize, policy: usize) -> Spec {
        Spec::Residual(Residual {
            input,
            blocks,
            filters,
            convolution: Convolution::Plain,
            dropout: 0.0,
            squeeze: None,
            pooling: None,
            policy: Head { filters: Some(2), hidden: vec![256], outputs: policy },
            value: ValueHead { filters: Some(1), hidden: vec![256] },
            reply: false,
            moves_left: None,
        })
    }

    /// The TUBSTAP paper's network: 128 filters, dropout in the blocks, heads on the whole tower. It gives no
    /// dropout rate; 0.3 is what the Wide Residual Network that it follows uses.
    pub fn tubstap(input: Shape, blocks: usize, convolution: Convolution, policy: usize) -> Spec {
        Spec::Residual(Residual {
            input,
            blocks,
            filters: 128,
            convolution,
            dropout: 0.3,
            squeeze: None,
            pooling: None,
            policy: Head { filters: None, hidden: vec![], outputs: policy },
            value: ValueHead { filters: None, hidden: vec![128] },
            reply: false,
            moves_left: None,
        })
    }

    /// The shogi paper's network with its 169 million parameters: `outputs` 88 chooses what to move, 81 where to.
    pub fn dqn_paper(outputs: usize) -> Spec {
        Spec::Dqn(Dqn {
            input: Shape { planes: 63, height: 9, width: 9 },
            reading: Reading::Sideways,
            convolutions: vec![
                ConvolutionLayer { filters: 63, size: 5 },
                ConvolutionLayer { filters: 126, size: 3 },
                ConvolutionLayer { filters: 126, size: 1 },
            ],
            hidden: vec![2352, 441],
            outputs,
            second: None,
            duelling: false,
        })
    }

    /// A small network for the same task that reads the planes as channels of the board.
    pub fn dqn_small(input: Shape, outputs: usize, duelling: bool) -> Spec {
        Spec::Dqn(Dqn {
            input,
            reading: Reading::Planes,
            convolutions: vec![
                ConvolutionLayer { filters: 64, size: 3 },
                ConvolutionLayer { filters: 64, size: 3 },
                ConvolutionLayer { filters: 64, size: 3 },
            ],
            hidden: vec![256],
            outputs,
            second: None,
            duelling,
        })
    }
}
