//! The worker's side: claims units, plays them, delivers the parts.
//!
//! A worker plays and does nothing else: it opens no file that the work names, and starts a program only if it was told that
//! it may.

use super::job::{Failure, Job, Kits};
use super::part::Part;
use super::transport::{Claim, Transport};
use super::unit::{Heartbeat, Unit, now};
use crate::run::PlayedGame;
use crate::run::ledger::PlayCost;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tesuji_core::GameRecord;
use tesuji_nn::Isa;

/// How long a worker sleeps when there is nothing to do, at first and at last.
const SLEEPS: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];
/// Signs of life come at least so often, and at most.
const BEATS: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(5)];
/// Units in a row whose network is not what it should be before a worker gives up.
const PATIENCE: u32 = 20;

/// Parts in a row that a worker takes at a time, if others have as many.
const ROUNDS: usize = 4;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name, which nobody else has.
    pub name: String,
    /// Threads to play on.
    pub threads: usize,
    /// End after so long without work; zero to end when there is none.
    pub idle: Option<Duration>,
    /// Whether it may start programs that the work names.
    pub engines: bool,
}

/// What a worker has done.
pub type WorkerReport = Heartbeat;

/// Works until `stop` is set or there has been nothing to do for long; `say` gets a line for people now and then.
///
/// # Errors
/// If a run cannot be played here to the same bytes, or what lies between the processes fails: in one line.
pub fn work(
    transport: &dyn Transport,
    options: &WorkerOptions,
    kits: &Kits<'_>,
    stop: &AtomicBool,
    say: &mut dyn FnMut(String),
) -> Result<WorkerReport, String> {
    let heartbeat = Mutex::new(Heartbeat {
        worker: options.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        isa: format!("{:?}", Isa::best()),
        engines: options.engines,
        threads: options.threads as u64,
        at: now(),
        ..Heartbeat::default()
    });
    transport.beat(&lock(&heartbeat))?;
    let pace = Mutex::new(BEATS[0] * 10);
    let ended = AtomicBool::new(false);
    let worked = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut last = Instant::now();
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(BEATS[0] / 2);
                if last.elapsed() >= *lock(&pace) {
                    last = Instant::now();
                    let mut heartbeat = lock(&heartbeat);
                    (heartbeat.beat, heartbeat.at) = (heartbeat.beat + 1, now());
                    let heartbeat = heartbeat.clone();
                    // The learner sees what is missing; the next one may come through.
                    let _ = transport.beat(&heartbeat);
                }
            }
        });
        let mut worker = Worker {
            transport,
            options,
            kits,
            stop,
            heartbeat: &heartbeat,
            jobs: BTreeMap::new(),
            others: BTreeSet::new(),
        };
        // A panic must end the other thread, too.
        let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| worker.work(&pace, say)));
        ended.store(true, Ordering::Relaxed);
        worked
    });
    // One that fails over a unit leaves its sign of life behind, which says over which.
    let failed = !lock(&heartbeat).units.is_empty();
    let left = if failed { Ok(()) } else { transport.leave(&options.name) };
    match worked {
        Ok(worked) => worked.and(left)?,
        Err(panic) => std::panic::resume_unwind(panic),
    }
    Ok(lock(&heartbeat).clone())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Worker<'w> {
    transport: &'w dyn Transport,
    options: &'w WorkerOptions,
    kits: &'w Kits<'w>,
    stop: &'w AtomicBool,
    heartbeat: &'w Mutex<Heartbeat>,
    jobs: BTreeMap<String, Job>,
    /// Runs that are nothing for this worker.
    others: BTreeSet<String>,
}

