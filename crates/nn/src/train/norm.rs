//! Batch normalisation, forward and backward.

use super::rows::Rows;
use crate::graph::Activation;
use crate::reference::NORM_EPSILON;

/// How far the running statistics move towards those of a batch.
const MOMENTUM: f32 = 0.1;

/// The statistics of a batch, which the backward pass needs again; padded as rows are.
#[derive(Clone, Default)]
pub(super) struct Statistics {
    mean: Vec<f32>,
    /// One over the deviation.
    inverse: Vec<f32>,
}

/// The parameters of one norm: the trained ones and the running statistics.
pub(super) struct Parameters<'a> {
    pub gamma: &'a [f32],
    pub beta: &'a [f32],
    pub mean: &'a mut [f32],
    pub variance: &'a mut [f32],
}

/// out = activation(normalised x * gamma + beta + skip); moves the running statistics.
pub(super) fn forward(
    rows: Rows,
    parameters: Parameters<'_>,
    x: &[f32],
    skip: Option<&[f32]>,
    activation: Activation,
    out: &mut [f32],
) -> Statistics {
    let Parameters { gamma, beta, mean, variance } = parameters;
    let count = rows.count() as f64;
    let means: Vec<f32> = rows.column_sums(x).iter().map(|sum| (sum / count) as f32).collect();
    // A second pass instead of the mean of squares: the difference of two large numbers would lose the variance.
    let squares = rows.sums(rows.stride, |row, sums| {
        for ((sum, x), mean) in sums.iter_mut().zip(rows.row(x, row)).zip(&means) {
            *sum += (x - mean) * (x - mean);
        }
    });
    let variances: Vec<f32> = squares.iter().map(|sum| (sum / count) as f32).collect();
    let unbiased = (count / (count - 1.0).max(1.0)) as f32;
    for c in 0..rows.planes {
        mean[c] += MOMENTUM * (means[c] - mean[c]);
        variance[c] += MOMENTUM * (variances[c] * unbiased - variance[c]);
    }
    let inverse: Vec<f32> = variances.iter().map(|variance| (variance + NORM_EPSILON).sqrt().recip()).collect();
    let mut scale = vec![0.0; rows.stride];
    let mut shift = vec![0.0; rows.stride];
    for c in 0..rows.planes {
        scale[c] = gamma[c] * inverse[c];
        shift[c] = beta[c] - means[c] * scale[c];
    }
    rows.blocks_mut(out, |first, block| {
        for (i, out) in block.chunks_exact_mut(rows.stride).enumerate() {
            let x = rows.row(x, first + i);
            match skip.map(|skip| rows.row(skip, first + i)) {
                None => (0..out.len()).for_each(|c| out[c] = x[c] * scale[c] + shift[c]),
                Some(skip) => (0..out.len()).for_each(|c| out[c] = x[c] * scale[c] + shift[c] + skip[c]),
            }
            if activation == Activation::Relu {
                out.iter_mut().for_each(|y| *y = y.max(0.0));
            }
        }
    });
    if activation == Activation::Tanh {
        rows.activate(activation, out);
    }
    Statistics { mean: means, inverse }
}

/// From the gradient before the activation to those of gamma, beta and the input.
pub(super) fn backward(
    rows: Rows,
    statistics: &Statistics,
    gamma: &[f32],
    x: &[f32],
    gradient: &[f32],
    (gamma_gradient, beta_gradient): (&mut [f32], &mut [f32]),
    (out, fresh): (&mut [f32], bool),
) {
    let Statistics { mean, inverse } = statistics;
    let width = rows.stride;
    let sums = rows.sums(2 * width, |row, sums| {
        let (x, d) = (rows.row(x, row), rows.row(gradient, row));
        let (products, plain) = sums.split_at_mut(width);
        for c in 0..width {
            products[c] += d[c] * (x[c] - mean[c]);
            plain[c] += d[c];
        }
    });
    // dx = scale * (d - mean(d) - (x - mean) * inverse^2 * mean(d * (x - mean))), written as a * d + b * x + c.
    let count = rows.count() as f64;
    let mut coefficients = vec![[0.0_f32; 3]; width];
    for c in 0..rows.planes {
        let (products, plain) = (sums[c], sums[width + c]);
        let (inverse, mean) = (f64::from(inverse[c]), f64::from(mean[c]));
        gamma_gradient[c] = (products * inverse) as f32;
        beta_gradient[c] = plain as f32;
        let scale = f64::from(gamma[c]) * inverse;
        let slope = -scale * inverse * inverse * products / count;
        coefficients[c] = [scale as f32, slope as f32, (-scale * plain / count - slope * mean) as f32];
    }
    let [a, b, k] = [0, 1, 2].map(|i| coefficients.iter().map(|c| c[i]).collect::<Vec<f32>>());
    rows.blocks_mut(out, |first, block| {
        for (i, out) in block.chunks_exact_mut(width).enumerate() {
            let (x, d) = (rows.row(x, first + i), rows.row(gradient, first + i));
            if fresh {
                (0..width).for_each(|c| out[c] = a[c] * d[c] + b[c] * x[c] + k[c]);
            } else {
                (0..width).for_each(|c| out[c] += a[c] * d[c] + b[c] * x[c] + k[c]);
            }
        }
    });
}
