//! What a network computes, written as plainly as possible, in double precision.
//!
//! Slow and obvious: the tests of training and of fast inference compare with this.

use crate::Weights;
use crate::graph::{Activation, Graph, Kernel, Node, Op, Reading};
use tesuji_core::Shape;

/// What batch norm adds to a variance before its square root is taken.
pub const NORM_EPSILON: f32 = 1e-5;

/// How batch norm and dropout behave.
pub enum Mode<'a> {
    /// As in play: running statistics, nothing dropped.
    Play,
    /// As in training: statistics of the batch; the function gives the factor of an activation of a dropout layer, by
    /// the layer's number and its index in `[square][position][channel]` order.
    Train(&'a dyn Fn(usize, usize) -> f64),
}

/// Images of a batch: `[position][square][channel]`.
struct Images {
    shape: Shape,
    numbers: Vec<f64>,
}

impl Images {
    fn squares(&self) -> usize {
        self.shape.height * self.shape.width
    }

    fn at(&self, position: usize, square: usize, channel: usize) -> f64 {
        self.numbers[(position * self.squares() + square) * self.shape.planes + channel]
    }
}

/// The outputs of the network, in their order, each `[position][number]`.
pub fn outputs(graph: &Graph, weights: &Weights, inputs: &[f32], batch: usize) -> Vec<Vec<f64>> {
    let weights: Vec<Vec<f64>> = weights.tensors().iter().map(|t| t.iter().map(|&x| f64::from(x)).collect()).collect();
    outputs_in_mode(graph, &weights, inputs, batch, &Mode::Play)
}

/// The outputs of the network in a chosen mode, from weights in double precision.
pub fn outputs_in_mode(
    graph: &Graph,
    weights: &[Vec<f64>],
    inputs: &[f32],
    batch: usize,
    mode: &Mode<'_>,
) -> Vec<Vec<f64>> {
    let mut images: Vec<Images> = Vec::new();
    for (number, node) in graph.nodes().iter().enumerate() {
        let numbers = match node.op {
            Op::Input => read(graph, inputs, batch),
            _ => compute(number, node, &images, &weights[node.first_parameter..], batch, mode),
        };
        images.push(Images { shape: node.shape, numbers });
    }
    graph.outputs().iter().map(|(_, id)| images[id.0].numbers.clone()).collect()
}

fn read(graph: &Graph, inputs: &[f32], batch: usize) -> Vec<f64> {
    let len = graph.input().len();
    let shape = graph.nodes()[0].shape;
    let squares = shape.height * shape.width;
    let index = |square: usize, channel: usize| match graph.reading() {
        Reading::Planes => channel * squares + square,
        Reading::Sideways => square * shape.planes + channel,
    };
    fill(batch, shape, |position, square, channel| f64::from(inputs[position * len + index(square, channel)]))
}

fn fill(batch: usize, shape: Shape, number: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
    let mut numbers = Vec::with_capacity(batch * shape.len());
    for position in 0..batch {
        for square in 0..shape.height * shape.width {
            for channel in 0..shape.planes {
                numbers.push(number(position, square, channel));
            }
        }
    }
    numbers
}

