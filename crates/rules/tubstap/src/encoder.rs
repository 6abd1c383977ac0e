//! Battles as planes of numbers: one view for each unit that can act.
//!
//! The policy of a view, for maps of up to `n` x `n` cells, has `5 n n` indices in five planes: plane 0 is the cell
//! where the unit goes, planes 1 to 4 are the cell from which it attacks its neighbour above, to the right, below or
//! to the left. A cannon firing needs no plane of its own: plane 0 at the *target's* cell, to which no unit can go.
//! Where the rules know the end of the turn, it has one more index, the last, in view 0.

use super::action::Action;
use super::army::{Army, MOST_UNITS};
use super::battle::Battle;
use super::board::{Cell, LONGEST};
use super::damage;
use super::map::EndRules;
use super::movegen;
use super::terrain::Terrain;
use super::units::{FULL_HP, Kind, Unit};
use tesuji_core::{Encoder, Rules, Shape, Side};

/// The unit of a view: the view's number counts the units that can act, by cell.
fn acting_unit(battle: &Battle, view: usize) -> Unit {
    battle.sides().0.ready_units().nth(view).expect("a view belongs to a unit that can act")
}

/// The view and policy index of an action on a board of `size` x `size`.
fn policy_index(battle: &Battle, action: Action, size: usize) -> (usize, usize) {
    let plane = size * size;
    if action == Action::END_TURN {
        return (0, POLICY_PLANES * plane);
    }
    let army: &Army = battle.sides().0;
    let view = army.ready_units().take_while(|unit| unit.cell < action.from()).count();
    let at = |cell: Cell| cell.y() * size + cell.x();
    let to = action.to();
    let index = match action.target() {
        None => at(to),
        Some(target) if to.distance(target) > 1 => at(target),
        Some(target) => {
            let direction = match () {
                () if target.y() < to.y() => 1,
                () if target.x() > to.x() => 2,
                () if target.y() > to.y() => 3,
                () => 4,
            };
            direction * plane + at(to)
        }
    };
    (view, index)
}

/// A step, and an attack in each of four directions.
const POLICY_PLANES: usize = 5;

fn policy_len(size: usize, options: EndRules) -> usize {
    POLICY_PLANES * size * size + usize::from(options.early_end)
}

/// Whether a battle's map fits a board of `size` x `size`.
fn fits(battle: &Battle, size: usize) -> bool {
    battle.map().ground().width() <= size && battle.map().ground().height() <= size
}

/// HP as a number in 0..=1.
fn scaled_hp(hp: u8) -> f32 {
    f32::from(hp) / f32::from(FULL_HP)
}

/// What the fifth plane of the paper's input is: the paper does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FifthPlane {
    /// The code of the terrain, over 6.
    Terrain,
    /// The share of the turns that is left.
    TurnsLeft,
}

/// The paper's 6 x 6 x 5 input: own HP, enemy HP, own units that have acted, the unit to act, and the fifth plane.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    fifth: FifthPlane,
    options: EndRules,
}

/// The size of the paper's maps.
const PAPER_SIZE: usize = 6;

impl Paper {
    /// The encoder for battles under these rules.
    pub fn new(fifth: FifthPlane, rules: Rules) -> Paper {
        Paper { fifth, options: EndRules::of(rules) }
    }
}

impl Encoder<Battle> for Paper {
    fn name(&self) -> &'static str {
        match self.fifth {
            FifthPlane::Terrain => "paper",
            FifthPlane::TurnsLeft => "paper-turns",
        }
    }

    fn shape(&self) -> Shape {
        Shape { planes: 5, height: PAPER_SIZE, width: PAPER_SIZE }
    }

    fn policy_len(&self) -> usize {
        policy_len(PAPER_SIZE, self.options)
    }

    fn policy_planes(&self) -> Option<usize> {
        Some(POLICY_PLANES)
    }

    fn accepts(&self, battle: &Battle) -> bool {
        fits(battle, PAPER_SIZE)
    }

    fn views(&self, battle: &Battle) -> usize {
        battle.sides().0.ready()
    }

    fn most_views(&self) -> usize {
        MOST_UNITS
    }

    fn encode(&self, battle: &Battle, view: usize, out: &mut [f32]) {
        const CELLS: usize = PAPER_SIZE * PAPER_SIZE;
        out.fill(0.0);
        let at = |plane: usize, cell: Cell| plane * CELLS + cell.y() * PAPER_SIZE + cell.x();
        let (army, enemies) = battle.sides();
        for unit in army.units() {
            out[at(0, unit.cell)] = scaled_hp(unit.hp);
            out[at(2, unit.cell)] = f32::from(u8::from(unit.acted));
        }
        for unit in enemies.units() {
            out[at(1, unit.cell)] = scaled_hp(unit.hp);
        }
        out[at(3, acting_unit(battle, view).cell)] = 1.0;
        match self.fifth {
            FifthPlane::Terrain => {
                for cell in battle.map().ground().iter() {
                    out[at(4, cell)] = f32::from(battle.map().ground().at(cell).code()) / 6.0;
                }
            }
            FifthPlane::TurnsLeft => {
                out[4 * CELLS..].fill(f32::from(battle.turns_left()) / f32::from(battle.map().turn_limit()));
            }
        }
    }

    fn index(&self, battle: &Battle, action: Action) -> (usize, usize) {
        policy_index(battle, action, PAPER_SIZE)
    }
}

