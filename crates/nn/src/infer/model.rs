//! A network made ready: steps over a few reused buffers.

use super::path::KernelPath;
use crate::graph::{Activation, Kernel, Reading};
use crate::kernel::{Buffer, Packed, Winograd, WinogradWeights};
use tesuji_core::Shape;

/// A network made ready for inference.
pub struct Model {
    pub(super) path: KernelPath,
    pub(super) input: Shape,
    pub(super) reading: Reading,
    pub(super) image: Shape,
    pub(super) steps: Vec<Step>,
    /// Numbers for each position of a batch that each buffer must hold.
    pub(super) buffers: Vec<usize>,
    /// Numbers for each position that the two scratch buffers of Winograd's method must hold.
    pub(super) scratch: (usize, usize),
    pub(super) outputs: Vec<Output>,
    /// The plans that the steps need, apart from the batch size.
    pub(super) plans: Vec<PlanKey>,
    /// Positions that go through the network together.
    pub(super) chunk: usize,
}

/// An output of the network: where it is and how long.
pub(super) struct Output {
    pub(super) name: String,
    pub(super) buffer: usize,
    pub(super) len: usize,
}

/// What a plan depends on besides the batch size.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanKey {
    Conv { board: Shape, kernel: Kernel },
    Dense { board: Shape },
    Winograd(Winograd),
}

/// One step: what is computed, from which buffers (besides those inside `work`), into which.
pub(super) struct Step {
    pub(super) work: Work,
    pub(super) input: usize,
    pub(super) second: Option<usize>,
    pub(super) output: usize,
    pub(super) activation: Activation,
    /// The image that the step makes.
    pub(super) shape: Shape,
    /// The image that it reads.
    pub(super) from: Shape,
}

pub(super) enum Work {
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
    Flatten,
    Duel,
}

impl Model {
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
            Work::Mean | Work::MeanMax | Work::Gate | Work::Shift | Work::Sum | Work::Flatten | Work::Duel => 0,
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
