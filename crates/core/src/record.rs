//! Games as they were played, in a compact, versioned, checksummed binary form.
//!
//! A record file is a sequence of frames:
//!
//! | bytes | meaning |
//! |---|---|
//! | 4 | magic `TSJR` |
//! | 2 | format version, little-endian |
//! | 4 | length of the payload, little-endian |
//! | n | payload: the record, by `postcard` |
//! | 4 | CRC-32 of everything before it in the frame, little-endian |
//!
//! Frames are independent, so files are made by appending and a truncated tail costs only the last record.

use crate::error::Place;
use crate::{Move, MoveError, Outcome, ParseError, Position, Rules, Value};
use serde::{Deserialize, Serialize};
use std::io::Read;

const MAGIC: &[u8; 4] = b"TSJR";
const VERSION: u16 = 1;
const HEADER: usize = 10;
const TRAILER: usize = 4;
/// Larger payloads are damage or malice: a thousand-move game with full policies takes a few hundred kilobytes.
const LONGEST_PAYLOAD: usize = 16 << 20;

/// One game: its start, the moves, what the searches found, the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's registered name.
    pub game: String,
    /// The rules in force.
    pub rules: Rules,
    /// The version of the rules' implementation; see `GameRules::rules_version`.
    pub rules_version: u32,
    /// The start in the game's position notation, or `startpos`.
    pub start: String,
    /// Names, dates, seeds and whatever else belongs to the game, in order.
    pub tags: Vec<(String, String)>,
    /// The moves.
    pub moves: Vec<Played>,
    /// The result, if the game ended.
    pub outcome: Option<Outcome>,
    /// Why it ended ("checkmate", "resignation").
    pub ending: String,
}

/// One move of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The move's stable numeric form.
    pub bits: u32,
    /// What the search that chose it found, if kept.
    pub thought: Option<Thought>,
}

/// What a search found in the position before a move: the training target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thought {
    /// The search's value, for the first player.
    pub value: Value,
    /// Moves (numeric form) and their weight; a probability is the weight over the sum of weights.
    pub policy: Vec<(u32, u32)>,
}

impl GameRecord {
    /// An empty record of a game from `start`.
    pub fn new(game: &str, rules: Rules, rules_version: u32, start: &str) -> GameRecord {
        GameRecord {
            game: game.to_owned(),
            rules,
            rules_version,
            start: start.to_owned(),
            tags: Vec::new(),
            moves: Vec::new(),
            outcome: None,
            ending: String::new(),
        }
    }

    /// Adds the players' names, first player first, as tags that are called like the sides ("White", "Black").
    pub fn tag_players(&mut self, sides: [&str; 2], names: [String; 2]) {
        for (side, name) in sides.into_iter().zip(names) {
            let mut letters = side.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            self.tags.push((first.into_iter().chain(letters).collect(), name));
        }
    }

    /// Adds a move without what a search found.
    pub fn push<M: Move>(&mut self, mv: M) {
        self.moves.push(Played { bits: mv.to_bits(), thought: None });
    }

    /// Plays the moves from `start`, calling `visit` with each position and the move that was played there; returns
    /// the last position.
    ///
    /// # Errors
    /// If a move is not legal where it stands; the error gives its number.
    pub fn replay<P: Position>(&self, start: P, mut visit: impl FnMut(&P, P::Move, &Played)) -> Result<P, ParseError> {
        let mut position = start;
        for (number, played) in self.moves.iter().enumerate() {
            let wrong = |problem: String| ParseError::new("game record", "", format!("move {}: {problem}", number + 1));
            let mv = P::Move::from_bits(played.bits).ok_or_else(|| wrong(format!("no move {:#x}", played.bits)))?;
            if !position.is_legal(mv) {
                let error = if position.outcome().is_some() {
                    MoveError::GameOver { text: format!("{mv:?}") }
                } else {
                    MoveError::Illegal { text: format!("{mv:?}") }
                };
                return Err(wrong(error.to_string()));
            }
            visit(&position, mv, played);
            position.play(mv);
        }
        Ok(position)
    }

