//! Which engine to run.

use serde::{Deserialize, Serialize};
use std::str::FromStr;
use tesuji_core::ParseError;

/// Which engine to run: written `COMMAND[?OPTION=VALUE[&OPTION=VALUE...]]`.
///
/// ```
/// use tesuji_arena::engine::EngineSpec;
/// let spec: EngineSpec = "stockfish?UCI_LimitStrength=true&UCI_Elo=1500".parse().unwrap();
/// assert_eq!(spec.options[1], ("UCI_Elo".to_owned(), "1500".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The command line.
    pub command: String,
    /// Engine options by name.
    pub options: Vec<(String, String)>,
}

impl FromStr for EngineSpec {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<EngineSpec, ParseError> {
        let (command, rest) = text.split_once('?').unwrap_or((text, ""));
        if command.trim().is_empty() {
            return Err(ParseError::new("engine", text, "expected COMMAND[?OPTION=VALUE&...]"));
        }
        let option = |part: &str| {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| ParseError::new("engine", text, format!("option {part:?}: expected OPTION=VALUE")))?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        };
        let options = rest.split('&').filter(|part| !part.is_empty()).map(option).collect::<Result<_, ParseError>>()?;
        Ok(EngineSpec { command: command.trim().to_owned(), options })
    }
}
