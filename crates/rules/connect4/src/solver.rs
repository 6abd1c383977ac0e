//! Who wins with best play: an exact solver, for tests and for those who want to know the truth.
//!
//! Alpha-beta over win, draw and loss with a table, on bare bitboards. Moves that let the opponent win at once are not
//! tried; a move that makes most threats is tried first. Positions after a dozen moves take milliseconds; the start of
//! the game takes minutes.

use super::board::{ALL, BOTTOM, Board, COLUMNS, Column, ROWS, STEPS, STRIDE};
use tesuji_core::{MoveList, Outcome, Position, Side, random};

/// Entries of the table: a power of two.
const ENTRIES: usize = 1 << 20;

/// The columns from the centre outwards: the order of moves that look alike.
const FROM_CENTRE: [usize; COLUMNS] = [3, 2, 4, 1, 5, 0, 6];

/// What the table says of a position, for the side to move.
const AT_LEAST: u64 = 1;
const AT_MOST: u64 = 2;

/// An exact solver of connect four.
#[derive(Clone, Debug)]
pub struct Solver {
    /// A position's key times 16, its bound's kind times 4, and its score plus 1; 0 is empty.
    table: Vec<u64>,
    /// Positions looked at since the solver was made.
    nodes: u64,
    limit: u64,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver with a table of eight megabytes.
    pub fn new() -> Solver {
        Solver { table: vec![0; ENTRIES], nodes: 0, limit: u64::MAX }
    }

    /// Positions looked at since the solver was made.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The result of the game with best play; `None` if it takes more than `nodes` positions.
    pub fn solve(&mut self, board: &Board, nodes: u64) -> Option<Outcome> {
        if let Some(outcome) = board.outcome() {
            return Some(outcome);
        }
        self.limit = self.nodes.saturating_add(nodes);
        let (own, occupied) = board.mover_view();
        let score = match winning_squares(own, occupied) & reachable(occupied) {
            0 => self.score(own, occupied, -1, 1)?,
            _ => 1,
        };
        let mover = board.mover();
        Some(match score {
            0 => Outcome::Draw,
            1.. => Outcome::Win(mover),
            _ => Outcome::Win(mover.other()),
        })
    }

    /// The moves that keep the best result, and that result; `None` if it takes more than `nodes` positions a move.
    ///
    /// # Panics
    /// If the game is over.
    pub fn best_moves(&mut self, board: &Board, nodes: u64) -> Option<(Outcome, Vec<Column>)> {
        let mut moves = MoveList::new();
        board.moves(&mut moves);
        let mut results = Vec::new();
        for mv in moves {
            let mut child = *board;
            child.play(mv);
            results.push((mv, self.solve(&child, nodes)?));
        }
        let mover = board.mover();
        let rank = |outcome: &Outcome| outcome.points(mover);
        let best = results.iter().map(|(_, outcome)| *outcome).max_by(|a, b| rank(a).total_cmp(&rank(b)));
        let best = best.expect("a game that goes on has moves");
        Some((best, results.into_iter().filter(|(_, outcome)| *outcome == best).map(|(mv, _)| mv).collect()))
    }

