//! The registers of AVX2 and AVX-512.

use super::lanes::Lanes;
use crate::nnue::spec::UNIT;
use std::arch::x86_64::*;

macro_rules! lanes {
    ($register:ty, $lanes:literal, $load:ident, $store:ident, $add:ident, $sub:ident, $zero:ident, $splat:ident,
     $max:ident, $min:ident, $multiply:ident, $right:ident, $left:ident, $madd:ident, $add32:ident, $total:ident, $totals:ident) => {
        // SAFETY: loads and stores are the unaligned ones of exactly this register's width. The methods are inlined
        // into functions that enable the instruction set, which are called only where it was detected.
        unsafe impl Lanes for $register {
            const LANES: usize = $lanes;
            type Sums = $register;

            #[inline(always)]
            unsafe fn load(from: *const i16) -> Self {
                // SAFETY: the caller vouches for the numbers and the instruction set.
                unsafe { $load(from.cast()) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut i16) {
                // SAFETY: the caller vouches for the room and the instruction set.
                unsafe { $store(to.cast(), self) }
            }

            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $add(self, b) }
            }

            #[inline(always)]
            unsafe fn sub(self, b: Self) -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $sub(self, b) }
            }

            #[inline(always)]
            unsafe fn activate(self, squared: bool) -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe {
                    let cut = $min($max(self, $zero()), $splat(UNIT as i16));
                    if squared { $right::<1>($multiply(cut, cut)) } else { $left::<7>(cut) }
                }
            }

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $zero() }
            }

            #[inline(always)]
            unsafe fn dot(self, weights: Self, sums: Self) -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $add32(sums, $madd(self, weights)) }
            }

            #[inline(always)]
            unsafe fn total(sums: Self) -> i32 {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $total(sums) }
            }

            #[inline(always)]
            unsafe fn totals(sums: [Self; 4]) -> [i32; 4] {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $totals(sums) }
            }
        }
    };
}

lanes!(
    __m256i,
    16,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_add_epi16,
    _mm256_sub_epi16,
    _mm256_setzero_si256,
    _mm256_set1_epi16,
    _mm256_max_epi16,
    _mm256_min_epi16,
    _mm256_mullo_epi16,
    _mm256_srli_epi16,
    _mm256_slli_epi16,
    _mm256_madd_epi16,
    _mm256_add_epi32,
    total_of_eight,
    totals_of_eight
);

lanes!(
    __m512i,
    32,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_add_epi16,
    _mm512_sub_epi16,
    _mm512_setzero_si512,
    _mm512_set1_epi16,
    _mm512_max_epi16,
    _mm512_min_epi16,
    _mm512_mullo_epi16,
    _mm512_srli_epi16,
    _mm512_slli_epi16,
    _mm512_madd_epi16,
    _mm512_add_epi32,
    _mm512_reduce_add_epi32,
    totals_of_sixteen
);

/// The sum of eight 32-bit integers.
///
/// # Safety
/// AVX2 must be there.
#[inline(always)]
unsafe fn total_of_eight(sums: __m256i) -> i32 {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
    }
}

/// The sums of eight 32-bit integers each.
///
/// # Safety
/// AVX2 must be there.
#[inline(always)]
unsafe fn totals_of_eight(sums: [__m256i; 4]) -> [i32; 4] {
    // SAFETY: the caller vouches for AVX2; the array has room for the register.
    unsafe {
        let [a, b, c, d] = sums;
        let halves = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let totals = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        let mut array = [0; 4];
        _mm_storeu_si128(array.as_mut_ptr().cast(), totals);
        array
    }
}

/// The sums of sixteen 32-bit integers each.
///
/// # Safety
/// AVX-512 must be there.
#[inline(always)]
unsafe fn totals_of_sixteen(sums: [__m512i; 4]) -> [i32; 4] {
    // SAFETY: the caller vouches for AVX-512, which includes AVX2.
    unsafe {
        let mut halves = [_mm256_setzero_si256(); 4];
        for row in 0..4 {
            let high = _mm512_extracti64x4_epi64::<1>(sums[row]);
            halves[row] = _mm256_add_epi32(_mm512_castsi512_si256(sums[row]), high);
        }
        totals_of_eight(halves)
    }
}
