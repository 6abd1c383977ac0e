//! The kernels by instruction set.

use super::loops;
use super::portable::Sixteen;
use super::rows::Rows;
use crate::Isa;

macro_rules! paths {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub(super) unsafe fn $name(isa: Isa, $($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            unsafe fn avx2($($argument: $type),*) $(-> $result)? {
                // SAFETY: this function has the instruction set; the caller vouches for the rest.
                unsafe { loops::$name::<std::arch::x86_64::__m256i>($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw")]
            unsafe fn avx512($($argument: $type),*) $(-> $result)? {
                // SAFETY: this function has the instruction set; the caller vouches for the rest.
                unsafe { loops::$name::<std::arch::x86_64::__m512i>($($argument),*) }
            }
            debug_assert!(isa.is_available());
            // SAFETY: networks only take instruction sets that are there; the caller vouches for the rest.
            unsafe {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => avx512($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => avx2($($argument),*),
                    _ => loops::$name::<Sixteen>($($argument),*),
                }
            }
        }
    )*};
}

paths! {
    /// # Safety
    /// As [`loops::change`], and the instruction set must be there.
    fn change(rows: Rows<'_>, from: *const i16, removed: &[u32], added: &[u32], to: *mut i16);
    /// # Safety
    /// As [`loops::output`], and the instruction set must be there.
    fn output(squared: bool, hidden: [*const i16; 2], weights: *const i16, width: usize) -> i32;
    /// # Safety
    /// As [`loops::activate`], and the instruction set must be there.
    fn activate(squared: bool, hidden: [*const i16; 2], to: *mut i16, width: usize);
    /// # Safety
    /// As [`loops::dense`], and the instruction set must be there.
    fn dense(inputs: &[i16], weights: *const i16, sums: &mut [i32]);
}