    /// The score for the side to move, who cannot win at once: exact within the window, else a bound.
    fn score(&mut self, own: u64, occupied: u64, mut alpha: i32, mut beta: i32) -> Option<i32> {
        self.nodes += 1;
        if self.nodes > self.limit {
            return None;
        }
        let theirs = own ^ occupied;
        let mut moves = reachable(occupied);
        if moves == 0 {
            return Some(0);
        }
        // Nothing else counts where the opponent would win at once; nothing helps where it could do so in two places,
        // or on top of the only answer.
        let threats = winning_squares(theirs, occupied);
        let forced = moves & threats;
        if forced != 0 {
            if forced & (forced - 1) != 0 {
                return Some(-1);
            }
            moves = forced;
        }
        moves &= !(threats >> 1);
        if moves == 0 {
            return Some(-1);
        }
        if (ALL & !occupied).count_ones() <= 2 {
            // The opponent's answer, if any, does not win either.
            return Some(0);
        }
        let key = own + occupied + BOTTOM;
        let slot = (random::mix(key) >> 44) as usize & (ENTRIES - 1);
        let entry = self.table[slot];
        if entry >> 4 == key {
            let score = (entry & 3) as i32 - 1;
            if entry >> 2 & 3 == AT_LEAST {
                alpha = alpha.max(score);
            } else {
                beta = beta.min(score);
            }
            if alpha >= beta {
                return Some(score);
            }
        }
        let mut order = [(0, 0); COLUMNS];
        let mut count = 0;
        for column in FROM_CENTRE {
            let disc = moves & column_squares(column);
            if disc != 0 {
                order[count] = (winning_squares(own | disc, occupied | disc).count_ones(), disc);
                count += 1;
            }
        }
        // Stable, so that the centre comes first among equals.
        order[..count].sort_by_key(|&(threats, _)| std::cmp::Reverse(threats));
        let floor = alpha;
        let mut best = -1;
        for &(_, disc) in &order[..count] {
            let score = -self.score(theirs, occupied | disc, -beta, -alpha)?;
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        let kind = if best > floor { AT_LEAST } else { AT_MOST };
        self.table[slot] = key << 4 | kind << 2 | (best + 1) as u64;
        Some(best)
    }
}

/// The squares on which a disc can come to lie next.
fn reachable(occupied: u64) -> u64 {
    (occupied + BOTTOM) & ALL
}

/// The squares of a column.
fn column_squares(column: usize) -> u64 {
    ((1 << ROWS) - 1) << (column * STRIDE)
}

/// The empty squares that would complete four in a row, reachable or not.
fn winning_squares(discs: u64, occupied: u64) -> u64 {
    let mut squares = 0;
    for step in STEPS {
        // Three of four in a row with the gap at an end, and with the gap inside, in both directions.
        let up = discs << step & discs << (2 * step);
        squares |= up & discs << (3 * step) | up & discs >> step;
        let down = discs >> step & discs >> (2 * step);
        squares |= down & discs >> (3 * step) | down & discs << step;
    }
    squares & ALL & !occupied
}

impl Board {
    /// The discs of the side to move, and all discs.
    fn mover_view(&self) -> (u64, u64) {
        let discs = |side: Side| {
            let squares = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row)));
            squares.filter(|&(c, r)| self.holds(side, c, r)).fold(0, |set, (c, r)| set | 1_u64 << (c * STRIDE + r))
        };
        let own = discs(self.mover());
        (own, own | discs(self.mover().other()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Stream;

    /// Every line to its end.
    fn by_hand(board: &Board) -> Outcome {
        if let Some(outcome) = board.outcome() {
            return outcome;
        }
        let mut moves = MoveList::new();
        board.moves(&mut moves);
        let results = moves.into_iter().map(|mv| {
            let mut child = *board;
            child.play(mv);
            by_hand(&child)
        });
        let mover = board.mover();
        results.max_by(|a, b| a.points(mover).total_cmp(&b.points(mover))).expect("there are moves")
    }

    /// A random position of a game that goes on after so many plies.
    fn random_position(random: &mut Stream, plies: u32) -> Board {
        loop {
            let mut board = Board::default();
            if board.playout(random, plies).is_none() {
                return board;
            }
        }
    }

    #[test]
    fn the_solver_agrees_with_looking_at_everything() {
        let mut random = Stream::new(1, "connect4 solver", 0);
        let mut solver = Solver::new();
        let mut results = [0; 3];
        for index in 0..200 {
            let board = random_position(&mut random, 28 + index % 10);
            let expected = by_hand(&board);
            assert_eq!(solver.solve(&board, u64::MAX), Some(expected), "{board:?}");
            results[(2.0 * expected.points(Side::First)) as usize] += 1;
            let (best, moves) = solver.best_moves(&board, u64::MAX).unwrap();
            assert_eq!(best, expected);
            assert!(!moves.is_empty());
            for mv in moves {
                let mut child = board;
                child.play(mv);
                assert_eq!(by_hand(&child), expected);
            }
        }
        assert!(results.iter().all(|&count| count >= 10), "all results occur: {results:?}");
    }

    #[test]
    fn a_limit_ends_the_search() {
        let mut solver = Solver::new();
        assert_eq!(solver.solve(&Board::default(), 1000), None);
        assert!(solver.nodes() <= 1001);
    }
}
