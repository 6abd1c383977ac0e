//! The file formats of games: the list of formats, and reading and writing files by their name's ending.
//!
//! To add a format, add an entry to [`FORMATS`]; commands, help texts and file names follow from it.

use crate::chess::pgn;
use crate::registry::{self, UnknownGame};
use crate::shogi::{self, transcript};
use crate::tubstap::{EndRules, Tubstap, replay, tbsmap};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::iter::once;
use std::path::Path;
use tesuji_core::{AnyGame, GameRecord, GameRules, MoveError, ParseError, Rules, record};

/// A file that cannot be read or written, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormatError(pub String);

type Result<T> = std::result::Result<T, FormatError>;

macro_rules! format_error_from {
    ($($type:ty),*) => {
        $(impl From<$type> for FormatError {
            fn from(error: $type) -> FormatError {
                FormatError(error.to_string())
            }
        })*
    };
}

format_error_from!(ParseError, MoveError, UnknownGame, pgn::PgnError, io::Error);

impl FormatError {
    /// The same error with its place in front.
    fn at(self, place: impl std::fmt::Debug) -> FormatError {
        FormatError(format!("{place:?}: {}", self.0))
    }
}

fn fail<T>(problem: impl Into<String>) -> Result<T> {
    Err(FormatError(problem.into()))
}

/// The games of a file, one by one. A broken game is an error; others may follow.
pub type Records = Box<dyn Iterator<Item = Result<GameRecord>> + Send>;

type Source = Box<dyn Read + Send>;

/// A file format.
pub struct Format {
    /// The name for `--from` and `--to`.
    pub name: &'static str,
    /// What it is and which games it holds, for help texts.
    pub title: &'static str,
    /// What file names end in.
    pub extensions: &'static [&'static str],
    /// What stands between the games of a file; `None` if a file holds only one.
    pub separator: Option<&'static str>,
    /// Whether it has moves besides the start.
    pub holds_moves: bool,
    read: fn(Source, Rules) -> Result<Records>,
    write: fn(&GameRecord) -> Result<Vec<u8>>,
}

/// Every format.
pub const FORMATS: &[Format] = &[
    Format {
        name: "tsjr",
        title: "Tesuji's own",
        extensions: &["tsjr"],
        separator: Some(""),
        holds_moves: true,
        read: |source, _| Ok(Box::new(record::Reader::new(BufReader::new(source)).map(|read| Ok(read?)))),
        write: |record| Ok(record.to_bytes()),
    },
    Format {
        name: "pgn",
        title: "chess",
        extensions: &["pgn"],
        separator: Some("\n"),
        holds_moves: true,
        read: |source, _| Ok(Box::new(pgn::Reader::new(source).map(|read| Ok(read?)))),
        write: |record| Ok(pgn::format(record)?.into_bytes()),
    },
    Format {
        name: "kif",
        title: "shogi, minishogi",
        extensions: &["kif", "kifu"],
        separator: None,
        holds_moves: true,
        read: |source, rules| {
            let bytes = whole(source, transcript::LONGEST_FILE)?;
            Ok(Box::new(once(Ok(shogi::files::read_kif(rules, &bytes)?))))
        },
        write: |record| Ok(shogi::files::write_kif(record)?.into_bytes()),
    },
    Format {
        name: "csa",
        title: "shogi, minishogi",
        extensions: &["csa"],
        separator: Some("/\n"),
        holds_moves: true,
        read: |source, rules| {
            let bytes = whole(source, transcript::LONGEST_FILE)?;
            Ok(Box::new(shogi::files::read_csa(rules, &bytes)?.into_iter().map(Ok)))
        },
        write: |record| Ok(shogi::files::write_csa(record)?.into_bytes()),
    },
    Format {
        name: "replay",
        title: "TUBSTAP",
        extensions: &["tbsreplay", "replay"],
        separator: None,
        holds_moves: true,
        read: |source, rules| {
            let bytes = whole(source, tbsmap::LONGEST_FILE)?;
            Ok(Box::new(once(Ok(replay::parse(&tbsmap::decode(&bytes)?, rules)?))))
        },
        write: |record| Ok(replay::format(record)?.into_bytes()),
    },
    // A map is a game without moves.
    Format {
        name: "tbsmap",
        title: "TUBSTAP maps",
        extensions: &["tbsmap"],
        separator: None,
        holds_moves: false,
        read: |source, rules| {
            let bytes = whole(source, tbsmap::LONGEST_FILE)?;
            let start = tbsmap::parse(&tbsmap::decode(&bytes)?)?.battle(EndRules::of(rules)).map_err(FormatError)?;
            let game = Tubstap::new(rules);
            let record = unplayed(&game, &GameRules::format_position(&game, &start));
            Ok(Box::new(once(Ok(record))))
        },
        write: |record| {
            let game = Tubstap::new(record.rules);
            if record.game != GameRules::name(&game) {
                return fail(format!("{:?} has no maps", record.game));
            }
            let start = tesuji_core::game::parse_line(&game, &record.start)?;
            Ok(tbsmap::format(&start).map_err(FormatError)?.into_bytes())
        },
    },
];

