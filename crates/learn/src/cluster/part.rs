//! A finished unit: its games, and how the learner checks them.

use super::seal;
use super::unit::Unit;
use crate::run::Anywhere;
use crate::run::ledger::PlayCost;
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::time::Duration;
use tesuji_core::GameRecord;

/// Checks a game that another process says it has played, given its generation and number.
pub type Check<'c> = dyn Fn(&GameRecord, u64, u64) -> Result<(), String> + 'c;

/// A finished unit as it is sent.
#[derive(Clone, Debug)]
pub struct Part {
    /// The unit.
    pub unit: Unit,
    /// Its games, in order.
    pub records: Vec<GameRecord>,
    /// What they cost.
    pub cost: PlayCost,
    /// Tells copies apart, within this process.
    pub mark: u64,
}

/// The header of a sealed part.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    unit: Unit,
    /// Processor seconds: in all, of the network, of the mate solver.
    cpu: [f64; 3],
    /// Evaluations, answers of the cache, simulations.
    counts: [u64; 3],
}

impl Part {
    /// A part that was played.
    pub fn new(unit: Unit, records: Vec<GameRecord>, cost: PlayCost) -> Part {
        let mark = mark_of(&bytes_of(&records));
        Part { unit, records, cost, mark }
    }

    /// As it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        let PlayCost { cpu, inference, mate, evaluations, cached, simulations } = self.cost;
        let cpu = [cpu, inference, mate].map(|time| time.as_secs_f64());
        let counts = [evaluations, cached, simulations];
        seal::seal(&Header { unit: self.unit.clone(), cpu, counts }, &bytes_of(&self.records))
    }

    /// Reads a part and checks all of it: that it is a copy of the unit that was asked for, and its games, each by its
    /// generation and number.
    ///
    /// # Errors
    /// With what is wrong, in words.
    pub fn read(bytes: &[u8], asked: &Unit, check: &Check<'_>) -> Result<Part, String> {
        let (Header { unit, cpu, counts }, body) = seal::open::<Header>(bytes)?;
        let same = |unit: &Unit| (unit.run.clone(), unit.generation, unit.part, (unit.games, unit.size), unit.network);
        if same(&unit) != same(asked) {
            return Err(format!("made for {} of {} and its network", unit.id(), unit.run));
        }
        let (records, end) = GameRecord::read_all(body);
        end.map_err(|error| error.to_string())?;
        if records.len() as u64 != unit.games {
            return Err(format!("{} games, not {}", records.len(), unit.games));
        }
        for (number, record) in unit.numbers().zip(&records) {
            if names_a_file(&record.start) {
                return Err(format!("game {number}: its start names a file"));
            }
            check(record, unit.generation, number).map_err(|problem| format!("game {number}: {problem}"))?;
        }
        let time = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let [cpu, inference, mate] = cpu.map(time);
        let [evaluations, cached, simulations] = counts;
        let cost = PlayCost { cpu, inference, mate, evaluations, cached, simulations };
        Ok(Part { unit, records, cost, mark: mark_of(body) })
    }
}

fn bytes_of(records: &[GameRecord]) -> Vec<u8> {
    let mut bytes = Vec::new();
    records.iter().for_each(|record| record.write(&mut bytes));
    bytes
}

/// A hash by a key that nobody else has. A CRC would not do: a record ends with its own, so that the CRC of all of them
/// tells their length and nothing else.
fn mark_of(bytes: &[u8]) -> u64 {
    static KEY: OnceLock<RandomState> = OnceLock::new();
    KEY.get_or_init(RandomState::new).hash_one(bytes)
}

/// Whether a line of a start names a file (a map) instead of saying what the start is. Files of another machine are not
/// there, and what comes from another process must not have us open any.
pub fn names_a_file(start: &str) -> bool {
    start.to_ascii_lowercase().contains(".tbsmap")
}

/// Checks a game of a generation: that it is of this number, by the rules of this game, each move legal.
///
/// # Errors
/// With what is wrong, in words.
pub fn check_game(games: &dyn Anywhere, record: &GameRecord, generation: u64, number: u64) -> Result<(), String> {
    for (name, wanted) in [("generation", generation), ("game", number)] {
        let found = record.tags.iter().find(|(tag, _)| tag == name).map_or("", |(_, value)| value.as_str());
        if found != wanted.to_string() {
            return Err(format!("{name} {found:?}, not {wanted}"));
        }
    }
    games.check(record)
}
