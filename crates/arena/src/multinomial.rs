//! The likelihood of a mean, when all that is known is how often each of a few scores occurred.
//!
//! A match gives counts n_i of results with scores a_i (0, 1/2, 1 for games; 0, 1/4, ..., 1 for pairs). The most
//! likely distribution p among those with mean s maximises sum n_i ln p_i subject to sum p_i = 1 and
//! sum p_i a_i = s. With q_i = n_i / n, the solution is p_i = q_i / (1 + t (a_i - s)), where t solves
//! sum q_i (a_i - s) / (1 + t (a_i - s)) = 0 (empirical likelihood; Owen 1988). Both the intervals and the sequential
//! test are built on it.

/// Added to every count so that scores never seen keep a little probability: without it, nine wins in nine games would
/// make every mean below 1 impossible.
const PSEUDO_COUNT: f64 = 1e-3;

/// The greatest log-likelihood per observation of a distribution over `K` equally spaced scores from 0 to 1 with mean
/// `mean`, given the counts.
pub(crate) fn log_likelihood<const K: usize>(counts: [f64; K], mean: f64) -> f64 {
    let counts = counts.map(|count| count.max(PSEUDO_COUNT));
    let total: f64 = counts.iter().sum();
    let frequency = |i: usize| counts[i] / total;
    let deviation = |i: usize| i as f64 / (K - 1) as f64 - mean;
    // The slope falls from +inf to -inf as t runs through the interval where all 1 + t (a_i - s) > 0.
    let slope = |t: f64| (0..K).map(|i| frequency(i) * deviation(i) / (1.0 + t * deviation(i))).sum::<f64>();
    let (mut low, mut high) = (-1.0 / deviation(K - 1), -1.0 / deviation(0));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let t = 0.5 * (low + high);
    (0..K).map(|i| frequency(i) * (frequency(i) / (1.0 + t * deviation(i))).ln()).sum()
}

/// The mean score of the counts, pseudo-counts included.
pub(crate) fn mean<const K: usize>(counts: [f64; K]) -> f64 {
    let counts = counts.map(|count| count.max(PSEUDO_COUNT));
    let total: f64 = counts.iter().sum();
    counts.iter().enumerate().map(|(i, count)| count * i as f64 / (K - 1) as f64).sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_outcomes_give_the_binomial_likelihood() {
        // 7 wins in 10 games: with mean s the likelihood is 0.7 ln s + 0.3 ln (1 - s) per game.
        for s in [0.2_f64, 0.5, 0.7, 0.95] {
            let expected = 0.7 * s.ln() + 0.3 * (1.0 - s).ln();
            assert!((log_likelihood([3.0, 7.0], s) - expected).abs() < 1e-9, "mean {s}");
        }
    }

    #[test]
    fn the_observed_mean_is_the_most_likely_one() {
        let counts = [10.0, 20.0, 40.0, 25.0, 5.0];
        let observed = mean(counts);
        let best = log_likelihood(counts, observed);
        for other in [observed - 0.05, observed + 0.05] {
            assert!(log_likelihood(counts, other) < best);
        }
    }
}
