//! Legal moves as sets of destinations, one set a piece.
//!
//! shakmaty keeps the tables of attacks; the generator is our own because shakmaty's can only list, and lists wide moves
//! that we would have to narrow to 16 bits one by one. Sets of destinations can be counted, asked whether there is any,
//! narrowed to checks or to one piece, and listed directly in our form. The tests hold it against shakmaty's list.

use super::board::{Board, rook_home};
use super::mv::{ChessMove, PROMOTIONS};
use shakmaty::{Bitboard, CastlingSide, Color, Role, Square, attacks};
use std::ops::ControlFlow;

/// The legal destinations of one piece, never empty.
///
/// Castling is a destination of the king two files away; en passant one of the pawn.
#[derive(Clone, Copy)]
pub(super) struct Destinations {
    pub role: Role,
    pub from: Square,
    pub to: Bitboard,
}

impl Destinations {
    /// The destinations on which a pawn promotes.
    #[inline]
    fn promotions(self) -> Bitboard {
        if self.role == Role::Pawn { self.to & Bitboard::BACKRANKS } else { Bitboard::EMPTY }
    }

    /// The number of moves.
    #[inline]
    pub fn count(self) -> usize {
        let promotions = self.promotions();
        let more = if promotions.any() { 3 * promotions.count() } else { 0 };
        self.to.count() + more
    }

    /// Whether the move, from this piece's square, is one of these.
    #[inline]
    pub fn contains(self, mv: ChessMove) -> bool {
        self.to.contains(mv.to()) && self.promotions().contains(mv.to()) == mv.promotion().is_some()
    }

    /// Appends the moves.
    #[inline]
    pub fn list(self, out: &mut Vec<ChessMove>) {
        let promotions = self.promotions();
        // Not `extend`: it would count the squares first.
        for to in self.to ^ promotions {
            out.push(ChessMove::new(self.from, to));
        }
        for to in promotions {
            out.extend(PROMOTIONS.iter().rev().map(|&role| ChessMove::promoting(self.from, to, role)));
        }
    }
}

/// Visits the legal destinations of each piece of the side to move that stands on `origins`, until `visit` breaks.
#[inline]
pub(super) fn visit<B>(
    board: &Board,
    origins: Bitboard,
    mut visit: impl FnMut(Destinations) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (us, them) = (board.turn(), !board.turn());
    let ours = board.by_color(us);
    let occupied = board.occupied();
    let king = board.king_of(us);
    let mut found = |role, from, to: Bitboard| {
        if to.any() { visit(Destinations { role, from, to }) } else { ControlFlow::Continue(()) }
    };

    let checkers = board.attacks_to(king, them, occupied);
    if !checkers.more_than_one() {
        // In check, only capturing the checker or standing in its way helps.
        let targets = match checkers.first() {
            Some(checker) => attacks::between(king, checker).with(checker),
            None => !ours,
        };
        let pinned = blockers(board, king, them) & ours;
        // A pinned piece stays on its line to the king.
        let line = |from| if pinned.contains(from) { attacks::ray(king, from) } else { Bitboard::FULL };

        for from in board.pawns() & ours & origins {
            let steps = pawn_steps(board, us, from) & targets & line(from);
            found(Role::Pawn, from, steps | board.en_passant_from(king, from))?;
        }
        for from in board.knights() & ours & origins & !pinned {
            found(Role::Knight, from, attacks::knight_attacks(from) & !ours & targets)?;
        }
        for from in board.bishops() & ours & origins {
            found(Role::Bishop, from, attacks::bishop_attacks(from, occupied) & !ours & targets & line(from))?;
        }
        for from in board.rooks() & ours & origins {
            found(Role::Rook, from, attacks::rook_attacks(from, occupied) & !ours & targets & line(from))?;
        }
        for from in board.queens() & ours & origins {
            found(Role::Queen, from, attacks::queen_attacks(from, occupied) & !ours & targets & line(from))?;
        }
    }
    if origins.contains(king) {
        let mut to = king_steps(board, us, king);
        if checkers.is_empty() {
            to |= castling(board);
        }
        found(Role::King, king, to)?;
    }
    ControlFlow::Continue(())
}

