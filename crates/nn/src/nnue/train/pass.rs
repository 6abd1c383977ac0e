//! Forward and backward, from the rows of the active inputs to the loss and back to the hidden units.

use super::dot::Dot;
use super::loss::NnueLoss;
use super::paths::for_each_isa;
use crate::nnue::samples::{Sample, Samples};

/// Positions that are worked on together. Fixed: sums must not depend on the number of threads.
pub(super) const CHUNK: usize = 256;

/// Hidden units of a block: one cache line of 32-bit floats.
pub(super) const BLOCK: usize = 16;

/// A dense layer: a row of weights for each output.
#[derive(Clone, Copy)]
pub(super) struct Layer<'a> {
    pub weights: &'a [f32],
    pub bias: &'a [f32],
}

/// The network as the passes read it.
#[derive(Clone)]
pub(super) struct Net<'a> {
    pub width: usize,
    pub rows: &'a [f32],
    pub bias: &'a [f32],
    pub squared: bool,
    pub layers: Vec<Layer<'a>>,
}

/// The numbers of one position on its way.
pub(super) struct Values {
    /// Hidden units of both perspectives, cut to 0..1.
    hidden: Vec<f32>,
    /// Inputs of each layer; at last the output.
    inputs: Vec<Vec<f32>>,
    /// Gradients of the same.
    slopes: Vec<Vec<f32>>,
}

/// What a chunk of positions adds up to.
pub(super) struct Sums {
    /// Gradients of the bias of the first layer.
    pub bias: Vec<f32>,
    /// Gradients of weights and bias of each dense layer.
    pub layers: Vec<(Vec<f32>, Vec<f32>)>,
    /// The weighted losses.
    pub loss: f64,
}

impl Net<'_> {
    pub fn values(&self) -> Values {
        let sizes = || {
            let outputs = self.layers.iter().map(|layer| layer.bias.len());
            std::iter::once(2 * self.width).chain(outputs).map(|len| vec![0.0; len]).collect()
        };
        Values { hidden: vec![0.0; 2 * self.width], inputs: sizes(), slopes: sizes() }
    }

    pub fn sums(&self) -> Sums {
        let layer = |layer: &Layer<'_>| (vec![0.0; layer.weights.len()], vec![0.0; layer.bias.len()]);
        Sums { bias: vec![0.0; self.width], layers: self.layers.iter().map(layer).collect(), loss: 0.0 }
    }
}

for_each_isa! {
    /// The losses and gradients of a chunk of positions; those of the hidden units go to `hidden`, block by block,
    /// position by position, mover and other.
    pub(super) fn chunk(
        net: &Net<'_>,
        loss: NnueLoss,
        samples: &Samples,
        values: &mut Values,
        sums: &mut Sums,
        hidden: &mut [f32],
    ) = dot chunk_of
}

for_each_isa! {
    /// The output for a position.
    pub(super) fn output(net: &Net<'_>, sample: Sample<'_>, values: &mut Values) -> f32 = dot forward
}

/// # Safety
/// The instruction set of `D` must be there.
#[inline(always)]
unsafe fn chunk_of<D: Dot>(
    net: &Net<'_>,
    loss: NnueLoss,
    samples: &Samples,
    values: &mut Values,
    sums: &mut Sums,
    hidden: &mut [f32],
) {
    let (hidden, _) = hidden.as_chunks_mut::<BLOCK>();
    for (position, sample) in samples.iter().enumerate() {
        // SAFETY: the caller vouches for the instruction set.
        let output = unsafe { forward::<D>(net, sample, values) };
        let (error, slope) = loss.of(output, sample.target);
        sums.loss += f64::from(error) * f64::from(sample.weight);
        backward(net, slope * sample.weight, values, sums);
        let (gradients, _) = values.slopes[0].as_chunks::<BLOCK>();
        let blocks = net.width / BLOCK;
        for block in 0..blocks {
            let at = (block * CHUNK + position) * 2;
            hidden[at] = gradients[block];
            hidden[at + 1] = gradients[blocks + block];
        }
    }
}