    /// Appends the record's frame to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let payload = postcard::to_allocvec(self).expect("records contain nothing that postcard cannot write");
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&u32::try_from(payload.len()).expect("a record is far below 4 GiB").to_le_bytes());
        out.extend_from_slice(&payload);
        let checksum = crc32fast::hash(&out[start..]);
        out.extend_from_slice(&checksum.to_le_bytes());
    }

    /// The record's frame.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    /// Reads the frame at the front of `bytes`; returns the record and the bytes behind it.
    ///
    /// # Errors
    /// If the frame is truncated, damaged, of an unknown version or not a record at all.
    pub fn read(bytes: &[u8]) -> Result<(GameRecord, &[u8]), ParseError> {
        let wrong =
            |at: usize, problem: &str| Err(ParseError::new("game record", "", problem).at(Place::Byte(at as u64)));
        if bytes.len() < HEADER {
            return wrong(bytes.len(), "truncated header");
        }
        if &bytes[..4] != MAGIC {
            return wrong(0, "not a Tesuji game record");
        }
        let version = u16::from_le_bytes([bytes[4], bytes[5]]);
        if version != VERSION {
            return wrong(4, &format!("format version {version}, this program reads version {VERSION}"));
        }
        let length = u32::from_le_bytes([bytes[6], bytes[7], bytes[8], bytes[9]]) as usize;
        if length > LONGEST_PAYLOAD {
            return wrong(6, "impossible length");
        }
        let end = HEADER + length;
        if bytes.len() < end + TRAILER {
            return wrong(bytes.len(), "truncated record");
        }
        let (frame, rest) = bytes.split_at(end + TRAILER);
        let checksum = u32::from_le_bytes([frame[end], frame[end + 1], frame[end + 2], frame[end + 3]]);
        if crc32fast::hash(&frame[..end]) != checksum {
            return wrong(end, "wrong checksum: the record is damaged");
        }
        match postcard::take_from_bytes::<GameRecord>(&frame[HEADER..end]) {
            Ok((record, [])) => Ok((record, rest)),
            Ok(_) => wrong(HEADER, "more bytes than the record needs"),
            Err(error) => wrong(HEADER, &format!("unreadable: {error}")),
        }
    }

    /// Reads every frame of a file's bytes; the error's place is counted from the start of the file.
    ///
    /// # Errors
    /// At the first bad frame; the records before it are returned beside the error.
    pub fn read_all(bytes: &[u8]) -> (Vec<GameRecord>, Result<(), ParseError>) {
        let mut records = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            match GameRecord::read(rest) {
                Ok((record, behind)) => {
                    records.push(record);
                    rest = behind;
                }
                Err(error) => {
                    let offset = (bytes.len() - rest.len()) as u64;
                    let at = match error.place() {
                        Some(Place::Byte(byte)) => offset + byte,
                        _ => offset,
                    };
                    return (records, Err(error.at(Place::Byte(at))));
                }
            }
        }
        (records, Ok(()))
    }
}

/// Reads records one by one from a file of any length.
///
/// Ends after the first error: frames cannot be found again behind a damaged one.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    frame: Vec<u8>,
    offset: u64,
    failed: bool,
}

impl<R: Read> Reader<R> {
    /// A reader of a source, which should be buffered.
    pub fn new(source: R) -> Reader<R> {
        Reader { source, frame: Vec::new(), offset: 0, failed: false }
    }

    fn read(&mut self) -> Result<Option<GameRecord>, ParseError> {
        self.frame.clear();
        self.fill(HEADER)?;
        if self.frame.is_empty() {
            return Ok(None);
        }
        // Errors in the header are `GameRecord::read`'s to find: a wrong length only makes the frame too short for it.
        if let &[.., a, b, c, d] = &*self.frame {
            self.fill((u32::from_le_bytes([a, b, c, d]) as usize).min(LONGEST_PAYLOAD) + TRAILER)?;
        }
        let (record, _) = GameRecord::read(&self.frame).map_err(|error| match error.place() {
            Some(Place::Byte(byte)) => error.at(Place::Byte(self.offset + byte)),
            _ => error.at(Place::Byte(self.offset)),
        })?;
        self.offset += self.frame.len() as u64;
        Ok(Some(record))
    }

