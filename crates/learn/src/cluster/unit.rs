//! What processes tell each other: the run, units of work, signs of life.

use crate::run::PART;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;
use tesuji_nn::{Isa, KernelPath};

/// The version of what processes tell each other.
pub const FORMAT: u32 = 2;

/// The name by which the learner itself takes units.
pub const LEARNER: &str = "learner";

/// Letters in a name at most.
const LONGEST_NAME: usize = 100;

/// Whether a text may name a run or a worker: names become names of files.
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    // `tmp` is how names of temporary files end.
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(plain) && text != "tmp"
}

/// A text as a name: what may not be in one becomes a hyphen.
pub fn to_name(text: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
    let name: String = text.chars().take(LONGEST_NAME / 2).map(plain).collect();
    if is_name(&name) { name } else { format!("x{name}") }
}

/// What is played for a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Task {
    /// Games to learn from.
    Games {
        /// The experiment, less what a worker has no use for.
        experiment: String,
    },
    /// Games between agents: each unit's bytes say which.
    Contests {
        /// Whether some of them are foreign programs, which a worker starts only if it was told that it may.
        engines: bool,
        /// Whether some of them have networks in floats, which compute the same numbers by the same kernels alone.
        floats: bool,
    },
}

/// A run, as far as workers have to know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// [`FORMAT`].
    pub format: u32,
    /// The version of the learner's program: another one may play other games.
    pub version: String,
    /// The name of the run.
    pub run: String,
    /// The way through the network's kernels: outputs differ in their last bits between ways.
    pub path: KernelPath,
    /// What is played.
    pub task: Task,
    /// A worker that gives no sign of life for so many milliseconds loses what it has taken.
    pub deadline: u64,
}

impl Work {
    /// Whether a worker whose best instruction set is this may play for the run, as far as it can choose.
    pub fn suits(&self, best: Option<Isa>, may_start_engines: bool) -> bool {
        match self.task {
            Task::Games { .. } => true,
            Task::Contests { engines, floats } => {
                (may_start_engines || !engines) && (!floats || best.is_some_and(|best| self.path.isa <= best))
            }
        }
    }
}

/// Which network a unit is played with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSum {
    /// Its generation.
    pub generation: u64,
    /// Its length in bytes, without the state of its training.
    pub length: u64,
    /// Their CRC-32.
    pub crc32: u32,
}

impl NetworkSum {
    /// The sum of a network's bytes.
    pub fn of(generation: u64, bytes: &[u8]) -> NetworkSum {
        NetworkSum { generation, length: bytes.len() as u64, crc32: crc32fast::hash(bytes) }
    }
}

/// A unit of work: a part of a generation's games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// The name of the run.
    pub run: String,
    /// The generation.
    pub generation: u64,
    /// The part of it.
    pub part: u64,
    /// Games in the part.
    pub games: u64,
    /// Games in a part that is not the last one.
    pub size: u64,
    /// How often the part was offered before: to be made again, or to be compared.
    pub copy: u32,
    /// The network.
    pub network: NetworkSum,
    /// Workers that must not make it: they made it before.
    pub not: Vec<String>,
}

impl Unit {
    /// Its name within the run: `GENERATION-PART-COPY`.
    pub fn id(&self) -> String {
        format!("{:06}-{:04}-{}", self.generation, self.part, self.copy)
    }

    /// Generation, part and copy of a name.
    pub fn parse_id(id: &str) -> Option<(u64, u64, u32)> {
        let mut numbers = id.splitn(3, '-');
        let read = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        Some(read)
    }

    /// The numbers of its games.
    pub fn numbers(&self) -> Range<u64> {
        let first = self.part.saturating_mul(self.size.min(PART));
        first..first.saturating_add(self.games.min(self.size).min(PART))
    }

    /// Whether a worker may make it.
    pub fn is_for(&self, worker: &str) -> bool {
        !self.not.iter().any(|other| other == worker)
    }
}

