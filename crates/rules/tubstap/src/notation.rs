//! Actions and positions as one line of text.
//!
//! For actions see [`action`](super::action).
//!
//! A **position** is five fields: terrain, units, turn/turn limit, HP threshold and the number of actions played (which
//! may be left out):
//!
//! ```text
//! 6/2fmf1/2ff2/1fmf2/1ffs2/6 Ia1:10,Ub1:10,Ia2:10,pe4:4+,if4:10 3/29 10 11
//! ```
//!
//! * Terrain goes row by row from the top, `/` between rows: a number is so many plains, a letter is one cell: `x` no
//!   entry, `.` plain, `s` sea, `f` forest, `m` mountain, `r` road, `h` fortress.
//! * A unit is its mark (F fighter, A attacker, P panzer, U cannon, R anti-air, I infantry; upper case for red, lower
//!   case for blue), its cell and its HP; `+` behind them says that it has acted.
//! * The turn counts the player turns that are over, so red moves at even ones.
//! * The threshold `-` is infinite: every game at the limit is a draw.

pub use super::action::{format_action, parse_action};
use super::battle::Battle;
use super::board::{Cell, LONGEST};
use super::map::{EndRules, Ground};
use super::setup::Setup;
use super::terrain::Terrain;
use super::units::{Kind, Unit};
use std::fmt::Write;
use tesuji_core::{ParseError, Place, Side};

/// No position is longer: 16 rows of 16 cells and 64 units take less than 1,000 characters.
const LONGEST_TEXT: usize = 2_000;

/// The position as text.
pub fn format_position(battle: &Battle) -> String {
    let map = battle.map();
    let mut text = format_ground(map.ground());
    for (number, (side, unit)) in units(battle).enumerate() {
        let mark = match side {
            Side::First => unit.kind.mark(),
            Side::Second => unit.kind.mark().to_ascii_lowercase(),
        };
        let acted = if unit.acted { "+" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{mark}{}:{}{acted}", if number == 0 { ' ' } else { ',' }, unit.cell, unit.hp);
    }
    let threshold = map.threshold().map_or("-".to_owned(), |threshold| threshold.to_string());
    format!("{text} {}/{} {threshold} {}", battle.turn(), map.turn_limit(), battle.ply())
}

/// The units of both sides, red first.
fn units(battle: &Battle) -> impl Iterator<Item = (Side, Unit)> {
    Side::BOTH.into_iter().flat_map(|side| battle.army(side).units().iter().map(move |&unit| (side, unit)))
}

fn format_ground(ground: &Ground) -> String {
    let mut text = String::new();
    for y in 0..ground.height() {
        let mut plains = 0;
        if y > 0 {
            text.push('/');
        }
        for x in 0..ground.width() {
            match ground.at(Cell::new(x, y)) {
                Terrain::Plain => plains += 1,
                terrain => {
                    push_plains(&mut text, &mut plains);
                    text.push(terrain.letter());
                }
            }
        }
        push_plains(&mut text, &mut plains);
    }
    text
}

fn push_plains(text: &mut String, plains: &mut usize) {
    if *plains > 0 {
        text.push_str(&plains.to_string());
        *plains = 0;
    }
}

/// Reads a position.
///
/// # Errors
/// If the text is malformed or the battle impossible; the error says where.
pub fn parse_position(text: &str, options: EndRules) -> Result<Battle, ParseError> {
    let wrong = |problem: String| ParseError::new("TUBSTAP position", text, problem);
    if text.len() > LONGEST_TEXT {
        return Err(wrong(format!("longer than {LONGEST_TEXT} characters")));
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (ground, units, turns, threshold, ply) = match *fields.as_slice() {
        [ground, units, turns, threshold] => (ground, units, turns, threshold, "0"),
        [ground, units, turns, threshold, ply] => (ground, units, turns, threshold, ply),
        _ => {
            let problem = "expected terrain, units, turn/limit, threshold and number of actions";
            return Err(wrong(format!("{problem}, found {} fields", fields.len())));
        }
    };
    let ply = ply.parse().map_err(|_| wrong(format!("the number of actions is {ply:?}")))?;
    let (turn, turn_limit) = turns
        .split_once('/')
        .and_then(|(turn, limit)| Some((turn.parse().ok()?, limit.parse().ok()?)))
        .ok_or_else(|| wrong(format!("expected turn/limit such as 0/16, found {turns:?}")))?;
    let threshold = match threshold {
        "-" => None,
        number => Some(number.parse().map_err(|_| wrong(format!("threshold {number:?} is neither a number nor -")))?),
    };
    let ground = parse_ground(ground).map_err(|(at, problem)| {
        let start = text.len() - text.trim_start().len();
        wrong(problem).at(Place::Character(start + at + 1))
    })?;
    let units = units
        .split(',')
        .map(|unit| parse_unit(unit).ok_or_else(|| wrong(format!("expected a unit such as Ia1:10, found {unit:?}"))))
        .collect::<Result<Vec<_>, _>>()?;
    Setup { ground, turn_limit, threshold, units, turn, ply }.battle(options).map_err(wrong)
}

/// Reads the terrain; an error gives the character, from 0.
fn parse_ground(text: &str) -> Result<Ground, (usize, String)> {
    let mut rows: Vec<Vec<Terrain>> = vec![Vec::new()];
    let mut number = 0;
    let mut characters = text.chars().enumerate().peekable();
    while let Some((at, character)) = characters.next() {
        let row = rows.last_mut().expect("there is always a row");
        match character {
            '/' => rows.push(Vec::new()),
            '0'..='9' => {
                number = number * 10 + character as usize - '0' as usize;
                if number == 0 || number > LONGEST {
                    return Err((at, format!("expected 1 to {LONGEST} plains")));
                }
                if characters.peek().is_none_or(|(_, next)| !next.is_ascii_digit()) {
                    row.extend(std::iter::repeat_n(Terrain::Plain, number));
                    number = 0;
                }
            }
            letter => row.push(Terrain::from_letter(letter).ok_or((at, format!("no terrain {letter:?}")))?),
        }
        if rows.len() > LONGEST || rows.last().is_some_and(|row| row.len() > LONGEST) {
            return Err((at, format!("more than {LONGEST} rows or columns")));
        }
    }
    let width = rows[0].len();
    if rows.iter().any(|row| row.len() != width) {
        return Err((0, "rows of different lengths".into()));
    }
    let mut ground = Ground::filled(width, rows.len(), Terrain::Plain).ok_or((0, "no cells".to_owned()))?;
    for (y, row) in rows.iter().enumerate() {
        for (x, &terrain) in row.iter().enumerate() {
            ground.set(Cell::new(x, y), terrain);
        }
    }
    Ok(ground)
}

fn parse_unit(text: &str) -> Option<(Side, Unit)> {
    let mark = text.chars().next()?;
    let side = if mark.is_ascii_uppercase() { Side::First } else { Side::Second };
    let kind = Kind::from_mark(mark)?;
    let (cell, rest) = Cell::parse_front(&text[mark.len_utf8()..])?;
    let rest = rest.strip_prefix(':')?;
    let (hp, acted) = match rest.strip_suffix('+') {
        Some(hp) => (hp, true),
        None => (rest, false),
    };
    Some((side, Unit { cell, kind, hp: hp.parse().ok()?, acted }))
}