    /// Appends that many bytes to the frame, or all that are left.
    fn fill(&mut self, bytes: usize) -> Result<(), ParseError> {
        let read = self.source.by_ref().take(bytes as u64).read_to_end(&mut self.frame);
        let at = Place::Byte(self.offset + self.frame.len() as u64);
        read.map(|_| ()).map_err(|error| ParseError::new("game record", "", error.to_string()).at(at))
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<GameRecord, ParseError>;

    fn next(&mut self) -> Option<Result<GameRecord, ParseError>> {
        if self.failed {
            return None;
        }
        let read = self.read().transpose();
        self.failed = matches!(read, Some(Err(_)));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;
    use proptest::prelude::*;

    fn sample() -> GameRecord {
        let mut record = GameRecord::new("tictactoe", Rules::Official, 1, "startpos");
        record.tags.push(("seed".into(), "7".into()));
        record.moves.push(Played {
            bits: 4,
            thought: Some(Thought { value: Value::new(0.5), policy: vec![(4, 700), (0, 100)] }),
        });
        record.moves.push(Played { bits: 0, thought: None });
        record.outcome = Some(Outcome::Win(Side::First));
        record.ending = "line".into();
        record
    }

    #[test]
    fn frames_follow_each_other() {
        let mut bytes = Vec::new();
        sample().write(&mut bytes);
        sample().write(&mut bytes);
        let (records, end) = GameRecord::read_all(&bytes);
        assert_eq!(records, [sample(), sample()]);
        assert_eq!(end, Ok(()));
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_noticed() {
        let bytes = sample().to_bytes();
        for end in 0..bytes.len() {
            assert!(GameRecord::read(&bytes[..end]).is_err(), "cut at {end}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(GameRecord::read(&damaged).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_damaged_tail_keeps_the_records_before_it() {
        let mut bytes = sample().to_bytes();
        let whole = bytes.len();
        bytes.extend_from_slice(b"TSJ");
        let (records, end) = GameRecord::read_all(&bytes);
        assert_eq!(records.len(), 1);
        assert_eq!(end.unwrap_err().place(), Some(Place::Byte(whole as u64 + 3)));
    }

    /// The reader's answer in the form of `read_all`'s.
    fn read_one_by_one(bytes: &[u8]) -> (Vec<GameRecord>, Result<(), ParseError>) {
        let mut records = Vec::new();
        for record in Reader::new(bytes) {
            match record {
                Ok(record) => records.push(record),
                Err(error) => return (records, Err(error)),
            }
        }
        (records, Ok(()))
    }

    #[test]
    fn the_reader_agrees_with_reading_all() {
        let frame = sample().to_bytes();
        let mut bytes = [&*frame, &*frame, &*frame].concat();
        assert_eq!(read_one_by_one(&bytes), GameRecord::read_all(&bytes));
        for end in 0..bytes.len() {
            assert_eq!(read_one_by_one(&bytes[..end]), GameRecord::read_all(&bytes[..end]), "cut at {end}");
        }
        for byte in 0..bytes.len() {
            bytes[byte] ^= 1;
            let (records, end) = read_one_by_one(&bytes);
            assert_eq!((records.len(), end.is_err()), (byte / frame.len(), true), "damaged at {byte}");
            bytes[byte] ^= 1;
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = GameRecord::read_all(&bytes);
            let _ = read_one_by_one(&bytes);
        }

        #[test]
        fn no_payload_makes_it_panic(payload in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut frame = Vec::from(*MAGIC);
            frame.extend_from_slice(&VERSION.to_le_bytes());
            frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
            frame.extend_from_slice(&payload);
            let checksum = crc32fast::hash(&frame);
            frame.extend_from_slice(&checksum.to_le_bytes());
            let _ = GameRecord::read(&frame);
        }
    }
}
