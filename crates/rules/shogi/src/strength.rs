//! What single moves are worth: the reward table of the paper on tree search and deep Q-learning, and strengths for
//! playouts.

use super::bits::Bits;
use super::board::Board;
use super::geometry::Geometry;
use super::heuristic::ON_BOARD;
use super::mv::Move;
use super::piece::{Kind, Movement, Piece};

/// The paper's reward for capturing a piece, in the order of the kinds' numbers (its table 2).
///
/// The table has a second row for gold, bishop and rook, 8.7, with "no promotion" for gold.
pub const CAPTURE_REWARD: [f32; 14] = [6.6, 7.7, 7.7, 7.7, 8.3, 8.3, 8.3, 10.0, 8.0, 8.0, 8.0, 8.0, 8.7, 8.7];

/// The reward of deep Q-learning for capturing a piece, in the order of the kinds' numbers. The paper says only that
/// they range from 1 to 16 by piece; these are the usual relative values within that range.
pub const CAPTURE: [f32; 14] = [1.0, 3.0, 4.0, 5.0, 8.0, 10.0, 6.0, 0.0, 7.0, 6.0, 6.0, 6.0, 14.0, 16.0];

/// The paper's reward for giving check.
pub const CHECK_REWARD: f32 = 9.1;

/// The paper's reward for mate.
pub const MATE_REWARD: f32 = 10.0;

/// What promoting adds to the reward of a move.
pub const PROMOTION_REWARD: f32 = 2.0;

/// What the paper gives a legal move when it judges a simulation that is cut short.
///
/// Capture, check and mate do not add up: the greatest counts, as the table is one list of how good a move is.
/// Promoting adds to it "irrespective of whether it captures".
pub fn reward<G: Geometry>(board: &Board<G>, mv: Move) -> f32 {
    let captured = if mv.is_drop() { None } else { board.piece(mv.to()) };
    let mut best = captured.map_or(0.0, |piece| CAPTURE_REWARD[piece.kind.index()]);
    let mut after = *board;
    after.play(mv);
    if after.in_check() {
        best = best.max(if after.has_moves() { CHECK_REWARD } else { MATE_REWARD });
    }
    if mv.is_promotion() { best + PROMOTION_REWARD } else { best }
}

/// How strong a legal move looks, 1 for an ordinary one: playouts draw moves in proportion.
///
/// The cited work learns such strengths from games, and so does `tesuji strengths` for [`FEATURES`]; these are ours, set by
/// hand, for whoever has no games: a few features that multiply,
/// what is captured and whether by something cheaper, promotion, check by the moved piece, a valuable piece that leaves
/// an attack, a drop next to the enemy king. Discovered checks are not looked for: that would cost more than it gives.
pub fn move_strength<G: Geometry>(board: &Board<G>, mv: Move) -> f32 {
    let us = board.turn();
    let them = us.other();
    let moved = mv.from().and_then(|from| board.piece(from)).map(|piece| piece.kind);
    let mut strength = 1.0;
    if let (Some(moved), Some(captured)) = (moved, board.piece(mv.to())) {
        // A pawn counts 1, a rook 10.
        strength *= 2.0 + ON_BOARD[captured.kind.index()] as f32 / 100.0;
        if ON_BOARD[moved.index()] < ON_BOARD[captured.kind.index()] {
            strength *= 2.0;
        }
    }
    if mv.is_promotion() {
        strength *= 4.0;
    }
    let Some(kind) = moved.map(|kind| kind.promoted().filter(|_| mv.is_promotion()).unwrap_or(kind)).or(mv.dropped())
    else {
        return strength;
    };
    let king = board.king_slot(them);
    let tables = G::tables();
    // On an empty board first: most moves do not even point at the king.
    if kind != Kind::King
        && tables.reach(us, kind.movement().index(), mv.to()).meets(G::bit(king))
        && board.attacks(Piece::new(us, kind), mv.to()).meets(G::bit(king))
    {
        strength *= 3.0;
    }
    match mv.from() {
        None if tables.reach(them, Movement::King.index(), king).meets(G::bit(mv.to())) => strength *= 2.0,
        Some(from)
            if ON_BOARD[kind.base().index()] >= ON_BOARD[Kind::Silver.index()]
                && !board.attackers_of(from, them).is_empty() =>
        {
            strength *= 2.0;
        }
        _ => {}
    }
    strength
}

/// The features of moves that strengths can be learned for: what is taken, by the kinds' numbers, then those of
/// [`features`].
pub const FEATURES: &[&str] = &[
    "takes a pawn",
    "takes a lance",
    "takes a knight",
    "takes a silver",
    "takes a bishop",
    "takes a rook",
    "takes a gold",
    "takes a king",
    "takes a promoted pawn",
    "takes a promoted lance",
    "takes a promoted knight",
    "takes a promoted silver",
    "takes a promoted bishop",
    "takes a promoted rook",
    "takes something dearer",
    "promotes",
    "gives check",
    "drops",
    "drops beside the enemy king",
    "leaves an attack",
    "goes where it is attacked",
    "moves the king",
];

