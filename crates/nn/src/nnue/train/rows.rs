//! The first layer in training.
//!
//! Its tensors lie in blocks: all inputs' weights of the first sixteen hidden units, then of the next, and so on, so that
//! threads can add up gradients side by side.

use super::pass::{BLOCK, CHUNK};
use super::paths::for_each_isa;
use crate::Isa;
use crate::nnue::samples::Samples;
use rayon::prelude::*;

/// Rows that a thread merges at a time.
const ROWS: usize = 64;

/// Adds to the gradients of the rows; `batch` has the positions, chunk by chunk, and `hidden` the gradients of their hidden
/// units as [`super::pass`] leaves them.
pub(super) fn add_gradients(isa: Isa, batch: &[Samples], hidden: &[f32], width: usize, gradient: &mut [f32]) {
    let blocks = width / BLOCK;
    let rows = gradient.len() / blocks;
    gradient.par_chunks_mut(rows).enumerate().for_each(|(block, gradient)| {
        scatter(isa, batch, hidden, block, blocks, gradient);
    });
}

for_each_isa! {
    fn scatter(batch: &[Samples], hidden: &[f32], block: usize, blocks: usize, gradient: &mut [f32]) = scatter_all
}

#[inline(always)]
fn scatter_all(batch: &[Samples], hidden: &[f32], block: usize, blocks: usize, gradient: &mut [f32]) {
    let (rows, _) = gradient.as_chunks_mut::<BLOCK>();
    let (hidden, _) = hidden.as_chunks::<BLOCK>();
    for (chunk, samples) in batch.iter().enumerate() {
        let first = (chunk * blocks + block) * CHUNK * 2;
        for (position, sample) in samples.iter().enumerate() {
            add(&hidden[first + 2 * position], sample.mover, rows);
            add(&hidden[first + 2 * position + 1], sample.other, rows);
        }
    }
}

/// Adds the same numbers to some rows.
#[inline(always)]
fn add(numbers: &[f32; BLOCK], inputs: &[u32], rows: &mut [[f32; BLOCK]]) {
    let numbers = *numbers;
    for &input in inputs {
        let row = &mut rows[input as usize];
        for i in 0..BLOCK {
            row[i] += numbers[i];
        }
    }
}

/// Adds up the gradients of inputs that share a row.
pub(super) fn share(gradient: &[f32], map: &[u32], width: usize, shared: &mut [f32]) {
    let blocks = width / BLOCK;
    let (own, all) = (gradient.len() / blocks, shared.len() / blocks);
    shared.par_chunks_mut(all).zip(gradient.par_chunks(own)).for_each(|(shared, gradient)| {
        shared.fill(0.0);
        let (shared, gradient) = (shared.as_chunks_mut::<BLOCK>().0, gradient.as_chunks::<BLOCK>().0);
        for (from, &to) in gradient.iter().zip(map) {
            let to = &mut shared[to as usize];
            for i in 0..BLOCK {
                to[i] += from[i];
            }
        }
    });
}

/// Puts the rows that the network has together, one row of `width` after the other: the row that inputs share plus the
/// input's own if there is one, within the bound.
pub(super) fn merge(shared: &[f32], own: Option<&[f32]>, map: &[u32], width: usize, bound: f32, to: &mut [f32]) {
    let (shared, own) = (shared.as_chunks::<BLOCK>().0, own.map(|own| own.as_chunks::<BLOCK>().0));
    let (shared_inputs, inputs) = (shared.len() / (width / BLOCK), map.len());
    to.par_chunks_mut(ROWS * width).enumerate().for_each(|(group, to)| {
        for (n, to) in to.chunks_exact_mut(width).enumerate() {
            let input = group * ROWS + n;
            for (block, to) in to.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
                let all = &shared[block * shared_inputs + map[input] as usize];
                match own {
                    None => *to = *all,
                    Some(own) => {
                        let own = &own[block * inputs + input];
                        for i in 0..BLOCK {
                            to[i] = (all[i] + own[i]).max(-bound).min(bound);
                        }
                    }
                }
            }
        }
    });
}

/// Rows one after the other, put into blocks.
pub(super) fn to_blocks(rows: &[f32], width: usize) -> Vec<f32> {
    let mut blocks = Vec::with_capacity(rows.len());
    for block in 0..width / BLOCK {
        for row in rows.chunks_exact(width) {
            blocks.extend_from_slice(&row[block * BLOCK..][..BLOCK]);
        }
    }
    blocks
}
