//! The inner loops: products of gathered rows and packed weights, in three instruction sets.
//!
//! Activations lie as `[square][position of the batch][channel]`, each row of channels padded to [`Isa::stride`]. A
//! convolution is then, for each output square, a sum over the taps on the board of (batch x inputs) * (inputs x
//! outputs) products; taps off the board are skipped, not multiplied by zero, which is a quarter of the work on a
//! 5x5 board.
//!
//! Every output number is one chain of additions in a fixed order (taps, then channels), whatever its neighbours in
//! a tile or a batch are. So an output depends on nothing but its own position, bit for bit, and AVX2 and AVX-512
//! agree bit for bit, since they differ only in how many chains run side by side.

#![expect(clippy::needless_range_loop, reason = "several arrays share an index that is a constant of the code")]

mod buffer;
mod depthwise;
mod gemm;
mod multiply;
mod plan;
mod portable;
mod winograd;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use buffer::Buffer;
pub(crate) use depthwise::depthwise;
pub(crate) use gemm::{Matrix, gemm};
pub(crate) use multiply::{Epilogue, Packed, Skip, Threads, multiply, multiply_on};
pub(crate) use plan::Plan;
pub(crate) use winograd::{Winograd, WinogradWeights};

use serde::{Deserialize, Serialize};

/// An instruction set that the kernels are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isa {
    /// Whatever the compiler makes of plain Rust: any machine.
    Portable,
    /// 8 lanes, fused multiply-add: x86 machines since about 2013.
    Avx2,
    /// 16 lanes.
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
            Isa::Avx512 => is_x86_feature_detected!("avx512f"),
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

/// A register of numbers, so that each kernel is written once.
///
/// The methods are inlined into functions that enable the instruction set; nothing else may call them, and kernels
/// use plain loops rather than closures, which would not inherit the instruction set.
///
/// # Safety
/// `load` and `store` touch `LANES` numbers from the pointer on, and all methods need the instruction set.
pub(crate) unsafe trait Vector: Copy {
    /// Numbers in the register.
    const LANES: usize;

    /// `x` in every lane.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn splat(x: f32) -> Self;
    /// The numbers at `from`, at any alignment.
    ///
    /// # Safety
    /// There must be `LANES` readable numbers, and the instruction set.
    unsafe fn load(from: *const f32) -> Self;
    /// Puts the numbers at `to`, at any alignment.
    ///
    /// # Safety
    /// There must be room for `LANES` numbers that nobody else uses, and the instruction set.
    unsafe fn store(self, to: *mut f32);
    /// `self * b + c`.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    /// `self + b`.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn add(self, b: Self) -> Self;
    /// The larger of each lane.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn max(self, b: Self) -> Self;
}
