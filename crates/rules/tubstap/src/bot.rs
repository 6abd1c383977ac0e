//! MaxActEval, the sample player of the platform: the best attack by a simple sum, else a good place.

use super::action::Action;
use super::battle::Battle;
use super::damage;
use super::units::Unit;
use tesuji_core::Stream;

/// An attack must be worth more than this to be made.
const LEAST_ATTACK: i32 = -20;

/// MaxActEval's choice among the battle's moves.
///
/// The first of the best attacks, if it is worth more than -20; otherwise a unit drawn at random among those that have
/// yet to act goes to the first of its best cells.
pub fn choose(battle: &Battle, moves: &[Action], random: &mut Stream) -> Action {
    let (army, enemies) = battle.sides();
    let unit_on = |cell| army.find(cell).map(|index| army.units()[index]);
    let mut best: Option<(i32, Action)> = None;
    for &action in moves {
        let (Some(unit), Some(enemy)) = (unit_on(action.from()), action.target().and_then(|cell| enemies.find(cell)))
        else {
            continue;
        };
        if let Some(worth) = attack_worth(battle, Unit { cell: action.to(), ..unit }, enemies.units()[enemy])
            && best.is_none_or(|(most, _)| worth > most)
        {
            best = Some((worth, action));
        }
    }
    if let Some((_, action)) = best.filter(|&(worth, _)| worth > LEAST_ATTACK) {
        return action;
    }
    let chosen = army.ready_units().nth(random.below(army.ready())).expect("a side to move has a unit that can act");
    let mut best = (i32::MIN, Action::go(chosen.cell, chosen.cell));
    for &action in moves.iter().filter(|action| action.from() == chosen.cell && action.target().is_none()) {
        if action == Action::END_TURN {
            continue;
        }
        let worth = place_worth(battle, Unit { cell: action.to(), ..chosen });
        if worth > best.0 {
            best = (worth, action);
        }
    }
    best.1
}

/// What an attack from where `unit` stands is worth; `None` if it does no damage.
fn attack_worth(battle: &Battle, unit: Unit, enemy: Unit) -> Option<i32> {
    let losses = damage::exchange(battle.map(), unit, enemy);
    let (damage, counter) = (i32::from(losses.damage), i32::from(losses.counter));
    let gain = damage * (10 + threat(battle, enemy)) - counter * (10 + i32::from(unit.hp));
    (damage > 0).then_some(gain)
}

/// The greatest damage that an enemy could do to one of our units that have acted.
fn threat(battle: &Battle, enemy: Unit) -> i32 {
    let army = battle.sides().0;
    let acted = army.units().iter().filter(|unit| unit.acted);
    acted.map(|&unit| i32::from(damage::damage(enemy, unit, battle.map().defence(unit)))).max().unwrap_or(0)
}

/// What it is worth to stand where `unit` stands.
fn place_worth(battle: &Battle, unit: Unit) -> i32 {
    let enemies = battle.sides().1.units();
    let nearness: u32 =
        enemies.iter().map(|enemy| unit.kind.power(enemy.kind) / (unit.cell.distance(enemy.cell) + 5)).sum();
    (5 * battle.map().defence(unit) + nearness) as i32
}
