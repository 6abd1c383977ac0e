//! Fast inference on one core.
//!
//! A [`Model`] is a network made ready once: batch norm folded into the weights before it, weights packed for the
//! kernels, layers turned into steps over a few reused buffers. Any number of [`Worker`]s, one a thread, share it.
//!
//! A position's output depends on nothing but the position and the [`KernelPath`]: not on its batch mates, nor on how many
//! there are, nor on the thread.

mod compile;
mod tune;
mod worker;

pub use tune::{Timing, tune};
pub use worker::Worker;

use crate::graph::{Activation, Graph, Kernel, NodeId};
use crate::kernel::{Buffer, Isa, Packed, Winograd, WinogradWeights};
use crate::spec::Reading;
use crate::weights::Weights;
use serde::{Deserialize, Serialize};
use std::fmt;
use tesuji_core::Shape;

/// How 3x3 convolutions are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConvMethod {
    /// Tap by tap.
    #[default]
    Direct,
    /// Winograd's method with tiles of 3x3 outputs.
    Winograd3,
    /// Winograd's method with tiles of 4x4 outputs.
    Winograd4,
    /// Winograd's method with tiles of 5x5 outputs.
    Winograd5,
}

impl ConvMethod {
    /// All of them.
    pub const ALL: [ConvMethod; 4] =
        [ConvMethod::Direct, ConvMethod::Winograd3, ConvMethod::Winograd4, ConvMethod::Winograd5];

    fn tile(self) -> Option<usize> {
        match self {
            ConvMethod::Direct => None,
            ConvMethod::Winograd3 => Some(3),
            ConvMethod::Winograd4 => Some(4),
            ConvMethod::Winograd5 => Some(5),
        }
    }
}

/// The way through the kernels. Outputs differ in their last bits between paths, so a run records the one it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelPath {
    /// The instruction set.
    pub isa: Isa,
    /// How 3x3 convolutions are computed.
    pub method: ConvMethod,
}

impl fmt::Display for KernelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}/{:?}", self.isa, self.method)
    }
}

/// Outputs that only help training.
const HELPERS: [&str; 2] = ["reply", "moves-left"];

/// A network made ready for inference.
pub struct Model {
    path: KernelPath,
    input: Shape,
    reading: Reading,
    image: Shape,
    steps: Vec<Step>,
    /// Numbers for each position of a batch that each buffer must hold.
    buffers: Vec<usize>,
    /// Numbers for each position that the two scratch buffers of Winograd's method must hold.
    scratch: (usize, usize),
    outputs: Vec<Output>,
    /// The plans that the steps need, apart from the batch size.
    plans: Vec<PlanKey>,
    /// Positions that go through the network together.
    chunk: usize,
}

/// An output of the network: where it is and how long.
struct Output {
    name: String,
    buffer: usize,
    len: usize,
}

/// What a plan depends on besides the batch size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlanKey {
    Conv { board: Shape, kernel: Kernel },
    Dense { board: Shape },
    Winograd(Winograd),
}

/// One step: what is computed, from which buffers (besides those inside `work`), into which.
struct Step {
    work: Work,
    input: usize,
    second: Option<usize>,
    output: usize,
    activation: Activation,
    /// The image that the step makes.
    shape: Shape,
    /// The image that it reads.
    from: Shape,
}

enum Work {
    /// Conv or dense by gathered rows; the second input is the skip.
    Multiply {
        packed: Packed,
        plan: usize,
    },
    /// A 3x3 convolution by Winograd's method; the second input is the skip.
    Winograd {
        geometry: Winograd,
        weights: WinogradWeights,
        plan: usize,
    },
    Depthwise {
        kernel: Kernel,
        weights: Buffer,
    },
    /// A batch norm that could not be folded: scale and bias of each channel; the second input is the skip.
    Affine {
        scale: Vec<f32>,
        bias: Vec<f32>,
    },
    Mean,
    MeanMax,
    Gate,
    Shift,
    Sum,
    Duel,
}

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
        compile::compile(graph, weights, path, outputs)
    }

    /// The path that it takes.
    pub fn path(&self) -> KernelPath {
        self.path
    }

    /// The planes that it reads.
    pub fn input(&self) -> Shape {
        self.input
    }

    /// Bytes of its packed weights.
    pub fn bytes(&self) -> usize {
        let numbers = |step: &Step| match &step.work {
            Work::Multiply { packed, .. } => packed.len(),
            Work::Winograd { weights, .. } => weights.len(),
            Work::Depthwise { weights, .. } => weights.len(),
            Work::Affine { scale, bias } => scale.len() + bias.len(),
            Work::Mean | Work::MeanMax | Work::Gate | Work::Shift | Work::Sum | Work::Duel => 0,
        };
        size_of::<f32>() * self.steps.iter().map(numbers).sum::<usize>()
    }

    /// The names of the outputs, in the order of their numbers.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().map(|output| output.name.as_str())
    }

    /// The number of the output with this name.
    pub fn output(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| output.name == name)
    }

    /// The length of an output for one position.
    pub fn output_len(&self, output: usize) -> usize {
        self.outputs[output].len
    }
}

/// Whether this node is read by exactly one other and is no output: its result need not be kept for anyone else.
fn has_one_reader(graph: &Graph, id: NodeId) -> bool {
    let readers = graph.nodes().iter().flat_map(|node| &node.inputs).filter(|&&input| input == id).count();
    readers == 1 && graph.outputs().iter().all(|&(_, output)| output != id)
}
