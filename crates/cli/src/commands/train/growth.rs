//! Strength as it grows: a little curve for each opponent.

use tesuji_learn::run::{Event, StrengthEvent};

/// Columns of a curve at most.
const WIDTH: usize = 24;
/// From 0% to 100% of the points.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Scores against one opponent, in the order of the generations.
struct Against {
    opponent: String,
    /// Generation, share of the points.
    shares: Vec<(u64, f64)>,
}

/// What the matches of a run have shown so far.
#[derive(Default)]
pub struct Growth {
    all: Vec<Against>,
}

/// The share of the points: a draw is half a point.
pub fn share(event: &StrengthEvent) -> f64 {
    let [wins, draws, losses] = event.score.map(|count| count as f64);
    (wins + 0.5 * draws) / (wins + draws + losses).max(1.0)
}

impl Growth {
    /// What these events say.
    pub fn of(events: &[Event]) -> Growth {
        let mut growth = Growth::default();
        for event in events {
            if let Event::Strength(event) = event {
                growth.add(event);
            }
        }
        growth
    }

    /// One more match. A generation that plays an opponent again, with more games, counts once.
    pub fn add(&mut self, event: &StrengthEvent) {
        let known = self.all.iter().position(|known| known.opponent == event.opponent);
        let at = known.unwrap_or_else(|| {
            self.all.push(Against { opponent: event.opponent.clone(), shares: Vec::new() });
            self.all.len() - 1
        });
        let shares = &mut self.all[at].shares;
        shares.retain(|&(generation, _)| generation != event.generation);
        shares.push((event.generation, share(event)));
    }

    /// The curve against an opponent; empty if there was no match.
    pub fn curve(&self, opponent: &str) -> String {
        let Some(known) = self.all.iter().find(|known| known.opponent == opponent) else { return String::new() };
        let shares: Vec<f64> = known.shares.iter().map(|&(_, share)| share).collect();
        sparkline(&shares)
    }

    /// The opponent that tells most at present, with the curve and the latest share: the one whose score is nearest to
    /// half of the points. Who always wins or always loses there learns nothing from it.
    pub fn telling(&self) -> Option<String> {
        let latest = |known: &Against| known.shares.last().map_or(0.5, |&(_, share)| share);
        let known = self.all.iter().min_by(|a, b| (latest(a) - 0.5).abs().total_cmp(&(latest(b) - 0.5).abs()))?;
        Some(format!("v {} {} {:.0}%", known.opponent, self.curve(&known.opponent), 100.0 * latest(known)))
    }
}

/// Shares from 0 to 1 as blocks; of a long list, columns at equal distances, the last one included.
fn sparkline(shares: &[f64]) -> String {
    let columns = shares.len().min(WIDTH);
    let of_column =
        |column: usize| if columns == shares.len() { column } else { column * (shares.len() - 1) / (columns - 1) };
    let block = |share: f64| BLOCKS[(share.clamp(0.0, 1.0) * (BLOCKS.len() - 1) as f64).round() as usize];
    (0..columns).map(|column| block(shares[of_column(column)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(generation: u64, opponent: &str, score: [u64; 3]) -> Event {
        let (agent, opponent) = ("pv".to_owned(), opponent.to_owned());
        Event::Strength(StrengthEvent { generation, agent, opponent, score, distinct: 1, elo: [None; 3] })
    }

    #[test]
    fn a_curve_has_a_column_for_each_generation_that_played() {
        let mut growth = Growth::of(&[
            event(10, "random", [10, 0, 0]),
            event(10, "uct", [0, 0, 10]),
            event(20, "uct", [2, 6, 2]),
            event(20, "uct", [10, 20, 10]),
        ]);
        assert_eq!(
            (growth.curve("random"), growth.curve("uct"), growth.curve("bot")),
            ("█".into(), "▁▅".into(), "".into())
        );
        assert_eq!(growth.telling().unwrap(), "v uct ▁▅ 50%");
        let Event::Strength(match_) = event(30, "uct", [10, 0, 0]) else { unreachable!() };
        growth.add(&match_);
        assert_eq!(growth.curve("uct"), "▁▅█");
        assert_eq!(Growth::default().telling(), None);
    }

    #[test]
    fn long_curves_keep_their_ends() {
        let shares: Vec<f64> = (0..1000).map(|number| f64::from(number) / 999.0).collect();
        let line: Vec<char> = sparkline(&shares).chars().collect();
        assert_eq!((line.len(), line[0], line[WIDTH - 1]), (WIDTH, '▁', '█'));
        assert!(line.is_sorted());
    }
}
