//! The cells of the cube, its 76 lines of four, and quick questions about them.
//!
//! Cell `16 * level + 4 * rank + file` is bit number that of a set of cells, level 0 being the lowest: a level is 16
//! bits, and the cells of a peg are 16 bits apart.

/// A set of cells.
pub type Cells = u64;

/// The number of lines.
pub const LINE_COUNT: usize = 76;

/// The cells of peg 0, one on each level.
const PEG: Cells = 0x0001_0001_0001_0001;

/// The lowest level: one cell for each peg.
const GROUND: Cells = 0xffff;

/// Lines that run the same way: neighbours are `step` bits apart, and a line begins at each of `starts`.
#[derive(Clone, Copy)]
struct Direction {
    step: usize,
    starts: Cells,
}

/// The three axes, six face diagonals and four space diagonals.
const DIRECTIONS: [Direction; 13] = {
    let mut directions = [Direction { step: 0, starts: 0 }; 13];
    let mut found = 0;
    let mut number = 0;
    // Every (file, rank, level) step in {-1, 0, 1}^3; of a step and its opposite, the one that counts upwards.
    while number < 27 {
        let delta = [number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1];
        let step = delta[0] + 4 * delta[1] + 16 * delta[2];
        if step > 0 {
            directions[found] = Direction { step: step as usize, starts: starts(delta) };
            found += 1;
        }
        number += 1;
    }
    directions
};

/// The cells from which three steps of `delta` stay inside the cube.
const fn starts(delta: [i32; 3]) -> Cells {
    let mut starts = 0;
    let mut cell = 0;
    while cell < 64 {
        let at = [cell % 4, cell / 4 % 4, cell / 16];
        let mut inside = true;
        let mut axis = 0;
        while axis < 3 {
            let end = at[axis] + 3 * delta[axis];
            inside &= 0 <= end && end < 4;
            axis += 1;
        }
        if inside {
            starts |= 1 << cell;
        }
        cell += 1;
    }
    starts
}

/// Every line as a set of cells.
pub const LINES: [Cells; LINE_COUNT] = {
    let mut lines = [0; LINE_COUNT];
    let mut found = 0;
    let mut number = 0;
    while number < DIRECTIONS.len() {
        let Direction { step, mut starts } = DIRECTIONS[number];
        while starts != 0 {
            let start = starts & starts.wrapping_neg();
            lines[found] = start | start << step | start << (2 * step) | start << (3 * step);
            found += 1;
            starts ^= start;
        }
        number += 1;
    }
    assert!(found == LINE_COUNT);
    lines
};

/// The lines through each cell; a cell on four lines has its last one repeated.
static THROUGH: [[Cells; 7]; 64] = {
    let mut through = [[0; 7]; 64];
    let mut cell = 0;
    while cell < 64 {
        let mut found = 0;
        let mut line = 0;
        while line < LINE_COUNT {
            if LINES[line] >> cell & 1 != 0 {
                through[cell][found] = LINES[line];
                found += 1;
            }
            line += 1;
        }
        assert!(found == 4 || found == 7);
        while found < 7 {
            through[cell][found] = through[cell][found - 1];
            found += 1;
        }
        cell += 1;
    }
    through
};

/// The cells on the four space diagonals, which the paper calls the main ones: the corners and the inner cells.
pub const MAIN_DIAGONALS: Cells = 0x9009_0660_0660_9009;

/// The cells of `peg`, 0..16.
#[inline]
pub fn peg_cells(peg: usize) -> Cells {
    PEG << peg
}

/// The cells that a cube can be dropped to: the lowest free one of each peg.
#[inline]
pub fn playable(occupied: Cells) -> Cells {
    // Cubes have no gap below them, so the cell above each cube, and the ground, less what is taken.
    (occupied << 16 | GROUND) & !occupied
}

/// Whether `cubes` hold a whole line through `cell`.
#[inline]
pub fn has_line_through(cubes: Cells, cell: usize) -> bool {
    let missing = !cubes;
    THROUGH[cell].iter().any(|line| missing & line == 0)
}

/// The cells, taken or not, that would complete a line of `cubes`.
pub fn completions(cubes: Cells) -> Cells {
    DIRECTIONS.iter().fold(0, |found, &Direction { step, starts }| {
        // At the start of each line: the cubes on its four cells.
        let [a, b, c, d] = [cubes, cubes >> step, cubes >> (2 * step), cubes >> (3 * step)];
        let (first, last) = (a & b & starts, c & d & starts);
        found | b & last | (a & last) << step | (first & d) << (2 * step) | (first & c) << (3 * step)
    })
}

/// How many cubes of one side lie on each line: 76 counters of three bits, 21 to a word.
///
/// A cube is added to all its lines by four additions, and a completed line shows as a bit: the heart of playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally([u64; 4]);

