//! Forsyth-Edwards notation.

use super::board::Board;
use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, EnPassantMode, File, FromSetup, Piece, PositionErrorKinds, Rank, Role, Setup,
    Square,
};
use std::num::NonZeroU32;
use tesuji_core::{ParseError, Place};

/// Counters above this are damage: the longest possible game has fewer than 6000 moves.
const HIGHEST_COUNTER: u32 = 9999;

/// The position in FEN; the en passant square is given only if a capture there is legal.
pub fn format(board: &Board) -> String {
    Fen::from_position(&board.to_shakmaty(), EnPassantMode::Legal).to_string()
}

/// Reads a FEN, or the first four fields of one (EPD), whose counters are then 0 and 1.
///
/// # Errors
/// If a field is malformed, or the position is impossible: not one king a side, pawns on the first or last rank, more
/// pieces than promotions explain, castling rights without king and rook at home, an en passant square that no pawn
/// has just passed, the side not to move in check, or checks that no move can have given.
pub fn parse(text: &str) -> Result<Chess, ParseError> {
    let fields = Fields::split(text)?;
    let mut setup = Setup::empty();
    parse_board(&fields, &mut setup)?;
    setup.turn = match fields.get(1) {
        "w" => Color::White,
        "b" => Color::Black,
        _ => return Err(fields.error(1, 0, "the side to move is `w` or `b`")),
    };
    setup.castling_rights = parse_castling(&fields, &setup)?;
    setup.ep_square = match fields.get(3) {
        "-" => None,
        square => match Square::from_ascii(square.as_bytes()) {
            Ok(square) => Some(square),
            Err(_) => return Err(fields.error(3, 0, "the en passant square is `-` or a square such as `e3`")),
        },
    };
    if fields.count == 6 {
        setup.halfmoves = parse_counter(&fields, 4, "halfmove clock")?;
        // Some programs count the first move as 0.
        let fullmoves = parse_counter(&fields, 5, "move number")?;
        setup.fullmoves = NonZeroU32::new(fullmoves).unwrap_or(NonZeroU32::MIN);
    }
    let problem = describe(&setup);
    Chess::from_setup(setup, CastlingMode::Standard)
        .map_err(|error| ParseError::new("FEN", text, problem.unwrap_or_else(|| describe_kinds(error.kinds()))))
}

