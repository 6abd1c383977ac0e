//! The battle as a board for a terminal.

use super::battle::Battle;
use super::board::Cell;
use super::terrain::Terrain;
use std::fmt::Write;
use tesuji_core::{Outcome, Side, Style};

/// Three characters a cell: a unit as mark and HP (red upper case, blue lower case), a terrain as its letter. Units
/// that have acted are followed by `+` (and dimmed, in colour).
pub fn render(battle: &Battle, style: Style) -> String {
    let ground = battle.map().ground();
    let mut text = String::from("  ");
    for x in 0..ground.width() {
        let _ = write!(text, "{:>4}", char::from(b'a' + x as u8));
    }
    text.push('\n');
    for y in 0..ground.height() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:2}", y + 1);
        for x in 0..ground.width() {
            render_cell(battle, Cell::new(x, y), style, &mut text);
        }
        text.push('\n');
    }
    let strength = |side| battle.army(side).strength();
    let next = match battle.outcome() {
        Some(Outcome::Win(Side::First)) => "red has won".to_owned(),
        Some(Outcome::Win(Side::Second)) => "blue has won".to_owned(),
        Some(Outcome::Draw) => "drawn".to_owned(),
        None => format!("{} to act with {}", side_name(battle.mover()), count_units(battle.sides().0.ready())),
    };
    let _ = write!(
        text,
        "turn {} of {}, {next}; HP red {}, blue {}",
        battle.turn(),
        battle.map().turn_limit(),
        strength(Side::First),
        strength(Side::Second)
    );
    text
}

fn count_units(number: usize) -> String {
    if number == 1 { "1 unit".into() } else { format!("{number} units") }
}

/// What a side is called.
pub(super) const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "red",
        Side::Second => "blue",
    }
}

fn render_cell(battle: &Battle, cell: Cell, style: Style, out: &mut String) {
    let terrain = battle.map().ground().at(cell);
    let (label, foreground) = match battle.unit_at(cell) {
        Some((side, unit)) => {
            let (mark, color) = match side {
                Side::First => (unit.kind.mark(), "31"),
                Side::Second => (unit.kind.mark().to_ascii_lowercase(), "34"),
            };
            let weight = if unit.acted { "2" } else { "1" };
            let label = format!("{mark}{}{}", unit.hp, if unit.acted { "+" } else { "" });
            (label, format!("{weight};{color}"))
        }
        None => (terrain.letter().to_string(), "2".to_owned()),
    };
    if style.color {
        let _ = write!(out, "\x1b[{foreground};{}m{label:>4}\x1b[0m", background(terrain));
    } else {
        let _ = write!(out, "{label:>4}");
    }
}

/// The ANSI background of a terrain.
const fn background(terrain: Terrain) -> &'static str {
    match terrain {
        Terrain::NoEntry => "40",
        Terrain::Plain => "49",
        Terrain::Sea => "46",
        Terrain::Forest => "42",
        Terrain::Mountain => "43",
        Terrain::Road => "47",
        Terrain::Fortress => "45",
    }
}
