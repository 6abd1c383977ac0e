//! Functions compiled for each instruction set.

/// Defines a function with a leading argument `isa` that runs `$inner` compiled for that instruction set. `$inner` must
/// be `#[inline(always)]`. The compiler fuses and reorders nothing, so results are the same to the bit. With `dot $inner`
/// it is generic over the way to add up products, and unsafe to call without the instruction set.
macro_rules! for_each_isa {
    ($(#[$doc:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $inner:ident) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "one more than the function that it stands for")]
        $visibility fn $name(isa: crate::Isa, $($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),*) $(-> $result)? {
                $inner($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw")]
            fn avx512($($argument: $type),*) $(-> $result)? {
                $inner($($argument),*)
            }
            match isa {
                #[cfg(target_arch = "x86_64")]
                crate::Isa::Avx512 => {
                    assert!(isa.is_available(), "{isa:?} is not on this machine");
                    // SAFETY: the instruction set is there, as was just checked.
                    unsafe { avx512($($argument),*) }
                }
                #[cfg(target_arch = "x86_64")]
                crate::Isa::Avx2 => {
                    assert!(isa.is_available(), "{isa:?} is not on this machine");
                    // SAFETY: the instruction set is there, as was just checked.
                    unsafe { avx2($($argument),*) }
                }
                _ => $inner($($argument),*),
            }
        }
    };
    ($(#[$doc:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = dot $inner:ident) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "one more than the function that it stands for")]
        $visibility fn $name(isa: crate::Isa, $($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),*) $(-> $result)? {
                // SAFETY: this function has the instruction set.
                unsafe { $inner::<super::dot::Avx>($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw")]
            fn avx512($($argument: $type),*) $(-> $result)? {
                // SAFETY: this function has the instruction set.
                unsafe { $inner::<super::dot::Avx>($($argument),*) }
            }
            match isa {
                #[cfg(target_arch = "x86_64")]
                crate::Isa::Avx512 => {
                    assert!(isa.is_available(), "{isa:?} is not on this machine");
                    // SAFETY: the instruction set is there, as was just checked.
                    unsafe { avx512($($argument),*) }
                }
                #[cfg(target_arch = "x86_64")]
                crate::Isa::Avx2 => {
                    assert!(isa.is_available(), "{isa:?} is not on this machine");
                    // SAFETY: the instruction set is there, as was just checked.
                    unsafe { avx2($($argument),*) }
                }
                // SAFETY: plain Rust needs no instruction set.
                _ => unsafe { $inner::<super::dot::Portable>($($argument),*) },
            }
        }
    };
}

pub(super) use for_each_isa;
