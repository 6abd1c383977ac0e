//! A ladder of many players: who meets whom next, and how they stand.
//!
//! A game says most about two players when nobody knows who will win it. So whoever has played least meets the player
//! whose rating is nearest, a little farther away each time they have met before. A new player begins in the middle, and
//! each of its first games halves, roughly, where it may belong.

use crate::matches::GameResult;
use crate::rating::{self, Meeting, Ratings};
use crate::score::Score;
use std::collections::BTreeMap;
use tesuji_core::Side;

/// Elo by which an opponent counts as farther away for every game that was played against it.
const STALE: f64 = 12.0;

/// The games of two players: those in which the lower number moved first, and the others, for whoever moved first.
type Between = [Score; 2];

/// The results of a ladder so far.
#[derive(Clone, Debug)]
pub struct Standings {
    players: usize,
    /// By the numbers of two players, the lower one first.
    between: BTreeMap<(usize, usize), Between>,
}

impl Standings {
    /// So many players before their first game.
    pub fn new(players: usize) -> Standings {
        Standings { players, between: BTreeMap::new() }
    }

    /// Enters all games of two players (players 0 and 1 of the results), in place of those that were entered before.
    ///
    /// # Panics
    /// If there is no such player, or it plays itself.
    pub fn set(&mut self, (a, b): (usize, usize), results: &[GameResult]) {
        assert!(a < b && b < self.players, "players are numbered, the lower number first");
        let mut scores = Between::default();
        for result in results {
            scores[result.first].add(result.outcome, Side::First);
        }
        self.between.insert((a, b), scores);
    }

    /// Games of two players against each other.
    pub fn games_between(&self, a: usize, b: usize) -> u64 {
        self.between.get(&(a.min(b), a.max(b))).map_or(0, |scores| scores.iter().map(Score::games).sum())
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.between.values().flatten().map(Score::games).sum()
    }

    /// The games of a player, as it counts them.
    pub fn total(&self, player: usize) -> Score {
        let mut total = Score::default();
        for &(a, b) in self.between.keys().filter(|&&(a, b)| a == player || b == player) {
            let score = self.score(player, if player == a { b } else { a });
            total.wins += score.wins;
            total.draws += score.draws;
            total.losses += score.losses;
        }
        total
    }

    /// The games of a player against another, as the first counts them.
    pub fn score(&self, player: usize, other: usize) -> Score {
        let lower = usize::from(player > other);
        let scores = self.between.get(&(player.min(other), player.max(other))).copied().unwrap_or_default();
        let (own, theirs) = (scores[lower], scores[1 - lower]);
        Score { wins: own.wins + theirs.losses, draws: own.draws + theirs.draws, losses: own.losses + theirs.wins }
    }

