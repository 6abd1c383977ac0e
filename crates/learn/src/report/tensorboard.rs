//! A run's events for TensorBoard, and for whatever reads its files.
//!
//! An event file is a sequence of records, as TensorFlow writes them: the length, its checksum, the bytes of a protobuf
//! message, their checksum. Only the fields that scalars need are declared.

use crate::run::curves::Places;
use crate::run::ledger::Entry;
use crate::run::{Event, GenerationEvent, StrengthEvent};
use prost::Message;

/// The name of the file in its directory: TensorBoard looks for `tfevents`.
pub const FILE: &str = "events.out.tfevents.0.tesuji";

/// One message of an event file.
#[derive(Clone, PartialEq, Message)]
struct Logged {
    /// Seconds: of playing and training, since the run began.
    #[prost(double, tag = "1")]
    wall_time: f64,
    /// The generation.
    #[prost(int64, tag = "2")]
    step: i64,
    /// Of the first message.
    #[prost(string, optional, tag = "3")]
    file_version: Option<String>,
    /// The numbers.
    #[prost(message, optional, tag = "5")]
    summary: Option<Numbers>,
}

/// The numbers of a message.
#[derive(Clone, PartialEq, Message)]
struct Numbers {
    #[prost(message, repeated, tag = "1")]
    values: Vec<Number>,
}

/// A number with its name.
#[derive(Clone, PartialEq, Message)]
struct Number {
    #[prost(string, tag = "1")]
    tag: String,
    #[prost(float, optional, tag = "2")]
    simple_value: Option<f32>,
}

/// The bytes of an event file with everything that a run's events say: the same events give the same bytes.
///
/// Steps are generations; times are seconds of playing and training since the run began.
pub fn event_file(events: &[Event], costs: &[Entry]) -> Vec<u8> {
    let places = Places::of(events, costs);
    let mut out = Vec::new();
    let first = Logged { file_version: Some("brain.Event:2".to_owned()), ..Logged::default() };
    append(&first.encode_to_vec(), &mut out);
    for event in events {
        let numbers = match event {
            Event::Generation(event) => of_generation(event),
            Event::Strength(event) => of_strength(event),
        };
        let known = |(tag, value): (String, Option<f64>)| {
            let value = value.filter(|value| value.is_finite())?;
            Some(Number { tag, simple_value: Some(value as f32) })
        };
        let values: Vec<Number> = numbers.into_iter().filter_map(known).collect();
        let generation = event.generation();
        let logged = Logged {
            wall_time: 60.0 * places.at(generation).minutes,
            step: i64::try_from(generation).unwrap_or(i64::MAX),
            file_version: None,
            summary: Some(Numbers { values }),
        };
        append(&logged.encode_to_vec(), &mut out);
    }
    out
}

/// What is known of a generation, by name.
fn of_generation(event: &GenerationEvent) -> Vec<(String, Option<f64>)> {
    let (play, wide) = (&event.play, |value: Option<f32>| value.map(f64::from));
    let [first, drawn, second] = play.outcomes.map(|count| Some(count as f64 / play.games.max(1) as f64));
    let test = event.test.as_ref();
    let held_out = event.held_out.as_ref();
    let numbers = [
        ("loss/policy", wide(event.policy_loss)),
        ("loss/divergence", wide(event.divergence)),
        ("loss/value", Some(event.value_loss.into())),
        ("loss/l2", Some(event.l2_loss.into())),
        ("loss/total", Some(event.total_loss.into())),
        ("accuracy/policy", wide(event.policy_accuracy)),
        ("accuracy/value", Some(event.value_accuracy.into())),
        ("training/rate", Some(event.rate.into())),
        ("training/step", Some(event.step as f64)),
        ("window/games", Some(event.window[0] as f64)),
        ("window/positions", Some(event.window[1] as f64)),
        ("play/games", Some(play.games as f64)),
        ("play/positions", Some(play.positions as f64)),
        ("play/mean_plies", Some(play.mean_plies)),
        ("play/first_wins", first),
        ("play/draws", drawn),
        ("play/second_wins", second),
        ("play/mates", Some(play.mates as f64)),
        ("test/top1", test.and_then(|test| test.top1)),
        ("test/top5", test.and_then(|test| test.top5)),
        ("test/cross_entropy", test.and_then(|test| test.cross_entropy)),
        ("test/value_error", test.map(|test| test.value_error)),
        ("test/value_accuracy", test.map(|test| test.value_accuracy)),
        ("held_out/loss", held_out.map(|held_out| held_out.loss)),
        ("held_out/before", held_out.map(|held_out| held_out.before)),
        ("held_out/quantisation", held_out.map(|held_out| held_out.quantisation)),
    ];
    numbers.into_iter().map(|(tag, value)| (tag.to_owned(), value)).collect()
}

/// What a match against a fixed opponent says.
fn of_strength(event: &StrengthEvent) -> Vec<(String, Option<f64>)> {
    let [wins, draws, losses] = event.score.map(|count| count as f64);
    let games = wins + draws + losses;
    let tag = |name: &str| format!("strength/{}/{name}", event.opponent);
    vec![
        (tag("score"), (games > 0.0).then_some((wins + 0.5 * draws) / games)),
        (tag("elo"), event.elo[0]),
        (tag("elo_low"), event.elo[1]),
        (tag("elo_high"), event.elo[2]),
    ]
}

/// Appends a record.
fn append(bytes: &[u8], out: &mut Vec<u8>) {
    let length = (bytes.len() as u64).to_le_bytes();
    out.extend_from_slice(&length);
    out.extend_from_slice(&masked(&length).to_le_bytes());
    out.extend_from_slice(bytes);
    out.extend_from_slice(&masked(bytes).to_le_bytes());
}

/// TensorFlow's checksum: CRC-32C, turned, so that a checksum of checksums is none.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32 with Castagnoli's polynomial, bit by bit: these files are small.
fn crc32c(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 };
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // RFC 3720, B.4, and the usual check value.
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let strength = StrengthEvent {
            generation: 3,
            agent: "pv".to_owned(),
            opponent: "bot".to_owned(),
            score: [6, 2, 2],
            distinct: 10,
            elo: [Some(147.0), None, Some(300.0)],
        };
        let bytes = event_file(&[Event::Strength(strength)], &[]);
        let mut rest = &bytes[..];
        let mut messages = Vec::new();
        while !rest.is_empty() {
            let length = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            assert_eq!(rest[8..12], masked(&rest[..8]).to_le_bytes());
            let body = &rest[12..12 + length];
            assert_eq!(rest[12 + length..16 + length], masked(body).to_le_bytes());
            messages.push(Logged::decode(body).unwrap());
            rest = &rest[16 + length..];
        }
        assert_eq!(messages.len(), 2);
        assert_eq!(messages[0].file_version.as_deref(), Some("brain.Event:2"));
        let values = &messages[1].summary.as_ref().unwrap().values;
        let read: Vec<(&str, f32)> = values.iter().map(|value| (value.tag.as_str(), value.simple_value())).collect();
        assert_eq!(messages[1].step, 3);
        assert_eq!(read, [("strength/bot/score", 0.7), ("strength/bot/elo", 147.0), ("strength/bot/elo_high", 300.0)]);
    }
}
