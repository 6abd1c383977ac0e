//! The file formats of games, and reading and writing them without naming one.

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::iter::once;
use std::path::Path;
use tesuji_core::{Game, GameRecord, GameRules, Position, Rules, game, record};
use tesuji_games::Visitor;
use tesuji_games::chess::pgn;
use tesuji_games::shogi::{Minishogi, Shogi, csa, kif, transcript};
use tesuji_games::tubstap::{EndRules, Tubstap, replay, tbsmap};

/// The games of a file, one by one. A broken game is an error; others may follow.
pub type Records = Box<dyn Iterator<Item = Result<GameRecord>> + Send>;

type Source = Box<dyn Read + Send>;

/// A file format.
pub struct Format {
    /// The name for `--from` and `--to`.
    pub name: &'static str,
    /// What file names end in.
    pub extensions: &'static [&'static str],
    /// What stands between the games of a file; `None` if a file holds but one.
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
        extensions: &["tsjr"],
        separator: Some(""),
        holds_moves: true,
        read: |source, _| Ok(Box::new(record::Reader::new(BufReader::new(source)).map(|read| Ok(read?)))),
        write: |record| Ok(record.to_bytes()),
    },
    Format {
        name: "pgn",
        extensions: &["pgn"],
        separator: Some("\n"),
        holds_moves: true,
        read: |source, _| Ok(Box::new(pgn::Reader::new(source).map(|read| Ok(read?)))),
        write: |record| Ok(pgn::format(record)?.into_bytes()),
    },
    Format {
        name: "kif",
        extensions: &["kif", "kifu"],
        separator: None,
        holds_moves: true,
        read: |source, rules| {
            let bytes = whole(source, transcript::LONGEST_FILE)?;
            let record = kif::read(&Shogi::new(rules), &bytes)
                .or_else(|error| kif::read(&Minishogi::new(rules), &bytes).map_err(|_| error))?;
            Ok(Box::new(once(Ok(record))))
        },
        write: |record| {
            let text = if is_minishogi(record) {
                kif::write(&Minishogi::new(record.rules), record)
            } else {
                kif::write(&Shogi::new(record.rules), record)
            };
            Ok(text?.into_bytes())
        },
    },
    Format {
        name: "csa",
        extensions: &["csa"],
        separator: Some("/\n"),
        holds_moves: true,
        read: |source, rules| {
            let bytes = whole(source, transcript::LONGEST_FILE)?;
            let records = csa::read(&Shogi::new(rules), &bytes)
                .or_else(|error| csa::read(&Minishogi::new(rules), &bytes).map_err(|_| error))?;
            Ok(Box::new(records.into_iter().map(Ok)))
        },
        write: |record| {
            let text = if is_minishogi(record) {
                csa::write(&Minishogi::new(record.rules), record)
            } else {
                csa::write(&Shogi::new(record.rules), record)
            };
            Ok(text?.into_bytes())
        },
    },
    Format {
        name: "replay",
        extensions: &["tbsreplay", "replay"],
        separator: None,
        holds_moves: true,
        read: |source, rules| {
            let bytes = whole(source, tbsmap::LONGEST_FILE)?;
            Ok(Box::new(once(Ok(replay::parse(&tbsmap::decode(&bytes)?, rules)?))))
        },
        write: |record| Ok(replay::format(record)?.into_bytes()),
    },
    // A map is a game that has not begun.
    Format {
        name: "tbsmap",
        extensions: &["tbsmap"],
        separator: None,
        holds_moves: false,
        read: |source, rules| {
            let bytes = whole(source, tbsmap::LONGEST_FILE)?;
            let start = tbsmap::parse(&tbsmap::decode(&bytes)?)?.battle(EndRules::of(rules)).map_err(Error::msg)?;
            Ok(Box::new(once(Ok(unplayed(&Tubstap::new(rules), &start)))))
        },
        write: |record| {
            let game = Tubstap::new(record.rules);
            ensure!(record.game == game.name(), "{:?} has no maps", record.game);
            let start = game::parse_line(&game, &record.start)?;
            Ok(tbsmap::format(&start).map_err(Error::msg)?.into_bytes())
        },
    },
];

/// Which of the two games that share KIF and CSA a record is of.
fn is_minishogi(record: &GameRecord) -> bool {
    record.game == "minishogi"
}

/// All of a source, one byte beyond the longest that its parser reads at most.
fn whole(source: Source, longest: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(longest as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The record of a game without moves.
pub fn unplayed<G: Game>(game: &G, start: &G::Position) -> GameRecord {
    let notation = game.format_position(start);
    let usual = notation == game.format_position(&game.start());
    let start = if usual { "startpos" } else { &notation };
    GameRecord::new(game.name(), game.rules(), game.rules_version(), start)
}

/// Makes a record of a position and moves.
struct RecordOfLine<'a>(&'a str);

impl Visitor for RecordOfLine<'_> {
    type Output = Result<GameRecord>;

    fn visit<G: Game>(self, game: G) -> Result<GameRecord> {
        let (start, moves) = self.0.split_once(" moves ").unwrap_or((self.0, ""));
        let mut position = game::parse_line(&game, start)?;
        let mut record = unplayed(&game, &position);
        for word in moves.split_whitespace() {
            let mv = position.parse_move(word)?;
            record.push(mv);
            position.play(mv);
        }
        record.outcome = position.outcome();
        record.ending = position.ending().to_owned();
        Ok(record)
    }
}

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

    /// As [`choose`](Self::choose), for a file to be written.
    pub fn for_writing(name: Option<&str>, path: &str) -> Result<&'static Format> {
        ensure!(!path.ends_with(".zst"), "cannot write {path:?}: compressed files are only read; leave out .zst");
        Format::choose(name, path).with_context(|| format!("cannot write {path:?}"))
    }

    fn open(&self, path: &str, rules: Rules) -> Result<Records> {
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

/// Opens games: `GAME:POSITION [moves M1 M2 ...]`, or a file, compressed by Zstandard or not, in the format that is named
/// or that its name ends in; `-` is standard input.
pub fn open(from: Option<&str>, path: &str, rules: Rules) -> Result<Records> {
    if let Some((game, line)) = path.split_once(':').filter(|(game, _)| tesuji_games::names().contains(game)) {
        let record = tesuji_games::visit(game, rules, RecordOfLine(line))??;
        return Ok(Box::new(once(Ok(record))));
    }
    Format::choose(from, path)?.open(path, rules)
}

/// Refuses a record whose moves other rules gave their meaning.
fn check_version(record: &GameRecord) -> Result<()> {
    struct Version;

    impl Visitor for Version {
        type Output = u32;

        fn visit<G: Game>(self, game: G) -> u32 {
            game.rules_version()
        }
    }

    let (theirs, ours) = (record.rules_version, tesuji_games::visit(&record.game, record.rules, Version)?);
    ensure!(theirs == ours, "made by version {theirs} of the rules of {}, this program has {ours}", record.game);
    Ok(())
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
                    check_version(&record)
                        .and_then(|()| visit(index, record))
                        .with_context(|| format!("{path:?} game {index}"))?;
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
