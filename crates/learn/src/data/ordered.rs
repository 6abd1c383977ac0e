//! Work on many threads, results in order.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

/// How many jobs for each thread may be under way or wait for their turn: this bounds the memory.
const AHEAD: usize = 8;

/// What the workers share.
struct Desk<I> {
    jobs: I,
    /// The number of the next job.
    next: usize,
    /// Results that have been handed over, in order.
    delivered: usize,
    closed: bool,
}

/// The desk and the bell that rings when it changes.
struct Office<I> {
    desk: Mutex<Desk<I>>,
    changed: Condvar,
}

impl<I: Iterator> Office<I> {
    fn lock(&self) -> MutexGuard<'_, Desk<I>> {
        // Nothing is left half done by a panic under the lock but the jobs, which then end.
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job and its number, once it is not too far ahead.
    fn take(&self, most_ahead: usize) -> Option<(usize, I::Item)> {
        let mut desk = self.lock();
        while !desk.closed && desk.next >= desk.delivered + most_ahead {
            desk = self.changed.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
        if desk.closed {
            return None;
        }
        let job = desk.jobs.next();
        match job {
            Some(job) => {
                desk.next += 1;
                Some((desk.next - 1, job))
            }
            None => {
                desk.closed = true;
                self.changed.notify_all();
                None
            }
        }
    }

    fn deliver(&self) {
        self.lock().delivered += 1;
        self.changed.notify_all();
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

/// Closes the desk when a worker leaves by a panic, so that nobody waits for its result.
struct CloseOnPanic<'a, I: Iterator>(&'a Office<I>);

impl<I: Iterator> Drop for CloseOnPanic<'_, I> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}

/// Does `work` on every job, on `threads` threads, and hands the results to `each` in the order of the jobs until it
/// breaks. `worker` makes what a thread keeps for its work. Memory does not grow with the number of jobs.
///
/// # Errors
/// What `worker` or `each` gives.
pub fn ordered<J, W, T, E, I>(
    threads: usize,
    jobs: I,
    worker: impl Fn() -> Result<W, E> + Sync,
    work: impl Fn(&mut W, J) -> T + Sync,
    mut each: impl FnMut(T) -> Result<ControlFlow<()>, E>,
) -> Result<(), E>
where
    I: Iterator<Item = J> + Send,
    T: Send,
    E: Send,
{
    if threads <= 1 {
        let mut kept = worker()?;
        for job in jobs {
            if each(work(&mut kept, job))?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    let desk = Desk { jobs, next: 0, delivered: 0, closed: false };
    let office = Office { desk: Mutex::new(desk), changed: Condvar::new() };
    let (sender, receiver) = mpsc::channel::<Result<(usize, T), E>>();
    thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (office, worker, work) = (&office, &worker, &work);
            scope.spawn(move || {
                let _guard = CloseOnPanic(office);
                let mut kept = match worker() {
                    Ok(kept) => kept,
                    Err(error) => {
                        office.close();
                        // The other side is gone only if it has an error of its own to tell.
                        let _ = sender.send(Err(error));
                        return;
                    }
                };
                while let Some((number, job)) = office.take(AHEAD * threads) {
                    if sender.send(Ok((number, work(&mut kept, job)))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut next = 0;
        for result in receiver {
            let done = result.and_then(|(number, result)| {
                early.insert(number, result);
                while let Some(result) = early.remove(&next) {
                    next += 1;
                    if each(result)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                    office.deliver();
                }
                Ok(ControlFlow::Continue(()))
            });
            match done {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => {
                    office.close();
                    break;
                }
                Err(error) => {
                    office.close();
                    return Err(error);
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Jobs of very different length, so that they finish out of order.
    fn slow_square(x: usize) -> usize {
        let rounds = if x.is_multiple_of(7) { 200_000 } else { 10 };
        let spent = (0..rounds).fold(0, |sum: usize, round| std::hint::black_box(sum ^ round));
        std::hint::black_box(spent);
        x * x
    }

    #[test]
    fn results_come_in_the_order_of_the_jobs_at_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let mut results = Vec::new();
            ordered(
                threads,
                0..500,
                || Ok::<_, ()>(()),
                |(), x| slow_square(x),
                |x| {
                    results.push(x);
                    Ok(ControlFlow::Continue(()))
                },
            )
            .unwrap();
            assert_eq!(results, (0..500).map(|x| x * x).collect::<Vec<_>>(), "{threads} threads");
        }
    }

    #[test]
    fn endless_jobs_end_where_the_reader_breaks_and_nobody_runs_far_ahead() {
        for threads in [1, 3] {
            let taken = AtomicUsize::new(0);
            let jobs = (0_usize..).inspect(|_| {
                taken.fetch_add(1, Ordering::Relaxed);
            });
            let mut last = 0;
            ordered(
                threads,
                jobs,
                || Ok::<_, ()>(()),
                |(), x| slow_square(x),
                |x| {
                    last = x;
                    Ok(if x >= 10_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
                },
            )
            .unwrap();
            assert_eq!(last, 10_000);
            assert!(taken.into_inner() <= 101 + AHEAD * threads + threads);
        }
    }

    #[test]
    fn errors_of_workers_and_readers_end_the_work() {
        for threads in [1, 3] {
            let failed =
                ordered(threads, 0.., || Err::<(), _>("no worker"), |(), x: i32| x, |_| Ok(ControlFlow::Continue(())));
            assert_eq!(failed, Err("no worker"));
            let failed = ordered(
                threads,
                0..,
                || Ok(()),
                |(), x: i32| x,
                |x| {
                    if x == 100 { Err("full") } else { Ok(ControlFlow::Continue(())) }
                },
            );
            assert_eq!(failed, Err("full"));
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_of_a_worker_is_no_deadlock() {
        let _ = ordered(2, 0.., || Ok::<_, ()>(()), |(), x: i32| assert!(x < 50), |()| Ok(ControlFlow::Continue(())));
    }
}
