//! Loops over rows of channels, shared out among threads without touching the order of any sum.

use crate::graph::Activation;
use crate::kernel::Isa;
use rayon::prelude::*;
use tesuji_core::Shape;

/// Rows that a thread takes at a time, and that are summed in single precision before double takes over. Fixed: sums
/// must not depend on the number of threads.
const BLOCK: usize = 256;

/// The rows of a batch of images: `[square][position][channel]`, each row padded to `stride` numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub batch: usize,
    pub squares: usize,
    pub planes: usize,
    pub stride: usize,
}

impl Rows {
    pub fn new(isa: Isa, shape: Shape, batch: usize) -> Rows {
        let squares = shape.height * shape.width;
        Rows { batch, squares, planes: shape.planes, stride: isa.stride(shape.planes) }
    }

    /// Rows in all.
    pub fn count(self) -> usize {
        self.squares * self.batch
    }

    /// Numbers in all.
    pub fn len(self) -> usize {
        self.count() * self.stride
    }

    /// Calls `f(first row, rows)` for blocks of rows of `out`.
    pub fn blocks_mut(self, out: &mut [f32], f: impl Fn(usize, &mut [f32]) + Sync) {
        let blocks = out[..self.len()].par_chunks_mut(BLOCK * self.stride).enumerate();
        blocks.for_each(|(block, rows)| f(block * BLOCK, rows));
    }

    /// Sums over all rows: `f(row, sums)` adds a row's numbers to `width` sums.
    pub fn sums(self, width: usize, f: impl Fn(usize, &mut [f32]) + Sync) -> Vec<f64> {
        let blocks = self.count().div_ceil(BLOCK);
        let partial = |block: usize| {
            let mut sums = vec![0.0_f32; width];
            (block * BLOCK..((block + 1) * BLOCK).min(self.count())).for_each(|row| f(row, &mut sums));
            sums
        };
        let partials: Vec<Vec<f32>> = (0..blocks).into_par_iter().map(partial).collect();
        let mut totals = vec![0.0_f64; width];
        for partial in partials {
            totals.iter_mut().zip(partial).for_each(|(total, sum)| *total += f64::from(sum));
        }
        totals
    }

    /// The numbers of a row.
    pub fn row(self, x: &[f32], row: usize) -> &[f32] {
        &x[row * self.stride..][..self.stride]
    }

    /// The sum of each channel.
    pub fn column_sums(self, x: &[f32]) -> Vec<f64> {
        self.sums(self.stride, |row, sums| sums.iter_mut().zip(self.row(x, row)).for_each(|(sum, x)| *sum += x))
    }

    /// out = f(x), or out += f(x); `f` gets the index of the number and the number.
    pub fn map(self, x: &[f32], out: &mut [f32], fresh: bool, f: impl Fn(usize, f32) -> f32 + Sync) {
        self.blocks_mut(out, |first, rows| {
            let first = first * self.stride;
            for (i, (out, &x)) in rows.iter_mut().zip(&x[first..]).enumerate() {
                *out = if fresh { f(first + i, x) } else { *out + f(first + i, x) };
            }
        });
    }

    /// What an activation does to its results.
    pub fn activate(self, activation: Activation, out: &mut [f32]) {
        match activation {
            Activation::Identity => {}
            Activation::Relu => self.blocks_mut(out, |_, rows| rows.iter_mut().for_each(|x| *x = x.max(0.0))),
            Activation::Tanh => self.blocks_mut(out, |_, rows| rows.iter_mut().for_each(|x| *x = x.tanh())),
        }
    }

    /// Turns the gradient behind an activation into the one before it, from the results.
    pub fn activate_backward(self, activation: Activation, out: &[f32], gradient: &mut [f32]) {
        self.blocks_mut(gradient, |first, rows| {
            let out = &out[first * self.stride..];
            match activation {
                Activation::Identity => {}
                Activation::Relu => {
                    rows.iter_mut().zip(out).for_each(|(d, &y)| *d = if y > 0.0 { *d } else { 0.0 });
                }
                Activation::Tanh => rows.iter_mut().zip(out).for_each(|(d, &y)| *d *= 1.0 - y * y),
            }
        });
    }
}
