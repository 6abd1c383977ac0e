//! The ranges of numbers that the whole program shares: one declaration for the options of agents, the keys of
//! experiments, budgets and the command line.
//!
//! A range says what makes sense on an ordinary computer, with room to spare; whatever lies outside is a typing error, or
//! would take all memory or never end.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Simulations of a tree search.
pub const SIMULATIONS: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// Positions that a search visits, or tree nodes that it makes.
pub const NODES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// Plies of a search by depth.
pub const DEPTH: RangeInclusive<u32> = 1..=200;
/// The time of a search.
pub const TIME: RangeInclusive<Duration> = Duration::from_micros(1)..=Duration::from_secs(1000 * 3600);
/// Games of a match, all of which are kept in memory.
pub const GAMES: RangeInclusive<u64> = 1..=10_000_000;
/// Plies of a game, or of a playout.
pub const PLIES: RangeInclusive<u32> = 1..=1_000_000;
/// Random moves at the beginning of a game.
pub const OPENING_PLIES: RangeInclusive<u32> = 0..=1000;
/// Threads.
pub const THREADS: RangeInclusive<u64> = 1..=256;
/// Megabytes of a table or a tree.
pub const MEGABYTES: RangeInclusive<usize> = 0..=65_536;
/// Leaves that are evaluated together.
pub const BATCH: RangeInclusive<usize> = 1..=4096;
/// Constants of exploration, biases and weights.
pub const WEIGHT: RangeInclusive<f32> = 0.0..=1000.0;
/// Shares and probabilities.
pub const SHARE: RangeInclusive<f32> = 0.0..=1.0;
/// Temperatures; 0 is none.
pub const TEMPERATURE: RangeInclusive<f32> = 0.0..=100.0;
/// Alpha of Dirichlet noise.
pub const NOISE_ALPHA: RangeInclusive<f32> = 0.000_001..=1000.0;

/// Whether this machine would give a block of so many bytes now. Tables of a size that the user chooses ask first: an
/// allocation that fails ends the program.
pub fn has_memory(bytes: usize) -> bool {
    // Nothing is written to it, so no memory is taken.
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Checks that a table of so many megabytes fits into memory; `name` is the option that asks for it.
///
/// # Errors
/// If it does not, in words.
pub fn check_memory(name: &str, megabytes: usize) -> Result<(), String> {
    match megabytes.checked_mul(1 << 20) {
        Some(bytes) if has_memory(bytes) => Ok(()),
        _ => Err(format!("{name}={megabytes}: this machine has no {megabytes} megabytes of memory to give")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_asked_for_before_it_is_taken() {
        assert!(has_memory(1 << 20) && check_memory("hash", 16).is_ok());
        assert!(!has_memory(usize::MAX / 2));
        let problem = check_memory("hash", usize::MAX >> 24).unwrap_err();
        assert!(problem.starts_with("hash=") && problem.contains("no "), "{problem}");
        assert!(check_memory("hash", usize::MAX).is_err());
    }
}
