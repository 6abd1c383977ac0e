//! 3D-Bingo for networks.

use super::lines::{self, Cells, MAIN_DIAGONALS, Tally};
use super::{Bingo, Peg};
use tesuji_core::{Encoder, Position, Shape, Side};

/// Twenty planes of 4x4, from the mover's view, four levels each: own cubes, the opponent's, the cells that can be
/// played now, the free cells that would complete an own line, and those that would complete one of the opponent's.
///
/// The policy is the peg.
#[derive(Clone, Copy, Debug)]
pub struct Planes;

impl Encoder<Bingo> for Planes {
    fn name(&self) -> &'static str {
        "planes"
    }

    fn shape(&self) -> Shape {
        Shape { planes: 20, height: 4, width: 4 }
    }

    fn policy_len(&self) -> usize {
        16
    }

    fn policy_planes(&self) -> Option<usize> {
        Some(1)
    }

    fn encode(&self, position: &Bingo, _view: usize, out: &mut [f32]) {
        let mover = position.mover();
        let [own, other] = [position.cubes(mover), position.cubes(mover.other())];
        let free = !(own | other);
        let sets = [own, other, position.playable(), lines::completions(own) & free, lines::completions(other) & free];
        for (cells, planes) in sets.into_iter().zip(out.chunks_exact_mut(64)) {
            write_cells(cells, planes);
        }
    }

    fn index(&self, _position: &Bingo, mv: Peg) -> (usize, usize) {
        (0, mv.index())
    }
}

/// The paper's input, a vector of 71 numbers: the raw board, three features of the mover and of the opponent, and the
/// player.
///
/// The raw board is +1 for the first player's cubes and -1 for the second's, and the last input is +1 or -1 for the
/// player to move: the board does not turn with the mover, which is why the paper needs that input. The features are
/// numbers as they are counted: cubes on the main diagonals, promising lines of two cubes, promising lines of three. A
/// line is promising while it can still win: the opponent has no cube on it.
///
/// The paper's network has a value only; the policy is the peg all the same.
#[derive(Clone, Copy, Debug)]
pub struct Paper;

impl Encoder<Bingo> for Paper {
    fn name(&self) -> &'static str {
        "paper"
    }

    fn shape(&self) -> Shape {
        Shape { planes: 71, height: 1, width: 1 }
    }

    fn policy_len(&self) -> usize {
        16
    }

    fn encode(&self, position: &Bingo, _view: usize, out: &mut [f32]) {
        let (board, rest) = out.split_at_mut(64);
        for (cell, input) in board.iter_mut().enumerate() {
            *input = position.owner(cell).map_or(0.0, Side::sign);
        }
        let mover = position.mover();
        let tallies = [mover, mover.other()].map(|side| Tally::of(position.cubes(side)));
        for (number, side) in [mover, mover.other()].into_iter().enumerate() {
            let [_, two, three] = tallies[number].open(&tallies[1 - number]);
            let diagonal = (position.cubes(side) & MAIN_DIAGONALS).count_ones();
            for (input, count) in rest[3 * number..].iter_mut().zip([diagonal, two, three]) {
                *input = count as f32;
            }
        }
        rest[6] = mover.sign();
    }

    fn index(&self, _position: &Bingo, mv: Peg) -> (usize, usize) {
        (0, mv.index())
    }
}

/// Writes 1 for each cell of the set and 0 for the others.
fn write_cells(cells: Cells, out: &mut [f32]) {
    for (cell, number) in out.iter_mut().enumerate() {
        *number = (cells >> cell & 1) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bingo3d;
    use tesuji_core::{GameRules, Rules};

    fn encoded(encoder: &dyn Encoder<Bingo>, line: &str) -> Vec<f32> {
        let position = Bingo3d::new(Rules::Official).parse_position(line).unwrap();
        let mut out = vec![f32::NAN; encoder.shape().len()];
        encoder.encode(&position, 0, &mut out);
        out
    }

    /// The numbers of the cells that are not 0 in the planes of one kind.
    fn set(planes: &[f32], kind: usize) -> Vec<usize> {
        (0..64).filter(|cell| planes[64 * kind + cell] != 0.0).collect()
    }

    #[test]
    fn planes_show_the_board_as_the_mover_sees_it() {
        // X has three on peg a1 and O two on peg b1 and one on d4; X to move.
        let planes = encoded(&Planes, "a1 b1 a1 b1 a1 d4");
        assert_eq!(set(&planes, 0), [0, 16, 32]);
        assert_eq!(set(&planes, 1), [1, 15, 17]);
        let mut playable: Vec<usize> = (2..15).collect();
        playable.extend([31, 33, 48]);
        assert_eq!(set(&planes, 2), playable);
        assert_eq!(set(&planes, 3), [48]);
        assert_eq!(set(&planes, 4), [0_usize; 0]);
        let turned = encoded(&Planes, "a1 b1 a1 b1 a1");
        assert_eq!((set(&turned, 0), set(&turned, 4)), (vec![1, 17], vec![48]));
    }

    #[test]
    fn the_papers_inputs_are_the_papers() {
        let inputs = encoded(&Paper, "a1 b1 a1 b1 a1 d4");
        assert_eq!((inputs[0], inputs[1], inputs[15], inputs[2]), (1.0, -1.0, -1.0, 0.0));
        // X: one cube in the corner; its promising lines: peg a1 (three cubes). O: the corner d4; peg b1 has two.
        assert_eq!(inputs[64..], [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0]);
        let turned = encoded(&Paper, "a1 b1 a1 b1 a1");
        assert_eq!(turned[64..], [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, -1.0]);
    }
}
