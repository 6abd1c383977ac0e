//! Tournaments: pairings and crosstables.

use crate::matches::GameResult;
use crate::rating::{self, Meeting, Ratings};
use crate::score::Score;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tesuji_core::{ParseError, Side};

/// The pairings of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Round-robin: every player meets every other.
    RoundRobin,
    /// Gauntlet: the first player meets every other.
    Gauntlet,
}

impl Format {
    /// The pairings of `players` players: each is one match.
    pub fn pairings(self, players: usize) -> Vec<(usize, usize)> {
        let everybody = (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b)));
        match self {
            Format::RoundRobin => everybody.collect(),
            Format::Gauntlet => everybody.filter(|&(a, _)| a == 0).collect(),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet => "gauntlet",
        })
    }
}

impl FromStr for Format {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Format, ParseError> {
        [Format::RoundRobin, Format::Gauntlet]
            .into_iter()
            .find(|format| format.to_string() == text)
            .ok_or_else(|| ParseError::new("tournament format", text, "expected `round-robin` or `gauntlet`"))
    }
}

/// The crosstable: the score of every player against every other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crosstable {
    /// `scores[a][b]`: the games of `a` against `b`, as `a` counts them.
    pub scores: Vec<Vec<Score>>,
    meetings: Vec<Meeting>,
}

impl Crosstable {
    /// An empty table.
    pub fn new(players: usize) -> Crosstable {
        Crosstable { scores: vec![vec![Score::default(); players]; players], meetings: Vec::new() }
    }

    /// Enters the games of the match between players `a` and `b` (players 0 and 1 of its results).
    ///
    /// # Panics
    /// If there is no such player.
    pub fn add(&mut self, (a, b): (usize, usize), results: &[GameResult]) {
        for (first, second, number) in [(a, b, 0), (b, a, 1)] {
            let mut score = Score::default();
            for result in results.iter().filter(|result| result.first == number) {
                score.add(result.outcome, Side::First);
                self.scores[first][second].add(result.outcome, Side::First);
                self.scores[second][first].add(result.outcome, Side::Second);
            }
            self.meetings.push(Meeting { first, second, score });
        }
    }

    /// All games of a player.
    pub fn total(&self, player: usize) -> Score {
        self.scores[player].iter().fold(Score::default(), |sum, score| Score {
            wins: sum.wins + score.wins,
            draws: sum.draws + score.draws,
            losses: sum.losses + score.losses,
        })
    }

    /// Ratings fitted to all games together.
    pub fn ratings(&self) -> Ratings {
        rating::fit(self.scores.len(), &self.meetings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Outcome;

    fn result(index: usize, outcome: Outcome) -> GameResult {
        GameResult {
            index,
            first: index % 2,
            start: "startpos".to_owned(),
            moves: Vec::new(),
            opening: 0,
            outcome,
            ending: String::new(),
            spent: Vec::new(),
            costs: Default::default(),
        }
    }

    #[test]
    fn everybody_meets_everybody_once() {
        assert_eq!(Format::RoundRobin.pairings(3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(Format::Gauntlet.pairings(3), [(0, 1), (0, 2)]);
        assert_eq!("gauntlet".parse(), Ok(Format::Gauntlet));
        assert!("swiss".parse::<Format>().is_err());
    }

    #[test]
    fn games_count_for_both_players() {
        let mut table = Crosstable::new(3);
        // Player 2 wins as first and as second, then a draw.
        let games =
            [result(0, Outcome::Win(Side::Second)), result(1, Outcome::Win(Side::First)), result(2, Outcome::Draw)];
        table.add((1, 2), &games);
        assert_eq!(table.scores[2][1], Score { wins: 2, draws: 1, losses: 0 });
        assert_eq!(table.total(1), Score { wins: 0, draws: 1, losses: 2 });
        let ratings = table.ratings();
        assert!(ratings.players[2].elo > ratings.players[1].elo + 50.0, "{ratings:?}");
        assert!(ratings.players[0].elo.abs() < 1e-6);
    }
}
