//! Floats to integers.

use super::pass::{Layer, Net};
use crate::nnue::network::{NnueLayer, NnueWeights, fits};
use crate::nnue::spec::{ACTIVATION_BITS, NnueSpec, SHIFTS, UNIT};

/// Biases of dense layers stay within plus and minus this.
pub(super) const BIAS_BOUND: f32 = 32.0;

/// Weights of dense layers stay within plus and minus this, or less where many are added up.
const WEIGHT_BOUND: f32 = 8.0;

/// The bound for the weights of a dense layer: with it the fewest bits behind the point always fit.
///
/// 900 / 0.992 (the full activation) 2^6 2^15 + 32 2^21 and half a unit for rounding each of at most 2,048 weights are
/// below 2^31.
pub(super) fn dense_bound(inputs: usize) -> f32 {
    (900.0 / inputs as f32).min(WEIGHT_BOUND)
}

/// How far integer scores are from those of the floats that they were made of, in score units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuantisationError {
    /// The largest difference.
    pub max: f64,
    /// The mean difference.
    pub mean: f64,
}

/// The integers nearest to the weights.
///
/// # Panics
/// If a weight is beyond its bound: training keeps them within.
pub(super) fn quantise(spec: &NnueSpec, net: &Net<'_>) -> NnueWeights {
    let bound = f32::from(spec.row_bound());
    let row = |weight: &f32| (weight * UNIT as f32).round().clamp(-bound, bound) as i16;
    let layer = |(number, layer): (usize, &Layer<'_>)| {
        // Full hidden units are a little less than a whole unit of activations.
        let full = if number == 0 { spec.activation.full() } else { 1.0 };
        let layer = SHIFTS.rev().find_map(|shift| dense(layer, full, shift));
        layer.expect("weights within their bounds fit with the fewest bits")
    };
    NnueWeights {
        rows: net.rows.iter().map(row).collect(),
        bias: net.bias.iter().map(row).collect(),
        layers: net.layers.iter().enumerate().map(layer).collect(),
    }
}

/// A dense layer with so many bits behind the point, unless its sums could overflow.
fn dense(layer: &Layer<'_>, full: f64, shift: u32) -> Option<NnueLayer> {
    let unit = f64::from(1 << shift);
    let weight = |&weight: &f32| {
        let weight = (f64::from(weight) / full * unit).round();
        (weight.abs() <= f64::from(i16::MAX)).then_some(weight as i16)
    };
    let bias = |&bias: &f32| {
        let bias = (f64::from(bias) * unit * f64::from(1 << ACTIVATION_BITS)).round();
        (bias.abs() <= f64::from(i32::MAX)).then_some(bias as i32)
    };
    let weights: Vec<i16> = layer.weights.iter().map(weight).collect::<Option<_>>()?;
    let bias: Vec<i32> = layer.bias.iter().map(bias).collect::<Option<_>>()?;
    let inputs = weights.len() / bias.len();
    let fit = weights.chunks_exact(inputs).zip(&bias).all(|(row, &bias)| fits(row, bias));
    fit.then_some(NnueLayer { weights, bias, shift })
}
