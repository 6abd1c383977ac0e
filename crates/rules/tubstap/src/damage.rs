//! What an attack does. Nothing is left to chance.

use super::map::Map;
use super::units::Unit;

/// The losses of an attack and of its counter-attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses {
    /// HP that the target loses.
    pub damage: u8,
    /// HP that the attacker loses to the counter-attack.
    pub counter: u8,
}

/// The HP that `target` loses to an attack by a unit like `attacker`, on the given defence.
///
/// HP are those before the attack; the loss is never greater than the target's HP.
#[inline]
pub fn damage(attacker: Unit, target: Unit, defence: u32) -> u8 {
    let power = attacker.kind.power(target.kind);
    if power == 0 {
        return 0;
    }
    let loss = (power * u32::from(attacker.hp) + 70) / (100 + defence * u32::from(target.hp));
    loss.min(u32::from(target.hp)) as u8
}

/// Both sides' losses when `attacker`, standing where its `cell` says, attacks `target`.
///
/// The target counters only if it survives and both fight at close quarters.
#[inline]
pub fn exchange(map: &Map, attacker: Unit, target: Unit) -> Losses {
    let damage_done = damage(attacker, target, map.defence(target));
    let survivor = Unit { hp: target.hp - damage_done, ..target };
    let counters = survivor.hp > 0 && !attacker.kind.is_indirect() && !target.kind.is_indirect();
    let counter = if counters { damage(survivor, attacker, map.defence(attacker)) } else { 0 };
    Losses { damage: damage_done, counter }
}
