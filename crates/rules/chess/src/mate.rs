//! Chess as mate solvers see it: without its history, so that no draw by repetition or by fifty moves comes between.

use super::board::Board;
use super::fen;
use super::movegen;
use super::mv::ChessMove;
use super::position::side;
use shakmaty::Bitboard;
use std::ops::ControlFlow;
use tesuji_core::{MateBoard, MoveList, ParseError, Side};

/// Reads FEN, or EPD: the first four fields of one, then operations such as `dm 3;`, which are ignored.
///
/// # Errors
/// As [`fen::parse`].
pub(super) fn parse(text: &str) -> Result<Board, ParseError> {
    let mut fields = text.split_ascii_whitespace();
    // Operations begin with a letter; the counters of FEN do not.
    let operation = fields.nth(4).filter(|field| field.starts_with(|c: char| c.is_ascii_alphabetic()));
    let end = operation.map_or(text.len(), |field| field.as_ptr() as usize - text.as_ptr() as usize);
    fen::parse(&text[..end]).map(|position| Board::new(&position))
}

impl MateBoard for Board {
    type Move = ChessMove;
    type Hand = ();

    fn mover(&self) -> Side {
        side(self.turn())
    }

    fn checks(&self, out: &mut MoveList<ChessMove>) {
        out.clear();
        movegen::list_checks(self, out);
    }

    fn legal_moves(&self, out: &mut MoveList<ChessMove>) {
        out.clear();
        let _ = movegen::visit(self, Bitboard::FULL, |piece| {
            piece.list(out);
            ControlFlow::<()>::Continue(())
        });
    }

    /// A pawn's promotions count once.
    fn defences(&self) -> u32 {
        let mut count = 0;
        let _ = movegen::visit(self, Bitboard::FULL, |piece| {
            count += piece.to.count() as u32;
            ControlFlow::<()>::Continue(())
        });
        count
    }

    fn is_mate(&self) -> bool {
        self.is_check() && movegen::visit(self, Bitboard::FULL, |_| ControlFlow::Break(())).is_continue()
    }

    fn play(&mut self, mv: ChessMove) {
        Board::play(self, mv);
    }

    fn format_move(&self, mv: ChessMove) -> String {
        mv.to_string()
    }

    fn board_key(&self) -> u64 {
        self.key()
    }

    /// The promotions of one step, of which the queen comes first.
    fn group(&self, mv: ChessMove) -> Option<u32> {
        mv.promotion().map(|_| mv.from().to_u32() << 6 | mv.to().to_u32())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Position;

    #[test]
    fn fen_and_epd_are_read_and_operations_are_not() {
        let board = "5rk1/p1Q3pp/8/3p4/3q1R2/8/P1P3PP/R6K b - -";
        let key = parse(board).unwrap().board_key();
        for rest in [" 0 1", " 12 40", " dm 2; pv d4a1 f4f1 a1f1; c0 \"mJDcO\";", " bm Qxa1+;"] {
            assert_eq!(parse(&format!("{board}{rest}")).unwrap().board_key(), key, "{rest}");
        }
        for wrong in
            ["", "nonsense", "dm 2;", "5rk1/p1Q3pp/8/3p4/3q1R2/8/P1P3PP/R6K b - - 1", &format!("{board} 0 1 dm 2;")]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_board_is_the_game_without_its_history() {
        let mut random = tesuji_core::Stream::new(1, "chess mate board", 0);
        let mut position = tesuji_core::GameRules::start(&crate::Chess::new(tesuji_core::Rules::Official));
        let mut board = *position.board();
        let (mut moves, mut others) = (MoveList::new(), MoveList::new());
        while position.expand(&mut moves).is_none() {
            board.legal_moves(&mut others);
            assert_eq!(moves, others);
            assert_eq!((board.board_key(), board.is_mate()), (position.key(), false));
            position.checks(&mut moves);
            board.checks(&mut others);
            assert_eq!(moves, others);
            position.movements(&mut moves);
            let mv = moves[random.below(moves.len())];
            position.play(mv);
            board.play(mv);
        }
        assert!(position.ply() > 20);
    }

    #[test]
    fn mate_and_stalemate_differ() {
        let mate = parse("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").unwrap();
        assert!(mate.is_mate() && mate.defences() == 0);
        let stalemate = parse("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert!(!stalemate.is_mate() && stalemate.defences() == 0);
    }
}