    /// The pairs that have met, the lower number first.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.between.keys().copied()
    }

    /// Ratings fitted to all games together.
    pub fn ratings(&self) -> Ratings {
        let both = self.between.iter().flat_map(|(&(a, b), scores)| {
            [Meeting { first: a, second: b, score: scores[0] }, Meeting { first: b, second: a, score: scores[1] }]
        });
        rating::fit(self.players, &both.collect::<Vec<_>>())
    }

    /// Who should meet next, the lower number first: the player with the fewest games, if those are less than `enough`,
    /// and the one whose games against it would say most. `None` if everybody has enough, or there is nobody to meet.
    pub fn next(&self, enough: u64) -> Option<(usize, usize)> {
        let seeker = (0..self.players).min_by_key(|&player| self.total(player).games())?;
        if self.total(seeker).games() >= enough {
            return None;
        }
        let ratings = self.ratings();
        let distance = |other: usize| {
            let elo = (ratings.players[seeker].elo - ratings.players[other].elo).abs();
            elo + STALE * self.games_between(seeker, other) as f64
        };
        let others = (0..self.players).filter(|&other| other != seeker);
        let nearest = others.min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        Some((seeker.min(nearest), seeker.max(nearest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::expected_score;
    use tesuji_core::{Outcome, Stream};

    fn game(index: usize, points: f64) -> GameResult {
        let first = index % 2;
        // Points of player 0.
        let winner = if (points == 1.0) == (first == 0) { Side::First } else { Side::Second };
        GameResult {
            index,
            first,
            start: "startpos".to_owned(),
            moves: Vec::new(),
            opening: 0,
            outcome: Outcome::Win(winner),
            ending: String::new(),
            spent: Vec::new(),
            costs: Default::default(),
        }
    }

    /// Plays a ladder of players of these strengths, blocks of four games; the standings, with the games of every pair.
    fn play(strengths: &[f64], enough: u64, seed: u64) -> Standings {
        let mut standings = Standings::new(strengths.len());
        let mut played: BTreeMap<(usize, usize), Vec<GameResult>> = BTreeMap::new();
        let mut random = Stream::new(seed, "ladder", 0);
        while let Some((a, b)) = standings.next(enough) {
            let results = played.entry((a, b)).or_default();
            for _ in 0..4 {
                let expected = expected_score(strengths[a] - strengths[b]);
                let points = f64::from(u8::from(random.unit() < expected));
                results.push(game(results.len(), points));
            }
            standings.set((a, b), results);
        }
        standings
    }

    #[test]
    fn games_are_counted_for_both_sides() {
        let mut standings = Standings::new(3);
        let results: Vec<GameResult> = [1.0, 0.0, 1.0].into_iter().enumerate().map(|(i, p)| game(i, p)).collect();
        standings.set((0, 2), &results);
        assert_eq!(standings.score(0, 2), Score { wins: 2, draws: 0, losses: 1 });
        assert_eq!(standings.score(2, 0), Score { wins: 1, draws: 0, losses: 2 });
        assert_eq!((standings.games(), standings.games_between(2, 0), standings.total(1).games()), (3, 3, 0));
        // The same games again, and one more, in their place.
        standings.set((0, 2), &[results, vec![game(3, 1.0)]].concat());
        assert_eq!((standings.games(), standings.total(2)), (4, Score { wins: 1, draws: 0, losses: 3 }));
        assert_eq!(standings.pairs().collect::<Vec<_>>(), [(0, 2)]);
    }

    #[test]
    fn neighbours_meet_and_end_up_in_order() {
        let strengths = [0.0, 900.0, 300.0, 1500.0, 600.0, 1200.0];
        let standings = play(&strengths, 80, 1);
        assert!((0..6).all(|player| standings.total(player).games() >= 80));
        let ratings = standings.ratings();
        let mut order: Vec<usize> = (0..6).collect();
        order.sort_by(|&a, &b| ratings.players[a].elo.total_cmp(&ratings.players[b].elo));
        assert_eq!(order, [0, 2, 4, 1, 5, 3]);
        // Most games are between neighbours of the true order.
        let near: u64 = order.windows(2).map(|pair| standings.games_between(pair[0], pair[1])).sum();
        assert!(2 * near > standings.games(), "{near} of {}", standings.games());
    }

    #[test]
    fn a_new_player_is_placed_with_few_games() {
        let mut strengths: Vec<f64> = (0..8).map(|place| f64::from(place) * 200.0).collect();
        let before = play(&strengths, 60, 2);
        strengths.push(1100.0);
        let mut standings = Standings { players: 9, ..before.clone() };
        let mut random = Stream::new(3, "new", 0);
        let mut played: BTreeMap<(usize, usize), Vec<GameResult>> = BTreeMap::new();
        while let Some((a, b)) = standings.next(40) {
            assert_eq!(b, 8, "only the new one has something to prove");
            let results = played.entry((a, b)).or_default();
            for _ in 0..4 {
                let expected = expected_score(strengths[a] - strengths[b]);
                results.push(game(results.len(), f64::from(u8::from(random.unit() < expected))));
            }
            standings.set((a, b), results);
        }
        assert_eq!(standings.games() - before.games(), 40);
        let ratings = standings.ratings();
        let elo = |player: usize| ratings.players[player].elo;
        assert!(elo(8) > elo(3) && elo(8) < elo(7), "{ratings:?}");
        assert_eq!(standings.next(40), None);
        assert_eq!(Standings::new(1).next(10), None);
        assert_eq!(Standings::new(0).next(10), None);
    }
}
