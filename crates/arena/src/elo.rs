//! Elo differences with intervals.

use crate::multinomial;
use crate::score::{Pairs, Score};
use serde::{Deserialize, Serialize};

/// An Elo difference with its 95% interval; infinite where the games do not bound it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elo {
    /// The difference that the score corresponds to.
    pub difference: f64,
    /// Lower end of the 95% interval.
    pub low: f64,
    /// Upper end of the 95% interval.
    pub high: f64,
}

/// The Elo difference at which a player is expected to score `mean` points a game: -400 log10(1/mean - 1).
pub fn difference(mean: f64) -> f64 {
    -400.0 * (1.0 / mean.clamp(0.0, 1.0) - 1.0).log10()
}

/// The expected points a game of a player who is `difference` Elo stronger (the inverse of [`difference`]).
pub fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-difference / 400.0))
}

/// Elo from games counted one by one: right if the games are independent.
pub fn from_games(score: &Score) -> Elo {
    interval(score.counts())
}

/// Elo from colour-swapped pairs: right if the pairs are independent.
pub fn from_pairs(pairs: &Pairs) -> Elo {
    interval(pairs.counts())
}

/// The interval of all means whose likelihood is not significantly below the best one.
///
/// Twice the log-likelihood ratio is close to chi-squared with one degree of freedom, whose 95% point is 3.841. Unlike
/// mean +- 1.96 standard errors, this stays inside 0..1 and keeps its coverage in lopsided matches.
fn interval<const K: usize>(counts: [f64; K]) -> Elo {
    const HALF_CHI_SQUARED_95: f64 = 3.841_458_8 / 2.0;
    let games: f64 = counts.iter().sum();
    if games == 0.0 {
        return Elo { difference: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let best_mean = multinomial::mean(counts);
    let best = multinomial::log_likelihood(counts, best_mean);
    let is_plausible = |mean: f64| games * (best - multinomial::log_likelihood(counts, mean)) <= HALF_CHI_SQUARED_95;
    // Bisection between the observed mean, which is plausible, and an end of the scale, which is not.
    let bound = |end: f64| {
        let (mut plausible, mut implausible) = (best_mean, end);
        for _ in 0..60 {
            let middle = 0.5 * (plausible + implausible);
            if is_plausible(middle) { plausible = middle } else { implausible = middle }
        }
        plausible
    };
    let observed = counts.iter().enumerate().map(|(i, count)| count * i as f64).sum::<f64>() / (K - 1) as f64 / games;
    let all_won = observed == 1.0;
    let all_lost = observed == 0.0;
    Elo {
        difference: difference(observed),
        low: if all_lost { f64::NEG_INFINITY } else { difference(bound(0.0)) },
        high: if all_won { f64::INFINITY } else { difference(bound(1.0)) },
    }
}

/// The 95% interval (Wilson's) of a share of which `successes` of `trials` were seen; 0 to 1 before the first trial.
pub fn wilson(successes: u64, trials: u64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (n, z) = (trials as f64, 1.959_963_984_540_054);
    let p = successes as f64 / n;
    let (centre, scale) = (p + z * z / (2.0 * n), 1.0 + z * z / n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0))
}

/// The probability that the player is the stronger one, given the wins and losses (draws say nothing about it):
/// Phi((wins - losses) / sqrt(wins + losses)).
pub fn likelihood_of_superiority(score: &Score) -> f64 {
    let (wins, losses) = (score.wins as f64, score.losses as f64);
    if wins + losses == 0.0 { 0.5 } else { normal_cdf((wins - losses) / (wins + losses).sqrt()) }
}

/// The standard normal distribution function.
fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Stream;

    #[test]
    fn shares_have_known_intervals() {
        let close = |(low, high): (f64, f64), a: f64, b: f64| (low - a).abs() < 5e-4 && (high - b).abs() < 5e-4;
        assert!(close(wilson(0, 10), 0.0, 0.2775), "{:?}", wilson(0, 10));
        assert!(close(wilson(8, 10), 0.4902, 0.9433), "{:?}", wilson(8, 10));
        assert!(close(wilson(500, 1000), 0.4691, 0.5309), "{:?}", wilson(500, 1000));
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn known_values() {
        assert!((difference(0.75) - 190.85).abs() < 0.01);
        assert!((expected_score(100.0) - 0.640_06).abs() < 1e-5);
        assert!((normal_cdf(1.96) - 0.975_002).abs() < 1e-6);
        assert!((normal_cdf(-1.0) - 0.158_655).abs() < 1e-6);
        let superior = likelihood_of_superiority(&Score { wins: 60, draws: 100, losses: 40 });
        assert!((superior - 0.977_25).abs() < 1e-4);
    }

    #[test]
    fn extreme_scores_have_one_open_end() {
        let won = from_games(&Score { wins: 20, draws: 0, losses: 0 });
        assert_eq!((won.difference, won.high), (f64::INFINITY, f64::INFINITY));
        // s^20 = exp(-1.92) at s = 0.908.
        assert!((won.low - difference(0.908)).abs() < 2.0, "{won:?}");
        let nothing = from_games(&Score::default());
        assert_eq!((nothing.low, nothing.high), (f64::NEG_INFINITY, f64::INFINITY));
    }

    /// Plays `trials` matches of `pairs` pairs with known win and draw chances for each game of a pair; returns how
    /// often the interval held the truth.
    fn coverage(chances: [(f64, f64); 2], pairs: usize, trials: u64) -> f64 {
        let truth = difference(chances.iter().map(|(win, draw)| win + 0.5 * draw).sum::<f64>() / 2.0);
        let mut covered = 0;
        for trial in 0..trials {
            let mut random = Stream::new(1, "coverage", trial);
            let mut counted = Pairs::default();
            for _ in 0..pairs {
                let mut points = chances.map(|(win, draw)| {
                    let u = random.unit();
                    if u < win {
                        1.0
                    } else if u < win + draw {
                        0.5
                    } else {
                        0.0
                    }
                });
                points.sort_by(f64::total_cmp);
                counted.add(points[0], points[1]);
            }
            let elo = from_pairs(&counted);
            covered += u64::from(elo.low <= truth && truth <= elo.high);
        }
        covered as f64 / trials as f64
    }

    #[test]
    fn intervals_cover_the_truth_95_times_in_100() {
        // Even, biased by colour, and lopsided matches; 2000 trials have a standard error of 0.5%.
        for chances in [[(0.3, 0.4), (0.3, 0.4)], [(0.6, 0.3), (0.1, 0.3)], [(0.9, 0.05), (0.85, 0.1)]] {
            let share = coverage(chances, 100, 2000);
            assert!((0.935..=0.965).contains(&share), "{chances:?}: {share}");
        }
    }
}
