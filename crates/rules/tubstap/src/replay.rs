//! The platform's game records: a map file followed by what was played.
//!
//! | item | meaning |
//! |---|---|
//! | `PLAYEDDATE[]`, `PLAYEDRULE[]`, `PLAYERRED[]`, `PLAYERBLUE[]` | date, rule set and players |
//! | `TURNINFO[turn,team,n]` | a player's turn and the number of its actions |
//! | `ACTION[unit,x,y,from x,from y,target,target x,target y,type,damage,counter]` | one action |
//! | `COM[]` | a comment |
//!
//! Units are numbered from 0 in the order of the file's `UNIT` items. Types of action: 0 surrender, 1 move, 2 move and
//! attack, 3 end of the turn. A turn may also end without such an action: the next `TURNINFO` says so.

use super::action::Action;
use super::battle::Battle;
use super::board::{Cell, LONGEST};
use super::damage::{self, Losses};
use super::game::Tubstap;
use super::map::EndRules;
use super::notation;
use super::tbsmap::{self, Item};
use super::units::Unit;
use std::fmt::Write;
use tesuji_core::{GameRecord, GameRules, Outcome, ParseError, Position, Rules, Side};

const KIND: &str = "TUBSTAP replay";

/// The tags of a [`GameRecord`] and the items of a replay that hold the same.
const TAGS: [(&str, &str); 3] = [("date", "PLAYEDDATE"), ("red", "PLAYERRED"), ("blue", "PLAYERBLUE")];

/// How a record says that a side has given up.
const RESIGNATION: &str = "resignation";

/// Reads a replay, playing every action by the rules.
///
/// # Errors
/// If the map or an item is malformed or an action is not legal; the error names the line. Damage is computed, not
/// read: the platform writes it only for people.
pub fn parse(text: &str, rules: Rules) -> Result<GameRecord, ParseError> {
    let setup = tbsmap::parse(text)?;
    let start = setup.battle(EndRules::of(rules)).map_err(|problem| ParseError::new(KIND, "", problem))?;
    let game = Tubstap::new(rules);
    let mut record = GameRecord::new(game.name(), rules, game.rules_version(), &notation::format_position(&start));
    let mut reader = Reader { battle: start, cells: setup.units.iter().map(|(_, unit)| Some(unit.cell)).collect() };
    for item in tbsmap::items(text) {
        let item = item?;
        if let Some((tag, _)) = TAGS.iter().find(|(_, name)| *name == item.tag) {
            record.tags.push(((*tag).to_owned(), item.body.to_owned()));
        }
        let resigned = match item.tag {
            "TURNINFO" => {
                reader.turn_info(&item, &mut record)?;
                false
            }
            "ACTION" => reader.action(&item, &mut record)?,
            _ => false,
        };
        if resigned {
            record.outcome = Some(Outcome::Win(reader.battle.mover().other()));
            record.ending = RESIGNATION.to_owned();
            return Ok(record);
        }
    }
    record.outcome = reader.battle.outcome();
    record.ending = reader.battle.ending().to_owned();
    Ok(record)
}

/// The battle as far as it has been read, and where each numbered unit is, if it lives.
struct Reader {
    battle: Battle,
    cells: Vec<Option<Cell>>,
}

impl Reader {
    /// Ends turns early until the battle has come to the announced one.
    fn turn_info(&mut self, item: &Item<'_>, record: &mut GameRecord) -> Result<(), ParseError> {
        let [turn, team, actions] = item.fields(KIND)?;
        let (turn, team): (u16, usize) = (item.number(KIND, turn)?, item.number(KIND, team)?);
        let actions: usize = item.number(KIND, actions)?;
        if team != usize::from(turn % 2) {
            return Err(item.wrong(KIND, "red (team 0) has the even turns, blue (team 1) the odd ones"));
        }
        if self.battle.turn() + 1 == turn {
            self.play(item, Action::END_TURN, record)?;
        }
        // Turns in which nobody can act pass by themselves, and may be announced with no actions.
        let passed = self.battle.turn() > turn && actions == 0;
        if self.battle.turn() == turn || passed || self.battle.outcome().is_some() && actions == 0 {
            Ok(())
        } else {
            Err(item.wrong(KIND, format!("the battle is at turn {}", self.battle.turn())))
        }
    }

    /// Plays an action; whether it was a surrender.
    fn action(&mut self, item: &Item<'_>, record: &mut GameRecord) -> Result<bool, ParseError> {
        let [unit, x, y, _, _, target, _, _, kind, _, _] = item.fields(KIND)?;
        let action = match kind {
            "0" => return Ok(true),
            "1" => Action::go(self.cell(item, unit)?, destination(item, x, y)?),
            "2" => Action::attack(self.cell(item, unit)?, destination(item, x, y)?, self.cell(item, target)?),
            "3" => Action::END_TURN,
            _ => return Err(item.wrong(KIND, format!("no type of action {kind:?}"))),
        };
        self.play(item, action, record)?;
        Ok(false)
    }

