//! A network in full: a list of layers, each reading the outputs of earlier ones.
//!
//! Everything that runs a network (the plain reference, training, fast inference) walks this list, so a new kind of
//! network is a new function in [`crate::spec`] and nothing else; a new kind of layer is one more [`Op`].
//!
//! Activations are images of [`Shape`]; a vector is an image of 1x1. Parameters have the layout that their kernels
//! read in order: convolutions `[row, column, input channel, output channel]`, dense layers `[input, output]` with the
//! input flattened as `[row, column, channel]`: a dense layer is a convolution whose kernel is the whole board.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use tesuji_core::Shape;

/// A layer's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub usize);

/// What follows a sum of products.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// Nothing.
    Identity,
    /// max(x, 0).
    #[default]
    Relu,
    /// Hyperbolic tangent.
    Tanh,
}

/// The size of a convolution's kernel, both odd: outputs are as large as inputs, and outside the board all is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
}

impl Kernel {
    /// A kernel as high as wide.
    pub const fn square(size: usize) -> Kernel {
        Kernel { height: size, width: size }
    }

    /// Its squares.
    pub const fn taps(self) -> usize {
        self.height * self.width
    }

    /// The square that `tap` reads for the output `square`, if it lies on a board of this shape.
    #[inline]
    pub fn source(self, board: Shape, square: usize, tap: usize) -> Option<usize> {
        let row = (square / board.width + tap / self.width).checked_sub(self.height / 2)?;
        let column = (square % board.width + tap % self.width).checked_sub(self.width / 2)?;
        (row < board.height && column < board.width).then_some(row * board.width + column)
    }
}

/// What a layer computes of its inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// The encoder's planes.
    Input,
    /// A convolution over all channels; parameters `weight` and, if `bias`, `bias`.
    Conv {
        /// The kernel.
        kernel: Kernel,
        /// Whether a bias is added; a batch norm behind makes it superfluous.
        bias: bool,
        /// What follows.
        activation: Activation,
    },
    /// A convolution of each channel by itself; parameter `weight`.
    Depthwise {
        /// The kernel.
        kernel: Kernel,
    },
    /// A dense layer of the flattened image; parameters `weight`, `bias`.
    Dense {
        /// What follows.
        activation: Activation,
    },
    /// Batch normalisation, then the sum with the second input if there is one (the skip of a residual block);
    /// parameters `gamma`, `beta` and the running `mean`, `variance`.
    Norm {
        /// What follows.
        activation: Activation,
    },
    /// Some activations set to 0 while training, the others scaled up.
    Dropout {
        /// The share that is dropped.
        rate: f32,
    },
    /// The mean of each channel over the board.
    Mean,
    /// The mean of each channel over the board, then the maximum of each.
    MeanMax,
    /// The first input, each channel times the sigmoid of the second input (a vector).
    Gate,
    /// The first input, each channel plus the second input (a vector).
    Shift,
    /// The sum of two inputs.
    Sum {
        /// What follows.
        activation: Activation,
    },
    /// The image as a vector, plane by plane and in each square by square; the second input (a vector) behind it if
    /// there is one.
    Flatten,
    /// Duelling heads: the first input (advantages) less its mean, plus the second (one number, the value).
    Duel,
}

/// How a parameter begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// Always this number.
    Constant(f32),
    /// Uniform around 0 with this standard deviation: He's for layers before a ReLU, Glorot's elsewhere. Uniform,
    /// not normal, because it needs no logarithm or cosine, whose last bits differ between machines.
    Uniform(f32),
}

/// A tensor that a layer owns.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The layer's name, a dot, and what it is: `block3.conv1.weight`.
    pub name: String,
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// How it begins.
    pub init: Init,
    /// Whether training moves it by its gradient; the running statistics of batch norm are not.
    pub trainable: bool,
}

impl Parameter {
    /// The numbers in it.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name, unique in the network.
    pub name: String,
    /// What it computes.
    pub op: Op,
    /// The layers that it reads, all earlier.
    pub inputs: Vec<NodeId>,
    /// The image that it makes of one position.
    pub shape: Shape,
    /// What it owns.
    pub parameters: Vec<Parameter>,
    /// The number of its first parameter among the network's.
    pub first_parameter: usize,
}

