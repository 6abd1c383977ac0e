//! Progress of a run.

use super::print::{elo_line, generation_line, losses_text, score_text};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::{Duration, Instant};
use tesuji_learn::run::ledger::{Entry, Phase};
use tesuji_learn::run::{Progress, StopRule};

/// How often a line is written if standard error is not a terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// Shows the progress of a run: a line that is rewritten on a terminal, a line from time to time elsewhere.
pub struct View {
    root: String,
    bar: Option<ProgressBar>,
    next_log: Instant,
    began: Instant,
    spent: Duration,
    extent: StopRule,
    strength: String,
}

impl View {
    /// A view of a run that has spent this so far.
    pub fn new(root: &Path, extent: StopRule, costs: &[Entry]) -> View {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {wide_msg}");
            let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let spent: f64 = costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(|entry| entry.wall).sum();
        View {
            root: root.display().to_string(),
            bar,
            next_log: Instant::now() + LOG_INTERVAL,
            began: Instant::now(),
            // A file of costs may say anything.
            spent: Duration::try_from_secs_f64(spent).unwrap_or_default(),
            extent,
            strength: String::new(),
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }

    /// Something that changes all the time: the bar's line, or a line on the log if it is due.
    fn passing(&mut self, text: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text());
        } else if Instant::now() >= self.next_log {
            self.next_log = Instant::now() + LOG_INTERVAL;
            eprintln!("  {}", text());
        }
    }

    fn left(&self, generation: u64) -> String {
        match self.extent {
            StopRule::Generations(all) => format!("generation {generation} of {all}"),
            StopRule::Time(all) => {
                let left = all.saturating_sub(self.spent + self.began.elapsed());
                format!("generation {generation}, {} left", clock(left))
            }
        }
    }

    /// Shows what happened.
    pub fn show(&mut self, progress: Progress) {
        match progress {
            Progress::Note(text) => self.line(&format!("note: {text}")),
            Progress::Begin { generation, initial, parameters, flops } => {
                let network =
                    format!("{} parameters, {:.1} MFLOP a position", HumanCount(parameters as u64), flops as f64 / 1e6);
                let place = match (generation, initial.as_str()) {
                    (0, "") => "from nothing".to_owned(),
                    (0, initial) => format!("from {initial}"),
                    _ => format!("from generation {generation}"),
                };
                self.line(&format!("run {}", self.root));
                self.line(&format!("network of {network}; {place}"));
            }
            Progress::Playing { generation, games, of, positions_per_second, evaluations_per_second } => {
                let left = self.left(generation);
                let strength = self.strength.clone();
                self.passing(|| {
                    format!(
                        "{left}: {games} of {of} games, {positions_per_second:.0} positions/s, \
                         {evaluations_per_second:.0} evaluations/s{strength}"
                    )
                });
            }
            Progress::Training { generation, step, of, losses } => {
                let left = self.left(generation);
                let strength = self.strength.clone();
                self.passing(|| format!("{left}: step {step} of {of}, {}{strength}", losses_text(losses)));
            }
            Progress::Generation(event) => self.line(&generation_line(&event)),
            Progress::Measuring { generation, opponent } => {
                self.passing(|| format!("generation {generation}: match against {opponent}"));
            }
            Progress::Strength(event) => {
                self.strength = format!(", {} v {}", score_text(&event), event.opponent);
                self.line(&format!("  generation {} v {}: {}", event.generation, event.opponent, elo_line(&event)));
            }
        }
    }

    /// Clears the line that is rewritten.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}
