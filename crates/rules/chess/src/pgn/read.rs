//! Reading.

use crate::{Board, fen, movegen};
use pgn_reader::{RawTag, SanPlus, Visitor};
use shakmaty::fen::Fen;
use shakmaty::san::SanError;
use shakmaty::{Chess, EnPassantMode, KnownOutcome, Position as _};
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use tesuji_core::record::Played;
use tesuji_core::{GameRecord, Move as _, Outcome, ParseError, Place, Rules};

/// Tag lines up to this length are read; longer ones make the game a broken one.
pub(super) const LONGEST_TAG_LINE: usize = 4096;

/// More tags than this, by [`tag_bytes`], make a game a broken one.
pub(super) const MOST_TAG_BYTES: usize = 64 << 10;

/// What a tag counts with name and value of this length: short ones cost memory too.
pub(super) const fn tag_bytes(length: usize) -> usize {
    length + 16
}

/// More moves make a game a broken one. By the rules no game has more than 11,798.
const MOST_MOVES: usize = 12_000;

/// Why no game could be read.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The game is broken; the next one can be read.
    #[error("{error}")]
    Broken {
        /// What is wrong in few words, of which there are few: for counting.
        reason: &'static str,
        /// What is wrong, and where.
        error: ParseError,
    },
    /// The file could not be read further.
    #[error("cannot read PGN at line {line}: {error}")]
    Io {
        /// The line at which reading failed.
        line: u64,
        /// What happened.
        error: io::Error,
    },
}

/// Opens a PGN file, compressed by Zstandard or not.
///
/// # Errors
/// If the file cannot be opened or its first bytes cannot be read.
pub fn open(path: impl AsRef<Path>) -> io::Result<Reader<Box<dyn Read + Send>>> {
    Ok(Reader::new(decompressed(File::open(path)?)?))
}

/// The bytes of a source, decompressed if they begin as Zstandard does.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn decompressed(mut source: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::with_capacity(4);
    source.by_ref().take(4).read_to_end(&mut magic)?;
    // A frame, or a skippable one, with which parallel compressors begin.
    let is_zstd = matches!(*magic, [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18]);
    let source = io::Cursor::new(magic).chain(source);
    // The decoder refuses windows above 128 MiB by itself, so its memory is bounded.
    if is_zstd { Ok(Box::new(zstd::Decoder::new(source)?)) } else { Ok(Box::new(source)) }
}

/// Reads the games of a PGN source one by one, in memory that does not grow with the source.
///
/// Variations, comments and words that do not look like a move are skipped. A broken game is an error, and the next
/// call goes on with the game behind it; after [`PgnError::Io`] the iterator ends. Text that is not UTF-8 is taken as
/// Latin-1.
#[derive(Debug)]
pub struct Reader<R> {
    parser: pgn_reader::Reader<Counted<R>>,
    counts: Arc<Counts>,
    games: u64,
    broken: u64,
    failed: bool,
}

impl<R: Read> Reader<R> {
    /// A reader of uncompressed text; it does its own buffering.
    pub fn new(source: R) -> Reader<R> {
        Reader::at_line(source, 1)
    }

    /// A reader of a part of a source that begins with this line of it, from 1.
    pub fn at_line(source: R, line: u64) -> Reader<R> {
        let counts = Arc::new(Counts { lines: AtomicU64::new(line - 1), failed: AtomicBool::new(false) });
        let source = Counted { source, counts: Arc::clone(&counts) };
        let parser = pgn_reader::Reader::build(source).set_supported_tag_line_length(LONGEST_TAG_LINE).finish();
        Reader { parser, counts, games: 0, broken: 0, failed: false }
    }

    /// Games read so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Broken games met so far.
    pub fn broken(&self) -> u64 {
        self.broken
    }

    /// The line, from 1, at which reading goes on.
    pub fn line(&self) -> u64 {
        self.counts.lines.load(Relaxed) - newlines(self.parser.buffer()) + 1
    }

