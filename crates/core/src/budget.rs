//! How much a search may spend.

use crate::{ParseError, limits};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// Limits on one search; the first one that is reached ends it. A limit that is not set does not count.
///
/// Written `sims=800`, `nodes=1000000`, `depth=5`, `time=1.5s`, `soft=500ms`, `cpu=200ms`, or several joined by commas.
///
/// ```
/// use tesuji_core::Budget;
/// let budget: Budget = "sims=800,time=1.5s".parse().unwrap();
/// assert_eq!(budget.simulations, Some(800));
/// assert_eq!(budget.to_string(), "sims=800,time=1.5s");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Simulations of a tree search.
    pub simulations: Option<u64>,
    /// Positions visited or tree nodes made.
    pub nodes: Option<u64>,
    /// Plies of iterative deepening.
    pub depth: Option<u32>,
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// The wall-clock time that a search aims at, within `time`: where clocks are played, what a move should take. Searches
    /// that know when they are unsure may take more; all others end here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft: Option<Duration>,
    /// CPU time, over all threads of the search.
    pub cpu: Option<Duration>,
}

impl Budget {
    /// No limit at all: a search with this runs until it is stopped or the position is solved.
    pub const UNLIMITED: Budget =
        Budget { simulations: None, nodes: None, depth: None, time: None, soft: None, cpu: None };

    /// At most this many simulations.
    pub const fn simulations(simulations: u64) -> Budget {
        Budget { simulations: Some(simulations), ..Budget::UNLIMITED }
    }

    /// At most this many nodes.
    pub const fn nodes(nodes: u64) -> Budget {
        Budget { nodes: Some(nodes), ..Budget::UNLIMITED }
    }

    /// At most this many plies.
    pub const fn depth(depth: u32) -> Budget {
        Budget { depth: Some(depth), ..Budget::UNLIMITED }
    }

    /// At most this much wall-clock time.
    pub const fn time(time: Duration) -> Budget {
        Budget { time: Some(time), ..Budget::UNLIMITED }
    }

    /// Both limits: for each kind the smaller one.
    #[must_use]
    pub fn and(self, other: Budget) -> Budget {
        fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            }
        }
        Budget {
            simulations: least(self.simulations, other.simulations),
            nodes: least(self.nodes, other.nodes),
            depth: least(self.depth, other.depth),
            time: least(self.time, other.time),
            soft: least(self.soft, other.soft),
            cpu: least(self.cpu, other.cpu),
        }
    }

    /// Whether no limit is set.
    pub fn is_unlimited(&self) -> bool {
        *self == Budget::UNLIMITED
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.simulations.map(|n| format!("sims={n}")),
            self.nodes.map(|n| format!("nodes={n}")),
            self.depth.map(|n| format!("depth={n}")),
            self.time.map(|t| format!("time={t:?}")),
            self.soft.map(|t| format!("soft={t:?}")),
            self.cpu.map(|t| format!("cpu={t:?}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { f.write_str("unlimited") } else { f.write_str(&parts.join(",")) }
    }
}

impl FromStr for Budget {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Budget, ParseError> {
        if text == "unlimited" {
            return Ok(Budget::UNLIMITED);
        }
        let mut budget = Budget::UNLIMITED;
        for part in text.split(',') {
            let wrong = |problem: &str| ParseError::new("budget", text, format!("{part:?}: {problem}"));
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| wrong("expected KEY=VALUE with one of sims, nodes, depth, time, soft, cpu"))?;
            let number = |range: RangeInclusive<u64>| {
                let number = value.parse().ok().filter(|number| range.contains(number));
                number.ok_or_else(|| wrong(&format!("expected a whole number {}", from_to(&range))))
            };
            let time = || {
                let time = parse_duration(value).filter(|time| limits::TIME.contains(time));
                time.ok_or_else(|| wrong("expected a time of 1us to 1000h, such as 200ms, 1.5s, 10m or 2h"))
            };
            let twice = match key {
                "sims" => budget.simulations.replace(number(limits::SIMULATIONS)?).is_some(),
                "nodes" => budget.nodes.replace(number(limits::NODES)?).is_some(),
                "depth" => {
                    let (least, most) = limits::DEPTH.into_inner();
                    let depth = number(u64::from(least)..=u64::from(most))?;
                    budget.depth.replace(depth as u32).is_some()
                }
                "time" => budget.time.replace(time()?).is_some(),
                "soft" => budget.soft.replace(time()?).is_some(),
                "cpu" => budget.cpu.replace(time()?).is_some(),
                _ => return Err(wrong("unknown limit; known are sims, nodes, depth, time, soft, cpu")),
            };
            if twice {
                return Err(wrong("given twice"));
            }
        }
        Ok(budget)
    }
}

/// A range in words: `from 1 to 99`.
pub fn from_to<T: Display>(range: &RangeInclusive<T>) -> String {
    format!("from {} to {}", range.start(), range.end())
}

/// Reads `200ms`, `1.5s`, `10m`, `2h`; `None` if it is not a time or does not fit.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(unit_at);
    let seconds = match unit {
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    // Rounded to nanoseconds, because 0.2 * 1e-3 is not exact.
    let nanoseconds = (number.parse::<f64>().ok()? * seconds * 1e9).round();
    (nanoseconds < 1e18).then(|| Duration::from_nanos(nanoseconds as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_read_what_they_write() {
        for text in ["unlimited", "sims=1", "nodes=5,depth=3", "time=250ms,cpu=1.5s", "time=1s,soft=300ms"] {
            assert_eq!(text.parse::<Budget>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn budgets_refuse_nonsense() {
        for text in [
            "",
            "sims",
            "sims=",
            "sims=-1",
            "sims=x",
            "foo=1",
            "sims=1,sims=2",
            "time=1",
            "time=.s",
            "depth=99999999999",
            "sims=0",
            "nodes=0",
            "depth=0",
            "depth=201",
            "sims=1000000000001",
            "time=0s",
            "cpu=1001h",
            "soft=0s",
        ] {
            assert!(text.parse::<Budget>().is_err(), "{text:?} was taken");
        }
        let error = "depth=0".parse::<Budget>().unwrap_err().to_string();
        assert!(error.contains("expected a whole number from 1 to 200"), "{error}");
    }

    #[test]
    fn budgets_combine_to_the_smaller_limit() {
        let both = Budget::simulations(10).and("sims=5,depth=3".parse().unwrap());
        assert_eq!(both.to_string(), "sims=5,depth=3");
    }
}
