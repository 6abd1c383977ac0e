//! Sorting, compiled once: a sort that sees a game's types would be compiled for each of them, several kilobytes each.

use std::cmp::Ordering;

/// Sorts numbers by a comparison that tells all of them apart.
pub(crate) fn numbers(numbers: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    numbers.sort_unstable_by(|&a, &b| compare(a, b));
}

/// The places of numbers, that of the greatest first; of equals the earlier first.
pub(crate) fn greatest_first(numbers: impl ExactSizeIterator<Item = f32>) -> Vec<u64> {
    // Places in the low half make keys of equals differ: whatever sorts them keeps their order.
    let mut keys = Vec::with_capacity(numbers.len());
    keys.extend(numbers.enumerate().map(|(place, number)| falling(number) << 32 | place as u64));
    sort(&mut keys);
    keys.iter_mut().for_each(|key| *key &= u64::from(u32::MAX));
    keys
}

/// A number whose order is that of [`f32::total_cmp`], turned around.
fn falling(number: f32) -> u64 {
    let bits = number.to_bits();
    u64::from(if bits >> 31 == 1 { bits } else { !(bits | 1 << 31) })
}

fn sort(keys: &mut [u64]) {
    keys.sort_unstable();
}

/// Numbers by key.
pub(crate) struct Shares(Vec<(u32, f32)>);

impl Shares {
    /// Of pairs whose keys differ.
    pub fn new(mut pairs: Vec<(u32, f32)>) -> Shares {
        pairs.sort_unstable_by_key(|&(key, _)| key);
        Shares(pairs)
    }

    /// The number of a key; 0 if it has none.
    pub fn of(&self, key: u32) -> f32 {
        self.0.binary_search_by_key(&key, |&(key, _)| key).map_or(0.0, |place| self.0[place].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Stream;

    #[test]
    fn the_greatest_come_first_and_equals_keep_their_order() {
        let mut random = Stream::new(1, "sort test", 0);
        let odd = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, 1e-40, -1e-40, 0.5, 0.5];
        for len in [0, 1, 2, 19, 21, 300] {
            let number = |random: &mut Stream| match random.below(3) {
                0 => odd[random.below(odd.len())],
                1 => random.below(5) as f32 / 4.0,
                _ => random.unit() as f32,
            };
            let numbers: Vec<f32> = (0..len).map(|_| number(&mut random)).collect();
            let mut expected: Vec<u64> = (0..len as u64).collect();
            expected.sort_by(|&a, &b| numbers[b as usize].total_cmp(&numbers[a as usize]));
            assert_eq!(greatest_first(numbers.iter().copied()), expected, "{numbers:?}");
        }
    }

    #[test]
    fn shares_are_found_by_their_keys() {
        let shares = Shares::new(vec![(7, 0.5), (2, 0.25), (9, 0.125)]);
        assert_eq!([2, 7, 9, 0, 8].map(|key| shares.of(key)), [0.25, 0.5, 0.125, 0.0, 0.0]);
    }
}
