//! Games taken by threads, one after another.

use crate::run::ledger::PlayCost;
use crate::run::{Done, PlayedGame};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// What a thread has to do with the others: where its games come from and go to.
pub(super) struct Desk<'a> {
    todo: &'a [u64],
    next: &'a AtomicU64,
    stop: &'a AtomicBool,
    failed: &'a AtomicBool,
    finished: mpsc::Sender<PlayedGame>,
}

impl Desk<'_> {
    /// The number of the next game that nobody plays yet.
    pub fn take(&self) -> Option<u64> {
        self.todo.get(self.next.fetch_add(1, Ordering::Relaxed) as usize).copied()
    }

    /// Whether to give up the games in flight.
    pub fn halts(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }

    /// Hands over a game that has ended.
    pub fn hand_over(&self, game: PlayedGame) {
        // Nobody listens any more only if the caller panics.
        let _ = self.finished.send(game);
    }
}

/// Lets every thread play games of `todo` until there are none left to take. Finished games reach `done` on the calling
/// thread; if it fails, all halt.
///
/// # Errors
/// If a thread or `done` fails.
pub(super) fn on_threads(
    todo: &[u64],
    threads: usize,
    stop: &AtomicBool,
    done: &mut Done<'_>,
    play: &(dyn Fn(&Desk<'_>) -> Result<PlayCost, String> + Sync),
) -> Result<PlayCost, String> {
    let next = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .map(|_| {
                let desk = Desk { todo, next: &next, stop, failed: &failed, finished: sender.clone() };
                scope.spawn(move || play(&desk))
            })
            .collect();
        drop(sender);
        let mut result = Ok(());
        for game in receiver {
            if result.is_ok() {
                result = done(game);
            }
            failed.store(result.is_err(), Ordering::Relaxed);
        }
        let mut total = PlayCost::default();
        for worker in workers {
            match worker.join() {
                Ok(cost) => total += cost?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result.map(|()| total)
    })
}
