//! The convolution of each channel by itself.

use super::isa::Isa;
use super::portable::Eight;
use super::vector::Vector;
use crate::graph::Kernel;
use tesuji_core::Shape;

/// out = x convolved with `weights` (`[tap][channel]`, rows padded as those of `x`) channel by channel.
///
/// # Panics
/// If a slice is too short or the instruction set is not there.
pub(crate) fn depthwise(
    isa: Isa,
    board: Shape,
    kernel: Kernel,
    batch: usize,
    weights: &[f32],
    x: &[f32],
    out: &mut [f32],
) {
    let stride = isa.stride(board.planes);
    let squares = board.height * board.width;
    assert!(isa.is_available(), "{isa:?} is not on this machine");
    assert!(weights.len() >= kernel.taps() * stride, "weights are missing");
    assert!(x.len() >= squares * batch * stride && out.len() >= squares * batch * stride, "rows are missing");
    for square in 0..squares {
        for position in 0..batch {
            let out = out[(square * batch + position) * stride..][..stride].as_mut_ptr();
            for tap in 0..kernel.taps() {
                let Some(source) = kernel.source(board, square, tap) else { continue };
                let row = x[(source * batch + position) * stride..][..stride].as_ptr();
                let tap_weights = weights[tap * stride..][..stride].as_ptr();
                let first = (0..tap).all(|earlier| kernel.source(board, square, earlier).is_none());
                // SAFETY: the instruction set was checked, and the three pointers are to `stride` numbers each, which
                // is a whole number of registers.
                unsafe {
                    match isa {
                        Isa::Portable => accumulate::<Eight>(stride, row, tap_weights, out, first),
                        #[cfg(target_arch = "x86_64")]
                        Isa::Avx2 => accumulate_avx2(stride, row, tap_weights, out, first),
                        #[cfg(target_arch = "x86_64")]
                        Isa::Avx512 => accumulate_avx512(stride, row, tap_weights, out, first),
                        #[cfg(not(target_arch = "x86_64"))]
                        _ => unreachable!("not available"),
                    }
                }
            }
        }
    }
}

/// [`accumulate`] by AVX2 and FMA.
///
/// # Safety
/// As [`accumulate`], and the machine must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn accumulate_avx2(len: usize, x: *const f32, weights: *const f32, out: *mut f32, first: bool) {
    // SAFETY: the caller's contract.
    unsafe { accumulate::<std::arch::x86_64::__m256>(len, x, weights, out, first) }
}

/// [`accumulate`] by AVX-512.
///
/// # Safety
/// As [`accumulate`], and the machine must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn accumulate_avx512(len: usize, x: *const f32, weights: *const f32, out: *mut f32, first: bool) {
    // SAFETY: the caller's contract.
    unsafe { accumulate::<std::arch::x86_64::__m512>(len, x, weights, out, first) }
}

/// out += x * weights; the first tap begins at 0 instead.
///
/// # Safety
/// The pointers must be to `len` numbers each, a multiple of the lanes, those of `out` used by nothing else; `V`'s
/// instruction set must be there.
#[inline(always)]
unsafe fn accumulate<V: Vector>(len: usize, x: *const f32, weights: *const f32, out: *mut f32, first: bool) {
    for at in (0..len).step_by(V::LANES) {
        // SAFETY: the caller's contract: `len` numbers, a multiple of the lanes.
        unsafe {
            let sum = if first { V::splat(0.0) } else { V::load(out.add(at)) };
            V::load(x.add(at)).mul_add(V::load(weights.add(at)), sum).store(out.add(at));
        }
    }
}
