//! What positions are worth at first sight: material, the reach of the sliding pieces, the safety of the kings.

use super::bits::Bits;
use super::board::Board;
use super::geometry::Geometry;
use super::piece::{Kind, Movement};
use super::square::Square;
use tesuji_core::Side;

/// The advantage that is "clearly winning": about a rook.
pub(super) const SCALE: f32 = 1200.0;

/// What a piece on the board is worth, in hundredths of a pawn, in the order of the kinds' numbers.
pub(super) const ON_BOARD: [i32; 14] = [100, 350, 400, 550, 850, 1000, 600, 0, 500, 550, 580, 600, 1150, 1350];

/// What a piece in hand is worth: a little more than on the board, because it can go anywhere.
pub(super) const IN_HAND: [i32; 7] = [115, 390, 450, 600, 950, 1100, 660];

/// What each square that a sliding piece attacks is worth, by movement: lances see little else than their own pawn.
const REACH: [i32; 10] = [0, 2, 0, 0, 6, 5, 0, 0, 4, 4];

/// What an attack on a square next to the enemy king, or on the king, is worth.
const ASSAULT: i32 = 22;

/// What the protection of a square next to the own king is worth.
const GUARD: i32 = 9;

/// The judgement for the first player.
pub(super) fn evaluate<G: Geometry>(board: &Board<G>) -> i32 {
    let tables = G::tables();
    // The king's own square is open to attack as well.
    let zones = Side::BOTH.map(|side| {
        let king = board.king_slot(side);
        tables.reach(side, Movement::King.index(), king) | G::bit(king)
    });
    let mut worth = Side::BOTH
        .map(|side| -> i32 { board.hand(side).iter().map(|(kind, count)| IN_HAND[kind.index()] * count as i32).sum() });
    board.occupied().each(|square| {
        let square = Square(square);
        let Some(piece) = board.piece(square) else { return };
        let attacks = board.attacks(piece, square);
        let us = piece.side.index();
        let mut value = ON_BOARD[piece.kind.index()];
        // Most pieces are far from both kings, and counting bits costs more than asking whether there are any.
        if attacks.meets(zones[1 - us]) {
            value += ASSAULT * (attacks & zones[1 - us]).count() as i32;
        }
        if attacks.meets(zones[us]) && piece.kind != Kind::King {
            value += GUARD * (attacks & zones[us]).count() as i32;
        }
        let reach = REACH[piece.kind.movement().index()];
        if reach > 0 {
            value += reach * attacks.count() as i32;
        }
        worth[us] += value;
    });
    worth[0] - worth[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Five, Nine, Setup};

    fn judge<G: Geometry>(sfen: &str) -> i32 {
        evaluate(&sfen.parse::<Setup<G>>().unwrap().board().unwrap())
    }

    #[test]
    fn both_starts_are_even() {
        assert_eq!(evaluate(&Board::<Nine>::start()), 0);
        assert_eq!(evaluate(&Board::<Five>::start()), 0);
    }

    #[test]
    fn material_outweighs_the_rest() {
        // A rook more, at the start and in hand.
        assert!(judge::<Nine>("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1") > 900);
        assert!(judge::<Five>("1bsgk/4p/5/P4/KGSBR b R 1") > 1800);
    }

    #[test]
    fn attackers_near_the_king_and_guards_count() {
        let far = judge::<Nine>("4k4/9/9/9/9/9/9/G8/4K4 b - 1");
        let guarding = judge::<Nine>("4k4/9/9/9/9/9/9/5G3/4K4 b - 1");
        let attacking = judge::<Nine>("4k4/9/5G3/9/9/9/9/9/4K4 b - 1");
        assert!(far < guarding && guarding < attacking, "{far} {guarding} {attacking}");
    }

    #[test]
    fn the_judgement_turns_with_the_board() {
        let one = judge::<Nine>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
        let other = judge::<Nine>("lkB4nl/8r/1sg5p/p1p2Bpp1/1Ps2p3/Pp4P1P/3s1PN2/KG1+p5/LN6L b GSN5Prg 1");
        assert_eq!(one, -other);
    }
}
