//! Ratings of many players from their games against each other.
//!
//! The ordinal-logistic model of BayesElo: with d = rating(first) - rating(second) + advantage and
//! f(x) = 1 / (1 + 10^(-x / 400)), the first player wins with probability f(d - draw_elo), loses with f(-d - draw_elo)
//! and draws otherwise. Ratings, the first player's advantage and the width of draws are fitted together, as the mode
//! of the posterior under a wide normal prior on each (which keeps a player who won everything finite), by Newton's
//! method. The intervals come from the curvature there.

use crate::score::Score;
use serde::{Deserialize, Serialize};

/// The standard deviation of the prior on ratings, in Elo: wide enough to leave a hundred games alone.
const PRIOR_SIGMA: f64 = 1000.0;
/// The standard deviation of the priors on the first player's advantage and on the draw width.
const PRIOR_SIGMA_SHARED: f64 = 300.0;
/// Elo per natural-logistic unit: 400 / ln 10.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The games of one ordered pair of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    /// Index of the player who moved first.
    pub first: usize,
    /// Index of the player who moved second.
    pub second: usize,
    /// The results, for the player who moved first.
    pub score: Score,
}

/// A rating with its 95% interval, relative to the mean of all players.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// Elo above the mean.
    pub elo: f64,
    /// Half the width of the 95% interval.
    pub margin: f64,
}

/// The fitted model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratings {
    /// One rating a player, in the order of their indices; their mean is 0.
    pub players: Vec<Rating>,
    /// Elo that moving first is worth.
    pub advantage: f64,
    /// Half-width of the drawing zone, in Elo.
    pub draw_elo: f64,
}

/// Fits ratings to the meetings of `players` players.
///
/// # Panics
/// If a meeting names a player outside `0..players`.
pub fn fit(players: usize, meetings: &[Meeting]) -> Ratings {
    // Parameters in logistic units: ratings, then the advantage, then the draw width.
    let size = players + 2;
    let mut at = vec![0.0; size];
    at[size - 1] = 0.5;
    let mut best = log_posterior(&at, meetings);
    let mut curvature = Vec::new();
    for _ in 0..200 {
        let (gradient, negative_hessian) = derivatives(&at, meetings);
        let Some(step) = solve(negative_hessian.clone(), gradient) else { break };
        curvature = negative_hessian;
        // Halve the Newton step until it climbs: far from the mode the quadratic model overshoots.
        let mut share = 1.0;
        let (next, value) = loop {
            let next: Vec<f64> = at.iter().zip(&step).map(|(x, s)| x + share * s).collect();
            let value = log_posterior(&next, meetings);
            if value >= best || share < 1e-9 {
                break (next, value);
            }
            share *= 0.5;
        };
        let done = value - best < 1e-12;
        (at, best) = (next, value);
        if done {
            break;
        }
    }
    let mean = at[..players].iter().sum::<f64>() / players.max(1) as f64;
    let rating = |player: usize| {
        // The variance of (rating - mean of all), from the inverse curvature along that direction.
        let direction: Vec<f64> = (0..size)
            .map(|i| if i < players { f64::from(u8::from(i == player)) - 1.0 / players as f64 } else { 0.0 })
            .collect();
        let variance = solve(curvature.clone(), direction.clone())
            .map_or(f64::INFINITY, |x| x.iter().zip(&direction).map(|(a, b)| a * b).sum());
        Rating { elo: (at[player] - mean) * SCALE, margin: 1.96 * variance.max(0.0).sqrt() * SCALE }
    };
    Ratings {
        players: (0..players).map(rating).collect(),
        advantage: at[size - 2] * SCALE,
        draw_elo: at[size - 1] * SCALE,
    }
}

/// ln f(x) for the logistic function, without overflow.
fn log_logistic(x: f64) -> f64 {
    -(-x.abs()).exp().ln_1p() + x.min(0.0)
}

fn logistic(x: f64) -> f64 {
    log_logistic(x).exp()
}

/// The three probabilities (win, draw, loss) of the first player at difference `d` and draw width `w`.
fn probabilities(d: f64, w: f64) -> [f64; 3] {
    let (win, loss) = (logistic(d - w), logistic(-d - w));
    [win, (1.0 - win - loss).max(1e-12), loss]
}

fn prior_variance(index: usize, size: usize) -> f64 {
    let sigma = if index < size - 2 { PRIOR_SIGMA } else { PRIOR_SIGMA_SHARED };
    (sigma / SCALE).powi(2)
}

fn difference(at: &[f64], meeting: &Meeting) -> f64 {
    at[meeting.first] - at[meeting.second] + at[at.len() - 2]
}

fn log_posterior(at: &[f64], meetings: &[Meeting]) -> f64 {
    let width = at[at.len() - 1];
    if width <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let likelihood: f64 = meetings
        .iter()
        .map(|meeting| {
            let p = probabilities(difference(at, meeting), width);
            let n = [meeting.score.wins, meeting.score.draws, meeting.score.losses];
            n.iter().zip(p).map(|(&n, p)| if n == 0 { 0.0 } else { n as f64 * p.ln() }).sum::<f64>()
        })
        .sum();
    let prior: f64 = at.iter().enumerate().map(|(i, x)| 0.5 * x * x / prior_variance(i, at.len())).sum();
    likelihood - prior
}