/// A richer input, for all units and terrains, on maps of up to a given size.
///
/// | planes | meaning |
/// |---|---|
/// | 0-5 | HP of own units, by kind |
/// | 6-11 | HP of enemy units, by kind |
/// | 12 | units of either side that have acted |
/// | 13 | the unit to act |
/// | 14 | where it can go |
/// | 15 | on each enemy: the damage that the unit to act would do |
/// | 16 | on each enemy: the damage that it would do to the unit to act, on plain |
/// | 17-22 | terrain: plain, sea, forest, mountain, road, fortress |
/// | 23 | turns left, over 16, at most 2 |
/// | 24 | 1 if red is to move |
/// | 25 | own HP less enemy HP, over 20, in -2..=2 |
/// | 26 | the threshold, over 20; 2 if it is greater or infinite |
#[derive(Clone, Copy, Debug)]
pub struct Rich {
    size: usize,
    name: &'static str,
    options: EndRules,
}

impl Rich {
    /// For maps of up to 6 x 6 cells, as in the paper.
    pub fn six(rules: Rules) -> Rich {
        Rich { size: PAPER_SIZE, name: "rich6", options: EndRules::of(rules) }
    }

    /// For every map.
    pub fn sixteen(rules: Rules) -> Rich {
        Rich { size: LONGEST, name: "rich16", options: EndRules::of(rules) }
    }
}

impl Encoder<Battle> for Rich {
    fn name(&self) -> &'static str {
        self.name
    }

    fn shape(&self) -> Shape {
        Shape { planes: 27, height: self.size, width: self.size }
    }

    fn policy_len(&self) -> usize {
        policy_len(self.size, self.options)
    }

    fn policy_planes(&self) -> Option<usize> {
        Some(POLICY_PLANES)
    }

    fn accepts(&self, battle: &Battle) -> bool {
        fits(battle, self.size)
    }

    fn views(&self, battle: &Battle) -> usize {
        battle.sides().0.ready()
    }

    fn most_views(&self) -> usize {
        MOST_UNITS
    }

    fn encode(&self, battle: &Battle, view: usize, out: &mut [f32]) {
        let cells = self.size * self.size;
        out.fill(0.0);
        let at = |plane: usize, cell: Cell| plane * cells + cell.y() * self.size + cell.x();
        let (map, acting) = (battle.map(), acting_unit(battle, view));
        let (army, enemies) = battle.sides();
        for (first, units) in [(0, army.units()), (Kind::ALL.len(), enemies.units())] {
            for unit in units {
                out[at(first + unit.kind.index(), unit.cell)] = scaled_hp(unit.hp);
                out[at(12, unit.cell)] = f32::from(u8::from(unit.acted));
            }
        }
        out[at(13, acting.cell)] = 1.0;
        movegen::visit_reachable(battle, acting, |cell| out[at(14, cell)] = 1.0);
        for &enemy in enemies.units() {
            out[at(15, enemy.cell)] = scaled_hp(damage::damage(acting, enemy, map.defence(enemy)));
            out[at(16, enemy.cell)] = scaled_hp(damage::damage(enemy, acting, Terrain::Plain.defence()));
        }
        for cell in map.ground().iter() {
            if let Some(plane) = map.ground().at(cell).code().checked_sub(1) {
                out[at(17 + usize::from(plane), cell)] = 1.0;
            }
        }
        let lead = army.strength() as f32 - enemies.strength() as f32;
        let constants = [
            (f32::from(battle.turns_left()) / 16.0).min(2.0),
            f32::from(u8::from(battle.mover() == Side::First)),
            (lead / 20.0).clamp(-2.0, 2.0),
            map.threshold().map_or(2.0, |threshold| (threshold as f32 / 20.0).min(2.0)),
        ];
        for (plane, constant) in out[23 * cells..].chunks_exact_mut(cells).zip(constants) {
            plane.fill(constant);
        }
    }

    fn index(&self, battle: &Battle, action: Action) -> (usize, usize) {
        policy_index(battle, action, self.size)
    }
}
