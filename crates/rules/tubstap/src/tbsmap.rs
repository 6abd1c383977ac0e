//! The platform's map files, `.tbsmap`.
//!
//! A file is a list of items `TAG[...]`, each ended by `;`. Text outside items is a comment, and so are items with
//! tags that we do not know (`AUTHOR`, `MAPCOM`), as the platform has it. Files are UTF-8 or Shift-JIS; sizes and
//! coordinates count a border of one cell around the map.

use super::battle::Battle;
use super::board::{Cell, LONGEST};
use super::map::Ground;
use super::setup::Setup;
use super::terrain::Terrain;
use super::units::{Kind, Unit};
use std::borrow::Cow;
use std::fmt::Write;
use tesuji_core::{ParseError, Place, Side};

/// Larger files are not maps or replays: the longest replays take a few hundred kilobytes.
pub const LONGEST_FILE: usize = 1 << 20;

/// Greater thresholds are no different from this one: no army has that many HP.
const GREATEST_THRESHOLD: u32 = 1_000_000;

/// One `TAG[...]` of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    pub(super) tag: &'a str,
    pub(super) body: &'a str,
    /// The line where it begins, from 1.
    pub(super) line: usize,
}

impl<'a> Item<'a> {
    /// An error about this item.
    pub(super) fn wrong(&self, kind: &'static str, problem: impl Into<String>) -> ParseError {
        ParseError::new(kind, &format!("{}[{}]", self.tag, self.body), problem).at(Place::Line(self.line))
    }

    /// The body as exactly `N` fields between commas.
    pub(super) fn fields<const N: usize>(&self, kind: &'static str) -> Result<[&'a str; N], ParseError> {
        let mut fields = [""; N];
        let mut count = 0;
        for field in self.body.split(',') {
            if let Some(place) = fields.get_mut(count) {
                *place = field.trim();
            }
            count += 1;
        }
        if count == N { Ok(fields) } else { Err(self.wrong(kind, format!("expected {N} fields, found {count}"))) }
    }

    /// A field as a number.
    pub(super) fn number<T: std::str::FromStr>(&self, kind: &'static str, field: &str) -> Result<T, ParseError> {
        field.trim().parse().map_err(|_| self.wrong(kind, format!("{field:?} is not a number in range")))
    }
}

/// The items of a file's text, in order; one that we read and that is not closed before the next `;` is an error.
pub(super) fn items(text: &str) -> impl Iterator<Item = Result<Item<'_>, ParseError>> {
    let mut rest = text;
    let mut line = 1;
    std::iter::from_fn(move || {
        loop {
            // A tag is the run of letters just before a bracket; whatever else stands before it is comment.
            let open = rest.find('[')?;
            let before = &rest[..open];
            let tag = &before[before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len()..];
            line += count_lines(before);
            let here = line;
            let behind = &rest[open + 1..];
            let length = behind.find([']', ';']).unwrap_or(behind.len());
            let item = Item { tag, body: &behind[..length], line: here };
            line += count_lines(item.body);
            rest = &behind[length..];
            if !tag.is_empty() {
                let is_read = READ.contains(&tag) || HEADER.contains(&tag);
                let is_open = is_read && !rest.starts_with(']');
                return Some(if is_open { Err(item.wrong(KIND, "no ] closes it")) } else { Ok(item) });
            }
        }
    })
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

/// The text of a file's bytes: UTF-8, or else Shift-JIS (whose damaged characters can only be in comments).
///
/// # Errors
/// If the file is longer than [`LONGEST_FILE`].
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    if bytes.len() > LONGEST_FILE {
        return Err(ParseError::new(KIND, "", format!("longer than {LONGEST_FILE} bytes")));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => encoding_rs::SHIFT_JIS.decode_without_bom_handling(bytes).0,
    })
}

const KIND: &str = "tbsmap";

/// The items that a map or replay has several times.
const READ: [&str; 4] = ["MAP", "UNIT", "TURNINFO", "ACTION"];

/// The items that a map has exactly once.
const HEADER: [&str; 6] = ["SIZEX", "SIZEY", "TURNLIMIT", "HPTHRESHOLD", "UNITNUMRED", "UNITNUMBLUE"];

/// Reads a map; replays are maps with further items, which are skipped.
///
/// # Errors
/// If an item is missing, given twice, malformed or out of range, or the numbers of units or rows do not agree with
/// what is announced; the error names the line. The description is otherwise unchecked: see [`Setup::battle`].
pub fn parse(text: &str) -> Result<Setup, ParseError> {
    let mut values = [None; HEADER.len()];
    let mut rows: Vec<Item<'_>> = Vec::new();
    let mut units: Vec<(Side, Unit)> = Vec::new();
    for item in items(text) {
        let item = item?;
        match item.tag {
            "MAP" if rows.len() < LONGEST + 2 => rows.push(item),
            "MAP" => return Err(item.wrong(KIND, format!("more than {} rows", LONGEST + 2))),
            "UNIT" if units.len() < LONGEST * LONGEST => units.push(parse_unit(&item)?),
            "UNIT" => return Err(item.wrong(KIND, "more units than cells")),
            tag => {
                if let Some(entry) = HEADER.iter().position(|&name| name == tag)
                    && values[entry].replace(item.number::<u32>(KIND, item.body)?).is_some()
                {
                    return Err(item.wrong(KIND, "given twice"));
                }
            }
        }
    }
    let wrong = |problem: String| ParseError::new(KIND, "", problem);
    if let Some(missing) = values.iter().position(Option::is_none) {
        return Err(wrong(format!("no {}[...] item", HEADER[missing])));
    }
    let [width, height, limit, threshold, red, blue] = values.map(Option::unwrap_or_default);
    for (side, tag, announced) in [(Side::First, "UNITNUMRED", red), (Side::Second, "UNITNUMBLUE", blue)] {
        let found = units.iter().filter(|(owner, _)| *owner == side).count();
        if found != announced as usize {
            return Err(wrong(format!("{tag}[{announced}] but {found} UNIT items of that side")));
        }
        if found == 0 {
            return Err(wrong(format!("no unit of the side of {tag}")));
        }
    }
    Ok(Setup {
        ground: parse_ground(&rows, width as usize, height as usize)?,
        turn_limit: u16::try_from(limit).map_err(|_| wrong(format!("TURNLIMIT[{limit}] is out of range")))?,
        threshold: Some(threshold.min(GREATEST_THRESHOLD)),
        units,
        turn: 0,
        ply: 0,
    })
}

