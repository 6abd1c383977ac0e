//! Step sizes: how far an estimate goes towards a new target.

use std::fmt;
use std::str::FromStr;
use tesuji_core::ParseError;

/// How `alpha` follows from the number of visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepSize {
    /// The same for ever: follows what changes, and never settles.
    Constant(f64),
    /// `1 / n^power` at the n-th visit. The power 1 makes the estimate the mean of its targets. Powers above
    /// 1/2 settle, and forget early targets, which were made from early estimates, the sooner the smaller they are.
    Visits {
        /// The power, above 0.5 and at most 1.
        power: f64,
    },
}

impl StepSize {
    /// The estimate is the mean of its targets.
    pub const MEAN: StepSize = StepSize::Visits { power: 1.0 };

    fn at(self, visits: u32) -> f64 {
        match self {
            StepSize::Constant(alpha) => alpha,
            StepSize::Visits { power } => f64::from(visits).powf(-power),
        }
    }
}

impl fmt::Display for StepSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            StepSize::Constant(alpha) => write!(f, "{alpha}"),
            StepSize::MEAN => f.write_str("1/n"),
            StepSize::Visits { power } => write!(f, "1/n^{power}"),
        }
    }
}

impl FromStr for StepSize {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<StepSize, ParseError> {
        let error = || {
            let expected = "expected a number above 0 and at most 1, or 1/n, or 1/n^P with P above 0.5 and at most 1";
            ParseError::new("step size", text, expected)
        };
        let number = |text: &str, low: f64| {
            let number = text.parse().ok().filter(|number| *number > low && *number <= 1.0);
            number.ok_or_else(error)
        };
        match text.strip_prefix("1/n") {
            Some("") => Ok(StepSize::MEAN),
            Some(rest) => Ok(StepSize::Visits { power: number(rest.strip_prefix('^').ok_or_else(error)?, 0.5)? }),
            None => Ok(StepSize::Constant(number(text, 0.0)?)),
        }
    }
}

/// The step size of each entry of a table (a state, or an action of a state), which falls as it is visited.
#[derive(Clone, Debug)]
pub struct Rates {
    size: StepSize,
    visits: Vec<u32>,
}

impl Rates {
    /// Step sizes before any visit.
    pub fn new(entries: usize, size: StepSize) -> Rates {
        Rates { size, visits: vec![0; entries] }
    }

    /// Counts a visit to an entry and gives `alpha` for it.
    pub fn visit(&mut self, entry: usize) -> f64 {
        self.visits[entry] = self.visits[entry].saturating_add(1);
        self.size.at(self.visits[entry])
    }

    /// `alpha` of an entry that has been visited before.
    pub fn current(&self, entry: usize) -> f64 {
        self.size.at(self.visits[entry])
    }

    /// The number of entries that have been visited.
    pub fn seen(&self) -> usize {
        self.visits.iter().filter(|&&visits| visits > 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_sizes_are_read_and_written() {
        for text in ["0.1", "1", "1/n", "1/n^0.7"] {
            assert_eq!(text.parse::<StepSize>().unwrap().to_string(), text);
        }
        for text in ["0", "1.5", "-1", "NaN", "inf", "1/n^", "1/n^0.5", "1/n^2", "1/nn", "2/n", ""] {
            assert!(text.parse::<StepSize>().unwrap_err().to_string().contains("1/n^P"), "{text}");
        }
    }

    #[test]
    fn rates_fall_with_the_visits_of_their_own_entry() {
        let mut rates = Rates::new(5, StepSize::MEAN);
        assert_eq!([rates.visit(1), rates.visit(1), rates.visit(2), rates.visit(1)], [1.0, 0.5, 1.0, 1.0 / 3.0]);
        assert_eq!((rates.current(1), rates.seen()), (1.0 / 3.0, 2));
    }
}
