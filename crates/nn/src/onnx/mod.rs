//! Networks as ONNX files, which other programs run, and back.
//!
//! The file computes what the network computes in play: input `planes` of `[n, planes, height, width]`, the network's
//! outputs under their names, batch norm as it was trained. Parameters keep their names, turned into ONNX's layouts.
//! What the network is ([`NetworkInfo`]) travels in the metadata entry `tesuji`, so that a file comes back as it went.

mod export;
mod import;
mod layout;
mod messages;

pub use export::export;
pub use import::{OnnxError, import};

#[cfg(doc)]
use crate::NetworkInfo;
