//! Mate solvers for games with check.
//!
//! | file | what it does |
//! |---|---|
//! | `solver` | [`Solver`]: any of them, every line checked before it is reported |
//! | `spec` | [`SolverSpec`]: solvers by name |
//! | [`dfpn`] | depth-first proof-number search for mates by checks |
//! | [`dfs`] | iterative-deepening depth-first search for mates by checks |
//! | [`exact`] | exact search by depth, quiet moves included |
//! | `table` | the memory of proof-number search, with hand dominance |

pub mod dfpn;
pub mod dfs;
pub mod exact;
mod solver;
mod spec;
mod table;

pub use solver::Solver;
pub use spec::SolverSpec;

use std::time::{Duration, Instant};
use tesuji_core::{MateBoard, MoveList};

/// What a solver found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<M> {
    /// A forced mate, with one line of it.
    Mate(Vec<M>),
    /// There is none of the kind and within the length that was asked for.
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

/// What a search has spent of its limits.
struct Meter<'a> {
    limits: &'a Limits<'a>,
    began: Instant,
    nodes: u64,
    is_over: bool,
}

impl<'a> Meter<'a> {
    /// A meter that begins at `nodes` positions.
    fn new(limits: &'a Limits<'a>, nodes: u64) -> Meter<'a> {
        Meter { limits, began: Instant::now(), nodes, is_over: false }
    }

    /// Counts a position; says whether a limit is reached.
    fn count(&mut self) -> bool {
        self.nodes += 1;
        self.is_over()
    }

    /// Whether a limit is reached.
    fn is_over(&mut self) -> bool {
        if !self.is_over {
            let limits = self.limits;
            // A look at the clock costs about as much as a tenth of a position.
            self.is_over = limits.nodes.is_some_and(|most| self.nodes >= most)
                || self.nodes.is_multiple_of(256)
                    && (limits.time.is_some_and(|most| self.began.elapsed() >= most) || (limits.stop)());
        }
        self.is_over
    }
}

/// Which moves the attacker may play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Checks only.
    Checks,
    /// All legal moves.
    Anything,
}

/// Whether a line is what it claims to be: legal checks answered by legal moves, mate at its end.
pub fn is_mating_line<B: MateBoard>(board: &B, line: &[B::Move]) -> bool {
    is_mating_line_by(Attack::Checks, board, line)
}

/// Whether a line is what it claims to be: legal moves of the given kind answered by legal moves, mate at its end.
pub fn is_mating_line_by<B: MateBoard>(attack: Attack, board: &B, line: &[B::Move]) -> bool {
    let mut board = board.clone();
    let mut moves = MoveList::new();
    for (ply, &mv) in line.iter().enumerate() {
        if ply % 2 == 0 && attack == Attack::Checks {
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
