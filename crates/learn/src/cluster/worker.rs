//! The worker's side: claims units, plays them, delivers the parts.
//!
//! A worker plays and does nothing else: it measures nothing, starts no program and opens no file that the work names.

use super::part::{Part, names_a_file};
use super::transport::{Claim, Transport};
use super::unit::{FORMAT, Heartbeat, NetworkSum, Unit, Work, now};
use crate::experiments::Experiment;
use crate::kit::GameKit;
use crate::run::ledger::PlayCost;
use crate::run::{About, Anywhere, Checkpoint, PART, PlayedGame, Ready};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tesuji_core::{GameRecord, Rules};
use tesuji_nn::{Isa, KernelPath, Model};

/// How long a worker sleeps when there is nothing to do, at first and at last.
const SLEEPS: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];
/// Signs of life come at least so often, and at most.
const BEATS: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(5)];
/// Units in a row whose network is not what it should be before a worker gives up.
const PATIENCE: u32 = 20;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name, which nobody else has.
    pub name: String,
    /// Threads to play on.
    pub threads: usize,
    /// End after so long without work; zero to end when there is none.
    pub idle: Option<Duration>,
}

/// What a worker has done.
pub type WorkerReport = Heartbeat;

/// Where a worker finds what is compiled for a game.
pub type Kits<'k> = dyn Fn(&str, Rules) -> Result<Arc<dyn GameKit>, String> + 'k;

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
        let mut worker = Worker { transport, options, kits, stop, heartbeat: &heartbeat, jobs: BTreeMap::new() };
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

/// A run that this machine can play for.
struct Job {
    work: Work,
    experiment: Experiment,
    games: Box<dyn Anywhere>,
    about: About,
    /// The latest network.
    network: Option<(NetworkSum, Ready)>,
}

impl Job {
    /// Looks at a run: whether it can be played for here.
    fn open(work: Work, kits: &Kits<'_>) -> Result<Job, String> {
        let wrong = |problem: String| format!("run {}: {problem}", work.run);
        let (here, version) = (env!("CARGO_PKG_VERSION"), &work.version);
        if work.format != FORMAT || version != here {
            let format = work.format;
            let advice = "use the learner's version";
            return Err(wrong(format!("of tesuji {version} (format {format}), this is {here} ({FORMAT}): {advice}")));
        }
        let experiment = Experiment::from_toml(&work.experiment).map_err(|error| wrong(error.to_string()))?;
        if let Some(line) = experiment.selfplay.starts.iter().find(|line| names_a_file(line)) {
            return Err(wrong(format!("selfplay.starts: {line} is a file")));
        }
        let kit = kits(&experiment.game, experiment.rules).map_err(wrong)?;
        let about = experiment.network_info(kit.game().as_ref()).map_err(|error| wrong(error.to_string()))?;
        can_follow(&about, work.path, Isa::best()).map_err(wrong)?;
        let games = kit.anywhere(&experiment.setup(), &experiment.method, experiment.seed).map_err(wrong)?;
        let games = games.ok_or_else(|| wrong("its games cannot be played elsewhere".to_owned()))?;
        Ok(Job { work, experiment, games, about, network: None })
    }

    /// The network of a unit, made ready.
    fn network(&mut self, unit: &Unit, transport: &dyn Transport) -> Result<Ready, String> {
        if let Some((sum, ready)) = &self.network
            && *sum == unit.network
        {
            return Ok(ready.clone());
        }
        let bytes = transport.network(unit)?;
        if NetworkSum::of(unit.network.generation, &bytes) != unit.network {
            return Err("not the network that was asked for".to_owned());
        }
        let file = Checkpoint::from_bytes(&bytes)?;
        self.about.same(&file.about(), "another network than the experiment's")?;
        let ready = match file {
            Checkpoint::Float(file) => {
                let graph = file.about.spec.graph().map_err(|error| error.to_string())?;
                Ready::Float(Arc::new(Model::new(&graph, &file.weights, self.work.path)))
            }
            Checkpoint::Integer(file) => Ready::Integer(Arc::new(file.network)),
        };
        self.network = Some((unit.network, ready.clone()));
        Ok(ready)
    }
}

/// Checks that a machine whose best instruction set is this can compute the same numbers as the learner.
fn can_follow(about: &About, path: KernelPath, best: Isa) -> Result<(), String> {
    let place = |isa| Isa::ALL.iter().position(|&other| other == isa);
    // Integer networks compute the same numbers everywhere.
    if matches!(about, About::Integer(_)) || place(path.isa) <= place(best) {
        return Ok(());
    }
    let advice = "let it work elsewhere, or begin the run on a machine like this one";
    Err(format!("it uses {path}, and this machine has {best:?} at best: {advice}"))
}

struct Worker<'w> {
    transport: &'w dyn Transport,
    options: &'w WorkerOptions,
    kits: &'w Kits<'w>,
    stop: &'w AtomicBool,
    heartbeat: &'w Mutex<Heartbeat>,
    jobs: BTreeMap<String, Job>,
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
            say(format!("playing for {}", work.run));
            self.jobs.insert(work.run.clone(), Job::open(work, self.kits)?);
        }
        let shortest = self.jobs.values().map(|job| job.work.deadline).min();
        let deadline = Duration::from_millis(shortest.unwrap_or(0));
        *lock(pace) = (deadline / 6).clamp(BEATS[0], BEATS[1]);
        Ok(())
    }

    /// Claims as many units of one generation as fill the threads, and no more than a fair share.
    fn claim(&self) -> Result<Vec<Claim>, String> {
        for (run, job) in &self.jobs {
            let me = self.options.name.as_str();
            let Some(first) = self.transport.claim(run, me, &|unit| unit.is_for(me))? else { continue };
            let fill = (self.options.threads * job.experiment.selfplay.in_flight).div_ceil(PART as usize);
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
        let network = job.network(unit, self.transport).map_err(Failure::Network)?;
        let other = || Failure::Fatal(format!("run {}: a network of another kind", unit.run));
        let play = job.games.generation(unit.generation, network).ok_or_else(other)?;
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

/// Why claims were not played.
enum Failure {
    /// Their network is not there, or not what it should be.
    Network(String),
    /// Something that will not pass.
    Fatal(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_nn::ConvMethod;

    #[test]
    fn a_machine_follows_paths_that_it_has() {
        let game = tesuji_games::game("connect4", Rules::Official).unwrap();
        let about = |text: &str| Experiment::from_toml(text).unwrap().network_info(game.as_ref()).unwrap();
        let float = about("game = \"connect4\"");
        let integer = about("game = \"connect4\"\n[method]\nkind = \"nnue\"\n[network]\nkind = \"nnue\"");
        let path = |isa| KernelPath { isa, method: ConvMethod::Direct };
        assert!(can_follow(&float, path(Isa::Avx2), Isa::Avx512).is_ok());
        assert!(can_follow(&integer, path(Isa::Avx512), Isa::Portable).is_ok());
        let problem = can_follow(&float, path(Isa::Avx512), Isa::Avx2).unwrap_err();
        assert!(problem.starts_with("it uses Avx512/Direct, and this machine has Avx2 at best: "), "{problem}");
    }
}
