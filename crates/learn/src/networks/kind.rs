//! What networks are made of.

/// What a network is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkKind {
    /// A residual tower with policy and value heads.
    #[default]
    Residual,
    /// Convolutions and dense layers with one output for each action.
    Dqn,
    /// Dense layers with one output, the value.
    Dense,
    /// An integer network on sparse inputs, with one output, the value.
    Nnue,
}

impl NetworkKind {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            NetworkKind::Residual => "residual",
            NetworkKind::Dqn => "dqn",
            NetworkKind::Dense => "dense",
            NetworkKind::Nnue => "nnue",
        }
    }
}
