//! The transposition table: sixteen bytes an entry, four entries a cache line, shared by threads without locks.

use super::scores::{DEEPEST, KNOWN};
use crate::score::Score;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What a stored score says about the true one, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// Nothing: only the move and the evaluation count.
    None,
    /// The true score is at most this.
    Upper,
    /// The true score is at least this.
    Lower,
    /// This is the true score.
    Exact,
}

const BOUNDS: [Bound; 4] = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact];

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The best move's numeric form; [`NO_MOVE`] if none is known.
    pub mv: u32,
    /// The score for the side to move, as seen from the root.
    pub score: Score,
    /// The static evaluation for the side to move.
    pub eval: Option<Score>,
    /// The depth that was searched; 0 for quiescence.
    pub depth: i32,
    /// What the score says.
    pub bound: Bound,
}

/// No move at all. No game has a move with this number.
pub const NO_MOVE: u32 = u32::MAX;

/// Marks an evaluation that is absent, or that does not fit.
const NO_EVAL: i16 = i16::MIN;

/// An entry as two words: the move with what the key leaves to be checked, and the rest.
///
/// The check is mixed with the other word. Two threads that write at once leave an entry that nobody recognises.
#[derive(Debug, Default)]
struct Entry {
    first: AtomicU64,
    rest: AtomicU64,
}

/// An entry's second word, unpacked. An all-zero word is an empty entry: its depth is below 0.
#[derive(Clone, Copy)]
struct Rest {
    score: Score,
    eval: i16,
    /// The depth plus 1.
    level: u8,
    bound: u8,
    age: u8,
}

/// The ages that are told apart.
const AGES: u8 = 64;

impl Rest {
    fn pack(self) -> u64 {
        u64::from(self.score as u32)
            | u64::from(self.eval as u16) << 32
            | u64::from(self.level) << 48
            | u64::from(self.bound | self.age << 2) << 56
    }

    fn unpack(word: u64) -> Rest {
        let last = (word >> 56) as u8;
        Rest {
            score: word as u32 as i32,
            eval: (word >> 32) as u16 as i16,
            level: (word >> 48) as u8,
            bound: last & 3,
            age: last >> 2,
        }
    }
}

fn check(key: u64, rest: u64) -> u32 {
    key as u32 ^ rest as u32 ^ (rest >> 32) as u32
}

/// A bounded table from position keys to entries.
#[derive(Debug)]
pub struct Table {
    buckets: Vec<[Entry; 4]>,
    age: AtomicU8,
}

impl Table {
    /// A table of at most this many bytes; with less than 64 it remembers nothing.
    pub fn new(bytes: usize) -> Table {
        let mut buckets = Vec::new();
        buckets.resize_with(bytes / size_of::<[Entry; 4]>(), Default::default);
        Table { buckets, age: AtomicU8::new(0) }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for entry in self.buckets.iter().flatten() {
            entry.first.store(0, Ordering::Relaxed);
            entry.rest.store(0, Ordering::Relaxed);
        }
        self.age.store(0, Ordering::Relaxed);
    }

    /// Marks everything in the table as older than what comes.
    pub fn next_search(&self) {
        let age = self.age.load(Ordering::Relaxed);
        self.age.store((age + 1) % AGES, Ordering::Relaxed);
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        // The high half of the product spreads the keys over any number of buckets.
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    /// Has the processor fetch what [`probe`](Self::probe) will ask for.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        if let Some(bucket) = self.buckets.get(self.bucket(key)) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch reads nothing, and the address is that of a bucket.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(bucket).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known of the position, `ply` plies below the root.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Hit> {
        let bucket = self.buckets.get(self.bucket(key))?;
        for entry in bucket {
            let rest = entry.rest.load(Ordering::Relaxed);
            let first = entry.first.load(Ordering::Relaxed);
            if (first >> 32) as u32 == check(key, rest) && rest >> 48 & 0xff != 0 {
                let Rest { score, eval, level, bound, .. } = Rest::unpack(rest);
                return Some(Hit {
                    mv: first as u32,
                    score: from_table(score, ply),
                    eval: (eval != NO_EVAL).then_some(Score::from(eval)),
                    depth: i32::from(level) - 1,
                    bound: BOUNDS[usize::from(bound)],
                });
            }
        }
        None
    }

