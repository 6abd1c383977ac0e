//! Which rules are played, and how boards are drawn.

use crate::ParseError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which variant of a game's end rules is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// As federations and platforms play it.
    #[default]
    Official,
    /// As the paper that started our work on this game played it.
    Paper,
}

impl Rules {
    /// Every variant.
    pub const ALL: [Rules; 2] = [Rules::Official, Rules::Paper];

    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Rules::Official => "official",
            Rules::Paper => "paper",
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rules {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Rules, ParseError> {
        Rules::ALL
            .into_iter()
            .find(|rules| rules.name() == text)
            .ok_or_else(|| ParseError::new("rules", text, "expected `official` or `paper`"))
    }
}

/// How a text board is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours.
    pub color: bool,
    /// Japanese piece names where the game has them, letters otherwise.
    pub kanji: bool,
}
