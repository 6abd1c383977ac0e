//! SFEN, the position notation of shogi programs: ranks from the second player's side, each from the left; the side
//! to move; the hands; the move number (optional when read).

use super::board::Board;
use super::geometry::Geometry;
use super::hand::Hand;
use super::piece::{Kind, Piece};
use super::setup::Setup;
use super::square::Square;
use std::fmt;
use std::str::FromStr;
use tesuji_core::{ParseError, Place, Side};

/// The order in which hands are written.
const HAND_ORDER: [Kind; 7] =
    [Kind::Rook, Kind::Bishop, Kind::Gold, Kind::Silver, Kind::Knight, Kind::Lance, Kind::Pawn];

/// The largest move number that is read: far above any game, far below any overflow.
const LAST_NUMBER: u32 = 1_000_000;

impl<G: Geometry> Board<G> {
    /// The start of the game, which its geometry gives in SFEN.
    pub fn start() -> Board<G> {
        let setup: Setup<G> = G::START.parse().expect("the start is well-formed");
        setup.board().expect("the start is a possible position")
    }
}

impl<G: Geometry> fmt::Display for Setup<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 0..G::SIZE {
            if rank > 0 {
                f.write_str("/")?;
            }
            let mut empty = 0;
            for file in (0..G::SIZE).rev() {
                match self.piece(Square(file * G::SIZE + rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            write!(f, "{empty}")?;
                        }
                        empty = 0;
                        f.write_str(&piece.sfen())?;
                    }
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
        }
        f.write_str(match self.turn {
            Side::First => " b ",
            Side::Second => " w ",
        })?;
        for side in Side::BOTH {
            for kind in HAND_ORDER {
                match self.hands[side.index()].count(kind) {
                    0 => {}
                    1 => f.write_str(&Piece::new(side, kind).sfen())?,
                    count => write!(f, "{count}{}", Piece::new(side, kind).sfen())?,
                }
            }
        }
        if self.hands.iter().all(|hand| hand.is_empty()) {
            f.write_str("-")?;
        }
        write!(f, " {}", self.number)
    }
}

impl<G: Geometry> FromStr for Setup<G> {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Setup<G>, ParseError> {
        let mut fields = Fields { text, at: 0 };
        let board = fields.next().ok_or_else(|| fields.wrong(0, "the board is missing"))?;
        let turn = fields.next().ok_or_else(|| fields.wrong(text.len(), "the side to move is missing"))?;
        let hands = fields.next().ok_or_else(|| fields.wrong(text.len(), "the hands are missing"))?;
        let number = fields.next();

        let mut setup = Setup::default();
        parse_board(&mut setup, &fields, board)?;
        setup.turn = match &text[turn.0..turn.1] {
            "b" => Side::First,
            "w" => Side::Second,
            _ => return Err(fields.wrong(turn.0, "the side to move must be `b` or `w`")),
        };
        parse_hands(&mut setup, &fields, hands)?;
        if let Some((start, end)) = number {
            setup.number = text[start..end]
                .parse()
                .ok()
                .filter(|number| (1..=LAST_NUMBER).contains(number))
                .ok_or_else(|| fields.wrong(start, &format!("the move number must be from 1 to {LAST_NUMBER}")))?;
        }
        match fields.next() {
            Some((start, _)) => Err(fields.wrong(start, "nothing may follow the move number")),
            None => Ok(setup),
        }
    }
}

/// The fields between white space, as byte ranges, so that errors can say where they are.
struct Fields<'a> {
    text: &'a str,
    at: usize,
}

impl Fields<'_> {
    fn next(&mut self) -> Option<(usize, usize)> {
        let rest = &self.text[self.at..];
        let start = self.at + rest.find(|c: char| !c.is_whitespace())?;
        let rest = &self.text[start..];
        let end = start + rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at = end;
        Some((start, end))
    }

    /// An error at a byte of the text, counted in characters from 1.
    fn wrong(&self, byte: usize, problem: &str) -> ParseError {
        let place = self.text[..byte].chars().count() + 1;
        ParseError::new("SFEN", self.text, problem).at(Place::Character(place))
    }
}

