//! A bounded memory of evaluations.

use tesuji_core::{Evaluation, Value};

/// Slots that a key may lie in.
const WAYS: usize = 4;

/// Remembers evaluations by key, in memory that is allocated once and never grows.
///
/// Priors go round a ring: the oldest make room for the newest. A hit returns what the network would have computed, so
/// a cache changes the speed of a search and nothing else, as long as the key covers what the network reads.
#[derive(Debug)]
pub struct Cache {
    slots: Vec<Slot>,
    ring: Vec<f32>,
    /// Numbers written to the ring so far; the place of the next one is this modulo its length.
    written: u64,
    hits: u64,
    misses: u64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    /// [`Cache::written`] when its priors began.
    start: u64,
    /// Priors; [`EMPTY`] in a slot that was never used.
    len: u32,
    value: f32,
}

const EMPTY: u32 = u32::MAX;

impl Cache {
    /// A cache that takes about this many bytes, half for slots and half for priors: right for positions with a
    /// handful of moves, and for those with many the ring is what fills up first.
    pub fn new(bytes: usize) -> Cache {
        let slots = (bytes / 2 / size_of::<Slot>()).next_multiple_of(WAYS).max(WAYS);
        let empty = Slot { key: 0, start: 0, len: EMPTY, value: 0.0 };
        let ring = vec![0.0; (bytes / 2 / size_of::<f32>()).max(1)];
        Cache { slots: vec![empty; slots], ring, written: 0, hits: 0, misses: 0 }
    }

    /// Writes what is known of a position with so many moves to `out`; `false` if that is nothing.
    pub fn get(&mut self, key: u64, moves: usize, out: &mut Evaluation) -> bool {
        let bucket = self.bucket(key);
        let found = self.slots[bucket..bucket + WAYS].iter().find(|slot| slot.key == key && self.is_alive(slot));
        // Another number of moves under the same key is another position: keys are hashes.
        let Some(slot) = found.filter(|slot| slot.len as usize == moves) else {
            self.misses += 1;
            return false;
        };
        let first = (slot.start % self.ring.len() as u64) as usize;
        out.value = Value::new(slot.value);
        out.priors.clear();
        out.priors.extend_from_slice(&self.ring[first..first + moves]);
        self.hits += 1;
        true
    }

    /// Remembers an evaluation; one with more priors than the whole ring holds is forgotten at once.
    pub fn insert(&mut self, key: u64, evaluation: &Evaluation) {
        let (len, capacity) = (evaluation.priors.len(), self.ring.len());
        if len > capacity {
            return;
        }
        let mut first = (self.written % capacity as u64) as usize;
        if first + len > capacity {
            // Priors lie in one piece: skip the rest of this round.
            self.written += (capacity - first) as u64;
            first = 0;
        }
        self.ring[first..first + len].copy_from_slice(&evaluation.priors);
        let slot = Slot { key, start: self.written, len: len as u32, value: evaluation.value.get() };
        self.written += len as u64;
        let bucket = self.bucket(key);
        // The place of the same key comes before an empty one: a key in two slots would answer with the older.
        let age = |slot: &Slot| match slot.len {
            EMPTY => (1, 0),
            _ if slot.key == key => (0, 0),
            _ => (2, slot.start),
        };
        let ways = &mut self.slots[bucket..bucket + WAYS];
        if let Some(oldest) = ways.iter_mut().min_by_key(|slot| age(slot)) {
            *oldest = slot;
        }
    }

    /// Forgets everything: the weights have changed.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.len = EMPTY);
    }

    /// Hits and misses so far.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }

    fn bucket(&self, key: u64) -> usize {
        let buckets = (self.slots.len() / WAYS) as u128;
        // The high bits of key * buckets: as even as a remainder, without a division.
        ((u128::from(key) * buckets) >> 64) as usize * WAYS
    }

    /// Whether the slot was used and its priors have not been overwritten.
    fn is_alive(&self, slot: &Slot) -> bool {
        slot.len != EMPTY && self.written - slot.start <= self.ring.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use tesuji_core::random::mix;

    fn evaluation(seed: u64, moves: usize) -> Evaluation {
        let priors = (0..moves).map(|i| (mix(seed ^ i as u64) >> 40) as f32).collect();
        Evaluation { value: Value::new((seed % 100) as f32 / 100.0), priors }
    }

    proptest! {
        #[test]
        fn whatever_is_found_is_what_was_put_there(
            bytes in 0_usize..4000,
            puts in proptest::collection::vec((0_u64..60, 0_usize..40, any::<u64>()), 1..300),
        ) {
            let mut cache = Cache::new(bytes);
            let mut truth = HashMap::new();
            let mut out = Evaluation::default();
            for (key, moves, seed) in puts {
                let key = mix(key);
                cache.insert(key, &evaluation(seed, moves));
                truth.insert(key, (moves, seed));
                for (&key, &(moves, seed)) in &truth {
                    if cache.get(key, moves, &mut out) {
                        prop_assert_eq!(&out.priors, &evaluation(seed, moves).priors);
                        prop_assert_eq!(out.value, evaluation(seed, moves).value);
                    }
                    prop_assert!(!cache.get(key, moves + 1, &mut out));
                }
            }
        }
    }

    #[test]
    fn the_newest_are_kept_and_clearing_forgets() {
        let mut cache = Cache::new(100_000);
        let mut out = Evaluation::default();
        for key in 0..10_000_u64 {
            cache.insert(mix(key), &evaluation(key, 10));
            assert!(cache.get(mix(key), 10, &mut out));
        }
        let kept = (9_000..10_000).filter(|&key| cache.get(mix(key), 10, &mut out)).count();
        assert!(kept > 800, "{kept} of the latest 1000");
        assert_eq!(cache.hits_and_misses().0, 10_000 + kept as u64);
        cache.clear();
        assert!(!cache.get(mix(9_999), 10, &mut out));
    }
}
