//! Where games start, by name.

use crate::error::{LabError, problem};
use std::path::Path;
use tesuji_arena::opening::Openings;
use tesuji_core::{AnyGame, limits};
use tesuji_games::books;

/// The openings of a game: `random:N`, `even`, `even:N`, `varied`, `at:POSITION|POSITION`, or a file with a position a line.
///
/// # Errors
/// If it is none of these, or a position is wrong.
pub fn openings(game: &dyn AnyGame, which: &str) -> Result<Openings, LabError> {
    if which == "varied" {
        return Ok(Openings::Varied);
    }
    if let Some(number) = which.strip_prefix("random:") {
        let (least, most) = limits::OPENING_PLIES.into_inner();
        let plies = number.parse().ok().filter(|plies| limits::OPENING_PLIES.contains(plies));
        let wrong = || LabError::new(format!("--openings {which:?}: expected random:N with N from {least} to {most}"));
        return Ok(Openings::Random(plies.ok_or_else(wrong)?));
    }
    if let Some(positions) = which.strip_prefix("at:") {
        return Openings::from_text(game, &positions.replace('|', "\n")).map_err(problem);
    }
    if which == "even" || which.starts_with("even:") {
        let number = which.strip_prefix("even:").map(str::parse).transpose();
        let plies = number.map_err(|_| LabError::new(format!("--openings {which}: not a number")))?;
        let book = books::book(game.name(), plies).map_err(|error| LabError::new(format!("--openings {error}")))?;
        return Openings::from_text(game, book.text).map_err(problem);
    }
    let path = Path::new(which);
    if !path.exists() {
        return Err(LabError::new(format!(
            "--openings {which:?}: neither random:N nor even:N nor `varied` nor a file"
        )));
    }
    let text =
        std::fs::read_to_string(path).map_err(|error| LabError::new(format!("cannot read {path:?}: {error}")))?;
    Openings::from_text(game, &text).map_err(|error| problem(error).at(which))
}
