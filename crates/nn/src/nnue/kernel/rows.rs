//! The first layer as the kernels read it.

use crate::nnue::spec::LANES;

/// The first layer: rows of `width` weights.
#[derive(Clone, Copy)]
pub(in crate::nnue) struct Rows<'a> {
    pub(super) weights: &'a [i16],
    pub(super) width: usize,
    count: usize,
}

impl<'a> Rows<'a> {
    /// # Panics
    /// If the weights are not so many rows, or the width no multiple of [`LANES`].
    #[inline]
    pub fn new(weights: &'a [i16], width: usize, count: usize) -> Rows<'a> {
        assert!(width > 0 && width.is_multiple_of(LANES), "rows of whole registers");
        assert!(weights.len() == width * count, "as many rows as there are weights");
        Rows { weights, width, count }
    }

    /// # Panics
    /// If an input has no row.
    #[inline]
    pub(super) fn check(self, numbers: &[u32]) {
        for &number in numbers {
            assert!((number as usize) < self.count, "input {number} of {}", self.count);
        }
    }
}
