//! From layers to steps.

use super::model::{Model, Output, PlanKey, Step, Work};
use super::path::{ConvMethod, KernelPath};
use crate::graph::{Activation, Graph, Kernel, Node, NodeId, Op};
use crate::kernel::{Buffer, Isa, Packed, Winograd};
use crate::reference::NORM_EPSILON;
use crate::weights::Weights;
use tesuji_core::Shape;

/// Positions that go through the network together.
///
/// Enough rows for full tiles and for each weight to be used often once it is in the cache, and few enough for the
/// activations to stay there. Winograd's weights are five times larger and want more positions.
fn chunk(method: ConvMethod) -> usize {
    match method {
        ConvMethod::Direct => 32,
        _ => 64,
    }
}

/// Outputs that only help training.
const HELPERS: [&str; 2] = ["reply", "moves-left"];

impl Model {
    /// Makes a network ready for play: every output but those that only help training.
    ///
    /// # Panics
    /// If this machine lacks the path's instruction set: ask [`Isa::is_available`] first.
    pub fn new(graph: &Graph, weights: &Weights, path: KernelPath) -> Model {
        let names = graph.outputs().iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = names.filter(|name| !HELPERS.contains(name)).collect();
        Model::with_outputs(graph, weights, path, &names)
    }

    /// Makes a network ready for these outputs; layers that only others need are left out.
    ///
    /// # Panics
    /// If there is no such output, or this machine lacks the path's instruction set.
    pub fn with_outputs(graph: &Graph, weights: &Weights, path: KernelPath, outputs: &[&str]) -> Model {
        assert!(path.isa.is_available(), "{:?} is not on this machine", path.isa);
        compile(graph, weights, path, outputs)
    }
}

fn compile(graph: &Graph, weights: &Weights, path: KernelPath, names: &[&str]) -> Model {
    let mut compiler = Compiler { graph, weights, path, steps: Vec::new(), plans: Vec::new(), scratch: (0, 0) };
    let wanted = names.iter().map(|name| {
        let number = graph.output(name).unwrap_or_else(|| panic!("the network has no output {name:?}"));
        graph.outputs()[number].1
    });
    let wanted: Vec<NodeId> = wanted.collect();
    // The buffer of each node is its own at first; `assign` makes them share.
    for (number, node) in needed(graph, &wanted) {
        compiler.node(number, node);
    }
    let Compiler { mut steps, plans, scratch, .. } = compiler;
    let mut output_nodes: Vec<usize> = wanted.iter().map(|id| id.0).collect();
    let buffers = assign(path.isa, graph, &mut steps, &mut output_nodes);
    let outputs = names.iter().zip(&wanted).zip(output_nodes).map(|((name, &id), buffer)| Output {
        name: (*name).to_owned(),
        buffer,
        len: graph.node(id).shape.len(),
    });
    Model {
        path,
        input: graph.input(),
        reading: graph.reading(),
        image: graph.nodes()[0].shape,
        outputs: outputs.collect(),
        steps,
        buffers,
        scratch,
        plans,
        chunk: chunk(path.method),
    }
}

/// The layers that these ones need, and they themselves, in order.
fn needed<'a>(graph: &'a Graph, wanted: &[NodeId]) -> impl Iterator<Item = (usize, &'a Node)> {
    let mut needed = vec![false; graph.nodes().len()];
    wanted.iter().for_each(|id| needed[id.0] = true);
    for (number, node) in graph.nodes().iter().enumerate().rev() {
        if needed[number] {
            node.inputs.iter().for_each(|id| needed[id.0] = true);
        }
    }
    graph.nodes().iter().enumerate().filter(move |&(number, _)| needed[number])
}

/// Whether this node is read by exactly one other and is no output: its result need not be kept for anyone else.
fn has_one_reader(graph: &Graph, id: NodeId) -> bool {
    let readers = graph.nodes().iter().flat_map(|node| &node.inputs).filter(|&&input| input == id).count();
    readers == 1 && graph.outputs().iter().all(|&(_, output)| output != id)
}

