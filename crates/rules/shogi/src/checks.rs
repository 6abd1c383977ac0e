//! Moves that give check, found directly; and mates in one.

use super::bits::Bits;
use super::board::Board;
use super::geometry::Geometry;
use super::movegen::{Count, Goal, List, Sink, pawn_origin};
use super::mv::Move;
use super::piece::{Kind, Movement};
use super::square::Square;
use tesuji_core::{MoveList, Side};

/// The goal of checks: a piece must arrive where it attacks the king, or leave a line that it blocks.
struct Check<G: Geometry> {
    king: Square,
    /// Where a piece of the side to move attacks the king from, by movement.
    from: [G::Bits; 10],
    /// The pieces of the side to move that alone block one of its sliders.
    blockers: G::Bits,
}

impl<G: Geometry> Check<G> {
    fn new(board: &Board<G>) -> Check<G> {
        let (us, them) = (board.turn(), board.turn().other());
        let king = board.king_slot(them);
        let tables = G::tables();
        let occupied = board.occupied();
        let mut from = Movement::ALL.map(|movement| tables.reach(them, movement.index(), king));
        let steps = from[Movement::King.index()];
        from[Movement::King.index()] = G::Bits::NONE;
        // A mate problem may lack the king, and a slider has to stand somewhere.
        if king != Square::NONE {
            from[Movement::Lance.index()] = G::lance(them, king, occupied);
            from[Movement::Bishop.index()] = G::bishop(king, occupied);
            from[Movement::Rook.index()] = G::rook(king, occupied);
        }
        from[Movement::Horse.index()] = from[Movement::Bishop.index()] | steps;
        from[Movement::Dragon.index()] = from[Movement::Rook.index()] | steps;
        Check { king, from, blockers: board.blockers(king, us, us) }
    }
}

impl<G: Geometry> Goal<G> for Check<G> {
    #[inline(always)]
    fn moves(&self, movement: Movement, from: Square) -> G::Bits {
        let direct = self.from[movement.index()];
        if self.blockers.meets(G::bit(from)) {
            let tables = G::tables();
            direct | !tables.ray(tables.direction(self.king, from), self.king)
        } else {
            direct
        }
    }

    #[inline(always)]
    fn pawns(&self, side: Side, movement: Movement) -> G::Bits {
        // A pawn leaves the line that it blocks unless it moves along it.
        let leaving = self.blockers & !G::tables().file[self.king.slot()];
        self.from[movement.index()] | super::board::forward::<G>(side, leaving)
    }

    #[inline(always)]
    fn drops(&self, kind: Kind) -> G::Bits {
        self.from[kind.index()]
    }
}

/// Looks for a mate among the checks as they are found.
struct Mate<'a, G: Geometry> {
    board: &'a Board<G>,
    found: Option<Move>,
}

impl<G: Geometry> Mate<'_, G> {
    fn look(&mut self, mv: Move) {
        if self.found.is_none() && self.board.mates(mv) {
            self.found = Some(mv);
        }
    }
}

impl<G: Geometry> Sink<G> for Mate<'_, G> {
    fn moves(&mut self, from: Square, plain: G::Bits, promoting: G::Bits) {
        promoting.each(|to| self.look(Move::new(from, Square(to), true)));
        plain.each(|to| self.look(Move::new(from, Square(to), false)));
    }

    fn pawns(&mut self, side: Side, plain: G::Bits, promoting: G::Bits) {
        promoting.each(|to| self.look(Move::new(pawn_origin(side, Square(to)), Square(to), true)));
        plain.each(|to| self.look(Move::new(pawn_origin(side, Square(to)), Square(to), false)));
    }

    fn drops(&mut self, kind: Kind, to: G::Bits) {
        to.each(|to| self.look(Move::drop(kind, Square(to))));
    }

    fn is_done(&self) -> bool {
        self.found.is_some()
    }
}

impl<G: Geometry> Board<G> {
    /// Appends every legal move that gives check, in a fixed order.
    pub fn checks(&self, out: &mut MoveList<Move>) {
        List::append(out, |list| self.generate(&Check::new(self), list));
    }

    /// The number of legal moves that give check.
    pub(super) fn count_checks(&self) -> u32 {
        let mut count = Count(0);
        self.generate(&Check::new(self), &mut count);
        count.0
    }

    /// A legal move that mates at once.
    pub fn mate_in_one(&self) -> Option<Move> {
        let mut mate = Mate { board: self, found: None };
        self.generate(&Check::new(self), &mut mate);
        mate.found
    }

    /// Whether a legal move mates.
    #[inline]
    pub fn mates(&self, mv: Move) -> bool {
        let mut board = *self;
        board.play(mv);
        board.is_mate()
    }
}