/// The lowest bit of every counter of a word.
const ONES: u64 = 0o111_111_111_111_111_111_111;

/// A one in the counter of each line through each cell. Aligned so that no row straddles a cache line.
#[repr(align(32))]
struct Units([[u64; 4]; 64]);

static UNITS: Units = Units({
    let mut units = [[0; 4]; 64];
    let mut line = 0;
    while line < LINE_COUNT {
        let mut cells = LINES[line];
        while cells != 0 {
            units[cells.trailing_zeros() as usize][line / 21] |= 1 << (3 * (line % 21));
            cells &= cells - 1;
        }
        line += 1;
    }
    units
});

impl Tally {
    /// The tally of these cubes.
    #[inline]
    pub fn of(mut cubes: Cells) -> Tally {
        let mut tally = Tally::default();
        while cubes != 0 {
            tally.add(cubes.trailing_zeros() as usize);
            cubes &= cubes - 1;
        }
        tally
    }

    /// Counts one more cube.
    #[inline(always)]
    pub fn add(&mut self, cell: usize) {
        let unit = &UNITS.0[cell];
        for (word, unit) in self.0.iter_mut().zip(unit) {
            *word += unit;
        }
    }

    /// Whether a line is complete.
    #[inline(always)]
    pub fn has_line(&self) -> bool {
        let [a, b, c, d] = self.0;
        (a | b | c | d) & (ONES << 2) != 0
    }

    /// The number of lines with exactly one, two and three of these cubes and none of the opponent's.
    pub fn open(&self, opponent: &Tally) -> [u32; 3] {
        let mut open = [0; 3];
        for (word, (own, other)) in self.0.into_iter().zip(opponent.0).enumerate() {
            let counters = if word < 3 { ONES } else { ONES >> (3 * (4 * 21 - LINE_COUNT)) };
            let free = counters & !(other | other >> 1 | other >> 2 | own >> 2);
            let (odd, two_or_three) = (free & own, free & own >> 1);
            open[0] += (odd & !two_or_three).count_ones();
            open[1] += (two_or_three & !odd).count_ones();
            open[2] += (two_or_three & odd).count_ones();
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The lines found by walking from every cell in every direction.
    fn walked_lines() -> Vec<Cells> {
        let mut lines = Vec::new();
        for start in 0..64 {
            for number in 0..27 {
                let delta = [number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1];
                let cells: Vec<[i32; 3]> = (0..4)
                    .map(|n| [start % 4 + n * delta[0], start / 4 % 4 + n * delta[1], start / 16 + n * delta[2]])
                    .collect();
                if number != 13 && cells.iter().flatten().all(|at| (0..4).contains(at)) {
                    lines.push(cells.iter().map(|[file, rank, level]| 1 << (16 * level + 4 * rank + file)).sum());
                }
            }
        }
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    #[test]
    fn the_lines_are_those_that_one_finds_by_walking() {
        let mut lines = LINES.to_vec();
        lines.sort_unstable();
        assert_eq!(lines, walked_lines());
        let on = |cell: usize| LINES.iter().filter(|&line| line >> cell & 1 != 0).count();
        assert_eq!((0..64).filter(|&cell| on(cell) == 7).count(), 16);
        assert_eq!((0..64).filter(|&cell| on(cell) == 4).count(), 48);
    }

    #[test]
    fn the_main_diagonals_are_the_sixteen_cells_on_seven_lines() {
        let on_seven: Cells = (0..64)
            .filter(|cell| LINES.iter().filter(|&line| line >> cell & 1 != 0).count() == 7)
            .map(|c| 1 << c)
            .sum();
        assert_eq!(MAIN_DIAGONALS, on_seven);
    }

    proptest! {
        #[test]
        fn quick_answers_are_those_of_a_walk_over_all_lines(own: Cells, other: Cells, thin: Cells) {
            let (own, other) = (own & !other, other & thin);
            let completing = |cell: usize| {
                LINES.iter().any(|line| line >> cell & 1 != 0 && (own | 1 << cell) & line == *line)
            };
            for cell in 0..64 {
                prop_assert_eq!(completions(own) >> cell & 1 != 0, completing(cell), "cell {}", cell);
                prop_assert_eq!(has_line_through(own | 1 << cell, cell), completing(cell), "cell {}", cell);
            }
            prop_assert_eq!(Tally::of(own).has_line(), LINES.iter().any(|line| own & line == *line));
            let open = |count| {
                LINES.iter().filter(|&line| line & other == 0 && (line & own).count_ones() == count).count() as u32
            };
            prop_assert_eq!(Tally::of(own).open(&Tally::of(other)), [open(1), open(2), open(3)]);
        }
    }
}
