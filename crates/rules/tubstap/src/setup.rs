//! Battles as they are written down, before they are checked.

use super::army::{Army, MOST_UNITS};
use super::battle::Battle;
use super::map::{EndRules, Ground, Map};
use super::units::{FULL_HP, Unit};
use std::sync::Arc;
use tesuji_core::Side;

/// The longest turn limit: games must end in reasonable time.
pub const LONGEST_LIMIT: u16 = 10_000;

/// More actions than any game can have.
const MOST_ACTIONS: u32 = 2 * LONGEST_LIMIT as u32 * MOST_UNITS as u32;

/// A battle as a file or text describes it, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The terrain.
    pub ground: Ground,
    /// The number of player turns after which the game ends.
    pub turn_limit: u16,
    /// By how much a side's HP must exceed the other's to win at the turn limit; `None` means that nobody does.
    pub threshold: Option<u32>,
    /// The units, in the order of the file (replays number them so).
    pub units: Vec<(Side, Unit)>,
    /// The number of player turns already over; red moves at even ones.
    pub turn: u16,
    /// The number of actions already played.
    pub ply: u32,
}

impl Setup {
    /// Checks the description and makes a position of it.
    ///
    /// If the side to move has no unit that can act, its turn passes.
    ///
    /// # Errors
    /// If the battle is impossible: no units, too many, two on a cell, one off the map, on terrain that it cannot
    /// enter or with HP outside 1..=10, or a turn or turn limit out of range. The text says which.
    pub fn battle(&self, options: EndRules) -> Result<Battle, String> {
        if !(1..=LONGEST_LIMIT).contains(&self.turn_limit) {
            return Err(format!("turn limit {} is not in 1..={LONGEST_LIMIT}", self.turn_limit));
        }
        if self.turn > 2 * LONGEST_LIMIT || self.ply > MOST_ACTIONS {
            return Err(format!("turn {} or action {} is far beyond any limit", self.turn, self.ply));
        }
        if self.units.is_empty() {
            return Err("there are no units".into());
        }
        let mut armies = Side::BOTH.map(Army::new);
        for (number, &(side, unit)) in self.units.iter().enumerate() {
            let wrong =
                |problem: String| format!("unit {} ({} at {}) {problem}", number + 1, unit.kind.name(), unit.cell);
            if !self.ground.contains(unit.cell) {
                return Err(wrong("is off the map".into()));
            }
            let terrain = self.ground.at(unit.cell);
            if terrain.cost(unit.kind.movement()).is_none() {
                return Err(wrong(format!("cannot be on {}", terrain.name())));
            }
            if !(1..=FULL_HP).contains(&unit.hp) {
                return Err(wrong(format!("has {} HP, not 1 to {FULL_HP}", unit.hp)));
            }
            if armies.iter().any(|army| army.find(unit.cell).is_some()) {
                return Err(wrong("is on an occupied cell".into()));
            }
            if armies[side.index()].units().len() == MOST_UNITS {
                return Err(format!("a side has more than {MOST_UNITS} units"));
            }
            armies[side.index()].insert(unit);
        }
        let map = Map::new(self.ground.clone(), self.turn_limit, self.threshold, options);
        Ok(Battle::from_parts(Arc::new(map), armies, self.turn, self.ply))
    }
}
