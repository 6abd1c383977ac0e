//! Numbers with what is known of their error, and differences of them.

use crate::distribution::{beta_quantile, student_bound};
use serde::{Deserialize, Serialize};

/// The share of cases in which an interval misses the truth: 5%.
pub const LEVEL: f64 = 0.05;

/// A number with what is known of its error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Quantity {
    /// Known without error: a count, a number that a paper prints, a bound.
    Exact(f64),
    /// Measured once: nothing is known of its error.
    Single(f64),
    /// A share of trials: games won; points of games, in which a draw is half a hit.
    Share {
        /// Hits, from 0 to `of`.
        hits: f64,
        /// Trials.
        of: f64,
    },
    /// A mean of independent measurements.
    Mean {
        /// The mean.
        mean: f64,
        /// Their standard deviation.
        deviation: f64,
        /// How many.
        count: f64,
    },
}

impl Quantity {
    /// The mean of measurements; one of them alone has no error that is known.
    pub fn of(numbers: &[f64]) -> Option<Quantity> {
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        match numbers {
            [] => None,
            [one] => Some(Quantity::Single(*one)),
            _ => {
                let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
                Some(Quantity::Mean { mean, deviation: (squares / (count - 1.0)).sqrt(), count })
            }
        }
    }

    /// The number.
    pub fn value(&self) -> f64 {
        match *self {
            Quantity::Exact(value) | Quantity::Single(value) => value,
            Quantity::Share { hits, of } => hits / of.max(f64::MIN_POSITIVE),
            Quantity::Mean { mean, .. } => mean,
        }
    }

    /// The 95% interval.
    pub fn interval(&self) -> (f64, f64) {
        self.interval_at(LEVEL)
    }

    /// The interval that misses the truth with probability `level` or less; infinite where nothing bounds it.
    ///
    /// Shares: Clopper and Pearson's, which keeps what it promises for every number of trials; points with draws vary
    /// less than hits of the same mean, so it is a little too wide for them. Means: Student's.
    pub fn interval_at(&self, level: f64) -> (f64, f64) {
        match *self {
            Quantity::Exact(value) => (value, value),
            Quantity::Single(_) => (f64::NEG_INFINITY, f64::INFINITY),
            Quantity::Share { hits, of } => {
                let misses = (of - hits).max(0.0);
                let low = if hits <= 0.0 { 0.0 } else { beta_quantile(0.5 * level, hits, misses + 1.0) };
                let high = if misses <= 0.0 { 1.0 } else { beta_quantile(1.0 - 0.5 * level, hits + 1.0, misses) };
                (low, high)
            }
            Quantity::Mean { count, .. } if count < 2.0 => (f64::NEG_INFINITY, f64::INFINITY),
            Quantity::Mean { mean, deviation, count } => {
                let half = student_bound(level, count - 1.0) * deviation / count.sqrt();
                (mean - half, mean + half)
            }
        }
    }

    /// The interval, where something bounds it.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        let (low, high) = self.interval();
        (!matches!(self, Quantity::Exact(_)) && low.is_finite() && high.is_finite()).then_some((low, high))
    }

    /// The same number measured several times, as one: shares are added up, numbers averaged.
    pub fn pool(all: &[Quantity]) -> Option<Quantity> {
        if let [one] = all {
            return Some(*one);
        }
        if let Some(mean) = Quantity::pool_means(all) {
            return Some(mean);
        }
        let mut sum = (0.0, 0.0);
        for quantity in all {
            let Quantity::Share { hits, of } = quantity else {
                return Quantity::of(&all.iter().map(Quantity::value).collect::<Vec<_>>());
            };
            sum = (sum.0 + hits, sum.1 + of);
        }
        (!all.is_empty()).then_some(Quantity::Share { hits: sum.0, of: sum.1 })
    }

    /// Means as one, over all of their measurements; `None` if one of them is something else.
    fn pool_means(all: &[Quantity]) -> Option<Quantity> {
        let (mut total, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for quantity in all {
            let Quantity::Mean { mean, deviation, count } = *quantity else { return None };
            total += count;
            sum += count * mean;
            squares += (count - 1.0) * deviation * deviation + count * mean * mean;
        }
        let mean = sum / total;
        let variance = (squares - total * mean * mean) / (total - 1.0);
        (total > 1.0).then(|| Quantity::Mean { mean, deviation: variance.max(0.0).sqrt(), count: total })
    }

    /// This less another: the difference and its interval, of the two intervals (Newcombe's method, MOVER).
    pub fn less(&self, other: &Quantity, level: f64) -> Difference {
        let (a, b) = (self.value(), other.value());
        let ((low_a, high_a), (low_b, high_b)) = (self.interval_at(level), other.interval_at(level));
        let difference = a - b;
        Difference {
            difference,
            low: difference - (a - low_a).hypot(high_b - b),
            high: difference + (high_a - a).hypot(b - low_b),
        }
    }

    /// The quantity in words: `98.7 [97.8, 99.2]`; shares in per cent if `percent`.
    pub fn text(&self, digits: usize, percent: bool) -> String {
        let scale = if percent { 100.0 } else { 1.0 };
        let number = |value: f64| format!("{:.digits$}", scale * value);
        match self.bounds() {
            Some((low, high)) => format!("{} [{}, {}]", number(self.value()), number(low), number(high)),
            None => number(self.value()),
        }
    }
}

