//! Terrain: what it costs to enter and how it protects.

/// How units move over terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Movement {
    /// Fighters and attack aircraft.
    Air,
    /// Panzers, cannons and anti-air tanks.
    Vehicle,
    /// Infantry.
    Foot,
}

impl Movement {
    /// Every way of moving.
    pub const ALL: [Movement; 3] = [Movement::Air, Movement::Vehicle, Movement::Foot];

    /// For indexing tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What a cell is made of, in the order of the map files' codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Terrain {
    /// Nobody may enter.
    #[default]
    NoEntry,
    /// Open ground.
    Plain,
    /// Only aircraft cross it.
    Sea,
    /// Slows vehicles.
    Forest,
    /// Closed to vehicles, slows infantry.
    Mountain,
    /// No protection.
    Road,
    /// The best protection on open ground.
    Fortress,
}

impl Terrain {
    /// Every terrain, in the order of the codes.
    pub const ALL: [Terrain; 7] = [
        Terrain::NoEntry,
        Terrain::Plain,
        Terrain::Sea,
        Terrain::Forest,
        Terrain::Mountain,
        Terrain::Road,
        Terrain::Fortress,
    ];

    /// The code in map files.
    #[inline]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The terrain with this code.
    pub fn from_code(code: u8) -> Option<Terrain> {
        Terrain::ALL.get(usize::from(code)).copied()
    }

    /// The letter in position texts and on the text board.
    pub const fn letter(self) -> char {
        ['x', '.', 's', 'f', 'm', 'r', 'h'][self as usize]
    }

    /// The terrain with this letter.
    pub fn from_letter(letter: char) -> Option<Terrain> {
        Terrain::ALL.into_iter().find(|terrain| terrain.letter() == letter)
    }

    /// The name for people.
    pub const fn name(self) -> &'static str {
        ["no entry", "plain", "sea", "forest", "mountain", "road", "fortress"][self as usize]
    }

    /// How well it protects ground units.
    #[inline]
    pub const fn defence(self) -> u32 {
        [0, 1, 0, 3, 4, 0, 4][self as usize]
    }

    /// The cost of entering, 1 or 2, or `None` if that way of moving cannot enter.
    ///
    /// Reachability relies on costs being at most 2.
    pub const fn cost(self, movement: Movement) -> Option<u32> {
        match (self, movement) {
            (Terrain::NoEntry, _) => None,
            (_, Movement::Air) => Some(1),
            (Terrain::Sea, _) | (Terrain::Mountain, Movement::Vehicle) => None,
            (Terrain::Forest, Movement::Vehicle) | (Terrain::Mountain, Movement::Foot) => Some(2),
            _ => Some(1),
        }
    }
}