    fn cell(&self, item: &Item<'_>, number: &str) -> Result<Cell, ParseError> {
        let index: usize = item.number(KIND, number)?;
        self.cells.get(index).copied().flatten().ok_or_else(|| item.wrong(KIND, format!("no unit {index} is left")))
    }

    fn play(&mut self, item: &Item<'_>, action: Action, record: &mut GameRecord) -> Result<(), ParseError> {
        self.battle.try_play(action).map_err(|error| item.wrong(KIND, error.to_string()))?;
        record.push(action);
        follow(&mut self.cells, &self.battle, action);
        Ok(())
    }
}

/// Keeps the numbered units' cells up to date after an action.
fn follow(cells: &mut [Option<Cell>], battle: &Battle, action: Action) {
    if action == Action::END_TURN {
        return;
    }
    for cell in cells {
        if *cell == Some(action.from()) {
            *cell = Some(action.to());
        }
        *cell = cell.filter(|&cell| battle.unit_at(cell).is_some());
    }
}

/// A destination in the file's coordinates, which count the border.
fn destination(item: &Item<'_>, x: &str, y: &str) -> Result<Cell, ParseError> {
    let coordinate = |field: &str| -> Result<usize, ParseError> {
        let number: usize = item.number(KIND, field)?;
        number.checked_sub(1).filter(|&n| n < LONGEST).ok_or_else(|| item.wrong(KIND, "the destination is off the map"))
    };
    Ok(Cell::new(coordinate(x)?, coordinate(y)?))
}

/// Writes a record as a replay.
///
/// # Errors
/// If the record is of another game, its start is not a position with red to move, or a move is not legal.
pub fn format(record: &GameRecord) -> Result<String, ParseError> {
    let wrong = |problem: String| ParseError::new(KIND, "", problem);
    let game = Tubstap::new(record.rules);
    if record.game != game.name() {
        return Err(wrong(format!("a record of {}, not of {}", record.game, game.name())));
    }
    let start = tesuji_core::game::parse_line(&game, &record.start)?;
    let mut text = tbsmap::format(&start).map_err(wrong)?;
    for (tag, item) in TAGS {
        let value = record.tags.iter().find(|(name, _)| name.eq_ignore_ascii_case(tag)).map_or("", |(_, value)| value);
        // A bracket would end the item.
        let _ = writeln!(text, "{item}[{}];", value.replace(['[', ']', ';'], " "));
    }
    text.push_str("PLAYEDRULE[rule_set_version_0100];\n");
    let first = start.turn();
    let units = Side::BOTH.map(|side| start.army(side).units().to_vec()).concat();
    let mut cells: Vec<Option<Cell>> = units.iter().map(|unit| Some(unit.cell)).collect();
    let mut turns: Vec<(u16, Vec<String>)> = Vec::new();
    let mut after = start.clone();
    let last = record.replay(start, |battle, action, _| {
        let line = format_action(battle, &cells, action);
        let turn = battle.turn() - first;
        match turns.last_mut() {
            Some((number, lines)) if *number == turn => lines.push(line),
            _ => turns.push((turn, vec![line])),
        }
        after.play(action);
        follow(&mut cells, &after, action);
    })?;
    if record.ending == RESIGNATION {
        turns.push((last.turn() - first, vec![numbers([-1, -1, -1, 0, 0, -1, 0, 0, 0, 0, 0])]));
    }
    for (turn, lines) in turns {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "TURNINFO[{turn},{},{}];", turn % 2, lines.len());
        for line in lines {
            let _ = writeln!(text, "ACTION[{line}];");
        }
    }
    Ok(text)
}

fn numbers(fields: [i32; 11]) -> String {
    fields.map(|field| field.to_string()).join(",")
}

/// The fields of an action that is about to be played.
fn format_action(battle: &Battle, cells: &[Option<Cell>], action: Action) -> String {
    if action == Action::END_TURN {
        return numbers([-1, -1, -1, 0, 0, -1, 0, 0, 3, 0, 0]);
    }
    let number = |cell: Cell| cells.iter().position(|&at| at == Some(cell)).map_or(-1, |index| index as i32);
    let (x, y) = (|cell: Cell| cell.x() as i32 + 1, |cell: Cell| cell.y() as i32 + 1);
    let (from, to) = (action.from(), action.to());
    let head = [number(from), x(to), y(to), x(from), y(from)];
    let tail = match action.target() {
        None => [-1, 0, 0, 1, 0, 0],
        Some(target) => {
            let losses = losses(battle, action, target);
            [number(target), x(target), y(target), 2, i32::from(losses.damage), i32::from(losses.counter)]
        }
    };
    let mut fields = [0; 11];
    fields[..5].copy_from_slice(&head);
    fields[5..].copy_from_slice(&tail);
    numbers(fields)
}

/// What an attack will cost both sides.
fn losses(battle: &Battle, action: Action, target: Cell) -> Losses {
    match (battle.unit_at(action.from()), battle.unit_at(target)) {
        (Some((_, unit)), Some((_, enemy))) => {
            damage::exchange(battle.map(), Unit { cell: action.to(), ..unit }, enemy)
        }
        _ => Losses { damage: 0, counter: 0 },
    }
}
