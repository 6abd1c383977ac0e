//! CSA game records: `+7776FU`.
//!
//! Written here because the published parser does not serve: `csa` 1.0.2 stops without a word at the first line that it
//! does not understand, does not say where an error is, and knows neither 5x5 boards, legality nor version 3.
//!
//! Read: versions 1 to 3, names, headers, every form of start position, moves, ends; several games in a file, separated
//! by `/`. Times and comments are passed over. Files may be in UTF-8 or Shift-JIS, with either kind of line ending. The
//! standard is for 9x9; minishogi is read and written by its rules on a smaller board, always with a full position.
//!
//! The well-known headers become the tags that PGN gives the same things ([`TAGS`]); others keep their names.
//! Players need not stop where our rules end a game, so the moves of a record may go on there: replay them with
//! [`EndRules::NONE`](super::EndRules::NONE).

use super::board::Board;
use super::game::ShogiGame;
use super::geometry::Geometry;
use super::hand::Hand;
use super::mv::Move;
use super::piece::{Kind, Piece};
use super::setup::Setup;
use super::square::Square;
use super::transcript::{self, End, Line, Transcript, one_line};
use tesuji_core::{GameRecord, ParseError, Side};

/// Headers and the tags that they become; the first name of each tag is written.
pub const TAGS: [(&str, &str); 7] = [
    ("EVENT", "Event"),
    ("SITE", "Site"),
    ("START_TIME", "Date"),
    ("END_TIME", "EndTime"),
    ("TIME_LIMIT", "TimeControl"),
    ("TIME", "TimeControl"),
    ("OPENING", "Opening"),
];

/// The players' tags, first player first.
const PLAYERS: [&str; 2] = ["Black", "White"];

/// The kinds, in the order of their numbers.
const NAMES: [&str; 14] = ["FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];

/// How games end; the first word of each end is written. Illegal actions name the side to blame and are not here.
const ENDS: [(&str, End); 13] = [
    ("TORYO", End::Resignation),
    ("TSUMI", End::Checkmate),
    ("TIME_UP", End::Time),
    ("ILLEGAL_MOVE", End::Illegal),
    ("KACHI", End::Declaration),
    ("JISHOGI", End::Impasse),
    ("SENNICHITE", End::Repetition),
    ("MAX_MOVES", End::MoveLimit),
    ("HIKIWAKE", End::Draw),
    ("CHUDAN", End::Interrupted),
    ("FUZUMI", End::Interrupted),
    ("MATTA", End::Interrupted),
    ("ERROR", End::Interrupted),
];

/// Reads the games of a file.
///
/// # Errors
/// If the file is not made of CSA records of this game, or a move is illegal and the record does not say that it lost;
/// the error names the line.
pub fn read<G: Geometry>(game: &ShogiGame<G>, bytes: &[u8]) -> Result<Vec<GameRecord>, ParseError> {
    const KIND: &str = "CSA";
    let text = transcript::decode(KIND, bytes)?;
    let mut games = Vec::new();
    let mut reader = Reader::new(game);
    let mut last = Line { kind: KIND, number: 1, text: "" };
    for (number, text) in text.lines().enumerate() {
        let line = Line { kind: KIND, number: number + 1, text: text.trim_end() };
        last = line;
        match line.text.as_bytes() {
            [] | [b'\'' | b'V', ..] => {}
            b"/" => games.extend(std::mem::replace(&mut reader, Reader::new(game)).finish(&line)?),
            // Headers and names may contain commas.
            [b'N' | b'$' | b'P', ..] => reader.read_head(&line)?,
            _ => {
                // Several statements may share a line; a comment is the last of them.
                for text in line.text.split(',').take_while(|text| !text.starts_with('\'')) {
                    reader.read_statement(&Line { text, ..line })?;
                }
            }
        }
    }
    games.extend(reader.finish(&last)?);
    if games.is_empty() { Err(last.wrong("no game")) } else { Ok(games) }
}

/// One game that is being read.
struct Reader<'a, G: Geometry> {
    game: &'a ShogiGame<G>,
    tags: Vec<(String, String)>,
    setup: Setup<G>,
    /// Whether a start position was given.
    has_position: bool,
    transcript: Option<Transcript<G>>,
}

