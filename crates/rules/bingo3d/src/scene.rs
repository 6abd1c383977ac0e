//! The four levels to be drawn, and moves as gestures.

use super::lines::{self, LINES};
use super::position::{Bingo, Peg};
use tesuji_core::scene::{Board, Layout, Look, Mark, MarkKind, Piece, Scene, Step, downward, letters};
use tesuji_core::{Outcome, Position, Side};

/// A cell's name: that of its peg and the level, `b3.2`.
fn name(cell: usize) -> String {
    format!("{}{}.{}", char::from(b'a' + (cell % 4) as u8), cell / 4 % 4 + 1, cell / 16 + 1)
}

/// The levels, the lowest first, with the line that won.
pub(super) fn scene(position: &Bingo) -> Scene {
    let level = |level: usize| Board {
        title: Some(format!("level {}", level + 1)),
        ..Board::plain(&format!("level{}", level + 1), Look::Paper, letters(4), downward(4), |column, row| {
            name(16 * level + 4 * (3 - row) + column)
        })
    };
    let mut scene = Scene { layout: Layout::Levels, ..Scene::of((0..4).map(level).collect()) };
    let cube = |cell: usize| {
        let side = position.owner(cell)?;
        Some(Piece::new(name(cell), side.index(), "cube", ["X", "O"][side.index()]))
    };
    scene.pieces = (0..64).filter_map(cube).collect();
    let won = winning_cubes(position);
    if won != 0 {
        scene.marks.push(Mark { kind: MarkKind::Line, cells: cells(won) });
    } else {
        let threats = lines::completions(position.cubes(position.mover().other())) & position.playable();
        if threats != 0 {
            scene.marks.push(Mark { kind: MarkKind::Threat, cells: cells(threats) });
        }
    }
    let left = [Side::First, Side::Second].map(|side| 32 - position.cubes(side).count_ones());
    scene.notes.push(format!("cubes left: X {}, O {}", left[0], left[1]));
    scene
}

/// The cubes of the lines that won; none if nobody has.
pub(super) fn winning_cubes(position: &Bingo) -> u64 {
    let Some(Outcome::Win(winner)) = position.outcome() else { return 0 };
    let cubes = position.cubes(winner);
    LINES.into_iter().filter(|&line| cubes & line == line).fold(0, |all, line| all | line)
}

fn cells(set: u64) -> Vec<String> {
    (0..64).filter(|cell| set >> cell & 1 != 0).map(name).collect()
}

/// The cell that the cube comes to lie in.
pub(super) fn steps(position: &Bingo, mv: Peg) -> Vec<Step> {
    let cell = lines::peg_cells(mv.index()) & position.playable();
    vec![Step::cell(name(cell.trailing_zeros() as usize % 64))]
}
