//! Positions and moves of connect four.
//!
//! John Tromp's layout: seven bits a column, the lowest square first, and a seventh bit above each column that is always
//! empty, so that shifted rows never run from one column into the next.

use tesuji_core::{Move, MoveError, MoveList, Outcome, Position, Side, Stream, random};

/// Columns of the board.
pub(super) const COLUMNS: usize = 7;
/// Rows of the board.
pub(super) const ROWS: usize = 6;
/// Squares of the board.
const SQUARES: u32 = 42;
/// Bits a column.
pub(super) const STRIDE: usize = ROWS + 1;

/// The lowest square of every column.
pub(super) const BOTTOM: u64 = {
    let mut squares = 0;
    let mut column = 0;
    while column < COLUMNS {
        squares |= 1 << (column * STRIDE);
        column += 1;
    }
    squares
};
/// The highest square of every column.
const TOP: u64 = BOTTOM << (ROWS - 1);
/// Every square.
pub(super) const ALL: u64 = BOTTOM * ((1 << ROWS) - 1);

/// From a square to its neighbour: up, right-down, right, right-up.
pub(super) const STEPS: [usize; 4] = [1, STRIDE - 1, STRIDE, STRIDE + 1];

/// A move: the column, 0..7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(u8);

impl Column {
    /// The column, 0..7.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Move for Column {
    fn to_bits(self) -> u32 {
        u32::from(self.0)
    }

    fn from_bits(bits: u32) -> Option<Column> {
        (bits < COLUMNS as u32).then_some(Column(bits as u8))
    }
}

/// A state of play: the discs of each side, and the columns in the order in which they were played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Board {
    discs: [u64; 2],
    /// Column of ply `n` in bits `3 * n..`; zero beyond `ply`.
    history: u128,
    ply: u8,
    /// Whether the last disc completed four in a row.
    four: bool,
}

impl Board {
    /// Whose disc lies on a square, if any; rows count from the bottom.
    pub fn owner(&self, column: usize, row: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.holds(side, column, row))
    }

    /// Whether this side's disc lies on a square; rows count from the bottom.
    #[inline]
    pub fn holds(&self, side: Side, column: usize, row: usize) -> bool {
        self.discs[side.index()] >> (column * STRIDE + row) & 1 != 0
    }

    /// The discs of a side, in the layout of this file.
    #[inline]
    pub(super) fn discs(&self, side: Side) -> u64 {
        self.discs[side.index()]
    }

    /// The squares that the next disc can come to lie on.
    #[inline]
    pub(super) fn playable(&self) -> u64 {
        // Adding the lowest square of each column carries to its first free one.
        (self.occupied() + BOTTOM) & ALL
    }

    /// The moves that led here.
    pub fn history(&self) -> impl Iterator<Item = Column> {
        (0..self.ply).map(|ply| Column((self.history >> (3 * ply) & 7) as u8))
    }

    /// How many rows of four squares hold exactly two and exactly three discs of this side and none of the opponent's.
    pub fn open_rows(&self, side: Side) -> [u32; 2] {
        let own = self.discs[side.index()];
        let free = ALL & !self.discs[side.other().index()];
        let mut open = [0; 2];
        for step in STEPS {
            let four = |squares: u64| [0, 1, 2, 3].map(|n| squares >> (n * step));
            let [a, b, c, d] = four(free);
            let rows = a & b & c & d;
            // The number of discs in each row, counted at its first square by adders, one bit of the sum a word.
            let [a, b, c, d] = four(own);
            let (low_ab, high_ab, low_cd, high_cd) = (a ^ b, a & b, c ^ d, c & d);
            let low = low_ab ^ low_cd;
            let high = high_ab ^ high_cd ^ (low_ab & low_cd);
            open[0] += (rows & high & !low).count_ones();
            open[1] += (rows & high & low).count_ones();
        }
        open
    }

    /// The first column in which a disc of this side would complete four in a row.
    #[inline]
    fn winning_column(&self, side: Side) -> Option<Column> {
        let (own, occupied) = (self.discs[side.index()], self.occupied());
        (0..COLUMNS as u8).map(Column).find(|column| {
            let disc = landing(occupied, column.index()) & ALL;
            disc != 0 && has_four(own | disc)
        })
    }

    #[inline]
    fn occupied(&self) -> u64 {
        self.discs[0] | self.discs[1]
    }

    /// The columns that are not full, as a set of their highest squares.
    #[inline]
    fn open_columns(&self) -> u64 {
        TOP & !self.occupied()
    }
}

/// Whether four of the discs lie in a row.
#[inline]
fn has_four(discs: u64) -> bool {
    STEPS.iter().any(|step| {
        let pairs = discs & discs >> step;
        pairs & pairs >> (2 * step) != 0
    })
}

/// The square that a disc in this column falls to; beyond the column's squares if it is full.
#[inline]
fn landing(occupied: u64, column: usize) -> u64 {
    // The addition carries through the discs of the column to its first empty square.
    let bottom = 1 << (column * STRIDE);
    let column = bottom * ((1 << STRIDE) - 1);
    (occupied + bottom) & !occupied & column
}

impl Position for Board {
    type Move = Column;

    #[inline]
    fn mover(&self) -> Side {
        Side::BOTH[usize::from(self.ply % 2)]
    }

