//! Numbers that begin at a cache line.

use std::ops::{Deref, DerefMut};

/// Numbers of one cache line.
const LINE: usize = 16;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "read through the slices below")] [f32; LINE]);

/// A vector of numbers that begins at a cache line, so that no register is loaded from two lines.
///
/// A `Vec<f32>` begins 16 bytes behind one, and then half of all AVX2 loads and all AVX-512 loads cross lines.
#[derive(Clone, Default)]
pub(crate) struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Buffer {
        Buffer { lines: vec![Line([0.0; LINE]); len.div_ceil(LINE)], len }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: lines are arrays of numbers without gaps (64 bytes of 64), and there are at least `len` numbers.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`; the lines are borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_and_as_long_as_asked() {
        for len in [0, 1, 15, 16, 17, 100] {
            let mut buffer = Buffer::zeros(len);
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.as_ptr() as usize % 64, 0);
            buffer.fill(1.0);
            assert_eq!(buffer.iter().sum::<f32>(), len as f32);
        }
    }
}