impl<'a, G: Geometry> Reader<'a, G> {
    fn new(game: &'a ShogiGame<G>) -> Reader<'a, G> {
        Reader { game, tags: Vec::new(), setup: Setup::default(), has_position: false, transcript: None }
    }

    fn read_head(&mut self, line: &Line<'_>) -> Result<(), ParseError> {
        if self.transcript.is_some() {
            return Err(line.wrong("headers come before the side to move"));
        }
        let (kind, rest) = line.text.split_at(1);
        match kind {
            "N" => {
                let name = |text: &str| text.trim().to_owned();
                match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
                    (Some(black), _) => self.tags.push((PLAYERS[0].to_owned(), name(black))),
                    (_, Some(white)) => self.tags.push((PLAYERS[1].to_owned(), name(white))),
                    _ => return Err(line.wrong("expected N+ or N-")),
                }
            }
            "$" => {
                let (key, value) = rest.split_once(':').ok_or_else(|| line.wrong("expected $KEY:VALUE"))?;
                let tag = TAGS.iter().find(|(header, _)| *header == key).map_or(key, |(_, tag)| tag);
                self.tags.push((tag.to_owned(), value.trim().to_owned()));
            }
            _ => {
                self.read_position(rest, line)?;
                self.has_position = true;
            }
        }
        Ok(())
    }

    /// Reads what stands behind `P`.
    fn read_position(&mut self, text: &str, line: &Line<'_>) -> Result<(), ParseError> {
        let wrong = |problem: &str| line.wrong(problem);
        let (kind, rest) = text.split_at_checked(1).ok_or_else(|| wrong("expected PI, P1 to P9, P+ or P-"))?;
        match kind.as_bytes() {
            b"I" => {
                self.setup = Setup::of(&Board::start(), 1);
                // Pieces taken off: a handicap.
                for (square, kind) in read_pieces::<G>(rest, line)? {
                    let square = square.ok_or_else(|| wrong("no such square"))?;
                    let found = self.setup.piece(square).is_some_and(|piece| Some(piece.kind) == kind);
                    if !found {
                        return Err(wrong("there is no such piece to take off"));
                    }
                    self.setup.put(square, None);
                }
            }
            &[digit @ b'1'..=b'9'] => self.read_rank(digit - b'1', rest, line)?,
            b"+" | b"-" => {
                let side = if kind == "+" { Side::First } else { Side::Second };
                for (square, kind) in read_pieces::<G>(rest, line)? {
                    match (square, kind) {
                        (Some(square), Some(kind)) => self.setup.put(square, Some(Piece::new(side, kind))),
                        (None, Some(kind)) => {
                            let hand = &mut self.setup.hands[side.index()];
                            *hand = hand.with(kind, hand.count(kind) + 1).ok_or_else(|| wrong("too many in hand"))?;
                        }
                        (_, None) => self.setup.hands[side.index()] = self.remaining(side),
                    }
                }
            }
            _ => return Err(wrong("expected PI, P1 to P9, P+ or P-")),
        }
        Ok(())
    }

    /// Reads a rank: ` * ` or `+FU` for each file, from the left.
    fn read_rank(&mut self, rank: u8, text: &str, line: &Line<'_>) -> Result<(), ParseError> {
        for file in (0..G::SIZE).rev() {
            let square = G::square(file, rank).ok_or_else(|| line.wrong("there is no such rank"))?;
            let at = 3 * usize::from(G::SIZE - 1 - file);
            // The last cell may have lost its space at the end of the line.
            let cell = text.get(at..text.len().min(at + 3)).filter(|cell| !cell.is_empty());
            let cell = cell.ok_or_else(|| line.wrong("the rank is too short"))?;
            let piece = match cell.split_at_checked(1) {
                Some(("+", name)) => Some(Piece::new(Side::First, read_kind(name, line)?)),
                Some(("-", name)) => Some(Piece::new(Side::Second, read_kind(name, line)?)),
                _ if cell.trim() == "*" => None,
                _ => return Err(line.wrong(format!("{cell:?} is no piece"))),
            };
            self.setup.put(square, piece);
        }
        if text.len() > 3 * usize::from(G::SIZE) {
            return Err(line.wrong("the rank is too long"));
        }
        Ok(())
    }

    /// Every piece that is neither on the board nor in the opponent's hand, as `AL` gives to a side.
    fn remaining(&self, side: Side) -> Hand {
        let mut hand = Hand::EMPTY;
        for kind in Kind::IN_HAND {
            let on_board = G::squares()
                .filter(|&square| self.setup.piece(square).is_some_and(|piece| piece.kind.base() == kind))
                .count() as u32;
            let used = on_board + self.setup.hands[side.other().index()].count(kind);
            let left = G::PIECES[kind.index()].saturating_sub(used);
            hand = hand.with(kind, left).unwrap_or(hand);
        }
        hand
    }

