//! Every random choice of a run.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of random numbers derived from (seed, purpose, index), never from time or thread order.
///
/// The generator is xoshiro256++; the drawing functions are written here rather than taken from `rand`, because
/// `rand` may change what its distributions return between releases, and a run must repeat to the byte.
#[derive(Clone, Debug)]
pub struct Stream {
    generator: Xoshiro256PlusPlus,
}

impl Stream {
    /// The stream of a run's `seed` for a `purpose` ("playout", "noise") and an `index` (game or position number).
    pub fn new(seed: u64, purpose: &str, index: u64) -> Stream {
        // FNV-1a of the purpose; then SplitMix64 steps fold the three parts together and fill the state.
        let purpose = purpose
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let mut state = mix(mix(mix(seed) ^ purpose) ^ index);
        let mut bytes = [0_u8; 32];
        for word in bytes.chunks_exact_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            word.copy_from_slice(&mix(state).to_le_bytes());
        }
        Stream { generator: Xoshiro256PlusPlus::from_seed(bytes) }
    }

    /// A stream of its own for a part of this stream's work; advances this stream by one number.
    pub fn fork(&mut self, purpose: &str) -> Stream {
        Stream::new(self.next_u64(), purpose, 0)
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A number in `0..bound`, every one equally likely (Lemire's method).
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0");
        let bound = bound as u64;
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(bound);
            let low = wide as u64;
            // Only the first 2^64 mod bound values of `low` would be over-represented; the quick test comes first.
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (wide >> 64) as usize;
            }
        }
    }

    /// A number in `0.0..1.0`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// One of the items, or `None` of an empty slice.
    #[inline]
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }

    /// Shuffles in place (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// The finaliser of SplitMix64: a bijection whose output bits all depend on all input bits.
pub const fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_fixed_for_ever() {
        // Golden numbers: a change here would change every recorded run.
        let mut stream = Stream::new(1, "playout", 0);
        let first: Vec<u64> = (0..3).map(|_| stream.next_u64()).collect();
        assert_eq!(first, [11371740279677617295, 17150151561806930156, 3448901790739840624]);
    }

    #[test]
    fn streams_differ_by_each_part() {
        let draw = |seed, purpose, index| Stream::new(seed, purpose, index).next_u64();
        let all = [draw(1, "a", 0), draw(2, "a", 0), draw(1, "b", 0), draw(1, "a", 1)];
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut stream = Stream::new(7, "test", 0);
        let mut counts = [0_f64; 7];
        let draws = 70_000;
        for _ in 0..draws {
            counts[stream.below(7)] += 1.0;
        }
        // Chi-squared with 6 degrees of freedom: 22.5 is exceeded once in a thousand seeds.
        let expected = f64::from(draws) / 7.0;
        let chi: f64 = counts.iter().map(|n| (n - expected).powi(2) / expected).sum();
        assert!(chi < 22.5, "chi-squared {chi}");
    }
}
