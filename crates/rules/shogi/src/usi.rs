//! USI moves: `7g7f`, `8h2b+`, `P*5e`.

use super::geometry::Geometry;
use super::mv::Move;
use super::piece::Kind;
use super::square::Square;
use tesuji_core::MoveError;

/// A square as USI writes it: the file's number and the rank's letter.
pub fn format_square<G: Geometry>(square: Square) -> String {
    format!("{}{}", G::file(square) + 1, char::from(b'a' + G::rank(square)))
}

/// A move in USI notation.
pub fn format_move<G: Geometry>(mv: Move) -> String {
    let to = format_square::<G>(mv.to());
    match (mv.dropped(), mv.from()) {
        (Some(kind), _) => format!("{}*{to}", kind.letter()),
        (None, from) => {
            let from = from.map(format_square::<G>).unwrap_or_default();
            format!("{from}{to}{}", if mv.is_promotion() { "+" } else { "" })
        }
    }
}

/// Reads a move in USI notation, legal or not.
///
/// # Errors
/// If the text is not a move on this board.
pub fn parse_move<G: Geometry>(text: &str) -> Result<Move, MoveError> {
    let wrong = |problem: &str| MoveError::malformed(text, problem);
    let square = |file: u8, rank: u8| {
        file.checked_sub(b'1')
            .zip(rank.checked_sub(b'a'))
            .and_then(|(file, rank)| G::square(file, rank))
            .ok_or_else(|| wrong(&format!("squares are 1a to {}", format_square::<G>(Square(G::SQUARES as u8 - 1)))))
    };
    match *text.as_bytes() {
        [letter, b'*', file, rank] => {
            let kind = Kind::from_letter(char::from(letter))
                .filter(|&kind| kind != Kind::King && G::PIECES[kind.index()] > 0)
                .ok_or_else(|| wrong("no such piece to drop"))?;
            Ok(Move::drop(kind, square(file, rank)?))
        }
        [file, rank, to_file, to_rank, ref rest @ ..] if matches!(rest, [] | [b'+']) => {
            let (from, to) = (square(file, rank)?, square(to_file, to_rank)?);
            if from == to { Err(wrong("the piece must move")) } else { Ok(Move::new(from, to, !rest.is_empty())) }
        }
        _ => Err(wrong("expected a move such as 2d2c, 2d2c+ or P*2c")),
    }
}
