//! Progress over the jobs of reproductions: one line, with the time left.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};
use tesuji_lab::Progress;

/// How often a line is written if standard error is not a terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(20);

/// Progress of several reproductions, one after another.
pub struct Stages {
    bar: Option<ProgressBar>,
    files: usize,
    file: usize,
    began: Instant,
    next_log: Instant,
}

impl Stages {
    /// Progress over so many reproductions.
    pub fn new(files: usize) -> Stages {
        let bar = io::stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template("{bar:24} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(1000).with_style(style)
        });
        Stages { bar, files, file: 0, began: Instant::now(), next_log: Instant::now() + LOG_INTERVAL }
    }

    /// Shows how far one is.
    pub fn show(&mut self, name: &str, progress: &Progress<'_>) {
        let Progress { job, number, of, done, before } = progress;
        // What was done before this start took none of its time.
        let fresh = (done - before).max(0.0);
        let spent = self.began.elapsed().as_secs_f64();
        let left = if fresh > 0.01 { clock(spent * (1.0 - done).max(0.0) / fresh) } else { "?".to_owned() };
        let which = if self.files > 1 { format!("{} of {}: ", self.file + 1, self.files) } else { String::new() };
        let text = format!("{which}{name}: {job} ({number} of {of}), {:.0}%, {left} left", 100.0 * done);
        match &self.bar {
            Some(bar) => {
                bar.set_position((1000.0 * done) as u64);
                bar.set_message(text);
            }
            None if Instant::now() >= self.next_log => {
                self.next_log = Instant::now() + LOG_INTERVAL;
                eprintln!("{text}");
            }
            None => {}
        }
    }

    /// One is finished.
    pub fn next(&mut self) {
        self.file += 1;
        self.began = Instant::now();
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn clock(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e9) as u64;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_told_by_the_clock() {
        assert_eq!([59.0, 61.0, 3661.0, f64::INFINITY].map(super::clock)[..3], ["0:59", "1:01", "1:01:01"]);
    }
}
