//! Sixteen lanes in plain Rust.

use super::lanes::Lanes;
use crate::nnue::spec::UNIT;

/// Sixteen numbers that the compiler may keep in whatever registers there are.
#[derive(Clone, Copy)]
pub(super) struct Sixteen([i16; 16]);

// SAFETY: `load` and `store` touch sixteen numbers; no instruction set is needed.
unsafe impl Lanes for Sixteen {
    const LANES: usize = 16;
    type Sums = [i32; 16];

    #[inline(always)]
    unsafe fn load(from: *const i16) -> Sixteen {
        // SAFETY: the caller vouches for sixteen numbers there; arrays of numbers need no more alignment than one.
        Sixteen(unsafe { from.cast::<[i16; 16]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut i16) {
        // SAFETY: as in `load`.
        unsafe { to.cast::<[i16; 16]>().write(self.0) }
    }

    #[inline(always)]
    unsafe fn add(mut self, b: Sixteen) -> Sixteen {
        for i in 0..16 {
            self.0[i] = self.0[i].wrapping_add(b.0[i]);
        }
        self
    }

    #[inline(always)]
    unsafe fn sub(mut self, b: Sixteen) -> Sixteen {
        for i in 0..16 {
            self.0[i] = self.0[i].wrapping_sub(b.0[i]);
        }
        self
    }

    #[inline(always)]
    unsafe fn activate(mut self, squared: bool) -> Sixteen {
        for i in 0..16 {
            let cut = self.0[i].clamp(0, UNIT as i16) as u16;
            self.0[i] = if squared { (cut * cut) >> 1 } else { cut << 7 } as i16;
        }
        self
    }

    #[inline(always)]
    unsafe fn zero() -> [i32; 16] {
        [0; 16]
    }

    #[inline(always)]
    unsafe fn dot(self, weights: Sixteen, mut sums: [i32; 16]) -> [i32; 16] {
        for (sum, (a, b)) in sums.iter_mut().zip(self.0.iter().zip(weights.0)) {
            *sum += i32::from(*a) * i32::from(b);
        }
        sums
    }

    #[inline(always)]
    unsafe fn total(sums: [i32; 16]) -> i32 {
        sums.iter().sum()
    }

    #[inline(always)]
    unsafe fn totals(sums: [[i32; 16]; 4]) -> [i32; 4] {
        sums.map(|sums| sums.iter().sum())
    }
}