/// Appends the legal moves that give check.
#[inline]
pub(super) fn list_checks(board: &Board, out: &mut Vec<ChessMove>) {
    let (us, them) = (board.turn(), !board.turn());
    let king = board.king_of(them);
    let diagonals = attacks::bishop_attacks(king, board.occupied());
    let straights = attacks::rook_attacks(king, board.occupied());
    let discoverers = blockers(board, king, us) & board.by_color(us);
    // Promotions, en passant and castling put or take away more than one piece: they are tried on the board.
    let pawn_specials = Bitboard::BACKRANKS | board.passed_square().map_or(Bitboard::EMPTY, Bitboard::from_square);
    let checks = |mv: ChessMove| {
        let mut child = *board;
        child.play(mv);
        child.is_check()
    };

    let _ = visit(board, Bitboard::FULL, |moves| {
        let (mut checking, special) = match moves.role {
            Role::Pawn => (attacks::pawn_attacks(them, king), pawn_specials),
            Role::Knight => (attacks::knight_attacks(king), Bitboard::EMPTY),
            Role::Bishop => (diagonals, Bitboard::EMPTY),
            Role::Rook => (straights, Bitboard::EMPTY),
            Role::Queen => (diagonals | straights, Bitboard::EMPTY),
            // A king can only uncover a check, or castle, which no single step does.
            Role::King => (Bitboard::EMPTY, !attacks::king_attacks(moves.from)),
        };
        if discoverers.contains(moves.from) {
            checking |= !attacks::ray(king, moves.from);
        }
        Destinations { to: moves.to & checking & !special, ..moves }.list(out);
        let listed = out.len();
        Destinations { to: moves.to & special, ..moves }.list(out);
        // Nearly always there is nothing behind `listed`.
        let mut at = listed;
        while at < out.len() {
            if checks(out[at]) {
                at += 1;
            } else {
                out.remove(at);
            }
        }
        ControlFlow::<()>::Continue(())
    });
}

/// The move in shakmaty's form; it must be legal.
pub(super) fn widen(board: &Board, mv: ChessMove) -> shakmaty::Move {
    let (from, to) = (mv.from(), mv.to());
    let role = board.role_at(from).expect("a legal move starts on a piece");
    if role == Role::King && mv.is_castling_step() {
        let side = CastlingSide::from_king_side(from < to);
        return shakmaty::Move::Castle { king: from, rook: rook_home(board.turn(), side) };
    }
    if role == Role::Pawn && board.passed_square() == Some(to) && from.file() != to.file() {
        return shakmaty::Move::EnPassant { from, to };
    }
    shakmaty::Move::Normal { role, from, capture: board.role_at(to), to, promotion: mv.promotion() }
}

/// shakmaty's move in our form.
#[inline]
pub(super) fn narrow(mv: shakmaty::Move) -> ChessMove {
    match mv {
        shakmaty::Move::Normal { from, to, promotion: None, .. } | shakmaty::Move::EnPassant { from, to } => {
            ChessMove::new(from, to)
        }
        shakmaty::Move::Normal { from, to, promotion: Some(role), .. } => ChessMove::promoting(from, to, role),
        shakmaty::Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            ChessMove::new(king, Square::from_coords(side.king_to_file(), king.rank()))
        }
        shakmaty::Move::Put { .. } => unreachable!("standard chess has no drops"),
    }
}

/// The pieces that stand alone between `king` and a slider of `attacker`.
fn blockers(board: &Board, king: Square, attacker: Color) -> Bitboard {
    let snipers = (attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
        | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens());
    let mut blockers = Bitboard::EMPTY;
    for sniper in snipers & board.by_color(attacker) {
        let between = attacks::between(king, sniper) & board.occupied();
        if !between.more_than_one() {
            blockers |= between;
        }
    }
    blockers
}

/// Captures and pushes of a pawn, en passant aside.
#[inline]
fn pawn_steps(board: &Board, us: Color, from: Square) -> Bitboard {
    let empty = !board.occupied();
    let (step, third) = us.fold_wb((8, Bitboard(0xff << 16)), (-8, Bitboard(0xff << 40)));
    let single = Bitboard::from_square(from).shift(step) & empty;
    let double = (single & third).shift(step) & empty;
    single | double | (attacks::pawn_attacks(us, from) & board.by_color(!us))
}

/// The king's safe single steps.
#[inline]
fn king_steps(board: &Board, us: Color, king: Square) -> Bitboard {
    // The king does not shield squares behind it from the slider that checks it.
    let occupied = board.occupied().without(king);
    let mut safe = Bitboard::EMPTY;
    for to in attacks::king_attacks(king) & !board.by_color(us) {
        if board.attacks_to(to, !us, occupied).is_empty() {
            safe.add(to);
        }
    }
    safe
}

/// Where the king, not in check, may castle to.
#[inline]
fn castling(board: &Board) -> Bitboard {
    let us = board.turn();
    let rooks = board.rights() & us.backrank();
    let safe = |square| board.attacks_to(square, !us, board.occupied()).is_empty();
    let mut to = Bitboard::EMPTY;
    for rook in rooks {
        let king = board.king_of(us);
        let side = CastlingSide::from_king_side(king < rook);
        let free = (attacks::between(king, rook) & board.occupied()).is_empty();
        if free && safe(side.rook_to(us)) && safe(side.king_to(us)) {
            to.add(side.king_to(us));
        }
    }
    to
}
