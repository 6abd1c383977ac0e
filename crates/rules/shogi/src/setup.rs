//! Positions as they are written down, before anyone has asked whether they are possible.

use super::board::Board;
use super::geometry::Geometry;
use super::hand::Hand;
use super::piece::{EMPTY, Kind, Piece};
use super::square::Square;
use super::usi;
use tesuji_core::{ParseError, Side};

/// Pieces, hands, the side to move and the move number: not validated.
///
/// [`board`](Setup::board) validates it for play, [`mate_problem`](Setup::mate_problem) for a mate problem, whose
/// attacker needs no king. SFEN is read by `parse` and written by `to_string`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup<G: Geometry> {
    cells: G::Cells,
    /// The hands, first player first.
    pub hands: [Hand; 2],
    /// The side to move.
    pub turn: Side,
    /// The number of the move to be played, from 1.
    pub number: u32,
}

impl<G: Geometry> Default for Setup<G> {
    fn default() -> Setup<G> {
        Setup { cells: G::NO_CELLS, hands: [Hand::EMPTY; 2], turn: Side::First, number: 1 }
    }
}

impl<G: Geometry> Setup<G> {
    /// The setup of a board.
    pub fn of(board: &Board<G>, number: u32) -> Setup<G> {
        let mut setup =
            Setup { hands: Side::BOTH.map(|side| board.hand(side)), turn: board.turn(), number, ..Setup::default() };
        for (square, piece) in board.pieces() {
            setup.put(square, Some(piece));
        }
        setup
    }

    /// The piece on a square; `None` also for squares beyond the board.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.cells.as_ref().get(square.index()).and_then(|&code| Piece::from_code(code))
    }

    /// Puts a piece on a square, or clears it.
    ///
    /// # Panics
    /// If the square is not on this board.
    pub fn put(&mut self, square: Square, piece: Option<Piece>) {
        self.cells.as_mut()[square.index()] = piece.map_or(EMPTY, Piece::code);
    }

    /// The position for play.
    ///
    /// # Errors
    /// If the position is impossible: kings missing or doubled, more pieces of a kind than the set has, two
    /// unpromoted pawns of a side on a file, a piece that can never move again, or the side not to move in check.
    pub fn board(&self) -> Result<Board<G>, ParseError> {
        self.validate([1, 1])
    }

    /// The position of a mate problem: as [`board`](Setup::board), but the attacker, who is to move, may have no king.
    ///
    /// # Errors
    /// If the position is impossible.
    pub fn mate_problem(&self) -> Result<Board<G>, ParseError> {
        let mut kings = [1, 1];
        kings[self.turn.index()] = 0;
        self.validate(kings)
    }

    /// Validates for at least as many kings as given, by side.
    fn validate(&self, kings: [usize; 2]) -> Result<Board<G>, ParseError> {
        let wrong = |problem: String| Err(ParseError::new("position", &self.to_string(), problem));
        let pieces = || G::squares().filter_map(|square| self.piece(square).map(|piece| (square, piece)));

        for side in Side::BOTH {
            let count = pieces().filter(|(_, piece)| *piece == Piece::new(side, Kind::King)).count();
            if count < kings[side.index()] {
                return wrong(format!("the {side} player has no king"));
            }
            if count > 1 {
                return wrong(format!("the {side} player has {count} kings"));
            }
        }
        for kind in Kind::ALL.into_iter().filter(|kind| !kind.is_promoted()) {
            let on_board = pieces().filter(|(_, piece)| piece.kind.base() == kind).count() as u32;
            let count = on_board + self.hands.iter().map(|hand| hand.count(kind)).sum::<u32>();
            let most = G::PIECES[kind.index()];
            if count > most {
                return wrong(format!("{count} pieces of kind {}, the set has {most}", kind.letter()));
            }
        }
        for (square, Piece { side, kind }) in pieces() {
            if is_dead::<G>(side, kind, square) {
                let (letter, square) = (kind.letter(), usi::format_square::<G>(square));
                return wrong(format!("the {side} player's {letter} on {square} can never move"));
            }
        }
        for side in Side::BOTH {
            for file in 0..G::SIZE {
                let pawn = |&(square, piece): &(Square, Piece)| {
                    G::file(square) == file && piece == Piece::new(side, Kind::Pawn)
                };
                if pieces().filter(pawn).count() > 1 {
                    return wrong(format!("the {side} player has two unpromoted pawns on file {}", file + 1));
                }
            }
        }
        let board = Board::from_valid(&self.cells, self.hands, self.turn);
        let waiting = self.turn.other();
        if let Some(king) = board.king(waiting)
            && board.attackers_of(king, self.turn) != Default::default()
        {
            return wrong(format!("the {waiting} player is in check but not to move"));
        }
        Ok(board)
    }
}

/// Whether a piece could never move from a square, so that it must not stay there.
fn is_dead<G: Geometry>(side: Side, kind: Kind, square: Square) -> bool {
    let ahead = match side {
        Side::First => G::rank(square),
        Side::Second => G::SIZE - 1 - G::rank(square),
    };
    match kind {
        Kind::Pawn | Kind::Lance => ahead < 1,
        Kind::Knight => ahead < 2,
        _ => false,
    }
}