/// Where the features behind those of captures begin in [`FEATURES`].
const OTHERS: usize = 14;

/// The features of a legal move, as bits by their places in [`FEATURES`]. Checks are those of the moved piece itself.
pub fn features<G: Geometry>(board: &Board<G>, mv: Move) -> u64 {
    let us = board.turn();
    let them = us.other();
    let moved = mv.from().and_then(|from| board.piece(from)).map(|piece| piece.kind);
    let captured = moved.and_then(|_| board.piece(mv.to())).map(|piece| piece.kind);
    let kind = moved.map(|kind| kind.promoted().filter(|_| mv.is_promotion()).unwrap_or(kind)).or(mv.dropped());
    let Some(kind) = kind else { return 0 };
    let king = board.king_slot(them);
    let tables = G::tables();
    let beside_king = tables.reach(them, Movement::King.index(), king).meets(G::bit(mv.to()));
    // On an empty board first: most moves do not even point at the king.
    let checks = kind != Kind::King
        && tables.reach(us, kind.movement().index(), mv.to()).meets(G::bit(king))
        && board.attacks(Piece::new(us, kind), mv.to()).meets(G::bit(king));
    let dearer = |(moved, captured): (Kind, Kind)| ON_BOARD[moved.index()] < ON_BOARD[captured.index()];
    let others = [
        moved.zip(captured).is_some_and(dearer),
        mv.is_promotion(),
        checks,
        mv.is_drop(),
        mv.is_drop() && beside_king,
        mv.from().is_some_and(|from| !board.attackers_of(from, them).is_empty()),
        !board.attackers_of(mv.to(), them).is_empty(),
        kind == Kind::King,
    ];
    let bits = captured.map_or(0, |kind| 1 << kind.index());
    (OTHERS..).zip(others).fold(bits, |bits, (place, holds)| bits | u64::from(holds) << place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Nine, Setup, usi};

    fn board(sfen: &str) -> Board<Nine> {
        sfen.parse::<Setup<Nine>>().unwrap().board().unwrap()
    }

    fn mv(text: &str) -> Move {
        usi::parse_move::<Nine>(text).unwrap()
    }

    #[test]
    fn rewards_are_the_papers() {
        let start = Board::<Nine>::start();
        assert_eq!(reward(&start, mv("7g7f")), 0.0);
        let opened = board("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3");
        // The bishop takes a bishop, promotes, and does not give check.
        assert_eq!(reward(&opened, mv("8h2b+")), 8.3 + 2.0);
        assert_eq!(reward(&opened, mv("8h2b")), 8.3);
        assert_eq!(reward(&opened, mv("8h3c+")), 9.1 + 2.0, "check beside a quiet promotion");
        // A gold before the king, protected by a pawn: mate.
        assert_eq!(reward(&board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), mv("G*5b")), 10.0);
        assert_eq!(reward(&board("4k4/9/9/9/4R4/9/4p4/9/4K4 w - 1"), mv("5g5h+")), 9.1 + 2.0);
    }

    #[test]
    fn moves_have_the_features_that_they_show() {
        let named = |board: &Board<Nine>, text: &str| -> Vec<&str> {
            let bits = features(board, mv(text));
            FEATURES.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1).map(|(_, name)| *name).collect()
        };
        let opened = board("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3");
        assert!(named(&opened, "2g2f").is_empty());
        let attacked = ["leaves an attack", "goes where it is attacked"];
        assert_eq!(named(&opened, "8h2b+"), [&["takes a bishop", "promotes"][..], &attacked].concat());
        assert!(named(&opened, "8h3c+").contains(&"gives check"));
        let near = board("4k4/9/9/9/9/9/9/9/4K4 b S 1");
        let beside = ["drops", "drops beside the enemy king", "goes where it is attacked"];
        assert_eq!(named(&near, "S*5b"), [&["gives check"][..], &beside].concat());
        assert_eq!(named(&near, "S*9i"), ["drops"]);
        assert_eq!(named(&near, "5i4i"), ["moves the king"]);
        let cheap = board("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1");
        assert!(named(&cheap, "5f5e").contains(&"takes something dearer"));
        assert_eq!(FEATURES.len(), OTHERS + 8);
    }

    #[test]
    fn strong_moves_look_stronger() {
        let opened = board("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3");
        let quiet = move_strength(&opened, mv("2g2f"));
        assert_eq!(quiet, 1.0);
        let takes = move_strength(&opened, mv("8h2b"));
        assert!(takes > quiet && move_strength(&opened, mv("8h2b+")) > takes);
        // Check from the next square, beside the king without check, far away.
        let near = board("4k4/9/9/9/9/9/9/9/4K4 b S 1");
        assert!(move_strength(&near, mv("S*5b")) > move_strength(&near, mv("S*4a")));
        assert!(move_strength(&near, mv("S*4a")) > move_strength(&near, mv("S*9i")));
        // A rook that is attacked by a pawn had better go.
        let attacked = board("4k4/9/9/9/4p4/4R4/9/9/4K4 b - 1");
        assert!(move_strength(&attacked, mv("5f9f")) > 1.0);
    }
}
