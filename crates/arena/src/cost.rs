//! What a player's moves cost.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;
use std::time::Duration;
use tesuji_core::Side;

/// What one player spent, on a game or on a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Moves chosen.
    pub moves: u64,
    /// Time by the clock, in seconds.
    pub wall: f64,
    /// Processor time, in seconds.
    pub cpu: f64,
    /// Positions visited or tree nodes made, as the player reports it.
    pub nodes: u64,
    /// Network or heuristic evaluations, as the player reports it.
    pub evaluations: u64,
    /// Greatest use of memory in bytes; 0 if unknown. Own agents share one process and report that.
    pub peak_memory: u64,
}

/// One move of a game: who chose it, out of how many, and what that took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// The side that moved.
    pub side: Side,
    /// Legal moves that it chose from.
    pub choices: u32,
    /// Time by the clock, in seconds.
    pub wall: f64,
    /// Processor time, in seconds.
    pub cpu: f64,
    /// Positions visited or tree nodes made, as the player reports it.
    pub nodes: u64,
}

/// Plies of a phase of a game.
pub const PHASE: usize = 20;

/// What both players spent on one phase of their games: [`PHASE`] plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Its first ply, from 0.
    pub first_ply: usize,
    /// Legal moves that the players chose from, in all of their moves.
    pub choices: u64,
    /// What each player spent.
    pub costs: [Cost; 2],
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.moves += other.moves;
        self.wall += other.wall;
        self.cpu += other.cpu;
        self.nodes += other.nodes;
        self.evaluations += other.evaluations;
        self.peak_memory = self.peak_memory.max(other.peak_memory);
    }
}

/// A clock of this thread's processor time.
pub(crate) struct ThreadClock(cpu_time::ThreadTime);

impl ThreadClock {
    pub(crate) fn start() -> ThreadClock {
        ThreadClock(cpu_time::ThreadTime::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Processor time that a process has used so far; `None` where the system does not report it.
pub(crate) fn process_cpu(pid: u32) -> Option<Duration> {
    // Fields 14 and 15 are user and system time in ticks; the name in field 2 may contain spaces and brackets.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    // The tick of this file is fixed at 100 a second on Linux, whatever the kernel's own tick.
    Some(Duration::from_millis(ticks * 10))
}

/// The greatest resident memory of a process so far, in bytes; `None` where the system does not report it.
pub fn process_peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Forgets the greatest resident memory of this process so far: [`process_peak_memory`] begins again with what it has now.
/// Nothing happens where the system has no way to.
pub fn forget_peak_memory() {
    // See proc_pid_clear_refs(5).
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_peak_of_memory_can_be_forgotten() {
        let peak = || process_peak_memory(std::process::id()).unwrap();
        let large = std::hint::black_box(vec![1_u8; 200_000_000]);
        let before = peak();
        drop(large);
        forget_peak_memory();
        assert!(before > 200_000_000 && peak() + 100_000_000 < before, "{before} {}", peak());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_used_something() {
        let clock = ThreadClock::start();
        let mut sum = 0_u64;
        while clock.elapsed() < Duration::from_millis(30) {
            sum = std::hint::black_box(sum.wrapping_mul(3) + 1);
        }
        assert!(process_cpu(std::process::id()).unwrap() >= Duration::from_millis(10));
        assert!(process_peak_memory(std::process::id()).unwrap() > 100_000);
    }
}
