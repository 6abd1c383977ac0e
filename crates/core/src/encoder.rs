//! Positions as planes of numbers, moves as policy indices.

use crate::Position;
use serde::{Deserialize, Serialize};

/// The shape of an encoded view: `planes` images of `height` x `width`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    /// Number of planes (channels).
    pub planes: usize,
    /// Rows of each plane.
    pub height: usize,
    /// Columns of each plane.
    pub width: usize,
}

impl Shape {
    /// Numbers in one encoded view.
    pub const fn len(self) -> usize {
        self.planes * self.height * self.width
    }

    /// Whether there is nothing in it.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Turns positions into network inputs and moves into policy indices.
///
/// A position is one or more *views*: TUBSTAP has one for each unit that can act (the unit is part of the input),
/// every other game has one.
pub trait Encoder<P: Position>: Send + Sync {
    /// The name in experiment and weight files.
    fn name(&self) -> &'static str;

    /// Raised whenever the meaning of an input or policy index changes, so that old weights are refused.
    fn version(&self) -> u32 {
        1
    }

    /// The shape of one view.
    fn shape(&self) -> Shape;

    /// The length of the policy of one view.
    fn policy_len(&self) -> usize;

    /// The planes of the policy, if it is planes of the board: the move of plane `p` at square `s` then has the index
    /// p * height * width + s, with squares as [`shape`](Self::shape) has them. What belongs to no square comes behind.
    fn policy_planes(&self) -> Option<usize> {
        None
    }

    /// Whether the encoder can encode this position: maps of other sizes, say, may not fit it.
    ///
    /// Always true of a game's own starts; ask where positions come from elsewhere.
    fn accepts(&self, _position: &P) -> bool {
        true
    }

    /// Why the encoder cannot encode this position, in words; `None` if it [`accepts`](Self::accepts) it.
    fn refusal(&self, position: &P) -> Option<String> {
        let Shape { height, width, .. } = self.shape();
        let problem =
            || format!("the network's encoder {} ({height}x{width}) has no room for this position", self.name());
        (!self.accepts(position)).then(problem)
    }

    /// The number of views of a position whose game has not ended: at least 1.
    fn views(&self, _position: &P) -> usize {
        1
    }

    /// The most views that a position can have: what arrays of a fixed size have room for.
    fn most_views(&self) -> usize {
        1
    }

    /// Writes view number `view` to `out`, whose length is `shape().len()`, plane by plane, row by row.
    ///
    /// Every number is written: callers need not clear `out`.
    fn encode(&self, position: &P, view: usize, out: &mut [f32]);

    /// The view and policy index of a legal move; injective on the legal moves of a position.
    fn index(&self, position: &P, mv: P::Move) -> (usize, usize);

    /// The way to choose a move in two steps, what moves and where to, if the encoder has one.
    fn pairs(&self) -> Option<&dyn Pairs<P>> {
        None
    }
}

/// Moves as pairs: what moves, and where to. Deep Q-learning as the shogi paper has it chooses by one network for each.
pub trait Pairs<P: Position> {
    /// The number of things that can move.
    fn what_len(&self) -> usize;

    /// The number of places to move to.
    fn where_len(&self) -> usize;

    /// What a legal move moves, below [`what_len`](Self::what_len), and where to, below
    /// [`where_len`](Self::where_len).
    fn pair(&self, position: &P, mv: P::Move) -> (usize, usize);

    /// The move of a pair among the legal `moves`; where there are several, the one that is always preferred.
    fn move_of(&self, position: &P, moves: &[P::Move], pair: (usize, usize)) -> Option<P::Move>;
}
