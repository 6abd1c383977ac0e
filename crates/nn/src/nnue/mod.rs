//! Integer networks on sparse inputs (NNUE): small, quick to update, the same to the bit on every machine.
//!
//! A position is a list of active inputs for each perspective ([`tesuji_core::Features`]). The first layer adds up their
//! rows for both perspectives, a move changes two or three of them; what follows is small. Nothing here names a game.
//!
//! | file | what it holds |
//! |---|---|
//! | `spec` | [`NnueSpec`]: a network as plain data, and the bounds under which nothing overflows |
//! | `lines` | integers that begin at a cache line |
//! | `kernel` | the inner loops, in three instruction sets |
//! | `network` | [`NnueNetwork`] and [`Accumulator`]: evaluation |
//! | `samples` | [`Samples`]: positions to train on |
//! | `train` | [`NnueTrainer`]: training in floats, and floats to integers |
//! | `file` | [`NnueFile`]: networks on disk |
//!
//! docs/nnue.md explains the architecture, the formulas and the figures.

mod file;
mod kernel;
mod lines;
mod network;
mod samples;
mod spec;
mod train;

pub use file::{NnueFile, NnueInfo};
pub use network::{Accumulator, NnueLayer, NnueNetwork, NnueWeights};
pub use samples::{Sample, Samples};
pub use spec::{NnueActivation, NnueSpec, UNIT};
pub use train::{NnueLoss, NnueTrainer, NnueTraining, QuantisationError};
