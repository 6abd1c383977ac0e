//! `tesuji record`: the games in a file.

use crate::common::each_game::each_game;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::ranges;
use crate::common::words::outcome_word;
use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use tesuji_core::{GameRecord, MoveId, Rules, Style};
use tesuji_games::formats;

/// Lines of moves are at most this long.
const WIDTH: usize = 100;

/// Arguments of `tesuji record`.
#[derive(Debug, Args)]
#[command(after_help = format!("\
Formats: {}. Files
compressed by Zstandard are read as they are.

Examples:
  tesuji record games.pgn                a line for each game
  tesuji record games.tsjr --number 3    one game: tags, moves, last position", formats::titles()))]
pub struct RecordArgs {
    /// A file of games, `-` for standard input, or `GAME:POSITION [moves M1 M2 ...]`
    file: String,
    /// Show this game in full
    #[arg(long, value_name = "N", value_parser = ranges::count::<u64>())]
    number: Option<u64>,
    /// The format, if the file's name does not tell it
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
}

/// Runs the subcommand.
pub fn run(args: &RecordArgs, common: &Common, out: &mut Output) -> Result<()> {
    let records = formats::open(args.from.as_deref(), &args.file, common.rules)?;
    each_game(records, &args.file, args.number, |number, record| {
        let line = replay(&record, out.color)?;
        if out.json {
            out.object(&Recorded { number, ..line.recorded })
        } else if args.number.is_some() {
            full(&record, &line, out)
        } else {
            summary(number, &record, out)
        }
    })?;
    Ok(())
}

/// A game for machines.
#[derive(Serialize)]
struct Recorded {
    number: u64,
    game: String,
    rules: Rules,
    start: String,
    tags: Vec<(String, String)>,
    moves: Vec<String>,
    outcome: Option<&'static str>,
    ending: String,
    last: String,
}

/// A game that was played over.
struct Line {
    recorded: Recorded,
    board: String,
}

/// Plays a record over by the rules of movement: games from elsewhere may continue where ours would be adjudicated.
fn replay(record: &GameRecord, color: bool) -> Result<Line> {
    let game = tesuji_games::game(&record.game, record.rules)?;
    let mut position = game.parse(&record.start)?;
    let mut moves = Vec::with_capacity(record.moves.len());
    for (played, number) in record.moves.iter().zip(1..) {
        let mv = MoveId(played.bits);
        let legal = position.movements().contains(&mv);
        ensure!(legal, "move {number} ({:#x}) is not legal", played.bits);
        moves.push(position.format_move(mv));
        position.play_on(mv)?;
    }
    let recorded = Recorded {
        number: 0,
        game: record.game.clone(),
        rules: record.rules,
        start: record.start.clone(),
        tags: record.tags.clone(),
        moves,
        outcome: record.outcome.map(outcome_word),
        ending: record.ending.clone(),
        last: position.text(),
    };
    Ok(Line { recorded, board: position.render(Style { color, kanji: false }) })
}

fn result(record: &GameRecord) -> String {
    let outcome = record.outcome.map_or("no result".to_owned(), |outcome| outcome.to_string());
    if record.ending.is_empty() { outcome } else { format!("{outcome}: {}", record.ending) }
}

fn summary(number: u64, record: &GameRecord, out: &mut Output) -> Result<()> {
    let tags: Vec<String> = record
        .tags
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let tags = tesuji_core::error::excerpt(&tags.join(" "));
    out.line(&printable(&format!("{number} {} {} plies, {} {tags}", record.game, record.moves.len(), result(record))))
}

fn full(record: &GameRecord, line: &Line, out: &mut Output) -> Result<()> {
    out.line(&printable(&format!("game       {}, {} rules", record.game, record.rules)))?;
    for (name, value) in &record.tags {
        out.line(&printable(&format!("{name:<10} {value}")))?;
    }
    out.line(&format!("start      {}", record.start))?;
    let mut row = String::new();
    for mv in &line.recorded.moves {
        if row.len() + mv.len() >= WIDTH {
            out.line(&row)?;
            row.clear();
        }
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(mv);
    }
    out.line(&row)?;
    out.line(&printable(&format!("result     {}", result(record))))?;
    out.line("")?;
    out.line(&line.board)?;
    out.line(&format!("\nposition   {}", line.recorded.last))
}

/// Text from a file, without the control characters that could trouble a terminal.
fn printable(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).collect()
}
