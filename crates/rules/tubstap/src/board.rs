//! Cells, and sets of cells as bitboards.
//!
//! Maps of up to 8 x 8 cells, which are most of those that are played, fit one 64-bit word; larger ones take four.
//! The move generator is generic over the two.

use std::fmt;

/// The greatest width and height of a map, border not counted.
pub const LONGEST: usize = 16;

/// A cell of any map: column in the low four bits, row (from the top) in the high four.
///
/// Written as a letter for the column and a number for the row, the top left cell being `a1`; in the platform's
/// files, which count a border, that cell is (1,1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The cell of a column and a row, both below 16.
    #[inline]
    pub const fn new(x: usize, y: usize) -> Cell {
        debug_assert!(x < LONGEST && y < LONGEST);
        Cell((y << 4 | x) as u8)
    }

    /// The cell with this number, 16 * row + column.
    #[inline]
    pub const fn from_byte(byte: u8) -> Cell {
        Cell(byte)
    }

    /// The cell's number, 16 * row + column.
    #[inline]
    pub const fn byte(self) -> u8 {
        self.0
    }

    /// The number as an index into tables of 256.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The column, from 0.
    #[inline]
    pub const fn x(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The row, from 0 at the top.
    #[inline]
    pub const fn y(self) -> usize {
        (self.0 >> 4) as usize
    }

    /// The Manhattan distance.
    #[inline]
    pub const fn distance(self, other: Cell) -> u32 {
        (self.x().abs_diff(other.x()) + self.y().abs_diff(other.y())) as u32
    }

    /// Reads a cell from the front of a text; returns it and the rest.
    pub fn parse_front(text: &str) -> Option<(Cell, &str)> {
        let letter @ b'a'..=b'p' = *text.as_bytes().first()? else { return None };
        let rest = &text[1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        // "01" would be a second name of row 1.
        if rest.starts_with('0') {
            return None;
        }
        let row: usize = rest[..digits].parse().ok().filter(|row| (1..=LONGEST).contains(row))?;
        Some((Cell::new(usize::from(letter - b'a'), row - 1), &rest[digits..]))
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.x() as u8), self.y() + 1)
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of cells.
pub trait Board: Copy + PartialEq + fmt::Debug {
    /// No cells.
    const EMPTY: Self;

    /// The set of one cell, which must lie on the board.
    fn of(cell: Cell) -> Self;

    /// The cells in either set.
    fn or(self, other: Self) -> Self;

    /// The cells in both sets.
    fn and(self, other: Self) -> Self;

    /// The cells of this set that are not in the other.
    fn without(self, other: Self) -> Self;

    /// The neighbours (left, right, up, down) of all cells.
    fn neighbours(self) -> Self;

    /// The number of cells.
    fn count(self) -> usize;

    /// Takes out the lowest cell.
    fn pop(&mut self) -> Option<Cell>;

    /// The cell with `n` lower ones in the set, which must have more than `n`.
    fn nth(self, n: usize) -> Cell;

    /// Whether the cell is in the set.
    #[inline]
    fn has(self, cell: Cell) -> bool {
        self.and(Self::of(cell)) != Self::EMPTY
    }
}

/// A set of cells of a map of at most 8 x 8: bit 8 * row + column.
pub type Small = u64;

const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;

/// The cell of a bit of a [`Small`] board.
#[inline]
const fn small_cell(bit: u32) -> Cell {
    Cell((bit >> 3 << 4 | bit & 7) as u8)
}

impl Board for Small {
    const EMPTY: u64 = 0;

    #[inline]
    fn of(cell: Cell) -> u64 {
        1 << (cell.0 >> 4 << 3 | cell.0 & 7)
    }

    #[inline]
    fn or(self, other: u64) -> u64 {
        self | other
    }

    #[inline]
    fn and(self, other: u64) -> u64 {
        self & other
    }

    #[inline]
    fn without(self, other: u64) -> u64 {
        self & !other
    }

    #[inline]
    fn neighbours(self) -> u64 {
        (self << 1 & !FIRST_COLUMN) | (self >> 1 & !(FIRST_COLUMN << 7)) | self << 8 | self >> 8
    }

    #[inline]
    fn count(self) -> usize {
        self.count_ones() as usize
    }

    #[inline]
    fn pop(&mut self) -> Option<Cell> {
        let bit = self.trailing_zeros();
        if bit == 64 {
            return None;
        }
        *self &= *self - 1;
        Some(small_cell(bit))
    }

    #[inline]
    fn nth(mut self, n: usize) -> Cell {
        for _ in 0..n {
            self &= self - 1;
        }
        small_cell(self.trailing_zeros())
    }
}

/// A set of cells of a map of at most 16 x 16: bit 16 * row + column, the lowest bits first.
pub type Large = [u64; 4];

const FIRST_COLUMN_16: u64 = 0x0001_0001_0001_0001;

impl Board for Large {
    const EMPTY: Large = [0; 4];

    #[inline]
    fn of(cell: Cell) -> Large {
        let mut set = [0; 4];
        set[usize::from(cell.0 >> 6)] = 1 << (cell.0 & 63);
        set
    }

    #[inline]
    fn or(self, other: Large) -> Large {
        std::array::from_fn(|word| self[word] | other[word])
    }

    #[inline]
    fn and(self, other: Large) -> Large {
        std::array::from_fn(|word| self[word] & other[word])
    }

    #[inline]
    fn without(self, other: Large) -> Large {
        std::array::from_fn(|word| self[word] & !other[word])
    }

    #[inline]
    fn neighbours(self) -> Large {
        std::array::from_fn(|word| {
            let set = self[word];
            let from_above = if word > 0 { self[word - 1] >> 48 } else { 0 };
            let from_below = if word < 3 { self[word + 1] << 48 } else { 0 };
            (set << 1 & !FIRST_COLUMN_16)
                | (set >> 1 & !(FIRST_COLUMN_16 << 15))
                | (set << 16 | from_above)
                | (set >> 16 | from_below)
        })
    }

    #[inline]
    fn count(self) -> usize {
        self.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline]
    fn pop(&mut self) -> Option<Cell> {
        let word = self.iter().position(|&word| word != 0)?;
        let bit = self[word].trailing_zeros();
        self[word] &= self[word] - 1;
        Some(Cell((word as u32 * 64 + bit) as u8))
    }

    #[inline]
    fn nth(self, mut n: usize) -> Cell {
        let mut word = 0;
        while n >= self[word].count_ones() as usize {
            n -= self[word].count_ones() as usize;
            word += 1;
        }
        let mut set = self[word];
        for _ in 0..n {
            set &= set - 1;
        }
        Cell((word as u32 * 64 + set.trailing_zeros()) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn neighbours_by_distance<B: Board>(size: usize) {
        for center in (0..size * size).map(|number| Cell::new(number % size, number / size)) {
            let mut set = B::of(center).neighbours();
            let mut found = Vec::new();
            assert_eq!(set.nth(0), { set }.pop().unwrap());
            while let Some(cell) = set.pop() {
                found.push(cell);
            }
            let all = (0..size * size).map(|number| Cell::new(number % size, number / size));
            assert_eq!(found, all.filter(|cell| cell.distance(center) == 1).collect::<Vec<_>>());
        }
    }

    #[test]
    fn neighbours_are_the_cells_at_distance_one() {
        neighbours_by_distance::<Small>(8);
        neighbours_by_distance::<Large>(16);
    }

    #[test]
    fn nth_counts_in_the_order_of_pop() {
        let cells = [Cell::new(3, 0), Cell::new(15, 3), Cell::new(0, 4), Cell::new(7, 12), Cell::new(15, 15)];
        let set = cells.iter().fold(Large::EMPTY, |set, &cell| set.or(Large::of(cell)));
        assert_eq!(set.count(), cells.len());
        for (n, &cell) in cells.iter().enumerate() {
            assert_eq!(set.nth(n), cell);
            assert!(set.has(cell));
        }
    }

    #[test]
    fn cells_are_read_back() {
        for byte in 0..=255 {
            let cell = Cell::from_byte(byte);
            assert_eq!(Cell::parse_front(&format!("{cell}x")), Some((cell, "x")));
        }
        for bad in ["", "a", "a0", "a17", "q1", "a01", "A1", "a99999999999999999999"] {
            assert_eq!(Cell::parse_front(bad), None, "{bad}");
        }
    }
}
