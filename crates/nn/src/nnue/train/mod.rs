//! Training of integer networks: in 32-bit floats, repeatable to the byte on any machine and at any number of threads.
//!
//! A step has three parts. Positions, in chunks of a fixed size, go forward and back down to the hidden units; each chunk
//! sums the gradients of the dense layers, and the chunks are added up in order. Then the gradients of the hidden units
//! are added to the rows of the active inputs, sixteen hidden units at a time: a thread has such a block to itself and
//! takes the positions in order, so that no sum depends on the threads and no thread needs a table of its own. Then
//! Adam moves every weight.
//!
//! Sums go through sixteen lanes in a fixed order and nothing is fused, so instruction sets agree to the bit, too.
//!
//! | file | what it holds |
//! |---|---|
//! | `loss` | [`NnueLoss`]: errors of outputs and their slopes |
//! | `dot` | sums of products |
//! | `paths` | functions compiled for each instruction set |
//! | `pass` | forward and backward, up to the hidden units |
//! | `rows` | the first layer: gradients of its rows, rows that are shared |
//! | `tensor` | weights with their gradients and Adam's memory of them |
//! | `quantise` | floats to integers |
//! | `trainer` | [`NnueTrainer`]: all of it |

mod dot;
mod loss;
mod pass;
mod paths;
mod quantise;
mod rows;
mod tensor;
mod trainer;

pub use loss::NnueLoss;
pub use quantise::QuantisationError;
pub use trainer::{NnueTrainer, NnueTraining};