impl Worker<'_> {
    fn work(&mut self, pace: &Mutex<Duration>, say: &mut dyn FnMut(String)) -> Result<(), String> {
        let (mut since, mut sleep, mut failures) = (Instant::now(), SLEEPS[0], 0);
        while !self.stop.load(Ordering::Relaxed) {
            self.look_for_runs(pace, say)?;
            let claims = self.claim()?;
            if claims.is_empty() {
                if self.options.idle.is_some_and(|idle| since.elapsed() >= idle) {
                    break;
                }
                std::thread::sleep(sleep);
                sleep = SLEEPS[1].min(2 * sleep);
                continue;
            }
            match self.play(&claims) {
                Ok(()) => (failures, sleep) = (0, SLEEPS[0]),
                Err(Failure::Network(_)) if failures < PATIENCE => {
                    failures += 1;
                    std::thread::sleep(sleep);
                }
                Err(Failure::Network(problem) | Failure::Fatal(problem)) => return Err(problem),
            }
            since = Instant::now();
        }
        Ok(())
    }

    /// Learns of new runs, and of runs that are begun anew.
    fn look_for_runs(&mut self, pace: &Mutex<Duration>, say: &mut dyn FnMut(String)) -> Result<(), String> {
        let runs = self.transport.runs()?;
        self.jobs.retain(|name, job| runs.iter().any(|work| work.run == *name && *work == job.work));
        for work in runs {
            if self.jobs.contains_key(&work.run) {
                continue;
            }
            if !work.suits(Some(Isa::best()), self.options.engines) {
                if self.others.insert(work.run.clone()) {
                    let what = "its games need programs that this worker may not start, or kernels that it lacks";
                    say(format!("not playing for {}: {what}", work.run));
                }
                continue;
            }
            say(format!("playing for {}", work.run));
            self.jobs.insert(work.run.clone(), Job::open(work, self.kits, self.options.engines)?);
        }
        let shortest = self.jobs.values().map(|job| job.work.deadline).min();
        let deadline = Duration::from_millis(shortest.unwrap_or(0));
        *lock(pace) = (deadline / 6).clamp(BEATS[0], BEATS[1]);
        Ok(())
    }

    /// Claims as many units of one generation as fill the threads, and no more than a fair share.
    fn claim(&self) -> Result<Vec<Claim>, String> {
        let mut jobs: Vec<(&String, &Job)> = self.jobs.iter().collect();
        jobs.sort_by_key(|(_, job)| !job.is_urgent());
        for (run, job) in jobs {
            let me = self.options.name.as_str();
            let Some(first) = self.transport.claim(run, me, &|unit| unit.is_for(me))? else { continue };
            let size = usize::try_from(first.unit.size).unwrap_or(usize::MAX).max(1);
            // The last games of a batch are evaluated with few others: several parts in a row are cheaper than each alone.
            let rounds = if job.is_urgent() { 1 } else { ROUNDS };
            let fill = (self.options.threads * job.in_flight()).div_ceil(size) * rounds;
            let mut claims = vec![first];
            if fill > 1 {
                let workers = self.transport.heartbeats()?.len().max(1);
                let share = (self.transport.waiting(run)? + 1).div_ceil(workers);
                while claims.len() < fill.min(share) {
                    let (generation, network) = (claims[0].unit.generation, claims[0].unit.network);
                    let taken = |unit: &Unit| claims.iter().any(|claim| claim.unit.part == unit.part);
                    let accept = |unit: &Unit| {
                        unit.is_for(me) && (unit.generation, unit.network) == (generation, network) && !taken(unit)
                    };
                    let Some(claim) = self.transport.claim(run, me, &accept)? else { break };
                    claims.push(claim);
                }
            }
            return Ok(claims);
        }
        Ok(Vec::new())
    }

    /// Plays claims of one generation; what is not finished is given back.
    fn play(&mut self, claims: &[Claim]) -> Result<(), Failure> {
        self.announce(claims);
        let mut delivered = vec![false; claims.len()];
        let played = self.play_claims(claims, &mut delivered);
        if matches!(played, Err(Failure::Fatal(_))) {
            // As if this process were dead: the learner counts who fails over a unit, and offers it again.
            return played;
        }
        let mut heartbeat = lock(self.heartbeat);
        heartbeat.run = String::new();
        heartbeat.units.clear();
        drop(heartbeat);
        let again = !matches!(played, Err(Failure::Network(_)));
        for (claim, _) in claims.iter().zip(&delivered).filter(|(_, delivered)| !**delivered) {
            // A unit whose network is gone is one that the learner has done without.
            self.transport.release(claim, again).map_err(Failure::Fatal)?;
        }
        played
    }

    /// Says what it is going to play, before it does: it may not survive it.
    fn announce(&self, claims: &[Claim]) {
        let mut heartbeat = lock(self.heartbeat);
        heartbeat.run.clone_from(&claims[0].unit.run);
        heartbeat.units = claims.iter().map(|claim| claim.unit.id()).collect();
        (heartbeat.beat, heartbeat.at) = (heartbeat.beat + 1, now());
        let heartbeat = heartbeat.clone();
        // Without it a death would not be counted, and nothing else.
        let _ = self.transport.beat(&heartbeat);
    }

    fn play_claims(&mut self, claims: &[Claim], delivered: &mut [bool]) -> Result<(), Failure> {
        let unit = &claims[0].unit;
        let Some(job) = self.jobs.get_mut(&unit.run) else { return Ok(()) };
        let play = job.play(unit, self.transport, self.kits)?;
        let clock = Instant::now();
        let todo: Vec<u64> = claims.iter().flat_map(|claim| claim.unit.numbers()).collect();
        let (mut records, mut ready) = (BTreeMap::<u64, GameRecord>::new(), Vec::<(usize, Vec<GameRecord>)>::new());
        let mut seconds = 0.0;
        let mut deliver = |place: usize, records: Vec<GameRecord>, cost: PlayCost| {
            let claim = &claims[place];
            let (games, positions) = (records.len(), records.iter().map(|record| record.moves.len()).sum::<usize>());
            self.transport.deliver(claim, &Part::new(claim.unit.clone(), records, cost).to_bytes())?;
            delivered[place] = true;
            let mut heartbeat = lock(self.heartbeat);
            heartbeat.units.retain(|id| *id != claim.unit.id());
            heartbeat.parts += 1;
            heartbeat.games += games as u64;
            heartbeat.positions += positions as u64;
            heartbeat.seconds += clock.elapsed().as_secs_f64() - seconds;
            seconds = clock.elapsed().as_secs_f64();
            Ok::<(), String>(())
        };
        let mut done = |game: PlayedGame| {
            let place = claims.iter().position(|claim| claim.unit.numbers().contains(&game.index));
            records.insert(game.index, game.record);
            let Some(place) = place else { return Ok(()) };
            let numbers = claims[place].unit.numbers();
            if records.range(numbers.clone()).count() as u64 == claims[place].unit.games {
                // The latest part waits: what all of them cost is known at the end.
                if let Some((place, records)) = ready.pop() {
                    deliver(place, records, PlayCost::default())?;
                }
                ready.push((place, numbers.filter_map(|number| records.remove(&number)).collect()));
            }
            Ok(())
        };
        let cost = play.play(&todo, self.options.threads, self.stop, &mut done).map_err(Failure::Fatal)?;
        match ready.pop() {
            Some((place, records)) => deliver(place, records, cost).map_err(Failure::Fatal),
            None => Ok(()),
        }
    }
}
