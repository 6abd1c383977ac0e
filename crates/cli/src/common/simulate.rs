//! A learner and its workers as a simulation of events: who waits for whom, at any number of workers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tesuji_core::Stream;

/// How long things take, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// Parts of a generation.
    pub parts: u64,
    /// A worker plays a part.
    pub play: f64,
    /// By how much of itself that time differs at most, up or down.
    pub spread: f64,
    /// The learner checks a part, writes and syncs it.
    pub settle: f64,
    /// The learner learns from a generation.
    pub learn: f64,
    /// Generations that the network which plays is older than the newest.
    pub lag: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Simulated {
    /// Seconds of a generation, on average.
    pub generation: f64,
    /// The share of their time that workers play.
    pub workers_busy: f64,
    /// The share of its time that the learner settles parts or learns.
    pub learner_busy: f64,
}

/// Nanoseconds, which have an order.
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// Simulates so many generations by so many workers. A free worker takes the next part; the learner settles parts as they
/// come, learns when it has all, and offers the next generation: before it learns if there is a lag, behind that if not.
pub fn simulate(service: Service, workers: u64, generations: u64) -> Simulated {
    let Service { parts, play, spread, settle, learn, lag } = service;
    let (settle, learn) = (nanoseconds(settle), nanoseconds(learn));
    let mut random = Stream::new(1, "simulate", workers);
    // When each worker is free; more of them than parts are never busy at once.
    let crew = workers.min(parts.saturating_mul(2));
    let mut free: BinaryHeap<Reverse<u64>> = (0..crew).map(|_| Reverse(0)).collect();
    let (mut offered, mut learner, mut played) = (0_u64, 0_u64, 0_u64);
    for _ in 0..generations {
        let mut delivered = Vec::with_capacity(parts as usize);
        for _ in 0..parts {
            let Some(Reverse(at)) = free.pop() else { break };
            let takes = nanoseconds(play * (1.0 + spread * (2.0 * random.unit() - 1.0)));
            let end = at.max(offered) + takes;
            played += takes;
            free.push(Reverse(end));
            delivered.push(end);
        }
        delivered.sort_unstable();
        for end in delivered {
            learner = learner.max(end) + settle;
        }
        let settled = learner;
        learner += learn;
        offered = if lag > 0 { settled } else { learner };
    }
    let (generations, all) = (generations as f64, learner as f64);
    let learning = generations * (parts * settle + learn) as f64;
    Simulated {
        generation: all / generations / 1e9,
        workers_busy: played as f64 / (all * workers as f64),
        learner_busy: learning / all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVICE: Service = Service { parts: 40, play: 3.0, spread: 0.0, settle: 0.01, learn: 20.0, lag: 0 };

    #[track_caller]
    fn near(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-3, "{found} instead of {wanted}");
    }

    #[test]
    fn one_worker_plays_one_part_after_the_other() {
        let Service { parts, play, settle, learn, .. } = SERVICE;
        let generation = parts as f64 * play + settle + learn;
        let alone = simulate(SERVICE, 1, 50);
        near(alone.generation, generation);
        near(alone.workers_busy, parts as f64 * play / generation);
        // Playing goes on while the learner learns, and is what takes longer: but for the last part's check nobody waits.
        let lagging = simulate(Service { lag: 1, ..SERVICE }, 1, 1000);
        near(lagging.generation, parts as f64 * play + settle);
    }

    #[test]
    fn endless_workers_leave_the_learner() {
        let Service { parts, play, settle, learn, .. } = SERVICE;
        let generation = play + parts as f64 * settle + learn;
        let many = simulate(SERVICE, 1_000_000, 50);
        near(many.generation, generation);
        near(many.learner_busy, (parts as f64 * settle + learn) / generation);
        let lagging = simulate(Service { lag: 1, ..SERVICE }, 1_000_000, 2000);
        near(lagging.generation, play.max(learn) + parts as f64 * settle);
        let idle = simulate(Service { lag: 1, learn: 1.0, ..SERVICE }, 1_000_000, 2000);
        near(idle.generation, play + parts as f64 * settle);
    }

    #[test]
    fn parts_that_take_differently_long_keep_their_mean() {
        let spread = simulate(Service { spread: 0.5, learn: 0.0, ..SERVICE }, 1, 500);
        assert!((spread.generation / (40.0 * 3.0) - 1.0).abs() < 0.02, "{spread:?}");
    }
}
