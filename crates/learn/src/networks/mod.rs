//! Networks by name: files, runs and their generations, and those that come with the program.
//!
//! | file | what it holds |
//! |---|---|
//! | [`place`] | [`Place`]: where a network is; the list of those that come with the program |
//! | [`foreign`] | networks in ONNX files, of other programs too |
//! | [`kind`] | [`NetworkKind`]: what networks are made of |
//! | [`store`] | [`NetworkStore`]: networks made ready, each one once |
//! | [`mod@encoder`] | a game's encoder, or its sparse inputs, by name |
//! | [`cost`] | what a network's training cost |
//! | [`evaluator`] | [`NnueEvaluator`]: an integer network as a judge of positions |

pub mod cost;
pub mod encoder;
pub mod evaluator;
pub mod foreign;
pub mod kind;
pub mod place;
pub mod store;

pub use cost::training_cost;
pub use encoder::{encoder, encoder_info, features, features_info};
pub use evaluator::NnueEvaluator;
pub use foreign::open as from_onnx;
pub use kind::NetworkKind;
pub use place::{BuiltIn, Place, built_in, find, open, shipped};
pub use store::{IntegerNetwork, Network, NetworkStore, Opened};
