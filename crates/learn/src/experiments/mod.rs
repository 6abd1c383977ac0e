//! What a run is, as a typed file: unknown keys are errors, and every default can be printed.
//!
//! | file | what it holds |
//! |---|---|
//! | [`network`] | [`NetworkConfig`]: the section `[network]` |
//! | [`measure`] | [`Measure`]: the section `[measure]` |
//! | [`experiment`] | [`Experiment`]: the whole file |
//! | [`dummy`] | the tiny form of an experiment |
//! | [`builtin`] | the experiments that come with the program |
//! | [`mod@variants`] | experiments by name: variants, changed values |

pub mod builtin;
pub mod dummy;
pub mod experiment;
pub mod measure;
pub mod network;
pub mod variants;

pub use builtin::{BUILT_IN, DEFAULT};
pub use experiment::{Experiment, ExperimentError};
pub use measure::Measure;
pub use network::NetworkConfig;
pub use variants::{Found, variants};
