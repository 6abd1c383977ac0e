//! The board in 64 bytes.
//!
//! Searches copy a position for every move that they try, so it is kept as small as it can be: a cache line. shakmaty reads
//! and writes positions and keeps the tables of attacks; the tests hold this board against shakmaty's.

use super::mv::ChessMove;
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, Piece, Position as _, PositionError, Role,
    Setup, Square, attacks,
};
use std::num::NonZeroU32;
use std::sync::LazyLock;

/// Pieces, side to move, castling rights, en passant and counters, with their key.
///
/// Every square has a number for the piece on it, one bit in each of three sets: 1 bishop, 2 rook, 3 queen, 4 knight, 5
/// pawn, 6 king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Bit 0: bishops, queens and pawns.
    diagonal: Bitboard,
    /// Bit 1: rooks, queens and kings.
    straight: Bitboard,
    /// Bit 2: knights, pawns and kings.
    other: Bitboard,
    white: Bitboard,
    /// The rooks that may castle.
    rights: Bitboard,
    key: u64,
    halfmoves: u32,
    fullmoves: u32,
    turn: Color,
    /// The square that a pawn has just passed.
    passed: Option<Square>,
    /// Whether capturing on it is legal: part of the key.
    en_passant: bool,
}

/// The roles by their numbers.
const ROLES: [Option<Role>; 8] = [
    None,
    Some(Role::Bishop),
    Some(Role::Rook),
    Some(Role::Queen),
    Some(Role::Knight),
    Some(Role::Pawn),
    Some(Role::King),
    None,
];

/// The numbers of the roles, from the pawn.
const NUMBERS: [u64; 6] = [5, 4, 1, 2, 3, 6];

const PAWN: usize = 5;
const KING: usize = 6;

/// shakmaty's keys of pieces, by colour, number and square. No piece has the key 0, so that a capture and a quiet move are
/// the same sums.
struct Keys([[[u64; 64]; 8]; 2]);

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let mut keys = Keys([[[0; 64]; 8]; 2]);
    for (color, square) in Color::ALL.into_iter().flat_map(|color| Square::ALL.map(|square| (color, square))) {
        for (number, role) in ROLES.iter().enumerate() {
            let key = role.map_or(0, |role| Zobrist64::zobrist_for_piece(square, role.of(color)).0);
            keys.0[usize::from(color.is_white())][number][square.to_usize()] = key;
        }
    }
    keys
});

impl Keys {
    #[inline]
    fn of(&self, color: Color, number: usize, square: Square) -> u64 {
        self.0[usize::from(color.is_white())][number & 7][square.to_usize()]
    }
}

impl Board {
    /// The board of a position of shakmaty's.
    pub fn new(position: &Chess) -> Board {
        let mut board = Board {
            diagonal: Bitboard::EMPTY,
            straight: Bitboard::EMPTY,
            other: Bitboard::EMPTY,
            white: position.board().white(),
            rights: position.castles().castling_rights(),
            key: position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0,
            halfmoves: position.halfmoves(),
            fullmoves: position.fullmoves().get(),
            turn: position.turn(),
            passed: position.maybe_ep_square(),
            en_passant: position.legal_ep_square().is_some(),
        };
        for role in Role::ALL {
            board.toggle_role(position.board().by_role(role), role);
        }
        board
    }

