//! Legal moves.
//!
//! One generator serves listing, counting and "is there any": it finds, piece by piece, the set of targets, and hands
//! it to a [`Sink`]. A [`Goal`] narrows the targets, which makes the same generator list only checks. Nothing is
//! generated that has to be tested afterwards, except the one pawn drop that may be mate.

use super::bits::Bits;
use super::board::{Board, forward};
use super::geometry::Geometry;
use super::mv::Move;
use super::piece::{Kind, Movement};
use super::square::Square;
use std::mem::MaybeUninit;
use tesuji_core::{MoveList, Side};

/// What is done with the moves.
pub(super) trait Sink<G: Geometry> {
    /// Moves of the piece on `from`: to the squares of `plain` as it is, to those of `promoting` with promotion.
    fn moves(&mut self, from: Square, plain: G::Bits, promoting: G::Bits);

    /// Moves of all the pawns of a side, by their targets.
    fn pawns(&mut self, side: Side, plain: G::Bits, promoting: G::Bits);

    /// Drops.
    fn drops(&mut self, kind: Kind, to: G::Bits);

    /// Whether no more moves are wanted.
    #[inline(always)]
    fn is_done(&self) -> bool {
        false
    }
}

/// Which moves are wanted: the targets that a move must have.
pub(super) trait Goal<G: Geometry> {
    /// Targets of the piece on `from`, which moves in this way after the move.
    fn moves(&self, movement: Movement, from: Square) -> G::Bits;

    /// Targets of pawns, which are golds after the move if they promote.
    fn pawns(&self, side: Side, movement: Movement) -> G::Bits;

    /// Targets of drops.
    fn drops(&self, kind: Kind) -> G::Bits;
}

/// The goal of all moves.
pub(super) struct Anything;

impl<G: Geometry> Goal<G> for Anything {
    #[inline(always)]
    fn moves(&self, _movement: Movement, _from: Square) -> G::Bits {
        G::Bits::EVERY
    }

    #[inline(always)]
    fn pawns(&self, _side: Side, _movement: Movement) -> G::Bits {
        G::Bits::EVERY
    }

    #[inline(always)]
    fn drops(&self, _kind: Kind) -> G::Bits {
        G::Bits::EVERY
    }
}

/// More moves than any position has: 593 is the known most.
const MOST_MOVES: usize = 600;

/// Lists moves, behind those that a list already has.
pub(super) struct List<'a> {
    room: &'a mut [MaybeUninit<Move>],
    count: usize,
}

impl<'a> List<'a> {
    /// Appends to a list the moves that `fill` puts into the sink.
    ///
    /// The list gets room for all moves at once, so that no single move has to ask for it.
    #[inline(always)]
    pub fn append(out: &'a mut MoveList<Move>, fill: impl FnOnce(&mut List)) {
        out.reserve(MOST_MOVES);
        let mut list = List { room: out.spare_capacity_mut(), count: 0 };
        fill(&mut list);
        let count = list.count;
        // SAFETY: `push` has written each of the first `count` places behind the list's end.
        unsafe { out.set_len(out.len() + count) };
    }

    #[inline(always)]
    fn push(&mut self, mv: Move) {
        self.room[self.count].write(mv);
        self.count += 1;
    }
}

impl<G: Geometry> Sink<G> for List<'_> {
    #[inline(always)]
    fn moves(&mut self, from: Square, plain: G::Bits, promoting: G::Bits) {
        promoting.each(|to| self.push(Move::new(from, Square(to), true)));
        plain.each(|to| self.push(Move::new(from, Square(to), false)));
    }

    #[inline(always)]
    fn pawns(&mut self, side: Side, plain: G::Bits, promoting: G::Bits) {
        promoting.each(|to| self.push(Move::new(pawn_origin(side, Square(to)), Square(to), true)));
        plain.each(|to| self.push(Move::new(pawn_origin(side, Square(to)), Square(to), false)));
    }

    #[inline(always)]
    fn drops(&mut self, kind: Kind, to: G::Bits) {
        to.each(|to| self.push(Move::drop(kind, Square(to))));
    }
}