    /// Ends the iteration after an error of the source.
    fn fail(&mut self, error: io::Error) -> PgnError {
        self.failed = true;
        PgnError::Io { line: self.line(), error }
    }

    fn broken_game(&mut self, first_line: u64, problem: Problem) -> PgnError {
        self.broken += 1;
        let line = if problem.is_here { self.line() } else { first_line };
        let text = format!("{} (in the game of line {first_line})", problem.text);
        let error = ParseError::new("PGN", "", text).at(Place::Line(line as usize));
        PgnError::Broken { reason: problem.reason, error }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<GameRecord, PgnError>;

    fn next(&mut self) -> Option<Result<GameRecord, PgnError>> {
        // Passes over what is left of a broken game, which may itself be malformed.
        while !self.failed {
            match self.parser.has_more() {
                Ok(true) => break,
                Ok(false) => return None,
                Err(error) if self.counts.failed.load(Relaxed) => return Some(Err(self.fail(error))),
                Err(_) => {}
            }
        }
        if self.failed {
            return None;
        }
        let first_line = self.line();
        match self.parser.read_game(&mut GameVisitor) {
            Ok(None) => None,
            Ok(Some(Ok(record))) => {
                self.games += 1;
                Some(Ok(record))
            }
            Ok(Some(Err(problem))) => Some(Err(self.broken_game(first_line, problem))),
            Err(error) if self.counts.failed.load(Relaxed) => Some(Err(self.fail(error))),
            Err(error) => {
                // The parser stopped inside the game; its remaining tags and moves are not another one.
                while let Err(error) = self.parser.skip_game() {
                    if self.counts.failed.load(Relaxed) {
                        return Some(Err(self.fail(error)));
                    }
                }
                Some(Err(self.broken_game(first_line, Problem::of_game("malformed", error.to_string()))))
            }
        }
    }
}

/// What the source has given so far; shared because the parser keeps the source to itself.
#[derive(Debug)]
struct Counts {
    lines: AtomicU64,
    failed: AtomicBool,
}

/// A source that counts its lines and remembers whether it failed, which the parser's errors do not tell.
#[derive(Debug)]
struct Counted<R> {
    source: R,
    counts: Arc<Counts>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.source.read(buffer) {
                Ok(length) => {
                    self.counts.lines.fetch_add(newlines(&buffer[..length]), Relaxed);
                    return Ok(length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.counts.failed.store(true, Relaxed);
                    return Err(error);
                }
            }
        }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// What is wrong with a game.
struct Problem {
    reason: &'static str,
    text: String,
    /// Whether the parser has just read it; else it is about the game as a whole.
    is_here: bool,
}

impl Problem {
    fn here(reason: &'static str, text: impl Into<String>) -> Problem {
        Problem { reason, text: text.into(), is_here: true }
    }

    fn of_game(reason: &'static str, text: impl Into<String>) -> Problem {
        Problem { reason, text: text.into(), is_here: false }
    }
}

/// A game that is being read.
struct Draft {
    record: GameRecord,
    board: Chess,
    tag_bytes: usize,
    fen: Option<String>,
    tag_outcome: Option<Outcome>,
    /// The termination marker behind the moves; the inner `None` is `*`.
    marker: Option<Option<Outcome>>,
}

/// Makes records of games; follows the moves on a bare board, since nothing here needs a history.
struct GameVisitor;

impl Visitor for GameVisitor {
    type Tags = Draft;
    type Movetext = Draft;
    type Output = Result<GameRecord, Problem>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Draft> {
        ControlFlow::Continue(Draft {
            record: GameRecord::new("chess", Rules::Official, 1, "startpos"),
            board: Chess::new(),
            tag_bytes: 0,
            fen: None,
            tag_outcome: None,
            marker: None,
        })
    }

