//! The board to be drawn, moves as gestures, and moves as people write them.

use super::geometry::Geometry;
use super::kanji::{DIAGRAM, HAND_ORDER, KANJI_DIGITS, NAMES, WIDE_DIGITS};
use super::mv::Move;
use super::piece::Kind;
use super::position::ShogiPosition;
use super::square::Square;
use super::usi::format_square;
use tesuji_core::scene::{Board, Hand, InHand, Look, Mark, MarkKind, Piece, Scene, Step};
use tesuji_core::{MoveList, Position, Side};

/// The name of the unpromoted kind.
const fn word(kind: Kind) -> &'static str {
    ["pawn", "lance", "knight", "silver", "bishop", "rook", "gold", "king"][kind.base().index()]
}

/// The board with the first player at the bottom, and both hands.
pub(super) fn scene<G: Geometry>(position: &ShogiPosition<G>) -> Scene {
    let size = usize::from(G::SIZE);
    let name = |column: usize, row: usize| format!("{}{}", size - column, char::from(b'a' + row as u8));
    let columns = (1..=size).rev().map(|file| file.to_string()).collect();
    let rows = KANJI_DIGITS[..size].iter().map(char::to_string).collect();
    let mut scene = Scene::of(vec![Board::plain("board", Look::Wood, columns, rows, name)]);
    let board = position.board();
    scene.pieces = board
        .pieces()
        .map(|(square, piece)| Piece {
            promoted: piece.kind.is_promoted(),
            ..Piece::new(
                format_square::<G>(square),
                piece.side.index(),
                word(piece.kind),
                DIAGRAM[piece.kind.index()].to_string(),
            )
        })
        .collect();
    scene.hands = Side::BOTH
        .map(|side| {
            let hand = board.hand(side);
            let pieces = HAND_ORDER.into_iter().filter(|&kind| hand.has(kind)).map(|kind| InHand {
                kind: word(kind),
                text: DIAGRAM[kind.index()].to_string(),
                count: hand.count(kind),
            });
            Hand { owner: side.index(), pieces: pieces.collect() }
        })
        .into();
    if let Some(king) = board.king(position.mover()).filter(|_| position.in_check()) {
        scene.marks.push(Mark { kind: MarkKind::Check, cells: vec![format_square::<G>(king)] });
    }
    if position.occurrences() > 1 {
        scene.notes.push(format!("this position has occurred {} times", position.occurrences()));
    }
    scene
}

/// Two cells, or a piece in hand and a cell; promotion is asked where there is a choice.
pub(super) fn steps<G: Geometry>(mv: Move, moves: &[Move]) -> Vec<Step> {
    let to = Step::cell(format_square::<G>(mv.to()));
    let Some(from) = mv.from() else {
        return vec![Step::hand(mv.dropped().map_or("", word)), to];
    };
    let mut steps = vec![Step::cell(format_square::<G>(from)), to];
    if moves.contains(&Move::new(from, mv.to(), !mv.is_promotion())) {
        steps.push(Step::choice(if mv.is_promotion() { "promote" } else { "keep" }));
    }
    steps
}

/// The move in Japanese: `☗７六歩`, `☖８八角成`, `☗５五銀(46)` where another silver could go there too.
pub(super) fn notation<G: Geometry>(position: &ShogiPosition<G>, mv: Move) -> String {
    let mark = if position.mover() == Side::First { '☗' } else { '☖' };
    let digits = |square: Square| (usize::from(G::file(square)), usize::from(G::rank(square)));
    let (file, rank) = digits(mv.to());
    let to = format!("{mark}{}{}", WIDE_DIGITS[file], KANJI_DIGITS[rank]);
    let kind_at = |square: Square| position.board().piece(square).map(|piece| piece.kind);
    let mut moves = MoveList::new();
    position.movements(&mut moves);
    let arrives = |kind: Kind, but: Option<Square>| {
        let other = |other: &Move| other.to() == mv.to() && other.from() != but;
        moves.iter().filter(|&mv| other(mv)).any(|other| other.from().and_then(kind_at) == Some(kind))
    };
    match (mv.dropped(), mv.from()) {
        (Some(kind), _) => {
            let dropped = if arrives(kind, None) { "打" } else { "" };
            format!("{to}{}{dropped}", NAMES[kind.index()])
        }
        (None, from) => {
            let (Some(from), Some(kind)) = (from, from.and_then(kind_at)) else { return to };
            let promotion = match () {
                () if mv.is_promotion() => "成",
                () if moves.contains(&Move::new(from, mv.to(), true)) => "不成",
                () => "",
            };
            let (file, rank) = digits(from);
            let origin = if arrives(kind, Some(from)) { format!("({}{})", file + 1, rank + 1) } else { String::new() };
            format!("{to}{}{promotion}{origin}", NAMES[kind.index()])
        }
    }
}
