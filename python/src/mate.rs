//! Mate solvers.

use crate::convert::{bad, parse, within};
use crate::game::Core;
use crate::work::work;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tesuji_core::{AnyPosition, limits};
use tesuji_search::mate::{Answer, Limits, SolverSpec};

/// How a mate is looked for.
pub struct MateLimits {
    solver: SolverSpec,
    time: Duration,
    nodes: Option<u64>,
    shortest: bool,
    megabytes: usize,
}

impl MateLimits {
    /// Checks what was asked for.
    ///
    /// # Errors
    /// If a solver or a number makes no sense.
    pub fn new(
        solver: &str,
        seconds: f64,
        nodes: Option<u64>,
        shortest: bool,
        megabytes: usize,
    ) -> PyResult<MateLimits> {
        let seconds = within("seconds", seconds, 0.000_001, limits::TIME.end().as_secs_f64())?;
        let nodes = nodes.map(|nodes| within("nodes", nodes, *limits::NODES.start(), *limits::NODES.end()));
        within("megabytes", megabytes, *limits::MEGABYTES.start(), *limits::MEGABYTES.end())?;
        limits::check_memory("megabytes", megabytes).map_err(bad)?;
        let (solver, time) = (parse(solver)?, Duration::from_secs_f64(seconds));
        Ok(MateLimits { solver, time, nodes: nodes.transpose()?, shortest, megabytes })
    }
}

/// Where a mate is looked for.
pub enum Problem<'a> {
    /// A position of a game.
    Position(&'a dyn AnyPosition),
    /// A problem, in which the attacker's king may be missing.
    Text(&'a str),
}

/// Looks for a mate in a position or a problem.
///
/// # Errors
/// If the game has no mate, the text is no position, or the game is over there.
pub fn solve_mate<'py>(
    py: Python<'py>,
    core: &Arc<Core>,
    problem: &Problem<'_>,
    limits: &MateLimits,
) -> PyResult<Bound<'py, PyDict>> {
    let name = core.game.name();
    if let Problem::Position(position) = problem
        && position.outcome().is_some()
    {
        return Err(bad(format!("the game is over there: {}", position.ending())));
    }
    let solved = work(py, |stop| {
        let mut solver = core.kit.solver(limits.solver, limits.megabytes << 20)?;
        let limits = Limits {
            nodes: limits.nodes,
            time: Some(limits.time),
            shortest: limits.shortest,
            stop: &|| stop.load(Ordering::Relaxed),
            ..Limits::default()
        };
        Some(match problem {
            Problem::Position(position) => Ok(solver.solve(*position, &limits)),
            Problem::Text(text) => solver.solve_problem(text, &limits),
        })
    })?;
    let no_mate = || bad(format!("no mate solver for {name}; there is one for chess, shogi and minishogi"));
    let solved = solved.ok_or_else(no_mate)?.map_err(bad)?;
    let (word, line) = match solved.answer {
        Answer::Mate(line) => ("mate", Some(line)),
        Answer::Unknown => ("unknown", None),
        Answer::NoMate => ("no mate", None),
    };
    let dict = PyDict::new(py);
    dict.set_item("answer", word)?;
    dict.set_item("line", line)?;
    dict.set_item("nodes", solved.nodes)?;
    Ok(dict)
}
