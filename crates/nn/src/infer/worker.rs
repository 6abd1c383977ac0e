//! One thread's share of a model: its buffers, and the walk through the steps.

use super::model::{Model, PlanKey, Step, Work};
use crate::graph::{Activation, Reading};
use crate::kernel::{Buffer, Epilogue, Plan, Skip, depthwise, multiply};
use std::sync::Arc;
use tesuji_core::Shape;

/// Evaluates batches on the thread that calls it.
///
/// Allocates when it meets a batch size for the first time, and not after that.
pub struct Worker {
    model: Arc<Model>,
    buffers: Vec<Buffer>,
    scratch: (Buffer, Buffer),
    /// Plans by the size of a chunk, then as the model numbers them.
    plans: Vec<Vec<Plan>>,
    outputs: Vec<Vec<f32>>,
}

impl Worker {
    /// A worker of the model.
    pub fn new(model: Arc<Model>) -> Worker {
        let chunk = model.chunk;
        Worker {
            buffers: model.buffers.iter().map(|&numbers| Buffer::zeros(numbers * chunk)).collect(),
            scratch: (Buffer::zeros(model.scratch.0 * chunk), Buffer::zeros(model.scratch.1 * chunk)),
            plans: (0..=chunk).map(|_| Vec::new()).collect(),
            outputs: vec![Vec::new(); model.outputs.len()],
            model,
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Bytes of its buffers.
    pub fn bytes(&self) -> usize {
        let scratch = self.scratch.0.len() + self.scratch.1.len();
        size_of::<f32>() * (scratch + self.buffers.iter().map(|buffer| buffer.len()).sum::<usize>())
    }

    /// Evaluates the positions whose encoded views follow each other in `inputs`; [`output`](Self::output) then gives
    /// the results.
    ///
    /// # Panics
    /// If `inputs` is no whole number of views.
    pub fn run(&mut self, inputs: &[f32]) {
        let view = self.model.input.len();
        assert!(inputs.len().is_multiple_of(view), "{} numbers are no whole number of views", inputs.len());
        self.outputs.iter_mut().for_each(Vec::clear);
        for inputs in inputs.chunks(self.model.chunk * view) {
            self.run_chunk(inputs, inputs.len() / view);
        }
    }

    /// An output of the latest batch: one row a position.
    pub fn output(&self, output: usize) -> &[f32] {
        &self.outputs[output]
    }

    fn run_chunk(&mut self, inputs: &[f32], batch: usize) {
        let model = Arc::clone(&self.model);
        if self.plans[batch].is_empty() {
            self.plans[batch] = model.plans.iter().map(|key| key.plan(&model, batch)).collect();
        }
        self.read(&model, inputs, batch);
        for step in &model.steps {
            // Taken out so that the others can be read; a step never writes a buffer that it reads.
            let mut out = std::mem::take(&mut self.buffers[step.output]);
            self.step(&model, step, batch, &mut out);
            if step.activation == Activation::Tanh {
                let stride = model.path.isa.stride(step.shape.planes);
                out[..batch * step.shape.height * step.shape.width * stride].iter_mut().for_each(|x| *x = x.tanh());
            }
            self.buffers[step.output] = out;
        }
        for (output, numbers) in model.outputs.iter().zip(&mut self.outputs) {
            let rows = self.buffers[output.buffer].chunks_exact(model.path.isa.stride(output.len));
            rows.take(batch).for_each(|row| numbers.extend_from_slice(&row[..output.len]));
        }
    }

    /// Turns the encoder's planes into rows of channels.
    fn read(&mut self, model: &Model, inputs: &[f32], batch: usize) {
        let Shape { planes, height, width } = model.image;
        let squares = height * width;
        let rows = self.buffers[0].chunks_exact_mut(model.path.isa.stride(planes));
        for (number, row) in rows.take(squares * batch).enumerate() {
            let (square, position) = (number / batch, number % batch);
            let view = &inputs[position * model.input.len()..][..model.input.len()];
            match model.reading {
                Reading::Planes => (0..planes).for_each(|plane| row[plane] = view[plane * squares + square]),
                Reading::Sideways => row[..planes].copy_from_slice(&view[square * planes..][..planes]),
            }
        }
    }

    fn step(&mut self, model: &Model, step: &Step, batch: usize, out: &mut Buffer) {
        let isa = model.path.isa;
        let x = &self.buffers[step.input][..];
        let second = step.second.map(|second| &self.buffers[second][..]);
        let relu = step.activation == Activation::Relu;
        let epilogue = Epilogue { skip: second.map_or(Skip::None, Skip::Add), relu };
        let squares = step.from.height * step.from.width;
        let rows = Rows { batch, squares, planes: step.from.planes, stride: isa.stride(step.from.planes) };
        match &step.work {
            Work::Multiply { packed, plan } => multiply(&self.plans[batch][*plan], packed, x, out, epilogue),
            Work::Winograd { geometry, weights, plan } => {
                let scratch = (&mut self.scratch.0[..], &mut self.scratch.1[..]);
                geometry.conv(weights, &self.plans[batch][*plan], x, scratch, out, epilogue);
            }
            Work::Depthwise { kernel, weights } => depthwise(isa, step.from, *kernel, batch, weights, x, out),
            Work::Affine { scale, bias } => rows.each(x, out, |c, _, at, x| {
                let y = x * scale[c] + bias[c] + second.map_or(0.0, |skip| skip[at]);
                if relu { y.max(0.0) } else { y }
            }),
            Work::Mean => rows.pool(x, out, isa.stride(step.shape.planes), false),
            Work::MeanMax => rows.pool(x, out, isa.stride(step.shape.planes), true),
            Work::Gate => {
                let gate = second.expect("gates have two inputs");
                rows.each(x, out, |c, position, _, x| x / (1.0 + (-gate[position * rows.stride + c]).exp()));
            }
            Work::Shift => {
                let shift = second.expect("shifts have two inputs");
                rows.each(x, out, |c, position, _, x| x + shift[position * rows.stride + c]);
            }
            Work::Sum => {
                let other = second.expect("sums have two inputs");
                rows.each(x, out, |_, _, at, x| if relu { (x + other[at]).max(0.0) } else { x + other[at] });
            }
            Work::Flatten => {
                let (image, stride) = (rows.planes * rows.squares, isa.stride(step.shape.planes));
                for (position, out) in out.chunks_exact_mut(stride).take(batch).enumerate() {
                    let (by_planes, rest) = out[..step.shape.planes].split_at_mut(image);
                    for (plane, out) in by_planes.chunks_exact_mut(rows.squares).enumerate() {
                        let at = |square: usize| x[(square * batch + position) * rows.stride + plane];
                        out.iter_mut().enumerate().for_each(|(square, out)| *out = at(square));
                    }
                    if let Some(second) = second {
                        rest.copy_from_slice(&second[position * isa.stride(rest.len())..][..rest.len()]);
                    }
                }
            }
            Work::Duel => {
                let value = second.expect("duels have two inputs");
                for position in 0..batch {
                    let row = &x[position * rows.stride..][..rows.planes];
                    let mean = row.iter().sum::<f32>() / rows.planes as f32;
                    let shift = value[position * isa.stride(1)] - mean;
                    let out = &mut out[position * rows.stride..][..rows.planes];
                    out.iter_mut().zip(row).for_each(|(out, advantage)| *out = advantage + shift);
                }
            }
        }
    }
}

impl PlanKey {
    fn plan(&self, model: &Model, batch: usize) -> Plan {
        match *self {
            PlanKey::Conv { board, kernel } => Plan::conv(model.path.isa, board, kernel, batch),
            PlanKey::Dense { board } => Plan::dense(model.path.isa, board, batch),
            PlanKey::Winograd(geometry) => geometry.plan(batch),
        }
    }
}

/// The rows of a batch of images, for the steps that are too small to need a kernel.
#[derive(Clone, Copy)]
struct Rows {
    batch: usize,
    squares: usize,
    planes: usize,
    stride: usize,
}

impl Rows {
    /// out = f(channel, position, index, x), number by number.
    fn each(self, x: &[f32], out: &mut [f32], f: impl Fn(usize, usize, usize, f32) -> f32) {
        for row in 0..self.squares * self.batch {
            let first = row * self.stride;
            for channel in 0..self.planes {
                out[first + channel] = f(channel, row % self.batch, first + channel, x[first + channel]);
            }
        }
    }

    /// The mean of each channel over the board and, if asked for, the maximum behind it.
    fn pool(self, x: &[f32], out: &mut [f32], out_stride: usize, with_max: bool) {
        for position in 0..self.batch {
            let out = &mut out[position * out_stride..][..out_stride];
            for channel in 0..self.planes {
                let at = |square: usize| x[(square * self.batch + position) * self.stride + channel];
                out[channel] = (0..self.squares).map(at).sum::<f32>() / self.squares as f32;
                if with_max {
                    out[self.planes + channel] = (0..self.squares).map(at).fold(f32::MIN, f32::max);
                }
            }
        }
    }
}