fn compute(
    number: usize,
    node: &Node,
    images: &[Images],
    weights: &[Vec<f64>],
    batch: usize,
    mode: &Mode<'_>,
) -> Vec<f64> {
    let x = &images[node.inputs[0].0];
    let second = node.inputs.get(1).map(|id| &images[id.0]);
    let (planes, squares) = (x.shape.planes, x.squares());
    match node.op {
        Op::Input => unreachable!("read before"),
        Op::Conv { kernel, bias, activation } => fill(batch, node.shape, |b, s, k| {
            let taps = taps(kernel, x.shape, s);
            let sum = taps.map(|(tap, source)| {
                let weight = |c: usize| weights[0][(tap * planes + c) * node.shape.planes + k];
                (0..planes).map(|c| x.at(b, source, c) * weight(c)).sum::<f64>()
            });
            activate(activation, sum.sum::<f64>() + if bias { weights[1][k] } else { 0.0 })
        }),
        Op::Depthwise { kernel } => fill(batch, node.shape, |b, s, c| {
            taps(kernel, x.shape, s).map(|(tap, source)| x.at(b, source, c) * weights[0][tap * planes + c]).sum()
        }),
        Op::Dense { activation } => fill(batch, node.shape, |b, _, k| {
            let image = &x.numbers[b * x.shape.len()..][..x.shape.len()];
            let products = image.iter().enumerate().map(|(i, x)| x * weights[0][i * node.shape.planes + k]);
            activate(activation, products.sum::<f64>() + weights[1][k])
        }),
        Op::Norm { activation } => {
            let (mean, variance) = statistics(x, weights, batch, mode);
            fill(batch, node.shape, |b, s, c| {
                let scale = weights[0][c] / (variance[c] + f64::from(NORM_EPSILON)).sqrt();
                let skip = second.map_or(0.0, |skip| skip.at(b, s, c));
                activate(activation, (x.at(b, s, c) - mean[c]) * scale + weights[1][c] + skip)
            })
        }
        Op::Dropout { .. } => fill(batch, node.shape, |b, s, c| match mode {
            Mode::Play => x.at(b, s, c),
            Mode::Train(factor) => x.at(b, s, c) * factor(number, (s * batch + b) * planes + c),
        }),
        Op::Mean => fill(batch, node.shape, |b, _, c| mean_of(x, b, c)),
        Op::MeanMax => fill(batch, node.shape, |b, _, c| match c.checked_sub(planes) {
            None => mean_of(x, b, c),
            Some(c) => (0..squares).map(|s| x.at(b, s, c)).fold(f64::MIN, f64::max),
        }),
        Op::Gate => {
            let gate = second.expect("gates have two inputs");
            fill(batch, node.shape, |b, s, c| x.at(b, s, c) / (1.0 + (-gate.at(b, 0, c)).exp()))
        }
        Op::Shift => {
            let shift = second.expect("shifts have two inputs");
            fill(batch, node.shape, |b, s, c| x.at(b, s, c) + shift.at(b, 0, c))
        }
        Op::Sum { activation } => {
            let other = second.expect("sums have two inputs");
            fill(batch, node.shape, |b, s, c| activate(activation, x.at(b, s, c) + other.at(b, s, c)))
        }
        Op::Flatten => fill(batch, node.shape, |b, _, c| match c.checked_sub(planes * squares) {
            None => x.at(b, c % squares, c / squares),
            Some(rest) => second.map_or(0.0, |second| second.at(b, 0, rest)),
        }),
        Op::Duel => {
            let value = second.expect("duels have two inputs");
            fill(batch, node.shape, |b, _, c| {
                let mean = (0..planes).map(|a| x.at(b, 0, a)).sum::<f64>() / planes as f64;
                x.at(b, 0, c) - mean + value.at(b, 0, 0)
            })
        }
    }
}

/// The taps that lie on the board, with the squares that they read.
fn taps(kernel: Kernel, board: Shape, square: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..kernel.taps()).filter_map(move |tap| Some((tap, kernel.source(board, square, tap)?)))
}

fn mean_of(x: &Images, position: usize, channel: usize) -> f64 {
    (0..x.squares()).map(|s| x.at(position, s, channel)).sum::<f64>() / x.squares() as f64
}

fn statistics(x: &Images, weights: &[Vec<f64>], batch: usize, mode: &Mode<'_>) -> (Vec<f64>, Vec<f64>) {
    if let Mode::Play = mode {
        return (weights[2].clone(), weights[3].clone());
    }
    let planes = x.shape.planes;
    let count = (batch * x.squares()) as f64;
    let mut mean = vec![0.0; planes];
    let mut variance = vec![0.0; planes];
    for row in x.numbers.chunks_exact(planes) {
        (0..planes).for_each(|c| mean[c] += row[c] / count);
    }
    for row in x.numbers.chunks_exact(planes) {
        (0..planes).for_each(|c| variance[c] += (row[c] - mean[c]).powi(2) / count);
    }
    (mean, variance)
}

fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        Activation::Tanh => x.tanh(),
    }
}