/// A sign of life of a worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Its name.
    pub worker: String,
    /// The version of its program.
    pub version: String,
    /// Its best instruction set.
    pub isa: String,
    /// Whether it may start programs that the work names.
    #[serde(default)]
    pub engines: bool,
    /// Its threads.
    pub threads: u64,
    /// Signs of life so far: a number that stands still is the sign of death, whatever clocks say.
    pub beat: u64,
    /// Seconds since 1970 by its clock.
    pub at: u64,
    /// The run that it plays for; empty if it waits.
    pub run: String,
    /// The units that it has claimed and not delivered.
    #[serde(default)]
    pub units: Vec<String>,
    /// Parts that it has made.
    pub parts: u64,
    /// Games in them.
    pub games: u64,
    /// Positions in them.
    pub positions: u64,
    /// Seconds by the clock that it spent on playing.
    pub seconds: f64,
}

impl Heartbeat {
    /// Positions a second while it played.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.positions as f64 / self.seconds } else { 0.0 }
    }

    /// Its best instruction set, if this version knows it.
    pub fn best_isa(&self) -> Option<Isa> {
        Isa::ALL.into_iter().find(|isa| format!("{isa:?}") == self.isa)
    }

    /// How long ago it was given, if clocks agree.
    pub fn age(&self) -> Duration {
        Duration::from_secs(now().saturating_sub(self.at))
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// What a learner knows of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Parts of it that the run took.
    pub parts: u64,
    /// Parts of it that were compared with another copy and were the same.
    pub audited: u64,
    /// Parts of it that could not be used.
    pub bad: u64,
    /// Why nothing is taken from it any more.
    pub banned: Option<String>,
    /// The first and the last generation that it had a part in.
    pub generations: Option<(u64, u64)>,
}

/// What a learner knows of workers, by name.
pub type Tallies = BTreeMap<String, Tally>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_files_and_of_nothing_else() {
        for bad in ["", "a/b", "..", "a.b", "a b", "a\n", "tmp"] {
            assert!(!is_name(bad), "{bad:?}");
            assert!(is_name(&to_name(bad)), "{bad:?}");
        }
        assert!(is_name("node-7_x") && !is_name(&"x".repeat(101)));
    }

    #[test]
    fn units_are_found_by_their_names() {
        let network = NetworkSum::of(3, b"network");
        let unit = Unit {
            run: "r".into(),
            generation: 4,
            part: 2,
            games: 8,
            size: 32,
            copy: 1,
            network,
            not: vec!["a".into()],
        };
        assert_eq!(unit.id(), "000004-0002-1");
        assert_eq!(Unit::parse_id(&unit.id()), Some((4, 2, 1)));
        assert_eq!(unit.numbers(), 64..72);
        assert!(unit.is_for("b") && !unit.is_for("a"));
        assert_eq!(Unit::parse_id("4-2"), None);
        assert_eq!(Unit { size: 4, games: 3, ..unit.clone() }.numbers(), 8..11);
        // Whatever somebody else writes, it is not more than a part.
        assert_eq!(Unit { size: u64::MAX, games: u64::MAX, ..unit }.numbers(), 64..96);
    }

    #[test]
    fn workers_choose_what_suits_them() {
        let path = KernelPath { isa: Isa::Avx2, method: tesuji_nn::ConvMethod::Direct };
        let work = |task| Work { format: FORMAT, version: String::new(), run: String::new(), path, task, deadline: 1 };
        let contests = |engines, floats| work(Task::Contests { engines, floats });
        assert!(contests(false, false).suits(None, false));
        assert!(!contests(true, false).suits(None, false) && contests(true, false).suits(None, true));
        assert!(!contests(false, true).suits(Some(Isa::Portable), true));
        assert!(contests(false, true).suits(Some(Isa::Avx512), true));
        let heartbeat = |isa: &str| Heartbeat { isa: isa.to_owned(), ..Heartbeat::default() };
        assert_eq!([heartbeat("Avx2"), heartbeat("Sve2")].map(|beat| beat.best_isa()), [Some(Isa::Avx2), None]);
    }
}
