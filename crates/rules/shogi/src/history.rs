//! Which positions have occurred in a game, and who was in check.

use std::sync::Arc;

/// The occurrence of a position that ends the game.
const FOURFOLD: usize = 4;

/// How many positions a history keeps of its own before they move to the shared part.
const RECENT: usize = 16;

/// The words of the filter: 1024 bits.
const WORDS: usize = 16;

/// The positions of a game, the current one last.
///
/// Searches copy positions all the time, so a copy costs the same in a long game as in a short one: the older
/// positions are shared between the copies.
#[derive(Debug)]
pub(super) struct History {
    /// The older positions.
    older: Arc<Older>,
    /// The latest positions: the first `count` of these, at least one.
    ///
    /// An entry is the position's key, its lowest bit replaced by whether the side to move is in check. That is a
    /// property of the position, so equal positions still have equal entries.
    recent: [u64; RECENT],
    count: usize,
}

#[derive(Debug, Default)]
struct Older {
    entries: Vec<u64>,
    /// One bit for each of 1024 classes of entries: whether there is one of that class. Most positions of a game are
    /// new, and this says so without a look at the entries.
    seen: [u64; WORDS],
}

impl Older {
    /// The older positions and some more.
    fn and(&self, recent: &[u64]) -> Older {
        let mut seen = self.seen;
        for &entry in recent {
            let (word, bit) = class(entry);
            seen[word] |= bit;
        }
        Older { entries: [&self.entries, recent].concat(), seen }
    }

    fn may_contain(&self, entry: u64) -> bool {
        let (word, bit) = class(entry);
        self.seen[word] & bit != 0
    }
}

/// The word and bit of an entry in the filter.
fn class(entry: u64) -> (usize, u64) {
    ((entry >> 60) as usize % WORDS, 1 << (entry >> 54 & 63))
}

/// A repetition: who, if anyone, gave check with every move since the occurrence that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cycle {
    /// The side to move was in check after every move of the opponent.
    pub mover_always_in_check: bool,
    /// The opponent was in check after every move of the side to move.
    pub mover_always_gave_check: bool,
}

impl History {
    /// The history of a game that begins with this position.
    pub fn new(key: u64, in_check: bool) -> History {
        let mut history = History { older: Arc::default(), recent: [0; RECENT], count: 0 };
        history.push(key, in_check);
        history
    }

    /// Adds the position after a move.
    #[inline]
    pub fn push(&mut self, key: u64, in_check: bool) {
        if self.count == RECENT {
            self.share();
        }
        self.recent[self.count % RECENT] = key & !1 | u64::from(in_check);
        self.count += 1;
    }

    /// Moves the recent positions to the shared part.
    #[cold]
    fn share(&mut self) {
        self.older = Arc::new(self.older.and(&self.recent));
        self.count = 0;
    }

    /// The entries from the current position back to the first.
    fn backwards(&self) -> impl Iterator<Item = u64> {
        self.older.entries.iter().chain(&self.recent[..self.count]).rev().copied()
    }

    /// How often the current position has occurred, this time included.
    #[inline]
    pub fn occurrences(&self) -> usize {
        let Some((&current, before)) = self.recent[..self.count].split_last() else { return 0 };
        let count = |entries: &[u64]| entries.iter().filter(|&&entry| entry == current).count();
        let older = if self.older.may_contain(current) { count(&self.older.entries) } else { 0 };
        1 + count(before) + older
    }

    /// Whether the current position occurs at least for the fourth time.
    #[inline]
    pub fn fourfold(&self) -> Option<Cycle> {
        if self.occurrences() >= FOURFOLD { self.judge() } else { None }
    }

    #[cold]
    fn judge(&self) -> Option<Cycle> {
        let current = self.backwards().next()?;
        // Plies since the third occurrence before the current one.
        let plies = self.backwards().enumerate().filter(|&(_, entry)| entry == current).nth(FOURFOLD - 1)?.0;
        Some(self.cycle(plies))
    }

    /// The checks of the last `plies` plies.
    fn cycle(&self, plies: usize) -> Cycle {
        let in_check = |entry: u64| entry & 1 != 0;
        Cycle {
            mover_always_in_check: self.backwards().take(plies).step_by(2).all(in_check),
            mover_always_gave_check: self.backwards().take(plies).skip(1).step_by(2).all(in_check),
        }
    }

    /// The latest earlier occurrence of the current position, at most `plies` plies ago: how many, and the checks since.
    #[inline]
    pub fn latest(&self, plies: u32) -> Option<(u32, Cycle)> {
        let mut entries = self.backwards().take(plies as usize + 1).step_by(2);
        let current = entries.next()?;
        let turns = entries.position(|entry| entry == current)? + 1;
        Some((2 * turns as u32, self.cycle(2 * turns)))
    }

    /// Forgets everything and begins with this position.
    pub fn restart(&mut self, key: u64, in_check: bool) {
        if !self.older.entries.is_empty() {
            self.older = Arc::default();
        }
        self.count = 0;
        self.push(key, in_check);
    }
}

impl Clone for History {
    fn clone(&self) -> History {
        History { older: Arc::clone(&self.older), ..*self }
    }

    #[inline]
    fn clone_from(&mut self, source: &History) {
        // Counting references is the dear part, and scratch positions mostly share them already.
        if !Arc::ptr_eq(&self.older, &source.older) {
            self.older = Arc::clone(&source.older);
        }
        self.recent = source.recent;
        self.count = source.count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u64) -> u64 {
        tesuji_core::random::mix(n)
    }

    #[test]
    fn repetitions_are_seen_across_the_shared_part() {
        for length in [2, 4, 6, 10, 14, 30] {
            let mut history = History::new(key(0), false);
            for ply in 1..=3 * length {
                assert_eq!(history.fourfold(), None, "ply {ply} of cycles of {length}");
                assert_eq!(history.occurrences() as u64, (ply - 1) / length + 1);
                history.push(key(ply % length), false);
            }
            assert!(history.fourfold().is_some(), "cycles of {length}");
        }
    }

    #[test]
    fn copies_go_their_own_ways() {
        let mut history = History::new(key(0), false);
        for ply in 1..40 {
            history.push(key(ply), false);
        }
        let mut copy = History::new(key(1000), true);
        copy.clone_from(&history);
        for ply in [0, 100, 0, 101] {
            copy.push(key(ply), false);
            history.push(key(200), false);
        }
        assert_eq!(copy.fourfold(), None);
        copy.push(key(0), false);
        assert!(copy.fourfold().is_some());
        assert!(history.clone().fourfold().is_some());
        assert_eq!(history.backwards().count(), 44);
    }

    #[test]
    fn only_checks_since_the_first_occurrence_count() {
        // Positions of the two sides in turn; the second one is always in check, the first never.
        let mut history = History::new(key(9), false);
        history.push(key(0), false);
        for _ in 0..3 {
            assert_eq!(history.fourfold(), None);
            history.push(key(1), true);
            history.push(key(0), false);
        }
        let fourfold = history.fourfold().unwrap();
        assert!(fourfold.mover_always_gave_check && !fourfold.mover_always_in_check);
    }
}