    /// Remembers a position, `ply` plies below the root.
    #[inline]
    pub fn store(&self, key: u64, ply: usize, hit: Hit) {
        let Some(bucket) = self.buckets.get(self.bucket(key)) else { return };
        let age = self.age.load(Ordering::Relaxed);
        // The same position, else the least of the four: shallow entries and those of earlier searches go first.
        let (mut slot, mut least) = (&bucket[0], i32::MAX);
        let mut mv = hit.mv;
        for entry in bucket {
            let rest = entry.rest.load(Ordering::Relaxed);
            let first = entry.first.load(Ordering::Relaxed);
            let old = Rest::unpack(rest);
            if old.level > 0 && (first >> 32) as u32 == check(key, rest) {
                if mv == NO_MOVE {
                    mv = first as u32;
                }
                // What was searched much deeper in this search is worth more than a shallow bound.
                let shallow = hit.depth + 4 < i32::from(old.level) && hit.bound != Bound::Exact;
                if old.age == age && old.bound != Bound::None as u8 && (shallow || hit.bound == Bound::None) {
                    entry.first.store(u64::from(check(key, rest)) << 32 | u64::from(mv), Ordering::Relaxed);
                    return;
                }
                slot = entry;
                break;
            }
            let years = i32::from((age + AGES - old.age) % AGES);
            let worth = if old.level == 0 { i32::MIN } else { i32::from(old.level) - 8 * years };
            if worth < least {
                (slot, least) = (entry, worth);
            }
        }
        let fits = |eval: Score| i16::try_from(eval).unwrap_or(NO_EVAL);
        let rest = Rest {
            score: to_table(hit.score, ply),
            eval: hit.eval.map_or(NO_EVAL, fits),
            level: hit.depth.clamp(0, DEEPEST) as u8 + 1,
            bound: hit.bound as u8,
            age,
        }
        .pack();
        slot.rest.store(rest, Ordering::Relaxed);
        slot.first.store(u64::from(check(key, rest)) << 32 | u64::from(mv), Ordering::Relaxed);
    }
}

/// Won games count from the position, not from the root.
fn to_table(score: Score, ply: usize) -> Score {
    match score {
        score if score > KNOWN => score + ply as Score,
        score if score < -KNOWN => score - ply as Score,
        score => score,
    }
}

fn from_table(score: Score, ply: usize) -> Score {
    match score {
        score if score > KNOWN => score - ply as Score,
        score if score < -KNOWN => score + ply as Score,
        score => score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::WIN;

    fn hit(mv: u32, score: Score, depth: i32) -> Hit {
        Hit { mv, score, eval: Some(-7), depth, bound: Bound::Exact }
    }

    #[test]
    fn entries_are_sixteen_bytes_and_come_back_as_they_were() {
        assert_eq!(size_of::<Entry>(), 16);
        let table = Table::new(1 << 16);
        assert_eq!(table.probe(0, 0), None);
        for (key, eval, bound) in
            [(0, None, Bound::Lower), (u64::MAX, Some(-32_000), Bound::None), (7, Some(9), Bound::Upper)]
        {
            let stored = Hit { mv: 5, score: -123_456, eval, depth: DEEPEST, bound };
            table.store(key, 3, stored);
            assert_eq!(table.probe(key, 3), Some(stored));
        }
        // An evaluation that does not fit is computed again.
        table.store(9, 0, Hit { eval: Some(40_000), ..hit(1, 0, 2) });
        assert_eq!(table.probe(9, 0).unwrap().eval, None);
    }

    #[test]
    fn won_games_count_from_where_they_are_found() {
        let table = Table::new(1 << 16);
        // A win 7 plies below the root, seen at ply 3: 4 plies away, so 9 below the root at ply 5.
        table.store(42, 3, hit(1, WIN - 7, 2));
        assert_eq!(table.probe(42, 5).unwrap().score, WIN - 9);
        table.store(42, 3, hit(1, 7 - WIN, 2));
        assert_eq!(table.probe(42, 5).unwrap().score, 9 - WIN);
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_fine() {
        let none = Table::new(0);
        none.store(1, 0, hit(1, 1, 1));
        none.prefetch(1);
        assert_eq!(none.probe(1, 0), None);
        let small = Table::new(64);
        (0..100_u64).for_each(|key| small.store(key, 0, hit(key as u32, 0, key as i32)));
        // The deepest entries of one search survive, and give way to the next ones.
        assert!((97..100).all(|key| small.probe(key, 0).is_some()) && small.probe(3, 0).is_none());
        (0..16).for_each(|_| small.next_search());
        (0..4).for_each(|key| small.store(key, 0, hit(0, 0, 1)));
        assert!((0..4).all(|key| small.probe(key, 0).is_some()));
    }

    #[test]
    fn shallow_bounds_do_not_drive_out_deep_ones() {
        let table = Table::new(64);
        table.store(1, 0, hit(10, 50, 12));
        table.store(1, 0, Hit { bound: Bound::Lower, ..hit(20, 80, 3) });
        assert_eq!(table.probe(1, 0).map(|hit| (hit.mv, hit.depth, hit.score)), Some((20, 12, 50)));
        table.store(1, 0, Hit { mv: NO_MOVE, bound: Bound::Lower, ..hit(0, 80, 11) });
        assert_eq!(table.probe(1, 0).map(|hit| (hit.mv, hit.depth, hit.score)), Some((20, 11, 80)));
    }
}