/// How the planes of an encoder become the image that is convolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// A board with one channel for each plane.
    #[default]
    Planes,
    /// The array as it lies, taken for height x width x channels: 63 planes of 9x9 become a 63x9 image with 9
    /// channels. The parameter table of the shogi paper shows that its network read the board so.
    Sideways,
}

/// A network as a list of layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    input: Shape,
    reading: Reading,
    nodes: Vec<Node>,
    outputs: Vec<(String, NodeId)>,
}

impl Graph {
    /// The layers; each reads earlier ones only.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The layer with this number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The planes as the encoder writes them.
    pub fn input(&self) -> Shape {
        self.input
    }

    /// How the planes become the first image.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The named outputs: `policy` and `value` (and the helpers `reply` and `moves-left`), or `q`, or `value`.
    pub fn outputs(&self) -> &[(String, NodeId)] {
        &self.outputs
    }

    /// The number of the output with this name.
    pub fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|(output, _)| output == name)
    }

    /// The length of an output.
    pub fn output_len(&self, output: usize) -> usize {
        self.node(self.outputs[output].1).shape.len()
    }

    /// Every parameter, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &Parameter> {
        self.nodes.iter().flat_map(|node| &node.parameters)
    }

    /// The number of numbers that training moves.
    pub fn parameter_count(&self) -> usize {
        self.parameters().filter(|parameter| parameter.trainable).map(Parameter::len).sum()
    }

    /// Floating-point operations for one position: two for each weight of a convolution or dense layer and each
    /// square, off-board taps counted, as the field counts them. Everything else is small beside that.
    pub fn flops(&self) -> u64 {
        self.nodes.iter().map(|node| self.node_flops(node)).sum()
    }

    /// The part of [`flops`](Self::flops) that one layer takes.
    pub fn node_flops(&self, node: &Node) -> u64 {
        let weights = node.parameters.first().map_or(0, Parameter::len) as u64;
        let squares = (node.shape.height * node.shape.width) as u64;
        match node.op {
            Op::Conv { .. } | Op::Depthwise { .. } => 2 * weights * squares,
            Op::Dense { .. } => 2 * weights,
            _ => 0,
        }
    }

    /// The layers as a table for people, with the totals.
    pub fn describe(&self) -> String {
        let mut text =
            format!("{:<28} {:<22} {:>14} {:>13} {:>10}\n", "layer", "kind", "output", "parameters", "MFLOP");
        for node in &self.nodes {
            let Shape { planes, height, width } = node.shape;
            let output = format!("{height}x{width}x{planes}");
            let (kind, count, mflop) = (node.kind(), node.parameter_count(), self.node_flops(node) as f64 / 1e6);
            let _ = writeln!(text, "{:<28} {kind:<22} {output:>14} {count:>13} {mflop:>10.3}", node.name);
        }
        let _ =
            write!(text, "{} parameters, {:.2} MFLOP a position", self.parameter_count(), self.flops() as f64 / 1e6);
        text
    }
}

impl Node {
    /// The number of its numbers that training moves.
    pub fn parameter_count(&self) -> usize {
        self.parameters.iter().filter(|parameter| parameter.trainable).map(Parameter::len).sum()
    }

    /// What it computes, as text for people.
    pub fn kind(&self) -> String {
        let (name, activation) = match self.op {
            Op::Input => ("input".to_owned(), Activation::Identity),
            Op::Conv { kernel, activation, .. } => (format!("conv {}x{}", kernel.height, kernel.width), activation),
            Op::Depthwise { kernel } => (format!("depthwise {}x{}", kernel.height, kernel.width), Activation::Identity),
            Op::Dense { activation } => ("dense".to_owned(), activation),
            Op::Norm { activation } if self.inputs.len() == 2 => ("batch norm + skip".to_owned(), activation),
            Op::Norm { activation } => ("batch norm".to_owned(), activation),
            Op::Dropout { rate } => (format!("dropout {rate}"), Activation::Identity),
            Op::Mean => ("mean".to_owned(), Activation::Identity),
            Op::MeanMax => ("mean, max".to_owned(), Activation::Identity),
            Op::Gate => ("gate".to_owned(), Activation::Identity),
            Op::Shift => ("shift".to_owned(), Activation::Identity),
            Op::Sum { activation } => ("sum".to_owned(), activation),
            Op::Flatten => ("by planes".to_owned(), Activation::Identity),
            Op::Duel => ("duel".to_owned(), Activation::Identity),
        };
        match activation {
            Activation::Identity => name,
            Activation::Relu => name + ", relu",
            Activation::Tanh => name + ", tanh",
        }
    }
}

