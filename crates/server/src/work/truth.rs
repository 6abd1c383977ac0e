//! Solvers: what a position is worth, proved.

use super::search::{cpu_time, open};
use crate::app::App;
use crate::jobs::list::Part;
use crate::jobs::{Job, Kind};
use crate::played::{Line, Played};
use crate::problem::{Answer, Problem};
use cpu_time::ThreadTime;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::handle::typed;
use tesuji_core::{AnyPosition, Outcome};
use tesuji_games::connect4;
use tesuji_learn::tabular::{Goal, Setting, exact};
use tesuji_search::mate::{Answer as Mate, Limits, SolverSpec};

/// What the mate solver's table may take.
const TABLE_BYTES: usize = 64 << 20;
/// Positions that the exact solver of connect four looks at before it asks whether to go on.
const CHUNK: u64 = 200_000;
/// States of a game that are looked at one by one.
const MOST_STATES: usize = 10_000;

/// What can be proved about a game: `mate` by the mate solver, `exact` by looking at everything.
pub fn kind(game: &str) -> Option<&'static str> {
    match game {
        "chess" | "shogi" | "minishogi" => Some("mate"),
        "connect4" | "tictactoe" => Some("exact"),
        _ => None,
    }
}

/// A position, and how long to look at it.
#[derive(Deserialize)]
pub struct TruthInput {
    #[serde(flatten)]
    line: Line,
    #[serde(default = "five")]
    cpu: f64,
}

fn five() -> f64 {
    5.0
}

impl TruthInput {
    /// Begins to solve it.
    pub fn start(self, app: &Arc<App>, tab: Option<&str>) -> Answer<Arc<Job>> {
        let cpu = cpu_time(self.cpu)?;
        let played = open(&self.line)?;
        let Some(kind) = kind(played.game.name()) else {
            return Err(Problem::bad(format!("{}: there is no solver for this game", played.game.name())));
        };
        let part: Part = Box::new(move |job| {
            let clock = ThreadTime::now();
            let result = match played.game.name() {
                "connect4" => connect_four(played.position.as_ref(), cpu, job),
                "tictactoe" => every_state(played.position.as_ref()),
                _ => mate(&played, cpu, job),
            }?;
            job.update(|status| {
                status.cost.cpu = clock.elapsed().as_secs_f64();
                status.result = result;
            });
            Ok(())
        });
        let result = json!({ "kind": kind, "known": false, "winner": null, "line": [], "line_notation": [], "moves": [],
            "text": "" });
        app.jobs.start(Kind::Truth, tab, result, vec![part]).map_err(Problem::conflict)
    }
}

/// Looks for a forced mate by the side to move.
fn mate(played: &Played, time: Duration, job: &Job) -> Result<Value, String> {
    let kit = tesuji_registry::kit(played.game.name(), played.game.rules()).map_err(|error| error.to_string())?;
    let position = played.position.as_ref();
    let mut solver = kit.solver(SolverSpec::default(), TABLE_BYTES).ok_or("this game has no mate")?;
    let stop = || job.is_stopped();
    let limits = Limits { nodes: None, time: Some(time), plies: None, shortest: false, stop: &stop };
    let solved = solver.solve(position, &limits);
    let mover = position.mover().index();
    Ok(match solved.answer {
        Mate::Mate(line) => {
            let notation = notation(position, &line);
            let text = format!("mate in {} moves, proved", line.len().div_ceil(2));
            let first = line.first().map(|mv| json!({ "move": mv, "notation": notation.first(), "value": 1 }));
            json!({ "kind": "mate", "known": true, "winner": mover, "line": line, "line_notation": notation,
                "moves": first.into_iter().collect::<Vec<_>>(), "text": text, "nodes": solved.nodes })
        }
        Mate::NoMate => json!({ "kind": "mate", "known": true, "winner": null, "line": [], "line_notation": [],
            "moves": [], "text": "no mate by checks alone, proved", "nodes": solved.nodes }),
        Mate::Unknown => json!({ "kind": "mate", "known": false, "winner": null, "line": [], "line_notation": [],
            "moves": [], "text": "no mate found in this time", "nodes": solved.nodes }),
    })
}

/// A line of texts as people write it.
fn notation(position: &dyn AnyPosition, line: &[String]) -> Vec<String> {
    let mut position = position.boxed();
    let mut texts = Vec::new();
    for text in line {
        let Ok(mv) = position.parse_move(text) else { break };
        texts.push(position.notation(mv));
        if position.play(mv).is_err() {
            break;
        }
    }
    texts
}

/// Every move of connect four with its result under best play.
fn connect_four(position: &dyn AnyPosition, time: Duration, job: &Job) -> Result<Value, String> {
    let clock = ThreadTime::now();
    let mut solver = connect4::solver::Solver::new();
    let mut moves = Vec::new();
    let all = position.moves();
    for &mv in &all {
        let mut child = position.boxed();
        child.play(mv).map_err(|error| error.to_string())?;
        let board: &connect4::Board = typed(child.as_ref());
        // The table remembers what has been found, so another try goes on where the last one ended.
        let outcome = loop {
            if let Some(outcome) = solver.solve(board, CHUNK) {
                break Some(outcome);
            }
            if job.is_stopped() || clock.elapsed() >= time {
                break None;
            }
        };
        let Some(outcome) = outcome else { break };
        moves.push((mv, outcome));
        job.update(|status| {
            status.cost.cpu = clock.elapsed().as_secs_f64();
            status.progress = Some(moves.len() as f64 / all.len() as f64);
        });
    }
    let known = moves.len() == all.len();
    let rows = moves.iter().map(|&(mv, outcome)| (mv, f64::from(outcome.value().get()))).collect();
    Ok(table(position, known, rows))
}

/// Every move of a game whose states can be counted.
fn every_state(position: &dyn AnyPosition) -> Result<Value, String> {
    let setting = Setting::of_position(position, MOST_STATES).map_err(|error| error.to_string())?;
    let values = exact::values(&setting, Goal::Optimum, 1.0);
    let targets: Vec<f64> = setting.targets(setting.start, &values, 1.0).collect();
    Ok(table(position, true, position.moves().into_iter().zip(targets).collect()))
}

/// Moves with their exact values for the first player, the best ones first.
fn table(position: &dyn AnyPosition, known: bool, mut rows: Vec<(tesuji_core::MoveId, f64)>) -> Value {
    let side = position.mover();
    let sign = f64::from(side.sign());
    rows.sort_by(|a, b| (sign * b.1).total_cmp(&(sign * a.1)));
    let best = rows.first().map_or(0.0, |row| row.1);
    let outcome = match best {
        best if best > 0.5 => Outcome::Win(tesuji_core::Side::First),
        best if best < -0.5 => Outcome::Win(tesuji_core::Side::Second),
        _ => Outcome::Draw,
    };
    let name = |side| tesuji_core::scene::capital(position.game().side_name(side));
    let text = match outcome {
        _ if !known => "not all moves could be solved in this time".to_owned(),
        Outcome::Win(winner) => format!("{} wins with best play, proved", name(winner)),
        Outcome::Draw => "a draw with best play, proved".to_owned(),
    };
    let winner = match outcome {
        Outcome::Win(winner) if known => Some(winner.index()),
        _ => None,
    };
    let moves: Vec<Value> = rows
        .iter()
        .map(|&(mv, value)| {
            json!({ "move": position.format_move(mv), "notation": position.notation(mv), "value": sign * value + 0.0 })
        })
        .collect();
    json!({ "kind": "exact", "known": known, "winner": winner, "line": [], "line_notation": [], "moves": moves,
        "text": text })
}
