//! Mate solvers for games with check.
//!
//! | file | what it does |
//! |---|---|
//! | [`dfpn`] | depth-first proof-number search for mates by checks |
//! | `table` | its memory, with hand dominance |

pub mod dfpn;
mod table;

use std::time::Duration;
use tesuji_core::{MateBoard, MoveList};

/// What a solver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<M> {
    /// A forced mate, with one line of it.
    Mate(Vec<M>),
    /// There is none (by checks, within the length that was asked for).
    NoMate,
    /// The limits were reached first.
    Unknown,
}

/// How much a solver may spend, and what is wanted of it.
pub struct Limits<'a> {
    /// Positions.
    pub nodes: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
    /// The longest mate of interest, in plies.
    pub plies: Option<u16>,
    /// Whether the shortest mate is wanted rather than any.
    pub shortest: bool,
    /// Whether to stop now.
    pub stop: &'a dyn Fn() -> bool,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits { nodes: None, time: None, plies: None, shortest: false, stop: &|| false }
    }
}

/// Whether a line is what it claims to be: legal checks answered by legal moves, mate at its end.
pub fn is_mating_line<B: MateBoard>(board: &B, line: &[B::Move]) -> bool {
    let mut board = board.clone();
    let mut moves = MoveList::new();
    for (ply, &mv) in line.iter().enumerate() {
        if ply % 2 == 0 {
            board.checks(&mut moves)
        } else {
            board.legal_moves(&mut moves)
        }
        if !moves.contains(&mv) {
            return false;
        }
        board.play(mv);
    }
    line.len() % 2 == 1 && board.is_mate()
}
