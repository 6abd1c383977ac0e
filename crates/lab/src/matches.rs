//! The report of a match, from its journal.

use crate::error::{LabError, problem};
use std::io::BufRead;
use std::path::Path;
use tesuji_arena::elo;
use tesuji_arena::matches::{GameResult, MatchSpec, Summary};
use tesuji_arena::opening::Openings;
use tesuji_core::{AnyGame, Style};
use tesuji_report::document::Board;
use tesuji_report::{Axis, Block, Cell, Chart, Head, Measure, Point, Quantity, Report, Series, Shape, Table};

/// Reads a journal without changing it; a last line that was being written is left out.
///
/// # Errors
/// If the file cannot be read or is not a journal.
pub fn read(path: &Path) -> Result<(MatchSpec, Vec<GameResult>), LabError> {
    let file = std::fs::File::open(path).map_err(|error| LabError::new(format!("cannot read {path:?}: {error}")))?;
    let mut lines = std::io::BufReader::new(file).lines();
    let no_journal =
        |error: &dyn std::fmt::Display| LabError::new(format!("{}: not a match journal: {error}", path.display()));
    let first = lines.next().ok_or_else(|| no_journal(&"it is empty"))?.map_err(|error| no_journal(&error))?;
    let spec: MatchSpec = serde_json::from_str(&first).map_err(|error| no_journal(&error))?;
    let mut results = Vec::new();
    let rest: Vec<String> = lines.collect::<Result<_, _>>().map_err(|error| no_journal(&error))?;
    for (number, line) in rest.iter().enumerate() {
        match serde_json::from_str(line) {
            Ok(result) => results.push(result),
            Err(_) if number + 1 == rest.len() => {}
            Err(error) => return Err(no_journal(&error)),
        }
    }
    results.sort_by_key(|result: &GameResult| result.index);
    Ok((spec, results))
}

/// Where the games of a match begin, in words.
fn openings(openings: &Openings) -> String {
    match openings {
        Openings::Random(0) => "the start".to_owned(),
        Openings::Random(plies) => format!("{plies} random moves"),
        Openings::Varied => "the game's varied starts".to_owned(),
        Openings::Lines(lines) if lines.len() == 1 => lines[0].clone(),
        Openings::Lines(lines) => format!("{} lines of a book, in turn", lines.len()),
    }
}

/// The report of a match.
///
/// # Errors
/// If a game is none of the game's.
pub fn report(game: &dyn AnyGame, spec: &MatchSpec, results: &[GameResult]) -> Result<Report, LabError> {
    let summary = Summary::of(results);
    let [a, b] = &spec.players;
    let mut report = Report::new(format!("{}: {a} v {b}", spec.game));
    let elo = summary.elo();
    let number = |value: f64| {
        if value.is_finite() { format!("{value:+.0}") } else { format!("{}∞", if value > 0.0 { "+" } else { "-" }) }
    };
    let superior = 100.0 * elo::likelihood_of_superiority(&summary.score);
    report.lead.push(format!(
        "{a} won {}, drew {} and lost {} of {} games: Elo {} (95% interval {} to {}), likelihood of superiority {superior:.1}%.",
        summary.score.wins, summary.score.draws, summary.score.losses, summary.score.games(), number(elo.difference), number(elo.low), number(elo.high),
    ));
    if summary.openings_decide() {
        report.lead.push("The openings decided most pairs, so the score says little about the players.".to_owned());
    }
    let fact = |name: &str, value: String| (name.to_owned(), value);
    report.facts = vec![
        fact("game", format!("{} ({} rules)", spec.game, spec.rules)),
        fact("budgets", format!("{} v {}", spec.budgets[0], spec.budgets[1])),
        fact("openings", openings(&spec.openings)),
        fact("distinct games", format!("{} of {}", summary.distinct, results.len())),
        fact("pairs by points (0, 1/2, 1, 3/2, 2)", summary.pairs.counts.map(|count| count.to_string()).join(" ")),
        fact("seed", spec.seed.to_string()),
    ];
    let second = summary.score.games() - summary.score_first.games();
    let share = |wins: u64, draws: u64, games: u64| Quantity::Share {
        hits: wins as f64 + 0.5 * draws as f64,
        of: games.max(1) as f64,
    };
    let (all, first) = (summary.score, summary.score_first);
    let row = |name: &str, wins: u64, draws: u64, losses: u64| {
        vec![
            Cell::text(name),
            Cell::count(wins),
            Cell::count(draws),
            Cell::count(losses),
            Cell::share(share(wins, draws, wins + draws + losses)),
        ]
    };
    let heads = ["games", "won", "drawn", "lost", "score, %"].map(Head::ours).to_vec();
    let rows = vec![
        row("all games", all.wins, all.draws, all.losses),
        row("as first player", first.wins, first.draws, first.losses),
        row("as second player", all.wins - first.wins, all.draws - first.draws, all.losses - first.losses),
    ];
    report.section(
        "Score",
        vec![Block::Table(Table { caption: format!("The games of {a}; a draw is half a point."), heads, rows })],
    );
    report.section("Cost", vec![Block::Table(costs(spec, &summary)), Block::Chart(by_phase(spec, &summary))]);
    report.section("Games", vec![Block::Chart(endings(&summary)), Block::Table(grid(spec, results))]);
    if let Some(result) = results.iter().find(|result| !result.moves.is_empty()) {
        let record = result.record(game, spec).map_err(problem)?;
        let mut position = game.parse(&result.start).map_err(problem)?;
        for played in &record.moves {
            position.play(tesuji_core::MoveId(played.bits)).map_err(problem)?;
        }
        let caption = format!("The end of game {}: {}.", result.index + 1, result.ending);
        let text = position.render(Style { color: false, kanji: false });
        report.section("A last position", vec![Block::Board(Board { caption, text })]);
    }
    let mut add = |name: &str, quantity: Quantity, timed: bool| {
        report.measures.insert(name.to_owned(), Measure { quantity, timed });
    };
    add("score", share(all.wins, all.draws, all.games()), false);
    add("score as first player", share(first.wins, first.draws, first.games()), false);
    add("score as second player", share(all.wins - first.wins, all.draws - first.draws, second), false);
    add(
        "plies",
        Quantity::of(&results.iter().map(|result| result.moves.len() as f64).collect::<Vec<_>>())
            .unwrap_or(Quantity::Exact(0.0)),
        false,
    );
    for (number, name) in ["first", "second"].iter().enumerate() {
        let each =
            results.iter().map(|result| 1e3 * result.costs[number].cpu / result.costs[number].moves.max(1) as f64);
        if let Some(quantity) = Quantity::of(&each.collect::<Vec<_>>()) {
            add(&format!("CPU-ms a move, {name} player named"), quantity, true);
        }
    }
    Ok(report)
}

