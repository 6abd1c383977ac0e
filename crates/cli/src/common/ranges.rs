//! The ranges of numbers on the command line: parsers for clap whose messages name the range.

use clap::builder::RangedU64ValueParser;
use std::ops::RangeInclusive;
use std::time::Duration;
use tesuji_core::limits;

/// A whole number of any type.
pub trait Whole: TryFrom<u64> + Clone + Send + Sync + 'static {}

impl<T: TryFrom<u64> + Clone + Send + Sync + 'static> Whole for T {}

fn whole<T: Whole>(range: RangeInclusive<u64>) -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(range)
}

/// Games, all of which are kept in memory.
pub fn games<T: Whole>() -> RangedU64ValueParser<T> {
    whole(limits::GAMES)
}

/// Games or positions that are counted and forgotten; also the number of one of them.
pub fn count<T: Whole>() -> RangedU64ValueParser<T> {
    whole(1..=1_000_000_000_000)
}

/// Threads.
pub fn threads<T: Whole>() -> RangedU64ValueParser<T> {
    whole(limits::THREADS)
}

/// Plies of a game.
pub fn plies<T: Whole>() -> RangedU64ValueParser<T> {
    let (least, most) = limits::PLIES.into_inner();
    whole(u64::from(least)..=u64::from(most))
}

/// Positions that a search visits.
pub fn nodes<T: Whole>() -> RangedU64ValueParser<T> {
    whole(limits::NODES)
}

/// Milliseconds of a search.
pub fn milliseconds<T: Whole>() -> RangedU64ValueParser<T> {
    whole(1..=limits::TIME.end().as_secs() * 1000)
}

/// Megabytes of a table.
pub fn megabytes<T: Whole>() -> RangedU64ValueParser<T> {
    whole(1..=*limits::MEGABYTES.end() as u64)
}

/// How many lines to show.
pub fn lines<T: Whole>() -> RangedU64ValueParser<T> {
    whole(0..=1_000_000)
}

/// The rating of an engine.
pub fn rating<T: Whole>() -> RangedU64ValueParser<T> {
    whole(0..=10_000)
}

/// Episodes to learn from.
pub fn episodes<T: Whole>() -> RangedU64ValueParser<T> {
    whole(1..=1_000_000_000)
}

/// States of a game that is small enough for a table.
pub fn states<T: Whole>() -> RangedU64ValueParser<T> {
    whole(1..=10_000_000)
}

fn real(text: &str, range: &RangeInclusive<f64>) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected a number from {} to {}", range.start(), range.end()))
}

/// The probability with which a position is kept.
pub fn keep(text: &str) -> Result<f64, String> {
    real(text, &(0.000_001..=1.0))
}

/// Seconds of a measurement.
pub fn seconds(text: &str) -> Result<f64, String> {
    real(text, &(0.001..=3600.0))
}

/// The discount of later rewards.
pub fn discount(text: &str) -> Result<f64, String> {
    real(text, &(0.000_001..=1.0))
}

/// A share, 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    real(text, &(0.0..=1.0))
}

/// The time of a move: nobody can think for none.
pub fn move_time(text: &str) -> Result<Duration, String> {
    let time = tesuji_core::budget::parse_duration(text).filter(|time| limits::TIME.contains(time));
    time.ok_or_else(|| "expected a time of 1us to 1000h, such as 10ms or 1s".to_owned())
}

/// A time.
pub fn time(text: &str) -> Result<Duration, String> {
    let time = tesuji_core::budget::parse_duration(text).filter(|time| time <= limits::TIME.end());
    time.ok_or_else(|| "expected a time of 0s to 1000h, such as 200ms, 1.5s or 10m".to_owned())
}

/// A time after which somebody is taken for dead.
pub fn deadline(text: &str) -> Result<Duration, String> {
    let range = Duration::from_millis(500)..=Duration::from_secs(24 * 3600);
    let time = tesuji_core::budget::parse_duration(text).filter(|time| range.contains(time));
    time.ok_or_else(|| "expected a time from 500ms to 24h, such as 2m".to_owned())
}
