//! The state of play: a board, its history and the end rules.

use super::board::Board;
use super::geometry::Geometry;
use super::history::{Cycle, History};
use super::mv::Move;
use super::rules::{EndRules, Impasse};
use super::setup::Setup;
use super::{tactics, usi};
use tesuji_core::{MoveError, MoveList, Outcome, Position, Repetition, Side};

/// A state of play of shogi or minishogi.
#[derive(Debug)]
pub struct ShogiPosition<G: Geometry> {
    board: Board<G>,
    history: History,
    rules: EndRules,
    ply: u32,
}

impl<G: Geometry> ShogiPosition<G> {
    /// A game that begins with this board, at this ply.
    pub fn new(board: Board<G>, ply: u32, rules: EndRules) -> ShogiPosition<G> {
        ShogiPosition { board, history: History::new(board.key(), board.in_check()), rules, ply }
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> &Board<G> {
        &self.board
    }

    /// The end rules.
    pub fn rules(&self) -> &EndRules {
        &self.rules
    }

    /// The position in SFEN, which has no history.
    pub fn sfen(&self) -> String {
        Setup::of(&self.board, self.ply + 1).to_string()
    }

    /// How often the current position has occurred in the game, this time included.
    pub fn occurrences(&self) -> usize {
        self.history.occurrences()
    }

    /// How the game has ended by repetition, declaration or impasse: the ends that come before mate is looked at.
    #[inline]
    fn adjudication(&self) -> Option<(Outcome, &'static str)> {
        let mover = self.board.turn();
        if let Some(repeated) = self.rules.repetition.outcome()
            && let Some(fourfold) = self.history.fourfold()
        {
            return Some(self.judge(repeated, fourfold));
        }
        match self.rules.impasse {
            Impasse::Declaration if self.board.can_declare() => Some((Outcome::Win(mover), "declaration")),
            Impasse::Draw if self.board.is_impasse() => Some((Outcome::Draw, "impasse")),
            _ => None,
        }
    }

    /// How a repetition is judged; `repeated` if nobody is to blame.
    fn judge(&self, repeated: Outcome, cycle: Cycle) -> (Outcome, &'static str) {
        let mover = self.board.turn();
        // If both sides gave check throughout, neither is to blame.
        let blamed = match (cycle.mover_always_gave_check, cycle.mover_always_in_check) {
            (true, false) => Some(mover),
            (false, true) => Some(mover.other()),
            _ => None,
        };
        match blamed.filter(|_| self.rules.perpetual_check_loses) {
            Some(checker) => (Outcome::Win(checker.other()), "perpetual check"),
            None => (repeated, "fourfold repetition"),
        }
    }

    /// How the game has ended if it has, given whether the mover has moves.
    #[inline]
    fn end(&self, has_moves: impl FnOnce() -> bool) -> Option<(Outcome, &'static str)> {
        if let Some(end) = self.adjudication() {
            return Some(end);
        }
        if !has_moves() {
            let reason = if self.board.in_check() { "checkmate" } else { "no legal move" };
            return Some((Outcome::Win(self.board.turn().other()), reason));
        }
        match self.rules.last_ply {
            Some(last) if self.ply >= last => Some((Outcome::Draw, "move limit")),
            _ => None,
        }
    }
}

impl<G: Geometry> Clone for ShogiPosition<G> {
    fn clone(&self) -> ShogiPosition<G> {
        ShogiPosition { board: self.board, history: self.history.clone(), rules: self.rules, ply: self.ply }
    }

    #[inline]
    fn clone_from(&mut self, source: &ShogiPosition<G>) {
        self.board.copy_from(&source.board);
        self.history.clone_from(&source.history);
        self.rules = source.rules;
        self.ply = source.ply;
    }
}

impl<G: Geometry> Position for ShogiPosition<G> {
    type Move = Move;

    #[inline]
    fn mover(&self) -> Side {
        self.board.turn()
    }

    #[inline]
    fn movements(&self, out: &mut MoveList<Move>) {
        out.clear();
        self.board.legal_moves(out);
    }

    #[inline]
    fn count_movements(&self) -> usize {
        self.board.count_moves()
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        self.board.play(mv);
        self.ply += 1;
        self.history.push(self.board.key(), self.board.in_check());
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.end(|| self.board.has_moves()).map(|(outcome, _)| outcome)
    }

    #[inline]
    fn quick_outcome(&self) -> Option<Outcome> {
        match self.adjudication() {
            Some((outcome, _)) => Some(outcome),
            // Mate comes before the move limit.
            None if self.rules.last_ply.is_some_and(|last| self.ply >= last) => self.outcome(),
            None => None,
        }
    }

    fn ending(&self) -> &'static str {
        self.end(|| self.board.has_moves()).map_or("", |(_, reason)| reason)
    }

    #[inline]
    fn expand(&self, out: &mut MoveList<Move>) -> Option<Outcome> {
        let end = self.end(|| {
            self.movements(out);
            !out.is_empty()
        });
        if end.is_some() {
            out.clear();
        }
        end.map(|(outcome, _)| outcome)
    }

    #[inline]
    fn key(&self) -> u64 {
        self.board.key()
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.ply
    }

    fn is_legal(&self, mv: Move) -> bool {
        // With a legal move there is no mate to look for.
        self.board.is_legal(mv) && self.end(|| true).is_none()
    }

    fn format_move(&self, mv: Move) -> String {
        usi::format_move::<G>(mv)
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let mv = usi::parse_move::<G>(text)?;
        if self.is_legal(mv) {
            Ok(mv)
        } else if self.outcome().is_some() {
            Err(MoveError::GameOver { text: text.to_owned() })
        } else {
            Err(MoveError::illegal(text))
        }
    }

    fn checks(&self, out: &mut MoveList<Move>) {
        out.clear();
        self.board.checks(out);
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.board.in_check()
    }

    #[inline]
    fn is_attack(&self, mv: Move) -> bool {
        !mv.is_drop() && self.board.piece(mv.to()).is_some()
    }

    /// Not in check. With pieces to drop there is hardly ever a zugzwang.
    fn pass(&mut self) -> bool {
        if self.board.in_check() {
            return false;
        }
        self.board.pass();
        self.ply += 1;
        self.history.restart(self.board.key(), false);
        true
    }

    #[inline]
    fn gives_check(&self, mv: Move) -> bool {
        self.board.gives_check(mv)
    }

    #[inline]
    fn win_in_one(&self) -> Option<Move> {
        self.board.mate_in_one()
    }

    #[inline]
    fn is_noisy(&self, mv: Move) -> bool {
        self.board.is_noisy(mv)
    }

    #[inline]
    fn noisy(&self, out: &mut MoveList<Move>) {
        out.clear();
        self.board.noisy(out);
    }

    #[inline]
    fn gain(&self, mv: Move) -> i32 {
        self.board.gain(mv)
    }

    #[inline]
    fn exchange(&self, mv: Move) -> i32 {
        self.board.exchange(mv)
    }

    const ROWS: usize = tactics::PIECES * G::SQUARES;

    #[inline]
    fn row(&self, mv: Move) -> usize {
        self.board.row(mv)
    }

    #[inline]
    fn repetition(&self, plies: u32) -> Option<Repetition> {
        let repeated = self.rules.repetition.outcome()?;
        let (plies, cycle) = self.history.latest(plies)?;
        Some(Repetition { outcome: self.judge(repeated, cycle).0, plies })
    }
}
