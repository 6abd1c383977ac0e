//! The layers without large products, forward and backward: plain loops.

use super::rows::Rows;
use crate::graph::Kernel;
use rayon::prelude::*;
use tesuji_core::{Shape, random};

/// out = x convolved channel by channel (added to `out` unless it is fresh); `weight(tap)` gives a tap's row.
pub(super) fn depthwise<'a>(
    rows: Rows,
    board: Shape,
    kernel: Kernel,
    weight: impl Fn(usize) -> &'a [f32] + Sync,
    x: &[f32],
    (out, fresh): (&mut [f32], bool),
) {
    let square_len = rows.batch * rows.stride;
    out[..rows.len()].par_chunks_mut(square_len).enumerate().for_each(|(square, out)| {
        if fresh {
            out.fill(0.0);
        }
        for tap in 0..kernel.taps() {
            let Some(source) = kernel.source(board, square, tap) else { continue };
            let weight = weight(tap);
            let x = &x[source * square_len..][..square_len];
            for (out, x) in out.chunks_exact_mut(rows.stride).zip(x.chunks_exact(rows.stride)) {
                out.iter_mut().zip(x).zip(weight).for_each(|((out, x), weight)| *out += x * weight);
            }
        }
    });
}

/// The gradient of a depthwise convolution's weights.
pub(super) fn depthwise_weight(rows: Rows, board: Shape, kernel: Kernel, x: &[f32], gradient: &[f32], out: &mut [f32]) {
    for (tap, out) in out.chunks_exact_mut(rows.planes).enumerate() {
        let sums = rows.sums(rows.planes, |row, sums| {
            let Some(source) = kernel.source(board, row / rows.batch, tap) else { return };
            let x = rows.row(x, source * rows.batch + row % rows.batch);
            sums.iter_mut().zip(x).zip(rows.row(gradient, row)).for_each(|((sum, x), d)| *sum += x * d);
        });
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum as f32);
    }
}

/// The mean of each channel over the board and, if `with_max`, the maximum behind it.
pub(super) fn pool(from: Rows, to: Rows, x: &[f32], out: &mut [f32], with_max: bool) {
    for position in 0..from.batch {
        let out = &mut out[position * to.stride..][..to.stride];
        for channel in 0..from.planes {
            let at = |square: usize| x[(square * from.batch + position) * from.stride + channel];
            out[channel] = (0..from.squares).map(at).sum::<f32>() / from.squares as f32;
            if with_max {
                out[from.planes + channel] = (0..from.squares).map(at).fold(f32::MIN, f32::max);
            }
        }
    }
}

/// The gradient of [`pool`]; a maximum hands its gradient to the first square that has it.
pub(super) fn pool_backward(from: Rows, to: Rows, x: &[f32], gradient: &[f32], out: &mut [f32], with_max: bool) {
    for position in 0..from.batch {
        let d = &gradient[position * to.stride..][..to.stride];
        for channel in 0..from.planes {
            let index = |square: usize| (square * from.batch + position) * from.stride + channel;
            (0..from.squares).for_each(|square| out[index(square)] += d[channel] / from.squares as f32);
            if with_max {
                let greatest =
                    (0..from.squares).fold(0, |g, square| if x[index(square)] > x[index(g)] { square } else { g });
                out[index(greatest)] += d[from.planes + channel];
            }
        }
    }
}

/// The logistic function.
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The gradient of a gate's second input: of each channel over the board.
pub(super) fn gate_backward(rows: Rows, x: &[f32], gate: &[f32], gradient: &[f32], out: &mut [f32]) {
    for row in 0..rows.count() {
        let first = row % rows.batch * rows.stride;
        for channel in 0..rows.planes {
            let open = sigmoid(gate[first + channel]);
            let at = row * rows.stride + channel;
            out[first + channel] += gradient[at] * x[at] * open * (1.0 - open);
        }
    }
}

/// The sums over the board, of each position and channel: the gradient of a shift's second input.
pub(super) fn board_sums(rows: Rows, gradient: &[f32], out: &mut [f32]) {
    for square in gradient[..rows.len()].chunks_exact(rows.batch * rows.stride) {
        out.iter_mut().zip(square).for_each(|(out, d)| *out += d);
    }
}

/// The image plane by plane, and the vector behind it if there is one.
pub(super) fn flatten(from: Rows, to: Rows, x: &[f32], rest: Option<(&[f32], usize)>, out: &mut [f32]) {
    let image = from.planes * from.squares;
    out[..to.len()].par_chunks_mut(to.stride).enumerate().for_each(|(position, out)| {
        for (plane, out) in out[..image].chunks_exact_mut(from.squares).enumerate() {
            let at = |square: usize| x[(square * from.batch + position) * from.stride + plane];
            out.iter_mut().enumerate().for_each(|(square, out)| *out = at(square));
        }
        if let Some((rest, stride)) = rest {
            let len = to.planes - image;
            out[image..to.planes].copy_from_slice(&rest[position * stride..][..len]);
        }
    });
}

/// The gradient of [`flatten`]'s image, added to `out` unless it is fresh.
pub(super) fn flatten_backward(from: Rows, to: Rows, gradient: &[f32], out: &mut [f32], fresh: bool) {
    from.blocks_mut(out, |first, rows| {
        for (number, out) in rows.chunks_exact_mut(from.stride).enumerate() {
            let (square, position) = ((first + number) / from.batch, (first + number) % from.batch);
            let d = |plane: usize| gradient[position * to.stride + plane * from.squares + square];
            for (plane, out) in out.iter_mut().enumerate() {
                let d = if plane < from.planes { d(plane) } else { 0.0 };
                *out = if fresh { d } else { *out + d };
            }
        }
    });
}

/// Q = A - mean A + V.
pub(super) fn duel(rows: Rows, value_stride: usize, advantages: &[f32], value: &[f32], out: &mut [f32]) {
    for position in 0..rows.batch {
        let row = &rows.row(advantages, position)[..rows.planes];
        let shift = value[position * value_stride] - row.iter().sum::<f32>() / rows.planes as f32;
        let out = &mut out[position * rows.stride..][..rows.planes];
        out.iter_mut().zip(row).for_each(|(out, a)| *out = a + shift);
    }
}

/// The gradients of [`duel`], added to those of the advantages and the value.
pub(super) fn duel_backward(
    rows: Rows,
    value_stride: usize,
    gradient: &[f32],
    advantages: &mut [f32],
    value: &mut [f32],
) {
    for position in 0..rows.batch {
        let d = &rows.row(gradient, position)[..rows.planes];
        let sum: f32 = d.iter().sum();
        value[position * value_stride] += sum;
        let out = &mut advantages[position * rows.stride..][..rows.planes];
        out.iter_mut().zip(d).for_each(|(out, d)| *out += d - sum / rows.planes as f32);
    }
}

/// The factor of one activation under dropout: 0, or what makes up for those.
///
/// A function of the key and the index, not a stream: threads may ask in any order.
pub(super) fn dropout_factor(key: u64, rate: f32, index: usize) -> f32 {
    let uniform = (random::mix(key ^ index as u64) >> 40) as f32 / (1 << 24) as f32;
    if uniform < rate { 0.0 } else { 1.0 / (1.0 - rate) }
}
