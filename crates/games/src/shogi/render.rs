//! The board for a terminal.

use super::geometry::Geometry;
use super::hand::Hand;
use super::piece::{Kind, Piece};
use super::position::ShogiPosition;
use tesuji_core::{Position, Side, Style};

/// The kinds as one character each, in the order of their numbers.
const KANJI: [char; 14] = ['歩', '香', '桂', '銀', '角', '飛', '金', '玉', 'と', '杏', '圭', '全', '馬', '龍'];

/// The board with its coordinates, the hands above and below it, and who is to move.
///
/// Letters are SFEN's: the first player's in upper case, promoted ones behind a `+`. Kanji of the second player stand
/// behind a `v`.
pub(super) fn render<G: Geometry>(position: &ShogiPosition<G>, style: Style) -> String {
    let board = position.board();
    let mut text = format!("{}\n\n", hand_line(Side::Second, board.hand(Side::Second), style));
    for rank in 0..G::SIZE {
        for file in (0..G::SIZE).rev() {
            let piece = G::square(file, rank).and_then(|square| board.piece(square));
            text.push(' ');
            text.push_str(&cell(piece, style));
        }
        text.push_str(&format!("  {}\n", char::from(b'a' + rank)));
    }
    for file in (1..=G::SIZE).rev() {
        // Kanji take two columns.
        text.push_str(&format!("{file:>width$}", width = if style.kanji { 4 } else { 3 }));
    }
    text.push_str(&format!("\n\n{}\n", hand_line(Side::First, board.hand(Side::First), style)));
    let mover = match position.mover() {
        Side::First => "black",
        Side::Second => "white",
    };
    text.push_str(&format!("{mover} to move"));
    if position.in_check() {
        text.push_str(", in check");
    }
    text
}

/// One square: two columns of letters, three of kanji.
fn cell(piece: Option<Piece>, style: Style) -> String {
    let Some(piece) = piece else {
        return if style.kanji { " ・".to_owned() } else { " .".to_owned() };
    };
    let name = if style.kanji {
        let mark = if piece.side == Side::First { ' ' } else { 'v' };
        format!("{mark}{}", KANJI[piece.kind.index()])
    } else {
        format!("{:>2}", piece.sfen())
    };
    colored(name, piece, style)
}

fn colored(name: String, piece: Piece, style: Style) -> String {
    let code = match (style.color, piece.side, piece.kind.is_promoted()) {
        (false, ..) => return name,
        (true, Side::First, false) => "1;37",
        (true, Side::First, true) => "1;31",
        (true, Side::Second, false) => "36",
        (true, Side::Second, true) => "35",
    };
    format!("\x1b[{code}m{name}\x1b[0m")
}

fn hand_line(side: Side, hand: Hand, style: Style) -> String {
    let (name, mark) = match side {
        Side::First => ("black", '☗'),
        Side::Second => ("white", '☖'),
    };
    // The most valuable pieces first, as they are announced.
    let order = [Kind::Rook, Kind::Bishop, Kind::Gold, Kind::Silver, Kind::Knight, Kind::Lance, Kind::Pawn];
    let pieces: Vec<String> = order
        .into_iter()
        .filter(|&kind| hand.has(kind))
        .map(|kind| {
            let name = if style.kanji { KANJI[kind.index()].to_string() } else { Piece::new(side, kind).sfen() };
            match hand.count(kind) {
                1 => name,
                count => format!("{name}x{count}"),
            }
        })
        .collect();
    let pieces = if pieces.is_empty() { "-".to_owned() } else { pieces.join(" ") };
    if style.kanji { format!("{mark} {pieces}") } else { format!("{name}'s hand: {pieces}") }
}
