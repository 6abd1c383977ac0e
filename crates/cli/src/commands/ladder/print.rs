//! How a ladder stands: a table, a JSON file and a picture.

use super::args::LadderArgs;
use super::players::Entrant;
use crate::common::contest;
use crate::common::files::NewFile;
use crate::common::output::Output;
use crate::common::table::Table;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;
use tesuji_arena::cost::Cost;
use tesuji_arena::rating::Ratings;
use tesuji_arena::standings::Standings;
use tesuji_core::AnyGame;
use tesuji_report::{Axis, Chart, Point, Series};

/// How a ladder stands.
pub struct Standing<'a> {
    args: &'a LadderArgs,
    game: &'a dyn AnyGame,
    entrants: &'a [Entrant],
    standings: &'a Standings,
    ratings: Ratings,
    costs: &'a [Cost],
    /// Processor time of the training, in seconds.
    training: Vec<Option<f64>>,
}

impl<'a> Standing<'a> {
    /// The standing of these players.
    pub fn new(
        args: &'a LadderArgs,
        game: &'a dyn AnyGame,
        entrants: &'a [Entrant],
        standings: &'a Standings,
        costs: &'a [Cost],
    ) -> Standing<'a> {
        let training = entrants.iter().map(Entrant::training).collect();
        Standing { args, game, entrants, standings, ratings: standings.ratings(), costs, training }
    }

    /// Writes the files and prints the table.
    pub fn finish(&self, out: &mut Output) -> Result<()> {
        let result = self.json();
        let mut text = serde_json::to_string_pretty(&result)?;
        text.push('\n');
        write(&self.args.result("json"), text.as_bytes())?;
        let chart = Chart {
            title: self.game.title().to_owned(),
            x: Axis::logarithmic("CPU ms a move"),
            y: Axis::linear("Elo"),
            series: self.curves(),
            ..Chart::default()
        };
        let picture = chart.file().context("there is nothing to draw")?;
        write(&self.args.result("svg"), picture.as_bytes())?;
        if out.json { out.object(&result) } else { self.print(out) }
    }

    /// The players from the strongest to the weakest.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.entrants.len()).collect();
        order.sort_by(|&a, &b| self.ratings.players[b].elo.total_cmp(&self.ratings.players[a].elo));
        order
    }

    /// Processor time of a move, in milliseconds.
    fn milliseconds(&self, player: usize) -> f64 {
        1e3 * self.costs[player].cpu / self.costs[player].moves.max(1) as f64
    }

    fn print(&self, out: &mut Output) -> Result<()> {
        let mut table = Table::new().right([0, 2, 3, 4, 5, 6, 7]);
        table.row(["#", "player", "Elo", "+-", "games", "score", "CPU ms/move", "training CPU h"]);
        for (place, player) in self.order().into_iter().enumerate() {
            let (rating, total) = (&self.ratings.players[player], self.standings.total(player));
            table.row([
                (place + 1).to_string(),
                self.entrants[player].name(),
                format!("{:+.0}", rating.elo),
                format!("{:.0}", rating.margin),
                total.games().to_string(),
                format!("{:.0}%", 100.0 * total.mean()),
                format!("{:.2}", self.milliseconds(player)),
                self.training[player].map_or_else(|| "-".to_owned(), |seconds| format!("{:.1}", seconds / 3600.0)),
            ]);
        }
        if contest::is_interrupted() {
            out.line("stopped before the end: the table holds the games that were finished")?;
        }
        out.bytes(table.text().as_bytes())?;
        let (games, moving_first) = (self.standings.games(), self.ratings.advantage);
        out.line(&format!(
            "\n{games} games; Elo relative to the mean, 95% margins; moving first is worth {moving_first:+.0}"
        ))?;
        out.line(&format!("{}, {}", self.args.result("json").display(), self.args.result("svg").display()))
    }

    fn json(&self) -> Value {
        let order = self.order();
        let player = |&player: &usize| {
            let (rating, total) = (&self.ratings.players[player], self.standings.total(player));
            json!({
                "player": self.entrants[player].name(), "agent": self.entrants[player].line,
                "cpu_limit": self.entrants[player].at.map(|at| at.as_secs_f64()),
                "elo": rating.elo, "margin": rating.margin, "games": total.games(),
                "wins": total.wins, "draws": total.draws, "losses": total.losses,
                "cpu_per_move": self.milliseconds(player) / 1e3, "training_cpu": self.training[player],
            })
        };
        let place = |player: usize| order.iter().position(|&other| other == player);
        let meeting = |(a, b): (usize, usize)| {
            let score = self.standings.score(a, b);
            json!({ "players": [place(a), place(b)], "wins": score.wins, "draws": score.draws, "losses": score.losses })
        };
        json!({
            "game": self.game.name(), "title": self.game.title(), "rules": self.game.rules(), "seed": self.args.seed,
            "games": self.standings.games(), "interrupted": contest::is_interrupted(),
            "advantage": self.ratings.advantage, "draw_elo": self.ratings.draw_elo,
            "players": order.iter().map(player).collect::<Vec<_>>(),
            "meetings": self.standings.pairs().map(meeting).collect::<Vec<_>>(),
        })
    }

    /// A curve for each agent over its times, the strongest first.
    fn curves(&self) -> Vec<Series> {
        let mut curves: Vec<(&str, Series)> = Vec::new();
        for player in self.order() {
            let line = self.entrants[player].line.as_str();
            let place = curves.iter().position(|(known, _)| *known == line).unwrap_or_else(|| {
                let hours = self.training[player].map(|seconds| format!(" ({:.1} h of training)", seconds / 3600.0));
                // Where a program lies says nothing in a picture.
                let name = format!("{}{}", line.replace("engine:/usr/games/", "engine:"), hours.unwrap_or_default());
                curves.push((line, Series { name, ..Series::default() }));
                curves.len() - 1
            });
            let rating = &self.ratings.players[player];
            // What takes no time that could be measured stands at the left end.
            let x = self.milliseconds(player).max(0.001);
            let interval = Some((rating.elo - rating.margin, rating.elo + rating.margin));
            curves[place].1.points.push(Point { interval, ..Point::new(x, rating.elo) });
        }
        for (_, curve) in &mut curves {
            curve.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        curves.into_iter().map(|(_, curve)| curve).collect()
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = NewFile::create(path)?;
    file.write(bytes)?;
    file.finish()
}
