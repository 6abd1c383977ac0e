//! Instruction sets.

use serde::{Deserialize, Serialize};

/// An instruction set that the kernels are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isa {
    /// Whatever the compiler makes of plain Rust: any machine.
    Portable,
    /// 8 lanes, fused multiply-add: x86 machines since about 2013.
    Avx2,
    /// 16 lanes; with the instructions for bytes and words, which integer networks use.
    Avx512,
}

impl Isa {
    /// All of them, the slowest first.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// Whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => false,
        }
    }

    /// The fastest that this machine has.
    pub fn best() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.is_available()).unwrap_or(Isa::Portable)
    }

    /// Output channels that a kernel makes at once: two registers.
    pub(crate) fn panel(self) -> usize {
        match self {
            Isa::Portable | Isa::Avx2 => 16,
            Isa::Avx512 => 32,
        }
    }

    /// Rows of a full tile. With two registers a row, 6 rows fill the 16 registers of AVX2 and 12 fill most of the 32
    /// of AVX-512, with room for the weights and a broadcast input.
    pub(crate) fn rows(self) -> usize {
        match self {
            Isa::Portable => 4,
            Isa::Avx2 => 6,
            Isa::Avx512 => 12,
        }
    }

    /// The distance between rows of so many channels.
    pub(crate) fn stride(self, channels: usize) -> usize {
        channels.next_multiple_of(self.panel())
    }
}
