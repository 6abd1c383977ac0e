//! The entries of a match's journal: the conditions of the match, and each finished game.

use crate::cost::{Cost, Spent};
use crate::opening::Openings;
use crate::play::Adjudication;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tesuji_core::{AnyGame, Budget, GameRecord, MoveError, MoveId, Outcome, ParseError, Rules, Side};

/// What is to be played: everything that decides the games, so that a journal can be checked against it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSpec {
    /// The game's registered name.
    pub game: String,
    /// The rules in force.
    pub rules: Rules,
    /// The two players, as the user named them.
    pub players: [String; 2],
    /// What each player may spend on a move.
    pub budgets: [Budget; 2],
    /// How far a move may exceed its time before the game is lost.
    pub margin: Duration,
    /// Where the games start.
    pub openings: Openings,
    /// When the referee ends a game.
    pub adjudication: Adjudication,
    /// The seed of openings and players.
    pub seed: u64,
}

/// One finished game of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// The game's number in the match, from 0.
    pub index: usize,
    /// Which player (0 or 1) moved first.
    pub first: usize,
    /// The start, in the game's notation.
    pub start: String,
    /// The moves, opening included, in the game's notation.
    pub moves: Vec<String>,
    /// How many of the moves belong to the opening.
    pub opening: usize,
    /// The result.
    pub outcome: Outcome,
    /// Why it ended.
    pub ending: String,
    /// What each player (not side) spent.
    pub costs: [Cost; 2],
    /// What each move behind the opening took; empty in journals of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spent>,
}

impl GameResult {
    /// Points of player 0.
    pub fn points(&self) -> f64 {
        self.outcome.points(self.side_of(0))
    }

    /// The game as a record, with the players' names.
    ///
    /// # Errors
    /// If a move is not legal: the result is of another game.
    pub fn record(&self, game: &dyn AnyGame, spec: &MatchSpec) -> Result<GameRecord, ParseError> {
        let mut position = game.parse(&self.start)?;
        let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), &self.start);
        let tag = |name: &str, value: String| (name.to_owned(), value);
        record.tags = vec![tag("Event", "Tesuji match".to_owned()), tag("Round", (self.index + 1).to_string())];
        let players =
            Side::BOTH.map(|side| spec.players[if side == Side::First { self.first } else { 1 - self.first }].clone());
        record.tag_players(Side::BOTH.map(|side| game.side_name(side)), players);
        record.tags.push(tag("Budget", format!("{} v {}", spec.budgets[0], spec.budgets[1])));
        record.tags.push(tag("OpeningPlies", self.opening.to_string()));
        for text in &self.moves {
            let wrong = |error: MoveError| ParseError::new("game of a match", text, error.to_string());
            let mv = position.parse_move(text).map_err(wrong)?;
            position.play(mv).map_err(wrong)?;
            record.push(mv);
        }
        record.outcome = Some(self.outcome);
        record.ending.clone_from(&self.ending);
        Ok(record)
    }

    /// The game of a record that [`record`](Self::record) has made, less what its moves have cost; every move of it is
    /// legal.
    ///
    /// # Errors
    /// As [`moves_of_round`], or if it has no result.
    pub fn of_record(game: &dyn AnyGame, index: usize, record: &GameRecord) -> Result<GameResult, ParseError> {
        let moves = moves_of_round(game, index, record)?;
        let outcome = record.outcome.ok_or_else(|| ParseError::new("game of a match", "", "no result"))?;
        Ok(GameResult {
            index,
            first: index % 2,
            start: record.start.clone(),
            opening: number_in(record, "OpeningPlies").unwrap_or(0).min(moves.len()),
            moves,
            outcome,
            ending: record.ending.clone(),
            costs: [Cost::default(); 2],
            spent: Vec::new(),
        })
    }

    /// The side that a player had.
    pub fn side_of(&self, player: usize) -> Side {
        if player == self.first { Side::First } else { Side::Second }
    }
}

/// A tag that is a number.
fn number_in(record: &GameRecord, name: &str) -> Option<usize> {
    record.tags.iter().find(|(tag, _)| tag == name).and_then(|(_, value)| value.parse().ok())
}

/// The moves of a record of a match's game with this number, in the game's notation, each of them legal.
///
/// # Errors
/// If the record is of another game or other rules or has another number, or a move is not legal.
pub fn moves_of_round(game: &dyn AnyGame, index: usize, record: &GameRecord) -> Result<Vec<String>, ParseError> {
    let wrong = |problem: String| ParseError::new("game of a match", "", problem);
    let rules = (record.game.as_str(), record.rules, record.rules_version);
    if rules != (game.name(), game.rules(), game.rules_version()) {
        return Err(wrong(format!("a record of {}", record.game)));
    }
    if number_in(record, "Round") != Some(index + 1) {
        return Err(wrong(format!("not round {}", index + 1)));
    }
    let mut position = game.parse(&record.start)?;
    let mut moves = Vec::with_capacity(record.moves.len());
    for (number, played) in (1..).zip(&record.moves) {
        let mv = MoveId(played.bits);
        if !position.moves().contains(&mv) {
            return Err(wrong(format!("move {number} ({:#x}) is not legal", played.bits)));
        }
        moves.push(position.format_move(mv));
        position.play(mv).map_err(|error| wrong(format!("move {number}: {error}")))?;
    }
    Ok(moves)
}
