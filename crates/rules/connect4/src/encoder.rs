//! Connect four for networks.

use super::board::{COLUMNS, ROWS};
use super::{Board, Column};
use tesuji_core::{Encoder, Position, Shape};

/// Two planes of six rows and seven columns, the mover's discs and the opponent's, the lowest row first; the policy is
/// the column.
#[derive(Clone, Copy, Debug)]
pub struct Planes;

impl Encoder<Board> for Planes {
    fn name(&self) -> &'static str {
        "planes"
    }

    fn shape(&self) -> Shape {
        Shape { planes: 2, height: ROWS, width: COLUMNS }
    }

    fn policy_len(&self) -> usize {
        COLUMNS
    }

    fn encode(&self, position: &Board, _view: usize, out: &mut [f32]) {
        let mover = position.mover();
        for (side, plane) in [mover, mover.other()].into_iter().zip(out.chunks_exact_mut(ROWS * COLUMNS)) {
            for (square, number) in plane.iter_mut().enumerate() {
                let held = position.holds(side, square % COLUMNS, square / COLUMNS);
                *number = f32::from(u8::from(held));
            }
        }
    }

    fn index(&self, _position: &Board, mv: Column) -> (usize, usize) {
        (0, mv.index())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connect4;
    use tesuji_core::{GameRules, Rules};

    #[test]
    fn planes_show_the_board_as_the_mover_sees_it() {
        let position = Connect4::new(Rules::Official).parse_position("d d c").unwrap();
        let mut out = [f32::NAN; 84];
        Planes.encode(&position, 0, &mut out);
        let set: Vec<usize> = (0..84).filter(|&at| out[at] == 1.0).collect();
        // O, to move, has d2; X has c1 and d1.
        assert_eq!(set, [7 + 3, 42 + 2, 42 + 3]);
        assert!(out.iter().all(|&number| number == 0.0 || number == 1.0));
    }
}
