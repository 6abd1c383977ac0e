//! Sparse inputs for integer networks.

use super::battle::Battle;
use super::board::{Cell, LONGEST};
use super::terrain::{Movement, Terrain};
use super::units::{FULL_HP, Kind, Unit};
use tesuji_core::{Features, Side};

/// Units and terrain by cell, the turns that are left and the lead in HP.
///
/// With `c` cells and HP in `h` steps, in this order:
///
/// | inputs | which of them are active |
/// |---|---|
/// | 12 `h` `c` | every unit by owner, kind, HP and cell |
/// | 12 `c` | units that have acted, by owner, kind and cell |
/// | 6 `c` | ground units that are not on plain, by owner, how well they are protected (0, 3, 4) and cell |
/// | 7 `c` | cells of the map that are not plain, by terrain |
/// | 32 | the player turns that are left, at most 31 |
/// | 41 | own HP less theirs, from -20 to 20 |
/// | 3 | who would win by HP if the turns were over: nobody, the own side, the other |
#[derive(Clone, Copy, Debug)]
pub struct Units {
    name: &'static str,
    size: usize,
    /// HP of one step.
    step: usize,
}

/// How many turns left are told apart.
const TURNS: usize = 32;
/// The greatest lead that is told apart.
const LEAD: i32 = 20;
/// Kinds of units of both sides.
const SORTS: usize = 2 * Kind::ALL.len();
/// The most units on a map.
const MOST_UNITS: usize = 2 * super::army::MOST_UNITS;

impl Units {
    /// For maps of up to 8 x 8 cells.
    pub const EIGHT: Units = Units { name: "units8", size: 8, step: 1 };

    /// For every map; HP in steps of two.
    pub const SIXTEEN: Units = Units { name: "units16", size: LONGEST, step: 2 };

    const fn cells(&self) -> usize {
        self.size * self.size
    }

    const fn steps(&self) -> usize {
        (FULL_HP as usize).div_ceil(self.step)
    }

    /// Where each group of inputs begins, and where the last one ends.
    const fn groups(&self) -> [usize; 8] {
        let cells = self.cells();
        let sizes = [
            SORTS * self.steps() * cells,
            SORTS * cells,
            6 * cells,
            Terrain::ALL.len() * cells,
            TURNS,
            2 * LEAD as usize + 1,
            3,
        ];
        let mut groups = [0; 8];
        let mut at = 0;
        while at < sizes.len() {
            groups[at + 1] = groups[at] + sizes[at];
            at += 1;
        }
        groups
    }

    fn at(&self, cell: Cell) -> usize {
        cell.y() * self.size + cell.x()
    }

    fn unit(&self, battle: &Battle, unit: Unit, owner: usize, out: &mut Vec<u32>) {
        let ([units, acted, cover, ..], cells) = (self.groups(), self.cells());
        let (sort, at) = (owner * Kind::ALL.len() + unit.kind.index(), self.at(unit.cell));
        let hp = usize::from(unit.hp.saturating_sub(1)) / self.step;
        out.push((units + (sort * self.steps() + hp) * cells + at) as u32);
        if unit.acted {
            out.push((acted + sort * cells + at) as u32);
        }
        let level = match battle.map().ground().at(unit.cell).defence() {
            _ if unit.kind.movement() == Movement::Air => return,
            0 => 0,
            3 => 1,
            4 => 2,
            _ => return,
        };
        out.push((cover + (owner * 3 + level) * cells + at) as u32);
    }
}

impl Features<Battle> for Units {
    fn name(&self) -> &'static str {
        self.name
    }

    fn inputs(&self) -> usize {
        self.groups()[7]
    }

    fn most_active(&self) -> usize {
        3 * MOST_UNITS.min(self.cells()) + self.cells() + 3
    }

    fn accepts(&self, battle: &Battle) -> bool {
        battle.map().ground().width() <= self.size && battle.map().ground().height() <= self.size
    }

    fn active(&self, battle: &Battle, side: Side, out: &mut Vec<u32>) {
        out.clear();
        let [.., terrain, turns, leads, ends, _] = self.groups();
        let sides = [side, side.other()];
        for (owner, side) in sides.into_iter().enumerate() {
            battle.army(side).units().iter().for_each(|&unit| self.unit(battle, unit, owner, out));
        }
        let ground = battle.map().ground();
        for cell in ground.iter() {
            let kind = ground.at(cell);
            if kind != Terrain::Plain {
                out.push((terrain + usize::from(kind.code()) * self.cells() + self.at(cell)) as u32);
            }
        }
        out.push((turns + usize::from(battle.turns_left()).min(TURNS - 1)) as u32);
        let [own, theirs] = sides.map(|side| battle.army(side).strength() as i32);
        out.push((leads as i32 + (own - theirs).clamp(-LEAD, LEAD) + LEAD) as u32);
        let standing = match battle.map().threshold() {
            Some(threshold) if i64::from(own - theirs) > i64::from(threshold) => 1,
            Some(threshold) if i64::from(theirs - own) > i64::from(threshold) => 2,
            _ => 0,
        };
        out.push((ends + standing) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndRules, Tubstap, maps};
    use tesuji_core::{GameRules, Position, Rules};

    fn seen(battle: &Battle, side: Side) -> Vec<u32> {
        let mut out = Vec::new();
        Units::EIGHT.active(battle, side, &mut out);
        out.sort_unstable();
        out
    }

    #[test]
    fn what_acts_and_what_is_hit_shows() {
        let game = Tubstap::new(Rules::Official);
        let mut battle = game.parse_position("map01").unwrap();
        let before = seen(&battle, Side::First);
        let mut moves = Vec::new();
        battle.moves(&mut moves);
        battle.play(moves[0]);
        let after = seen(&battle, Side::First);
        assert_eq!(after.len(), before.len() + 1, "one unit more has acted");
        assert_ne!(after, seen(&battle, Side::Second));
    }

    #[test]
    fn both_sides_see_the_same_where_the_colours_are_swapped() {
        let mut setup = maps::find("map01").unwrap().setup();
        setup.units[0].1.hp = 3;
        let battle = setup.battle(EndRules::of(Rules::Official)).unwrap();
        setup.units.iter_mut().for_each(|(side, _)| *side = side.other());
        let swapped = setup.battle(EndRules::of(Rules::Official)).unwrap();
        for side in Side::BOTH {
            assert_eq!(seen(&battle, side), seen(&swapped, side.other()));
        }
    }

    #[test]
    fn large_maps_are_for_the_large_inputs() {
        let battle = Tubstap::new(Rules::Official).parse_position("islands").unwrap();
        assert!(!Units::EIGHT.accepts(&battle) && Units::SIXTEEN.accepts(&battle));
    }
}