/// All of a source, one byte beyond the longest that its parser reads at most.
fn whole(source: Source, longest: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(longest as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The record of a game without moves, from a start in the game's notation.
pub fn unplayed(game: &dyn AnyGame, start: &str) -> GameRecord {
    let start = if start == game.start().text() { "startpos" } else { start };
    GameRecord::new(game.name(), game.rules(), game.rules_version(), start)
}

/// The record of a line: a position and moves.
fn record_of_line(game: &dyn AnyGame, line: &str) -> Result<GameRecord> {
    let (start, moves) = line.split_once(" moves ").unwrap_or((line, ""));
    let mut position = game.parse(start)?;
    let mut record = unplayed(game, &position.text());
    for word in moves.split_whitespace() {
        let mv = position.parse_move(word)?;
        position.play(mv)?;
        record.push(mv);
    }
    record.outcome = position.outcome();
    record.ending = position.ending().to_owned();
    Ok(record)
}

impl Format {
    /// The format that was named, or else the one that the file's name ends in.
    pub fn choose(name: Option<&str>, path: &str) -> Result<&'static Format> {
        if let Some(name) = name {
            let known = FORMATS.iter().find(|format| format.name == name);
            return known.ok_or_else(|| {
                FormatError(format!("unknown format {name:?}; the formats are {}", names().join(", ")))
            });
        }
        let bare = path.strip_suffix(".zst").unwrap_or(path);
        let extension = Path::new(bare).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let known = |format: &&Format| format.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension));
        let problem = || format!("{path:?}: the name does not tell the format; give one of {}", names().join(", "));
        FORMATS.iter().find(known).ok_or_else(|| FormatError(problem()))
    }

    /// As [`choose`](Self::choose), for a file to be written.
    pub fn for_writing(name: Option<&str>, path: &str) -> Result<&'static Format> {
        if path.ends_with(".zst") {
            return fail(format!("cannot write {path:?}: compressed files are only read; leave out .zst"));
        }
        Format::choose(name, path).map_err(|error| FormatError(format!("cannot write {path:?}: {error}")))
    }

    fn open(&self, path: &str, rules: Rules) -> Result<Records> {
        let source: Source = if path == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(|error| FormatError(format!("cannot open {path:?}: {error}")))?)
        };
        let source =
            pgn::decompressed(source).map_err(|error| FormatError(format!("cannot read {path:?}: {error}")))?;
        (self.read)(source, rules).map_err(|error| error.at(path))
    }

    /// The games of a file that is in memory already.
    ///
    /// # Errors
    /// If it is not of this format.
    pub fn read(&self, bytes: Vec<u8>, rules: Rules) -> Result<Records> {
        (self.read)(Box::new(io::Cursor::new(bytes)), rules)
    }

    /// The bytes of a game in a file of this format.
    pub fn write(&self, record: &GameRecord) -> Result<Vec<u8>> {
        (self.write)(record)
    }
}

/// Opens games: `GAME:POSITION [moves M1 M2 ...]`, or a file, compressed by Zstandard or not, in the format that is named
/// or that its name ends in; `-` is standard input.
pub fn open(from: Option<&str>, path: &str, rules: Rules) -> Result<Records> {
    if let Some((game, line)) = path.split_once(':').filter(|(game, _)| registry::names().contains(game)) {
        let record = record_of_line(registry::game(game, rules)?.as_ref(), line)?;
        return Ok(Box::new(once(Ok(record))));
    }
    Format::choose(from, path)?.open(path, rules)
}

/// Refuses a record of another version of the rules: its numbers may mean other moves.
pub fn check_version(record: &GameRecord) -> Result<()> {
    let (theirs, ours) = (record.rules_version, registry::game(&record.game, record.rules)?.rules_version());
    if theirs == ours {
        return Ok(());
    }
    fail(format!("made by version {theirs} of the rules of {}, this program has {ours}", record.game))
}

/// The formats for a help text: `tsjr (Tesuji's own), pgn (chess), ...`.
pub fn titles() -> String {
    let titles: Vec<String> = FORMATS.iter().map(|format| format!("{} ({})", format.name, format.title)).collect();
    titles.join(", ")
}

fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).collect()
}
