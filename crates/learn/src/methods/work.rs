//! What a generation of a learning method is made of, to be foreseen before it begins.

/// What games of a game are like, as far as random ones tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typical {
    /// Mean length.
    pub plies: f64,
    /// Mean number of legal moves.
    pub moves: f64,
}

/// The work of one generation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Positions that are played.
    pub positions: f64,
    /// Positions that the network judges in play.
    pub evaluations: f64,
    /// Samples that it is trained on.
    pub samples: f64,
}
