//! Mate solvers by name: `dfpn`, `dfpn:20000`, `dfs:7`, `exact:3`.

use std::fmt;
use std::str::FromStr;
use tesuji_core::ParseError;

/// A depth-first search by checks that is deeper than this would never end.
const DEEPEST_DFS: u16 = 31;
/// More moves than any exact search can look through.
const MOST_MOVES: u16 = 99;

/// Which solver to use, and how far it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverSpec {
    /// Depth-first proof-number search by checks.
    Dfpn {
        /// Give up after this many positions.
        nodes: Option<u64>,
    },
    /// Iterative-deepening depth-first search by checks.
    Dfs {
        /// The longest mate, in plies: odd.
        depth: u16,
    },
    /// Exact search in which the attacker may also play quiet moves.
    Exact {
        /// The longest mate, in moves of the attacker.
        moves: u16,
    },
}

impl SolverSpec {
    /// What may be written, for help texts.
    pub const FORMS: &'static str = "dfpn, dfpn:NODES, dfs:DEPTH (odd plies) or exact:MOVES";

    /// Reads a solver, or `none`, which is no solver.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse_optional(text: &str) -> Result<Option<SolverSpec>, ParseError> {
        if text == "none" { Ok(None) } else { text.parse().map(Some) }
    }
}

impl Default for SolverSpec {
    fn default() -> SolverSpec {
        SolverSpec::Dfpn { nodes: None }
    }
}

impl fmt::Display for SolverSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverSpec::Dfpn { nodes: None } => write!(f, "dfpn"),
            SolverSpec::Dfpn { nodes: Some(nodes) } => write!(f, "dfpn:{nodes}"),
            SolverSpec::Dfs { depth } => write!(f, "dfs:{depth}"),
            SolverSpec::Exact { moves } => write!(f, "exact:{moves}"),
        }
    }
}

impl FromStr for SolverSpec {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<SolverSpec, ParseError> {
        let wrong = |problem: String| ParseError::new("mate solver", text, problem);
        let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
        // `parse` alone would take a plus sign.
        let digits = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value.filter(|value| digits(value)).and_then(|value| value.parse::<u64>().ok());
        let within = |least: u64, most: u16| number.filter(|n| (least..=u64::from(most)).contains(n)).map(|n| n as u16);
        match (name, value) {
            ("dfpn", None) => Ok(SolverSpec::Dfpn { nodes: None }),
            ("dfpn", Some(_)) => match number {
                Some(nodes) if nodes > 0 => Ok(SolverSpec::Dfpn { nodes: Some(nodes) }),
                _ => Err(wrong("dfpn:NODES takes a number of positions from 1, such as dfpn:20000".to_owned())),
            },
            ("dfs", _) => match within(1, DEEPEST_DFS) {
                Some(depth) if depth % 2 == 1 => Ok(SolverSpec::Dfs { depth }),
                _ => {
                    Err(wrong(format!("dfs:DEPTH takes an odd number of plies from 1 to {DEEPEST_DFS}, such as dfs:7")))
                }
            },
            ("exact", _) => match within(1, MOST_MOVES) {
                Some(moves) => Ok(SolverSpec::Exact { moves }),
                None => {
                    Err(wrong(format!("exact:MOVES takes a number of moves from 1 to {MOST_MOVES}, such as exact:3")))
                }
            },
            _ => Err(wrong(format!("expected {}", SolverSpec::FORMS))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_are_written_as_they_are_read() {
        for text in ["dfpn", "dfpn:1", "dfpn:20000", "dfs:1", "dfs:7", "dfs:31", "exact:1", "exact:99"] {
            assert_eq!(text.parse::<SolverSpec>().unwrap().to_string(), text);
            assert_eq!(SolverSpec::parse_optional(text).unwrap(), Some(text.parse().unwrap()));
        }
        assert_eq!(SolverSpec::parse_optional("none").unwrap(), None);
        assert_eq!(SolverSpec::default().to_string(), "dfpn");
    }

    #[test]
    fn bad_values_say_what_is_right() {
        let cases = [
            ("", "expected dfpn, "),
            ("none", "expected dfpn, "),
            ("pn", "expected dfpn, "),
            ("dfpn:", "dfpn:20000"),
            ("dfpn:0", "dfpn:20000"),
            ("dfpn:+5", "dfpn:20000"),
            ("dfs", "dfs:7"),
            ("dfs:", "dfs:7"),
            ("dfs:0", "dfs:7"),
            ("dfs:4", "odd number"),
            ("dfs:33", "1 to 31"),
            ("dfs:-1", "dfs:7"),
            ("exact", "exact:3"),
            ("exact:0", "exact:3"),
            ("exact:100", "1 to 99"),
            ("exact:99999999999999999999", "1 to 99"),
        ];
        for (text, hint) in cases {
            let error = text.parse::<SolverSpec>().unwrap_err().to_string();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }
}
