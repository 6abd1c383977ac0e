//! Networks as plain data: what an experiment file says and a weight file carries.
//!
//! A [`Spec`] says what a person chooses; [`Spec::graph`] spells it out layer by layer. Nothing here names a game:
//! the presets at the bottom are the shapes that the papers print, by the numbers of their encoders.

pub use crate::checks::SpecError;
use crate::checks::{check_width, check_widths};
pub use crate::graph::Reading;
use crate::graph::{Activation, Builder, Graph, Kernel, NodeId, he};
pub use crate::heads::{Head, HeadOrder, ValueHead};
use crate::heads::{head, planes_of};
use serde::{Deserialize, Serialize};
use tesuji_core::Shape;

/// The most numbers that one layer's parameters or one position's activations may have.
///
/// The largest network of the papers has 168 million in one layer; the bound keeps a mistyped file from asking for
/// more memory than there is, and every size product within range.
const LARGEST: usize = 1 << 31;

/// Channels of the 1x1 convolution before the value of a duelling head of planes.
const DUEL_FILTERS: usize = 4;

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
    /// Residual blocks behind them, as wide as the last of them: two 3x3 convolutions with bias each, without batch
    /// norm, so that the network answers in training as it does in play.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blocks: usize,
    /// Widths of the hidden dense layers; of a head of planes, those of the value.
    pub hidden: Vec<usize>,
    /// Actions as so many planes of the board, in place of the dense layers: a 3x3 convolution with ReLU and a 1x1
    /// convolution with one channel for each plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<usize>,
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

fn is_zero(number: &usize) -> bool {
    *number == 0
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
        check_width("policy.outputs", self.policy.outputs)?;
        let logits = self.policy.logits(&mut net, "policy", tower)?;
        let value = head(&mut net, "value", tower, self.value.filters, &self.value.hidden)?;
        let value = net.dense("value.out", value, 1, Activation::Tanh);
        let mut outputs = vec![("policy", logits), ("value", value)];
        if self.reply {
            outputs.push(("reply", self.policy.logits(&mut net, "reply", tower)?));
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
        if self.blocks > 1000 {
            return Err(SpecError::new(format!("{} blocks: at most 1000", self.blocks)));
        }
        if self.blocks > 0 && self.convolutions.is_empty() {
            return Err(SpecError::new("blocks need a convolution before them, whose width they take"));
        }
        if self.planes.is_some() {
            if self.second.is_some() || self.reading != Reading::Planes {
                return Err(SpecError::new("a head of planes has no second network, and reads the board as it is"));
            }
            if !self.hidden.is_empty() && !self.duelling {
                return Err(SpecError::new("hidden layers of a head of planes are the value's: they need duelling"));
            }
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
        for block in 0..self.blocks {
            x = self.block(net, &format!("{prefix}block{block}"), x);
        }
        if let Some(planes) = self.planes {
            return self.by_planes(net, x, planes);
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

impl Dqn {
    /// x + conv(relu(conv(x))), then ReLU. The second convolution begins small, so that the tower begins near the
    /// identity (as Fixup has it): without batch norm nothing else would bound its size.
    fn block(&self, net: &mut Builder, name: &str, x: NodeId) -> NodeId {
        let filters = net.shape(x).planes;
        let inner = net.conv_relu(&format!("{name}.conv1"), x, filters, Kernel::square(3));
        let deviation = he(9 * filters) / (2.0 * self.blocks as f32).sqrt();
        let inner = net.conv_bias(&format!("{name}.conv2"), inner, filters, Kernel::square(3), deviation);
        net.sum(&format!("{name}.sum"), inner, x, Activation::Relu)
    }

    /// The head of planes; with the value beside it if they are duelling.
    fn by_planes(&self, net: &mut Builder, tower: NodeId, planes: usize) -> Result<NodeId, SpecError> {
        let filters = net.shape(tower).planes;
        let x = net.conv_relu("head.conv", tower, filters, Kernel::square(3));
        let q = planes_of(net, "head", x, planes, self.outputs)?;
        if !self.duelling {
            return Ok(q);
        }
        let mut x = net.conv_relu("duel.conv", tower, DUEL_FILTERS, Kernel::square(1));
        for (i, &width) in self.hidden.iter().enumerate() {
            x = net.dense(&format!("duel.dense{}", i + 1), x, width, Activation::Relu);
        }
        let value = net.dense("duel.value", x, 1, Activation::Identity);
        Ok(net.duel("duel", q, value))
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
            policy: Head {
                filters: Some(2),
                hidden: vec![256],
                outputs: policy,
                planes: None,
                order: HeadOrder::NormFirst,
            },
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
            policy: Head { filters: None, hidden: vec![], outputs: policy, planes: None, order: HeadOrder::NormFirst },
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
            blocks: 0,
            hidden: vec![2352, 441],
            planes: None,
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
            blocks: 0,
            hidden: vec![256],
            planes: None,
            outputs,
            second: None,
            duelling,
        })
    }
}