/// The fields of a FEN and where they start.
struct Fields<'a> {
    text: &'a str,
    fields: [(usize, &'a str); 6],
    count: usize,
}

impl<'a> Fields<'a> {
    fn split(text: &'a str) -> Result<Fields<'a>, ParseError> {
        let mut fields = Fields { text, fields: [(0, ""); 6], count: 0 };
        for field in text.split_ascii_whitespace() {
            if fields.count == fields.fields.len() {
                return Err(ParseError::new("FEN", text, "more than six fields"));
            }
            // `field` is a part of `text`, so the difference of their addresses is its offset.
            fields.fields[fields.count] = (field.as_ptr() as usize - text.as_ptr() as usize, field);
            fields.count += 1;
        }
        match fields.count {
            4 | 6 => Ok(fields),
            count => Err(ParseError::new(
                "FEN",
                text,
                format!(
                    "expected six fields (board, side to move, castling, en passant, two counters) or the first four, \
                     found {count}"
                ),
            )),
        }
    }

    fn get(&self, field: usize) -> &'a str {
        self.fields[field].1
    }

    /// An error at a byte of a field.
    fn error(&self, field: usize, byte: usize, problem: impl Into<String>) -> ParseError {
        let before = self.text[..self.fields[field].0].chars().count() + self.get(field)[..byte].chars().count();
        ParseError::new("FEN", self.text, problem).at(Place::Character(before + 1))
    }
}

fn parse_board(fields: &Fields<'_>, setup: &mut Setup) -> Result<(), ParseError> {
    let (mut rank, mut file) = (7, 0);
    let board = fields.get(0);
    for (byte, letter) in board.char_indices() {
        match letter {
            '/' if file != 8 => return Err(fields.error(0, byte, format!("rank {} has {file} squares", rank + 1))),
            '/' if rank == 0 => return Err(fields.error(0, byte, "more than eight ranks")),
            '/' => (rank, file) = (rank - 1, 0),
            '1'..='8' => file += u32::from(letter) - u32::from('0'),
            _ => {
                let Some(piece) = Piece::from_char(letter) else {
                    return Err(fields.error(0, byte, format!("no such piece {letter:?}")));
                };
                if file < 8 {
                    setup.board.set_piece_at(Square::from_coords(File::new(file), Rank::new(rank)), piece);
                }
                file += 1;
            }
        }
        if file > 8 {
            return Err(fields.error(0, byte, format!("rank {} has more than eight squares", rank + 1)));
        }
    }
    if (rank, file) != (0, 8) {
        let problem = format!("the board ends on rank {} after {file} squares", rank + 1);
        return Err(fields.error(0, board.len(), problem));
    }
    Ok(())
}

/// The castling rights as the squares of their rooks.
fn parse_castling(fields: &Fields<'_>, setup: &Setup) -> Result<Bitboard, ParseError> {
    let mut rights = Bitboard::EMPTY;
    if fields.get(2) == "-" {
        return Ok(rights);
    }
    for (byte, letter) in fields.get(2).char_indices() {
        let (rook, king) = match letter {
            'K' => (Square::H1, Square::E1),
            'Q' => (Square::A1, Square::E1),
            'k' => (Square::H8, Square::E8),
            'q' => (Square::A8, Square::E8),
            _ => return Err(fields.error(2, byte, "castling rights are `-` or letters of `KQkq`")),
        };
        let color = Color::from_white(letter.is_ascii_uppercase());
        let at = |square, role: Role| setup.board.piece_at(square) == Some(role.of(color));
        if !at(rook, Role::Rook) || !at(king, Role::King) {
            return Err(fields.error(2, byte, format!("`{letter}` needs a king on {king} and a rook on {rook}")));
        }
        if rights.contains(rook) {
            return Err(fields.error(2, byte, format!("`{letter}` is given twice")));
        }
        rights.add(rook);
    }
    Ok(rights)
}

fn parse_counter(fields: &Fields<'_>, field: usize, name: &str) -> Result<u32, ParseError> {
    let text = fields.get(field);
    // `parse` alone would take a plus sign.
    match text.parse::<u32>() {
        Ok(count) if count <= HIGHEST_COUNTER && text.starts_with(|c: char| c.is_ascii_digit()) => Ok(count),
        _ => Err(fields.error(field, 0, format!("the {name} is a whole number up to {HIGHEST_COUNTER}"))),
    }
}

/// What is impossible about the pieces, where it can be said more precisely than shakmaty does.
fn describe(setup: &Setup) -> Option<String> {
    for color in Color::ALL {
        let name = color.fold_wb("White", "Black");
        match setup.board.by_piece(color.king()).count() {
            0 => return Some(format!("{name} has no king")),
            1 => {}
            kings => return Some(format!("{name} has {kings} kings")),
        }
    }
    let stuck = (setup.board.pawns() & Bitboard::BACKRANKS).first()?;
    Some(format!("a pawn stands on {stuck}"))
}

fn describe_kinds(kinds: PositionErrorKinds) -> String {
    let problems = [
        (PositionErrorKinds::OPPOSITE_CHECK, "the side not to move is in check"),
        (PositionErrorKinds::INVALID_EP_SQUARE, "no pawn has just passed the en passant square"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "more pieces than promotions can explain"),
        (PositionErrorKinds::IMPOSSIBLE_CHECK, "no move can have given this check"),
    ];
    let known = problems.into_iter().find(|(kind, _)| kinds.contains(*kind));
    known.map_or("impossible position", |(_, problem)| problem).to_owned()
}
