//! A rating as a table and as JSON.

use super::args::EloArgs;
use crate::common::climb::Climb;
use crate::common::contest;
use crate::common::output::Output;
use crate::common::table::Table;
use anyhow::Result;
use serde_json::{Value, json};
use tesuji_arena::calibration::Calibration;
use tesuji_arena::elo::{Elo, expected_score};
use tesuji_arena::matches::Summary;
use tesuji_arena::performance::{Fit, Match};

/// One match of the agent, or of the engine against itself.
pub struct Played {
    /// The engine's setting.
    pub setting: u32,
    /// What came of it.
    pub summary: Summary,
}

impl Played {
    /// The match as statistics has it.
    pub fn rated(&self) -> Match {
        Match { opponent: f64::from(self.setting), score: self.summary.score, pairs: self.summary.pairs }
    }
}

/// The ladder and the ratings of its players.
pub struct OnLadder {
    /// Players and pairings.
    pub climb: Climb,
    /// The number of the agent that is rated.
    pub number: usize,
    /// A rating for each player.
    pub ratings: Vec<Elo>,
    /// A result for each pairing.
    pub summaries: Vec<Summary>,
}

/// What came out.
pub struct Rated<'a> {
    /// What was asked for.
    pub args: &'a EloArgs,
    /// What is wrong with the settings and the budget.
    pub warnings: Vec<String>,
    /// The agent's matches against the engine.
    pub matches: Vec<Played>,
    /// The engine's against itself.
    pub yardstick: Vec<Played>,
    /// The rating by the matches against the engine alone.
    pub direct: Elo,
    /// How well it explains them.
    pub fit: Option<Fit>,
    /// The ladder, if there was one.
    pub ladder: Option<OnLadder>,
}

impl Rated<'_> {
    /// The rating: on the ladder if there is one.
    fn rating(&self) -> Elo {
        self.ladder.as_ref().map_or(self.direct, |ladder| ladder.ratings[ladder.number])
    }

    /// What the rating is beyond, `below 1350`, if the engine's scale does not reach it; a ladder reaches down.
    fn beyond(&self) -> Option<String> {
        let beyond = Calibration::of(&self.args.against)?.holds(self.rating().difference).err();
        beyond.filter(|beyond| self.ladder.is_none() || !beyond.starts_with("below"))
    }

    fn expected(&self, setting: u32) -> f64 {
        expected_score(self.direct.difference - f64::from(setting))
    }

    /// Prints tables.
    pub fn print(&self, out: &mut Output) -> Result<()> {
        let args = self.args;
        out.line(&format!("{} against {} ({})", args.agent, args.against, args.game))?;
        out.line(&format!("budget of {}: {} a move", args.against, args.engine_budget()))?;
        if contest::is_interrupted() {
            let resume = if args.journal.is_some() { "; the same command resumes" } else { "" };
            out.line(&format!("stopped before all games were played{resume}"))?;
        }
        let mut table = Table::new().right(0..8);
        table.row(["UCI_Elo", "games", "won", "drawn", "lost", "score", "expected", "distinct"]);
        let played = |matches: &&Played| matches.summary.score.games() > 0;
        for one in self.matches.iter().filter(played) {
            table.row(cells(one.setting.to_string(), &one.summary, self.expected(one.setting)));
        }
        for one in self.yardstick.iter().filter(played) {
            table.row(cells(format!("{} v itself", one.setting), &one.summary, 0.5));
        }
        // A rung may be rated that never meets the engine.
        if !self.matches.is_empty() || !self.yardstick.is_empty() {
            out.bytes(table.text().as_bytes())?;
        }
        if let Some(ladder) = &self.ladder {
            ladder.print(out)?;
        }
        for warning in &self.warnings {
            out.line(&format!("warning: {warning}"))?;
        }
        match self.beyond() {
            Some(beyond) if beyond.starts_with("below") => {
                out.line(&format!(
                    "rating {beyond}, which the engine's scale does not reach: --ladder rates the agent"
                ))?;
            }
            Some(beyond) => out.line(&format!("rating {beyond}, which the engine's scale does not reach"))?,
            None => out.line(&format!("rating {} (95% interval)", rating_text(&self.rating())))?,
        }
        match self.fit {
            _ if self.ladder.is_some() => Ok(()),
            Some(Fit { chi_squared, freedom, p }) if freedom > 0 => out.line(&format!(
                "fit    chi-squared {chi_squared:.2} with {freedom} degrees of freedom, p = {p:.3}{}",
                if p < 0.05 { ": no single rating explains these scores" } else { "" }
            )),
            _ => out.line("fit    unknown: it takes two settings, and not all games won or lost"),
        }
    }

    /// Prints an object.
    pub fn print_json(&self, out: &mut Output) -> Result<()> {
        let row = |played: &Played, expected: f64| {
            json!({ "setting": played.setting, "score": played.summary.score, "mean": played.summary.score.mean(),
                    "expected": expected, "pairs": played.summary.pairs.counts, "distinct": played.summary.distinct,
                    "costs": played.summary.costs })
        };
        let matches: Vec<_> = self.matches.iter().map(|played| row(played, self.expected(played.setting))).collect();
        let yardstick: Vec<_> = self.yardstick.iter().map(|played| row(played, 0.5)).collect();
        let (rating, beyond) = (self.rating(), self.beyond());
        let known = |value: f64| contest::finite(value).filter(|_| beyond.is_none());
        out.object(&json!({
            "agent": self.args.agent, "against": self.args.against, "game": self.args.game,
            "budget_against": self.args.engine_budget().to_string(), "warnings": self.warnings,
            "interrupted": contest::is_interrupted(),
            "rating": known(rating.difference), "low": known(rating.low), "high": known(rating.high),
            "beyond": beyond, "fit": self.fit, "matches": matches, "self": yardstick,
            "ladder": self.ladder.as_ref().map(OnLadder::json),
        }))
    }
}

