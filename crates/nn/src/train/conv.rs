//! Convolutions and dense layers, forward and backward.

use super::rows::Rows;
use crate::graph::Kernel;
use crate::kernel::{Epilogue, Isa, Matrix, Packed, Plan, Skip, Threads, gemm, multiply_on};
use rayon::prelude::*;
use tesuji_core::Shape;

/// A convolution for one batch size, with room for its packed weights.
pub(super) struct Conv {
    isa: Isa,
    board: Shape,
    kernel: Kernel,
    outputs: usize,
    batch: usize,
    plan: Plan,
    forward: Packed,
    backward: Packed,
    transposed: Vec<f32>,
}

impl Conv {
    /// A convolution of images of the shape `from`.
    pub fn new(isa: Isa, from: Shape, kernel: Kernel, outputs: usize, batch: usize) -> Conv {
        let (taps, inputs) = (kernel.taps(), from.planes);
        let zeros = vec![0.0; taps * inputs * outputs];
        Conv {
            isa,
            board: from,
            kernel,
            outputs,
            batch,
            plan: Plan::conv(isa, from, kernel, batch),
            forward: Packed::new(isa, taps, inputs, outputs, &zeros, None),
            backward: Packed::new(isa, taps, outputs, inputs, &zeros, None),
            transposed: zeros,
        }
    }

    /// Numbers that it keeps.
    pub fn len(&self) -> usize {
        self.forward.len() + self.backward.len() + self.transposed.len()
    }

    pub fn forward(&mut self, weight: &[f32], bias: Option<&[f32]>, relu: bool, x: &[f32], out: &mut [f32]) {
        self.forward.repack(weight, bias);
        multiply_on(Threads::Pool, &self.plan, &self.forward, x, out, Epilogue { skip: Skip::None, relu });
    }

    /// The gradient of the inputs: the gradient of the outputs convolved with the kernel turned half way round and
    /// its channels exchanged.
    pub fn backward_input(&mut self, weight: &[f32], gradient: &[f32], out: &mut [f32], fresh: bool) {
        let (inputs, outputs) = (self.board.planes, self.outputs);
        let taps = self.transposed.chunks_exact_mut(inputs * outputs);
        for (to, from) in taps.zip(weight.chunks_exact(inputs * outputs).rev()) {
            for (output, row) in to.chunks_exact_mut(inputs).enumerate() {
                row.iter_mut().enumerate().for_each(|(input, x)| *x = from[input * outputs + output]);
            }
        }
        self.backward.repack(&self.transposed, None);
        let skip = if fresh { Skip::None } else { Skip::Accumulate };
        multiply_on(Threads::Pool, &self.plan, &self.backward, gradient, out, Epilogue { skip, relu: false });
    }

    /// The gradient of the weights: for each tap, the inputs that it reads, transposed, times the gradient of the
    /// outputs. The squares of a board row lie together, so a row is one product.
    pub fn backward_weight(&self, x: &[f32], gradient: &[f32], out: &mut [f32]) {
        let Shape { planes, height, width } = self.board;
        let (x_stride, d_stride) = (self.isa.stride(planes), self.isa.stride(self.outputs));
        // Blocks of input channels are more tasks than taps alone; only whole ones, so that a task has one tap.
        let block = if planes.is_multiple_of(64) { 64 } else { planes };
        let tasks = out.par_chunks_mut(block * self.outputs).enumerate();
        tasks.for_each(|(task, out)| {
            let first_input = task * block;
            let (tap, channel) = (first_input / planes, first_input % planes);
            let (down, across) = (tap / self.kernel.width, tap % self.kernel.width);
            // Output columns whose input lies on the board.
            let left = (self.kernel.width / 2).saturating_sub(across);
            let right = (width + self.kernel.width / 2).saturating_sub(across).min(width);
            let mut fresh = true;
            for row in 0..height {
                let Some(source) = (row + down).checked_sub(self.kernel.height / 2) else { continue };
                if source >= height || left >= right {
                    continue;
                }
                let x_square = source * width + left + across - self.kernel.width / 2;
                let d_square = row * width + left;
                let a = &x[x_square * self.batch * x_stride + channel..];
                let d = &gradient[d_square * self.batch * d_stride..];
                let rows = (right - left) * self.batch;
                let a = Matrix { data: a, row: 1, column: x_stride };
                let d = Matrix { data: d, row: d_stride, column: 1 };
                gemm((block, self.outputs, rows), a, d, out, self.outputs, !fresh);
                fresh = false;
            }
            if fresh {
                out.fill(0.0);
            }
        });
    }
}

/// A dense layer over images with these rows; the result has one row a position.
#[derive(Clone, Copy)]
pub(super) struct DenseLayer {
    pub from: Rows,
    pub to: Rows,
}

impl DenseLayer {
    /// Output channels that a thread computes at a time.
    const COLUMNS: usize = 256;

    pub fn forward(self, weight: &[f32], bias: &[f32], x: &[f32], out: &mut [f32]) {
        let DenseLayer { from, to } = self;
        let outputs = to.planes;
        let block = |first: usize| {
            let columns = Self::COLUMNS.min(outputs - first);
            let mut product = vec![0.0_f32; from.batch * columns];
            for row in product.chunks_exact_mut(columns) {
                row.copy_from_slice(&bias[first..first + columns]);
            }
            for square in 0..from.squares {
                let x = &x[square * from.batch * from.stride..];
                let weight = &weight[square * from.planes * outputs + first..];
                let x = Matrix { data: x, row: from.stride, column: 1 };
                let weight = Matrix { data: weight, row: outputs, column: 1 };
                gemm((from.batch, columns, from.planes), x, weight, &mut product, columns, true);
            }
            (first, columns, product)
        };
        let firsts: Vec<usize> = (0..outputs).step_by(Self::COLUMNS).collect();
        let blocks: Vec<(usize, usize, Vec<f32>)> = firsts.into_par_iter().map(block).collect();
        for (first, columns, product) in blocks {
            for (out, row) in out.chunks_exact_mut(to.stride).zip(product.chunks_exact(columns)) {
                out[first..first + columns].copy_from_slice(row);
            }
        }
    }

    pub fn backward_input(self, weight: &[f32], gradient: &[f32], out: &mut [f32], fresh: bool) {
        let DenseLayer { from, to } = self;
        let squares = out[..from.len()].par_chunks_mut(from.batch * from.stride);
        squares.zip(weight.par_chunks(from.planes * to.planes)).for_each(|(out, weight)| {
            let gradient = Matrix { data: gradient, row: to.stride, column: 1 };
            let weight = Matrix { data: weight, row: 1, column: to.planes };
            gemm((from.batch, from.planes, to.planes), gradient, weight, out, from.stride, !fresh);
        });
    }

    pub fn backward_weight(self, x: &[f32], gradient: &[f32], out: &mut [f32]) {
        let DenseLayer { from, to } = self;
        let squares = out.par_chunks_mut(from.planes * to.planes).enumerate();
        squares.for_each(|(square, out)| {
            let x = Matrix { data: &x[square * from.batch * from.stride..], row: 1, column: from.stride };
            let gradient = Matrix { data: gradient, row: to.stride, column: 1 };
            gemm((from.planes, to.planes, from.batch), x, gradient, out, to.planes, false);
        });
    }
}