    fn read_statement(&mut self, line: &Line<'_>) -> Result<(), ParseError> {
        let (sign, rest) = line.text.split_at_checked(1).ok_or_else(|| line.wrong("expected a statement"))?;
        match (sign, &mut self.transcript) {
            ("T", _) => Ok(()),
            ("+" | "-", None) if rest.is_empty() => {
                if !self.has_position {
                    return Err(line.wrong("no start position before the side to move"));
                }
                self.setup.turn = if sign == "+" { Side::First } else { Side::Second };
                let tags = std::mem::take(&mut self.tags);
                let transcript = Transcript::new(self.game, &self.setup, tags).map_err(|error| line.locate(&error))?;
                self.transcript = Some(transcript);
                Ok(())
            }
            ("+" | "-", Some(transcript)) => read_move(sign, rest, transcript, line),
            ("%", Some(transcript)) => {
                let mover = if transcript.board().turn() == Side::First { "+" } else { "-" };
                let end = match rest.split_at_checked(1) {
                    Some((blamed, "ILLEGAL_ACTION")) if blamed == mover => End::Illegal,
                    Some(("+" | "-", "ILLEGAL_ACTION")) => End::OpponentIllegal,
                    _ => {
                        let found = ENDS.into_iter().find(|(word, _)| *word == rest);
                        found.map(|(_, end)| end).ok_or_else(|| line.wrong("unknown end"))?
                    }
                };
                transcript.end(end, line)
            }
            ("+" | "-" | "%", None) => Err(line.wrong("the side to move must be given before the first move")),
            _ => Err(line.wrong("expected a statement of CSA's format")),
        }
    }

    /// The game, or `None` if there was nothing but comments.
    fn finish(self, line: &Line<'_>) -> Result<Option<GameRecord>, ParseError> {
        match self.transcript {
            Some(transcript) => transcript.finish(None).map(Some),
            None if self.has_position || !self.tags.is_empty() => Err(line.wrong("the side to move is missing")),
            None => Ok(None),
        }
    }
}

/// A piece in a list: its square, if it is not in hand, and its kind, if it does not stand for all that are left.
type Placed = (Option<Square>, Option<Kind>);

/// Reads pieces such as `82HI22KA00FU00AL`: no square for `00`, no kind for `AL`, which stands only in hand.
fn read_pieces<G: Geometry>(text: &str, line: &Line<'_>) -> Result<Vec<Placed>, ParseError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) =
            rest.split_at_checked(4).ok_or_else(|| line.wrong("expected a square and a piece, such as 82HI"))?;
        let (square, name) = piece.split_at_checked(2).ok_or_else(|| line.wrong("expected a square"))?;
        let square = if square == "00" { None } else { Some(read_square::<G>(square, line)?) };
        let kind = if name == "AL" && square.is_none() { None } else { Some(read_kind(name, line)?) };
        pieces.push((square, kind));
        rest = behind;
    }
    Ok(pieces)
}

fn read_square<G: Geometry>(text: &str, line: &Line<'_>) -> Result<Square, ParseError> {
    let [file @ b'1'..=b'9', rank @ b'1'..=b'9'] = *text.as_bytes() else {
        return Err(line.wrong(format!("{text:?} is no square")));
    };
    G::square(file - b'1', rank - b'1').ok_or_else(|| line.wrong(format!("{text:?} is not on this board")))
}

fn read_kind(name: &str, line: &Line<'_>) -> Result<Kind, ParseError> {
    let found = NAMES.iter().position(|known| *known == name).and_then(Kind::from_index);
    found.ok_or_else(|| line.wrong(format!("{name:?} is no piece")))
}

