//! The unchanging part of a battle, shared by all its positions.

use super::board::{Board, Cell, LONGEST, Large, Small};
use super::terrain::{Movement, Terrain};
use super::units::Unit;
use std::sync::Arc;
use tesuji_core::{Rules, random};

/// Where the rules differ between the platform and the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndRules {
    /// Whether a side may end its turn while some of its units could still act.
    pub early_end: bool,
    /// Whether a game at the turn limit is a draw whatever the HP (the map's threshold counts as infinite).
    pub draw_at_limit: bool,
}

impl EndRules {
    /// The options of a set of rules: the platform's or the paper's.
    pub const fn of(rules: Rules) -> EndRules {
        match rules {
            Rules::Official => EndRules { early_end: true, draw_at_limit: false },
            Rules::Paper => EndRules { early_end: false, draw_at_limit: true },
        }
    }
}

/// The terrain of a map; cells beyond its width and height are [`Terrain::NoEntry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    width: usize,
    height: usize,
    cells: [Terrain; LONGEST * LONGEST],
}

impl Ground {
    /// A map of one kind of terrain, or `None` if a side is not in 1..=16.
    pub fn filled(width: usize, height: usize, terrain: Terrain) -> Option<Ground> {
        let sizes = 1..=LONGEST;
        if !sizes.contains(&width) || !sizes.contains(&height) {
            return None;
        }
        let mut ground = Ground { width, height, cells: [Terrain::NoEntry; LONGEST * LONGEST] };
        for cell in cells(width, height) {
            ground.set(cell, terrain);
        }
        Some(ground)
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The terrain of a cell.
    #[inline]
    pub fn at(&self, cell: Cell) -> Terrain {
        self.cells[cell.index()]
    }

    /// Changes the terrain of a cell, which must lie on the map.
    pub fn set(&mut self, cell: Cell, terrain: Terrain) {
        debug_assert!(self.contains(cell));
        self.cells[cell.index()] = terrain;
    }

    /// Whether the cell lies on the map.
    pub fn contains(&self, cell: Cell) -> bool {
        cell.x() < self.width && cell.y() < self.height
    }

    /// The cells of the map, row by row from the top.
    pub fn iter(&self) -> impl Iterator<Item = Cell> + use<> {
        cells(self.width, self.height)
    }

    /// How many symmetries a map of this size can have: 8 for a square, 4 otherwise.
    pub fn symmetries(&self) -> usize {
        if self.width == self.height { 8 } else { 4 }
    }

    /// Where a symmetry moves a cell: bit 0 mirrors the columns, bit 1 the rows, bit 2 swaps columns and rows.
    pub fn symmetric(&self, symmetry: usize, cell: Cell) -> Cell {
        let (mut x, mut y) = (cell.x(), cell.y());
        if symmetry & 1 != 0 {
            x = self.width - 1 - x;
        }
        if symmetry & 2 != 0 {
            y = self.height - 1 - y;
        }
        if symmetry & 4 != 0 { Cell::new(y, x) } else { Cell::new(x, y) }
    }

    /// The map under a symmetry.
    fn transformed(&self, symmetry: usize) -> Ground {
        let mut ground = self.clone();
        for cell in self.iter() {
            ground.set(self.symmetric(symmetry, cell), self.at(cell));
        }
        ground
    }
}

/// The cells of a map of this size, row by row.
fn cells(width: usize, height: usize) -> impl Iterator<Item = Cell> {
    (0..height).flat_map(move |y| (0..width).map(move |x| Cell::new(x, y)))
}

/// For each way of moving, the cells that cost 1 and those that cost 2 to enter.
#[derive(Clone, Debug)]
pub struct Paths<B> {
    /// Cells that cost 1.
    pub easy: [B; 3],
    /// Cells that cost 2.
    pub hard: [B; 3],
}

impl<B: Board> Paths<B> {
    fn new(ground: &Ground) -> Paths<B> {
        let costing = |cost| {
            Movement::ALL.map(|movement| {
                ground
                    .iter()
                    .filter(|&cell| ground.at(cell).cost(movement) == Some(cost))
                    .fold(B::EMPTY, |set, cell| set.or(B::of(cell)))
            })
        };
        Paths { easy: costing(1), hard: costing(2) }
    }
}

/// The unchanging part of a battle: terrain, limits and rules, with the tables that the move generator needs.
#[derive(Clone, Debug)]
pub struct Map {
    ground: Ground,
    turn_limit: u16,
    threshold: Option<u32>,
    options: EndRules,
    small: Option<Paths<Small>>,
    large: Paths<Large>,
    key: u64,
}

impl Map {
    /// A map; the threshold (`None` is infinite) is what the rules leave of it.
    pub fn new(ground: Ground, turn_limit: u16, threshold: Option<u32>, options: EndRules) -> Map {
        let threshold = threshold.filter(|_| !options.draw_at_limit);
        let fits = ground.width <= 8 && ground.height <= 8;
        let numbers = [ground.width as u64, ground.height as u64, u64::from(turn_limit)];
        let ends = [threshold.map_or(u64::MAX, u64::from), u64::from(options.early_end)];
        let codes = ground.cells.iter().map(|terrain| u64::from(terrain.code()));
        let key = numbers.into_iter().chain(ends).chain(codes).fold(0, |key, part| random::mix(key ^ part));
        let (small, large) = (fits.then(|| Paths::new(&ground)), Paths::new(&ground));
        Map { ground, turn_limit, threshold, options, small, large, key }
    }

    /// The terrain.
    #[inline]
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The number of player turns after which the game ends.
    #[inline]
    pub fn turn_limit(&self) -> u16 {
        self.turn_limit
    }

    /// By how much a side's HP must exceed the other's to win at the turn limit; `None` means that nobody does.
    #[inline]
    pub fn threshold(&self) -> Option<u32> {
        self.threshold
    }

    /// The rules in force.
    #[inline]
    pub fn options(&self) -> EndRules {
        self.options
    }

    /// The hash of everything here.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// How well a unit is protected where it stands; aircraft never are.
    #[inline]
    pub fn defence(&self, unit: Unit) -> u32 {
        if unit.kind.movement() == Movement::Air { 0 } else { self.ground.at(unit.cell).defence() }
    }

    /// The paths of a map of at most 8 x 8 cells.
    #[inline]
    pub(super) fn small(&self) -> Option<&Paths<Small>> {
        self.small.as_ref()
    }

    /// The paths of any map.
    #[inline]
    pub(super) fn large(&self) -> &Paths<Large> {
        &self.large
    }

    /// The map under a symmetry; the same map if it looks the same, as plain ones do.
    pub(super) fn transformed(self: &Arc<Map>, symmetry: usize) -> Arc<Map> {
        let ground = self.ground.transformed(symmetry);
        if ground == self.ground {
            return Arc::clone(self);
        }
        Arc::new(Map::new(ground, self.turn_limit, self.threshold, self.options))
    }
}
