//! A position from what a URL can say: game, rules, start and moves.

use crate::problem::{Answer, Problem};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tesuji_core::scene::Touch;
use tesuji_core::{AnyGame, AnyPosition, GameLine, GameRecord, MoveId, Outcome, Rules};
use tesuji_games::formats;

/// More moves than any game has.
const MOST_MOVES: usize = 5_000;
/// The longest start: the text of a map.
const LONGEST_START: usize = 20_000;

/// A position, as requests give it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The game's registered name.
    pub game: String,
    /// The rules in force.
    #[serde(default)]
    pub rules: Rules,
    /// The start, in the game's notation.
    #[serde(default = "startpos")]
    pub start: String,
    /// The moves since, in the game's notation.
    #[serde(default)]
    pub moves: Vec<String>,
}

fn startpos() -> String {
    "startpos".to_owned()
}

/// A position with the moves that led to it.
pub struct Played {
    /// The game.
    pub game: Arc<dyn AnyGame>,
    /// The start as it was given.
    pub start: String,
    /// The position.
    pub position: Box<dyn AnyPosition>,
    /// The moves, as the game writes them.
    pub moves: Vec<String>,
    /// The same by number.
    pub ids: Vec<MoveId>,
    /// The same as people write them.
    pub notation: Vec<String>,
    /// The cells of the last move.
    pub last: Vec<String>,
}

/// The start of a game, from outside: TUBSTAP would read a file whose name is given.
///
/// # Errors
/// If it is no position, or names a file.
pub fn start(game: &dyn AnyGame, text: &str) -> Answer<Box<dyn AnyPosition>> {
    if text.len() > LONGEST_START {
        return Err(Problem::bad(format!("start: longer than {LONGEST_START} characters")));
    }
    if text.to_ascii_lowercase().contains(".tbsmap") {
        return Err(Problem::bad("start: files cannot be named here; send their text to /api/import"));
    }
    Ok(game.parse(text)?)
}

impl Line {
    /// Plays the moves.
    ///
    /// # Errors
    /// If there is no such game, the start is no position, or a move is not legal.
    pub fn play(&self) -> Answer<Played> {
        let game = tesuji_games::game(&self.game, self.rules)?;
        let position = start(game.as_ref(), &self.start)?;
        let mut played = Played {
            game,
            start: self.start.clone(),
            position,
            moves: Vec::new(),
            ids: Vec::new(),
            notation: Vec::new(),
            last: Vec::new(),
        };
        if self.moves.len() > MOST_MOVES {
            return Err(Problem::bad(format!("more than {MOST_MOVES} moves")));
        }
        for (number, text) in self.moves.iter().enumerate() {
            let is_last = number + 1 == self.moves.len();
            played
                .push(text, is_last)
                .map_err(|problem| Problem::bad(format!("move {}: {}", number + 1, problem.text)))?;
        }
        Ok(played)
    }
}

impl Played {
    /// Plays a move; the cells of the last one are wanted.
    fn push(&mut self, text: &str, is_last: bool) -> Answer<()> {
        let mv = self.position.read_move(text, self.ids.last().copied())?;
        let written = self.position.format_move(mv);
        self.notation.push(self.position.notation(mv));
        if is_last {
            let gesture = self.position.gestures().into_iter().find(|gesture| gesture.text == written);
            let steps = gesture.map(|gesture| gesture.steps).unwrap_or_default();
            let cells = steps.into_iter().filter_map(|step| match step.touch {
                Touch::Cell(id) => Some(id),
                Touch::Hand(_) | Touch::Choice(_) => None,
            });
            self.last = cells.collect();
        }
        self.position.play(mv)?;
        self.moves.push(written);
        self.ids.push(mv);
        Ok(())
    }

    /// The game so far, as players are given it.
    pub fn line(&self) -> GameLine {
        GameLine {
            game: self.game.name().to_owned(),
            rules: self.game.rules(),
            start: self.start.clone(),
            moves: self.moves.clone(),
        }
    }
}

/// A line of moves from a position, as people write them.
pub fn notations(position: &dyn AnyPosition, line: &[MoveId]) -> Vec<String> {
    let mut position = position.boxed();
    let mut texts = Vec::new();
    for &mv in line {
        texts.push(position.notation(mv));
        if position.play(mv).is_err() {
            break;
        }
    }
    texts
}

/// The result of a game: `{"winner": 0}`, `{"winner": null}` for a draw.
pub fn outcome(outcome: Option<Outcome>) -> Value {
    match outcome {
        None => Value::Null,
        Some(Outcome::Draw) => json!({ "winner": null }),
        Some(Outcome::Win(side)) => json!({ "winner": side.index() }),
    }
}

/// A record as game, start and moves.
///
/// # Errors
/// If it cannot be replayed.
pub fn line_of(record: &GameRecord) -> Answer<Line> {
    formats::check_version(record)?;
    let game = tesuji_games::game(&record.game, record.rules)?;
    let mut position = start(game.as_ref(), &record.start)?;
    let mut moves = Vec::with_capacity(record.moves.len());
    for played in &record.moves {
        let id = MoveId(played.bits);
        if !position.moves().contains(&id) {
            return Err(Problem::bad(format!("move {} of the game is not legal", moves.len() + 1)));
        }
        moves.push(position.format_move(id));
        position.play(id)?;
    }
    Ok(Line { game: record.game.clone(), rules: record.rules, start: record.start.clone(), moves })
}
