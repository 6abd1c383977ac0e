//! Results of a match.

use serde::{Deserialize, Serialize};
use tesuji_core::{Outcome, Side};

/// Games won, drawn and lost by one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Score {
    /// Counts one game that ended with `outcome` for the player of `side`.
    pub fn add(&mut self, outcome: Outcome, side: Side) {
        match outcome {
            Outcome::Draw => self.draws += 1,
            Outcome::Win(winner) if winner == side => self.wins += 1,
            Outcome::Win(_) => self.losses += 1,
        }
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points for each game, in 0..=1; 0.5 before the first game.
    pub fn mean(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + 0.5 * self.draws as f64) / games as f64,
        }
    }

    /// The share of games won, whatever became of the others; 0 before the first game.
    pub fn win_share(&self) -> f64 {
        self.wins as f64 / self.games().max(1) as f64
    }

    /// The same games as the opponent counts them.
    #[must_use]
    pub fn reversed(&self) -> Score {
        Score { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Losses, draws and wins as counts of the points 0, 1/2 and 1.
    pub(crate) fn counts(&self) -> [f64; 3] {
        [self.losses as f64, self.draws as f64, self.wins as f64]
    }
}

/// Pairs of games from one opening with the colours swapped, counted by the points that one player took of the two:
/// 0, 1/2, 1, 3/2, 2 (the *pentanomial* counts).
///
/// The two games of a pair are not independent: an opening that favours one colour makes them cancel. Counting pairs
/// keeps intervals correct, usually narrower, where counting games does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs {
    /// Number of pairs with 0, 1/2, 1, 3/2 and 2 points.
    pub counts: [u64; 5],
}

impl Pairs {
    /// Counts one pair by the player's points in its two games (1, 0.5 or 0 each).
    pub fn add(&mut self, first: f64, second: f64) {
        let half_points = (2.0 * (first + second)).round().clamp(0.0, 4.0) as usize;
        self.counts[half_points] += 1;
    }

    /// Pairs played.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(crate) fn counts(&self) -> [f64; 5] {
        self.counts.map(|count| count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_count_from_the_players_side() {
        let mut score = Score::default();
        score.add(Outcome::Win(Side::First), Side::First);
        score.add(Outcome::Win(Side::First), Side::Second);
        score.add(Outcome::Draw, Side::Second);
        score.add(Outcome::Win(Side::Second), Side::Second);
        assert_eq!(score, Score { wins: 2, draws: 1, losses: 1 });
        assert_eq!(score.mean(), 0.625);
        assert_eq!(score.reversed().mean(), 0.375);
    }

    #[test]
    fn pairs_count_half_points() {
        let mut pairs = Pairs::default();
        for (a, b) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 0.5), (1.0, 0.5), (1.0, 1.0)] {
            pairs.add(a, b);
        }
        assert_eq!(pairs.counts, [1, 1, 2, 1, 1]);
    }
}
