//! The registers of AVX2 and AVX-512.

use super::vector::Vector;
use std::arch::x86_64::*;

macro_rules! vector {
    ($vector:ty, $lanes:literal, $splat:ident, $load:ident, $store:ident, $mul_add:ident, $add:ident, $max:ident) => {
        // SAFETY: loads and stores are the unaligned ones of exactly this register's width. The methods are inlined
        // into functions that enable the instruction set, which are called only where it was detected.
        unsafe impl Vector for $vector {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: f32) -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $splat(x) }
            }

            #[inline(always)]
            unsafe fn load(from: *const f32) -> Self {
                // SAFETY: the caller vouches for the numbers and the instruction set.
                unsafe { $load(from) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut f32) {
                // SAFETY: the caller vouches for the numbers and the instruction set.
                unsafe { $store(to, self) }
            }

            #[inline(always)]
            unsafe fn mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $mul_add(self, b, c) }
            }

            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $add(self, b) }
            }

            #[inline(always)]
            unsafe fn max(self, b: Self) -> Self {
                // SAFETY: the instruction set is there, as the trait demands.
                unsafe { $max(self, b) }
            }
        }
    };
}

vector!(__m256, 8, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_fmadd_ps, _mm256_add_ps, _mm256_max_ps);
vector!(__m512, 16, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_fmadd_ps, _mm512_add_ps, _mm512_max_ps);
