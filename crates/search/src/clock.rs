//! When a search must end.

use cpu_time::ThreadTime;
use std::time::{Duration, Instant};
use tesuji_core::{Budget, Report};

/// How often the clocks should be read: seldom enough to cost nothing, often enough to end in time.
const INTERVAL: Duration = Duration::from_micros(500);

/// Watches the time limits of a [`Budget`] and the wish of a [`Report`] to stop.
///
/// Counted limits (simulations, nodes, depth) are each search's own business; with only those set, a search is
/// repeatable, because no clock is read at all.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    cpu_start: ThreadTime,
    time: Option<Duration>,
    cpu: Option<Duration>,
    /// Calls of [`expired`](Clock::expired) until the clocks are read again, and the number to start over with.
    countdown: u32,
    stride: u32,
    last_read: Duration,
    /// When the next progress report is due.
    next_info: Duration,
}

impl Clock {
    /// Starts to count. The soft limit counts like a hard one: a search that does better takes
    /// [`without_soft`](Self::without_soft).
    pub fn start(budget: &Budget) -> Clock {
        let time = match (budget.time, budget.soft) {
            (Some(time), Some(soft)) => Some(time.min(soft)),
            (time, soft) => time.or(soft),
        };
        Clock {
            start: Instant::now(),
            cpu_start: ThreadTime::now(),
            time,
            cpu: budget.cpu,
            countdown: 1,
            stride: 1,
            last_read: Duration::ZERO,
            next_info: Duration::from_millis(250),
        }
    }

    /// Starts to count towards the hard limits alone.
    pub fn without_soft(budget: &Budget) -> Clock {
        Clock::start(&Budget { soft: None, ..*budget })
    }

    /// Whether to end now. Made to be asked at every step.
    pub fn expired<M>(&mut self, report: &dyn Report<M>) -> bool {
        if report.stop() {
            return true;
        }
        if self.time.is_none() && self.cpu.is_none() {
            return false;
        }
        self.countdown -= 1;
        if self.countdown > 0 {
            return false;
        }
        let elapsed = self.elapsed();
        // The stride follows the speed of the search, so that one slow step costs one step at most.
        self.stride =
            if elapsed - self.last_read < INTERVAL { (self.stride * 2).min(1 << 12) } else { (self.stride / 4).max(1) };
        self.countdown = self.stride;
        self.last_read = elapsed;
        self.time.is_some_and(|limit| elapsed >= limit) || self.cpu.is_some_and(|limit| self.cpu_elapsed() >= limit)
    }

    /// Whether a progress report to the [`Report`] is due; the interval to the next one grows with the elapsed time.
    pub fn info_due(&mut self) -> bool {
        let elapsed = self.elapsed();
        let due = elapsed >= self.next_info;
        if due {
            self.next_info = elapsed + (elapsed / 2).clamp(Duration::from_millis(250), Duration::from_secs(5));
        }
        due
    }

    /// Wall-clock time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Processor time of this thread since the start.
    pub fn cpu_elapsed(&self) -> Duration {
        self.cpu_start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Quiet;

    #[test]
    fn counted_limits_never_expire_here() {
        let mut clock = Clock::start(&Budget::simulations(1));
        assert!((0..100_000).all(|_| !clock.expired::<()>(&Quiet)));
    }

    #[test]
    fn time_limits_expire() {
        let zero = Some(Duration::ZERO);
        let soft = Budget { soft: zero, ..Budget::time(Duration::from_secs(3600)) };
        for budget in [Budget::time(Duration::ZERO), Budget { cpu: zero, ..Budget::UNLIMITED }, soft] {
            assert!(Clock::start(&budget).expired::<()>(&Quiet));
        }
        assert!(!Clock::without_soft(&soft).expired::<()>(&Quiet));
        let mut clock = Clock::start(&Budget::time(Duration::from_millis(5)));
        while !clock.expired::<()>(&Quiet) {}
        assert!(clock.elapsed() >= Duration::from_millis(5));
    }

    #[test]
    fn a_report_may_stop_it() {
        struct Stop;
        impl Report<()> for Stop {
            fn stop(&self) -> bool {
                true
            }
        }
        assert!(Clock::start(&Budget::UNLIMITED).expired(&Stop));
    }
}
