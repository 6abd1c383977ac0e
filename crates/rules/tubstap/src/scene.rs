//! The map to be drawn, and actions as gestures.

use super::action::Action;
use super::battle::Battle;
use super::board::Cell;
use super::damage;
use super::render::side_name;
use super::terrain::Terrain;
use super::units::Unit;
use tesuji_core::Side;
use tesuji_core::scene::{self, Board, Look, Piece, Scene, Step, capital, letters};

/// The word for a terrain; the page has a picture for each.
const fn ground(terrain: Terrain) -> &'static str {
    match terrain {
        Terrain::NoEntry => "void",
        other => other.name(),
    }
}

/// The map with its units, and what decides the game.
pub(super) fn scene(battle: &Battle) -> Scene {
    let map = battle.map();
    let (width, height) = (map.ground().width(), map.ground().height());
    let cell = |cell: Cell| scene::Cell {
        id: cell.to_string(),
        column: cell.x(),
        row: cell.y(),
        terrain: Some(ground(map.ground().at(cell))),
    };
    let places = (0..height).flat_map(|y| (0..width).map(move |x| Cell::new(x, y)));
    let mut scene = Scene::of(vec![Board {
        id: "map".to_owned(),
        title: None,
        columns: width,
        rows: height,
        column_labels: letters(width),
        row_labels: (1..=height).map(|row| row.to_string()).collect(),
        style: Look::Map,
        cells: places.map(cell).collect(),
    }]);
    for side in Side::BOTH {
        let unit = |unit: &Unit| Piece {
            hp: Some(unit.hp),
            spent: unit.acted,
            ..Piece::new(unit.cell.to_string(), side.index(), unit.kind.name(), unit.kind.mark())
        };
        scene.pieces.extend(battle.army(side).units().iter().map(unit));
    }
    scene.notes = notes(battle);
    scene
}

fn notes(battle: &Battle) -> Vec<String> {
    let [red, blue] = Side::BOTH.map(|side| battle.army(side).strength());
    let limit = battle.map().turn_limit();
    let rule = match battle.map().threshold() {
        Some(threshold) => format!("at the end a lead of more than {threshold} HP wins"),
        None => "at the end the game is a draw".to_owned(),
    };
    let ready = battle.sides().0.ready();
    vec![
        format!("turn {} of {limit}", (battle.turn() + 1).min(limit)),
        format!("HP: red {red}, blue {blue}; {rule}"),
        format!("{}: units that can act: {ready}", capital(side_name(battle.mover()))),
    ]
}

/// The unit, where it goes, and whom it attacks, with what both will lose; or the end of the turn.
pub(super) fn steps(battle: &Battle, action: Action) -> Vec<Step> {
    if action == Action::END_TURN {
        return vec![Step::choice("end turn")];
    }
    let last = match action.target() {
        None => Step::choice("wait"),
        Some(target) => Step { forecast: forecast(battle, action, target), ..Step::cell(target.to_string()) },
    };
    vec![Step::cell(action.from().to_string()), Step::cell(action.to().to_string()), last]
}

/// What the target and the attacker lose: `-4 / -2 HP`.
fn forecast(battle: &Battle, action: Action, target: Cell) -> Option<String> {
    let (_, unit) = battle.unit_at(action.from())?;
    let (_, enemy) = battle.unit_at(target)?;
    let losses = damage::exchange(battle.map(), Unit { cell: action.to(), ..unit }, enemy);
    let loss = |hp: u8| if hp == 0 { "0".to_owned() } else { format!("-{hp}") };
    Some(format!("{} / {} HP", loss(losses.damage), loss(losses.counter)))
}

/// The action in words: `infantry b2-c3 x c4`.
pub(super) fn notation(battle: &Battle, action: Action) -> String {
    if action == Action::END_TURN {
        return "end turn".to_owned();
    }
    let kind = battle.unit_at(action.from()).map_or("unit", |(_, unit)| unit.kind.name());
    let goes = match action.from() == action.to() {
        true => action.from().to_string(),
        false => format!("{}-{}", action.from(), action.to()),
    };
    match action.target() {
        Some(target) => format!("{kind} {goes} x {target}"),
        None => format!("{kind} {goes}"),
    }
}
