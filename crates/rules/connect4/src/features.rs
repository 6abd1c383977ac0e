//! Sparse inputs for integer networks.

use super::Board;
use super::board::{COLUMNS, ROWS, STEPS, STRIDE};
use tesuji_core::features::LineInputs;
use tesuji_core::{Features, Side};

/// Discs, open rows of four and the squares that would complete one, as [`LineInputs`] has them.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

/// Rows of four squares: 21 upwards, 24 across, 12 along each diagonal.
const FOURS: [u64; 69] = {
    let mut fours = [0; 69];
    let (mut found, mut direction) = (0, 0);
    while direction < STEPS.len() {
        let mut square = 0;
        while square < COLUMNS * STRIDE {
            let mut four = 0_u64;
            let mut n = 0;
            while n < 4 {
                let at = square + n * STEPS[direction];
                // The seventh bit of a column is no square, and stops rows that would run over the edge.
                if at < COLUMNS * STRIDE && at % STRIDE < ROWS {
                    four |= 1 << at;
                }
                n += 1;
            }
            if four.count_ones() == 4 {
                fours[found] = four;
                found += 1;
            }
            square += 1;
        }
        direction += 1;
    }
    assert!(found == 69);
    fours
};

const INPUTS: LineInputs = LineInputs { cells: COLUMNS * STRIDE, squares: COLUMNS * ROWS, lines: &FOURS, length: 4 };

impl Features<Board> for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn inputs(&self) -> usize {
        INPUTS.inputs()
    }

    fn most_active(&self) -> usize {
        INPUTS.most_active()
    }

    fn active(&self, position: &Board, side: Side, out: &mut Vec<u32>) {
        let [own, other] = [side, side.other()].map(|side| position.discs(side));
        INPUTS.active(own, other, position.playable(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connect4;
    use tesuji_core::{GameRules, Rules};

    fn seen(line: &str, side: Side) -> Vec<u32> {
        let position = Connect4::new(Rules::Official).parse_position(line).unwrap();
        let mut out = Vec::new();
        Lines.active(&position, side, &mut out);
        out
    }

    #[test]
    fn threats_show_whose_they_are_and_whether_they_can_be_played() {
        // X has a1 b1 c1: d1 completes its row now. Squares are numbered column * 7 + row.
        let threats = 2 * 49 + 6 * 69;
        let x = seen("a a b b c c", Side::First);
        assert!(x.contains(&(threats + 49 + 21)), "{x:?}");
        // O has a2 b2 c2: d2 completes its row once d1 is taken.
        assert!(x.contains(&(threats + 2 * 49 + 22)), "{x:?}");
        let o = seen("a a b b c c", Side::Second);
        assert!(o.contains(&(threats + 3 * 49 + 21)) && o.contains(&(threats + 22)), "{o:?}");
    }

    #[test]
    fn both_sides_see_the_same_where_the_discs_are_swapped() {
        let mut one = seen("d c d c", Side::First);
        let mut other = seen("c d c d", Side::Second);
        one.sort_unstable();
        other.sort_unstable();
        assert_eq!(one, other);
    }
}
