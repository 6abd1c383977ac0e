//! Sums of products in floats, the same to the bit on every instruction set.

/// Lanes of a sum of products.
const LANES: usize = 16;

/// A way to add up products: in sixteen lanes, which are then added in halves; the rest follows one by one.
///
/// Written by hand, because the compiler makes single additions of it.
///
/// # Safety
/// Only functions that enable the instruction set may call `dot`.
pub(super) unsafe trait Dot {
    /// The sum of the products of two slices of one length.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn dot(a: &[f32], b: &[f32]) -> f32;
}

/// Plain Rust.
pub(super) struct Portable;

// SAFETY: no instruction set is needed.
unsafe impl Dot for Portable {
    #[inline(always)]
    unsafe fn dot(a: &[f32], b: &[f32]) -> f32 {
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
        let mut lanes = [0.0; LANES];
        for (a, b) in a.iter().zip(b) {
            for i in 0..LANES {
                lanes[i] += a[i] * b[i];
            }
        }
        let mut four = [0.0; 4];
        for i in 0..4 {
            four[i] = (lanes[i] + lanes[i + 8]) + (lanes[i + 4] + lanes[i + 12]);
        }
        let sum = (four[0] + four[2]) + (four[1] + four[3]);
        a_rest.iter().zip(b_rest).fold(sum, |sum, (a, b)| sum + a * b)
    }
}

/// AVX, and all that includes it.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx;

// SAFETY: AVX is all that is used; the slices are read in whole arrays of sixteen.
#[cfg(target_arch = "x86_64")]
unsafe impl Dot for Avx {
    #[inline(always)]
    unsafe fn dot(a: &[f32], b: &[f32]) -> f32 {
        use std::arch::x86_64::*;
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
        // SAFETY: the caller vouches for AVX; loads stay within the arrays of sixteen. Products are rounded before they
        // are added, as in plain Rust.
        let sum = unsafe {
            let (mut low, mut high) = (_mm256_setzero_ps(), _mm256_setzero_ps());
            for (a, b) in a.iter().zip(b) {
                let (a, b) = (a.as_ptr(), b.as_ptr());
                low = _mm256_add_ps(low, _mm256_mul_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b)));
                high = _mm256_add_ps(high, _mm256_mul_ps(_mm256_loadu_ps(a.add(8)), _mm256_loadu_ps(b.add(8))));
            }
            let eight = _mm256_add_ps(low, high);
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        };
        a_rest.iter().zip(b_rest).fold(sum, |sum, (a, b)| sum + a * b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_right_and_equal_to_the_bit() {
        let mut stream = tesuji_core::Stream::new(1, "dot", 0);
        for len in 0..70 {
            let mut numbers = || -> Vec<f32> { (0..len).map(|_| (stream.unit() - 0.5) as f32).collect() };
            let (a, b) = (numbers(), numbers());
            // SAFETY: plain Rust.
            let sum = unsafe { Portable::dot(&a, &b) };
            let plain: f64 = a.iter().zip(&b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
            assert!((f64::from(sum) - plain).abs() < 1e-5, "{sum} v {plain}");
            #[cfg(target_arch = "x86_64")]
            if crate::Isa::Avx2.is_available() {
                // SAFETY: AVX2 includes AVX.
                assert_eq!(unsafe { Avx::dot(&a, &b) }.to_bits(), sum.to_bits(), "{len}");
            }
        }
    }
}
