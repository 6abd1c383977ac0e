//! When to begin another iteration, where a clock is played.

use crate::score::Score;
use std::time::Duration;

/// Watches the iterations of a search that aims at a soft limit.
///
/// It takes less time where the best move has long been the same, and more where it changes or its score falls. An
/// iteration that can hardly end in time is not begun: it takes at least as long as the one before.
#[derive(Debug)]
pub struct Pace {
    soft: Duration,
    /// A fall of the score by so much is a great one.
    fall: Score,
    /// When the last iteration ended, its move and its score.
    last: Option<(Duration, u32, Score)>,
    /// Changes of the best move, the latest counting most.
    changes: f64,
}

/// The share of the soft limit for a move that is clear.
const CLEAR: f64 = 0.6;
/// What is added to it for a change of the best move in the last iteration; a change before that counts half, and so on.
const CHANGE: f64 = 0.7;
/// What is added for a great fall of the score.
const FALL: f64 = 0.8;

impl Pace {
    /// Begins a search that aims at this time; `unit` is a small difference of scores.
    pub fn new(soft: Duration, unit: Score) -> Pace {
        Pace { soft, fall: 2 * unit, last: None, changes: 0.0 }
    }

    /// Whether to begin another iteration, after one that ended `elapsed` after the start with this move and score for the
    /// side to move.
    pub fn goes_on(&mut self, elapsed: Duration, best: u32, score: Score) -> bool {
        let (before, move_before, score_before) = self.last.unwrap_or((Duration::ZERO, best, score));
        self.last = Some((elapsed, best, score));
        self.changes = self.changes / 2.0 + if best == move_before { 0.0 } else { 1.0 };
        let fall = f64::from(score_before.saturating_sub(score)) / f64::from(self.fall.max(1));
        let target = self.soft.mul_f64(CLEAR + CHANGE * self.changes + FALL * fall.clamp(0.0, 1.0));
        elapsed + elapsed.saturating_sub(before) <= target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// When a search of one second ends whose iterations take twice as long each time, from one millisecond on: after which
    /// iteration, with these moves and scores.
    fn iterations(moves: &[u32], scores: &[Score]) -> usize {
        let mut pace = Pace::new(1000 * MS, 50);
        let mut elapsed = Duration::ZERO;
        for number in 0..20 {
            elapsed += MS * (1 << number);
            if !pace.goes_on(elapsed, moves[number % moves.len()], scores[number % scores.len()]) {
                return number;
            }
        }
        20
    }

    #[test]
    fn a_clear_move_takes_less_and_an_unclear_one_more() {
        // 511 ms are over after iteration 8, and the next one would end at 1023.
        assert_eq!(iterations(&[7], &[30]), 8);
        assert_eq!(iterations(&[7, 8], &[30]), 10);
        // The score falls in every iteration.
        let falling: Vec<Score> = (0..20).map(|number| -100 * number).collect();
        assert_eq!(iterations(&[7], &falling), 9);
        let rising: Vec<Score> = (0..20).map(|number| 100 * number).collect();
        assert_eq!(iterations(&[7], &rising), 8);
    }

    #[test]
    fn an_iteration_that_cannot_end_is_not_begun() {
        let mut pace = Pace::new(1000 * MS, 50);
        assert!(pace.goes_on(200 * MS, 1, 0));
        // 300 of 600 ms are over, but the last one took 100.
        assert!(pace.goes_on(300 * MS, 1, 0));
        assert!(!pace.goes_on(550 * MS, 1, 0));
    }

    #[test]
    fn scores_of_any_size_do_no_harm() {
        let mut pace = Pace::new(MS, 0);
        for score in [Score::MAX, Score::MIN, 0] {
            pace.goes_on(Duration::ZERO, 1, score);
        }
        assert!(pace.goes_on(Duration::ZERO, 1, 0));
    }
}
