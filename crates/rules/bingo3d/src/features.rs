//! Sparse inputs for integer networks.

use super::Bingo;
use super::lines::LINES;
use tesuji_core::features::LineInputs;
use tesuji_core::{Features, Side};

/// Cubes, open lines and the cells that would complete one, as [`LineInputs`] has them.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

const INPUTS: LineInputs = LineInputs { cells: 64, squares: 64, lines: &LINES, length: 4 };

impl Features<Bingo> for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn inputs(&self) -> usize {
        INPUTS.inputs()
    }

    fn most_active(&self) -> usize {
        INPUTS.most_active()
    }

    fn active(&self, position: &Bingo, side: Side, out: &mut Vec<u32>) {
        INPUTS.active(position.cubes(side), position.cubes(side.other()), position.playable(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bingo3d;
    use tesuji_core::{GameRules, Rules};

    fn seen(line: &str, side: Side) -> Vec<u32> {
        let position = Bingo3d::new(Rules::Official).parse_position(line).unwrap();
        let mut out = Vec::new();
        Lines.active(&position, side, &mut out);
        out.sort_unstable();
        out
    }

    #[test]
    fn threats_show_whose_they_are() {
        // X has three on peg a1, whose top is cell 48.
        let threats = 2 * 64 + 6 * 76;
        assert!(seen("a1 b1 a1 b1 a1 d4", Side::First).contains(&(threats + 64 + 48)));
        assert!(seen("a1 b1 a1 b1 a1 d4", Side::Second).contains(&(threats + 3 * 64 + 48)));
    }

    #[test]
    fn both_sides_see_the_same_where_the_cubes_are_swapped() {
        assert_eq!(seen("a1 b2 c3 d4", Side::First), seen("b2 a1 d4 c3", Side::Second));
        assert_ne!(seen("a1 b2 c3 d4", Side::First), seen("a1 b2 c3 d4", Side::Second));
    }
}
