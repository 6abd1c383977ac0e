//! How far a run is: the share of its budget that is used up, and the time that is left.

use std::time::{Duration, Instant};
use tesuji_learn::run::StopRule;
use tesuji_learn::run::ledger::{Entry, Phase};

/// Time that counts towards a budget: playing and training, not matches.
pub struct WorkClock {
    worked: Duration,
    since: Option<Instant>,
}

impl WorkClock {
    /// A clock that goes.
    pub fn start() -> WorkClock {
        WorkClock { worked: Duration::ZERO, since: Some(Instant::now()) }
    }

    /// A match begins.
    pub fn pause(&mut self) {
        self.worked = self.elapsed();
        self.since = None;
    }

    /// Work goes on.
    pub fn go_on(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// The time worked so far.
    pub fn elapsed(&self) -> Duration {
        self.worked + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// A run on its way through its budget.
pub struct Pace {
    extent: StopRule,
    /// Spent by earlier starts.
    spent: Duration,
    /// Finished generations when this start began, and now with the time worked by then.
    first: u64,
    finished: u64,
    at: Duration,
}

impl Pace {
    /// A run that has cost this so far.
    pub fn new(extent: StopRule, costs: &[Entry]) -> Pace {
        let spent: f64 = costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(|entry| entry.wall).sum();
        // A file of costs may say anything.
        let spent = Duration::try_from_secs_f64(spent).unwrap_or_default();
        Pace { extent, spent, first: 0, finished: 0, at: Duration::ZERO }
    }

    /// This start goes on behind a generation.
    pub fn begin(&mut self, generation: u64) {
        (self.first, self.finished) = (generation, generation);
    }

    /// A generation is finished after so much work of this start.
    pub fn finish(&mut self, generation: u64, worked: Duration) {
        (self.finished, self.at) = (generation, worked);
    }

    /// The share of the budget that is used up after so much work of this start, from 0 to 1.
    pub fn share(&self, worked: Duration) -> f64 {
        let share = match self.extent {
            StopRule::Generations(all) => self.finished as f64 / all.max(1) as f64,
            StopRule::Time(all) => (self.spent + worked).as_secs_f64() / all.as_secs_f64().max(1e-9),
        };
        share.min(1.0)
    }

    /// The time that is left; none as long as no generation has told how long one takes.
    pub fn left(&self, worked: Duration) -> Option<Duration> {
        match self.extent {
            StopRule::Time(all) => Some(all.saturating_sub(self.spent + worked)),
            StopRule::Generations(all) => {
                let done = self.finished.saturating_sub(self.first);
                let each = (done > 0).then(|| self.at.as_secs_f64() / done as f64)?;
                let left = each * all.saturating_sub(self.finished) as f64;
                Duration::try_from_secs_f64(left).ok().map(|left| left.saturating_sub(worked.saturating_sub(self.at)))
            }
        }
    }

    /// `42%, 5:48 left, generation 31`, for the generation that is at work.
    pub fn text(&self, generation: u64, worked: Duration) -> String {
        let percent = 100.0 * self.share(worked);
        let left = self.left(worked).map_or_else(|| "time left not known yet".to_owned(), |left| clock(left) + " left");
        let of = match self.extent {
            StopRule::Generations(all) => format!(" of {all}"),
            StopRule::Time(_) => String::new(),
        };
        format!("{percent:.0}%, {left}, generation {generation}{of}")
    }
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_budget_of_time_counts_earlier_starts_but_no_matches() {
        let entry = |phase, wall| Entry { wall, ..Entry::new(1, phase) };
        let costs = [entry(Phase::Training, 100.0), entry(Phase::Measuring, 50.0)];
        let mut pace = Pace::new(StopRule::Time(seconds(600)), &costs);
        pace.begin(7);
        assert_eq!(pace.text(8, seconds(200)), "50%, 5:00 left, generation 8");
        assert_eq!(pace.text(99, seconds(9999)), "100%, 0:00 left, generation 99");
        assert_eq!(Pace::new(StopRule::Time(seconds(7262)), &[]).text(1, seconds(0)), "0%, 2:01:02 left, generation 1");
    }

    #[test]
    fn a_budget_of_generations_is_told_by_those_that_are_finished() {
        let mut pace = Pace::new(StopRule::Generations(20), &[]);
        pace.begin(10);
        assert_eq!(pace.text(11, seconds(5)), "50%, time left not known yet, generation 11 of 20");
        pace.finish(12, seconds(60));
        // Half a minute each, eight to go, ten seconds into the next one.
        assert_eq!(pace.text(13, seconds(70)), "60%, 3:50 left, generation 13 of 20");
    }

    #[test]
    fn matches_stop_the_clock() {
        let mut clock = WorkClock::start();
        clock.pause();
        let before = clock.elapsed();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(clock.elapsed(), before);
        clock.go_on();
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.elapsed() > before);
    }
}