fn costs(spec: &MatchSpec, summary: &Summary) -> Table {
    let heads =
        ["player", "moves", "CPU s", "CPU ms a move", "ms a move", "nodes a move", "evaluations a move", "memory, MB"];
    let rows = spec.players.iter().zip(&summary.costs).map(|(name, cost)| {
        let each = |total: f64| total / cost.moves.max(1) as f64;
        vec![
            Cell::text(name.as_str()),
            Cell::count(cost.moves),
            Cell::number(cost.cpu, 2),
            Cell::number(1e3 * each(cost.cpu), 3),
            Cell::number(1e3 * each(cost.wall), 3),
            Cell::number(each(cost.nodes as f64), 0),
            Cell::number(each(cost.evaluations as f64), 0),
            Cell::number(cost.peak_memory as f64 / 1e6, 0),
        ]
    });
    Table { caption: "What the players spent.".to_owned(), heads: heads.map(Head::ours).to_vec(), rows: rows.collect() }
}

fn by_phase(spec: &MatchSpec, summary: &Summary) -> Chart {
    let series = spec.players.iter().enumerate().map(|(player, name)| {
        let points = summary.phases.iter().filter(|phase| phase.costs[player].moves > 0).map(|phase| {
            let cost = phase.costs[player];
            Point::new(phase.first_ply as f64 + 1.0, 1e3 * cost.cpu / cost.moves as f64)
        });
        Series { name: name.clone(), paper: false, points: points.collect() }
    });
    Chart {
        title: "Time of a move by the phase of the game".to_owned(),
        caption: "CPU-milliseconds a move, in phases of 20 plies.".to_owned(),
        x: Axis::linear("ply"),
        y: Axis::from_zero("CPU-ms a move"),
        series: series.collect(),
        ..Chart::default()
    }
}

fn endings(summary: &Summary) -> Chart {
    let rows: Vec<String> = summary.endings.keys().cloned().collect();
    let points = summary.endings.values().enumerate().map(|(row, count)| Point::new(row as f64, *count as f64));
    Chart {
        title: "How games ended".to_owned(),
        caption: "Games by the reason for which they ended.".to_owned(),
        x: Axis::from_zero("games"),
        shape: Shape::Bars,
        rows,
        series: vec![Series { name: "games".to_owned(), paper: false, points: points.collect() }],
        ..Chart::default()
    }
}

/// Games that a table shows.
const SHOWN: usize = 400;

fn grid(spec: &MatchSpec, results: &[GameResult]) -> Table {
    let heads = ["game", "first player", "result", "plies", "ended by", "start and moves"].map(Head::ours).to_vec();
    let rows = results.iter().take(SHOWN).map(|result| {
        let points = result.points();
        let line = [std::slice::from_ref(&result.start), &result.moves[..]].concat().join(" ");
        let line: String = line.chars().take(120).collect();
        vec![
            Cell::count(result.index as u64 + 1),
            Cell::text(spec.players.get(result.first).map_or("", String::as_str)),
            Cell::text(if points > 0.5 {
                "won"
            } else if points < 0.5 {
                "lost"
            } else {
                "drawn"
            }),
            Cell::count(result.moves.len() as u64),
            Cell::text(result.ending.as_str()),
            Cell::text(line),
        ]
    });
    let more =
        if results.len() > SHOWN { format!(" The first {SHOWN} of {} games.", results.len()) } else { String::new() };
    let caption = format!("Results for {}.{more} The heads sort.", spec.players[0]);
    Table { caption, heads, rows: rows.collect() }
}
