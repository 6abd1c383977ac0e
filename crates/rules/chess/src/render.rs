//! The board for a terminal.

use super::position::ChessPosition;
use shakmaty::{Color, File, Piece, Rank, Role, Square};
use std::fmt::Write;
use tesuji_core::Style;

/// The board with White at the bottom: letters as in FEN, or figurines on coloured squares.
pub(super) fn render(position: &ChessPosition, style: Style) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        let _ = write!(text, "{} ", rank.char());
        for file in File::ALL {
            let square = Square::from_coords(file, rank);
            let piece = position.board().piece_at(square);
            if style.color {
                text.push_str(&colored(square, piece));
            } else {
                let _ = write!(text, " {}", piece.map_or('.', Piece::char));
            }
        }
        text.push('\n');
    }
    text + if style.color { "   a  b  c  d  e  f  g  h" } else { "   a b c d e f g h" }
}

/// A square three columns wide. Both sides use the solid figurines, told apart by colour: the outlined ones are hard
/// to make out on a coloured square.
fn colored(square: Square, piece: Option<Piece>) -> String {
    let background = if square.is_light() { "48;5;180" } else { "48;5;137" };
    match piece {
        None => format!("\x1b[{background}m   \x1b[0m"),
        Some(Piece { color, role }) => {
            let foreground = match color {
                Color::White => "1;38;5;231",
                Color::Black => "38;5;16",
            };
            // U+FE0E keeps terminals from drawing the pawn as an emoji.
            let figurine = match role {
                Role::Pawn => "\u{265f}\u{fe0e}",
                Role::Knight => "\u{265e}",
                Role::Bishop => "\u{265d}",
                Role::Rook => "\u{265c}",
                Role::Queen => "\u{265b}",
                Role::King => "\u{265a}",
            };
            format!("\x1b[{background};{foreground}m {figurine} \x1b[0m")
        }
    }
}