/// The piece of a letter; lower case is the second player's.
fn parse_letter(letter: char) -> Option<Piece> {
    let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
    Kind::from_letter(letter.to_ascii_uppercase()).map(|kind| Piece::new(side, kind))
}

fn parse_board<G: Geometry>(
    setup: &mut Setup<G>,
    fields: &Fields,
    (start, end): (usize, usize),
) -> Result<(), ParseError> {
    let size = G::SIZE;
    let (mut rank, mut taken, mut promoted) = (0, 0, false);
    for (at, letter) in fields.text[start..end].char_indices() {
        let wrong = |problem: &str| Err(fields.wrong(start + at, problem));
        if promoted && !letter.is_ascii_alphabetic() {
            return wrong("a piece must follow `+`");
        }
        match letter {
            '/' if taken < size => return wrong(&format!("rank {} has {taken} squares, not {size}", rank + 1)),
            '/' if rank + 1 == size => return wrong(&format!("more than {size} ranks")),
            '/' => (rank, taken) = (rank + 1, 0),
            '+' => promoted = true,
            '1'..='9' => {
                taken += letter as u8 - b'0';
                if taken > size {
                    return wrong(&format!("rank {} has more than {size} squares", rank + 1));
                }
            }
            _ => {
                let Some(mut piece) = parse_letter(letter).filter(|piece| G::PIECES[piece.kind.index()] > 0) else {
                    return wrong("no such piece");
                };
                if promoted {
                    let Some(kind) = piece.kind.promoted() else {
                        return wrong("this piece does not promote");
                    };
                    piece.kind = kind;
                    promoted = false;
                }
                if taken == size {
                    return wrong(&format!("rank {} has more than {size} squares", rank + 1));
                }
                taken += 1;
                // Ranks are written from the left, files counted from the right.
                setup.put(Square((size - taken) * size + rank), Some(piece));
            }
        }
    }
    if promoted {
        return Err(fields.wrong(end, "a piece must follow `+`"));
    }
    if taken < size {
        return Err(fields.wrong(end, &format!("rank {} has {taken} squares, not {size}", rank + 1)));
    }
    if rank + 1 < size {
        return Err(fields.wrong(end, &format!("the board has {} ranks, not {size}", rank + 1)));
    }
    Ok(())
}

fn parse_hands<G: Geometry>(
    setup: &mut Setup<G>,
    fields: &Fields,
    (start, end): (usize, usize),
) -> Result<(), ParseError> {
    let text = &fields.text[start..end];
    if text == "-" {
        return Ok(());
    }
    let mut count = None;
    for (at, letter) in text.char_indices() {
        let wrong = |problem: &str| Err(fields.wrong(start + at, problem));
        if let Some(digit) = letter.to_digit(10) {
            let number = count.unwrap_or(0) * 10 + digit;
            if number == 0 || number > G::PIECES[Kind::Pawn.index()] {
                return wrong("no hand has that many pieces of a kind");
            }
            count = Some(number);
            continue;
        }
        let Some(Piece { side, kind }) =
            parse_letter(letter).filter(|piece| piece.kind != Kind::King && G::PIECES[piece.kind.index()] > 0)
        else {
            return wrong("no such piece in hand");
        };
        let hand: &mut Hand = &mut setup.hands[side.index()];
        if hand.has(kind) {
            return wrong("this kind of piece was given before");
        }
        match hand.with(kind, count.take().unwrap_or(1)) {
            Some(more) => *hand = more,
            None => return wrong("no hand has that many pieces of this kind"),
        }
    }
    if count.is_some() {
        return Err(fields.wrong(end, "a piece must follow the number"));
    }
    Ok(())
}