/// Counts moves.
pub(super) struct Count(pub u32);

impl<G: Geometry> Sink<G> for Count {
    #[inline(always)]
    fn moves(&mut self, _from: Square, plain: G::Bits, promoting: G::Bits) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline(always)]
    fn pawns(&mut self, _side: Side, plain: G::Bits, promoting: G::Bits) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline(always)]
    fn drops(&mut self, _kind: Kind, to: G::Bits) {
        self.0 += to.count();
    }
}

/// Looks for a move.
struct Find {
    mv: Move,
    found: bool,
}

impl Find {
    #[inline(always)]
    fn look<G: Geometry>(&mut self, from: Square, plain: G::Bits, promoting: G::Bits) {
        let to = if self.mv.is_promotion() { promoting } else { plain };
        self.found |= self.mv.from() == Some(from) && to.meets(G::bit(self.mv.to()));
    }
}

impl<G: Geometry> Sink<G> for Find {
    #[inline(always)]
    fn moves(&mut self, from: Square, plain: G::Bits, promoting: G::Bits) {
        self.look::<G>(from, plain, promoting);
    }

    #[inline(always)]
    fn pawns(&mut self, side: Side, plain: G::Bits, promoting: G::Bits) {
        self.look::<G>(pawn_origin(side, self.mv.to()), plain, promoting);
    }

    #[inline(always)]
    fn drops(&mut self, kind: Kind, to: G::Bits) {
        self.found |= self.mv.dropped() == Some(kind) && to.meets(G::bit(self.mv.to()));
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.found
    }
}

/// Where a pawn of a side comes from when it arrives at a square.
#[inline(always)]
pub(super) fn pawn_origin(side: Side, to: Square) -> Square {
    match side {
        Side::First => Square(to.0 + 1),
        Side::Second => Square(to.0.wrapping_sub(1)),
    }
}

/// Sees whether there is any move.
struct Any(bool);

impl<G: Geometry> Sink<G> for Any {
    #[inline(always)]
    fn moves(&mut self, _from: Square, plain: G::Bits, promoting: G::Bits) {
        self.0 |= !(plain | promoting).is_empty();
    }

    #[inline(always)]
    fn pawns(&mut self, _side: Side, plain: G::Bits, promoting: G::Bits) {
        self.0 |= !(plain | promoting).is_empty();
    }

    #[inline(always)]
    fn drops(&mut self, _kind: Kind, to: G::Bits) {
        self.0 |= !to.is_empty();
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.0
    }
}

impl<G: Geometry> Board<G> {
    /// Appends every legal move, in a fixed order.
    pub fn legal_moves(&self, out: &mut MoveList<Move>) {
        List::append(out, |list| self.generate(&Anything, list));
    }

