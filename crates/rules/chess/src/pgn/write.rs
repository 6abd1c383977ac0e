//! Writing.

use super::read::{LONGEST_TAG_LINE, MOST_TAG_BYTES, tag_bytes};
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

    let mut tags = Tags::default();
    for (name, unknown) in ROSTER {
        let given = record.tags.iter().find(|(tag, _)| tag == name);
        tags.push(name, given.map_or(unknown, |(_, value)| value));
    }
    tags.push("Result", result);
    if record.start != "startpos" {
        tags.push("SetUp", "1");
        tags.push("FEN", &chess.format_position(&start));
    }
    for (number, (name, value)) in record.tags.iter().enumerate() {
        let is_written = ROSTER.iter().any(|(tag, _)| tag == name)
            || ["Result", "SetUp", "FEN", "Termination"].contains(&name.as_str())
            || record.tags[..number].iter().any(|(tag, _)| tag == name);
        if !is_written && is_tag_name(name) && tags.has_room() {
            tags.push(name, value);
        }
    }
    if !record.ending.is_empty() {
        tags.push("Termination", &record.ending);
    }
    let mut text = tags.text;
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
    (1..=LONGEST_TAG_LINE / 2).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The tags of a game, no more and no longer than [`Reader`](super::Reader) takes: text may grow between reading and
/// writing, since Latin-1 is written as UTF-8.
#[derive(Default)]
struct Tags {
    text: String,
    /// As the reader counts them.
    bytes: usize,
}

impl Tags {
    /// Appends a tag; a value that would make its line too long is cut.
    fn push(&mut self, name: &str, value: &str) {
        let begin = self.text.len();
        let text = &mut self.text;
        let end = begin + LONGEST_TAG_LINE - "\"]\n".len();
        text.extend(["[", name, " \""]);
        for letter in value.chars() {
            let is_escaped = matches!(letter, '"' | '\\');
            // A line break would end the tag.
            let letter = if letter.is_control() { ' ' } else { letter };
            if text.len() + usize::from(is_escaped) + letter.len_utf8() > end {
                break;
            }
            if is_escaped {
                text.push('\\');
            }
            text.push(letter);
        }
        text.push_str("\"]\n");
        self.bytes += tag_bytes(text.len() - begin);
    }

    /// Whether the longest tag has room, and the ending behind it.
    fn has_room(&self) -> bool {
        self.bytes + 2 * tag_bytes(LONGEST_TAG_LINE) <= MOST_TAG_BYTES
    }
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
