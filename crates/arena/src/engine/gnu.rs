//! GNU Shogi and GNU Minishogi: `new`, `force`, moves such as `4e4d`, `go`.
//!
//! The whole game is sent again for each move: the programs have no way to set up a position, and this leaves nothing
//! to get out of step. `new` forgets what the program's arguments said about time, so the budget's time is sent as
//! `level 1 M:SS 0`, one move in so many seconds; without it they take about twelve seconds a move. Less than a second
//! they do not know. A depth can be set by the budget as well. Their answers look like `12. ... 4e4d 298440` or
//! `13. 5d5c 299700`; those to our own moves look the same, so they are counted.

use super::process::{Process, silent};
use std::time::{Duration, Instant};
use tesuji_core::player::Choice;
use tesuji_core::{Budget, GameLine, PlayerError};

/// The shortest time for a move that they can be told, and that they keep.
const SHORTEST: Duration = Duration::from_secs(1);

/// Whether they can play from here with this budget.
///
/// # Errors
/// If they cannot, [`PlayerError::Refused`].
pub(super) fn check(line: &GameLine, budget: &Budget) -> Result<(), PlayerError> {
    let refused = |problem: String| Err(PlayerError::Refused(problem));
    if line.start != "startpos" {
        return refused("GNU Shogi plays only from the start of the game".to_owned());
    }
    match budget.time {
        Some(time) if time < SHORTEST => refused(format!(
            "GNU Shogi takes at least a second for a move, {time:?} is too short for it; give it time=1s"
        )),
        None if !budget.is_unlimited() && budget.depth.is_none() => {
            refused(format!("GNU Shogi knows no limits but time and depth, not {budget}"))
        }
        _ => Ok(()),
    }
}

/// Asks for a move.
pub(super) fn go(
    process: &mut Process,
    line: &GameLine,
    budget: &Budget,
    deadline: Instant,
) -> Result<Choice, PlayerError> {
    check(line, budget)?;
    let began = Instant::now();
    let mut send = |text: &str| process.send(text).map_err(|error| silent(error, began.elapsed()));
    send("new")?;
    if let Some(depth) = budget.depth {
        // The program asks "depth = " on a line that it does not end.
        send("depth")?;
        send(&depth.to_string())?;
    }
    if !line.moves.is_empty() {
        send("force")?;
        for mv in &line.moves {
            send(mv)?;
        }
    }
    if let Some(time) = budget.time {
        // They take up to 1.4 times what they are given.
        let seconds = ((time.as_secs_f64() * 0.7) as u64).max(1);
        send(&format!("level 1 {}:{:02} 0", seconds / 60, seconds % 60))?;
    }
    send("go")?;
    let mut echoes = line.moves.len();
    loop {
        let answer = process.receive(deadline).map_err(|error| silent(error, began.elapsed()))?;
        if answer.starts_with("Illegal move") && !answer.contains("usi") && !answer.contains("uci") {
            return Err(PlayerError::Protocol(answer));
        }
        let Some(text) = read_move(&answer) else { continue };
        if echoes > 0 {
            echoes -= 1;
            continue;
        }
        return Ok(Choice { text, ..Choice::default() });
    }
}

/// The move of a line `N. MOVE TIME` or `N. ... MOVE TIME`.
fn read_move(line: &str) -> Option<String> {
    let mut words = line.strip_prefix("depth = ").unwrap_or(line).split_whitespace();
    words.next()?.strip_suffix('.')?.parse::<u32>().ok()?;
    let word = words.next()?;
    Some(if word == "..." { words.next()? } else { word }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_lines_are_read() {
        assert_eq!(read_move("1. ... 4e4d 298440").as_deref(), Some("4e4d"));
        assert_eq!(read_move("depth = 1. 5d5c 300000").as_deref(), Some("5d5c"));
        assert_eq!(read_move("12. P*3c 299700").as_deref(), Some("P*3c"));
        assert_eq!(read_move("GNU Shogi 1.4.2"), None);
        assert_eq!(read_move("x. y"), None);
        assert_eq!(read_move("1."), None);
    }
}
