//! What everything cost: time, processor time, evaluations, operations, memory, energy.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What the money is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Playing games: trees, rules, encoders; what the network and the mate solver took is apart.
    SelfPlay,
    /// The network in self-play.
    Inference,
    /// The mate solver in self-play.
    MateSearch,
    /// Drawing samples and training on them.
    Training,
    /// Matches against fixed opponents.
    Measuring,
}

impl Phase {
    /// All of them.
    pub const ALL: [Phase; 5] =
        [Phase::SelfPlay, Phase::Inference, Phase::MateSearch, Phase::Training, Phase::Measuring];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::SelfPlay => "self-play",
            Phase::Inference => "inference",
            Phase::MateSearch => "mate search",
            Phase::Training => "training",
            Phase::Measuring => "measuring",
        }
    }
}

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The generation.
    pub generation: u64,
    /// What it was spent on.
    pub phase: Phase,
    /// Seconds by the clock. Inference and mate search go on inside self-play and count none of their own.
    pub wall: f64,
    /// Seconds on the processor.
    pub cpu: f64,
    /// Games.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub games: u64,
    /// Positions played or matched.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub positions: u64,
    /// Simulations of tree searches.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub simulations: u64,
    /// Views that went through the network.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub evaluations: u64,
    /// Evaluations that a cache answered.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Samples trained on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub samples: u64,
    /// Operations of the network, in floating point.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flops: u64,
    /// Greatest memory of the process so far, in bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub peak_memory: u64,
    /// Joules of the whole machine meanwhile, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joules: Option<f64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Entry {
    /// An entry that cost nothing yet.
    pub fn new(generation: u64, phase: Phase) -> Entry {
        Entry {
            generation,
            phase,
            wall: 0.0,
            cpu: 0.0,
            games: 0,
            positions: 0,
            simulations: 0,
            evaluations: 0,
            cached: 0,
            samples: 0,
            flops: 0,
            peak_memory: 0,
            joules: None,
        }
    }

    /// Adds what another entry of the same phase cost.
    pub fn add(&mut self, other: &Entry) {
        self.wall += other.wall;
        self.cpu += other.cpu;
        self.games += other.games;
        self.positions += other.positions;
        self.simulations += other.simulations;
        self.evaluations += other.evaluations;
        self.cached += other.cached;
        self.samples += other.samples;
        self.flops = self.flops.saturating_add(other.flops);
        self.peak_memory = self.peak_memory.max(other.peak_memory);
        self.joules = match (self.joules, other.joules) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}

/// The sums of a ledger by phase, in the order of [`Phase::ALL`].
pub fn totals(entries: &[Entry]) -> Vec<Entry> {
    let total = |phase: Phase| {
        let mut total = Entry::new(0, phase);
        entries.iter().filter(|entry| entry.phase == phase).for_each(|entry| total.add(entry));
        total
    };
    Phase::ALL.into_iter().map(total).collect()
}

/// What playing cost; unlike the games themselves, it depends on the machine and the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayCost {
    /// Processor time in all.
    pub cpu: Duration,
    /// Of it, in the network.
    pub inference: Duration,
    /// Of it, in the mate solver.
    pub mate: Duration,
    /// Views that went through the network.
    pub evaluations: u64,
    /// Questions that the cache answered.
    pub cached: u64,
    /// Simulations.
    pub simulations: u64,
}

impl std::ops::AddAssign for PlayCost {
    fn add_assign(&mut self, other: PlayCost) {
        self.cpu += other.cpu;
        self.inference += other.inference;
        self.mate += other.mate;
        self.evaluations += other.evaluations;
        self.cached += other.cached;
        self.simulations += other.simulations;
    }
}

/// Clocks of one piece of work.
pub struct Meter {
    start: Instant,
    cpu: cpu_time::ProcessTime,
    joules: Option<f64>,
}

impl Meter {
    /// Starts the clocks.
    pub fn start() -> Meter {
        Meter { start: Instant::now(), cpu: cpu_time::ProcessTime::now(), joules: joules() }
    }

    /// Writes what the clocks say to an entry.
    pub fn stop(&self, entry: &mut Entry) {
        entry.wall = self.start.elapsed().as_secs_f64();
        entry.cpu = self.cpu.elapsed().as_secs_f64();
        entry.peak_memory = tesuji_arena::cost::process_peak_memory(std::process::id()).unwrap_or(0);
        // The counter goes round now and then; such a piece of work reports nothing rather than nonsense.
        entry.joules = self.joules.zip(joules()).map(|(before, after)| after - before).filter(|&joules| joules >= 0.0);
    }
}

/// The energy counter of the processor package, where the machine has one that we may read.
fn joules() -> Option<f64> {
    let text = std::fs::read_to_string("/sys/class/powercap/intel-rapl:0/energy_uj").ok()?;
    Some(text.trim().parse::<f64>().ok()? * 1e-6)
}
