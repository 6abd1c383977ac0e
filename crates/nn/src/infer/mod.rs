//! Fast inference on one core.
//!
//! | file | what it holds |
//! |---|---|
//! | `path` | [`KernelPath`]: the instruction set and the method of 3x3 convolutions |
//! | `model` | [`Model`]: a network made ready, as steps over buffers |
//! | `compile` | from the layers of a graph to those steps |
//! | `worker` | [`Worker`]: runs them |
//! | `tune` | [`tune()`]: which path is the fastest on this machine |
//!
//! A [`Model`] is a network made ready once: batch norm folded into the weights before it, weights packed for the
//! kernels, layers turned into steps over a few reused buffers. Any number of [`Worker`]s, one a thread, share it.
//!
//! A position's output depends on nothing but the position and the [`KernelPath`]: not on the rest of its batch, nor on
//! the batch size, nor on the thread.

mod compile;
mod model;
mod path;
mod tune;
mod worker;

pub use model::Model;
pub use path::{ConvMethod, KernelPath};
pub use tune::{Timing, tune};
pub use worker::Worker;
