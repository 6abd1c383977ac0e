//! Errors of input, worded so that the reader can correct it.

use std::fmt;

/// Where in the input the problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The n-th character, from 1.
    Character(usize),
    /// The n-th line, from 1.
    Line(usize),
    /// The n-th byte of a binary file, from 0.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Character(n) => write!(f, "character {n}"),
            Place::Line(n) => write!(f, "line {n}"),
            Place::Byte(n) => write!(f, "byte {n}"),
        }
    }
}

/// Text or bytes that could not be read: what was expected, the offending input, the place and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    kind: &'static str,
    input: String,
    place: Option<Place>,
    problem: String,
}

impl ParseError {
    /// An error about a `kind` of input ("SFEN", "PGN"); only the first part of a long input is kept.
    pub fn new(kind: &'static str, input: &str, problem: impl Into<String>) -> ParseError {
        ParseError { kind, input: excerpt(input), place: None, problem: problem.into() }
    }

    /// The same error with the place where it was found.
    #[must_use]
    pub fn at(mut self, place: Place) -> ParseError {
        self.place = Some(place);
        self
    }

    /// What kind of input was being read.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Where the problem is, if known.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// What is wrong.
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad {}", self.kind)?;
        if !self.input.is_empty() {
            // Debug formatting keeps control characters of hostile input off the terminal.
            write!(f, " {:?}", self.input)?;
        }
        if let Some(place) = self.place {
            write!(f, " at {place}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for ParseError {}

/// The first characters of an input, so that an error stays one readable line.
pub fn excerpt(input: &str) -> String {
    const LONGEST: usize = 100;
    match input.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &input[..end]),
        None => input.to_owned(),
    }
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is not a move of this game.
    #[error(transparent)]
    Malformed(#[from] ParseError),
    /// The move is not legal in this position.
    #[error("illegal move {text:?}")]
    Illegal {
        /// The move as it was given.
        text: String,
    },
    /// The game has ended.
    #[error("no move {text:?}: the game is over")]
    GameOver {
        /// The move as it was given.
        text: String,
    },
}

impl MoveError {
    /// Text that is not a move.
    pub fn malformed(input: &str, problem: impl Into<String>) -> MoveError {
        MoveError::Malformed(ParseError::new("move", input, problem))
    }

    /// A well-formed move that is not legal here.
    pub fn illegal(text: &str) -> MoveError {
        MoveError::Illegal { text: excerpt(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_short_line() {
        let error = ParseError::new("SFEN", &"x\n".repeat(500), "no such piece").at(Place::Character(1));
        let text = error.to_string();
        assert!(!text.contains('\n'));
        assert!(text.len() < 400);
        assert!(text.contains("character 1"));
    }
}
