//! A chess position with the history that its draws need.

use super::mv::ChessMove;
use super::{movegen, san};
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Bitboard, CastlingSide, Chess, Color, EnPassantMode, File, Piece, Position as _, Square};
use std::ops::ControlFlow;
use tesuji_core::{MoveError, MoveList, Outcome, Position, Side};

/// When a game is drawn although there are moves left.
///
/// Nobody is there to claim a draw in self-play, so claims are made as soon as they are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRules {
    /// Halfmoves without a capture or pawn move; 100 is the fifty-move rule.
    pub halfmoves: Option<u32>,
    /// Occurrences of a position; 3 is threefold repetition.
    pub occurrences: Option<u32>,
    /// Whether neither side having the material to mate, by any play, is a draw.
    pub dead_material: bool,
}

impl DrawRules {
    /// The fifty-move rule, threefold repetition and dead material.
    pub const OFFICIAL: DrawRules = DrawRules { halfmoves: Some(100), occurrences: Some(3), dead_material: true };

    /// Only stalemate is a draw: for replaying games whose players did not claim.
    pub const NONE: DrawRules = DrawRules { halfmoves: None, occurrences: None, dead_material: false };
}

impl Default for DrawRules {
    fn default() -> DrawRules {
        DrawRules::OFFICIAL
    }
}

/// A board that keeps its key.
#[derive(Clone, Debug)]
pub(super) struct KeyedBoard {
    pub(super) board: Chess,
    pub(super) key: Zobrist64,
    /// The file on which en passant is legal: part of the key.
    en_passant: Option<File>,
}

impl KeyedBoard {
    pub(super) fn new(board: Chess) -> KeyedBoard {
        let en_passant = board.legal_ep_square().map(Square::file);
        KeyedBoard { key: board.zobrist_hash(EnPassantMode::Legal), en_passant, board }
    }

    /// Plays a legal move in shakmaty's form; says whether no position before it can occur again.
    #[inline]
    pub(super) fn play_wide(&mut self, mv: shakmaty::Move) -> bool {
        let rights = self.board.castles().castling_rights();
        let mut key = self.key;
        toggle_pieces(&mut key, self.board.turn(), mv);
        toggle_en_passant(&mut key, self.en_passant);
        self.board.play_unchecked(mv);

        let lost = rights ^ self.board.castles().castling_rights();
        toggle_rights(&mut key, lost);
        self.en_passant = self.board.legal_ep_square().map(Square::file);
        toggle_en_passant(&mut key, self.en_passant);
        key ^= Zobrist64::zobrist_for_white_turn();
        self.key = key;
        mv.is_zeroing() || lost.any()
    }
}

/// A position, the keys of the positions that may occur again, and the draw rules in force.
#[derive(Debug)]
pub struct ChessPosition {
    keyed: KeyedBoard,
    rules: DrawRules,
    /// Keys of the positions before this one, since the last capture, pawn move or loss of a castling right.
    history: Vec<Zobrist64>,
}

impl Clone for ChessPosition {
    fn clone(&self) -> ChessPosition {
        ChessPosition { keyed: self.keyed.clone(), rules: self.rules, history: self.history.clone() }
    }

    /// Reuses the history's buffer.
    #[inline]
    fn clone_from(&mut self, source: &ChessPosition) {
        self.keyed.clone_from(&source.keyed);
        self.rules = source.rules;
        self.history.clone_from(&source.history);
    }
}

impl ChessPosition {
    /// A position without a past.
    pub fn new(board: Chess, rules: DrawRules) -> ChessPosition {
        ChessPosition { keyed: KeyedBoard::new(board), rules, history: Vec::new() }
    }

    /// The board, as shakmaty keeps it.
    #[inline]
    pub fn board(&self) -> &Chess {
        &self.keyed.board
    }

    /// The board with its key.
    pub(super) fn keyed(&self) -> &KeyedBoard {
        &self.keyed
    }

    /// The draw rules in force.
    #[inline]
    pub fn draw_rules(&self) -> DrawRules {
        self.rules
    }

    /// The square on which en passant is legal.
    #[inline]
    pub fn en_passant_square(&self) -> Option<Square> {
        self.keyed.en_passant.and(self.keyed.board.maybe_ep_square())
    }

    /// How often this position has occurred before.
    pub fn repetitions(&self) -> u32 {
        // The same side was to move an even number of plies ago, and two plies are too few to come back.
        self.history.iter().rev().skip(3).step_by(2).filter(|&&key| key == self.keyed.key).count() as u32
    }