/// Reads what stands behind the sign of a move: the origin or `00`, the target, and the piece as it arrives.
fn read_move<G: Geometry>(
    sign: &str,
    text: &str,
    transcript: &mut Transcript<G>,
    line: &Line<'_>,
) -> Result<(), ParseError> {
    transcript.expect_move(line)?;
    let wrong = |problem: &str| line.wrong(problem);
    let mover = transcript.board().turn();
    if (sign == "+") != (mover == Side::First) {
        return Err(wrong("it is the other side's turn"));
    }
    let parts = text.split_at_checked(4).filter(|(squares, _)| squares.is_ascii());
    let (squares, name) = parts.ok_or_else(|| wrong("expected a move such as +7776FU"))?;
    let (from, to) = squares.split_at(2);
    let (to, kind) = (read_square::<G>(to, line)?, read_kind(name, line)?);
    let mv = if from == "00" {
        if !Kind::IN_HAND.contains(&kind) {
            return Err(wrong("that piece cannot be dropped"));
        }
        Move::drop(kind, to)
    } else {
        let from = read_square::<G>(from, line)?;
        let moved = transcript.board().piece(from).filter(|piece| piece.side == mover).map(|piece| piece.kind);
        let promote = match moved {
            Some(moved) if moved == kind => false,
            Some(moved) if moved.promoted() == Some(kind) => true,
            _ => return Err(wrong("there is no such piece on the origin")),
        };
        if from == to {
            return Err(wrong("the piece must move"));
        }
        Move::new(from, to, promote)
    };
    transcript.play(mv, line);
    Ok(())
}

/// Writes a game, with `\n` at the end of each line. Games in a file are separated by a line `/`.
///
/// # Errors
/// If the record is of another game or does not replay.
pub fn write<G: Geometry>(game: &ShogiGame<G>, record: &GameRecord) -> Result<String, ParseError> {
    let mut moves = String::new();
    let (start, last) = transcript::replay(game, record, |board, mv| {
        moves.push_str(&format_move(board, mv));
        moves.push('\n');
    })?;
    let mut text = String::from("V2.2\n");
    for (tag, value) in &record.tags {
        let value = one_line(value);
        if let Some(side) = PLAYERS.iter().position(|player| player == tag) {
            text.push_str(&format!("N{}{value}\n", ['+', '-'][side]));
        } else {
            let header = TAGS.iter().find(|(_, name)| name == tag).map_or(tag.as_str(), |(header, _)| header);
            text.push_str(&format!("${}:{value}\n", one_line(header).replace(':', "_")));
        }
    }
    push_position(&mut text, &Setup::of(start.board(), 1));
    text.push_str(&moves);
    let mover = last.turn();
    let end = match End::of(record.outcome, &record.ending, mover) {
        // Of two right words for a mate the common one: readers that do not know the other lose the result.
        End::Checkmate if !last.has_moves() => End::Resignation,
        // There is no word for players who do not appear; this one tells at least who lost.
        End::Forfeit => End::Resignation,
        end => end,
    };
    let word = ENDS.iter().find(|(_, known)| *known == end).map_or("CHUDAN", |(word, _)| word);
    let end =
        if end == End::OpponentIllegal { format!("{}ILLEGAL_ACTION", sign(mover.other())) } else { word.to_owned() };
    Ok(text + &format!("%{end}\n"))
}

const fn sign(side: Side) -> char {
    match side {
        Side::First => '+',
        Side::Second => '-',
    }
}

fn push_position<G: Geometry>(text: &mut String, setup: &Setup<G>) {
    if G::SIZE == 9 && setup.to_string() == G::START {
        text.push_str("PI\n+\n");
        return;
    }
    for rank in 0..G::SIZE {
        text.push_str(&format!("P{}", rank + 1));
        for file in (0..G::SIZE).rev() {
            match G::square(file, rank).and_then(|square| setup.piece(square)) {
                Some(piece) => text.push_str(&format!("{}{}", sign(piece.side), NAMES[piece.kind.index()])),
                None => text.push_str(" * "),
            }
        }
        text.push('\n');
    }
    for side in Side::BOTH {
        let hand = setup.hands[side.index()];
        if !hand.is_empty() {
            text.push_str(&format!("P{}", sign(side)));
            for (kind, count) in hand.iter() {
                text.push_str(&format!("00{}", NAMES[kind.index()]).repeat(count as usize));
            }
            text.push('\n');
        }
    }
    text.push_str(&format!("{}\n", sign(setup.turn)));
}

/// A legal move as CSA writes it.
pub fn format_move<G: Geometry>(board: &Board<G>, mv: Move) -> String {
    let name = |square: Square| format!("{}{}", G::file(square) + 1, G::rank(square) + 1);
    let moved = mv.from().and_then(|from| board.piece(from)).map(|piece| piece.kind);
    let arriving = match moved {
        Some(kind) if mv.is_promotion() => kind.promoted(),
        moved => moved.or(mv.dropped()),
    };
    let from = mv.from().map_or("00".to_owned(), name);
    let kind = arriving.map_or("", |kind| NAMES[kind.index()]);
    format!("{}{from}{}{kind}", sign(board.turn()), name(mv.to()))
}
