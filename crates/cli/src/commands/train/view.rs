//! Progress of a run.

use super::growth::Growth;
use super::pace::{Pace, WorkClock};
use super::print::{elo_line, generation_line, losses_text};
use super::words;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::{Duration, Instant};
use tesuji_learn::Experiment;
use tesuji_learn::run::ledger::Entry;
use tesuji_learn::run::{Event, Progress, StopRule};

/// How often a line is written if standard error is not a terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(30);
/// Parts of the bar.
const PARTS: u64 = 1000;

/// What is known of a run before this start of it.
pub struct Before<'a> {
    /// What it is about.
    pub experiment: &'a Experiment,
    /// What has happened in it.
    pub events: &'a [Event],
    /// What it has cost.
    pub costs: &'a [Entry],
}

/// Shows the progress of a run: a bar for the whole budget on a terminal, a line from time to time elsewhere.
pub struct View {
    header: words::Header,
    bar: Option<ProgressBar>,
    next_log: Instant,
    clock: WorkClock,
    pace: Pace,
    growth: Growth,
}

impl View {
    /// A view of a run in a directory, on so many threads.
    pub fn new(root: &Path, extent: StopRule, threads: usize, before: &Before<'_>) -> View {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:32} {prefix}\n{spinner} {wide_msg}");
            let bar = ProgressBar::new(PARTS).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        View {
            header: words::Header::new(root, before.experiment, extent, threads),
            bar,
            next_log: Instant::now() + LOG_INTERVAL,
            clock: WorkClock::start(),
            pace: Pace::new(extent, before.costs),
            growth: Growth::of(before.events),
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }

    /// Something that changes all the time: the bar and the line under it, or a line on the log if it is due.
    fn passing(&mut self, generation: u64, text: impl FnOnce() -> String) {
        let due = Instant::now() >= self.next_log;
        if self.bar.is_none() && !due {
            return;
        }
        let worked = self.clock.elapsed();
        let pace = self.pace.text(generation, worked);
        let strength = self.growth.telling().map_or_else(String::new, |strength| format!("strength {strength}; "));
        let text = text();
        match &self.bar {
            Some(bar) => {
                bar.set_position((PARTS as f64 * self.pace.share(worked)) as u64);
                bar.set_prefix(pace);
                bar.set_message(strength + &text);
            }
            None => {
                self.next_log = Instant::now() + LOG_INTERVAL;
                eprintln!("  {pace}: {strength}{text}");
            }
        }
    }

    /// Shows what happened.
    pub fn show(&mut self, progress: Progress) {
        match progress {
            Progress::Note(text) => self.line(&format!("note: {text}")),
            Progress::Begin { generation, initial, parameters, flops } => {
                self.pace.begin(generation);
                let from = match (generation, initial.as_str()) {
                    (0, "") => "from nothing".to_owned(),
                    (0, initial) => format!("from {initial}"),
                    _ => format!("from generation {generation}"),
                };
                self.line(&self.header.text(parameters, flops, &from));
            }
            Progress::Playing { generation, games, of, positions_per_second, evaluations_per_second } => {
                self.clock.go_on();
                self.passing(generation, || {
                    format!(
                        "playing: {games} of {of} games, {positions_per_second:.0} positions/s, \
                         {evaluations_per_second:.0} evaluations/s"
                    )
                });
            }
            Progress::Training { generation, step, of, losses } => {
                self.clock.go_on();
                self.passing(generation, || format!("training: step {step} of {of}, {}", losses_text(losses)));
            }
            Progress::Generation(event) => {
                self.pace.finish(event.generation, self.clock.elapsed());
                self.line(&generation_line(&event));
            }
            Progress::Measuring { generation, opponent } => {
                self.clock.pause();
                self.passing(generation, || format!("measuring: a match against {opponent}, outside of the budget"));
            }
            Progress::Strength(event) => {
                self.growth.add(&event);
                let curve = self.growth.curve(&event.opponent);
                self.line(&format!(
                    "  strength of generation {} v {}: {}  {curve}",
                    event.generation,
                    event.opponent,
                    elo_line(&event)
                ));
            }
        }
    }

    /// Clears what is rewritten.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
