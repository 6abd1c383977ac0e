//! One rating from matches against opponents whose ratings are known.
//!
//! A player of rating R is expected to score E_i = 1 / (1 + 10^((r_i - R) / 400)) points a game against an opponent of
//! rating r_i. The likelihood of R is that of all matches together, each with the distribution of results that fits it
//! best among those with mean E_i: so draws and the colours' bias, which make scores more regular than coin throws,
//! narrow the interval as they should. R maximises it; the 95% interval holds every R whose likelihood is not
//! significantly lower (see [`crate::elo`]).

use crate::elo::{self, Elo};
use crate::multinomial;
use crate::score::{Pairs, Score};
use serde::{Deserialize, Serialize};

/// Half the 95% point of chi-squared with one degree of freedom.
pub(crate) const HALF_CHI_SQUARED_95: f64 = 3.841_458_8 / 2.0;
/// Ratings are looked for this far from the opponents': a score of one in 10^8.
pub(crate) const FAR: f64 = 3200.0;

/// A match against an opponent of known rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// The opponent's rating.
    pub opponent: f64,
    /// The games, for the player who is rated.
    pub score: Score,
    /// The colour-swapped pairs among them.
    pub pairs: Pairs,
}

/// How well one rating explains all matches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Sum of the squared differences between points and expected points, each over its variance.
    pub chi_squared: f64,
    /// Matches less one.
    pub freedom: usize,
    /// The probability of a sum at least as large if the rating explains everything.
    pub p: f64,
}

impl Match {
    /// The log-likelihood of a rating.
    fn log_likelihood(&self, rating: f64) -> f64 {
        // A mean of exactly 0 or 1 has no likelihood to speak of.
        let mean = elo::expected_score(rating - self.opponent).clamp(1e-12, 1.0 - 1e-12);
        let complete = self.pairs.pairs() >= 2 && 2 * self.pairs.pairs() == self.score.games();
        if complete {
            self.pairs.pairs() as f64 * multinomial::log_likelihood(self.pairs.counts(), mean)
        } else {
            self.score.games() as f64 * multinomial::log_likelihood(self.score.counts(), mean)
        }
    }

    /// The squared difference between points and expected points over its variance, by the share of draws that there was.
    fn deviation(&self, rating: f64) -> f64 {
        let games = self.score.games() as f64;
        let mean = elo::expected_score(rating - self.opponent);
        let draws = self.score.draws as f64 / games.max(1.0);
        let difference = games * (self.score.mean() - mean);
        // The variance of a game is the mean of its squared points less the square of their mean. More draws than the
        // mean allows would make it negative.
        let variance = games * (mean * (1.0 - mean) - 0.25 * draws).max(1e-3 * mean * (1.0 - mean));
        if difference == 0.0 { 0.0 } else { difference * difference / variance }
    }
}

/// The rating that explains the matches best, with its 95% interval; an end is infinite where the games do not bound it.
///
/// The field `difference` is the rating itself, on the opponents' scale.
pub fn rating(matches: &[Match]) -> Elo {
    let open = Elo { difference: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
    let played = || matches.iter().filter(|one| one.score.games() > 0);
    let lowest = played().map(|one| one.opponent).fold(f64::INFINITY, f64::min) - FAR;
    let highest = played().map(|one| one.opponent).fold(f64::NEG_INFINITY, f64::max) + FAR;
    if lowest > highest {
        return open;
    }
    let likelihood = |rating: f64| played().map(|one| one.log_likelihood(rating)).sum::<f64>();
    if played().all(|one| one.score.mean() == 1.0) {
        let low = bound(&likelihood, highest, lowest);
        return Elo { difference: f64::INFINITY, low, high: f64::INFINITY };
    }
    if played().all(|one| one.score.mean() == 0.0) {
        let high = bound(&likelihood, lowest, highest);
        return Elo { difference: f64::NEG_INFINITY, low: f64::NEG_INFINITY, high };
    }
    let best = maximum(&likelihood, lowest, highest);
    Elo { difference: best, low: bound(&likelihood, best, lowest), high: bound(&likelihood, best, highest) }
}

/// How well a rating explains the matches.
pub fn fit(matches: &[Match], rating: f64) -> Fit {
    let played = matches.iter().filter(|one| one.score.games() > 0);
    let deviations: Vec<f64> = played.map(|one| one.deviation(rating)).collect();
    let chi_squared = deviations.iter().sum();
    let freedom = deviations.len().saturating_sub(1);
    Fit { chi_squared, freedom, p: chi_squared_tail(chi_squared, freedom) }
}

/// Where a function with one maximum has it (golden section).
fn maximum(function: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..80 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if function(a) < function(b) { low = a } else { high = b }
    }
    0.5 * (low + high)
}

