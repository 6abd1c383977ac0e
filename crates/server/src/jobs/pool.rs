//! A fixed number of threads that work off a queue.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

type Task = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<Task>,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads; they end when the pool is dropped and what they work on is done.
pub struct Pool {
    shared: Arc<Shared>,
}

impl Pool {
    /// So many threads, which give way to whoever answers requests.
    pub fn new(name: &str, threads: usize) -> std::io::Result<Pool> {
        let shared = Arc::new(Shared::default());
        for number in 0..threads.max(1) {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || {
                give_way();
                work(&shared);
            })?;
        }
        Ok(Pool { shared })
    }

    /// Adds a task.
    pub fn add(&self, task: impl FnOnce() + Send + 'static) {
        self.shared.lock().tasks.push_back(Box::new(task));
        self.shared.wake.notify_one();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_all();
    }
}

fn work(shared: &Shared) {
    loop {
        let mut queue = shared.lock();
        let task = loop {
            if let Some(task) = queue.tasks.pop_front() {
                break task;
            }
            if queue.closed {
                return;
            }
            queue = shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        };
        drop(queue);
        // A task that fails must not take its thread with it.
        let _ = catch_unwind(AssertUnwindSafe(task));
    }
}

/// Lowers the priority of this thread and of those that it starts: pages are answered first. It counts from that of the
/// program, which somebody may have started with a low one.
fn give_way() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpriority_process, setpriority_process};
        // Where it is not allowed, work goes on as it is.
        let _ = getpriority_process(None).and_then(|now| setpriority_process(None, (now + 10).min(19)));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::process::getpriority_process;
    use std::sync::mpsc::channel;

    #[test]
    fn threads_give_way_to_whoever_started_them() {
        let pool = Pool::new("test", 1).unwrap();
        let (told, heard) = channel();
        pool.add(move || told.send(getpriority_process(None).unwrap()).unwrap());
        assert_eq!(heard.recv().unwrap(), (getpriority_process(None).unwrap() + 10).min(19));
    }
}
