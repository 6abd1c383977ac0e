//! Sparse inputs for integer networks.
//!
//! Every piece is one input: on the board by kind, owner and square, in hand by kind, owner and number. All of them are
//! relative to where the own king stands. A side sees the board turned so that it plays towards rank 0, and mirrored so
//! that its king is on the first half of the files: the rules know no left and right.

use super::bits::Bits;
use super::board::Board;
use super::geometry::Geometry;
use super::piece::Kind;
use super::position::ShogiPosition;
use super::square::{MOST_SQUARES, Square};
use tesuji_core::{FeatureChanges, Features, Side};

/// The pieces by kind, owner and square, relative to the own king.
///
/// On the 5x5 board every square of the king has inputs of its own (15 after the mirror). On the 9x9 board there are
/// eight zones instead, and promoted pawns, lances, knights and silvers count as golds, which they move like.
#[derive(Clone, Copy, Debug)]
pub struct KingPieces;

/// Kinds of pieces that are told apart.
const SLOTS: usize = 10;

/// The kinds that are told apart, by the number of a kind: on the 5x5 board, and on the 9x9 board.
const SLOT: [[u8; 16]; 2] =
    [[0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 0, 0], [0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 6, 6, 8, 9, 0, 0]];

/// Squares as a side sees them, by [`View::number`]: on the 5x5 board, and on the 9x9 board.
static SEEN: [[[u8; MOST_SQUARES]; 4]; 2] = [seen(5), seen(9)];

const fn seen(size: usize) -> [[u8; MOST_SQUARES]; 4] {
    let mut seen = [[0; MOST_SQUARES]; 4];
    let mut view = 0;
    while view < 4 {
        let mut square = 0;
        while square < size * size {
            let turned = if view & 1 == 0 { square } else { size * size - 1 - square };
            let (file, rank) = (turned / size, turned % size);
            let file = if view & 2 == 0 { file } else { size - 1 - file };
            seen[view][square] = (file * size + rank) as u8;
            square += 1;
        }
        view += 1;
    }
    seen
}

/// The number of the board in the tables.
const fn board_number<G: Geometry>() -> usize {
    if G::LANCES_AND_KNIGHTS { 1 } else { 0 }
}

/// The pieces of a kind that can be in one hand, and the inputs of the kinds before it.
const fn in_hand<G: Geometry>(kind: usize) -> (usize, usize) {
    let (mut before, mut at) = (0, 0);
    while at < kind {
        before += G::PIECES[at] as usize;
        at += 1;
    }
    (G::PIECES[kind] as usize, before)
}

/// Inputs of one hand.
const fn hand_inputs<G: Geometry>() -> usize {
    let (count, before) = in_hand::<G>(Kind::Gold as usize);
    count + before
}

/// Inputs of the board, for one zone of the king.
const fn board_inputs<G: Geometry>() -> usize {
    2 * SLOTS * G::SQUARES
}

/// Inputs for one zone of the king.
const fn zone_inputs<G: Geometry>() -> usize {
    board_inputs::<G>() + 2 * hand_inputs::<G>()
}

/// Zones of the king.
const fn zones<G: Geometry>() -> usize {
    if G::LANCES_AND_KNIGHTS { 8 } else { 15 }
}

/// The zone of the king's square, as its side sees it after the mirror.
fn zone<G: Geometry>(square: usize) -> usize {
    if !G::LANCES_AND_KNIGHTS {
        return square;
    }
    let size = usize::from(G::SIZE);
    let (file, home) = (square / size, size - 1 - square % size);
    match (home, file) {
        (0, 0 | 1) => 0,
        (0, _) => file - 1,
        (1, 0 | 1) => 4,
        (1, 2) => 5,
        (1, _) => 6,
        _ => 7,
    }
}

/// How a side sees the board.
#[derive(Clone, Copy, PartialEq, Eq)]
struct View {
    /// Bit 0: turned; bit 1: mirrored.
    number: usize,
    /// The first input of the king's zone.
    base: usize,
    side: Side,
}

impl View {
    #[inline]
    fn of<G: Geometry>(board: &Board<G>, side: Side) -> View {
        let (turned, tables) = (side.index(), &SEEN[board_number::<G>()]);
        // Only in mate problems a king is missing.
        let king = board.king(side).map_or(0, |square| usize::from(tables[turned][square.index()]));
        let mirrored = king / usize::from(G::SIZE) > usize::from(G::SIZE) / 2;
        let number = turned | usize::from(mirrored) << 1;
        let king = board.king(side).map_or(0, |square| usize::from(tables[number][square.index()]));
        View { number, base: zone::<G>(king) * zone_inputs::<G>(), side }
    }

    /// The input of what stands on a square.
    #[inline]
    fn piece<G: Geometry>(self, code: u8, square: u8) -> u32 {
        let number = board_number::<G>();
        let theirs = usize::from(code >> 4 & 1) ^ self.side.index();
        let slot = usize::from(SLOT[number][usize::from(code & 15)]);
        let at = usize::from(SEEN[number][self.number][usize::from(square)]);
        (self.base + (slot * 2 + theirs) * G::SQUARES + at) as u32
    }

