//! The file formats of games, and reading and writing them without naming one.

use anyhow::{Context, Result, anyhow, bail};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use tesuji_core::{GameRecord, Rules, record};
use tesuji_games::chess::pgn;

/// The games of a file, one by one. A broken game is an error; others may follow.
pub type Records = Box<dyn Iterator<Item = Result<GameRecord>>>;

type Source = Box<dyn Read + Send>;

/// A file format.
pub struct Format {
    /// The name for `--from` and `--to`.
    pub name: &'static str,
    /// What file names end in.
    pub extensions: &'static [&'static str],
    /// Whether a file holds but one game.
    pub single: bool,
    read: fn(Source, Rules) -> Result<Records>,
    write: fn(&GameRecord) -> Result<Vec<u8>>,
}

/// Every format.
pub const FORMATS: &[Format] = &[
    Format {
        name: "tsjr",
        extensions: &["tsjr"],
        single: false,
        read: |source, _| {
            Ok(Box::new(record::Reader::new(BufReader::new(source)).map(|read| read.map_err(anyhow::Error::from))))
        },
        write: |record| Ok(record.to_bytes()),
    },
    Format {
        name: "pgn",
        extensions: &["pgn"],
        single: false,
        read: |source, _| Ok(Box::new(pgn::Reader::new(source).map(|read| read.map_err(anyhow::Error::from)))),
        write: |record| Ok((pgn::format(record)? + "\n").into_bytes()),
    },
];

impl Format {
    /// The format that was named, or else the one that the file's name ends in.
    pub fn choose(name: Option<&str>, path: &str) -> Result<&'static Format> {
        if let Some(name) = name {
            return FORMATS
                .iter()
                .find(|format| format.name == name)
                .with_context(|| format!("unknown format {name:?}; the formats are {}", names().join(", ")));
        }
        let bare = path.strip_suffix(".zst").unwrap_or(path);
        let extension = Path::new(bare).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let known = |format: &&Format| format.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension));
        FORMATS
            .iter()
            .find(known)
            .with_context(|| format!("{path:?}: the name does not tell the format; give one of {}", names().join(", ")))
    }

    /// Opens a file, compressed by Zstandard or not; `-` is standard input.
    pub fn open(&self, path: &str, rules: Rules) -> Result<Records> {
        let source: Source = if path == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).with_context(|| format!("cannot open {path:?}"))?)
        };
        let source = pgn::decompressed(source).with_context(|| format!("cannot read {path:?}"))?;
        (self.read)(source, rules).with_context(|| format!("{path:?}"))
    }

    /// The bytes of a game in a file of this format.
    pub fn write(&self, record: &GameRecord) -> Result<Vec<u8>> {
        (self.write)(record)
    }
}

fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).collect()
}

/// Calls `visit` with each game and its number, from 1, or only with the game of one number. Broken games are skipped
/// with one note at the end; a file without any good game is an error.
pub fn each_game(
    records: Records,
    path: &str,
    number: Option<u64>,
    mut visit: impl FnMut(u64, GameRecord) -> Result<()>,
) -> Result<u64> {
    let (mut good, mut broken, mut visited) = (0_u64, 0_u64, 0);
    let mut first_error = None;
    for (index, record) in (1_u64..).zip(records) {
        match record {
            Ok(record) => {
                good += 1;
                if number.is_none_or(|number| number == index) {
                    visited += 1;
                    visit(index, record).with_context(|| format!("{path:?} game {index}"))?;
                }
            }
            Err(error) => {
                broken += 1;
                first_error.get_or_insert(error);
            }
        }
        if number == Some(index) {
            break;
        }
    }
    match first_error {
        Some(error) if visited == 0 => Err(error.context(format!("{path:?}"))),
        None if good == 0 => Err(anyhow!("{path:?}: no games in it")),
        _ if visited == 0 => bail!("{path:?}: it has only {good} games"),
        Some(error) => {
            eprintln!("note: {path:?}: skipped {broken} broken games, the first: {error:#}");
            Ok(visited)
        }
        None => Ok(visited),
    }
}