    /// The number of legal moves.
    pub fn count_moves(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("popcnt") && std::is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has the instructions that the function is compiled for.
            return unsafe { self.count_with_popcnt() };
        }
        self.count()
    }

    /// Counts with the instruction for it, which the oldest 64-bit processors lack: half of the work otherwise.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt,bmi1,bmi2")]
    fn count_with_popcnt(&self) -> usize {
        self.count()
    }

    #[inline(always)]
    fn count(&self) -> usize {
        let mut count = Count(0);
        self.generate(&Anything, &mut count);
        count.0 as usize
    }

    /// Whether there is a legal move; the side to move has lost if not.
    pub fn has_moves(&self) -> bool {
        let mut any = Any(false);
        self.generate(&Anything, &mut any);
        any.0
    }

    /// Whether the side to move is mated.
    #[inline]
    pub fn is_mate(&self) -> bool {
        self.in_check() && !self.has_moves()
    }

    /// Whether a move, of whatever origin, is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        let mut find = Find { mv, found: false };
        self.generate(&Anything, &mut find);
        find.found
    }

    /// Finds the legal moves that serve a goal.
    #[inline(always)]
    pub(super) fn generate<S: Sink<G>, A: Goal<G>>(&self, goal: &A, sink: &mut S) {
        // Compiled for each side, so that what depends on it is constant.
        match self.turn() {
            Side::First => self.generate_for(Side::First, goal, sink),
            Side::Second => self.generate_for(Side::Second, goal, sink),
        }
    }

    #[inline(always)]
    fn generate_for<S: Sink<G>, A: Goal<G>>(&self, us: Side, goal: &A, sink: &mut S) {
        let tables = G::tables();
        let king = self.king_slot(us);
        let (own, occupied) = (self.side(us), self.occupied());

        let steps = tables.reach(us, Movement::King.index(), king) & !own & goal.moves(Movement::King, king);
        if !steps.is_empty() {
            let attacked = self.attacked_around(king, us.other(), occupied & !G::bit(king));
            sink.moves(king, steps & !attacked, G::Bits::NONE);
        }
        if self.in_check() {
            let checkers = self.checkers();
            if checkers.is_several() || sink.is_done() {
                return;
            }
            let between = self.between(king, Square(checkers.first()));
            self.generate_others(us, goal, sink, between | checkers, between);
        } else {
            self.generate_others(us, goal, sink, tables.all & !own, tables.all & !occupied);
        }
    }

    /// The moves of all pieces but the king, to the given targets; and drops.
    #[inline(always)]
    fn generate_others<S: Sink<G>, A: Goal<G>>(
        &self,
        us: Side,
        goal: &A,
        sink: &mut S,
        targets: G::Bits,
        empty: G::Bits,
    ) {
        let tables = G::tables();
        let king = self.king_slot(us);
        let occupied = self.occupied();
        let (zone, last, last_two) = (tables.zone[us.index()], tables.last[us.index()], tables.last_two[us.index()]);
        let pinned = self.blockers(king, us.other(), us);
        // What may move straight ahead: a pin along the file does not hinder it.
        let ahead = !pinned | tables.file[king.slot()];
        // The targets of a piece that may be pinned: then it stays on the ray from its king.
        let free = |from: Square| {
            if pinned.meets(G::bit(from)) { targets & tables.ray(tables.direction(king, from), king) } else { targets }
        };

        let to = forward::<G>(us, self.of(Movement::Pawn, us) & ahead) & targets;
        let plain = to & !last & goal.pawns(us, Movement::Pawn);
        sink.pawns(us, plain, to & zone & goal.pawns(us, Movement::Gold));

        if G::LANCES_AND_KNIGHTS {
            (self.of(Movement::Lance, us) & ahead).each(|from| {
                let from = Square(from);
                let to = G::lance(us, from, occupied) & targets;
                let plain = to & !last & goal.moves(Movement::Lance, from);
                sink.moves(from, plain, to & zone & goal.moves(Movement::Gold, from));
            });
            (self.of(Movement::Knight, us) & !pinned).each(|from| {
                let from = Square(from);
                let to = tables.reach(us, Movement::Knight.index(), from) & targets;
                let plain = to & !last_two & goal.moves(Movement::Knight, from);
                sink.moves(from, plain, to & zone & goal.moves(Movement::Gold, from));
            });
        }
        if sink.is_done() {
            return;
        }
        // A piece that starts in the zone may promote wherever it goes.
        let promotion = |from: Square| if zone.meets(G::bit(from)) { G::Bits::EVERY } else { zone };
        self.of(Movement::Silver, us).each(|from| {
            let from = Square(from);
            let to = tables.reach(us, Movement::Silver.index(), from) & free(from);
            let plain = to & goal.moves(Movement::Silver, from);
            sink.moves(from, plain, to & promotion(from) & goal.moves(Movement::Gold, from));
        });
        self.of(Movement::Gold, us).each(|from| {
            let from = Square(from);
            let to = tables.reach(us, Movement::Gold.index(), from) & free(from);
            sink.moves(from, to & goal.moves(Movement::Gold, from), G::Bits::NONE);
        });
        self.of(Movement::Bishop, us).each(|from| {
            let from = Square(from);
            let to = G::bishop(from, occupied);
            self.slider_moves(goal, sink, from, to, free(from), promotion(from), Movement::Bishop, Movement::Horse);
        });
        self.of(Movement::Rook, us).each(|from| {
            let from = Square(from);
            let to = G::rook(from, occupied);
            self.slider_moves(goal, sink, from, to, free(from), promotion(from), Movement::Rook, Movement::Dragon);
        });
        if !sink.is_done() && !self.hand(us).is_empty() && !empty.is_empty() {
            self.generate_drops(us, goal, sink, empty);
        }
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn slider_moves<S: Sink<G>, A: Goal<G>>(
        &self,
        goal: &A,
        sink: &mut S,
        from: Square,
        slides: G::Bits,
        free: G::Bits,
        promotion: G::Bits,
        movement: Movement,
        promoted: Movement,
    ) {
        if self.is_crowned(from) {
            let to = slides | G::tables().reach(self.turn(), Movement::King.index(), from);
            sink.moves(from, to & free & goal.moves(promoted, from), G::Bits::NONE);
        } else {
            let to = slides & free;
            sink.moves(from, to & goal.moves(movement, from), to & promotion & goal.moves(promoted, from));
        }
    }

    #[inline(always)]
    fn generate_drops<S: Sink<G>, A: Goal<G>>(&self, us: Side, goal: &A, sink: &mut S, empty: G::Bits) {
        let tables = G::tables();
        let hand = self.hand(us);
        if hand.has(Kind::Pawn) {
            let pawns = self.of(Movement::Pawn, us);
            let mut to = empty & files_without::<G>(pawns) & !tables.last[us.index()] & goal.drops(Kind::Pawn);
            let front = tables.reach(us.other(), Movement::Pawn.index(), self.king_slot(us.other())) & to;
            if !front.is_empty() && self.is_pawn_drop_mate(Square(front.first())) {
                to ^= front;
            }
            sink.drops(Kind::Pawn, to);
        }
        if G::LANCES_AND_KNIGHTS {
            if hand.has(Kind::Lance) {
                sink.drops(Kind::Lance, empty & !tables.last[us.index()] & goal.drops(Kind::Lance));
            }
            if hand.has(Kind::Knight) {
                sink.drops(Kind::Knight, empty & !tables.last_two[us.index()] & goal.drops(Kind::Knight));
            }
        }
        for kind in [Kind::Silver, Kind::Bishop, Kind::Rook, Kind::Gold] {
            if hand.has(kind) {
                sink.drops(kind, empty & goal.drops(kind));
            }
        }
    }

    /// Whether a pawn dropped in front of the enemy king would be mate, which the rules forbid.
    fn is_pawn_drop_mate(&self, to: Square) -> bool {
        let (us, them) = (self.turn(), self.turn().other());
        let tables = G::tables();
        let king = self.king_slot(them);
        let occupied = self.occupied() | G::bit(to);
        let attacked = self.attacked_around(king, us, occupied & !G::bit(king));
        let steps = tables.reach(them, Movement::King.index(), king) & !self.side(them);
        if !(steps & !attacked).is_empty() {
            return false;
        }
        // Nothing goes between, so only capturing is left: by a piece that is not pinned, or pinned along that line.
        let pinned = self.blockers(king, us, them);
        let line = tables.ray(tables.direction(king, to), king);
        let captors = self.attackers(to, them, occupied) & !G::bit(king);
        (captors & (!pinned | line)).is_empty()
    }
}

/// The files on which a side has no unpromoted pawn, given those pawns: at most one on a file.
#[inline(always)]
fn files_without<G: Geometry>(pawns: G::Bits) -> G::Bits {
    // In each file, a field of SIZE bits, subtract the pawn from the highest bit: the bit survives if there is none.
    // No borrow leaves a field. Then spread the surviving bits over their files.
    let highest = G::tables().last[Side::Second.index()];
    let free = highest.minus(pawns) & highest;
    free | free.minus(free >> u32::from(G::SIZE - 1))
}
