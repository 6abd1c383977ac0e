//! A state of play.

use super::action::Action;
use super::army::Army;
use super::board::Cell;
use super::damage;
use super::map::Map;
use super::units::Unit;
use std::sync::Arc;
use tesuji_core::{Outcome, Side};

/// A battle in progress.
#[derive(Debug)]
pub struct Battle {
    map: Arc<Map>,
    state: State,
}

/// What changes: plain data, so that copying it is one block move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    armies: [Army; 2],
    /// Player turns that are over; red moves at even ones.
    turn: u16,
    ply: u32,
}

impl Clone for Battle {
    fn clone(&self) -> Battle {
        Battle { map: Arc::clone(&self.map), state: self.state }
    }

    /// Leaves the map's reference count alone if both battles are on the same map: searches on several threads would
    /// otherwise fight over its cache line.
    #[inline]
    fn clone_from(&mut self, source: &Battle) {
        if !Arc::ptr_eq(&self.map, &source.map) {
            self.map = Arc::clone(&source.map);
        }
        self.state = source.state;
    }
}

impl Battle {
    /// A battle from checked parts; turns without a unit that can act pass.
    pub(super) fn from_parts(map: Arc<Map>, armies: [Army; 2], turn: u16, ply: u32) -> Battle {
        let mut battle = Battle { map, state: State { armies, turn, ply } };
        battle.pass_idle_turns();
        battle
    }

    /// The unchanging part of the battle.
    #[inline]
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The units of a side.
    #[inline]
    pub fn army(&self, side: Side) -> &Army {
        &self.state.armies[side.index()]
    }

    /// The army of the side to move and that of its opponent.
    #[inline]
    pub fn sides(&self) -> (&Army, &Army) {
        let mover = self.mover();
        (self.army(mover), self.army(mover.other()))
    }

    /// The side to move.
    #[inline]
    pub(super) fn mover(&self) -> Side {
        if self.state.turn & 1 == 0 { Side::First } else { Side::Second }
    }

    /// The number of actions played.
    #[inline]
    pub(super) fn ply(&self) -> u32 {
        self.state.ply
    }

    /// The result, if the game is over.
    #[inline]
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let [red, blue] = &self.state.armies;
        if red.is_empty() {
            return Some(Outcome::Win(Side::Second));
        }
        if blue.is_empty() {
            return Some(Outcome::Win(Side::First));
        }
        if self.state.turn < self.map.turn_limit() {
            return None;
        }
        let (red, blue) = (red.strength(), blue.strength());
        Some(match self.map.threshold() {
            Some(threshold) if red > blue.saturating_add(threshold) => Outcome::Win(Side::First),
            Some(threshold) if blue > red.saturating_add(threshold) => Outcome::Win(Side::Second),
            _ => Outcome::Draw,
        })
    }

    /// Plays a legal action.
    #[inline]
    pub(super) fn play(&mut self, action: Action) {
        self.state.ply += 1;
        if action == Action::END_TURN {
            self.end_turn();
        } else {
            self.act(action);
            // A destroyed army has nobody ready either, but its turn stays: the game is over.
            if self.sides().0.ready() == 0 && !self.is_annihilated() {
                self.end_turn();
            }
        }
        self.pass_idle_turns();
    }

    /// The battle under a symmetry of its map.
    pub(super) fn transformed(&self, symmetry: usize) -> Battle {
        let ground = self.map.ground();
        let armies = Side::BOTH.map(|side| {
            let mut army = Army::new(side);
            for &unit in self.army(side).units() {
                army.insert(Unit { cell: ground.symmetric(symmetry, unit.cell), ..unit });
            }
            army
        });
        let state = State { armies, ..self.state };
        Battle { map: self.map.transformed(symmetry), state }
    }

    /// Player turns that are over.
    #[inline]
    pub fn turn(&self) -> u16 {
        self.state.turn
    }

    /// Player turns until the limit.
    #[inline]
    pub fn turns_left(&self) -> u16 {
        self.map.turn_limit().saturating_sub(self.state.turn)
    }

    /// The unit on a cell and its side.
    pub fn unit_at(&self, cell: Cell) -> Option<(Side, Unit)> {
        Side::BOTH.into_iter().find_map(|side| {
            let army = self.army(side);
            army.find(cell).map(|index| (side, army.units()[index]))
        })
    }

    /// Whether the side to move may end its turn: by the rules, and because a unit could still act.
    #[inline]
    pub fn may_end_turn(&self) -> bool {
        self.map.options().early_end && self.sides().0.ready() > 0 && !self.is_annihilated()
    }

    #[inline]
    pub(super) fn is_annihilated(&self) -> bool {
        self.state.armies[0].is_empty() || self.state.armies[1].is_empty()
    }

    /// Lets the units of the side to move rest and gives the turn to the other side.
    #[inline]
    fn end_turn(&mut self) {
        let mover = self.mover();
        self.state.armies[mover.index()].rest();
        self.state.turn += 1;
    }

    /// Ends turns in which nobody can act, while the game goes on.
    #[inline]
    fn pass_idle_turns(&mut self) {
        while self.sides().0.ready() == 0 && self.outcome().is_none() {
            self.end_turn();
        }
    }

    /// Lets a unit act.
    #[inline]
    fn act(&mut self, action: Action) {
        let mover = self.mover();
        let index = self.army(mover).find(action.from()).expect("a legal action names a unit of the side to move");
        let mut unit = Unit { cell: action.to(), acted: true, ..self.army(mover).units()[index] };
        if let Some(cell) = action.target() {
            let opponents = &mut self.state.armies[mover.other().index()];
            let target = opponents.find(cell).expect("a legal attack names an enemy");
            let enemy = opponents.units()[target];
            let losses = damage::exchange(&self.map, unit, enemy);
            if losses.damage == enemy.hp {
                opponents.remove(target);
            } else if losses.damage > 0 {
                opponents.replace(target, Unit { hp: enemy.hp - losses.damage, ..enemy });
            }
            unit.hp -= losses.counter;
        }
        let army = &mut self.state.armies[mover.index()];
        if unit.hp == 0 {
            army.remove(index);
        } else {
            army.replace(index, unit);
        }
    }
}
