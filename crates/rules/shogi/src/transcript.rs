//! What KIF and CSA records have in common: their encoding, how a game is built up line by line, and how games end.

use super::board::Board;
use super::game::ShogiGame;
use super::geometry::Geometry;
use super::mv::Move;
use super::position::ShogiPosition;
use super::setup::Setup;
use super::square::Square;
use encoding_rs::SHIFT_JIS;
use std::borrow::Cow;
use tesuji_core::{GameRecord, GameRules, Outcome, ParseError, Place, Position, Side, game};

/// Larger files are refused: a game with every move commented takes some hundred kilobytes.
pub const LONGEST_FILE: usize = 64 << 20;

/// The text of a file in UTF-8 or Shift-JIS, with or without a byte order mark.
///
/// # Errors
/// If the file is longer than [`LONGEST_FILE`] or in neither encoding.
pub fn decode<'a>(kind: &'static str, bytes: &'a [u8]) -> Result<Cow<'a, str>, ParseError> {
    if bytes.len() > LONGEST_FILE {
        return Err(ParseError::new(kind, "", format!("longer than {} MiB", LONGEST_FILE >> 20)));
    }
    let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(unmarked) {
        return Ok(Cow::Borrowed(text));
    }
    SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes).ok_or_else(|| {
        let line = 1 + bytes.iter().filter(|&&byte| byte == b'\n').count();
        ParseError::new(kind, "", format!("neither UTF-8 nor Shift-JIS ({line} lines)"))
    })
}

/// The text in Shift-JIS, which `.kif` and `.csa` files are in by custom.
///
/// # Errors
/// If a character does not exist in Shift-JIS.
pub fn to_shift_jis(text: &str) -> Result<Vec<u8>, ParseError> {
    let (bytes, _, lossy) = SHIFT_JIS.encode(text);
    if !lossy {
        return Ok(bytes.into_owned());
    }
    let missing = text.chars().find(|letter| SHIFT_JIS.encode(letter.encode_utf8(&mut [0; 4])).2);
    Err(ParseError::new("text", "", format!("{missing:?} does not exist in Shift-JIS")))
}

/// A line of a file, for errors.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub kind: &'static str,
    pub number: usize,
    pub text: &'a str,
}

impl Line<'_> {
    /// An error in this line.
    pub fn wrong(&self, problem: impl Into<String>) -> ParseError {
        ParseError::new(self.kind, self.text, problem).at(Place::Line(self.number))
    }

    /// The same line as the place of an error that was found without it.
    pub fn locate(&self, error: &impl ToString) -> ParseError {
        self.wrong(error.to_string())
    }
}

/// How a record says that the game ended; "mover" is the side whose turn it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The mover gave up.
    Resignation,
    /// The mover is mated.
    Checkmate,
    /// The mover's time ran out.
    Time,
    /// The mover made an illegal move, or is to blame for a perpetual check.
    Illegal,
    /// The opponent did.
    OpponentIllegal,
    /// The mover declared a win by points.
    Declaration,
    /// The mover did not appear.
    Forfeit,
    /// The opponent did not appear.
    OpponentForfeit,
    /// Both kings have entered.
    Impasse,
    /// The position occurred for the fourth time.
    Repetition,
    /// The longest game that the players agreed on.
    MoveLimit,
    /// A draw for another reason.
    Draw,
    /// No result.
    Interrupted,
}

impl End {
    /// The result and the reason as records give it.
    pub fn result<G: Geometry>(self, mover: Side) -> (Option<Outcome>, &'static str) {
        let (won, lost) = (Some(Outcome::Win(mover)), Some(Outcome::Win(mover.other())));
        match self {
            End::Resignation => (lost, "resignation"),
            End::Checkmate => (lost, "checkmate"),
            End::Time => (lost, "out of time"),
            End::Illegal => (lost, "illegal move"),
            End::OpponentIllegal => (won, "illegal move"),
            End::Declaration => (won, "declaration"),
            End::Forfeit => (lost, "forfeit"),
            End::OpponentForfeit => (won, "forfeit"),
            End::Impasse => (Some(Outcome::Draw), "impasse"),
            // Without perpetual check, which is not written as a repetition, this is so under both sets of rules.
            End::Repetition if G::SIZE == 9 => (Some(Outcome::Draw), "fourfold repetition"),
            End::Repetition => (Some(Outcome::Win(Side::Second)), "fourfold repetition"),
            End::MoveLimit => (Some(Outcome::Draw), "move limit"),
            End::Draw => (Some(Outcome::Draw), "draw"),
            End::Interrupted => (None, ""),
        }
    }

