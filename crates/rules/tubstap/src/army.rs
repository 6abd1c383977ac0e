//! The units of one side.

use super::board::{Board, Cell};
use super::units::{Kind, Unit};
use std::fmt;
use tesuji_core::{Side, random};

/// The most units that a side can have.
pub const MOST_UNITS: usize = 32;

const NOBODY: Unit = Unit { cell: Cell::from_byte(0), kind: Kind::Fighter, hp: 0, acted: false };

/// The units of one side, always in the order of their cells, with their hash.
///
/// The order is canonical: two battles that look the same are the same, however they came about, so that move lists
/// and network views follow from the look alone.
#[derive(Clone, Copy)]
pub struct Army {
    units: [Unit; MOST_UNITS],
    len: u8,
    /// Units that have yet to act.
    ready: u8,
    side: Side,
    /// Hash of cells, kinds and HP.
    key: u64,
    /// Hash of the cells of units that have acted: apart, because it is cleared when the turn ends.
    acted_key: u64,
}

impl Army {
    /// An army without units.
    pub fn new(side: Side) -> Army {
        Army { units: [NOBODY; MOST_UNITS], len: 0, ready: 0, side, key: 0, acted_key: 0 }
    }

    /// The units, by cell.
    #[inline]
    pub fn units(&self) -> &[Unit] {
        &self.units[..usize::from(self.len)]
    }

    /// Whether no unit is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many units have yet to act.
    #[inline]
    pub fn ready(&self) -> usize {
        usize::from(self.ready)
    }

    /// The units that have yet to act, by cell.
    #[inline]
    pub fn ready_units(&self) -> impl Iterator<Item = Unit> {
        self.units().iter().copied().filter(|unit| !unit.acted)
    }

    /// The sum of the units' HP.
    pub fn strength(&self) -> u32 {
        self.units().iter().map(|unit| u32::from(unit.hp)).sum()
    }

    /// The number of the unit on a cell.
    #[inline]
    pub fn find(&self, cell: Cell) -> Option<usize> {
        self.units().iter().position(|unit| unit.cell == cell)
    }

    /// The cells that the units stand on.
    #[inline]
    pub fn cells<B: Board>(&self) -> B {
        self.units().iter().fold(B::EMPTY, |set, unit| set.or(B::of(unit.cell)))
    }

    /// The hash of everything here.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key ^ self.acted_key
    }

    /// Adds a unit on a free cell; there must be fewer than [`MOST_UNITS`].
    pub fn insert(&mut self, unit: Unit) {
        let last = usize::from(self.len);
        self.units[last] = Unit { cell: Cell::from_byte(u8::MAX), ..NOBODY };
        self.len += 1;
        self.count_in(unit);
        self.place(last, unit);
    }

    /// Puts another unit, or the same one changed, in the place of number `index`; its cell must be free.
    #[inline]
    pub fn replace(&mut self, index: usize, unit: Unit) {
        self.count_out(self.units[index]);
        self.count_in(unit);
        self.place(index, unit);
    }

    /// Takes a unit away.
    #[inline]
    pub fn remove(&mut self, index: usize) {
        self.count_out(self.units[index]);
        self.units.copy_within(index + 1..usize::from(self.len), index);
        self.len -= 1;
    }

    /// Makes all units ready to act.
    #[inline]
    pub fn rest(&mut self) {
        for unit in &mut self.units[..usize::from(self.len)] {
            unit.acted = false;
        }
        self.ready = self.len;
        self.acted_key = 0;
    }

    /// Writes a unit to the free place `index` or wherever the order of cells wants it.
    #[inline]
    fn place(&mut self, mut index: usize, unit: Unit) {
        while index > 0 && self.units[index - 1].cell > unit.cell {
            self.units[index] = self.units[index - 1];
            index -= 1;
        }
        while index + 1 < usize::from(self.len) && self.units[index + 1].cell < unit.cell {
            self.units[index] = self.units[index + 1];
            index += 1;
        }
        self.units[index] = unit;
    }

    #[inline]
    fn count_in(&mut self, unit: Unit) {
        self.toggle(unit);
        self.ready += u8::from(!unit.acted);
    }

    #[inline]
    fn count_out(&mut self, unit: Unit) {
        self.toggle(unit);
        self.ready -= u8::from(!unit.acted);
    }

    /// Adds a unit to the hashes, or takes it out.
    #[inline]
    fn toggle(&mut self, unit: Unit) {
        let place = u64::from(unit.cell.byte()) | (self.side.index() as u64) << 8;
        self.key ^= random::mix(place | (unit.kind.index() as u64) << 16 | u64::from(unit.hp) << 24);
        if unit.acted {
            self.acted_key ^= random::mix(place | 1 << 32);
        }
    }
}

impl PartialEq for Army {
    fn eq(&self, other: &Army) -> bool {
        self.side == other.side && self.units() == other.units()
    }
}

impl Eq for Army {}

impl fmt::Debug for Army {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.units()).finish()
    }
}
