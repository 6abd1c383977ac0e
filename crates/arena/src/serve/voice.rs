//! The output to the client.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// The output to the client, line by line: lines of two threads do not mix.
#[derive(Clone)]
pub(super) struct Voice(Arc<Mutex<dyn Write + Send>>);

impl Voice {
    pub(super) fn new(output: impl Write + Send + 'static) -> Voice {
        Voice(Arc::new(Mutex::new(output)))
    }

    pub(super) fn say(&self, line: &str) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A client that does not listen any more will close our input as well, which ends us.
        let _ = writeln!(output, "{line}").and_then(|()| output.flush());
    }
}
