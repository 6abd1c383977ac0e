//! Integers that begin at a cache line.

use super::spec::LANES;
use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
struct Line([i16; LANES]);

/// Whole cache lines of 16-bit integers, so that no register is loaded from two lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lines(Vec<Line>);

impl Lines {
    /// At least `len` zeros, up to the end of the last line.
    pub fn zeros(len: usize) -> Lines {
        Lines(vec![Line([0; LANES]); len.div_ceil(LANES)])
    }

    /// Rows of `width` numbers, each filled up with zeros to whole lines.
    pub fn rows(numbers: &[i16], width: usize) -> Lines {
        let stride = width.next_multiple_of(LANES);
        let mut lines = Lines::zeros(numbers.len() / width * stride);
        for (to, from) in lines.chunks_exact_mut(stride).zip(numbers.chunks_exact(width)) {
            to[..width].copy_from_slice(from);
        }
        lines
    }
}

impl Deref for Lines {
    type Target = [i16];

    fn deref(&self) -> &[i16] {
        // SAFETY: lines are arrays of numbers without gaps (64 bytes of 64).
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * LANES) }
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [i16] {
        // SAFETY: as in `deref`; the lines are borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * LANES) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_aligned_and_rows_padded() {
        let rows = Lines::rows(&[1, 2, 3, 4, 5, 6], 3);
        assert_eq!(rows.len(), 64);
        assert_eq!(rows.as_ptr() as usize % 64, 0);
        assert_eq!((&rows[..4], &rows[32..36]), (&[1, 2, 3, 0][..], &[4, 5, 6, 0][..]));
        let mut zeros = Lines::zeros(33);
        assert_eq!(zeros.len(), 64);
        zeros.fill(1);
        assert_eq!(zeros.iter().map(|&x| i32::from(x)).sum::<i32>(), 64);
    }
}