struct Compiler<'a> {
    graph: &'a Graph,
    weights: &'a Weights,
    path: KernelPath,
    steps: Vec<Step>,
    plans: Vec<PlanKey>,
    scratch: (usize, usize),
}

impl Compiler<'_> {
    fn node(&mut self, number: usize, node: &Node) {
        let isa = self.path.isa;
        let work = match node.op {
            // Nothing is dropped in play, and the norm behind a convolution is made with it.
            Op::Input | Op::Dropout { .. } => return,
            Op::Conv { .. } if self.folding_norm(number).is_some() => return,
            Op::Conv { kernel, bias, activation } => {
                let bias = if bias { self.parameter(node, 1).to_vec() } else { vec![0.0; node.shape.planes] };
                let work = self.conv(node, kernel, self.parameter(node, 0).to_vec(), &bias);
                return self.push(number, node, work, node.inputs[0], None, activation);
            }
            Op::Norm { activation } => return self.norm(number, node, activation),
            Op::Dense { activation } => {
                let board = self.graph.node(node.inputs[0]).shape;
                let taps = board.height * board.width;
                let (weight, bias) = (self.parameter(node, 0), self.parameter(node, 1));
                let packed = Packed::new(isa, taps, board.planes, node.shape.planes, weight, Some(bias));
                let plan = self.plan(PlanKey::Dense { board: Shape { planes: 1, ..board } });
                return self.push(number, node, Work::Multiply { packed, plan }, node.inputs[0], None, activation);
            }
            Op::Depthwise { kernel } => {
                let stride = isa.stride(node.shape.planes);
                let mut weights = Buffer::zeros(kernel.taps() * stride);
                let rows = self.parameter(node, 0).chunks_exact(node.shape.planes);
                for (to, from) in weights.chunks_exact_mut(stride).zip(rows) {
                    to[..from.len()].copy_from_slice(from);
                }
                Work::Depthwise { kernel, weights }
            }
            Op::Mean => Work::Mean,
            Op::MeanMax => Work::MeanMax,
            Op::Gate => Work::Gate,
            Op::Shift => Work::Shift,
            Op::Sum { .. } => Work::Sum,
            Op::Flatten => Work::Flatten,
            Op::Duel => Work::Duel,
        };
        let activation = if let Op::Sum { activation } = node.op { activation } else { Activation::Identity };
        self.push(number, node, work, node.inputs[0], node.inputs.get(1).copied(), activation);
    }

    /// The norm that reads the convolution `number` and nothing else does.
    fn folding_norm(&self, number: usize) -> Option<usize> {
        let id = NodeId(number);
        let Op::Conv { bias: false, activation: Activation::Identity, .. } = self.graph.node(id).op else {
            return None;
        };
        let reader = self.graph.nodes().iter().position(|node| node.inputs.first() == Some(&id))?;
        let is_norm = matches!(self.graph.nodes()[reader].op, Op::Norm { .. });
        (is_norm && has_one_reader(self.graph, id)).then_some(reader)
    }

    fn norm(&mut self, number: usize, node: &Node, activation: Activation) {
        let statistics = (self.parameter(node, 2).iter()).zip(self.parameter(node, 3));
        let gammas = self.parameter(node, 0).iter().zip(self.parameter(node, 1));
        let affine = gammas.zip(statistics).map(|((&gamma, &beta), (&mean, &variance))| {
            let scale = gamma / (variance + NORM_EPSILON).sqrt();
            (scale, beta - mean * scale)
        });
        let (scale, bias): (Vec<f32>, Vec<f32>) = affine.unzip();
        let source = node.inputs[0];
        let skip = node.inputs.get(1).copied();
        if self.folding_norm(source.0) != Some(number) {
            return self.push(number, node, Work::Affine { scale, bias }, source, skip, activation);
        }
        let conv = self.graph.node(source);
        let Op::Conv { kernel, .. } = conv.op else { unreachable!("only convolutions are folded") };
        let mut weight = self.parameter(conv, 0).to_vec();
        for row in weight.chunks_exact_mut(scale.len()) {
            row.iter_mut().zip(&scale).for_each(|(weight, scale)| *weight *= scale);
        }
        let work = self.conv(conv, kernel, weight, &bias);
        self.push(number, node, work, conv.inputs[0], skip, activation);
    }

    fn conv(&mut self, node: &Node, kernel: Kernel, weight: Vec<f32>, bias: &[f32]) -> Work {
        let isa = self.path.isa;
        let board = self.graph.node(node.inputs[0]).shape;
        let (inputs, outputs) = (board.planes, node.shape.planes);
        let board = Shape { planes: 1, ..board };
        if let Some(tile) = self.path.method.tile().filter(|_| kernel == Kernel::square(3)) {
            let geometry = Winograd::new(isa, board, tile);
            let rows = geometry.elements() * geometry.rows(1);
            self.scratch.0 = self.scratch.0.max(rows * isa.stride(inputs));
            self.scratch.1 = self.scratch.1.max(rows * isa.stride(outputs));
            let weights = geometry.weights(inputs, outputs, &weight, bias);
            return Work::Winograd { geometry, weights, plan: self.plan(PlanKey::Winograd(geometry)) };
        }
        let packed = Packed::new(isa, kernel.taps(), inputs, outputs, &weight, Some(bias));
        Work::Multiply { packed, plan: self.plan(PlanKey::Conv { board, kernel }) }
    }

    fn push(
        &mut self,
        number: usize,
        node: &Node,
        work: Work,
        input: NodeId,
        second: Option<NodeId>,
        activation: Activation,
    ) {
        let from = self.graph.node(input).shape;
        let (input, second) = (self.source(input), second.map(|id| self.source(id)));
        self.steps.push(Step { work, input, second, output: number, activation, shape: node.shape, from });
    }

    /// The node whose result stands for this one's in play.
    fn source(&self, id: NodeId) -> usize {
        match self.graph.node(id).op {
            Op::Dropout { .. } => self.source(self.graph.node(id).inputs[0]),
            _ => id.0,
        }
    }

    fn plan(&mut self, key: PlanKey) -> usize {
        self.plans.iter().position(|&known| known == key).unwrap_or_else(|| {
            self.plans.push(key);
            self.plans.len() - 1
        })
    }

    fn parameter(&self, node: &Node, index: usize) -> &[f32] {
        &self.weights.tensors()[node.first_parameter + index]
    }
}