impl OnLadder {
    /// The players from the strongest to the weakest.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ratings.len()).collect();
        order.sort_by(|&a, &b| self.ratings[b].difference.total_cmp(&self.ratings[a].difference));
        order
    }

    fn print(&self, out: &mut Output) -> Result<()> {
        out.line("")?;
        let mut table = Table::new().right(1..3);
        table.row(["ladder", "rating", "95% interval"]);
        for player in self.order() {
            let text = rating_text(&self.ratings[player]);
            let (rating, interval) = text.split_once(" [").unwrap_or((&text, ""));
            table.row([
                self.climb.players[player].name(),
                rating.to_owned(),
                interval.trim_end_matches(']').to_owned(),
            ]);
        }
        out.bytes(table.text().as_bytes())?;
        out.line("")?;
        let mut table = Table::new().right(1..8);
        table.row(["match", "games", "won", "drawn", "lost", "score", "expected", "distinct"]);
        for (&(a, b), summary) in self.climb.pairings.iter().zip(&self.summaries) {
            let name = format!("{} v {}", self.climb.players[a].name(), self.climb.players[b].name());
            table.row(cells(name, summary, self.expected(a, b)));
        }
        out.bytes(table.text().as_bytes())
    }

    fn expected(&self, a: usize, b: usize) -> f64 {
        let difference = self.ratings[a].difference - self.ratings[b].difference;
        // Two who are both beyond the others are not compared.
        if difference.is_nan() { 0.5 } else { expected_score(difference) }
    }

    fn json(&self) -> Value {
        let player = |number: usize| {
            let Elo { difference, low, high } = self.ratings[number];
            json!({ "player": self.climb.players[number].name(), "rating": contest::finite(difference),
                    "low": contest::finite(low), "high": contest::finite(high) })
        };
        let pairings = self.climb.pairings.iter().zip(&self.summaries).map(|(&(a, b), summary)| {
            json!({ "players": [a, b], "score": summary.score, "expected": self.expected(a, b),
                    "pairs": summary.pairs.counts, "distinct": summary.distinct })
        });
        json!({ "players": (0..self.ratings.len()).map(player).collect::<Vec<_>>(),
                "matches": pairings.collect::<Vec<_>>() })
    }
}

fn cells(name: String, summary: &Summary, expected: f64) -> [String; 8] {
    let (score, percent) = (summary.score, |share: f64| format!("{:.1}%", 100.0 * share));
    [
        name,
        score.games().to_string(),
        score.wins.to_string(),
        score.draws.to_string(),
        score.losses.to_string(),
        percent(score.mean()),
        percent(expected),
        summary.distinct.to_string(),
    ]
}

/// A rating with its interval: `1462 [1412, 1512]`.
fn rating_text(rating: &Elo) -> String {
    let number = |value: f64, low: &str, high: &str| match value {
        f64::INFINITY => high.to_owned(),
        f64::NEG_INFINITY => low.to_owned(),
        value => format!("{value:.0}"),
    };
    let best = number(rating.difference, "below all others", "above all others");
    format!("{best} [{}, {}]", number(rating.low, "-inf", "-inf"), number(rating.high, "+inf", "+inf"))
}
