//! Long work: on a thread of its own, with the interpreter released, until Ctrl-C or the end.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Whether the work is done, and who waits for it.
#[derive(Default)]
struct Done {
    flag: Mutex<bool>,
    changed: Condvar,
}

impl Done {
    /// Waits for the end, but not for long; whether it has come.
    fn wait(&self) -> bool {
        let flag = self.flag.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(flag, LOOK, |done| !*done);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Says that the work is done, however it ends.
struct Announce<'a>(&'a Done);

impl Drop for Announce<'_> {
    fn drop(&mut self) {
        *self.0.flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}

/// Does some work with the interpreter released. Ctrl-C sets the flag that the work is given, which ends it.
///
/// # Errors
/// `KeyboardInterrupt` after Ctrl-C; `RuntimeError` if the work panicked, which is a bug of ours.
pub fn work<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let (stop, done) = (AtomicBool::new(false), Done::default());
    let mut interrupted = Ok(());
    let joined = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let _announce = Announce(&done);
            work(&stop)
        });
        while !py.detach(|| done.wait()) {
            if let Err(error) = py.check_signals() {
                interrupted = Err(error);
                stop.store(true, Ordering::Relaxed);
            }
        }
        py.detach(|| thread.join())
    });
    interrupted?;
    joined.map_err(|panic| PyRuntimeError::new_err(format!("a bug in Tesuji: {}", words(&*panic))))
}

/// What a panic says.
pub fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given").to_owned()
}
