//! Which rows are multiplied by which weights: the part of a convolution that depends on the board, not on numbers.

use super::isa::Isa;
use crate::graph::Kernel;
use std::ops::Range;
use tesuji_core::Shape;

/// The most rows of a tile in any instruction set.
pub(super) const MOST_ROWS: usize = 12;

/// A row that is off the board: read as zeros.
pub(super) const OFF_BOARD: u32 = u32::MAX;

/// Output rows that are computed together, and the taps that they read.
#[derive(Debug)]
pub(super) struct Tile {
    /// How many rows.
    pub count: usize,
    /// The output rows.
    pub rows: [u32; MOST_ROWS],
    /// Its part of [`Plan::taps`].
    pub taps: Range<usize>,
}

/// One tap of a tile: which weights, and the input row of each output row.
#[derive(Debug)]
pub(super) struct Tap {
    pub weights: u32,
    pub sources: [u32; MOST_ROWS],
}

/// The tiles of one multiplication for one batch size.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) tiles: Vec<Tile>,
    pub(super) taps: Vec<Tap>,
    /// Taps of the weights.
    pub(super) tap_count: usize,
    /// Rows of the input.
    pub(super) inputs: usize,
    /// Rows of the output.
    pub(super) outputs: usize,
}

impl Plan {
    /// A convolution over boards of this shape.
    pub fn conv(isa: Isa, board: Shape, kernel: Kernel, batch: usize) -> Plan {
        let squares = board.height * board.width;
        let sources = |square: usize| (0..kernel.taps()).map(move |tap| kernel.source(board, square, tap));
        let mask = |square: usize| sources(square).map(|source| source.is_some()).collect::<Vec<bool>>();
        let mut order: Vec<usize> = (0..squares).collect();
        order.sort_by_cached_key(|&square| mask(square));
        let mut plan = Plan::empty(kernel.taps(), squares * batch, squares * batch);
        // A tile of rows with the same taps wastes nothing; where that would leave tiles of a row or two, mixed ones
        // are better, although some of their rows then read zeros.
        let groups: Vec<&[usize]> =
            if batch >= 4 { order.chunk_by(|&a, &b| mask(a) == mask(b)).collect() } else { vec![&order] };
        for group in groups {
            let rows: Vec<(usize, usize)> = group.iter().flat_map(|&s| (0..batch).map(move |b| (s, b))).collect();
            for chunk in balanced(&rows, isa.rows()) {
                plan.push(chunk.iter().map(|&(square, position)| square * batch + position), |tap, row| {
                    let (square, position) = chunk[row];
                    kernel.source(board, square, tap).map(|source| source * batch + position)
                });
            }
        }
        plan
    }

    /// A dense layer over boards of this shape: a convolution with as many taps as squares and one output square.
    pub fn dense(isa: Isa, board: Shape, batch: usize) -> Plan {
        let squares = board.height * board.width;
        let mut plan = Plan::empty(squares, squares * batch, batch);
        let positions: Vec<usize> = (0..batch).collect();
        for chunk in balanced(&positions, isa.rows()) {
            plan.push(chunk.iter().copied(), |square, row| Some(square * batch + chunk[row]));
        }
        plan
    }

    fn empty(tap_count: usize, inputs: usize, outputs: usize) -> Plan {
        Plan { tiles: Vec::new(), taps: Vec::new(), tap_count, inputs, outputs }
    }

    fn push(&mut self, rows: impl ExactSizeIterator<Item = usize>, source: impl Fn(usize, usize) -> Option<usize>) {
        let count = rows.len();
        let first = self.taps.len();
        for tap in 0..self.tap_count {
            let mut sources = [OFF_BOARD; MOST_ROWS];
            for (row, slot) in sources.iter_mut().enumerate().take(count) {
                *slot = source(tap, row).map_or(OFF_BOARD, |row| row as u32);
            }
            if sources != [OFF_BOARD; MOST_ROWS] {
                self.taps.push(Tap { weights: tap as u32, sources });
            }
        }
        let mut tile = Tile { count, rows: [0; MOST_ROWS], taps: first..self.taps.len() };
        for (slot, row) in tile.rows.iter_mut().zip(rows) {
            *slot = row as u32;
        }
        self.tiles.push(tile);
    }
}

/// Cuts items into as few chunks of at most `most` as possible, of nearly equal length.
fn balanced<T>(items: &[T], most: usize) -> impl Iterator<Item = &[T]> {
    let chunks = items.len().div_ceil(most);
    (0..chunks).map(move |i| &items[i * items.len() / chunks..(i + 1) * items.len() / chunks])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_row_is_made_once_and_off_board_taps_are_skipped() {
        let board = Shape { planes: 1, height: 5, width: 4 };
        for isa in Isa::ALL {
            for batch in [1, 2, 4, 7, 13] {
                let plan = Plan::conv(isa, board, Kernel::square(3), batch);
                let mut rows: Vec<u32> = plan.tiles.iter().flat_map(|tile| &tile.rows[..tile.count]).copied().collect();
                rows.sort_unstable();
                assert!(rows.into_iter().eq(0..20 * batch as u32));
                let products: usize = plan.tiles.iter().map(|tile| tile.count * tile.taps.len()).sum();
                if batch >= 4 {
                    // (5 + 4 + 4) x (4 + 3 + 3) taps lie on the board.
                    assert_eq!(products, 13 * 10 * batch);
                }
            }
        }
    }
}