/// A difference with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The difference.
    pub difference: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Difference {
    /// Whether the interval leaves zero out.
    pub fn is_significant(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Stream;

    #[test]
    fn shares_have_the_intervals_of_the_tables() {
        let close = |(low, high): (f64, f64), a: f64, b: f64| (low - a).abs() < 5e-4 && (high - b).abs() < 5e-4;
        let share = |hits: f64, of: f64| Quantity::Share { hits, of }.interval();
        assert!(close(share(8.0, 10.0), 0.4439, 0.9748), "{:?}", share(8.0, 10.0));
        assert!(close(share(0.0, 10.0), 0.0, 0.3085) && close(share(10.0, 10.0), 0.6915, 1.0));
        assert!(close(share(50.0, 100.0), 0.3983, 0.6017));
        let mean = Quantity::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        // 3 +- 2.776 * 1.5811 / sqrt(5).
        assert!(close(mean.interval(), 1.0368, 4.9632), "{:?}", mean.interval());
        assert_eq!(Quantity::Single(3.0).bounds(), None);
    }

    #[test]
    fn pooled_shares_are_sums_and_pooled_numbers_are_means() {
        let share = |hits| Quantity::Share { hits, of: 10.0 };
        assert_eq!(Quantity::pool(&[share(3.0), share(4.0)]), Some(Quantity::Share { hits: 7.0, of: 20.0 }));
        let pooled = Quantity::pool(&[Quantity::Single(1.0), Quantity::Single(3.0)]).unwrap();
        assert!(matches!(pooled, Quantity::Mean { mean: 2.0, count: 2.0, .. }));
        assert_eq!(Quantity::pool(&[]), None);
        // Two means are the mean of all that is behind them.
        let parts = [Quantity::of(&[1.0, 2.0, 3.0]).unwrap(), Quantity::of(&[4.0, 6.0]).unwrap()];
        let (Some(Quantity::Mean { mean, deviation, count }), Some(Quantity::Mean { deviation: whole, .. })) =
            (Quantity::pool(&parts), Quantity::of(&[1.0, 2.0, 3.0, 4.0, 6.0]))
        else {
            panic!("no mean");
        };
        assert!((mean - 3.2).abs() < 1e-12 && (deviation - whole).abs() < 1e-12 && count == 5.0);
    }

    /// Two players of known chances, many times: how often the interval of the difference of their shares holds the truth.
    #[test]
    fn differences_cover_the_truth() {
        for (p, q, games) in [(0.5, 0.5, 50), (0.9, 0.7, 100), (0.3, 0.25, 20)] {
            let mut covered = 0;
            for trial in 0..1000 {
                let mut random = Stream::new(1, "difference", trial);
                let mut play = |chance: f64| {
                    let hits = (0..games).filter(|_| random.unit() < chance).count() as f64;
                    Quantity::Share { hits, of: f64::from(games) }
                };
                let difference = play(p).less(&play(q), LEVEL);
                covered += u32::from(difference.low <= p - q && p - q <= difference.high);
            }
            assert!(covered >= 945, "{p} {q} {games}: {covered}");
        }
    }
}
