//! `tesuji convert`: games from one file format to another.

use crate::common::each_game::each_game;
use crate::common::files::NewFile;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::ranges;
use anyhow::{Result, bail};
use clap::Args;
use std::path::Path;
use tesuji_games::formats::{self, Format};

/// Arguments of `tesuji convert`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Formats: {}. Files
compressed by Zstandard are read as they are. Broken games are skipped with a note. A map is a game without moves, and so is GAME:POSITION.

Examples:
  tesuji convert lichess.pgn.zst games.tsjr
  tesuji convert games.tsjr game7.pgn --number 7
  tesuji convert games.tsjr - --to pgn
  tesuji convert \"chess:startpos moves e2e4 e7e5\" opening.pgn
  tesuji convert tubstap:random:7 map.tbsmap", formats::titles()))]
pub struct ConvertArgs {
    /// A file of games, `-` for standard input, or `GAME:POSITION [moves M1 M2 ...]`
    input: String,
    /// The file to write; `-` is standard output; a folder gets one file a game
    output: String,
    /// The format of the input, if its name does not tell it
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// The format of the output, if its name does not tell it
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Convert only this game
    #[arg(long, value_name = "N", value_parser = ranges::count::<u64>())]
    number: Option<u64>,
}

/// Runs the subcommand.
pub fn run(args: &ConvertArgs, common: &Common, out: &mut Output) -> Result<()> {
    let to = Format::for_writing(args.to.as_deref(), &args.output)?;
    let records = formats::open(args.from.as_deref(), &args.input, common.rules)?;
    let path = Path::new(&args.output);
    if path.is_dir() {
        let count = each_game(records, &args.input, args.number, |number, record| {
            let mut file = NewFile::create(&path.join(format!("{number:06}.{}", to.extensions[0])))?;
            file.write(&to.write(&record)?)?;
            file.finish()
        })?;
        return report(count, out);
    }
    let to_stdout = args.output == "-";
    let mut file = if to_stdout { None } else { Some(NewFile::create(path)?) };
    let mut count = 0;
    each_game(records, &args.input, args.number, |_, record| {
        let mut bytes = to.write(&record)?;
        if count > 0 {
            let Some(separator) = to.separator else {
                bail!("a {} file holds one game: choose it by --number, or write to a folder", to.name);
            };
            bytes.splice(0..0, separator.bytes());
        }
        count += 1;
        match &mut file {
            Some(file) => file.write(&bytes),
            None => out.bytes(&bytes),
        }
    })?;
    if let Some(file) = file {
        file.finish()?;
        report(count, out)?;
    }
    Ok(())
}

fn report(games: u64, out: &mut Output) -> Result<()> {
    if out.json { out.object(&serde_json::json!({ "games": games })) } else { out.line(&format!("games {games}")) }
}