    fn tag(&mut self, draft: &mut Draft, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        draft.tag_bytes += tag_bytes(name.len() + value.as_bytes().len());
        if draft.tag_bytes > MOST_TAG_BYTES {
            return ControlFlow::Break(Err(Problem::of_game("too many tags", "too many tags")));
        }
        let (name, value) = (decoded(name), decoded(&value.decode()));
        match &*name {
            "FEN" => draft.fen = Some(value),
            "SetUp" => {}
            "Result" => draft.tag_outcome = KnownOutcome::from_ascii(value.as_bytes()).ok().map(outcome),
            "Termination" => draft.record.ending = value,
            "Variant" if !is_standard(&value) => {
                let problem = format!("the variant {:?} is not chess", tesuji_core::error::excerpt(&value));
                return ControlFlow::Break(Err(Problem::of_game("a variant", problem)));
            }
            _ => draft.record.tags.push((name, value)),
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, mut draft: Draft) -> ControlFlow<Self::Output, Draft> {
        if let Some(text) = &draft.fen {
            match fen::parse(text) {
                Ok(board) => draft.board = board,
                Err(error) => return ControlFlow::Break(Err(Problem::of_game("bad FEN", error.to_string()))),
            }
            let written = fen::format(&Board::new(&draft.board));
            if written != Fen::from_position(&Chess::new(), EnPassantMode::Legal).to_string() {
                draft.record.start = written;
            }
        }
        ControlFlow::Continue(draft)
    }

    fn san(&mut self, draft: &mut Draft, san: SanPlus) -> ControlFlow<Self::Output> {
        let board = &mut draft.board;
        let (reason, problem) = match san.san.to_move(board) {
            Ok(_) if draft.marker.is_some() => ("malformed", "a move behind the result".to_owned()),
            Ok(_) if draft.record.moves.len() == MOST_MOVES => ("too long", format!("more than {MOST_MOVES} moves")),
            Ok(mv) => {
                draft.record.moves.push(Played { bits: movegen::narrow(mv).to_bits(), thought: None });
                board.play_unchecked(mv);
                return ControlFlow::Continue(());
            }
            Err(error) => {
                let dots = board.turn().fold_wb(".", "...");
                let reason = match error {
                    SanError::IllegalSan => "illegal move",
                    SanError::AmbiguousSan => "ambiguous move",
                };
                (reason, format!("move {}{dots} {san}: {reason}", board.fullmoves()))
            }
        };
        ControlFlow::Break(Err(Problem::here(reason, problem)))
    }

    fn outcome(&mut self, draft: &mut Draft, marker: pgn_reader::Outcome) -> ControlFlow<Self::Output> {
        draft.marker = Some(marker.known().map(outcome));
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, draft: Draft) -> Self::Output {
        let Draft { mut record, board, tag_bytes, tag_outcome, marker, .. } = draft;
        if tag_bytes == 0 && record.moves.is_empty() && marker.is_none() {
            return Err(Problem::of_game("malformed", "neither tags nor moves"));
        }
        record.outcome = marker.unwrap_or(tag_outcome);
        if record.ending.is_empty() && board.legal_moves().is_empty() {
            let (ending, by_board) = if board.is_check() {
                ("checkmate", KnownOutcome::Decisive { winner: !board.turn() })
            } else {
                ("stalemate", KnownOutcome::Draw)
            };
            record.ending = ending.to_owned();
            record.outcome = record.outcome.or(Some(outcome(by_board)));
        }
        Ok(record)
    }
}

fn outcome(known: KnownOutcome) -> Outcome {
    match known {
        KnownOutcome::Decisive { winner } => Outcome::Win(crate::position::side(winner)),
        KnownOutcome::Draw => Outcome::Draw,
    }
}

/// Whether a `Variant` tag means chess from the usual or a given start.
fn is_standard(variant: &str) -> bool {
    ["standard", "chess", "normal", "from position"].iter().any(|name| variant.eq_ignore_ascii_case(name))
}

/// UTF-8, or else Latin-1, which older files are written in.
fn decoded(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}
