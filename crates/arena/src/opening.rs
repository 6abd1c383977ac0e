//! Where the games of a match start.

use serde::{Deserialize, Serialize};
use tesuji_core::{AnyGame, ParseError, Place, Stream};

/// The openings of a match: each is played twice, with the colours swapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Openings {
    /// The game's start, followed by this many random moves (0: always the same start).
    Random(u32),
    /// The game's own varied starts (TUBSTAP's random and technical maps).
    Varied,
    /// These lines, in turn: `POSITION [moves M1 M2 ...]`.
    Lines(Vec<String>),
}

/// One opening: a start and the moves that lead to where the players take over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The start in the game's notation, or `startpos`.
    pub start: String,
    /// Moves from there, in the game's notation.
    pub moves: Vec<String>,
}

impl Opening {
    /// The opening as a line: `START [moves M1 M2 ...]`.
    pub fn line(&self) -> String {
        if self.moves.is_empty() {
            self.start.clone()
        } else {
            format!("{} moves {}", self.start, self.moves.join(" "))
        }
    }
}

impl Openings {
    /// Reads lines from a file's text; empty lines and lines that begin with `#` are skipped, as is what follows a TAB.
    ///
    /// # Errors
    /// If a line is not a position of the game, or a game that has already ended; the error gives the line.
    pub fn from_text(game: &dyn AnyGame, text: &str) -> Result<Openings, ParseError> {
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('\t').next().unwrap_or("").trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let position = game.parse(line).map_err(|error| error.at(Place::Line(number + 1)))?;
            if position.outcome().is_some() {
                let error = ParseError::new("opening", line, "the game is over there");
                return Err(error.at(Place::Line(number + 1)));
            }
            lines.push(line.to_owned());
        }
        if lines.is_empty() {
            return Err(ParseError::new("openings", text, "there are none"));
        }
        Ok(Openings::Lines(lines))
    }

    /// Openings between which no player makes a difference as to whether it can play them: every line, one of the random
    /// ones, one of the varied ones.
    pub fn kinds(&self, game: &dyn AnyGame, seed: u64) -> Vec<Opening> {
        let different = match self {
            Openings::Random(_) | Openings::Varied => 1,
            Openings::Lines(lines) => lines.len() as u64,
        };
        (0..different).map(|pair| self.opening(game, seed, pair)).collect()
    }

    /// The opening of pair number `pair` in a match with this seed.
    pub fn opening(&self, game: &dyn AnyGame, seed: u64, pair: u64) -> Opening {
        let mut random = Stream::new(seed, "opening", pair);
        match self {
            Openings::Random(plies) => random_moves(game, *plies, &mut random),
            Openings::Varied => {
                let start = game.varied_start(&mut random).text();
                Opening { start, moves: Vec::new() }
            }
            Openings::Lines(lines) => {
                let line = &lines[(pair % lines.len() as u64) as usize];
                let (start, moves) = line.split_once(" moves ").unwrap_or((line, ""));
                Opening { start: start.trim().to_owned(), moves: moves.split_whitespace().map(str::to_owned).collect() }
            }
        }
    }
}

/// The start followed by `plies` random moves after which the game still goes on.
fn random_moves(game: &dyn AnyGame, plies: u32, random: &mut Stream) -> Opening {
    // A game that random moves keep ending early gets shorter openings rather than no match.
    for attempt in 0..100 {
        let plies = if attempt < 50 { plies } else { plies / 2 };
        let mut position = game.start();
        let mut moves = Vec::new();
        while moves.len() < plies as usize && position.outcome().is_none() {
            let list = position.moves();
            let mv = list[random.below(list.len())];
            moves.push(position.format_move(mv));
            position.play(mv).expect("the position's own moves are legal");
        }
        if position.outcome().is_none() {
            return Opening { start: "startpos".to_owned(), moves };
        }
    }
    Opening { start: "startpos".to_owned(), moves: Vec::new() }
}
