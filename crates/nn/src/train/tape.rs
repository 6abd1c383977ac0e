//! One pass through a network and back: the activations of a batch, and the gradients that flow against them.

use super::conv::{Conv, DenseLayer};
use super::norm::{self, Statistics};
use super::rows::Rows;
use super::small;
use crate::Weights;
use crate::graph::{Activation, Graph, Node, NodeId, Op, Reading};
use crate::kernel::{Buffer, Isa};
use std::collections::BTreeMap;
use tesuji_core::random;

/// The buffers of one batch size.
pub(super) struct Tape {
    isa: Isa,
    batch: usize,
    values: Vec<Buffer>,
    layers: Vec<Layer>,
    gradients: Vec<Option<Buffer>>,
    /// Gradient buffers that wait to be used again, by length.
    free: BTreeMap<usize, Vec<Buffer>>,
}

/// What a layer keeps besides its result.
enum Layer {
    Nothing,
    Conv(Box<Conv>),
    Norm(Statistics),
}

impl Tape {
    pub fn new(isa: Isa, graph: &Graph, batch: usize) -> Tape {
        let layer = |node: &Node| match node.op {
            Op::Conv { kernel, .. } => {
                let from = graph.node(node.inputs[0]).shape;
                Layer::Conv(Box::new(Conv::new(isa, from, kernel, node.shape.planes, batch)))
            }
            Op::Norm { .. } => Layer::Norm(Statistics::default()),
            _ => Layer::Nothing,
        };
        let nodes = graph.nodes();
        Tape {
            isa,
            batch,
            values: nodes.iter().map(|node| Buffer::zeros(Rows::new(isa, node.shape, batch).len())).collect(),
            layers: nodes.iter().map(layer).collect(),
            gradients: nodes.iter().map(|_| None).collect(),
            free: BTreeMap::new(),
        }
    }

    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Numbers in its buffers.
    pub fn len(&self) -> usize {
        let layers = self.layers.iter().map(|layer| if let Layer::Conv(conv) = layer { conv.len() } else { 0 });
        let buffers = self.values.iter().chain(self.gradients.iter().flatten()).chain(self.free.values().flatten());
        layers.sum::<usize>() + buffers.map(|buffer| buffer.len()).sum::<usize>()
    }

    fn rows(&self, graph: &Graph, id: NodeId) -> Rows {
        Rows::new(self.isa, graph.node(id).shape, self.batch)
    }

    /// An output's numbers, one row a position, without padding.
    pub fn output(&self, graph: &Graph, output: usize) -> Vec<f32> {
        let id = graph.outputs()[output].1;
        let rows = self.rows(graph, id);
        let values = self.values[id.0].chunks_exact(rows.stride);
        values.take(self.batch).flat_map(|row| &row[..rows.planes]).copied().collect()
    }

    /// Runs the network as in training: norms use and remember the batch's statistics, and `key` decides what is
    /// dropped.
    pub fn forward(&mut self, graph: &Graph, weights: &mut Weights, inputs: &[f32], key: u64) {
        for (number, node) in graph.nodes().iter().enumerate() {
            let mut out = std::mem::take(&mut self.values[number]);
            let mut layer = std::mem::replace(&mut self.layers[number], Layer::Nothing);
            match node.op {
                Op::Input => self.read(graph, inputs, &mut out),
                _ => self.forward_node(graph, (number, node), weights, &mut layer, &mut out, key),
            }
            self.values[number] = out;
            self.layers[number] = layer;
        }
    }

    fn read(&self, graph: &Graph, inputs: &[f32], out: &mut [f32]) {
        let rows = self.rows(graph, NodeId(0));
        let len = graph.input().len();
        for (number, row) in out.chunks_exact_mut(rows.stride).enumerate() {
            let (square, position) = (number / rows.batch, number % rows.batch);
            let view = &inputs[position * len..][..len];
            match graph.reading() {
                Reading::Planes => (0..rows.planes).for_each(|plane| row[plane] = view[plane * rows.squares + square]),
                Reading::Sideways => row[..rows.planes].copy_from_slice(&view[square * rows.planes..][..rows.planes]),
            }
        }
    }