    /// The end to write for a record whose last position has this side to move.
    ///
    /// Reasons are free text (a match says "white ran out of time after 1s"), so the words that matter are looked for.
    pub fn of(outcome: Option<Outcome>, reason: &str, mover: Side) -> End {
        let says = |word: &str| reason.contains(word);
        match outcome {
            None => End::Interrupted,
            Some(_) if says("repetition") => End::Repetition,
            Some(Outcome::Draw) if says("impasse") => End::Impasse,
            Some(Outcome::Draw) if says("move limit") => End::MoveLimit,
            Some(Outcome::Draw) => End::Draw,
            Some(Outcome::Win(winner)) if winner == mover => match () {
                () if says("declaration") => End::Declaration,
                () if says("forfeit") => End::OpponentForfeit,
                () if says("illegal") || says("perpetual") => End::OpponentIllegal,
                // The formats have no word for an opponent who gives up out of turn.
                () => End::Interrupted,
            },
            Some(Outcome::Win(_)) => match () {
                () if says("mate") || says("no legal move") => End::Checkmate,
                () if says("illegal") || says("perpetual") => End::Illegal,
                () if says("forfeit") => End::Forfeit,
                () if says("time") => End::Time,
                () => End::Resignation,
            },
        }
    }
}

/// A game that is being read.
pub(super) struct Transcript<G: Geometry> {
    pub record: GameRecord,
    position: ShogiPosition<G>,
    /// Where the last move arrived.
    previous: Option<Square>,
    /// An illegal move: an error, unless the record goes on to say that it lost the game.
    illegal: Option<ParseError>,
    end: Option<End>,
}

impl<G: Geometry> Transcript<G> {
    /// A game from a setup.
    ///
    /// # Errors
    /// If the setup is impossible.
    pub fn new(game: &ShogiGame<G>, setup: &Setup<G>, tags: Vec<(String, String)>) -> Result<Self, ParseError> {
        let board = setup.board()?;
        let is_start = board == Board::start() && setup.number == 1;
        let start = if is_start { "startpos".to_owned() } else { setup.to_string() };
        let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), &start);
        record.tags = tags;
        let position = ShogiPosition::new(board, setup.number - 1, game.ends());
        Ok(Transcript { record, position, previous: None, illegal: None, end: None })
    }

    pub fn board(&self) -> &Board<G> {
        self.position.board()
    }

    /// Where the last move arrived.
    pub fn previous(&self) -> Option<Square> {
        self.previous
    }

    /// Makes sure that a move may follow.
    ///
    /// # Errors
    /// If the game has ended, or the move before was illegal.
    pub fn expect_move(&mut self, line: &Line<'_>) -> Result<(), ParseError> {
        match self.illegal.take() {
            Some(error) => Err(error),
            None if self.end.is_some() => Err(line.wrong("a move after the end of the game")),
            None => Ok(()),
        }
    }

    /// Adds a move. It need only be legal on the board: players need not stop where our rules end the game. An illegal
    /// one is kept in mind until it shows whether it lost the game.
    pub fn play(&mut self, mv: Move, line: &Line<'_>) {
        if self.board().is_legal(mv) {
            self.record.push(mv);
            self.position.play(mv);
            self.previous = Some(mv.to());
        } else {
            self.illegal = Some(line.wrong("illegal move"));
        }
    }

    /// Ends the game.
    ///
    /// # Errors
    /// If it has ended before, or if an illegal move was played and not said to have lost.
    pub fn end(&mut self, end: End, line: &Line<'_>) -> Result<(), ParseError> {
        if self.end.is_some() {
            return Err(line.wrong("the game has already ended"));
        }
        let end = match (self.illegal.take(), end) {
            // The illegal move is not part of the record, so its player is still the one to move.
            (Some(_), End::Illegal | End::OpponentIllegal) => End::Illegal,
            (Some(error), _) => return Err(error),
            (None, end) => end,
        };
        self.end = Some(end);
        Ok(())
    }

    /// The record; `stated` is a result that the file gives besides, for games without another.
    ///
    /// # Errors
    /// If the last move was illegal.
    pub fn finish(mut self, stated: Option<Outcome>) -> Result<GameRecord, ParseError> {
        if let Some(error) = self.illegal {
            return Err(error);
        }
        let (outcome, ending) = match (self.position.outcome(), self.end) {
            // What the rules say of the last position is more exact than the word in the file.
            (Some(outcome), _) => (Some(outcome), self.position.ending()),
            (None, Some(end)) => end.result::<G>(self.position.mover()),
            (None, None) => (None, ""),
        };
        self.record.outcome = outcome.or(stated);
        self.record.ending = ending.to_owned();
        Ok(self.record)
    }
}

/// Replays a record for writing, with each board and the move played on it; returns the start and the last board.
///
/// # Errors
/// If the record is of another game, its start cannot be read or a move is not legal on the board.
pub(super) fn replay<G: Geometry>(
    game: &ShogiGame<G>,
    record: &GameRecord,
    mut visit: impl FnMut(&Board<G>, Move),
) -> Result<(ShogiPosition<G>, Board<G>), ParseError> {
    if record.game != game.name() {
        return Err(ParseError::new("game record", "", format!("a game of {}, not of {}", record.game, game.name())));
    }
    let start = game::parse_line(game, &record.start)?;
    let mut board = *start.board();
    for (number, played) in record.moves.iter().enumerate() {
        let mv = <Move as tesuji_core::Move>::from_bits(played.bits).filter(|&mv| board.is_legal(mv));
        let Some(mv) = mv else {
            return Err(ParseError::new("game record", "", format!("move {} is not legal", number + 1)));
        };
        visit(&board, mv);
        board.play(mv);
    }
    Ok((start, board))
}

/// A tag's text on one line.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
