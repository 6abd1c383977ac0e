//! Ratings on a scale that is known at one end only: a ladder.
//!
//! Some players have known ratings, the anchors: settings of an engine. The others, the rungs and whoever is rated, have
//! met each other and some of the anchors. All ratings are fitted together by maximum likelihood; so a player far below
//! the lowest anchor is rated through those between, with an interval that holds what is uncertain about every match on
//! the way: one rating's interval is where the likelihood, the others fitted anew, is not significantly lower (a profile
//! likelihood).
//!
//! A match of n games with mean score s counts as n / phi games that are won or lost: n / phi (s ln E + (1 - s) ln(1 - E))
//! with E the expected score. phi is the variance of a game's points over s (1 - s): below 1 where draws and swapped
//! colours make scores more regular than coin throws (a quasi-likelihood; Wedderburn 1974).

use crate::elo::{Elo, expected_score};
use crate::performance::{FAR, HALF_CHI_SQUARED_95};
use crate::score::{Pairs, Score};

/// A match between two players of a ladder, as the first counts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The number of the first player.
    pub first: usize,
    /// The number of the second player.
    pub second: usize,
    /// The games, for the first player.
    pub score: Score,
    /// The colour-swapped pairs among them.
    pub pairs: Pairs,
}

/// Players and their matches.
#[derive(Clone, Debug, Default)]
pub struct Ladder {
    /// The known rating of each player; none if it is to be fitted.
    anchors: Vec<Option<f64>>,
    meetings: Vec<Meeting>,
}

/// How often all ratings are gone through, at most: each time the rest of the way shrinks by a factor.
const ROUNDS: usize = 400;
/// Ratings that move less than this in a round are fitted.
const STILL: f64 = 1e-3;
/// The longest step of a rating.
const LONGEST_STEP: f64 = 200.0;
/// The bounds of phi: a few games that are all drawn do not make a match certain.
const LEAST_DISPERSION: f64 = 0.1;
const MOST_DISPERSION: f64 = 2.0;

impl Ladder {
    /// A ladder of players with these known ratings, before any match.
    pub fn new(anchors: Vec<Option<f64>>) -> Ladder {
        Ladder { anchors, meetings: Vec::new() }
    }

