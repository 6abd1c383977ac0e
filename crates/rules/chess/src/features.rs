//! Sparse inputs for integer networks.

use super::board::Board;
use super::position::ChessPosition;
use shakmaty::{Color, Piece, Role, Square};
use tesuji_core::{FeatureChanges, Features, Side};

/// The pieces by role, owner and square, relative to the zone of the own king.
///
/// A side sees the board from its own side, mirrored so that its king is on the files a to d. The king's zones: its
/// first rank in the corner and in the centre, its second rank, and beyond.
#[derive(Clone, Copy, Debug)]
pub struct KingPieces;

/// Inputs for one zone of the king: 6 roles x 2 owners x 64 squares.
const ZONE_INPUTS: usize = 768;

/// Zones of the king.
const ZONES: usize = 4;

/// How a side sees the board.
#[derive(Clone, Copy, PartialEq, Eq)]
struct View {
    side: Color,
    /// What square numbers are combined with by exclusive or.
    flip: usize,
    /// The first input of the king's zone.
    base: usize,
}

impl View {
    #[inline]
    fn of(board: &Board, side: Color) -> View {
        let turn = side.fold_wb(0, 56);
        let king = board.king_of(side).to_usize() ^ turn;
        let mirror = if king % 8 > 3 { 7 } else { 0 };
        let (file, rank) = ((king ^ mirror) % 8, king / 8);
        let zone = match (rank, file) {
            (0, 0 | 1) => 0,
            (0, _) => 1,
            (1, _) => 2,
            _ => 3,
        };
        View { side, flip: turn ^ mirror, base: zone * ZONE_INPUTS }
    }

    #[inline]
    fn input(self, piece: Piece, square: Square) -> u32 {
        let theirs = usize::from(piece.color != self.side);
        let role = piece.role as usize - Role::Pawn as usize;
        (self.base + (theirs * 6 + role) * 64 + (square.to_usize() ^ self.flip)) as u32
    }
}

fn color(side: Side) -> Color {
    match side {
        Side::First => Color::White,
        Side::Second => Color::Black,
    }
}

impl Features<ChessPosition> for KingPieces {
    fn name(&self) -> &'static str {
        "king-pieces"
    }

    fn inputs(&self) -> usize {
        ZONES * ZONE_INPUTS
    }

    fn most_active(&self) -> usize {
        32
    }

    #[inline]
    fn active(&self, position: &ChessPosition, side: Side, out: &mut Vec<u32>) {
        out.clear();
        let board = position.board();
        let view = View::of(board, color(side));
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = role.of(color);
                out.extend(board.by_piece(piece).into_iter().map(|square| view.input(piece, square)));
            }
        }
    }

    #[inline]
    fn changes(&self, before: &ChessPosition, after: &ChessPosition, side: Side, changes: &mut FeatureChanges) -> bool {
        let (before, after) = (before.board(), after.board());
        let view = View::of(after, color(side));
        if view != View::of(before, color(side)) {
            return false;
        }
        // Whatever changes on a square changes whose it is: a piece leaves, arrives, or takes.
        let of = |color: Color| before.by_color(color) ^ after.by_color(color);
        for square in of(Color::White) | of(Color::Black) {
            let input = |piece: Piece| view.input(piece, square);
            changes.removed.extend(before.piece_at(square).map(input));
            changes.added.extend(after.piece_at(square).map(input));
        }
        true
    }

    fn shared_inputs(&self) -> usize {
        ZONE_INPUTS
    }

    fn shared(&self, input: u32) -> u32 {
        input % ZONE_INPUTS as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DrawRules, fen};

    /// What a side sees, in order.
    fn seen(text: &str, side: Side) -> Vec<u32> {
        let position = ChessPosition::new(fen::parse(text).unwrap(), DrawRules::OFFICIAL);
        let mut out = Vec::new();
        KingPieces.active(&position, side, &mut out);
        out.sort_unstable();
        out
    }

    #[test]
    fn both_sides_see_the_same_where_the_colours_are_swapped() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(seen(start, Side::First), seen(start, Side::Second));
        let one = "r3k2r/pp1n1ppp/2p1b3/8/4P3/2N2N2/PPP2PPP/2KR3R w kq - 0 1";
        let other = "2kr3r/ppp2ppp/2n2n2/4p3/8/2P1B3/PP1N1PPP/R3K2R b KQ - 0 1";
        for side in Side::BOTH {
            assert_eq!(seen(one, side), seen(other, side.other()));
        }
        assert_ne!(seen(one, Side::First), seen(one, Side::Second));
    }

    #[test]
    fn a_mirrored_board_looks_the_same() {
        let one = "6k1/5ppp/8/2n5/8/4B3/5PPP/3R2K1 w - - 0 1";
        let other = "1k6/ppp5/8/5n2/8/3B4/PPP5/1K2R3 w - - 0 1";
        for side in Side::BOTH {
            assert_eq!(seen(one, side), seen(other, side));
        }
    }
}
