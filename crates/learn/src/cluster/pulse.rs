//! Who is alive, by what one sees oneself: clocks of other machines decide nothing.

use super::unit::Heartbeat;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Who is alive.
pub struct Pulse {
    deadline: Duration,
    /// The latest sign of life of each worker, and when it was seen; `None` if it was old when it was seen first.
    seen: BTreeMap<String, (u64, Option<Instant>)>,
}

impl Pulse {
    /// Workers are taken for dead when they give no sign of life for so long.
    pub fn new(deadline: Duration) -> Pulse {
        Pulse { deadline, seen: BTreeMap::new() }
    }

    /// Looks at the latest signs of life.
    pub fn look(&mut self, heartbeats: &[Heartbeat]) {
        self.look_at(heartbeats, Instant::now());
    }

    fn look_at(&mut self, heartbeats: &[Heartbeat], now: Instant) {
        self.seen.retain(|worker, _| heartbeats.iter().any(|heartbeat| heartbeat.worker == *worker));
        for heartbeat in heartbeats {
            // By the clocks, which may differ: a worker that is taken for dead wrongly is believed at its next beat.
            let first = (heartbeat.age() <= self.deadline).then_some(now);
            let entry = self.seen.entry(heartbeat.worker.clone()).or_insert((heartbeat.beat, first));
            if entry.0 != heartbeat.beat {
                *entry = (heartbeat.beat, Some(now));
            }
        }
    }

    /// Whether a worker is alive.
    pub fn is_alive(&self, worker: &str) -> bool {
        self.seen.get(worker).is_some_and(|(_, at)| at.is_some_and(|at| at.elapsed() <= self.deadline))
    }

    /// Those who are alive.
    pub fn alive(&self) -> impl Iterator<Item = &str> {
        self.seen.keys().map(String::as_str).filter(|worker| self.is_alive(worker))
    }

    /// Those who have been dead for long.
    pub fn long_dead(&self) -> impl Iterator<Item = &str> {
        let long = self.deadline.saturating_mul(10);
        let is_dead = move |at: &Option<Instant>| at.is_none_or(|at| at.elapsed() > long);
        self.seen.iter().filter(move |(_, (_, at))| is_dead(at)).map(|(worker, _)| worker.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::unit::now;

    #[test]
    fn a_beat_that_stands_still_is_death_whatever_the_clock_says() {
        let deadline = Duration::from_secs(60);
        let mut pulse = Pulse::new(deadline);
        let heartbeat = |beat, at| Heartbeat { worker: "w".to_owned(), beat, at, ..Heartbeat::default() };
        let long_ago = Instant::now().checked_sub(2 * deadline).unwrap();
        pulse.look_at(&[heartbeat(1, now())], long_ago);
        pulse.look(&[heartbeat(1, now() + 1000)]);
        assert!(!pulse.is_alive("w") && pulse.alive().next().is_none());
        pulse.look(&[heartbeat(2, 0)]);
        assert!(pulse.is_alive("w"));
        assert_eq!(pulse.long_dead().count(), 0);

        let mut new = Pulse::new(deadline);
        new.look(&[heartbeat(7, now() - 1000)]);
        assert!(!new.is_alive("w"), "what is old when it is seen first says nothing");
        new.look(&[heartbeat(8, now() - 999)]);
        assert!(new.is_alive("w"), "a clock that is behind");
    }
}