    /// Enters a match; one without games says nothing.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn add(&mut self, meeting: Meeting) {
        assert!(meeting.first.max(meeting.second) < self.anchors.len(), "players are numbered");
        if meeting.score.games() > 0 {
            self.meetings.push(meeting);
        }
    }

    /// The rating of every player, the known ones as they are. The field `difference` is the rating itself. An end of
    /// an interval is infinite where the games do not bound it: of a player who lost every game, say, or whom no chain
    /// of matches joins to a player of known rating.
    pub fn ratings(&self) -> Vec<Elo> {
        let best = self.fitted(None);
        (0..self.anchors.len()).map(|player| self.rating(player, &best)).collect()
    }

    fn rating(&self, player: usize, best: &[f64]) -> Elo {
        if let Some(rating) = self.anchors[player] {
            return Elo { difference: rating, low: rating, high: rating };
        }
        let least = self.log_likelihood(best) - HALF_CHI_SQUARED_95;
        let plausible = |rating: f64| self.log_likelihood(&self.fitted(Some((player, rating, best)))) >= least;
        let [low, high] = [-1.0, 1.0].map(|sign| {
            let end = best[player] + sign * FAR;
            if plausible(end) {
                return sign * f64::INFINITY;
            }
            let (mut near, mut far) = (best[player], end);
            // To a tenth of a point.
            while (far - near).abs() > 0.1 {
                let middle = 0.5 * (near + far);
                if plausible(middle) { near = middle } else { far = middle }
            }
            near
        });
        let points = self.meetings.iter().filter_map(|meeting| match player {
            _ if meeting.first == player => Some(meeting.score.mean()),
            _ if meeting.second == player => Some(1.0 - meeting.score.mean()),
            _ => None,
        });
        let (mut won, mut lost) = (true, true);
        points.for_each(|mean| (won, lost) = (won && mean == 1.0, lost && mean == 0.0));
        // Whoever won or lost everything is beyond all others by nobody knows how much.
        let difference = match (won, lost) {
            (true, false) => f64::INFINITY,
            (false, true) => f64::NEG_INFINITY,
            _ => best[player],
        };
        Elo { difference, low, high }
    }

    /// The most likely ratings; with one of them held at a value, starting from ratings that are known to be good.
    fn fitted(&self, held: Option<(usize, f64, &[f64])>) -> Vec<f64> {
        let known: Vec<f64> = self.anchors.iter().flatten().copied().collect();
        let middle = if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
        let mut ratings: Vec<f64> = self.anchors.iter().map(|anchor| anchor.unwrap_or(middle)).collect();
        if let Some((player, rating, start)) = held {
            ratings.copy_from_slice(start);
            ratings[player] = rating;
        }
        let free = |player: usize| self.anchors[player].is_none() && held.is_none_or(|(other, ..)| other != player);
        for _ in 0..ROUNDS {
            let mut moved = 0.0_f64;
            for player in (0..ratings.len()).filter(|&player| free(player)) {
                let next = self.step(player, &ratings);
                moved = moved.max((next - ratings[player]).abs());
                ratings[player] = next;
            }
            if moved < STILL {
                break;
            }
        }
        ratings
    }

    /// The rating of a player after a step towards the most likely one, the others being what they are (Newton's).
    fn step(&self, player: usize, ratings: &[f64]) -> f64 {
        let slope = std::f64::consts::LN_10 / 400.0;
        let (mut gradient, mut curvature) = (0.0, 0.0);
        for meeting in &self.meetings {
            let sign = match player {
                _ if meeting.first == player => 1.0,
                _ if meeting.second == player => -1.0,
                _ => continue,
            };
            let expected = expected_score(ratings[meeting.first] - ratings[meeting.second]);
            gradient += sign * meeting.weight() * (meeting.score.mean() - expected);
            curvature += meeting.weight() * expected * (1.0 - expected);
        }
        if gradient == 0.0 {
            return ratings[player];
        }
        let step = gradient / (slope * curvature.max(1e-12));
        let known = || self.anchors.iter().flatten().copied();
        let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        let next = ratings[player] + step.clamp(-LONGEST_STEP, LONGEST_STEP);
        if low <= high { next.clamp(low - FAR, high + FAR) } else { next }
    }

    fn log_likelihood(&self, ratings: &[f64]) -> f64 {
        let one = |meeting: &Meeting| {
            let expected = expected_score(ratings[meeting.first] - ratings[meeting.second]).clamp(1e-12, 1.0 - 1e-12);
            let mean = meeting.score.mean();
            meeting.weight() * (mean * expected.ln() + (1.0 - mean) * (1.0 - expected).ln())
        };
        self.meetings.iter().map(one).sum()
    }
}

impl Meeting {
    /// How many games that are won or lost it is worth.
    fn weight(&self) -> f64 {
        let (games, mean) = (self.score.games() as f64, self.score.mean());
        let coin = mean * (1.0 - mean);
        if coin == 0.0 {
            return games;
        }
        let pairs = self.pairs.pairs();
        let variance = if pairs >= 2 && 2 * pairs == self.score.games() {
            // A pair's mean has half the variance of a game, if its games are alike.
            2.0 * variance(&self.pairs.counts(), mean)
        } else {
            variance(&self.score.counts(), mean)
        };
        games / (variance / coin).clamp(LEAST_DISPERSION, MOST_DISPERSION)
    }
}

