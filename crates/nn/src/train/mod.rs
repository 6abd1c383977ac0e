//! Training on the processor, repeatable to the byte at any number of threads.
//!
//! Forward and backward passes are written here, layer by layer, rather than taken from a framework. The reasons:
//!
//! - speed: on the yardstick networks burn-flex 0.22 was measured at 0.28 to 0.37 of PyTorch's training rate, where
//!   0.9 is wanted; its 3x3 convolutions gather patches and multiply (im2col). Our own convolutions inside its autodiff
//!   would have been most of this module already, and batch norm most of the rest;
//! - determinism: threads here share out rows or weights, never the terms of a sum, so every number is added up in
//!   one fixed order, whichever thread does it;
//! - size: the papers' networks need a dozen kinds of layers, each a few lines with a test against finite
//!   differences of the plain reference.
//!
//! What this gives up is a graphics card. The place for one is behind [`Trainer`]'s interface: weights and batches in,
//! weights out.
//!
//! The threads are those of the current rayon pool: `pool.install(|| trainer.step(...))` chooses their number.

mod conv;
mod loss;
mod norm;
mod optimiser;
mod rows;
mod small;
mod tape;
mod trainer;

pub use loss::{Action, LossSums, Losses, MovesLeft, Pointwise, PolicyValue, Reply, TargetCounts, Targets};
pub use optimiser::{Optimiser, Schedule};
pub use trainer::Trainer;
