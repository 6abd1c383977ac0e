//! What a search knows, as JSON.

use crate::played::notations;
use serde_json::{Value, json};
use tesuji_core::{AnyPosition, Considered, Line, MoveId, Outcome, Side, Value as Worth};

/// The longest expected line that is shown.
const LONGEST_LINE: usize = 12;

/// A value as the probability that a side wins.
pub fn win(value: Worth, side: Side) -> f32 {
    (1.0 + value.for_side(side)) / 2.0
}

/// A proved outcome for a side: 1, 0.5 or 0.
pub fn proof(proof: Option<Outcome>, side: Side) -> Option<f64> {
    proof.map(|outcome| outcome.points(side))
}

/// A line of moves in both notations.
pub fn line(position: &dyn AnyPosition, line: &[MoveId]) -> (Vec<String>, Vec<String>) {
    let line = &line[..line.len().min(LONGEST_LINE)];
    (position.format_line(line), notations(position, line))
}

/// What is known of the moves of a position.
#[derive(Default)]
pub struct Moves {
    /// The best ones with what is expected behind them.
    pub lines: Vec<Line<MoveId>>,
    /// Of a tree search: priors, visits and values.
    pub considered: Vec<Considered<MoveId>>,
    /// A probability for each move.
    pub policy: Vec<(MoveId, f32)>,
}

impl Moves {
    /// The moves, those with lines first, then the others from the most to the least likely.
    pub fn json(&self, position: &dyn AnyPosition) -> Vec<Value> {
        let side = position.mover();
        let visits: u64 = self.considered.iter().map(|of| of.visits).sum();
        let share = |mv: MoveId| match self.considered.iter().find(|of| of.mv == mv) {
            Some(of) if visits > 0 => Some(of.visits as f32 / visits as f32),
            _ => self.policy.iter().find(|(known, _)| *known == mv).map(|(_, share)| *share),
        };
        let mut order: Vec<MoveId> = self.lines.iter().filter_map(|line| line.line.first().copied()).collect();
        let mut others: Vec<(MoveId, f32, f32)> = self
            .considered
            .iter()
            .map(|of| (of.mv, share(of.mv).unwrap_or(0.0), of.prior))
            .chain(self.policy.iter().filter(|_| self.considered.is_empty()).map(|&(mv, share)| (mv, share, 0.0)))
            .collect();
        others.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| b.2.total_cmp(&a.2)).then_with(|| a.0.cmp(&b.0)));
        for (mv, ..) in others {
            if !order.contains(&mv) {
                order.push(mv);
            }
        }
        order.into_iter().map(|mv| self.row(position, side, mv, share(mv))).collect()
    }

    fn row(&self, position: &dyn AnyPosition, side: Side, mv: MoveId, share: Option<f32>) -> Value {
        let found = self.lines.iter().find(|line| line.line.first() == Some(&mv));
        let of = self.considered.iter().find(|of| of.mv == mv);
        let value = found.map(|line| line.value).or_else(|| of.and_then(|of| of.value));
        let (moves, notation) = found.map(|found| line(position, &found.line)).unwrap_or_default();
        json!({
            "move": position.format_move(mv), "notation": position.notation(mv),
            "prior": of.map(|of| of.prior), "visits": of.map(|of| of.visits), "share": share,
            "value": value, "win": value.map(|value| win(value, side)),
            "proof": found.and_then(|line| proof(line.proof, side)),
            "line": moves, "line_notation": notation,
        })
    }
}
