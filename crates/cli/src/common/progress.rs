//! Progress of long work.

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a line is written if standard error is not a terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// A progress bar on a terminal, a line from time to time elsewhere, nothing for the first two seconds.
pub struct Progress {
    unit: &'static str,
    total: u64,
    shown: Shown,
    next_log: Instant,
}

enum Shown {
    Nothing,
    Log,
    Bar(ProgressBar),
}

impl Progress {
    /// Progress over `total` things that are called `unit` ("games").
    pub fn new(unit: &'static str, total: u64) -> Progress {
        Progress { unit, total, shown: Shown::Nothing, next_log: Instant::now() + PATIENCE }
    }

    /// Says that `done` of the things are done.
    pub fn set(&mut self, done: u64) {
        self.set_with(done, String::new);
    }

    /// As [`set`](Self::set), with something more to say, if anything is shown.
    pub fn set_with(&mut self, done: u64, more: impl Fn() -> String) {
        if let Shown::Bar(bar) = &self.shown {
            bar.set_position(done);
            bar.set_message(more());
        } else if Instant::now() >= self.next_log {
            if matches!(self.shown, Shown::Nothing) && io::stderr().is_terminal() {
                self.shown = Shown::Bar(self.bar(done));
            } else {
                self.shown = Shown::Log;
                self.next_log += LOG_INTERVAL;
                let (total, more) = (HumanCount(self.total), more());
                let comma = if more.is_empty() { "" } else { ", " };
                eprintln!("{} of {total} {}{comma}{more}", HumanCount(done), self.unit);
            }
        }
    }

    fn bar(&self, done: u64) -> ProgressBar {
        let template =
            format!("{{bar:30}} {{human_pos}}/{{human_len}} {}, {{per_sec}}, {{eta}} left {{msg}}", self.unit);
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(self.total).with_style(style).with_elapsed(PATIENCE).with_position(done);
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}
