//! Games in a file: compressed, checksummed.
//!
//! | bytes | meaning |
//! |---|---|
//! | 4 | magic `TSJD` |
//! | 2 | format version, little-endian |
//! | 4 | length of the payload before compression, little-endian |
//! | n | payload: columns by `postcard`, compressed by Zstandard |
//! | 4 | CRC-32 of everything before it, little-endian |

use super::about::{self, FORMAT, ShardInfo};
use serde::{Deserialize, Serialize};
use std::io::Read;
use tesuji_core::Outcome;

const MAGIC: &[u8; 4] = b"TSJD";
const HEADER: usize = 10;
const TRAILER: usize = 4;
/// Larger payloads are damage or malice: see `writer::LARGEST_SHARD`, which one game may exceed.
const LARGEST_PAYLOAD: usize = 64 << 20;
/// Zstandard's own default: higher levels save a tenth and take many times as long.
const LEVEL: i32 = 3;

/// A game as a shard holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    /// Its number among the games that the set was made of, those that were passed over included, from 1.
    pub number: u64,
    /// Its result.
    pub outcome: Outcome,
    /// Its start, in the game's notation, or `startpos`.
    pub start: String,
    /// Its moves up to the last that is kept, in their numeric form.
    pub moves: Vec<u32>,
    /// The plies that are kept, rising; the last is that of the last move.
    pub kept: Vec<u32>,
}

/// Games as columns: what is alike stands together, which compresses better.
#[derive(Default, Serialize, Deserialize)]
struct Columns {
    /// Each number less the one before.
    numbers: Vec<u64>,
    outcomes: Vec<u8>,
    starts: Vec<String>,
    lengths: Vec<u32>,
    moves: Vec<u32>,
    kept: Vec<u32>,
    /// Each ply less the one before.
    plies: Vec<u32>,
}

/// The bytes of a shard: the same for the same games, always.
///
/// # Panics
/// If the games are more than [`super::writer::Writer`] puts into a shard.
pub fn encode(games: &[StoredGame]) -> (Vec<u8>, ShardInfo) {
    let mut columns = Columns::default();
    let mut number = 0;
    for game in games {
        columns.numbers.push(game.number - number);
        number = game.number;
        columns.outcomes.push(about::place(game.outcome) as u8);
        columns.starts.push(if game.start == "startpos" { String::new() } else { game.start.clone() });
        columns.lengths.push(game.moves.len() as u32);
        columns.moves.extend_from_slice(&game.moves);
        columns.kept.push(game.kept.len() as u32);
        let before = std::iter::once(0).chain(game.kept.iter().copied());
        columns.plies.extend(game.kept.iter().zip(before).map(|(ply, before)| ply - before));
    }
    let payload = postcard::to_allocvec(&columns).expect("columns contain nothing that postcard cannot write");
    assert!(payload.len() <= LARGEST_PAYLOAD, "a shard of {} bytes", payload.len());
    let mut bytes = Vec::from(*MAGIC);
    bytes.extend_from_slice(&(FORMAT as u16).to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend(zstd::encode_all(&*payload, LEVEL).expect("compressing in memory needs nothing but memory"));
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    let info = ShardInfo {
        games: games.len() as u64,
        samples: columns.plies.len() as u64,
        bytes: bytes.len() as u64,
        checksum,
    };
    (bytes, info)
}

/// Reads a shard's bytes.
///
/// # Errors
/// If they are truncated, damaged, of another version, or not a shard: in words.
pub fn decode(bytes: &[u8]) -> Result<(Vec<StoredGame>, ShardInfo), String> {
    if !bytes.starts_with(MAGIC) {
        return Err("not a shard of a data set".to_owned());
    }
    if bytes.len() < HEADER + TRAILER {
        return Err("truncated".to_owned());
    }
    let version = u16::from_le_bytes([bytes[4], bytes[5]]);
    if u32::from(version) != FORMAT {
        return Err(format!("format version {version}, this program reads version {FORMAT}"));
    }
    let (body, trailer) = bytes.split_at(bytes.len() - TRAILER);
    let checksum = u32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]);
    if crc32fast::hash(body) != checksum {
        return Err("wrong checksum: the file is damaged or cut short".to_owned());
    }
    let length = u32::from_le_bytes([bytes[6], bytes[7], bytes[8], bytes[9]]) as usize;
    if length > LARGEST_PAYLOAD {
        return Err("impossible length".to_owned());
    }
    let mut payload = Vec::new();
    let decoder = zstd::Decoder::new(&body[HEADER..]).map_err(|error| format!("unreadable: {error}"))?;
    decoder.take(length as u64 + 1).read_to_end(&mut payload).map_err(|error| format!("unreadable: {error}"))?;
    if payload.len() != length {
        return Err("not as long as it says".to_owned());
    }
    let columns = match postcard::take_from_bytes::<Columns>(&payload) {
        Ok((columns, [])) => columns,
        Ok(_) => return Err("more bytes than it needs".to_owned()),
        Err(error) => return Err(format!("unreadable: {error}")),
    };
    let games = columns.games().ok_or("its columns do not fit together")?;
    let samples = games.iter().map(|game| game.kept.len() as u64).sum();
    let info = ShardInfo { games: games.len() as u64, samples, bytes: bytes.len() as u64, checksum };
    Ok((games, info))
}

