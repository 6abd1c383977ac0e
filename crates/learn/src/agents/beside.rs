//! Two searches of one position at a time: a mate solver on a thread of its own, and whoever searches beside it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use tesuji_core::{Info, Report, search::Line};
use tesuji_search::options::OptionValue;

/// When a mate solver works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// Before the search, until it has its answer.
    #[default]
    First,
    /// On a thread of its own while the search runs, as in the minishogi paper. Whether it has its answer in time
    /// depends on the machine.
    Thread,
    /// On a thread of its own, so many positions for each simulation: neither gets ahead of the other, so the answer
    /// is the same on every machine.
    Nodes(u64),
}

impl OptionValue for Beside {
    type Bounds = ();

    fn form((): &()) -> String {
        "first|thread|POSITIONS for each simulation, 1 to 4294967296".to_owned()
    }

    fn read(text: &str, (): &()) -> Option<Beside> {
        match text {
            "first" => Some(Beside::First),
            "thread" => Some(Beside::Thread),
            // A plus sign is no digit.
            _ if text.starts_with('+') => None,
            number => number.parse().ok().filter(|&nodes| (1..=1 << 32).contains(&nodes)).map(Beside::Nodes),
        }
    }

    fn write(&self) -> String {
        match self {
            Beside::First => "first".to_owned(),
            Beside::Thread => "thread".to_owned(),
            Beside::Nodes(nodes) => nodes.to_string(),
        }
    }
}

/// How far the solver is, and how far it may go.
#[derive(Debug, Default)]
struct State {
    /// Positions that the solver has looked at, as far as it has told.
    used: u64,
    /// Positions that it may look at.
    granted: u64,
    /// It has its answer.
    done: bool,
    /// The answer is a mate.
    found: bool,
    /// Nobody waits for it any more.
    cancelled: bool,
}

/// What the two threads know of each other.
#[derive(Debug)]
pub(super) struct Lockstep {
    /// Positions for each step of the search; as many as it likes if none.
    grant: Option<u64>,
    state: Mutex<State>,
    changed: Condvar,
}

/// A solver asks whether to stop after this many positions.
const ASKS: u64 = 256;

impl Lockstep {
    /// Before either has begun; the solver may look at `grant` positions for each step of the search.
    pub fn new(grant: Option<u64>) -> Lockstep {
        Lockstep { grant, state: Mutex::default(), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked is joined later; the numbers are whole whenever the lock is free.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asked by the solver now and then: waits until it may go on; whether to give up.
    pub fn gives_up(&self) -> bool {
        let mut state = self.state();
        state.used += ASKS;
        self.changed.notify_all();
        while self.grant.is_some() && state.used >= state.granted && !state.cancelled {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.cancelled
    }

    /// Told by the solver: it has its answer, a mate or something else.
    pub fn finish(&self, found: bool) {
        let mut state = self.state();
        (state.done, state.found) = (true, found);
        self.changed.notify_all();
    }

    /// Told by the search at its end: the solver is to give up.
    pub fn cancel(&self) {
        self.state().cancelled = true;
        self.changed.notify_all();
    }

    /// Told by the search after each step: lets the solver do its share, and says whether it has found a mate.
    fn step(&self) -> bool {
        let mut state = self.state();
        if let Some(grant) = self.grant {
            state.granted = state.granted.saturating_add(grant);
            self.changed.notify_all();
            while state.used < state.granted && !state.done {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        state.found
    }
}

/// Tells the solver beside a search of each step, and ends the search when a mate is found.
pub(super) struct Watch<'a, M> {
    /// Who listens to the search.
    pub report: &'a mut dyn Report<M>,
    /// The solver.
    pub solver: &'a Lockstep,
}

impl<M> Report<M> for Watch<'_, M> {
    fn info(&mut self, info: &Info<M>) {
        self.report.info(info);
    }

    fn others(&mut self, lines: &[Line<M>]) {
        self.report.others(lines);
    }

    fn stop(&self) -> bool {
        self.solver.step() || self.report.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_read_what_they_write() {
        for text in ["first", "thread", "1", "1000"] {
            assert_eq!(Beside::read(text, &()).unwrap().write(), text);
        }
        for text in ["", "0", "+5", "-1", "second", "99999999999"] {
            assert_eq!(Beside::read(text, &()), None, "{text:?}");
        }
    }

    /// Steps of the search until the solver, which needs `needs` positions, has found its mate.
    fn steps(grant: u64, needs: u64, pause: bool) -> u32 {
        let lockstep = Lockstep::new(Some(grant));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut looked = 0;
                while looked < needs {
                    looked += ASKS;
                    if pause {
                        std::thread::yield_now();
                    }
                    if lockstep.gives_up() {
                        return lockstep.finish(false);
                    }
                }
                lockstep.finish(true);
            });
            let found = (1..1000).find(|_| lockstep.step());
            lockstep.cancel();
            found.unwrap_or(0)
        })
    }

    #[test]
    fn neither_gets_ahead_of_the_other() {
        for (grant, needs) in [(100, 2560), (256, 2560), (1000, 10_240), (5000, 256)] {
            let first = steps(grant, needs, false);
            assert!(first > 0, "{grant} {needs}");
            for pause in [false, true] {
                assert_eq!(steps(grant, needs, pause), first, "{grant} {needs}");
            }
        }
        assert!(steps(100, 25_600, false) > steps(1000, 25_600, false));
        assert_eq!(steps(1, 1 << 40, false), 0, "given up");
    }
}
