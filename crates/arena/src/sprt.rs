//! The sequential probability ratio test.
//!
//! Two hypotheses on the Elo difference, `elo0` and `elo1`; after every pair the log-likelihood ratio of the second
//! against the first is compared with bounds that keep the error rates at `alpha` and `beta` (Wald 1945). The
//! likelihoods are the generalised (multinomial) ones, on pairs, as in Stockfish's testing.

use crate::elo::expected_score;
use crate::multinomial::log_likelihood;
use crate::score::Pairs;
use serde::{Deserialize, Serialize};

/// A test of "elo1 better" against "elo0 better".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    /// The Elo difference to be refuted.
    pub elo0: f64,
    /// The Elo difference to be shown.
    pub elo1: f64,
    /// The chance of accepting `elo1` when `elo0` is true.
    pub alpha: f64,
    /// The chance of accepting `elo0` when `elo1` is true.
    pub beta: f64,
}

/// What the test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Play on.
    Continue,
    /// `elo0` is accepted: no improvement.
    AcceptH0,
    /// `elo1` is accepted: an improvement.
    AcceptH1,
}

impl Default for Sprt {
    fn default() -> Sprt {
        Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 }
    }
}

impl Sprt {
    /// The bounds on the log-likelihood ratio: below the first `elo0` is accepted, above the second `elo1`.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of `elo1` against `elo0`.
    pub fn log_likelihood_ratio(&self, pairs: &Pairs) -> f64 {
        let counts = pairs.counts();
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let likelihood = |elo: f64| log_likelihood(counts, expected_score(elo));
        pairs.pairs() as f64 * (likelihood(self.elo1) - likelihood(self.elo0))
    }

    /// What the pairs played so far say.
    pub fn verdict(&self, pairs: &Pairs) -> Verdict {
        let (low, high) = self.bounds();
        match self.log_likelihood_ratio(pairs) {
            ratio if ratio <= low => Verdict::AcceptH0,
            ratio if ratio >= high => Verdict::AcceptH1,
            _ => Verdict::Continue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::difference;
    use tesuji_core::Stream;

    #[test]
    fn bounds_are_walds() {
        let (low, high) = Sprt::default().bounds();
        assert!((low + 2.944_439).abs() < 1e-6 && (high - 2.944_439).abs() < 1e-6);
    }

    #[test]
    fn the_ratio_is_close_to_the_normal_approximation() {
        // With many pairs, LLR = n (s1 - s0) (2 m - s0 - s1) / (2 var): the normal approximation of fishtest's notes.
        let pairs = Pairs { counts: [100, 2000, 5000, 2200, 120] };
        let test = Sprt { elo0: 0.0, elo1: 2.0, ..Sprt::default() };
        let n = pairs.pairs() as f64;
        let mean: f64 = pairs.counts.iter().enumerate().map(|(i, &c)| c as f64 * i as f64 / 4.0).sum::<f64>() / n;
        let variance: f64 =
            pairs.counts.iter().enumerate().map(|(i, &c)| c as f64 * (i as f64 / 4.0 - mean).powi(2)).sum::<f64>() / n;
        let (s0, s1) = (expected_score(0.0), expected_score(2.0));
        let normal = n * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        assert!((test.log_likelihood_ratio(&pairs) - normal).abs() < 0.02 * normal.abs(), "{normal}");
    }

    #[test]
    fn the_ratio_is_what_fishtest_published() {
        // Stockfish pull requests 2493, 2951, 2971, 3098 and 3331, in 2020 and 2021, when bounds were logistic Elo.
        for (elo0, elo1, counts, published) in [
            (-1.0, 3.0, [424, 2948, 5832, 3045, 460], 2.94),
            (-0.5, 1.5, [59, 754, 2467, 865, 75], 2.95),
            (0.25, 1.75, [33, 1185, 8378, 1302, 50], 2.95),
            (-0.5, 1.5, [17, 253, 1042, 337, 39], 2.96),
            (0.25, 1.25, [53, 2220, 21459, 2445, 47], 2.97),
            (-0.25, 1.25, [115, 2196, 11328, 2317, 136], 2.94),
        ] {
            let ratio = Sprt { elo0, elo1, ..Sprt::default() }.log_likelihood_ratio(&Pairs { counts });
            assert!((ratio - published).abs() < 0.015, "{counts:?}: {ratio}, published {published}");
        }
    }

    #[test]
    fn error_rates_are_kept() {
        let test = Sprt { elo0: 0.0, elo1: 30.0, alpha: 0.05, beta: 0.05 };
        for (elo, wrong) in [(0.0, Verdict::AcceptH1), (30.0, Verdict::AcceptH0)] {
            let trials = 400;
            let mut mistakes = 0;
            for trial in 0..trials {
                let mut random = Stream::new(5, "sprt", trial);
                let mut pairs = Pairs::default();
                let verdict = loop {
                    let mut play = || {
                        let u = random.unit();
                        let mean = expected_score(elo);
                        // 40% draws.
                        if u < mean - 0.2 {
                            1.0
                        } else if u < mean + 0.2 {
                            0.5
                        } else {
                            0.0
                        }
                    };
                    pairs.add(play(), play());
                    match test.verdict(&pairs) {
                        Verdict::Continue => {}
                        verdict => break verdict,
                    }
                };
                mistakes += u64::from(verdict == wrong);
            }
            // 5% of 400 is 20; three standard errors are 13.
            assert!(mistakes <= 33, "{mistakes} mistakes at {elo} (true {})", difference(expected_score(elo)));
        }
    }
}
