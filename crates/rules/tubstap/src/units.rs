//! The six kinds of unit.

use super::board::Cell;
use super::terrain::Movement;

/// The greatest HP of a unit.
pub const FULL_HP: u8 = 10;

/// A kind of unit, in the platform's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Fighter aircraft: fast, fights aircraft only.
    Fighter,
    /// Attack aircraft: fights ground units only.
    Attacker,
    /// Tank.
    Panzer,
    /// Artillery: moves or fires, never both, at a distance of 2 or 3.
    Cannon,
    /// Anti-air tank.
    AntiAir,
    /// Infantry.
    Infantry,
}

/// Power of an attack, row attacks column, in the order of [`Kind`].
///
/// The platform's web page gives 115 for anti-air against infantry; its program uses 105, and so do we.
const POWER: [[u8; 6]; 6] = [
    [55, 65, 0, 0, 0, 0],
    [0, 0, 105, 105, 85, 115],
    [0, 0, 55, 70, 75, 75],
    [0, 0, 60, 75, 65, 90],
    [70, 70, 15, 50, 45, 105],
    [0, 0, 5, 10, 3, 55],
];

impl Kind {
    /// Every kind, in the platform's order.
    pub const ALL: [Kind; 6] =
        [Kind::Fighter, Kind::Attacker, Kind::Panzer, Kind::Cannon, Kind::AntiAir, Kind::Infantry];

    /// The number in the platform's order: for indexing tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The platform's one-letter mark.
    pub const fn mark(self) -> char {
        ['F', 'A', 'P', 'U', 'R', 'I'][self.index()]
    }

    /// The kind with this mark, in either case.
    pub fn from_mark(mark: char) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.mark() == mark.to_ascii_uppercase())
    }

    /// The name in map files.
    pub const fn name(self) -> &'static str {
        ["fighter", "attacker", "panzer", "cannon", "antiair", "infantry"][self.index()]
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// How much movement a unit of this kind has in a turn.
    #[inline]
    pub const fn steps(self) -> u32 {
        [9, 7, 6, 5, 6, 3][self.index()]
    }

    /// How it moves over terrain.
    #[inline]
    pub const fn movement(self) -> Movement {
        match self {
            Kind::Fighter | Kind::Attacker => Movement::Air,
            Kind::Panzer | Kind::Cannon | Kind::AntiAir => Movement::Vehicle,
            Kind::Infantry => Movement::Foot,
        }
    }

    /// Whether it fires from a distance instead of attacking its neighbours.
    #[inline]
    pub const fn is_indirect(self) -> bool {
        matches!(self, Kind::Cannon)
    }

    /// The power of its attack on a kind of unit; 0 means that it may not attack it.
    #[inline]
    pub const fn power(self, target: Kind) -> u32 {
        POWER[self.index()][target.index()] as u32
    }

    /// Whether it can attack that kind at this distance (for direct units, after moving).
    #[inline]
    pub const fn hits(self, target: Kind, distance: u32) -> bool {
        let in_range = if self.is_indirect() { distance == 2 || distance == 3 } else { distance == 1 };
        in_range && self.power(target) > 0
    }
}

/// A unit on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// Where it stands.
    pub cell: Cell,
    /// What it is.
    pub kind: Kind,
    /// Its strength, 1..=10.
    pub hp: u8,
    /// Whether it has acted in its side's current turn (or is to skip its side's next one).
    pub acted: bool,
}