/// Replaces node numbers by buffers that are reused once their last reader is done; returns the buffers' sizes for
/// one position.
fn assign(isa: Isa, graph: &Graph, steps: &mut [Step], outputs: &mut [usize]) -> Vec<usize> {
    let size = |shape: Shape| shape.height * shape.width * isa.stride(shape.planes);
    let reads = |step: &Step, node: usize| step.input == node || step.second == Some(node);
    let last_read = |node: usize, steps: &[Step], outputs: &[usize]| match outputs.contains(&node) {
        true => usize::MAX,
        false => steps.iter().rposition(|step| reads(step, node)).unwrap_or(0),
    };
    let lasts: Vec<usize> = (0..graph.nodes().len()).map(|node| last_read(node, steps, outputs)).collect();
    let mut buffers = vec![size(graph.nodes()[0].shape)];
    // The node whose result each buffer holds, and the buffer of each node.
    let mut holds = vec![0];
    let mut buffer_of = vec![0; graph.nodes().len()];
    for (at, step) in steps.iter_mut().enumerate() {
        let node = step.output;
        let needed = size(step.shape);
        let free = holds.iter().position(|&held| lasts[held] < at);
        let buffer = free.unwrap_or_else(|| {
            buffers.push(0);
            holds.push(node);
            buffers.len() - 1
        });
        buffers[buffer] = buffers[buffer].max(needed);
        holds[buffer] = node;
        buffer_of[node] = buffer;
        step.input = buffer_of[step.input];
        step.second = step.second.map(|second| buffer_of[second]);
        step.output = buffer;
    }
    for output in outputs {
        *output = buffer_of[*output];
    }
    buffers
}
