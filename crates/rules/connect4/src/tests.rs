//! Connect four against a plain reference, and against known results.

use super::*;
use crate::Connect4;
use proptest::prelude::*;
use std::collections::HashMap;
use tesuji_core::perft::{perft, perft_playing};
use tesuji_core::{GameRules, Heuristics, Rules, game};

fn game() -> Connect4 {
    Connect4::new(Rules::Official)
}

/// The position after some random moves.
fn random_position(seed: u64, plies: u32) -> Board {
    let mut position = game().start();
    position.playout(&mut Stream::new(seed, "test", 0), plies);
    position
}

/// The same game on a plain array of squares, written to be obviously right.
#[derive(Clone, Default)]
struct Plain {
    squares: [[Option<Side>; ROWS]; COLUMNS],
}

impl Plain {
    fn height(&self, column: usize) -> usize {
        self.squares[column].iter().filter(|square| square.is_some()).count()
    }

    fn winner(&self) -> Option<Side> {
        let at = |column: i32, row: i32| *self.squares.get(column as usize)?.get(row as usize)?;
        for column in 0..7 {
            for row in 0..6 {
                for (right, up) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let row = [0, 1, 2, 3].map(|n| at(column + n * right, row + n * up));
                    if row[0].is_some() && row.iter().all(|&square| square == row[0]) {
                        return row[0];
                    }
                }
            }
        }
        None
    }

    fn play(&mut self, column: usize, side: Side) {
        self.squares[column][self.height(column)] = Some(side);
    }

    fn perft(&self, side: Side, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.winner().is_some() {
            return 0;
        }
        let open = (0..COLUMNS).filter(|&column| self.height(column) < ROWS);
        open.map(|column| {
            let mut child = self.clone();
            child.play(column, side);
            child.perft(side.other(), depth - 1)
        })
        .sum()
    }
}

/// The outcome under best play, by plain search with a table; the mover's value in -1..=1.
fn solve(position: &Board, table: &mut HashMap<u64, i32>) -> i32 {
    match position.outcome() {
        Some(Outcome::Draw) => return 0,
        Some(Outcome::Win(_)) => return -1,
        None => {}
    }
    if let Some(&value) = table.get(&position.key()) {
        return value;
    }
    let mut moves = MoveList::new();
    position.movements(&mut moves);
    let mut best = -1;
    for mv in moves {
        let mut child = *position;
        child.play(mv);
        best = best.max(-solve(&child, table));
        if best == 1 {
            break;
        }
    }
    table.insert(position.key(), best);
    best
}

#[test]
fn perft_is_that_of_the_plain_game() {
    let counts: Vec<u64> = (0..=8).map(|depth| perft(&game().start(), depth)).collect();
    assert_eq!(counts, [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]);
    assert_eq!(perft_playing(&game().start(), 6), 117649);
    for depth in 0..6 {
        assert_eq!(Plain::default().perft(Side::First, depth), counts[depth as usize]);
    }
    // Where columns are full and rows complete soon.
    for seed in 0..20 {
        let position = random_position(seed, 26);
        let mut plain = Plain::default();
        for (column, side) in position.history().zip(Side::BOTH.into_iter().cycle()) {
            plain.play(column.index(), side);
        }
        for depth in 1..5 {
            assert_eq!(perft(&position, depth), plain.perft(position.mover(), depth), "seed {seed} depth {depth}");
        }
    }
}

#[test]
fn solved_positions_have_their_known_values() {
    // From Pascal Pons's published test set (the signs of its scores): each is decided by the last few discs.
    for (line, value) in [
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
        ("23163416124767223154467471272416755633", 0),
        ("65214673556155731566316327373221417", -1),
    ] {
        let columns: Vec<String> = line.chars().map(|column| column.to_string()).collect();
        let position = game().parse_position(&columns.join(" ")).unwrap();
        assert_eq!(solve(&position, &mut HashMap::new()), value, "{line}");
    }
}

#[test]
fn four_in_a_row_ends_the_game() {
    for (moves, winner) in [
        ("a b a b a b a", Side::First),
        ("a a b b c c d", Side::First),
        ("g a a b b c c d", Side::Second),
        ("a b b c c d c d d g d", Side::First),
        ("g f f e e d e d d a d", Side::First),
    ] {
        let position = game().parse_position(moves).unwrap();
        assert_eq!(position.outcome(), Some(Outcome::Win(winner)), "{moves}");
        assert_eq!((position.ending(), position.count_movements()), ("four in a row", 0), "{moves}");
        assert!(game().parse_position(&format!("{moves} e")).is_err());
    }
}

