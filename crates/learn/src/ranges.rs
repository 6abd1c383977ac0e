//! The ranges of the numbers in experiments. Each section declares those of its keys where it declares the keys; here is
//! how they are checked and shown.

use std::ops::RangeInclusive;
use toml::Value;

/// The numbers that a key takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// Whole numbers.
    Whole(RangeInclusive<u64>),
    /// Any numbers.
    Real(RangeInclusive<f64>),
}

/// The ranges of a section: keys without the section's name, such as `noise_alpha`, or `schedule.cosine.rate`. The
/// elements of a list have the list's own key; the elements of lists in a list have `key.0`, `key.1`.
pub type KeyRanges = Vec<(&'static str, Range)>;

/// Whole numbers from the least to the most, both included.
pub const fn whole(range: RangeInclusive<u64>) -> Range {
    Range::Whole(range)
}

/// Numbers from the least to the most, both included.
pub const fn real(range: RangeInclusive<f64>) -> Range {
    Range::Real(range)
}

/// A share or probability.
pub const SHARE: Range = real(0.0..=1.0);
/// A constant of exploration, a bias or a weight.
pub const WEIGHT: Range = real(0.0..=1000.0);

impl Range {
    /// The range in words: `a whole number from 1 to 99`.
    pub fn words(&self) -> String {
        match self {
            Range::Whole(range) => format!("a whole number from {} to {}", range.start(), range.end()),
            Range::Real(range) => format!("a number from {} to {}", range.start(), range.end()),
        }
    }

    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Range::Whole(range), Value::Integer(number)) => u64::try_from(*number).is_ok_and(|n| range.contains(&n)),
            (Range::Real(range), Value::Integer(number)) => range.contains(&(*number as f64)),
            // No range holds what is no number.
            (Range::Real(range), Value::Float(number)) => range.contains(number),
            _ => false,
        }
    }
}

/// The range that is declared for a key.
pub fn declared<'r>(ranges: &'r KeyRanges, key: &str) -> Option<&'r Range> {
    ranges.iter().find(|(known, _)| *known == key).map(|(_, range)| range)
}

/// Checks every number of a section whose key has a range.
///
/// # Errors
/// With the first one that is out of its range, in words that name the range.
pub fn check(section: &str, ranges: &KeyRanges, value: &Value) -> Result<(), String> {
    visit("", value, false, &mut |key, value| match declared(ranges, key) {
        Some(range) if !range.holds(value) => Err(format!("{section}.{key} = {value}: expected {}", range.words())),
        _ => Ok(()),
    })
}

/// Calls `each` with every number of a section and its key, in the order of the file.
///
/// # Errors
/// Those of `each`.
pub fn visit(
    key: &str,
    value: &Value,
    in_list: bool,
    each: &mut dyn FnMut(&str, &Value) -> Result<(), String>,
) -> Result<(), String> {
    match value {
        Value::Integer(_) | Value::Float(_) => each(key, value),
        Value::Table(table) => table.iter().try_for_each(|(name, value)| {
            let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            visit(&below, value, false, each)
        }),
        Value::Array(list) => list.iter().enumerate().try_for_each(|(place, value)| {
            let below = if in_list { format!("{key}.{place}") } else { key.to_owned() };
            visit(&below, value, true, each)
        }),
        _ => Ok(()),
    }
}

/// An experiment's text with the range of each number behind it, as a comment.
pub fn annotate(text: &str, ranges: &dyn Fn(&str) -> KeyRanges) -> String {
    let mut out = String::new();
    let (mut section, mut below) = (String::new(), String::new());
    for line in text.lines() {
        out.push_str(line);
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_matches(['[', ']']);
            let (first, rest) = header.split_once('.').unwrap_or((header, ""));
            (section, below) = (first.to_owned(), if rest.is_empty() { String::new() } else { format!("{rest}.") });
        } else if let Some((key, _)) = line.split_once(" = ")
            && let Some(range) = declared(&ranges(&section), &format!("{below}{key}"))
        {
            out.push_str(&format!("  # {}", range.words()));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_wherever_they_are() {
        let ranges: KeyRanges = vec![
            ("count", whole(1..=9)),
            ("list", SHARE),
            ("deep.rate", real(0.0..=2.0)),
            ("pairs.0", whole(0..=99)),
            ("pairs.1", SHARE),
        ];
        let tried = |text: &str| check("s", &ranges, &Value::Table(text.parse().unwrap()));
        for good in ["count = 9", "list = [0, 0.5, 1.0]", "deep = { rate = 2 }", "pairs = [[7, 1.0]]", "other = -1"] {
            assert_eq!(tried(good), Ok(()), "{good}");
        }
        for (bad, told) in [
            ("count = 0", "s.count = 0: expected a whole number from 1 to 9"),
            ("count = -1", "s.count = -1: "),
            ("count = 2.0", "s.count = 2.0: "),
            ("list = [0.5, 1.5]", "s.list = 1.5: expected a number from 0 to 1"),
            ("list = nan", "s.list = nan: "),
            ("deep.rate = inf", "s.deep.rate = inf: "),
            ("pairs = [[7, 0.5], [7, 7]]", "s.pairs.1 = 7: "),
        ] {
            let problem = tried(bad).unwrap_err();
            assert!(problem.starts_with(told), "{bad}: {problem}");
        }
        let text = "count = 3\nname = \"x\"\n\n[s]\ncount = 4\n\n[s.deep]\nrate = 1.0\n";
        let shown = annotate(text, &|section| if section == "s" { ranges.clone() } else { KeyRanges::new() });
        let expected = "count = 3\nname = \"x\"\n\n[s]\ncount = 4  # a whole number from 1 to 9\n\n[s.deep]\n\
                        rate = 1.0  # a number from 0 to 2\n";
        assert_eq!(shown, expected);
    }
}