/// Puts a network together; [`crate::spec`] is the only user.
pub(crate) struct Builder {
    graph: Graph,
    parameters: usize,
}

impl Builder {
    pub fn new(input: Shape, reading: Reading) -> Builder {
        let shape = match reading {
            Reading::Planes => input,
            Reading::Sideways => Shape { planes: input.width, height: input.planes, width: input.height },
        };
        let graph = Graph { input, reading, nodes: Vec::new(), outputs: Vec::new() };
        let mut builder = Builder { graph, parameters: 0 };
        builder.push("input", Op::Input, vec![], shape, vec![]);
        builder
    }

    pub fn input(&self) -> NodeId {
        NodeId(0)
    }

    /// A bare convolution, for a norm behind it.
    pub fn conv(&mut self, name: &str, input: NodeId, filters: usize, kernel: Kernel) -> NodeId {
        self.add_conv(name, input, filters, Op::Conv { kernel, bias: false, activation: Activation::Identity })
    }

    /// A convolution with bias and ReLU.
    pub fn conv_relu(&mut self, name: &str, input: NodeId, filters: usize, kernel: Kernel) -> NodeId {
        self.add_conv(name, input, filters, Op::Conv { kernel, bias: true, activation: Activation::Relu })
    }

    /// A convolution with bias and nothing behind it, whose weights begin as large as this.
    pub fn conv_bias(&mut self, name: &str, input: NodeId, filters: usize, kernel: Kernel, deviation: f32) -> NodeId {
        let op = Op::Conv { kernel, bias: true, activation: Activation::Identity };
        self.add_scaled_conv(name, input, filters, op, deviation)
    }

    fn add_conv(&mut self, name: &str, input: NodeId, filters: usize, op: Op) -> NodeId {
        let Op::Conv { kernel, .. } = op else { unreachable!("only convolutions come here") };
        let deviation = he(kernel.taps() * self.shape(input).planes);
        self.add_scaled_conv(name, input, filters, op, deviation)
    }

    fn add_scaled_conv(&mut self, name: &str, input: NodeId, filters: usize, op: Op, deviation: f32) -> NodeId {
        let Op::Conv { kernel, bias, .. } = op else { unreachable!("only convolutions come here") };
        let from = self.shape(input);
        let weight = [kernel.height, kernel.width, from.planes, filters];
        let mut parameters = vec![("weight", weight.to_vec(), Init::Uniform(deviation), true)];
        if bias {
            parameters.push(("bias", vec![filters], Init::Constant(0.0), true));
        }
        self.push(name, op, vec![input], Shape { planes: filters, ..from }, parameters)
    }

    pub fn depthwise(&mut self, name: &str, input: NodeId, kernel: Kernel) -> NodeId {
        let shape = self.shape(input);
        let weight = vec![kernel.height, kernel.width, shape.planes];
        // No ReLU between the two halves of a separable convolution: deviation 1/sqrt(taps) keeps the scale.
        let init = Init::Uniform((kernel.taps() as f32).sqrt().recip());
        self.push(name, Op::Depthwise { kernel }, vec![input], shape, vec![("weight", weight, init, true)])
    }

