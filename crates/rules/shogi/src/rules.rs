//! How games end besides by mate.

use super::bits::Bits;
use super::board::Board;
use super::geometry::Geometry;
use super::piece::{Kind, Movement};
use tesuji_core::{Outcome, Rules, Side};

/// What the fourth occurrence of a position means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// Nothing: the game goes on.
    GoesOn,
    /// The game is drawn.
    Draw,
    /// The first player loses, whoever is to move.
    FirstLoses,
}

impl Repetition {
    /// The outcome of an ordinary repetition, if it ends the game.
    pub const fn outcome(self) -> Option<Outcome> {
        match self {
            Repetition::GoesOn => None,
            Repetition::Draw => Some(Outcome::Draw),
            Repetition::FirstLoses => Some(Outcome::Win(Side::Second)),
        }
    }
}

/// What happens when the kings have crossed the board and cannot be mated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Impasse {
    /// Nothing: the game goes on.
    GoesOn,
    /// A mover who fulfils the 27-point declaration wins at once: king in the promotion zone and not in check, ten
    /// other own pieces there, and 28 points as first player, 27 as second, where bishops and rooks in the zone or in
    /// hand count 5, other pieces 1.
    Declaration,
    /// A draw as soon as both kings stand in their promotion zones, the mover is not in check, and the mover cannot
    /// mate with the next move. The paper says "neither of the players can do checkmate" without saying how far it
    /// looks; one move is what can be decided at every position.
    Draw,
}

/// The end rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EndRules {
    /// What the fourth occurrence of a position means.
    pub repetition: Repetition,
    /// Whether a side that gave check with every move since the first occurrence loses instead.
    pub perpetual_check_loses: bool,
    /// What an impasse means.
    pub impasse: Impasse,
    /// The ply at which a game that has not ended is drawn.
    pub last_ply: Option<u32>,
}

impl EndRules {
    /// Games end by mate alone: how to replay the games of people, who may go on where the rules would let them stop.
    pub const NONE: EndRules = EndRules {
        repetition: Repetition::GoesOn,
        perpetual_check_loses: false,
        impasse: Impasse::GoesOn,
        last_ply: None,
    };

    /// The end rules of the game on this board.
    pub fn of<G: Geometry>(rules: Rules) -> EndRules {
        match (rules, G::SIZE) {
            (Rules::Official, 9) => EndRules {
                repetition: Repetition::Draw,
                perpetual_check_loses: true,
                impasse: Impasse::Declaration,
                last_ply: None,
            },
            (Rules::Paper, 9) => EndRules {
                repetition: Repetition::Draw,
                perpetual_check_loses: false,
                impasse: Impasse::Draw,
                last_ply: None,
            },
            (Rules::Official, _) => EndRules {
                repetition: Repetition::FirstLoses,
                perpetual_check_loses: true,
                impasse: Impasse::GoesOn,
                last_ply: None,
            },
            (Rules::Paper, _) => EndRules {
                repetition: Repetition::FirstLoses,
                perpetual_check_loses: false,
                impasse: Impasse::GoesOn,
                last_ply: Some(256),
            },
        }
    }
}

impl<G: Geometry> Board<G> {
    /// Whether a side's king stands in its promotion zone.
    #[inline]
    pub fn king_has_entered(&self, side: Side) -> bool {
        G::tables().zone[side.index()].meets(G::bit(self.king_slot(side)))
    }

    /// Whether the side to move wins by the 27-point declaration; see [`Impasse::Declaration`].
    pub fn can_declare(&self) -> bool {
        let us = self.turn();
        if !self.king_has_entered(us) || self.in_check() {
            return false;
        }
        let zone = self.side(us) & G::tables().zone[us.index()];
        let others = zone.count() - 1;
        let large = zone & (self.of(Movement::Bishop, us) | self.of(Movement::Rook, us));
        let hand = self.hand(us);
        let large_in_hand = hand.count(Kind::Bishop) + hand.count(Kind::Rook);
        let points = others + hand.total() + 4 * (large.count() + large_in_hand);
        others >= 10 && points >= if us == Side::First { 28 } else { 27 }
    }

    /// Whether the position is an impasse by [`Impasse::Draw`].
    pub fn is_impasse(&self) -> bool {
        Side::BOTH.into_iter().all(|side| self.king_has_entered(side))
            && !self.in_check()
            && self.mate_in_one().is_none()
    }
}
