//! Networks: what they are, their weights, and how they run.
//!
//! | file | what it holds |
//! |---|---|
//! | [`spec`] | [`Spec`]: a network as plain data, the papers' networks as presets |
//! | `heads` | policy and value heads |
//! | `checks` | what a specification may say |
//! | [`graph`] | [`Graph`]: the same, layer by layer; parameter counts and operations |
//! | [`weights`] | [`Weights`]: the numbers, and how they begin |
//! | [`mod@file`] | [`NetworkFile`]: weights on disk, with all that is needed to refuse the wrong ones |
//! | [`infer`] | [`Model`] and [`Worker`]: fast inference on one core |
//! | [`train`] | [`Trainer`]: losses, gradients, optimisers, schedules |
//! | [`nnue`] | [`NnueNetwork`] and [`NnueTrainer`]: integer networks on sparse inputs |
//! | [`cache`] | [`Cache`]: a bounded memory of evaluations |
//! | [`evaluator`] | [`NetworkEvaluator`]: a network and an encoder as an evaluator of positions |
//! | [`onnx`] | networks for other programs to run, and back |
//! | [`mod@reference`] | the same, plainly: what the tests compare with |

pub mod cache;
mod checks;
pub mod evaluator;
pub mod file;
pub mod graph;
mod heads;
pub mod infer;
mod kernel;
mod named;
pub mod nnue;
pub mod onnx;
pub mod reference;
pub mod spec;
pub mod train;
pub mod weights;

pub use cache::Cache;
pub use evaluator::NetworkEvaluator;
pub use file::{FileError, NetworkFile, NetworkInfo};
pub use graph::Graph;
pub use infer::{ConvMethod, KernelPath, Model, Worker};
pub use kernel::Isa;
pub use nnue::{NnueFile, NnueNetwork, NnueSpec, NnueTrainer};
pub use spec::{Spec, SpecError};
pub use train::Trainer;
pub use weights::Weights;
