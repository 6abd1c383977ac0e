//! How many requests there may be.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How many requests there may be: a bucket that fills again.
pub struct Rate {
    burst: f64,
    second: f64,
    state: Mutex<(f64, Instant)>,
}

impl Rate {
    /// So many at once, and so many a second.
    pub fn new(burst: u32, second: u32) -> Rate {
        Rate {
            burst: f64::from(burst),
            second: f64::from(second),
            state: Mutex::new((f64::from(burst), Instant::now())),
        }
    }

    /// Takes one; whether there was one.
    pub fn take(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let filled = (state.0 + self.second * now.duration_since(state.1).as_secs_f64()).min(self.burst);
        let taken = filled >= 1.0;
        *state = (if taken { filled - 1.0 } else { filled }, now);
        taken
    }
}
