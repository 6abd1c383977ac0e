//! A chess position with the history that its draws need.

use super::board::Board;
use super::mv::ChessMove;
use super::{movegen, san, tactics};
use shakmaty::{Bitboard, Chess, Color};
use std::ops::ControlFlow;
use tesuji_core::{MoveError, MoveList, Outcome, Position, Repetition, Side};

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

/// A position, the keys of the positions that may occur again, and the draw rules in force.
#[derive(Debug)]
pub struct ChessPosition {
    board: Board,
    rules: DrawRules,
    /// Keys of the positions before this one, since the last capture, pawn move or loss of a castling right.
    history: Vec<u64>,
}

impl Clone for ChessPosition {
    fn clone(&self) -> ChessPosition {
        ChessPosition { board: self.board, rules: self.rules, history: self.history.clone() }
    }

    /// Reuses the history's buffer.
    #[inline]
    fn clone_from(&mut self, source: &ChessPosition) {
        self.board = source.board;
        self.rules = source.rules;
        self.history.clone_from(&source.history);
    }
}

impl ChessPosition {
    /// A position without a past.
    pub fn new(board: Chess, rules: DrawRules) -> ChessPosition {
        ChessPosition { board: Board::new(&board), rules, history: Vec::new() }
    }

    /// The board, without its past.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The draw rules in force.
    #[inline]
    pub fn draw_rules(&self) -> DrawRules {
        self.rules
    }

    /// How often this position has occurred before.
    pub fn repetitions(&self) -> u32 {
        // The same side was to move an even number of plies ago, and two plies are too few to come back.
        self.history.iter().rev().skip(3).step_by(2).filter(|&&key| key == self.board.key()).count() as u32
    }

    /// Why the game is drawn although there may be moves left.
    #[inline]
    fn adjudicated_draw(&self) -> Option<&'static str> {
        let DrawRules { halfmoves, occurrences, dead_material } = self.rules;
        if halfmoves.is_some_and(|limit| self.board.halfmoves() >= limit) {
            return Some("fifty-move rule");
        }
        // No position comes back in fewer than four reversible plies.
        if self.history.len() >= 4 && occurrences.is_some_and(|limit| self.repetitions() + 1 >= limit) {
            return Some("threefold repetition");
        }
        (dead_material && self.board.is_dead()).then_some("insufficient material")
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
        movegen::visit(&self.board, Bitboard::FULL, |_| ControlFlow::Break(())).is_break()
    }

    /// Whether the move is legal by the rules of movement: also where the game is drawn.
    pub fn is_legal_step(&self, mv: ChessMove) -> bool {
        let found = movegen::visit(&self.board, Bitboard::from_square(mv.from()), |piece| {
            if piece.contains(mv) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found.is_break()
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
        side(self.board.turn())
    }

    #[inline]
    fn movements(&self, out: &mut MoveList<ChessMove>) {
        out.clear();
        let _ = movegen::visit(&self.board, Bitboard::FULL, |piece| {
            piece.list(out);
            ControlFlow::<()>::Continue(())
        });
    }

    #[inline]
    fn become_after(&mut self, before: &ChessPosition, mv: ChessMove) {
        self.rules = before.rules;
        if self.board.become_after(&before.board, mv) {
            self.history.clear();
        } else {
            self.history.clone_from(&before.history);
            self.history.push(before.board.key());
        }
    }

    #[inline]
    fn play(&mut self, mv: ChessMove) {
        let before = self.board.key();
        if self.board.play(mv) {
            self.history.clear();
        } else {
            self.history.push(before);
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.verdict(self.has_moves()).map(|(outcome, _)| outcome)
    }

    #[inline]
    fn quick_outcome(&self) -> Option<Outcome> {
        // Mate comes before a draw by adjudication.
        self.adjudicated_draw().and_then(|_| self.outcome())
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
        self.board.key()
    }

    fn ply(&self) -> u32 {
        let whole = self.board.fullmoves() - 1;
        whole.saturating_mul(2).saturating_add(self.board.turn().fold_wb(0, 1))
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
            None => san::parse(&self.board, text),
        }
    }

    fn count_movements(&self) -> usize {
        let mut count = 0;
        let _ = movegen::visit(&self.board, Bitboard::FULL, |piece| {
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
        movegen::list_checks(&self.board, out);
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.board.is_check()
    }

    /// Captures, en passant included.
    #[inline]
    fn is_attack(&self, mv: ChessMove) -> bool {
        tactics::is_capture(&self.board, mv)
    }

    /// Not in check, and not with king and pawns alone, where having to move is often what loses.
    fn pass(&mut self) -> bool {
        let board = &self.board;
        let pieces = board.by_color(board.turn()) & !board.pawns() & !board.kings();
        if pieces.is_empty() || self.in_check() {
            return false;
        }
        self.board.pass();
        self.history.clear();
        true
    }

    #[inline]
    fn gives_check(&self, mv: ChessMove) -> bool {
        tactics::gives_check(&self.board, mv)
    }

    #[inline]
    fn is_noisy(&self, mv: ChessMove) -> bool {
        tactics::is_noisy(&self.board, mv)
    }

    #[inline]
    fn noisy(&self, out: &mut MoveList<ChessMove>) {
        out.clear();
        tactics::list_noisy(&self.board, out);
    }

    #[inline]
    fn gain(&self, mv: ChessMove) -> i32 {
        tactics::gain(&self.board, mv)
    }

    #[inline]
    fn exchange(&self, mv: ChessMove) -> i32 {
        tactics::exchange(&self.board, mv)
    }

    const ROWS: usize = tactics::ROWS;

    #[inline]
    fn row(&self, mv: ChessMove) -> usize {
        tactics::row(&self.board, mv)
    }

    #[inline]
    fn repetition(&self, plies: u32) -> Option<Repetition> {
        self.rules.occurrences?;
        let past = self.history.len().min(plies as usize);
        let back = (4..=past).step_by(2).find(|back| self.history[self.history.len() - back] == self.board.key())?;
        Some(Repetition { outcome: Outcome::Draw, plies: back as u32 })
    }
}