    /// The position in shakmaty's form, for what it alone can do.
    pub fn to_shakmaty(&self) -> Chess {
        let mut setup = Setup::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                setup.board.set_piece_at(square, piece);
            }
        }
        setup.turn = self.turn;
        setup.castling_rights = self.rights;
        setup.ep_square = self.passed;
        setup.halfmoves = self.halfmoves;
        setup.fullmoves = NonZeroU32::new(self.fullmoves).unwrap_or(NonZeroU32::MIN);
        let position = setup.position(CastlingMode::Standard);
        // Legal moves lead to possible positions, but nobody has proved that from every position that could be read.
        let position = position
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_invalid_ep_square);
        position.expect("a position that moves have led to has its kings and castling rights")
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The hash of the position: shakmaty's, in which en passant counts only where it is legal.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Halfmoves since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        self.halfmoves
    }

    /// The number of the move, from 1.
    #[inline]
    pub fn fullmoves(&self) -> u32 {
        self.fullmoves
    }

    /// The rooks that may castle.
    #[inline]
    pub fn rights(&self) -> Bitboard {
        self.rights
    }

    /// Whether a side may still castle on this side.
    #[inline]
    pub fn may_castle(&self, color: Color, side: CastlingSide) -> bool {
        self.rights.contains(rook_home(color, side))
    }

    /// The square that a pawn has just passed, whether or not it can be captured there.
    #[inline]
    pub fn passed_square(&self) -> Option<Square> {
        self.passed
    }

    /// The square on which en passant is legal.
    #[inline]
    pub fn en_passant_square(&self) -> Option<Square> {
        if self.en_passant { self.passed } else { None }
    }

    /// Every piece.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.diagonal | self.straight | self.other
    }

    /// The pieces of a side.
    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        match color {
            Color::White => self.white,
            Color::Black => self.occupied() ^ self.white,
        }
    }

    /// The pawns of both sides.
    #[inline]
    pub fn pawns(&self) -> Bitboard {
        self.diagonal & self.other
    }

    /// The knights of both sides.
    #[inline]
    pub fn knights(&self) -> Bitboard {
        self.other & !self.diagonal & !self.straight
    }

    /// The bishops and queens of both sides.
    #[inline]
    pub fn bishops_and_queens(&self) -> Bitboard {
        self.diagonal & !self.other
    }

    /// The rooks and queens of both sides.
    #[inline]
    pub fn rooks_and_queens(&self) -> Bitboard {
        self.straight & !self.other
    }

    /// The bishops of both sides.
    #[inline]
    pub fn bishops(&self) -> Bitboard {
        self.bishops_and_queens() & !self.straight
    }

    /// The rooks of both sides.
    #[inline]
    pub fn rooks(&self) -> Bitboard {
        self.rooks_and_queens() & !self.diagonal
    }

    /// The queens of both sides.
    #[inline]
    pub fn queens(&self) -> Bitboard {
        self.diagonal & self.straight
    }

    /// Both kings.
    #[inline]
    pub fn kings(&self) -> Bitboard {
        self.straight & self.other
    }

    /// The pieces of a role, of both sides.
    #[inline]
    pub fn by_role(&self, role: Role) -> Bitboard {
        match role {
            Role::Pawn => self.pawns(),
            Role::Knight => self.knights(),
            Role::Bishop => self.bishops(),
            Role::Rook => self.rooks(),
            Role::Queen => self.queens(),
            Role::King => self.kings(),
        }
    }

    /// The pieces of a role and side.
    #[inline]
    pub fn by_piece(&self, piece: Piece) -> Bitboard {
        self.by_role(piece.role) & self.by_color(piece.color)
    }

    /// The king of a side.
    ///
    /// # Panics
    /// If there is none, which no position that can be read lacks.
    #[inline]
    pub fn king_of(&self, color: Color) -> Square {
        (self.kings() & self.by_color(color)).first().expect("positions have both kings")
    }

    /// The role of the piece on a square.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        ROLES[self.number_on(1 << square.to_u32())]
    }

    /// The number of the piece on a square, given as its bit; below 8, 0 if there is none.
    #[inline]
    fn number_on(&self, square: u64) -> usize {
        let bit = |set: Bitboard| usize::from(set.0 & square != 0);
        bit(self.diagonal) | bit(self.straight) << 1 | bit(self.other) << 2
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.role_at(square).map(|role| role.of(Color::from_white(self.white.contains(square))))
    }

    /// The pieces of a side that attack a square, if these squares were occupied.
    #[inline]
    pub fn attacks_to(&self, square: Square, attacker: Color, occupied: Bitboard) -> Bitboard {
        let sliders = (attacks::rook_attacks(square, occupied) & self.rooks_and_queens())
            | (attacks::bishop_attacks(square, occupied) & self.bishops_and_queens());
        let steppers = (attacks::knight_attacks(square) & self.knights())
            | (attacks::king_attacks(square) & self.kings())
            | (attacks::pawn_attacks(!attacker, square) & self.pawns());
        self.by_color(attacker) & (sliders | steppers)
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        self.attacks_to(self.king_of(self.turn), !self.turn, self.occupied()).any()
    }

    /// The passed square, if the pawn of the side to move on `from` can legally capture there; its king is on `king`.
    #[inline]
    pub(super) fn en_passant_from(&self, king: Square, from: Square) -> Bitboard {
        let us = self.turn;
        match self.passed {
            Some(to) if attacks::pawn_attacks(us, from).contains(to) => {
                // Two pawns leave a line at once: look at the board as it will be.
                let captured = Bitboard::from_square(Square::from_coords(to.file(), from.rank()));
                let occupied = (self.occupied() ^ captured ^ Bitboard::from_square(from)).with(to);
                let attackers = self.attacks_to(king, !us, occupied) & !captured;
                if attackers.is_empty() { Bitboard::from_square(to) } else { Bitboard::EMPTY }
            }
            _ => Bitboard::EMPTY,
        }
    }

    /// Whether neither side could mate by any play.
    pub fn is_dead(&self) -> bool {
        // Nearly always somebody has a pawn, a rook or a queen.
        if (self.pawns() | self.rooks_and_queens()).any() {
            return false;
        }
        let (knights, bishops) = (self.knights(), self.bishops());
        if knights.any() {
            return knights.count() == 1 && bishops.is_empty();
        }
        !((bishops & Bitboard::DARK_SQUARES).any() && (bishops & Bitboard::LIGHT_SQUARES).any())
    }

    /// Plays a legal move; says whether no position before it can occur again.
    #[inline]
    pub fn play(&mut self, mv: ChessMove) -> bool {
        let before = *self;
        self.become_after(&before, mv)
    }

    /// Becomes `before` with a legal move played; says whether no position before it can occur again.
    ///
    /// Nothing is read from what has just been written, for which the processor would have to wait.
    #[inline]
    pub fn become_after(&mut self, before: &Board, mv: ChessMove) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let us = before.turn;
        let (start, end) = (1_u64 << from.to_u32(), 1_u64 << to.to_u32());
        let (number, captured) = (before.number_on(start), before.number_on(end));
        let arriving = mv.promotion().map_or(number, |role| NUMBERS[role as usize - 1] as usize);
        let others = |set: Bitboard| set.0 & !(start | end);
        let on_end = |set: bool| if set { end } else { 0 };
        self.diagonal = Bitboard(others(before.diagonal) | on_end(arriving & 1 != 0));
        self.straight = Bitboard(others(before.straight) | on_end(arriving & 2 != 0));
        self.other = Bitboard(others(before.other) | on_end(arriving & 4 != 0));
        self.white = Bitboard(others(before.white) | on_end(us.is_white()));
        self.rights = before.rights;
        let keys: &Keys = &KEYS;
        let mut key = before.key
            ^ Zobrist64::zobrist_for_white_turn().0
            ^ keys.of(us, number, from)
            ^ keys.of(us, arriving, to)
            ^ keys.of(!us, captured, to);
        if before.en_passant
            && let Some(square) = before.passed
        {
            key ^= Zobrist64::zobrist_for_en_passant_file(square.file()).0;
        }
        self.key = key;
        self.turn = !us;
        (self.passed, self.en_passant) = (None, false);
        let zeroing = number == PAWN || captured != 0;
        self.halfmoves = if zeroing { 0 } else { before.halfmoves.saturating_add(1) };
        self.fullmoves = before.fullmoves.saturating_add(u32::from(us.is_black()));

        let mut lost = before.rights & Bitboard(start | end);
        match number {
            KING => {
                lost |= before.rights & us.backrank();
                if mv.is_castling_step() {
                    let side = CastlingSide::from_king_side(from < to);
                    self.toggle(rook_home(us, side), us.rook());
                    self.toggle(side.rook_to(us), us.rook());
                }
            }
            PAWN if from.to_u32().abs_diff(to.to_u32()) == 16 => {
                self.pass_square(Square::new(u32::midpoint(from.to_u32(), to.to_u32())));
            }
            PAWN if before.passed == Some(to) && from.file() != to.file() => {
                self.toggle(Square::from_coords(to.file(), from.rank()), (!us).pawn());
            }
            _ => {}
        }
        if lost.any() {
            self.lose_rights(lost);
        }
        zeroing || lost.any()
    }

    /// Gives the turn away. The side to move is not in check.
    pub fn pass(&mut self) {
        self.forget_passed();
        self.turn = !self.turn;
        self.key ^= Zobrist64::zobrist_for_white_turn().0;
    }

    /// Puts a piece on an empty square or takes it off.
    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece) {
        let set = Bitboard::from_square(square);
        self.toggle_role(set, piece.role);
        if piece.color.is_white() {
            self.white ^= set;
        }
        self.key ^= Zobrist64::zobrist_for_piece(square, piece).0;
    }

    #[inline]
    fn toggle_role(&mut self, set: Bitboard, role: Role) {
        let number = NUMBERS[role as usize - 1];
        self.diagonal ^= Bitboard(set.0 * (number & 1));
        self.straight ^= Bitboard(set.0 * (number >> 1 & 1));
        self.other ^= Bitboard(set.0 * (number >> 2));
    }

    #[cold]
    fn lose_rights(&mut self, lost: Bitboard) {
        self.rights ^= lost;
        for rook in lost {
            let color = Color::from_white(rook < Square::A2);
            let side = CastlingSide::from_king_side(rook.file() == File::H);
            self.key ^= Zobrist64::zobrist_for_castling_right(color, side).0;
        }
    }

    /// Forgets the square that a pawn has just passed.
    fn forget_passed(&mut self) {
        if self.en_passant {
            self.toggle_en_passant();
        }
        self.passed = None;
    }

    /// Notes that a pawn has just passed a square; the turn is the opponent's already.
    #[inline]
    fn pass_square(&mut self, square: Square) {
        self.passed = Some(square);
        let us = self.turn;
        let pawns = attacks::pawn_attacks(!us, square) & self.pawns() & self.by_color(us);
        if pawns.any() {
            let king = self.king_of(us);
            if pawns.into_iter().any(|from| self.en_passant_from(king, from).any()) {
                self.toggle_en_passant();
            }
        }
    }

    /// Begins or ends that capturing on the passed square is legal.
    #[inline]
    fn toggle_en_passant(&mut self) {
        self.en_passant = !self.en_passant;
        if let Some(square) = self.passed {
            self.key ^= Zobrist64::zobrist_for_en_passant_file(square.file()).0;
        }
    }
}

/// Where a rook stands that may castle.
#[inline]
pub(super) fn rook_home(color: Color, side: CastlingSide) -> Square {
    let file = match side {
        CastlingSide::KingSide => File::H,
        CastlingSide::QueenSide => File::A,
    };
    Square::from_coords(file, color.fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth))
}