/// # Safety
/// The instruction set of `D` must be there.
#[inline(always)]
unsafe fn forward<D: Dot>(net: &Net<'_>, sample: Sample<'_>, values: &mut Values) -> f32 {
    let width = net.width;
    let (mover, other) = values.hidden.split_at_mut(width);
    accumulate(net, sample.mover, mover);
    accumulate(net, sample.other, other);
    for (value, hidden) in values.inputs[0].iter_mut().zip(&mut values.hidden) {
        let cut = hidden.clamp(0.0, 1.0);
        *hidden = cut;
        *value = if net.squared { cut * cut } else { cut };
    }
    for (number, layer) in net.layers.iter().enumerate() {
        let last = number + 1 == net.layers.len();
        let (before, after) = values.inputs.split_at_mut(number + 1);
        let (inputs, outputs) = (&before[number], &mut after[0]);
        for (n, output) in outputs.iter_mut().enumerate() {
            let row = &layer.weights[n * inputs.len()..][..inputs.len()];
            // SAFETY: the caller vouches for the instruction set.
            let sum = layer.bias[n] + unsafe { D::dot(row, inputs) };
            *output = if last { sum } else { sum.clamp(0.0, 1.0) };
        }
    }
    values.inputs[net.layers.len()][0]
}

/// The bias plus the rows of active inputs.
#[inline(always)]
fn accumulate(net: &Net<'_>, active: &[u32], to: &mut [f32]) {
    const TILE: usize = 64;
    let width = net.width;
    let mut at = 0;
    while at + TILE <= width {
        accumulate_tile::<TILE>(net, active, at, to);
        at += TILE;
    }
    if at < width {
        accumulate_tile::<32>(net, active, at, to);
    }
}

#[inline(always)]
fn accumulate_tile<const TILE: usize>(net: &Net<'_>, active: &[u32], at: usize, to: &mut [f32]) {
    let mut tile = [0.0; TILE];
    tile.copy_from_slice(&net.bias[at..][..TILE]);
    for &input in active {
        let row = &net.rows[input as usize * net.width + at..][..TILE];
        for i in 0..TILE {
            tile[i] += row[i];
        }
    }
    to[at..][..TILE].copy_from_slice(&tile);
}

/// Sends the gradient of the output back to the hidden units and adds those of the dense layers and the bias.
#[inline(always)]
fn backward(net: &Net<'_>, slope: f32, values: &mut Values, sums: &mut Sums) {
    let last = net.layers.len();
    values.slopes[last][0] = slope;
    for (number, layer) in net.layers.iter().enumerate().rev() {
        let (before, after) = values.slopes.split_at_mut(number + 1);
        let (to, from) = (&mut before[number], &after[0]);
        let (inputs, outputs) = (&values.inputs[number], &values.inputs[number + 1]);
        let (weight_sums, bias_sums) = &mut sums.layers[number];
        to.fill(0.0);
        for (n, &slope) in from.iter().enumerate() {
            let open = number + 1 == last || (outputs[n] > 0.0 && outputs[n] < 1.0);
            if !open || slope == 0.0 {
                continue;
            }
            bias_sums[n] += slope;
            let row = &layer.weights[n * inputs.len()..][..inputs.len()];
            let row_sums = &mut weight_sums[n * inputs.len()..][..inputs.len()];
            row_sums.iter_mut().zip(inputs).for_each(|(sum, input)| *sum += slope * input);
            to.iter_mut().zip(row).for_each(|(to, weight)| *to += slope * weight);
        }
    }
    let slopes = &mut values.slopes[0];
    for (slope, &cut) in slopes.iter_mut().zip(&values.hidden) {
        let steepness = if net.squared { 2.0 * cut } else { 1.0 };
        let open = if cut > 0.0 && cut < 1.0 { steepness } else { 0.0 };
        *slope *= open;
    }
    let (mover, other) = slopes.split_at(net.width);
    for (sum, (mover, other)) in sums.bias.iter_mut().zip(mover.iter().zip(other)) {
        *sum += mover + other;
    }
}
