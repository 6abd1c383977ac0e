//! Dirichlet noise for the root.
//!
//! Drawn here rather than by `rand_distr`, because a run must repeat to the byte whatever that crate changes, and the
//! mathematics must be the same on every machine (`libm`).

use tesuji_core::Stream;

/// How much noise the root's priors get.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The concentration: small values put the noise on few moves (shogi 0.15, the minishogi paper 0.03).
    pub alpha: f32,
    /// The share of the noise (0.25 in AlphaZero).
    pub epsilon: f32,
}

/// Draws from the symmetric Dirichlet distribution: `n` shares that add up to 1.
pub fn dirichlet(alpha: f64, n: usize, random: &mut Stream) -> Vec<f32> {
    let draws: Vec<f64> = (0..n).map(|_| gamma(alpha, random)).collect();
    let total: f64 = draws.iter().sum();
    if total > 0.0 {
        return draws.iter().map(|draw| (draw / total) as f32).collect();
    }
    // A tiny alpha can underflow every draw; its limit is all the noise on one move.
    let chosen = random.below(n);
    (0..n).map(|i| if i == chosen { 1.0 } else { 0.0 }).collect()
}

/// Draws from the gamma distribution with scale 1 (Marsaglia and Tsang, 2000).
fn gamma(shape: f64, random: &mut Stream) -> f64 {
    if shape < 1.0 {
        // Gamma(a) is Gamma(a + 1) times U^(1/a).
        let boost = libm::pow(1.0 - random.unit(), 1.0 / shape);
        return gamma(shape + 1.0, random) * boost;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(random);
        let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
        if v <= 0.0 {
            continue;
        }
        let u = 1.0 - random.unit();
        if libm::log(u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

/// Draws from the standard normal distribution (Marsaglia's polar method).
fn normal(random: &mut Stream) -> f64 {
    loop {
        let (x, y) = (2.0 * random.unit() - 1.0, 2.0 * random.unit() - 1.0);
        let s = x * x + y * y;
        if s > 0.0 && s < 1.0 {
            return x * (-2.0 * libm::log(s) / s).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(draws: &[f64]) -> (f64, f64) {
        let n = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n;
        (mean, draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / n)
    }

    #[test]
    fn gamma_has_its_moments() {
        let mut random = Stream::new(3, "test", 0);
        for shape in [0.03, 0.3, 1.0, 4.5] {
            let draws: Vec<f64> = (0..40_000).map(|_| gamma(shape, &mut random)).collect();
            let (mean, variance) = moments(&draws);
            // Mean and variance are the shape; five standard errors of the mean are 0.025 sqrt(shape).
            assert!((mean - shape).abs() < 0.03 * shape.sqrt(), "mean {mean} of {shape}");
            assert!((variance - shape).abs() < 0.2 * shape.max(0.1), "variance {variance} of {shape}");
        }
    }

    #[test]
    fn shares_add_up() {
        let mut random = Stream::new(4, "test", 0);
        for (alpha, n) in [(0.03, 30), (10.0, 7), (1e-6, 5), (0.3, 1)] {
            let shares = dirichlet(alpha, n, &mut random);
            assert_eq!(shares.len(), n);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        }
    }
}
