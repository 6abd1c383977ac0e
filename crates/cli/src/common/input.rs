//! Positions from the command line and from files.

use crate::common::output::Output;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use tesuji_core::{AnyGame, AnyPosition};

/// Longer lines are no positions: a TUBSTAP map of the greatest size takes a few kilobytes, a long game's move list
/// tens of kilobytes.
const LONGEST_LINE: u64 = 1 << 20;

/// One position on the command line, or many in a file.
#[derive(Debug, Args)]
pub struct Positions {
    /// `startpos` (the default) or the game's notation, then perhaps `moves M1 M2 ...`
    #[arg(value_name = "POSITION")]
    words: Vec<String>,
    /// Read positions from a file, one a line, text after a TAB and lines with # in front ignored; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    file: Option<String>,
}

impl Positions {
    /// Whether there may be several.
    pub fn many(&self) -> bool {
        self.file.is_some()
    }

    /// Calls `visit` with the text of each position. Errors get the file and line in front.
    pub fn each(&self, out: &mut Output, mut visit: impl FnMut(&str, &mut Output) -> Result<()>) -> Result<()> {
        let Some(path) = &self.file else {
            return visit(&position_text(&self.words), out);
        };
        let (name, source): (String, Box<dyn Read>) = if path == "-" {
            ("standard input".to_owned(), Box::new(io::stdin().lock()))
        } else {
            let file = File::open(path).with_context(|| format!("cannot open {path:?}"))?;
            (format!("{path:?}"), Box::new(file))
        };
        let mut reader = BufReader::new(source);
        let mut line = Vec::new();
        for number in 1_u64.. {
            // Programs that talk to us through pipes wait for an answer before they ask again.
            if reader.buffer().is_empty() {
                out.flush()?;
            }
            line.clear();
            let read = reader.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line);
            let read = read.with_context(|| format!("cannot read {name}"))?;
            if read == 0 {
                ensure!(number > 1, "{name}: no positions in it");
                break;
            }
            let place = || format!("{name} line {number}");
            if line.starts_with(b"#") {
                continue;
            }
            if read as u64 > LONGEST_LINE {
                bail!("{}: longer than {LONGEST_LINE} bytes", place());
            }
            let text = std::str::from_utf8(&line).with_context(place)?;
            let position = text.split('\t').next().unwrap_or_default().trim();
            ensure!(!position.is_empty(), "{}: no position", place());
            visit(position, out).with_context(place)?;
        }
        Ok(())
    }
}

/// Reads a position; if it is a list of moves where the game's notation is none, says how moves are written.
pub fn position(game: &dyn AnyGame, text: &str) -> Result<Box<dyn AnyPosition>> {
    game.parse(text).map_err(|error| {
        let as_moves = format!("startpos moves {text}");
        let told = anyhow!(error.to_string());
        if game.parse(&as_moves).is_ok() { anyhow!("{told}; moves are written as {as_moves:?}") } else { told }
    })
}

/// The words of a position as one text; no words mean the start.
pub fn position_text(words: &[String]) -> String {
    if words.is_empty() { "startpos".to_owned() } else { words.join(" ") }
}