/// The last rating on the way from the best one to `end` that is not significantly less likely.
fn bound(likelihood: &dyn Fn(f64) -> f64, best: f64, end: f64) -> f64 {
    let least = likelihood(best) - HALF_CHI_SQUARED_95;
    let (mut plausible, mut implausible) = (best, end);
    for _ in 0..60 {
        let middle = 0.5 * (plausible + implausible);
        if likelihood(middle) >= least { plausible = middle } else { implausible = middle }
    }
    plausible
}

/// The probability that chi-squared with `freedom` degrees of freedom is at least `x`; 1 with none.
///
/// By the finite sums that the integral has for whole numbers of degrees.
fn chi_squared_tail(x: f64, freedom: usize) -> f64 {
    if freedom == 0 || x <= 0.0 {
        return 1.0;
    }
    let half = 0.5 * x;
    if freedom.is_multiple_of(2) {
        // exp(-x/2) sum of (x/2)^k / k! for k below freedom / 2.
        let mut term = (-half).exp();
        let mut sum = term;
        for k in 1..freedom / 2 {
            term *= half / k as f64;
            sum += term;
        }
        return sum.min(1.0);
    }
    // erfc(sqrt(x/2)) + exp(-x/2) sum of (x/2)^(k - 1/2) / Gamma(k + 1/2) for k from 1 to (freedom - 1) / 2.
    let mut term = (-half).exp() * (half / std::f64::consts::PI).sqrt() * 2.0;
    let mut sum = libm::erfc(half.sqrt());
    for k in 1..=(freedom - 1) / 2 {
        sum += term;
        term *= half / (k as f64 + 0.5);
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Stream;

    /// A match counted by games only.
    fn games(opponent: f64, wins: u64, draws: u64, losses: u64) -> Match {
        Match { opponent, score: Score { wins, draws, losses }, pairs: Pairs::default() }
    }

    #[test]
    fn one_opponent_gives_the_difference_of_the_score() {
        let rated = rating(&[games(1500.0, 75, 0, 25)]);
        let alone = elo::from_games(&Score { wins: 75, draws: 0, losses: 25 });
        assert!((rated.difference - 1690.85).abs() < 0.1, "{rated:?}");
        assert!((rated.low - 1500.0 - alone.low).abs() < 0.1 && (rated.high - 1500.0 - alone.high).abs() < 0.1);
        // And so do pairs.
        let pairs = Pairs { counts: [5, 10, 20, 40, 25] };
        let score = Score { wins: 100, draws: 70, losses: 30 };
        let paired = rating(&[Match { opponent: 2000.0, score, pairs }]);
        let alone = elo::from_pairs(&pairs);
        assert!((paired.difference - 2000.0 - elo::difference(0.675)).abs() < 0.1, "{paired:?}");
        assert!((paired.low - 2000.0 - alone.low).abs() < 0.1 && (paired.high - 2000.0 - alone.high).abs() < 0.1);
    }

    #[test]
    fn without_draws_it_is_the_logistic_maximum() {
        // The points are the expected points at the maximum: 60 + 30 = 100 (E(R - 1400) + E(R - 1600)), so that
        // R = 1500 + d with E(d + 100) + E(d - 100) = 0.9: d = -37.82.
        let rated = rating(&[games(1400.0, 60, 0, 40), games(1600.0, 30, 0, 70)]);
        let expected = elo::expected_score(rated.difference - 1400.0) + elo::expected_score(rated.difference - 1600.0);
        assert!((expected - 0.9).abs() < 1e-4, "{rated:?}");
        assert!((rated.difference - 1462.18).abs() < 0.1, "{rated:?}");
        // The standard error is 400 / ln 10 / sqrt(sum n E (1 - E)); the interval is nearly symmetric here.
        let information: f64 = [1400.0, 1600.0]
            .map(|opponent| elo::expected_score(rated.difference - opponent))
            .map(|mean| 100.0 * mean * (1.0 - mean))
            .iter()
            .sum();
        let half = 1.96 * 400.0 / std::f64::consts::LN_10 / information.sqrt();
        assert!((rated.high - rated.low - 2.0 * half).abs() < 1.5, "{rated:?} {half}");
    }

    #[test]
    fn all_won_or_lost_or_nothing_played_leaves_an_end_open() {
        let won = rating(&[games(1000.0, 20, 0, 0), games(1200.0, 10, 0, 0)]);
        assert_eq!((won.difference, won.high), (f64::INFINITY, f64::INFINITY));
        assert!(won.low > 1200.0 && won.low < 2000.0, "{won:?}");
        let lost = rating(&[games(1000.0, 0, 0, 20)]);
        assert_eq!((lost.difference, lost.low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        // s^20 = exp(-1.92) at s = 0.908.
        assert!((lost.high - 1000.0 + elo::difference(0.908)).abs() < 3.0, "{lost:?}");
        assert_eq!(rating(&[]).high, f64::INFINITY);
        // All lost here, all won there: the rating is between.
        let between = rating(&[games(1000.0, 20, 0, 0), games(2000.0, 0, 0, 20)]);
        assert!((between.difference - 1500.0).abs() < 5.0, "{between:?}");
    }

    #[test]
    fn known_tails_of_chi_squared() {
        // The usual tables.
        for (x, freedom, p) in [
            (3.841, 1, 0.05),
            (5.991, 2, 0.05),
            (7.815, 3, 0.05),
            (9.488, 4, 0.05),
            (11.070, 5, 0.05),
            (15.086, 5, 0.01),
            (18.307, 10, 0.05),
            (4.605, 2, 0.10),
        ] {
            assert!((chi_squared_tail(x, freedom) - p).abs() < 1e-4, "{x} {freedom}");
        }
        assert_eq!((chi_squared_tail(0.0, 3), chi_squared_tail(5.0, 0)), (1.0, 1.0));
    }

    #[test]
    fn a_rating_that_explains_nothing_is_told() {
        // Beats the strong one and loses to the weak one.
        let odd = [games(1400.0, 20, 0, 80), games(1600.0, 80, 0, 20)];
        assert!(fit(&odd, rating(&odd).difference).p < 1e-6);
        let even = [games(1400.0, 60, 0, 40), games(1600.0, 36, 0, 64)];
        let fit = fit(&even, rating(&even).difference);
        assert!(fit.p > 0.3 && fit.freedom == 1, "{fit:?}");
    }

    #[test]
    fn intervals_cover_the_truth_95_times_in_100_and_fits_are_rejected_5_times() {
        let (truth, opponents, draws) = (1540.0, [1350.0, 1500.0, 1700.0], 0.3);
        let (mut covered, mut rejected) = (0, 0);
        let trials = 1000;
        for trial in 0..trials {
            let mut random = Stream::new(1, "performance", trial);
            let matches = opponents.map(|opponent| {
                let mean = elo::expected_score(truth - opponent);
                // As many draws as the weaker side's points allow.
                let draw = draws * 2.0 * mean.min(1.0 - mean);
                let mut points = || {
                    let u = random.unit();
                    if u < mean - 0.5 * draw {
                        1.0
                    } else if u < mean + 0.5 * draw {
                        0.5
                    } else {
                        0.0
                    }
                };
                let (mut score, mut pairs) = (Score::default(), Pairs::default());
                for _ in 0..50 {
                    let pair = [points(), points()];
                    pairs.add(pair[0], pair[1]);
                    for points in pair {
                        score.wins += u64::from(points == 1.0);
                        score.draws += u64::from(points == 0.5);
                        score.losses += u64::from(points == 0.0);
                    }
                }
                Match { opponent, score, pairs }
            });
            let rated = rating(&matches);
            covered += u64::from(rated.low <= truth && truth <= rated.high);
            rejected += u64::from(fit(&matches, rated.difference).p < 0.05);
        }
        // The standard error is 7 in 1000.
        assert!((928..=972).contains(&covered), "{covered}");
        assert!((25..=75).contains(&rejected), "{rejected}");
    }
}
