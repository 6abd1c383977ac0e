//! What solvers may spend.

use std::time::{Duration, Instant};

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
pub(super) struct Meter<'a> {
    pub(super) limits: &'a Limits<'a>,
    began: Instant,
    pub(super) nodes: u64,
    is_over: bool,
}

impl<'a> Meter<'a> {
    /// A meter that begins at `nodes` positions.
    pub(super) fn new(limits: &'a Limits<'a>, nodes: u64) -> Meter<'a> {
        Meter { limits, began: Instant::now(), nodes, is_over: false }
    }

    /// Counts a position; says whether a limit is reached.
    pub(super) fn count(&mut self) -> bool {
        self.nodes += 1;
        self.is_over()
    }

    /// Whether a limit is reached.
    pub(super) fn is_over(&mut self) -> bool {
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