    fn forward_node(
        &self,
        graph: &Graph,
        (number, node): (usize, &Node),
        weights: &mut Weights,
        layer: &mut Layer,
        out: &mut [f32],
        key: u64,
    ) {
        let x = &self.values[node.inputs[0].0][..];
        let second = node.inputs.get(1).map(|id| &self.values[id.0][..]);
        let from = self.rows(graph, node.inputs[0]);
        let to = Rows::new(self.isa, node.shape, self.batch);
        let board = graph.node(node.inputs[0]).shape;
        let parameters = &mut weights.tensors_mut()[node.first_parameter..][..node.parameters.len()];
        match (node.op, layer) {
            (Op::Conv { activation, .. }, Layer::Conv(conv)) => {
                let bias = parameters.get(1).map(|bias| &bias[..]);
                conv.forward(&parameters[0], bias, activation == Activation::Relu, x, out);
            }
            (Op::Norm { activation }, Layer::Norm(statistics)) => {
                let [gamma, beta, mean, variance] = parameters else { unreachable!("norms have four parameters") };
                let parameters = norm::Parameters { gamma, beta, mean, variance };
                *statistics = norm::forward(from, parameters, x, second, activation, out);
            }
            (Op::Dense { activation }, _) => {
                DenseLayer { from, to }.forward(&parameters[0], &parameters[1], x, out);
                to.activate(activation, out);
            }
            (Op::Depthwise { kernel }, _) => {
                let taps = |tap: usize| &parameters[0][tap * from.planes..][..from.planes];
                small::depthwise(from, board, kernel, taps, x, (out, true));
            }
            (Op::Dropout { rate }, _) => {
                let key = dropout_key(key, number);
                from.map(x, out, true, |at, x| x * small::dropout_factor(key, rate, unpadded(from, at)));
            }
            (Op::Mean, _) => small::pool(from, to, x, out, false),
            (Op::MeanMax, _) => small::pool(from, to, x, out, true),
            (Op::Gate, _) => {
                let gate = second.expect("gates have two inputs");
                from.map(x, out, true, |at, x| x * small::sigmoid(gate[of_position(from, at)]));
            }
            (Op::Shift, _) => {
                let shift = second.expect("shifts have two inputs");
                from.map(x, out, true, |at, x| x + shift[of_position(from, at)]);
            }
            (Op::Sum { activation }, _) => {
                let other = second.expect("sums have two inputs");
                from.map(x, out, true, |at, x| x + other[at]);
                to.activate(activation, out);
            }
            (Op::Flatten, _) => {
                let rest = node.inputs.get(1).map(|&id| self.rows(graph, id).stride);
                small::flatten(from, to, x, second.zip(rest), out);
            }
            (Op::Duel, _) => {
                let value = second.expect("duels have two inputs");
                small::duel(from, self.isa.stride(1), x, value, out);
            }
            (Op::Input | Op::Conv { .. } | Op::Norm { .. }, _) => unreachable!("kept apart when the tape was made"),
        }
    }