/// The gradient of the log-posterior and the negative of its expected second derivatives (Fisher information plus
/// prior), which is always positive definite.
fn derivatives(at: &[f64], meetings: &[Meeting]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = at.len();
    let width = at[size - 1];
    let mut gradient: Vec<f64> = at.iter().enumerate().map(|(i, x)| -x / prior_variance(i, size)).collect();
    let mut information = vec![vec![0.0; size]; size];
    for (i, row) in information.iter_mut().enumerate() {
        row[i] = 1.0 / prior_variance(i, size);
    }
    for meeting in meetings {
        let d = difference(at, meeting);
        let p = probabilities(d, width);
        let (win_slope, loss_slope) = (p[0] * (1.0 - p[0]), p[2] * (1.0 - p[2]));
        // Derivatives of the three probabilities by d and by the width.
        let by_d = [win_slope, loss_slope - win_slope, -loss_slope];
        let by_w = [-win_slope, win_slope + loss_slope, -loss_slope];
        let n = [meeting.score.wins as f64, meeting.score.draws as f64, meeting.score.losses as f64];
        let games: f64 = n.iter().sum();
        let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i] / p[i]).sum::<f64>();
        let (slope_d, slope_w) = (dot(n, by_d), dot(n, by_w));
        // d depends on three parameters with these signs.
        let along = [(meeting.first, 1.0), (meeting.second, -1.0), (size - 2, 1.0)];
        for (i, sign) in along {
            gradient[i] += sign * slope_d;
            for (j, other) in along {
                information[i][j] += sign * other * games * dot(by_d, by_d);
            }
            information[i][size - 1] += sign * games * dot(by_d, by_w);
            information[size - 1][i] += sign * games * dot(by_d, by_w);
        }
        gradient[size - 1] += slope_w;
        information[size - 1][size - 1] += games * dot(by_w, by_w);
    }
    (gradient, information)
}

/// Solves a symmetric positive definite system by Cholesky decomposition; `None` if it is not positive definite.
fn solve(mut matrix: Vec<Vec<f64>>, mut vector: Vec<f64>) -> Option<Vec<f64>> {
    let size = vector.len();
    if matrix.len() != size {
        return None;
    }
    for i in 0..size {
        for j in 0..=i {
            let sum = matrix[i][j] - (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum::<f64>();
            if i == j {
                if sum <= 0.0 {
                    return None;
                }
                matrix[i][i] = sum.sqrt();
            } else {
                matrix[i][j] = sum / matrix[j][j];
            }
        }
    }
    for i in 0..size {
        vector[i] = (vector[i] - (0..i).map(|k| matrix[i][k] * vector[k]).sum::<f64>()) / matrix[i][i];
    }
    for i in (0..size).rev() {
        vector[i] = (vector[i] - (i + 1..size).map(|k| matrix[k][i] * vector[k]).sum::<f64>()) / matrix[i][i];
    }
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Stream;

    fn meeting(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Meeting {
        Meeting { first, second, score: Score { wins, draws, losses } }
    }

    #[test]
    fn two_players_get_the_difference_of_their_score() {
        // Without draws the model is the plain logistic one: 75% is 190.8 Elo.
        let ratings = fit(2, &[meeting(0, 1, 750, 0, 250), meeting(1, 0, 250, 0, 750)]);
        let difference = ratings.players[0].elo - ratings.players[1].elo;
        assert!((difference - 190.85).abs() < 3.0, "{difference}");
        assert!(ratings.advantage.abs() < 1.0);
        // The standard error of the difference is 400 / ln 10 / sqrt(n p q): 17.6 at 95%, half of it for each player.
        assert!((ratings.players[0].margin - 8.9).abs() < 0.8, "{}", ratings.players[0].margin);
    }

    #[test]
    fn winning_everything_stays_finite() {
        let ratings = fit(2, &[meeting(0, 1, 20, 0, 0)]);
        assert!(ratings.players[0].elo > 200.0 && ratings.players[0].elo < 2000.0);
        assert!(ratings.players[0].margin.is_finite());
    }

    #[test]
    fn no_games_say_nothing() {
        let ratings = fit(3, &[]);
        assert!(ratings.players.iter().all(|rating| rating.elo.abs() < 1e-9 && rating.margin > 1000.0));
    }

    #[test]
    fn known_ratings_are_recovered_within_their_margins() {
        let truth = [150.0, 40.0, -10.0, -180.0];
        let (advantage, draw_elo) = (35.0, 90.0);
        let mut covered = 0;
        let trials = 60;
        for trial in 0..trials {
            let mut random = Stream::new(3, "ratings", trial);
            let mut meetings = Vec::new();
            for first in 0..4 {
                for second in (0..4).filter(|&second| second != first) {
                    let d = (truth[first] - truth[second] + advantage) / SCALE;
                    let [win, draw, _] = probabilities(d, draw_elo / SCALE);
                    let mut score = Score::default();
                    for _ in 0..60 {
                        let u = random.unit();
                        if u < win {
                            score.wins += 1;
                        } else if u < win + draw {
                            score.draws += 1;
                        } else {
                            score.losses += 1;
                        }
                    }
                    meetings.push(Meeting { first, second, score });
                }
            }
            let ratings = fit(4, &meetings);
            for (rating, truth) in ratings.players.iter().zip(truth) {
                covered += u64::from((rating.elo - truth).abs() <= rating.margin);
            }
            assert!((ratings.advantage - advantage).abs() < 60.0 && (ratings.draw_elo - draw_elo).abs() < 60.0);
        }
        // 240 intervals at 95%: 228 expected, 3.4 standard deviation.
        assert!((215..=240).contains(&covered), "{covered} of 240");
    }
}
