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
mod isa;
mod multiply;
mod plan;
mod portable;
mod vector;
mod winograd;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use buffer::Buffer;
pub(crate) use depthwise::depthwise;
pub(crate) use gemm::{Matrix, gemm};
pub use isa::Isa;
pub(crate) use multiply::{Epilogue, Packed, Skip, Threads, multiply, multiply_on};
pub(crate) use plan::Plan;
pub(crate) use winograd::{Winograd, WinogradWeights};
