//! Networks as ONNX files, which other programs run, and back.
//!
//! The file computes what the network computes in play: input `planes` of `[n, planes, height, width]`, the network's
//! outputs under their names, batch norm as it was trained. Parameters keep their names, turned into ONNX's layouts.
//! What the network is ([`NetworkInfo`]) travels in the metadata entry `tesuji`, so that a file comes back as it went.
//! Residual networks of other programs are read by their operators ([`recognise`]).

mod export;
mod foreign;
mod import;
mod layout;
mod messages;

pub use export::export;
pub use foreign::{Foreign, recognise};
pub use import::{OnnxError, import, is_ours};

#[cfg(doc)]
use crate::NetworkInfo;