    pub fn dense(&mut self, name: &str, input: NodeId, outputs: usize, activation: Activation) -> NodeId {
        let inputs = self.shape(input).len();
        let deviation = match activation {
            Activation::Relu => he(inputs),
            Activation::Identity | Activation::Tanh => (2.0 / (inputs + outputs) as f32).sqrt(),
        };
        let parameters = vec![
            ("weight", vec![inputs, outputs], Init::Uniform(deviation), true),
            ("bias", vec![outputs], Init::Constant(0.0), true),
        ];
        self.push(name, Op::Dense { activation }, vec![input], vector(outputs), parameters)
    }

    pub fn norm(&mut self, name: &str, input: NodeId, skip: Option<NodeId>, activation: Activation) -> NodeId {
        let shape = self.shape(input);
        let channels = vec![shape.planes];
        let parameters = vec![
            ("gamma", channels.clone(), Init::Constant(1.0), true),
            ("beta", channels.clone(), Init::Constant(0.0), true),
            ("mean", channels.clone(), Init::Constant(0.0), false),
            ("variance", channels, Init::Constant(1.0), false),
        ];
        let inputs = std::iter::once(input).chain(skip).collect();
        self.push(name, Op::Norm { activation }, inputs, shape, parameters)
    }

    pub fn dropout(&mut self, name: &str, input: NodeId, rate: f32) -> NodeId {
        self.push(name, Op::Dropout { rate }, vec![input], self.shape(input), vec![])
    }

    pub fn mean(&mut self, name: &str, input: NodeId) -> NodeId {
        self.push(name, Op::Mean, vec![input], vector(self.shape(input).planes), vec![])
    }

    pub fn mean_max(&mut self, name: &str, input: NodeId) -> NodeId {
        self.push(name, Op::MeanMax, vec![input], vector(2 * self.shape(input).planes), vec![])
    }

    pub fn gate(&mut self, name: &str, input: NodeId, gate: NodeId) -> NodeId {
        self.push(name, Op::Gate, vec![input, gate], self.shape(input), vec![])
    }

    pub fn shift(&mut self, name: &str, input: NodeId, shift: NodeId) -> NodeId {
        self.push(name, Op::Shift, vec![input, shift], self.shape(input), vec![])
    }

    pub fn sum(&mut self, name: &str, a: NodeId, b: NodeId, activation: Activation) -> NodeId {
        self.push(name, Op::Sum { activation }, vec![a, b], self.shape(a), vec![])
    }

    pub fn flatten(&mut self, name: &str, image: NodeId, rest: Option<NodeId>) -> NodeId {
        let len = self.shape(image).len() + rest.map_or(0, |rest| self.shape(rest).len());
        self.push(name, Op::Flatten, std::iter::once(image).chain(rest).collect(), vector(len), vec![])
    }

    pub fn duel(&mut self, name: &str, advantages: NodeId, value: NodeId) -> NodeId {
        self.push(name, Op::Duel, vec![advantages, value], self.shape(advantages), vec![])
    }

    pub fn finish(mut self, outputs: &[(&str, NodeId)]) -> Graph {
        self.graph.outputs = outputs.iter().map(|&(name, id)| (name.to_owned(), id)).collect();
        self.graph
    }

    /// The image that a layer makes.
    pub fn shape(&self, id: NodeId) -> Shape {
        self.graph.node(id).shape
    }

    fn push(
        &mut self,
        name: &str,
        op: Op,
        inputs: Vec<NodeId>,
        shape: Shape,
        parameters: Vec<(&str, Vec<usize>, Init, bool)>,
    ) -> NodeId {
        let first_parameter = self.parameters;
        let parameters: Vec<Parameter> = parameters
            .into_iter()
            .map(|(what, shape, init, trainable)| Parameter { name: format!("{name}.{what}"), shape, init, trainable })
            .collect();
        self.parameters += parameters.len();
        self.graph.nodes.push(Node { name: name.to_owned(), op, inputs, shape, parameters, first_parameter });
        NodeId(self.graph.nodes.len() - 1)
    }
}

fn vector(len: usize) -> Shape {
    Shape { planes: len, height: 1, width: 1 }
}

/// He's deviation for a layer with this many inputs before a ReLU.
pub(crate) fn he(inputs: usize) -> f32 {
    (2.0 / inputs as f32).sqrt()
}
