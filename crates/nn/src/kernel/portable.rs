//! Eight lanes in plain Rust.

use super::vector::Vector;

/// Eight numbers that the compiler may keep in whatever registers there are.
#[derive(Clone, Copy)]
pub(super) struct Eight([f32; 8]);

/// `a * b + c`, rounded once as the wide instructions do it: Winograd's method enlarges what is rounded off, and paths
/// should agree. Without such an instruction it goes through double precision, which holds the product exactly; a
/// call of the fused function would be far slower.
#[inline(always)]
fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
        a.mul_add(b, c)
    } else {
        (f64::from(a) * f64::from(b) + f64::from(c)) as f32
    }
}

// SAFETY: `load` and `store` touch eight numbers; no instruction set is needed.
unsafe impl Vector for Eight {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(x: f32) -> Eight {
        Eight([x; 8])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Eight {
        // SAFETY: the caller vouches for eight numbers there; arrays of numbers need no more alignment than one.
        Eight(unsafe { from.cast::<[f32; 8]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as in `load`.
        unsafe { to.cast::<[f32; 8]>().write(self.0) }
    }

    #[inline(always)]
    unsafe fn mul_add(mut self, b: Eight, c: Eight) -> Eight {
        for i in 0..8 {
            self.0[i] = mul_add(self.0[i], b.0[i], c.0[i]);
        }
        self
    }

    #[inline(always)]
    unsafe fn add(mut self, b: Eight) -> Eight {
        for i in 0..8 {
            self.0[i] += b.0[i];
        }
        self
    }

    #[inline(always)]
    unsafe fn max(mut self, b: Eight) -> Eight {
        for i in 0..8 {
            self.0[i] = if self.0[i] > b.0[i] { self.0[i] } else { b.0[i] };
        }
        self
    }
}
