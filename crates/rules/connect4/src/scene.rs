//! The rack to be drawn, and moves as gestures.

use super::board::{Board, COLUMNS, Column, ROWS, STEPS, STRIDE};
use tesuji_core::scene::{self, Look, Mark, MarkKind, Piece, Scene, Step, downward, letters};
use tesuji_core::{Outcome, Position};

/// A square's name; rows count from the bottom.
fn name(column: usize, row: usize) -> String {
    format!("{}{}", char::from(b'a' + column as u8), row + 1)
}

/// The names of a set of squares.
fn names(squares: u64) -> Vec<String> {
    (0..COLUMNS * STRIDE).filter(|at| squares >> at & 1 != 0).map(|at| name(at / STRIDE, at % STRIDE)).collect()
}

/// The rack with the row that won.
pub(super) fn scene(position: &Board) -> Scene {
    let rack = scene::Board::plain("rack", Look::Rack, letters(COLUMNS), downward(ROWS), |column, row| {
        name(column, ROWS - 1 - row)
    });
    let mut scene = Scene::of(vec![rack]);
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            if let Some(side) = position.owner(column, row) {
                let text = ["X", "O"][side.index()];
                scene.pieces.push(Piece::new(name(column, row), side.index(), "disc", text));
            }
        }
    }
    let won = winning_discs(position);
    if won != 0 {
        scene.marks.push(Mark { kind: MarkKind::Line, cells: names(won) });
    }
    scene
}

/// The discs that won; none if nobody has.
pub(super) fn winning_discs(position: &Board) -> u64 {
    match position.outcome() {
        Some(Outcome::Win(winner)) => fours(position.discs(winner)),
        _ => 0,
    }
}

/// Every disc that is one of four in a row.
fn fours(discs: u64) -> u64 {
    STEPS.iter().fold(0, |all, &step| {
        let first = discs & discs >> step & discs >> (2 * step) & discs >> (3 * step);
        all | first | first << step | first << (2 * step) | first << (3 * step)
    })
}

/// The square that the disc falls to.
pub(super) fn steps(position: &Board, mv: Column) -> Vec<Step> {
    let column = ((1u64 << ROWS) - 1) << (mv.index() * STRIDE);
    names(position.playable() & column).into_iter().map(Step::cell).collect()
}