    #[inline]
    fn movements(&self, out: &mut MoveList<Column>) {
        out.clear();
        if !self.four {
            let open = self.open_columns();
            out.extend(
                (0..COLUMNS as u8).filter(|&c| open >> (usize::from(c) * STRIDE + ROWS - 1) & 1 != 0).map(Column),
            );
        }
    }

    #[inline]
    fn count_movements(&self) -> usize {
        if self.four { 0 } else { self.open_columns().count_ones() as usize }
    }

    #[inline]
    fn is_legal(&self, mv: Column) -> bool {
        !self.four && landing(self.occupied(), mv.index()) & ALL != 0
    }

    #[inline]
    fn play(&mut self, mv: Column) {
        let disc = landing(self.occupied(), mv.index());
        let own = &mut self.discs[usize::from(self.ply % 2)];
        *own |= disc;
        self.four = has_four(*own);
        self.history |= u128::from(mv.0) << (3 * self.ply);
        self.ply += 1;
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        if self.four {
            Some(Outcome::Win(self.mover().other()))
        } else if self.ply() == SQUARES {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    fn ending(&self) -> &'static str {
        match self.outcome() {
            Some(Outcome::Win(_)) => "four in a row",
            Some(Outcome::Draw) => "full board",
            None => "",
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        // The mover's discs plus the occupied squares plus one above each column name a position (Tromp).
        random::mix(self.discs[usize::from(self.ply % 2)] + self.occupied() + BOTTOM)
    }

    #[inline]
    fn ply(&self) -> u32 {
        u32::from(self.ply)
    }

    fn format_move(&self, mv: Column) -> String {
        char::from(b'a' + mv.0).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Column, MoveError> {
        let (column, row) = match *text.as_bytes() {
            [column @ b'a'..=b'g'] => (column - b'a', None),
            [column @ b'1'..=b'7'] => (column - b'1', None),
            [column @ b'a'..=b'g', row @ b'1'..=b'6'] => (column - b'a', Some(row - b'1')),
            _ => return Err(MoveError::malformed(text, "expected a column from a to g or from 1 to 7")),
        };
        let mv = Column(column);
        let lands = |row: u8| landing(self.occupied(), mv.index()) == 1 << (mv.index() * STRIDE + usize::from(row));
        if self.is_legal(mv) && row.is_none_or(lands) { Ok(mv) } else { Err(MoveError::illegal(text)) }
    }

    #[inline]
    fn playout(&mut self, random: &mut Stream, limit: u32) -> Option<Outcome> {
        let end = self.ply() + limit.min(SQUARES - self.ply());
        let mut draws = Draws::default();
        while self.ply() < end && !self.four {
            let mv = Column(draws.column(random));
            if self.is_legal(mv) {
                self.play(mv);
            }
        }
        self.outcome()
    }

    /// The opponent could complete four in a row with the next disc.
    #[inline]
    fn threatened(&self) -> bool {
        self.winning_column(self.mover().other()).is_some()
    }

    #[inline]
    fn win_in_one(&self) -> Option<Column> {
        self.winning_column(self.mover())
    }

    const ROWS: usize = SQUARES as usize;

    /// The square that the disc falls to.
    #[inline]
    fn row(&self, mv: Column) -> usize {
        let square = landing(self.occupied(), mv.index()).trailing_zeros() as usize;
        square / STRIDE * ROWS + square % STRIDE
    }

    fn symmetries(&self) -> usize {
        2
    }

    fn transform(&self, symmetry: usize) -> Board {
        if symmetry == 0 {
            return *self;
        }
        let mirror = |discs: u64| {
            let column = |n: usize| discs >> (n * STRIDE) & ((1 << STRIDE) - 1);
            (0..COLUMNS).map(|n| column(n) << ((COLUMNS - 1 - n) * STRIDE)).sum()
        };
        // Column 6 - c for every move at once: no subtraction borrows from the next.
        let sixes = (0..self.ply).fold(0, |sixes, ply| sixes | 6_u128 << (3 * ply));
        Board { discs: self.discs.map(mirror), history: sixes - self.history, ..*self }
    }

    fn transform_move(&self, symmetry: usize, mv: Column) -> Column {
        if symmetry == 0 { mv } else { Column(COLUMNS as u8 - 1 - mv.0) }
    }
}

/// Random columns, 21 to a random number.
#[derive(Default)]
struct Draws {
    bits: u64,
    left: u32,
}

impl Draws {
    /// A number below 7, every one equally likely.
    ///
    /// A random fraction times 7 gives a number and, behind the point, the fraction for the next one (Brackett-Rozinsky
    /// and Lemire, "Batched ranged random integer generation"). It is exact because those first fractions are drawn
    /// again that would make some combinations of 21 numbers more likely than others.
    #[inline(always)]
    fn column(&mut self, random: &mut Stream) -> u8 {
        const DIGITS: u32 = 21;
        const COMBINATIONS: u64 = 7_u64.pow(DIGITS);
        const SURPLUS: u64 = COMBINATIONS.wrapping_neg() % COMBINATIONS;
        if self.left == 0 {
            self.left = DIGITS;
            self.bits = random.next_u64();
            while self.bits.wrapping_mul(COMBINATIONS) < SURPLUS {
                self.bits = random.next_u64();
            }
        }
        self.left -= 1;
        let product = u128::from(self.bits) * 7;
        self.bits = product as u64;
        (product >> 64) as u8
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