/// The variance of equally spaced scores from 0 to 1 that occurred so often.
fn variance(counts: &[f64], mean: f64) -> f64 {
    let total: f64 = counts.iter().sum();
    let score = |place: usize| place as f64 / (counts.len() - 1) as f64;
    let squares = counts.iter().enumerate().map(|(place, count)| count * (score(place) - mean).powi(2));
    squares.sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{elo, performance};

    fn meeting(first: usize, second: usize, wins: u64, losses: u64) -> Meeting {
        Meeting { first, second, score: Score { wins, draws: 0, losses }, pairs: Pairs::default() }
    }

    fn ladder(anchors: &[Option<f64>], meetings: &[Meeting]) -> Vec<Elo> {
        let mut ladder = Ladder::new(anchors.to_vec());
        meetings.iter().for_each(|&meeting| ladder.add(meeting));
        ladder.ratings()
    }

    /// The standard error of a difference from so many games without draws at this score.
    fn standard_error(games: f64, mean: f64) -> f64 {
        400.0 / std::f64::consts::LN_10 / (games * mean * (1.0 - mean)).sqrt()
    }

    #[test]
    fn one_match_against_an_anchor_is_a_performance() {
        let rated = ladder(&[Some(1500.0), None], &[meeting(1, 0, 75, 25)])[1];
        let alone = performance::rating(&[performance::Match {
            opponent: 1500.0,
            score: Score { wins: 75, draws: 0, losses: 25 },
            pairs: Pairs::default(),
        }]);
        assert!((rated.difference - 1690.85).abs() < 0.1, "{rated:?}");
        assert!((rated.low - alone.low).abs() < 0.3 && (rated.high - alone.high).abs() < 0.3, "{rated:?} {alone:?}");
    }

    #[test]
    fn a_chain_adds_differences_and_their_variances() {
        // 36% is 100 points below; three links of it lead from 1350 to 1050. Each has 400 games.
        let links = [meeting(1, 0, 144, 256), meeting(2, 1, 144, 256), meeting(3, 2, 144, 256)];
        let rated = ladder(&[Some(1350.0), None, None, None], &links);
        let step = elo::difference(0.36);
        assert!((step + 99.95).abs() < 0.1);
        let error = standard_error(400.0, 0.36);
        for (place, elo) in rated.iter().enumerate().skip(1) {
            let links = place as f64;
            assert!((elo.difference - (1350.0 + links * step)).abs() < 0.3, "{elo:?}");
            let width = 2.0 * 1.96 * error * links.sqrt();
            assert!((elo.high - elo.low - width).abs() < 0.02 * width, "{place}: {elo:?} is not {width} wide");
        }
        assert_eq!(rated[0], Elo { difference: 1350.0, low: 1350.0, high: 1350.0 });
    }

    #[test]
    fn several_ways_to_an_anchor_narrow_the_interval() {
        // The same difference twice, straight and by way of a rung: as if there were 400 + 200 games.
        let both = [meeting(2, 0, 144, 256), meeting(1, 0, 200, 200), meeting(2, 1, 144, 256)];
        let rated = ladder(&[Some(1350.0), None, None], &both);
        assert!((rated[2].difference - (1350.0 + elo::difference(0.36))).abs() < 0.3, "{rated:?}");
        assert!((rated[1].difference - 1350.0).abs() < 0.3, "{rated:?}");
        let straight = standard_error(400.0, 0.36);
        let around = (standard_error(400.0, 0.5).powi(2) + straight.powi(2)).sqrt();
        let error = (1.0 / (straight.powi(-2) + around.powi(-2))).sqrt();
        let width = rated[2].high - rated[2].low;
        assert!((width - 2.0 * 1.96 * error).abs() < 0.02 * width, "{rated:?} {error}");
    }

    #[test]
    fn draws_and_pairs_count_as_they_do_in_a_single_rating() {
        // Pairs that always cancel, nearly: colours decide, and the score is more certain than its games look.
        let pairs = Pairs { counts: [3, 5, 80, 10, 2] };
        let score = Score { wins: 96, draws: 11, losses: 93 };
        let rated = {
            let mut ladder = Ladder::new(vec![Some(1500.0), None]);
            ladder.add(Meeting { first: 1, second: 0, score, pairs });
            ladder.ratings()[1]
        };
        let alone = performance::rating(&[performance::Match { opponent: 1500.0, score, pairs }]);
        assert!((rated.difference - alone.difference).abs() < 0.3, "{rated:?} {alone:?}");
        let (width, expected) = (rated.high - rated.low, alone.high - alone.low);
        assert!((width - expected).abs() < 0.08 * expected, "{width} {expected}");
    }

    #[test]
    fn what_nothing_bounds_is_open() {
        // Player 1 lost everything; player 2 never met anybody who is joined to the anchor.
        let meetings = [meeting(1, 0, 0, 40), meeting(2, 3, 10, 10)];
        let rated = ladder(&[Some(1350.0), None, None, None], &meetings);
        assert_eq!((rated[1].difference, rated[1].low), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        // s^40 = exp(-1.92) at s = 0.953.
        assert!((rated[1].high - 1350.0 + elo::difference(0.953)).abs() < 3.0, "{rated:?}");
        assert_eq!((rated[2].low, rated[2].high), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