/// The terrain of `width` x `height` cells, border included.
fn parse_ground(rows: &[Item<'_>], width: usize, height: usize) -> Result<Ground, ParseError> {
    let sizes = 3..=LONGEST + 2;
    if !sizes.contains(&width) || !sizes.contains(&height) {
        let problem = format!("size {width} x {height}: each must be 3 to {} (with the border)", LONGEST + 2);
        return Err(ParseError::new(KIND, "", problem));
    }
    if rows.len() != height {
        return Err(ParseError::new(KIND, "", format!("SIZEY[{height}] but {} MAP items", rows.len())));
    }
    let mut ground = Ground::filled(width - 2, height - 2, Terrain::Plain).expect("the size was checked");
    for (y, row) in rows.iter().enumerate() {
        let count = row.body.split(',').count();
        if count != width {
            return Err(row.wrong(KIND, format!("SIZEX[{width}] but {count} cells")));
        }
        for (x, field) in row.body.split(',').enumerate() {
            let terrain = Terrain::from_code(row.number(KIND, field)?)
                .ok_or_else(|| row.wrong(KIND, format!("no terrain has the code {}", field.trim())))?;
            let on_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
            if !on_border {
                ground.set(Cell::new(x - 1, y - 1), terrain);
            } else if terrain != Terrain::NoEntry {
                return Err(row.wrong(KIND, "the border must be all 0"));
            }
        }
    }
    Ok(ground)
}

fn parse_unit(item: &Item<'_>) -> Result<(Side, Unit), ParseError> {
    let [x, y, name, team, hp, acted] = item.fields(KIND)?;
    let coordinate = |field: &str| -> Result<usize, ParseError> {
        let number: usize = item.number(KIND, field)?;
        number.checked_sub(1).filter(|&n| n < LONGEST).ok_or_else(|| item.wrong(KIND, "the unit is off the map"))
    };
    let cell = Cell::new(coordinate(x)?, coordinate(y)?);
    let kind = Kind::from_name(name).ok_or_else(|| item.wrong(KIND, format!("no unit is called {name:?}")))?;
    let side = match team {
        "0" => Side::First,
        "1" => Side::Second,
        _ => return Err(item.wrong(KIND, "the team must be 0 (red) or 1 (blue)")),
    };
    let acted = match acted {
        "0" => false,
        "1" => true,
        _ => return Err(item.wrong(KIND, "the last field must be 0 or 1 (has acted)")),
    };
    Ok((side, Unit { cell, kind, hp: item.number(KIND, hp)?, acted }))
}

/// Writes a position as a map file. Files have no turn counter: the turns that are over are taken off the limit, and
/// an infinite threshold becomes one that no army can exceed.
///
/// # Errors
/// If blue is to move or the game is over: files start with red's turn.
pub fn format(battle: &Battle) -> Result<String, String> {
    let map = battle.map();
    if battle.turn() % 2 == 1 || battle.turns_left() == 0 {
        return Err("only positions with red to move can be written as a map file".into());
    }
    let setup = Setup {
        ground: map.ground().clone(),
        turn_limit: battle.turns_left(),
        threshold: map.threshold(),
        units: Side::BOTH
            .into_iter()
            .flat_map(|side| battle.army(side).units().iter().map(move |&unit| (side, unit)))
            .collect(),
        turn: 0,
        ply: 0,
    };
    Ok(format_setup(&setup))
}

/// Writes a description, whose turn must be 0, as a map file.
pub fn format_setup(setup: &Setup) -> String {
    let (width, height) = (setup.ground.width() + 2, setup.ground.height() + 2);
    let number = |side| setup.units.iter().filter(|(owner, _)| *owner == side).count();
    let mut text = format!(
        "SIZEX[{width}];SIZEY[{height}];\nTURNLIMIT[{}];HPTHRESHOLD[{}];\nUNITNUMRED[{}];UNITNUMBLUE[{}];\n",
        setup.turn_limit,
        setup.threshold.unwrap_or(GREATEST_THRESHOLD),
        number(Side::First),
        number(Side::Second)
    );
    for (side, unit) in &setup.units {
        let (x, y) = (unit.cell.x() + 1, unit.cell.y() + 1);
        let (name, team, acted) = (unit.kind.name(), side.index(), u8::from(unit.acted));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "UNIT[{x},{y},{name},{team},{},{acted}];", unit.hp);
    }
    for y in 0..height {
        let code = |x: usize| {
            let inside = (1..width - 1).contains(&x) && (1..height - 1).contains(&y);
            if inside { setup.ground.at(Cell::new(x - 1, y - 1)) } else { Terrain::NoEntry }.code().to_string()
        };
        let _ = writeln!(text, "MAP[{}];", (0..width).map(code).collect::<Vec<_>>().join(","));
    }
    text
}