    /// The input of piece number `copy` of a kind in a hand.
    #[inline]
    fn hand<G: Geometry>(self, owner: Side, kind: Kind, copy: u32) -> u32 {
        let theirs = usize::from(owner != self.side);
        let at = theirs * hand_inputs::<G>() + in_hand::<G>(kind.index()).1 + copy as usize;
        (self.base + board_inputs::<G>() + at) as u32
    }
}

impl<G: Geometry> Features<ShogiPosition<G>> for KingPieces {
    fn name(&self) -> &'static str {
        "king-pieces"
    }

    fn inputs(&self) -> usize {
        zones::<G>() * zone_inputs::<G>()
    }

    fn most_active(&self) -> usize {
        G::PIECES.iter().sum::<u32>() as usize
    }

    #[inline]
    fn active(&self, position: &ShogiPosition<G>, side: Side, out: &mut Vec<u32>) {
        out.clear();
        let board = position.board();
        let view = View::of(board, side);
        let cells = board.codes().as_ref();
        board.occupied().each(|square| out.push(view.piece::<G>(cells[usize::from(square)], square)));
        for owner in Side::BOTH {
            let hand = board.hand(owner);
            if hand.is_empty() {
                continue;
            }
            for kind in Kind::IN_HAND {
                out.extend((0..hand.count(kind)).map(|copy| view.hand::<G>(owner, kind, copy)));
            }
        }
    }

    #[inline]
    fn changes(
        &self,
        before: &ShogiPosition<G>,
        after: &ShogiPosition<G>,
        side: Side,
        changes: &mut FeatureChanges,
    ) -> bool {
        let (before, after) = (before.board(), after.board());
        let view = View::of(after, side);
        if view != View::of(before, side) {
            return false;
        }
        // Whatever changes on a square changes whose it is: a piece leaves, arrives, or takes.
        let changed = (before.side(Side::First) ^ after.side(Side::First))
            | (before.side(Side::Second) ^ after.side(Side::Second));
        changed.each(|square| {
            let input = |board: &Board<G>| {
                let code = board.codes().as_ref()[usize::from(square)];
                board.piece(Square(square)).map(|_| view.piece::<G>(code, square))
            };
            changes.removed.extend(input(before));
            changes.added.extend(input(after));
        });
        for owner in Side::BOTH {
            let [old, new] = [before.hand(owner), after.hand(owner)];
            if old == new {
                continue;
            }
            for kind in Kind::IN_HAND {
                let (old, new) = (old.count(kind), new.count(kind));
                changes.removed.extend((new..old).map(|copy| view.hand::<G>(owner, kind, copy)));
                changes.added.extend((old..new).map(|copy| view.hand::<G>(owner, kind, copy)));
            }
        }
        true
    }

    fn shared_inputs(&self) -> usize {
        zone_inputs::<G>()
    }

    fn shared(&self, input: u32) -> u32 {
        input % zone_inputs::<G>() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::EndRules;
    use crate::{Five, Nine, Setup};
    use tesuji_core::Rules;

    /// What a side sees, in order.
    fn seen<G: Geometry>(sfen: &str, side: Side) -> Vec<u32> {
        let board = sfen.parse::<Setup<G>>().unwrap().board().unwrap();
        let position = ShogiPosition::new(board, 0, EndRules::of::<G>(Rules::Official));
        let mut out = Vec::new();
        KingPieces.active(&position, side, &mut out);
        out.sort_unstable();
        out
    }

    #[test]
    fn sizes_are_those_of_the_boards() {
        let sizes = |features: &dyn Features<ShogiPosition<Five>>| (features.inputs(), features.shared_inputs());
        assert_eq!(sizes(&KingPieces), (7800, 520));
        let sizes = |features: &dyn Features<ShogiPosition<Nine>>| (features.inputs(), features.shared_inputs());
        assert_eq!(sizes(&KingPieces), (13_568, 1696));
    }

    #[test]
    fn both_sides_see_the_same_where_the_board_is_turned() {
        let start = "rbsgk/4p/5/P4/KGSBR b - 1";
        assert_eq!(seen::<Five>(start, Side::First), seen::<Five>(start, Side::Second));
        let one = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let other = "lkB4nl/8r/1sg5p/p1p2Bpp1/1Ps2p3/Pp4P1P/3s1PN2/KG1+p5/LN6L b GSN5Prg 1";
        for side in Side::BOTH {
            assert_eq!(seen::<Nine>(one, side), seen::<Nine>(other, side.other()));
        }
    }

    #[test]
    fn a_mirrored_board_looks_the_same() {
        let one = "r1sgk/1b2p/5/5/KGSBR b P 1";
        let other = "kgs1r/p2b1/5/5/RBSGK b P 1";
        for side in Side::BOTH {
            assert_eq!(seen::<Five>(one, side), seen::<Five>(other, side));
        }
        assert_ne!(seen::<Five>(one, Side::First), seen::<Five>(&other.replace("RBSGK", "RBS1K"), Side::First));
    }

    #[test]
    fn pieces_in_hand_are_counted() {
        let none = seen::<Five>("4k/5/5/5/K4 b - 1", Side::First);
        let two = seen::<Five>("4k/5/5/5/K4 b 2Sb 1", Side::First);
        assert_eq!((none.len(), two.len()), (2, 5));
        assert!(none.iter().all(|input| two.contains(input)));
    }
}
