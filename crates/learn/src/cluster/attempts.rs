//! Units that workers take and do not survive.
//!
//! A unit may be poisonous: its games may crash whatever plays them, or take more memory than machines have. A sign of life
//! names the units that its worker has; so the death of a worker tells which of them may have killed it.

use super::unit::{Heartbeat, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// Who has died over which part.
#[derive(Debug, Default)]
pub struct Attempts {
    /// By generation and part: workers, with the number of their last sign of life, which tells lives of one name apart.
    failed: BTreeMap<(u64, u64), BTreeSet<(String, u64)>>,
}

impl Attempts {
    /// Looks at the signs of life of workers that are dead.
    pub fn note(&mut self, run: &str, heartbeats: &[Heartbeat], is_alive: &dyn Fn(&str) -> bool) {
        for heartbeat in heartbeats.iter().filter(|heartbeat| heartbeat.run == run && !is_alive(&heartbeat.worker)) {
            for (generation, part, _) in heartbeat.units.iter().filter_map(|id| Unit::parse_id(id)) {
                let failed = self.failed.entry((generation, part)).or_default();
                failed.insert((heartbeat.worker.clone(), heartbeat.beat));
            }
        }
    }

    /// Forgets all generations but this one.
    pub fn keep_only(&mut self, generation: u64) {
        self.failed.retain(|(of, _), _| *of == generation);
    }

    /// Who has died over a part, once for each time.
    pub fn of(&self, generation: u64, part: u64) -> Vec<&str> {
        let failed = self.failed.get(&(generation, part));
        failed.into_iter().flatten().map(|(worker, _)| worker.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_death_counts_once_and_other_runs_do_not() {
        let beat = |worker: &str, beat, run: &str| Heartbeat {
            worker: worker.to_owned(),
            beat,
            run: run.to_owned(),
            units: vec!["000003-0001-0".to_owned(), "nonsense".to_owned()],
            ..Heartbeat::default()
        };
        let mut attempts = Attempts::default();
        let dead = |worker: &str| worker == "alive";
        for _ in 0..2 {
            attempts.note("r", &[beat("a", 7, "r"), beat("alive", 7, "r"), beat("b", 7, "other")], &dead);
        }
        assert_eq!(attempts.of(3, 1), ["a"]);
        attempts.note("r", &[beat("a", 9, "r"), beat("b", 1, "r")], &dead);
        assert_eq!(attempts.of(3, 1), ["a", "a", "b"]);
        assert!(attempts.of(3, 0).is_empty());
        attempts.keep_only(4);
        assert!(attempts.of(3, 1).is_empty());
    }
}
