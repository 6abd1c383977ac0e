//! What mate solvers need to know of a game with check and mate.

use crate::{Move, MoveList, Side};

/// The pieces in a player's hand, as a lattice: more is never worse. Games without hands use `()`.
pub trait MateHand: Copy + Eq + Default + std::fmt::Debug {
    /// Whether this hand has at least as many pieces of every kind as `other`.
    fn dominates(self, other: Self) -> bool;

    /// The greater number of each kind.
    #[must_use]
    fn union(self, other: Self) -> Self;

    /// The smaller number of each kind.
    #[must_use]
    fn intersection(self, other: Self) -> Self;

    /// The hand as one word.
    fn to_bits(self) -> u32;

    /// The hand of a word that [`to_bits`](Self::to_bits) gave.
    fn from_bits(bits: u32) -> Self;
}

impl MateHand for () {
    fn dominates(self, (): ()) -> bool {
        true
    }

    fn union(self, (): ()) {}

    fn intersection(self, (): ()) {}

    fn to_bits(self) -> u32 {
        0
    }

    fn from_bits(_bits: u32) {}
}

/// A position without its history, in which one side (the attacker) looks for a forced mate.
///
/// The board and the attacker's hand must determine the defender's hand, as they do where no piece ever leaves the game.
/// The functions on hands have defaults for games that have none.
pub trait MateBoard: Clone {
    /// A move; its numeric form must fit into 16 bits.
    type Move: Move;
    /// What a player holds in hand.
    type Hand: MateHand;

    /// The side to move.
    fn mover(&self) -> Side;

    /// Replaces `out` by the legal moves that give check.
    fn checks(&self, out: &mut MoveList<Self::Move>);

    /// Replaces `out` by all legal moves.
    fn legal_moves(&self, out: &mut MoveList<Self::Move>);

    /// With the defender to move: how many ways out there are at least to be looked at; 0 exactly if it has no move.
    fn defences(&self) -> u32 {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.len() as u32
    }

    /// With the attacker to move: how many checks there are to be looked at; 0 exactly if there is none.
    fn attacks(&self) -> u32 {
        let mut moves = MoveList::new();
        self.checks(&mut moves);
        moves.len() as u32
    }

    /// Whether the side to move is in check and has no legal move.
    fn is_mate(&self) -> bool;

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move);

    /// The move in the game's notation.
    fn format_move(&self, mv: Self::Move) -> String;

    /// A hash of the board and the side to move, without the hands.
    fn board_key(&self) -> u64;

    /// The hand of a side.
    fn hand(&self, _side: Side) -> Self::Hand {
        Self::Hand::default()
    }

    /// The hand of the side to move here, such that it is `after` once it has played `mv`: a dropped piece more, a
    /// captured piece less (but never less than none).
    fn hand_before(&self, _mv: Self::Move, _after: Self::Hand) -> Self::Hand {
        Self::Hand::default()
    }

    /// With the defender to move: what the attacker must hold so that the defender gets no new drop, namely all its
    /// pieces of the kinds of which the defender has none; nothing, if the defender is in a check that no piece put
    /// between can stop.
    fn hand_that_denies_new_drops(&self) -> Self::Hand {
        Self::Hand::default()
    }

    /// With the attacker to move: the greatest hand that adds no new kind of drop.
    fn hand_without_new_drops(&self) -> Self::Hand {
        Self::Hand::default()
    }

    /// With the defender to move: the greatest hand of the attacker that leaves the defender what it needs for `mv`.
    fn hand_that_allows(&self, _mv: Self::Move) -> Self::Hand {
        Self::Hand::default()
    }

    /// Moves with the same group are tried one after another, the next only when the one before has failed: pieces put
    /// between; moves that differ only in a promotion that hardly ever matters.
    fn group(&self, _mv: Self::Move) -> Option<u32> {
        None
    }
}

/// Work to be done on the board of a mate problem; see [`MateHooks::mate_problem`](crate::MateHooks::mate_problem).
pub trait MateVisitor {
    /// What the work gives back.
    type Output;

    /// Does the work.
    fn visit<B: MateBoard>(self, board: &B) -> Self::Output;
}
