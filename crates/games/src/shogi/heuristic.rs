//! Material: what the pieces are worth.

use super::board::Board;
use super::geometry::Geometry;
use super::piece::Kind;
use tesuji_core::Side;

/// The advantage that is "clearly winning": about a rook.
pub(super) const SCALE: f32 = 1200.0;

/// What a piece on the board is worth, in hundredths of a pawn, in the order of the kinds' numbers.
const ON_BOARD: [i32; 14] = [100, 350, 400, 550, 850, 1000, 600, 0, 500, 550, 580, 600, 1150, 1350];

/// What a piece in hand is worth: a little more than on the board, because it can go anywhere.
const IN_HAND: [i32; 7] = [115, 390, 450, 600, 950, 1100, 660];

/// The material balance for the first player.
pub(super) fn material<G: Geometry>(board: &Board<G>) -> i32 {
    let sign = |side: Side| if side == Side::First { 1 } else { -1 };
    let on_board: i32 = board.pieces().map(|(_, piece)| sign(piece.side) * ON_BOARD[piece.kind.index()]).sum();
    let hand = |side: Side| -> i32 {
        board.hand(side).iter().map(|(kind, count): (Kind, u32)| IN_HAND[kind.index()] * count as i32).sum()
    };
    on_board + hand(Side::First) - hand(Side::Second)
}