#[test]
fn columns_are_read_in_every_form_and_written_in_one() {
    let position = game().parse_position("4 d d3 c1").unwrap();
    assert_eq!(game().format_position(&position), "d d d c");
    for text in ["h", "8", "0", "", "dd", "d3", "d5", "d7", "D", "44", "é"] {
        assert!(position.parse_move(text).is_err(), "{text:?} was taken");
    }
    let full = game().parse_position("a a a a a a").unwrap();
    assert_eq!(full.parse_move("a"), Err(MoveError::illegal("a")));
    assert_eq!(full.count_movements(), 6);
    assert!(game().parse_position("a a a a a a a").unwrap_err().to_string().contains("move 7"));
}

#[test]
fn playouts_draw_every_legal_move_equally_often() {
    let start = game().parse_position("b b b b b b").unwrap();
    let mut counts = [0_u32; COLUMNS];
    let mut random = Stream::new(5, "test", 0);
    let games = 6000;
    for _ in 0..games {
        let mut position = start;
        position.playout(&mut random, 5);
        for column in position.history().skip(6).take(1) {
            counts[column.index()] += 1;
        }
    }
    assert_eq!(counts[1], 0);
    let chi: f64 = counts.iter().filter(|&&n| n > 0).map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
    // Five degrees of freedom: exceeded once in a thousand seeds.
    assert!(chi < 20.5, "chi-squared {chi}");
}

#[test]
fn random_columns_are_uniform_at_every_place_of_a_batch() {
    let mut random = Stream::new(9, "test", 0);
    let mut counts = [[0_u32; COLUMNS]; 21];
    for _ in 0..7000 {
        let mut draws = Draws::default();
        for place in &mut counts {
            place[usize::from(draws.column(&mut random))] += 1;
        }
    }
    for place in counts {
        let chi: f64 = place.iter().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
        // Six degrees of freedom: exceeded once in 21,000 by chance.
        assert!(chi < 29.5, "chi-squared {chi}");
    }
}

proptest! {
    #[test]
    fn games_are_those_of_the_plain_game(seed: u64, plies in 0..=42_u32) {
        let position = random_position(seed, plies);
        prop_assert!(position.ply() == plies || position.outcome().is_some());
        let mut plain = Plain::default();
        let mut replayed = game().start();
        let sides = Side::BOTH.into_iter().cycle();
        for (column, side) in position.history().zip(sides) {
            prop_assert_eq!(plain.winner(), None);
            prop_assert_eq!(replayed.mover(), side);
            prop_assert!(replayed.try_play(column).is_ok());
            plain.play(column.index(), side);
        }
        prop_assert_eq!(replayed, position);
        for column in 0..COLUMNS {
            for row in 0..ROWS {
                prop_assert_eq!(position.owner(column, row), plain.squares[column][row]);
            }
        }
        let outcome = plain.winner().map(Outcome::Win).or((position.ply() == SQUARES).then_some(Outcome::Draw));
        prop_assert_eq!(position.outcome(), outcome);
        prop_assert_eq!(game::parse_line(&game(), &game().format_position(&position)), Ok(position));
    }

    #[test]
    fn the_mirror_carries_positions_moves_and_outcomes(seed: u64, plies in 0..=42_u32) {
        let position = random_position(seed, plies);
        let image = position.transform(1);
        prop_assert_eq!(image.transform(1), position);
        prop_assert_eq!(game().heuristic(&image), game().heuristic(&position));
        let mut replayed = game().start();
        for column in position.history() {
            replayed.play(position.transform_move(1, column));
        }
        prop_assert_eq!(replayed, image);
        prop_assert_eq!(replayed.outcome(), position.outcome());
    }

    #[test]
    fn open_rows_are_those_that_one_counts_by_hand(seed: u64, plies in 0..=42_u32) {
        let position = random_position(seed, plies);
        for side in Side::BOTH {
            let mut open = [0; 2];
            for (column, row) in (0..7_i32).flat_map(|column| (0..6_i32).map(move |row| (column, row))) {
                for (right, up) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let (last_column, last_row) = (column + 3 * right, row + 3 * up);
                    if last_column > 6 || !(0..6).contains(&last_row) {
                        continue;
                    }
                    let owners =
                        [0, 1, 2, 3].map(|n| position.owner((column + n * right) as usize, (row + n * up) as usize));
                    let own = owners.iter().filter(|&&owner| owner == Some(side)).count();
                    if !owners.contains(&Some(side.other())) && (own == 2 || own == 3) {
                        open[own - 2] += 1;
                    }
                }
            }
            prop_assert_eq!(position.open_rows(side), open);
        }
    }
}