impl Columns {
    /// The games; `None` if the columns do not fit together.
    fn games(self) -> Option<Vec<StoredGame>> {
        let count = self.numbers.len();
        if [self.outcomes.len(), self.starts.len(), self.lengths.len(), self.kept.len()] != [count; 4] {
            return None;
        }
        let mut games = Vec::with_capacity(count);
        let (mut moves, mut plies) = (&*self.moves, &*self.plies);
        let mut number = 0_u64;
        for (index, start) in self.starts.into_iter().enumerate() {
            number = number.checked_add(self.numbers[index])?;
            let (of_game, behind) = moves.split_at_checked(self.lengths[index] as usize)?;
            moves = behind;
            let (gaps, behind) = plies.split_at_checked(self.kept[index] as usize)?;
            plies = behind;
            let mut kept: Vec<u32> = Vec::with_capacity(gaps.len());
            for &gap in gaps {
                match kept.last() {
                    None => kept.push(gap),
                    Some(_) if gap == 0 => return None,
                    Some(&ply) => kept.push(ply.checked_add(gap)?),
                }
            }
            if kept.last().is_none_or(|&last| last as usize + 1 != of_game.len()) {
                return None;
            }
            games.push(StoredGame {
                number,
                outcome: about::outcome_at(self.outcomes[index])?,
                start: if start.is_empty() { "startpos".to_owned() } else { start },
                moves: of_game.to_vec(),
                kept,
            });
        }
        (moves.is_empty() && plies.is_empty()).then_some(games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Side;

    fn sample() -> Vec<StoredGame> {
        let game = |number, outcome, start: &str, moves: &[u32], kept: &[u32]| StoredGame {
            number,
            outcome,
            start: start.to_owned(),
            moves: moves.to_vec(),
            kept: kept.to_vec(),
        };
        vec![
            game(3, Outcome::Draw, "startpos", &[7, 1_000_000, 2], &[0, 2]),
            game(4, Outcome::Win(Side::Second), "8/8 w", &[u32::MAX], &[0]),
            game(90, Outcome::Win(Side::First), "startpos", &[1, 2, 3, 4, 5], &[1, 2, 4]),
        ]
    }

    #[test]
    fn games_survive_writing_and_reading() {
        let (bytes, info) = encode(&sample());
        assert_eq!((info.games, info.samples, info.bytes), (3, 6, bytes.len() as u64));
        assert_eq!(decode(&bytes).unwrap(), (sample(), info));
        assert_eq!(decode(&encode(&[]).0).unwrap().0, []);
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_noticed() {
        let (bytes, _) = encode(&sample());
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "cut at {end}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&damaged).is_err(), "bit {bit}");
        }
    }

    /// A shard with a right checksum around any payload.
    fn framed(payload: &[u8], length: usize) -> Vec<u8> {
        let mut bytes = Vec::from(*MAGIC);
        bytes.extend_from_slice(&(FORMAT as u16).to_le_bytes());
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend(zstd::encode_all(payload, LEVEL).unwrap());
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    #[test]
    fn columns_that_do_not_fit_together_are_errors() {
        type Damage = fn(&mut Columns);
        let damages: [Damage; 8] = [
            |columns| columns.numbers.push(1),
            |columns| columns.numbers[0] = u64::MAX,
            |columns| columns.outcomes[0] = 3,
            |columns| columns.lengths[0] = u32::MAX,
            |columns| columns.moves.push(0),
            |columns| columns.kept[0] = 0,
            |columns| columns.plies[2] = 0,
            |columns| columns.plies[2] = u32::MAX,
        ];
        let whole = || Columns {
            numbers: vec![1, 1],
            outcomes: vec![0, 1],
            starts: vec![String::new(), String::new()],
            lengths: vec![1, 3],
            moves: vec![5, 6, 7, 8],
            kept: vec![1, 2],
            plies: vec![0, 1, 1],
        };
        let read = |columns: Columns| {
            let payload = postcard::to_allocvec(&columns).unwrap();
            decode(&framed(&payload, payload.len()))
        };
        assert_eq!(read(whole()).unwrap().0.len(), 2);
        for (number, damage) in damages.iter().enumerate() {
            let mut columns = whole();
            damage(&mut columns);
            assert!(read(columns).is_err(), "damage {number}");
        }
    }

    #[test]
    fn a_payload_that_unpacks_to_more_than_it_says_is_refused() {
        let zeros = vec![0; 100 << 20];
        assert_eq!(decode(&framed(&zeros, 7)).unwrap_err(), "not as long as it says");
        assert_eq!(decode(&framed(&zeros, 100 << 20)).unwrap_err(), "impossible length");
        assert!(decode(&framed(&[0xff; 40], 40)).unwrap_err().contains("unreadable"));
    }
}