    /// Why the game is drawn although there may be moves left.
    #[inline]
    fn adjudicated_draw(&self) -> Option<&'static str> {
        let DrawRules { halfmoves, occurrences, dead_material } = self.rules;
        if halfmoves.is_some_and(|limit| self.keyed.board.halfmoves() >= limit) {
            return Some("fifty-move rule");
        }
        // No position comes back in fewer than four reversible plies.
        if self.history.len() >= 4 && occurrences.is_some_and(|limit| self.repetitions() + 1 >= limit) {
            return Some("threefold repetition");
        }
        (dead_material && self.keyed.board.is_insufficient_material()).then_some("insufficient material")
    }

    /// The outcome and its name, for a position with or without legal moves.
    #[inline]
    fn verdict(&self, has_moves: bool) -> Option<(Outcome, &'static str)> {
        if has_moves {
            self.adjudicated_draw().map(|reason| (Outcome::Draw, reason))
        } else if self.in_check() {
            Some((Outcome::Win(self.mover().other()), "checkmate"))
        } else {
            Some((Outcome::Draw, "stalemate"))
        }
    }

    /// Whether there is a legal move.
    #[inline]
    fn has_moves(&self) -> bool {
        movegen::visit(&self.keyed.board, Bitboard::FULL, |_| ControlFlow::Break(())).is_break()
    }

    /// Whether the move is legal by the rules of movement: also where the game is drawn.
    pub fn is_legal_step(&self, mv: ChessMove) -> bool {
        let found = movegen::visit(&self.keyed.board, Bitboard::from_square(mv.from()), |piece| {
            if piece.contains(mv) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found.is_break()
    }

    /// Plays a legal move in shakmaty's form.
    #[inline]
    pub(super) fn play_wide(&mut self, mv: shakmaty::Move) {
        let before = self.keyed.key;
        if self.keyed.play_wide(mv) {
            self.history.clear();
        } else {
            self.history.push(before);
        }
    }
}

/// Takes the moved pieces from where they were and puts them where they go.
#[inline]
fn toggle_pieces(key: &mut Zobrist64, us: Color, mv: shakmaty::Move) {
    let mut toggle = |square: Square, piece: Piece| *key ^= Zobrist64::zobrist_for_piece(square, piece);
    match mv {
        shakmaty::Move::Normal { role, from, capture, to, promotion } => {
            toggle(from, role.of(us));
            toggle(to, promotion.unwrap_or(role).of(us));
            if let Some(captured) = capture {
                toggle(to, captured.of(!us));
            }
        }
        shakmaty::Move::EnPassant { from, to } => {
            toggle(from, us.pawn());
            toggle(to, us.pawn());
            toggle(Square::from_coords(to.file(), from.rank()), (!us).pawn());
        }
        shakmaty::Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            toggle(king, us.king());
            toggle(rook, us.rook());
            toggle(side.king_to(us), us.king());
            toggle(side.rook_to(us), us.rook());
        }
        shakmaty::Move::Put { .. } => unreachable!("standard chess has no drops"),
    }
}

/// Takes away castling rights, given as the squares of their rooks.
#[inline]
fn toggle_rights(key: &mut Zobrist64, lost: Bitboard) {
    for rook in lost {
        let color = Color::from_white(rook < Square::A2);
        let side = CastlingSide::from_king_side(rook.file() == File::H);
        *key ^= Zobrist64::zobrist_for_castling_right(color, side);
    }
}

#[inline]
fn toggle_en_passant(key: &mut Zobrist64, file: Option<File>) {
    if let Some(file) = file {
        *key ^= Zobrist64::zobrist_for_en_passant_file(file);
    }
}

/// White is the first player.
#[inline]
pub(super) fn side(color: Color) -> Side {
    color.fold_wb(Side::First, Side::Second)
}

impl Position for ChessPosition {
    type Move = ChessMove;

    #[inline]
    fn mover(&self) -> Side {
        side(self.keyed.board.turn())
    }

    #[inline]
    fn movements(&self, out: &mut MoveList<ChessMove>) {
        out.clear();
        let _ = movegen::visit(&self.keyed.board, Bitboard::FULL, |piece| {
            piece.list(out);
            ControlFlow::<()>::Continue(())
        });
    }

    #[inline]
    fn play(&mut self, mv: ChessMove) {
        self.play_wide(movegen::widen(&self.keyed.board, mv));
    }

    fn outcome(&self) -> Option<Outcome> {
        self.verdict(self.has_moves()).map(|(outcome, _)| outcome)
    }

    fn ending(&self) -> &'static str {
        self.verdict(self.has_moves()).map_or("", |(_, ending)| ending)
    }

    #[inline]
    fn expand(&self, out: &mut MoveList<ChessMove>) -> Option<Outcome> {
        self.movements(out);
        let verdict = self.verdict(!out.is_empty());
        if verdict.is_some() {
            out.clear();
        }
        verdict.map(|(outcome, _)| outcome)
    }

    #[inline]
    fn key(&self) -> u64 {
        self.keyed.key.0
    }

    fn ply(&self) -> u32 {
        let whole = self.keyed.board.fullmoves().get() - 1;
        whole.saturating_mul(2).saturating_add(self.keyed.board.turn().fold_wb(0, 1))
    }

    /// UCI.
    fn format_move(&self, mv: ChessMove) -> String {
        mv.to_string()
    }

    /// Reads UCI (`e2e4`, `e7e8q`, `e1g1`) or SAN (`Nf3`, `exd8=Q+`, `O-O`).
    ///
    /// Moves are also read where the game is drawn by adjudication: a game sent by a GUI may have gone on.
    fn parse_move(&self, text: &str) -> Result<ChessMove, MoveError> {
        match ChessMove::from_uci(text) {
            Some(mv) if self.is_legal_step(mv) => Ok(mv),
            Some(_) => Err(MoveError::illegal(text)),
            None => san::parse(&self.keyed.board, text),
        }
    }

    fn count_movements(&self) -> usize {
        let mut count = 0;
        let _ = movegen::visit(&self.keyed.board, Bitboard::FULL, |piece| {
            count += piece.count();
            ControlFlow::<()>::Continue(())
        });
        count
    }

    fn is_legal(&self, mv: ChessMove) -> bool {
        self.is_legal_step(mv) && self.adjudicated_draw().is_none()
    }

    fn checks(&self, out: &mut MoveList<ChessMove>) {
        out.clear();
        movegen::list_checks(&self.keyed.board, out);
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.keyed.board.is_check()
    }

    /// Captures, en passant included.
    #[inline]
    fn is_attack(&self, mv: ChessMove) -> bool {
        movegen::widen(&self.keyed.board, mv).is_capture()
    }
}
