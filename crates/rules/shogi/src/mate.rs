//! Shogi as mate solvers see it.

use super::bits::Bits;
use super::board::Board;
use super::geometry::Geometry;
use super::hand::Hand;
use super::movegen::{Anything, Sink};
use super::mv::Move;
use super::piece::Kind;
use super::square::Square;
use super::usi;
use tesuji_core::{MateBoard, MateHand, MoveList, Side};

impl MateHand for Hand {
    #[inline]
    fn dominates(self, other: Hand) -> bool {
        Hand::dominates(self, other)
    }

    fn union(self, other: Hand) -> Hand {
        map(|kind| self.count(kind).max(other.count(kind)))
    }

    fn intersection(self, other: Hand) -> Hand {
        map(|kind| self.count(kind).min(other.count(kind)))
    }

    fn to_bits(self) -> u32 {
        self.bits()
    }

    fn from_bits(bits: u32) -> Hand {
        Hand::from_bits(bits)
    }
}

/// The hand with these numbers of each kind, none of which is more than there are in the game.
fn map(count: impl Fn(Kind) -> u32) -> Hand {
    Kind::IN_HAND.into_iter().fold(Hand::EMPTY, |hand, kind| hand.with(kind, count(kind)).unwrap_or(hand))
}

/// The group of all pieces put between: most of them are of no use, and where one is, it is looked at soon enough. One
/// group for each square solves 28 of 50 long problems within 200,000 positions, one for all of them 32.
const BETWEEN: u32 = 0;

/// Counts evasions; all pieces that can be put between on one square count once.
struct Defences<G: Geometry> {
    moves: u32,
    between: G::Bits,
}

impl<G: Geometry> Sink<G> for Defences<G> {
    fn moves(&mut self, _from: Square, plain: G::Bits, promoting: G::Bits) {
        self.moves += (plain | promoting).count();
    }

    fn pawns(&mut self, _side: Side, plain: G::Bits, promoting: G::Bits) {
        self.moves += (plain | promoting).count();
    }

    fn drops(&mut self, _kind: Kind, to: G::Bits) {
        self.between |= to;
    }
}

impl<G: Geometry> MateBoard for Board<G> {
    type Move = Move;
    type Hand = Hand;

    fn mover(&self) -> Side {
        self.turn()
    }

    fn checks(&self, out: &mut MoveList<Move>) {
        out.clear();
        Board::checks(self, out);
    }

    fn legal_moves(&self, out: &mut MoveList<Move>) {
        out.clear();
        Board::legal_moves(self, out);
    }

    fn defences(&self) -> u32 {
        let mut defences = Defences::<G> { moves: 0, between: G::Bits::NONE };
        self.generate(&Anything, &mut defences);
        defences.moves + defences.between.count()
    }

    fn attacks(&self) -> u32 {
        self.count_checks()
    }

    fn is_mate(&self) -> bool {
        Board::is_mate(self)
    }

    fn play(&mut self, mv: Move) {
        Board::play(self, mv);
    }

    fn format_move(&self, mv: Move) -> String {
        usi::format_move::<G>(mv)
    }

    fn board_key(&self) -> u64 {
        Board::board_key(self)
    }

    fn hand(&self, side: Side) -> Hand {
        Board::hand(self, side)
    }

    fn hand_before(&self, mv: Move, after: Hand) -> Hand {
        let (dropped, captured) = (mv.dropped(), self.piece(mv.to()).map(|piece| piece.kind.base()));
        map(|kind| {
            let more = after.count(kind) + u32::from(dropped == Some(kind));
            more.saturating_sub(u32::from(captured == Some(kind)))
        })
    }

    fn hand_that_denies_new_drops(&self) -> Hand {
        let (us, them) = (self.turn(), self.turn().other());
        let checkers = self.checkers();
        let useless = |king| checkers.is_several() || self.between(king, Square(checkers.first())).is_empty();
        if !checkers.is_empty() && self.king(us).is_none_or(useless) {
            return Hand::EMPTY;
        }
        map(|kind| if self.hand(us).has(kind) { 0 } else { Board::hand(self, them).count(kind) })
    }

    fn hand_without_new_drops(&self) -> Hand {
        let (us, them) = (self.turn(), self.turn().other());
        let (mine, theirs) = (Board::hand(self, us), Board::hand(self, them));
        map(|kind| if mine.has(kind) { mine.count(kind) + theirs.count(kind) } else { 0 })
    }

    fn hand_that_allows(&self, mv: Move) -> Hand {
        let (us, them) = (self.turn(), self.turn().other());
        let (mine, theirs) = (Board::hand(self, us), Board::hand(self, them));
        map(|kind| mine.count(kind) + theirs.count(kind) - u32::from(mv.dropped() == Some(kind)))
    }

    fn group(&self, mv: Move) -> Option<u32> {
        if mv.is_drop() {
            // What is put between. (The attacker's drops are all different.)
            return self.in_check().then_some(BETWEEN);
        }
        let from = mv.from()?;
        let kind = self.piece(from)?.kind;
        // These do the same and more when promoted; only to avoid a mate by a pawn drop is it ever better not to.
        let hardly_differs = matches!(kind, Kind::Pawn | Kind::Bishop | Kind::Rook);
        hardly_differs.then(|| 1 + BETWEEN + (u32::from(from.0) << 7 | u32::from(mv.to().0)))
    }
}
