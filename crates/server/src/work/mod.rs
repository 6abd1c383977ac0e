//! What jobs do.
//!
//! | file | what it holds |
//! |---|---|
//! | [`search`] | agents think about a position, or choose a move |
//! | [`view`] | what a search knows, as JSON |
//! | [`truth`] | solvers: what a position is worth |
//! | [`mod@matches`] | two agents play games, on disk |
//! | [`train`] | runs begin, go on and stop |
//! | [`runs`] | runs as the page shows them |
//! | [`opinions`] | what the networks of a run think of a position |
//! | [`learn`] | tabular methods, step by step |
//! | [`files`] | small files that say what was under way |

pub mod files;
pub mod learn;
pub mod matches;
pub mod opinions;
pub mod runs;
pub mod search;
pub mod train;
pub mod truth;
pub mod view;

use crate::app::App;
use crate::jobs::{Job, Kind};
use std::sync::Arc;

/// Ends a job; a match or a run does not go on at the next start either.
pub fn end(app: &App, job: &Job) {
    job.cancel();
    let known = job.json();
    let result = &known["result"];
    match job.kind {
        Kind::Match => matches::forget(app, result["match"].as_str().unwrap_or_default()),
        Kind::Train => train::forget(app, result["run"].as_str().unwrap_or_default()),
        _ => {}
    }
}

/// Goes on with the matches and runs that were under way when the last server ended.
pub fn go_on(app: &Arc<App>) {
    matches::go_on(app);
    train::go_on(app);
}
