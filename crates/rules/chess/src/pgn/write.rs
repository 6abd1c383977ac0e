//! Writing.

use crate::{Chess, DrawRules, san};
use shakmaty::Color;
use tesuji_core::{GameRecord, GameRules, Outcome, ParseError, Rules, Side, game};

/// Lines of moves are at most this long.
const WIDTH: usize = 79;

/// The seven tags that every game has, with what they say when nothing is known; `Result` comes behind them.
const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

/// The game in PGN, with a newline at its end. Games in a file are separated by an empty line.
///
/// # Errors
/// If the record is not one of chess, its start cannot be read or a move is not legal.
pub fn format(record: &GameRecord) -> Result<String, ParseError> {
    let chess = Chess::with_draws(Rules::Official, DrawRules::NONE);
    if record.game != chess.name() {
        return Err(ParseError::new("game record", "", format!("{:?} is not written as PGN", record.game)));
    }
    let start = game::parse_line(&chess, &record.start)?;
    let result = match record.outcome {
        Some(Outcome::Win(Side::First)) => "1-0",
        Some(Outcome::Win(Side::Second)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    };

    let mut text = String::new();
    for (name, unknown) in ROSTER {
        let given = record.tags.iter().find(|(tag, _)| tag == name);
        push_tag(&mut text, name, given.map_or(unknown, |(_, value)| value));
    }
    push_tag(&mut text, "Result", result);
    if record.start != "startpos" {
        push_tag(&mut text, "SetUp", "1");
        push_tag(&mut text, "FEN", &chess.format_position(&start));
    }
    for (number, (name, value)) in record.tags.iter().enumerate() {
        let is_written = ROSTER.iter().any(|(tag, _)| tag == name)
            || ["Result", "SetUp", "FEN", "Termination"].contains(&name.as_str())
            || record.tags[..number].iter().any(|(tag, _)| tag == name);
        if !is_written && is_tag_name(name) {
            push_tag(&mut text, name, value);
        }
    }
    if !record.ending.is_empty() {
        push_tag(&mut text, "Termination", &record.ending);
    }
    text.push('\n');

    let mut column = 0;
    record.replay(start, |position, mv, _| {
        let number = position.board().fullmoves();
        match position.board().turn() {
            Color::White => push_word(&mut text, &mut column, &format!("{number}.")),
            Color::Black if column == 0 => push_word(&mut text, &mut column, &format!("{number}...")),
            Color::Black => {}
        }
        push_word(&mut text, &mut column, &san::format(position.board(), mv));
    })?;
    push_word(&mut text, &mut column, result);
    text.push('\n');
    Ok(text)
}

fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn push_tag(text: &mut String, name: &str, value: &str) {
    text.push('[');
    text.push_str(name);
    text.push_str(" \"");
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            // A line break would end the tag.
            _ if letter.is_control() => text.push(' '),
            _ => text.push(letter),
        }
    }
    text.push_str("\"]\n");
}

/// Appends a word behind a space or a line break.
fn push_word(text: &mut String, column: &mut usize, word: &str) {
    if *column > 0 {
        let fits = *column + 1 + word.len() <= WIDTH;
        text.push(if fits { ' ' } else { '\n' });
        *column = if fits { *column + 1 } else { 0 };
    }
    text.push_str(word);
    *column += word.len();
}