    /// Sends the gradients of the outputs (one row a position, without padding) back through the latest pass; fills
    /// `gradients` with those of the parameters.
    pub fn backward(
        &mut self,
        graph: &Graph,
        weights: &Weights,
        output_gradients: &[Vec<f32>],
        gradients: &mut [Vec<f32>],
        key: u64,
    ) {
        for ((_, id), gradient) in graph.outputs().iter().zip(output_gradients) {
            let rows = self.rows(graph, *id);
            self.add(graph, *id, |out, fresh| {
                if fresh {
                    out.fill(0.0);
                }
                for (out, row) in out.chunks_exact_mut(rows.stride).zip(gradient.chunks_exact(rows.planes)) {
                    out.iter_mut().zip(row).for_each(|(out, d)| *out += d);
                }
            });
        }
        for (number, node) in graph.nodes().iter().enumerate().skip(1).rev() {
            let parameters = &mut gradients[node.first_parameter..][..node.parameters.len()];
            let Some(gradient) = self.gradients[number].take() else {
                parameters.iter_mut().for_each(|gradient| gradient.fill(0.0));
                continue;
            };
            let mut layer = std::mem::replace(&mut self.layers[number], Layer::Nothing);
            self.backward_node(graph, (number, node), weights, &mut layer, gradient, parameters, key);
            self.layers[number] = layer;
        }
        if let Some(unused) = self.gradients[0].take() {
            self.recycle(unused);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one match over all layers")]
    fn backward_node(
        &mut self,
        graph: &Graph,
        (number, node): (usize, &Node),
        weights: &Weights,
        layer: &mut Layer,
        mut d: Buffer,
        gradients: &mut [Vec<f32>],
        key: u64,
    ) {
        let input = node.inputs[0];
        let second = node.inputs.get(1).copied();
        let from = self.rows(graph, input);
        let to = Rows::new(self.isa, node.shape, self.batch);
        let board = graph.node(input).shape;
        let parameters = &weights.tensors()[node.first_parameter..][..node.parameters.len()];
        if let Op::Conv { activation, .. } | Op::Dense { activation } | Op::Norm { activation } | Op::Sum { activation } =
            node.op
            && activation != Activation::Identity
        {
            to.activate_backward(activation, &self.values[number], &mut d);
        }
        // The encoder's planes need no gradient.
        let wanted = input != NodeId(0);
        match (node.op, layer) {
            (Op::Conv { bias, .. }, Layer::Conv(conv)) => {
                conv.backward_weight(&self.values[input.0], &d, &mut gradients[0]);
                if bias {
                    copy_sums(&to.column_sums(&d), &mut gradients[1]);
                }
                if wanted {
                    self.add(graph, input, |out, fresh| conv.backward_input(&parameters[0], &d, out, fresh));
                }
            }
            (Op::Norm { .. }, Layer::Norm(statistics)) => {
                let [gamma, beta, mean, variance] = gradients else { unreachable!("norms have four parameters") };
                mean.fill(0.0);
                variance.fill(0.0);
                let x = std::mem::take(&mut self.values[input.0]);
                self.add(graph, input, |out, fresh| {
                    norm::backward(from, statistics, &parameters[0], &x, &d, (gamma, beta), (out, fresh));
                });
                self.values[input.0] = x;
                if let Some(skip) = second {
                    return self.pass(graph, skip, d);
                }
            }
            (Op::Dense { .. }, _) => {
                let layer = DenseLayer { from, to };
                layer.backward_weight(&self.values[input.0], &d, &mut gradients[0]);
                copy_sums(&to.column_sums(&d), &mut gradients[1]);
                if wanted {
                    self.add(graph, input, |out, fresh| layer.backward_input(&parameters[0], &d, out, fresh));
                }
            }
            (Op::Depthwise { kernel }, _) => {
                small::depthwise_weight(from, board, kernel, &self.values[input.0], &d, &mut gradients[0]);
                // Backward, each tap reads on the other side.
                let taps = |tap: usize| &parameters[0][(kernel.taps() - 1 - tap) * from.planes..][..from.planes];
                self.add(graph, input, |out, fresh| small::depthwise(from, board, kernel, taps, &d, (out, fresh)));
            }
            (Op::Dropout { rate }, _) => {
                let key = dropout_key(key, number);
                self.add(graph, input, |out, fresh| {
                    from.map(&d, out, fresh, |at, d| d * small::dropout_factor(key, rate, unpadded(from, at)));
                });
            }
            (Op::Mean | Op::MeanMax, _) => {
                let x = std::mem::take(&mut self.values[input.0]);
                self.add_to_zeros(graph, input, |out| {
                    small::pool_backward(from, to, &x, &d, out, node.op == Op::MeanMax);
                });
                self.values[input.0] = x;
            }
            (Op::Gate, _) => {
                let gate_id = second.expect("gates have two inputs");
                let gate = std::mem::take(&mut self.values[gate_id.0]);
                let x = std::mem::take(&mut self.values[input.0]);
                self.add(graph, input, |out, fresh| {
                    from.map(&d, out, fresh, |at, d| d * small::sigmoid(gate[of_position(from, at)]));
                });
                self.add_to_zeros(graph, gate_id, |out| small::gate_backward(from, &x, &gate, &d, out));
                self.values[input.0] = x;
                self.values[gate_id.0] = gate;
            }
            (Op::Shift, _) => {
                let shift = second.expect("shifts have two inputs");
                self.add_to_zeros(graph, shift, |out| small::board_sums(from, &d, out));
                return self.pass(graph, input, d);
            }
            (Op::Sum { .. }, _) => {
                let other = second.expect("sums have two inputs");
                self.add(graph, other, |out, fresh| from.map(&d, out, fresh, |_, d| d));
                return self.pass(graph, input, d);
            }
            (Op::Flatten, _) => {
                self.add(graph, input, |out, fresh| small::flatten_backward(from, to, &d, out, fresh));
                if let Some(rest) = second {
                    let (rows, image) = (self.rows(graph, rest), from.planes * from.squares);
                    self.add_to_zeros(graph, rest, |out| {
                        let all = out.chunks_exact_mut(rows.stride).zip(d.chunks_exact(to.stride));
                        for (out, d) in all.take(rows.batch) {
                            out.iter_mut().zip(&d[image..to.planes]).for_each(|(out, d)| *out += d);
                        }
                    });
                }
            }
            (Op::Duel, _) => {
                let value_id = second.expect("duels have two inputs");
                let stride = self.isa.stride(1);
                let mut value = self.start(graph, value_id);
                self.add_to_zeros(graph, input, |out| small::duel_backward(from, stride, &d, out, &mut value));
                self.gradients[value_id.0] = Some(value);
            }
            (Op::Input | Op::Conv { .. } | Op::Norm { .. }, _) => unreachable!("kept apart when the tape was made"),
        }
        self.recycle(d);
    }

    /// Adds to the gradient of a node: `f(gradient, fresh)` overwrites a fresh one.
    fn add(&mut self, graph: &Graph, id: NodeId, f: impl FnOnce(&mut [f32], bool)) {
        let fresh = self.gradients[id.0].is_none();
        let mut gradient = self.gradients[id.0].take().unwrap_or_else(|| self.take_free(graph, id));
        f(&mut gradient, fresh);
        self.gradients[id.0] = Some(gradient);
    }

    fn add_to_zeros(&mut self, graph: &Graph, id: NodeId, f: impl FnOnce(&mut [f32])) {
        let mut gradient = self.start(graph, id);
        f(&mut gradient);
        self.gradients[id.0] = Some(gradient);
    }

    /// The gradient of a node so far: zeros if nothing has come yet.
    fn start(&mut self, graph: &Graph, id: NodeId) -> Buffer {
        self.gradients[id.0].take().unwrap_or_else(|| {
            let mut gradient = self.take_free(graph, id);
            gradient.fill(0.0);
            gradient
        })
    }

    /// Hands a gradient on as it is.
    fn pass(&mut self, graph: &Graph, id: NodeId, d: Buffer) {
        if self.gradients[id.0].is_none() {
            self.gradients[id.0] = Some(d);
            return;
        }
        let rows = self.rows(graph, id);
        self.add(graph, id, |out, fresh| rows.map(&d, out, fresh, |_, d| d));
        self.recycle(d);
    }

    fn take_free(&mut self, graph: &Graph, id: NodeId) -> Buffer {
        let len = self.rows(graph, id).len();
        self.free.get_mut(&len).and_then(Vec::pop).unwrap_or_else(|| Buffer::zeros(len))
    }

    fn recycle(&mut self, buffer: Buffer) {
        self.free.entry(buffer.len()).or_default().push(buffer);
    }
}

/// The key of one dropout layer.
pub(super) fn dropout_key(key: u64, node: usize) -> u64 {
    random::mix(key ^ node as u64)
}

/// The index of a number were rows not padded: what is dropped must not depend on the instruction set.
fn unpadded(rows: Rows, at: usize) -> usize {
    at / rows.stride * rows.planes + at % rows.stride
}

/// The index in a vector per position of a number of an image.
fn of_position(rows: Rows, at: usize) -> usize {
    at / rows.stride % rows.batch * rows.stride + at % rows.stride
}

fn copy_sums(sums: &[f64], out: &mut [f32]) {
    out.iter_mut().zip(sums).for_each(|(out, &sum)| *out = sum as f32);
}
