//! The way through the kernels.

use crate::kernel::Isa;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How 3x3 convolutions are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConvMethod {
    /// Tap by tap.
    #[default]
    Direct,
    /// Winograd's method with tiles of 3x3 outputs.
    Winograd3,
    /// Winograd's method with tiles of 4x4 outputs.
    Winograd4,
    /// Winograd's method with tiles of 5x5 outputs.
    Winograd5,
}

impl ConvMethod {
    /// All of them.
    pub const ALL: [ConvMethod; 4] =
        [ConvMethod::Direct, ConvMethod::Winograd3, ConvMethod::Winograd4, ConvMethod::Winograd5];

    pub(super) fn tile(self) -> Option<usize> {
        match self {
            ConvMethod::Direct => None,
            ConvMethod::Winograd3 => Some(3),
            ConvMethod::Winograd4 => Some(4),
            ConvMethod::Winograd5 => Some(5),
        }
    }
}

/// The way through the kernels. Outputs differ in their last bits between paths, so a run records the one it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelPath {
    /// The instruction set.
    pub isa: Isa,
    /// How 3x3 convolutions are computed.
    pub method: ConvMethod,
}

impl fmt::Display for KernelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}/{:?}", self.isa, self.method)
    }
}
