//! The transposition table: a fixed amount of memory, sixteen bytes an entry, four entries a cache line.

use crate::score::{DECIDED, Score};

/// What a stored score says about the true one, for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// Nothing: only the move counts.
    #[default]
    None,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
    /// This is the true score.
    Exact,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Half of the position's key; the other half chooses the bucket.
    check: u32,
    /// The best move's numeric form.
    pub mv: u32,
    /// The score for the side to move; won games count from this position.
    score: Score,
    /// The depth that was searched; 0 marks an empty entry.
    pub depth: u8,
    /// What the score says.
    pub bound: Bound,
    /// Whether the score depends on heuristic evaluations.
    pub horizon: bool,
    /// The search that wrote it, counted round.
    age: u8,
}

impl Entry {
    /// The score, `ply` plies below the root.
    pub fn score(&self, ply: usize) -> Score {
        match self.score {
            score if score > DECIDED => score - ply as Score,
            score if score < -DECIDED => score + ply as Score,
            score => score,
        }
    }
}

/// A bounded table from position keys to entries.
#[derive(Clone, Debug)]
pub struct Table {
    buckets: Vec<[Entry; 4]>,
    age: u8,
}

impl Table {
    /// A table of at most this many bytes; with less than 64 it remembers nothing.
    pub fn new(bytes: usize) -> Table {
        Table { buckets: vec![[Entry::default(); 4]; bytes / size_of::<[Entry; 4]>()], age: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill([Entry::default(); 4]);
        self.age = 0;
    }

    /// Marks everything in the table as older than what comes.
    pub fn next_search(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    fn bucket(&self, key: u64) -> usize {
        // The high half of the product spreads the keys over any number of buckets.
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    /// What is known of the position.
    pub fn probe(&self, key: u64) -> Option<&Entry> {
        let bucket = self.buckets.get(self.bucket(key))?;
        bucket.iter().find(|entry| entry.check == key as u32 && entry.depth > 0)
    }

    /// Remembers a position searched to `depth` (at least 1), `ply` plies below the root.
    #[expect(clippy::too_many_arguments, reason = "these are the fields of an entry")]
    pub fn store(&mut self, key: u64, ply: usize, mv: u32, score: Score, depth: u8, bound: Bound, horizon: bool) {
        let (index, age) = (self.bucket(key), self.age);
        let Some(bucket) = self.buckets.get_mut(index) else { return };
        let check = key as u32;
        // The same position, else the least of the four: shallow entries and those of earlier searches go first.
        let worth = |entry: &Entry| match entry {
            entry if entry.check == check && entry.depth > 0 => i32::MIN,
            entry => i32::from(entry.depth) - 8 * i32::from(age.wrapping_sub(entry.age)),
        };
        let slot = bucket.iter_mut().min_by_key(|entry| worth(entry)).expect("a bucket has four entries");
        let score = match score {
            score if score > DECIDED => score + ply as Score,
            score if score < -DECIDED => score - ply as Score,
            score => score,
        };
        *slot = Entry { check, mv, score, depth, bound, horizon, age };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::WIN;

    #[test]
    fn entries_are_sixteen_bytes() {
        assert_eq!(size_of::<Entry>(), 16);
    }

    #[test]
    fn won_games_count_from_where_they_are_found() {
        let mut table = Table::new(1 << 16);
        // A win 7 plies below the root, seen at ply 3: 4 plies away, so 9 below the root at ply 5.
        table.store(42, 3, 1, WIN - 7, 2, Bound::Exact, false);
        assert_eq!(table.probe(42).unwrap().score(5), WIN - 9);
        table.store(42, 3, 1, 7 - WIN, 2, Bound::Exact, false);
        assert_eq!(table.probe(42).unwrap().score(5), 9 - WIN);
        table.store(42, 3, 1, 123, 2, Bound::Exact, false);
        assert_eq!(table.probe(42).unwrap().score(5), 123);
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_fine() {
        let mut none = Table::new(0);
        none.store(1, 0, 1, 1, 1, Bound::Exact, false);
        assert!(none.probe(1).is_none());
        let mut small = Table::new(64);
        for key in 0..100_u64 {
            small.store(key, 0, key as u32, 0, 1 + key as u8, Bound::Exact, false);
        }
        // The deepest entries of one search survive.
        assert_eq!(small.buckets.len(), 1);
        assert!((97..100).all(|key| small.probe(key).is_some()));
        assert!(small.probe(3).is_none());
    }

    #[test]
    fn old_entries_give_way() {
        let mut table = Table::new(64);
        (0..4).for_each(|key| table.store(key, 0, 0, 0, 9, Bound::Exact, false));
        (0..2).for_each(|_| table.next_search());
        (4..8).for_each(|key| table.store(key, 0, 0, 0, 1, Bound::Exact, false));
        assert!((4..8).all(|key| table.probe(key).is_some()));
    }
}
