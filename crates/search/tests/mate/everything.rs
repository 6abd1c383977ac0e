//! Mates by trying everything, without any memory: what the solvers' answers must equal.

use std::collections::HashMap;
use tesuji_core::{MateBoard, MateHand, MoveList};

/// Whether there is a mate by checks within `plies`.
pub fn mates_by_checks(board: &impl MateBoard, plies: u16) -> bool {
    attack(board, plies, true)
}

/// Whether there is a mate within `plies`, by any moves.
pub fn mates(board: &impl MateBoard, plies: u16) -> bool {
    attack(board, plies, false)
}

fn attack(board: &impl MateBoard, plies: u16, by_checks: bool) -> bool {
    let mut moves = MoveList::new();
    if by_checks {
        board.checks(&mut moves);
    } else {
        board.legal_moves(&mut moves);
    }
    moves.into_iter().any(|mv| {
        let mut next = board.clone();
        next.play(mv);
        next.is_mate() || plies > 2 && is_lost(&next, plies - 1, by_checks)
    })
}

fn is_lost(board: &impl MateBoard, plies: u16, by_checks: bool) -> bool {
    let mut evasions = MoveList::new();
    board.legal_moves(&mut evasions);
    // Without moves it is stalemate: mate was looked for before.
    !evasions.is_empty()
        && evasions.into_iter().all(|mv| {
            let mut next = board.clone();
            next.play(mv);
            attack(&next, plies - 1, by_checks)
        })
}

/// Whether there is a mate by checks of any length, from the whole graph of positions; `None` if it has more than
/// `most` and there is no mate among the first `most`.
///
/// A position belongs to the mates as soon as one check leads there (or all evasions do); what never comes to belong to
/// them has a defence, if need be by going round in circles for ever.
pub fn mates_in_graph<B: MateBoard>(root: &B, most: usize) -> Option<bool> {
    let attacker = root.mover();
    let key = |board: &B| (board.board_key(), board.hand(attacker).to_bits());
    let mut numbers = HashMap::from([(key(root), 0)]);
    let mut boards = vec![root.clone()];
    let mut children: Vec<Vec<usize>> = Vec::new();
    let mut moves = MoveList::new();
    while children.len() < boards.len().min(most) {
        let board = boards[children.len()].clone();
        if board.mover() == attacker {
            board.checks(&mut moves);
        } else {
            board.legal_moves(&mut moves);
        }
        let mut list = Vec::new();
        for &mv in &moves {
            let mut next = board.clone();
            next.play(mv);
            let number = *numbers.entry(key(&next)).or_insert(boards.len());
            if number == boards.len() {
                boards.push(next);
            }
            list.push(number);
        }
        children.push(list);
    }
    let is_whole = children.len() == boards.len();
    let mut is_mate = vec![false; boards.len()];
    loop {
        let mut changed = false;
        for place in (0..children.len()).rev() {
            let next = &children[place];
            let now = if boards[place].mover() == attacker {
                next.iter().any(|&child| is_mate[child])
            } else {
                next.iter().all(|&child| is_mate[child])
            };
            changed |= now && !is_mate[place];
            is_mate[place] |= now;
        }
        if !changed {
            return (is_whole || is_mate[0]).then_some(is_mate[0]);
        }
    }
}
