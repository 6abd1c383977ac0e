//! The learner's side: offers units, checks the parts that come back, has some made twice.
//!
//! The learner believes itself and nobody else. A part that is readable and whose games are legal may still be a lie, so
//! a share of the parts is made a second time by another worker. If two copies differ, the learner plays the part itself,
//! and whoever differs from that is named, and nothing of it is taken any more.

use super::attempts::Attempts;
use super::contest::check_contest_game;
use super::part::{Check, Part, check_game, names_a_file};
use super::pulse::Pulse;
use super::transport::{Arrived, Claim, Transport, Verdict};
use super::unit::{FORMAT, Heartbeat, LEARNER, NetworkSum, Tallies, Tally, Task, Unit, Work, to_name};
use crate::experiments::{Experiment, Measure};
use crate::kit::GameKit;
use crate::run::ledger::PlayCost;
use crate::run::{Done, Order, Play, PlayedGame, Workers};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tesuji_core::{AnyGame, GameRecord, Stream};

/// How long the learner sleeps when nothing has come.
const SHORTEST_SLEEP: Duration = Duration::from_millis(10);
/// How long it comes to sleep if nothing comes for long.
const LONGEST_SLEEP: Duration = Duration::from_millis(500);
/// How often it looks after the workers, at least.
const LONGEST_ROUND: Duration = Duration::from_secs(5);
/// Parts that cannot be used before a worker is banned: a disk may fail once.
const STRIKES: u64 = 3;

/// What follows the name of a run in that of its matches.
pub const MATCHES: &str = "-matches";

/// When the learner itself plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LearnerPlays {
    /// When no worker that is alive may take a unit.
    #[default]
    Alone,
    /// Whenever it would wait.
    Always,
    /// Only to decide between two copies that differ.
    Never,
}

/// How the learner deals with its workers; none of it changes what comes out.
#[derive(Clone, Copy, Debug)]
pub struct ForemanOptions {
    /// The share of parts that is made a second time by another worker and compared.
    pub audit: f64,
    /// A worker that gives no sign of life for so long loses what it has taken.
    pub deadline: Duration,
    /// When the learner itself plays.
    pub plays: LearnerPlays,
    /// A part that workers have taken so often without delivering it is made by the learner.
    pub attempts: usize,
}

/// The learner's side.
pub struct Foreman<'t> {
    transport: &'t dyn Transport,
    options: ForemanOptions,
    task: Task,
    /// By which parts are chosen that are made twice.
    seed: u64,
    /// Games that a thread plays at a time.
    in_flight: usize,
    check: Box<Check<'t>>,
    run: String,
    /// What was told of the run.
    work: Option<Work>,
    /// Whether whoever plays a part plays the same games.
    repeats: bool,
    pulse: Pulse,
    tallies: Tallies,
    attempts: Attempts,
    /// The generation whose units are offered, and the network that plays it.
    begun: Option<(u64, NetworkSum)>,
    /// Whether it was told that a part cannot be compared.
    unaudited: bool,
}

/// How far a part is.
enum State {
    /// It is being made.
    Open,
    /// One copy is there and waits for a second one.
    Held(Box<Part>, String),
    /// It is in the run.
    Done(String, u64),
}

/// A generation under way.
struct Board<'b> {
    order: &'b Order<'b>,
    here: &'b dyn Play,
    /// The latest copy of each part that was offered, and how far it is.
    parts: BTreeMap<u64, (Unit, State)>,
    cost: PlayCost,
}

impl<'t> Foreman<'t> {
    /// The learner of an experiment in a run's directory.
    ///
    /// # Errors
    /// If its games cannot be played elsewhere, in one line.
    pub fn new(
        transport: &'t dyn Transport,
        options: ForemanOptions,
        (kit, experiment, root): (&dyn GameKit, &Experiment, &Path),
    ) -> Result<Foreman<'t>, String> {
        let method = experiment.method.name();
        let games = kit.anywhere(&experiment.setup(), &experiment.method, experiment.seed)?;
        let games = games.ok_or_else(|| {
            format!("method.kind = {method}: its games depend on more than one network; train it without --workers")
        })?;
        if let Some(line) = experiment.selfplay.starts.iter().find(|line| names_a_file(line)) {
            let advice = "workers elsewhere do not have it; write the start itself, or train without --workers";
            return Err(format!("selfplay.starts: {line} is a file, {advice}"));
        }
        // Workers measure nothing and start nothing.
        let experiment = Experiment { measure: Measure::default(), about: String::new(), ..experiment.clone() };
        let bare = Experiment { budget: "1".to_owned(), ..experiment.clone() };
        let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let run = format!("{}-{:08x}", to_name(&name), crc32fast::hash(bare.to_toml().as_bytes()));
        let (seed, in_flight) = (bare.seed, bare.selfplay.in_flight);
        let check = Box::new(move |record: &GameRecord, generation, number| {
            check_game(games.as_ref(), record, generation, number)
        });
        let task = Task::Games { experiment: bare.to_toml() };
        let mut foreman = Foreman::with(transport, options, run, task, check);
        (foreman.seed, foreman.in_flight) = (seed, in_flight);
        Ok(foreman)
    }

    /// The learner of contests, under this name (see [`to_name`]); `task` says what they ask of workers.
    pub fn of_contests(
        transport: &'t dyn Transport,
        options: ForemanOptions,
        run: &str,
        task: Task,
        game: Arc<dyn AnyGame>,
    ) -> Foreman<'t> {
        let check =
            Box::new(move |record: &GameRecord, _: u64, number| check_contest_game(game.as_ref(), record, number));
        Foreman::with(transport, options, run.to_owned(), task, check)
    }

    fn with(
        transport: &'t dyn Transport,
        options: ForemanOptions,
        run: String,
        task: Task,
        check: Box<Check<'t>>,
    ) -> Foreman<'t> {
        Foreman {
            transport,
            options,
            task,
            seed: 0,
            in_flight: 1,
            check,
            run,
            work: None,
            repeats: true,
            pulse: Pulse::new(options.deadline),
            tallies: Tallies::new(),
            attempts: Attempts::default(),
            begun: None,
            unaudited: false,
        }
    }

    /// The name of the run.
    pub fn name(&self) -> &str {
        &self.run
    }

    /// Says whether whoever plays what comes next plays the same games; if not, copies are not compared.
    pub fn repeats(&mut self, repeats: bool) {
        self.repeats = repeats;
    }

    /// Makes the run known, once.
    fn open(&mut self, order: &Order<'_>) -> Result<(), String> {
        if self.work.is_some() {
            return Ok(());
        }
        let work = Work {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.run.clone(),
            path: order.path,
            task: self.task.clone(),
            deadline: self.options.deadline.as_millis() as u64,
        };
        self.transport.open_run(&work)?;
        self.tallies = self.transport.tallies()?.remove(&self.run).unwrap_or_default();
        self.work = Some(work);
        Ok(())
    }

    /// Takes nothing from those who were banned from the run's matches, or from the run that has these matches.
    fn share_bans(&mut self) -> Result<(), String> {
        let other = self.run.strip_suffix(MATCHES).map_or_else(|| format!("{}{MATCHES}", self.run), str::to_owned);
        for (worker, tally) in self.transport.tallies()?.remove(&other).unwrap_or_default() {
            if tally.banned.is_some() && !self.is_banned(&worker) {
                self.tally(&worker).banned = tally.banned;
            }
        }
        Ok(())
    }

    /// Makes a generation known, once: its units, none of them offered yet.
    fn begin(&mut self, order: &Order<'_>) -> Result<BTreeMap<u64, Unit>, String> {
        self.open(order)?;
        self.share_bans()?;
        let network = match self.begun {
            Some((generation, network)) if generation == order.generation => network,
            _ => {
                let bytes = (order.network)();
                self.transport.begin_generation(&self.run, order.generation, (order.before, &bytes))?;
                NetworkSum::of(order.before, &bytes)
            }
        };
        self.begun = Some((order.generation, network));
        let mut units = BTreeMap::new();
        for &number in order.todo {
            let (part, run, size) = (number / order.size, self.run.clone(), order.size);
            let games = size.min(order.games - part * size);
            units.entry(part).or_insert(Unit {
                run,
                generation: order.generation,
                part,
                games,
                size,
                copy: 0,
                network,
                not: Vec::new(),
            });
        }
        Ok(units)
    }

    /// Offers units, less those of which a copy is under way: a learner that was killed has left it, or it was offered
    /// ahead.
    fn offer_all<'u>(&self, units: impl Iterator<Item = &'u Unit>) -> Result<(), String> {
        let under_way = self.transport.parts_under_way(&self.run)?.unwrap_or_default();
        units
            .filter(|unit| !under_way.contains(&(unit.generation, unit.part)))
            .try_for_each(|unit| self.transport.offer(unit))
    }

    fn is_banned(&self, worker: &str) -> bool {
        self.tallies.get(worker).is_some_and(|tally| tally.banned.is_some())
    }

    fn tally(&mut self, worker: &str) -> &mut Tally {
        self.tallies.entry(worker.to_owned()).or_default()
    }

    /// Whether a part is one of those that are made twice.
    fn is_audited(&self, generation: u64, part: u64) -> bool {
        let name = format!("audit {generation}");
        self.repeats && Stream::new(self.seed, &name, part).unit() < self.options.audit
    }

    /// Offers a part once more.
    fn offer_again(&self, board: &mut Board<'_>, part: u64, not: Option<&str>) -> Result<(), String> {
        let Some((unit, _)) = board.parts.get_mut(&part) else { return Ok(()) };
        unit.copy += 1;
        unit.not.extend(not.map(str::to_owned));
        self.transport.offer(unit)
    }

    /// Deals with a part that was delivered.
    fn look_at(
        &mut self,
        board: &mut Board<'_>,
        arrived: &Arrived,
        done: &mut Done<'_>,
        say: &mut dyn FnMut(String),
    ) -> Result<Verdict, String> {
        let worker = arrived.worker.as_str();
        let part = Unit::parse_id(&arrived.id).filter(|(generation, ..)| *generation == board.order.generation);
        let Some((asked, state)) = part.and_then(|(_, part, _)| board.parts.get(&part)) else {
            return Ok(Verdict::Done);
        };
        if self.is_banned(worker) {
            let (number, is_open) = (asked.part, !matches!(state, State::Done(..)));
            if is_open {
                self.offer_again(board, number, Some(worker))?;
            }
            return Ok(Verdict::Aside);
        }
        let number = asked.part;
        let part = match Part::read(&arrived.bytes, asked, self.check.as_ref()) {
            Ok(part) => part,
            Err(problem) => {
                say(format!("worker {worker}: {}: {problem}; set aside", arrived.id));
                let is_open = !matches!(state, State::Done(..));
                let tally = self.tally(worker);
                tally.bad += 1;
                if tally.bad >= STRIKES {
                    self.ban(board, worker, &format!("{STRIKES} parts that cannot be used"), say)?;
                }
                if is_open {
                    self.offer_again(board, number, Some(worker))?;
                }
                return Ok(Verdict::Aside);
            }
        };
        let other = match state {
            State::Open if worker != LEARNER && self.is_audited(board.order.generation, number) => {
                let copy = State::Held(Box::new(part), worker.to_owned());
                if let Some((_, state)) = board.parts.get_mut(&number) {
                    *state = copy;
                }
                self.transport.withdraw(&board.parts[&number].0)?;
                self.offer_again(board, number, Some(worker))?;
                return Ok(Verdict::Done);
            }
            State::Open => {
                self.accept(board, part, worker, done)?;
                return Ok(Verdict::Done);
            }
            State::Done(..) if !self.repeats => return Ok(Verdict::Done),
            State::Done(other, _) if other == worker => return Ok(Verdict::Done),
            State::Held(_, other) if other == worker => {
                // It was the second copy that it made: claims may be older than this learner.
                self.offer_again(board, number, None)?;
                return Ok(Verdict::Done);
            }
            State::Held(first, other) => (other.clone(), first.mark),
            State::Done(other, mark) => (other.clone(), *mark),
        };
        let is_held = matches!(state, State::Held(..));
        if other.1 == part.mark {
            for worker in [worker, other.0.as_str()] {
                self.tally(worker).audited += 1;
            }
            if is_held {
                self.accept(board, part, &other.0, done)?;
            }
            return Ok(Verdict::Done);
        }
        self.decide(board, number, [(other.0.as_str(), other.1), (worker, part.mark)], done, say)?;
        Ok(Verdict::Aside)
    }

    /// Puts a part into the run.
    fn accept(&mut self, board: &mut Board<'_>, part: Part, worker: &str, done: &mut Done<'_>) -> Result<(), String> {
        let Part { unit, records, cost, mark } = part;
        board.cost += cost;
        // Whoever watches multiplies by the threads of this process.
        let evaluations = board.cost.evaluations / board.order.threads as u64;
        for (index, record) in unit.numbers().zip(records) {
            done(PlayedGame { index, record, cost: PlayCost { evaluations, ..board.cost } })?;
        }
        self.transport.withdraw(&unit)?;
        if let Some((_, state)) = board.parts.get_mut(&unit.part) {
            *state = State::Done(worker.to_owned(), mark);
        }
        let tally = self.tally(worker);
        tally.parts += 1;
        let first = tally.generations.map_or(unit.generation, |(first, _)| first.min(unit.generation));
        tally.generations = Some((first, unit.generation));
        self.transport.write_tallies(&self.run, &self.tallies)
    }

    /// Decides between two copies that differ by playing the part here.
    fn decide(
        &mut self,
        board: &mut Board<'_>,
        number: u64,
        copies: [(&str, u64); 2],
        done: &mut Done<'_>,
        say: &mut dyn FnMut(String),
    ) -> Result<(), String> {
        let (unit, _) = &board.parts[&number];
        let (id, unit) = (unit.id(), unit.clone());
        let [one, other] = copies.map(|(worker, _)| worker);
        say(format!("{id}: the copies of workers {one} and {other} differ; it is played here"));
        let Some(part) = self.play_here(board, vec![unit])?.pop() else { return Ok(()) };
        for (worker, mark) in copies {
            if mark != part.mark {
                self.ban(board, worker, &format!("its games of {id} are not those that this machine plays"), say)?;
            } else {
                self.tally(worker).audited += 1;
            }
        }
        self.accept(board, part, LEARNER, done)
    }

    /// Takes nothing from a worker any more, and has its parts of this generation made again.
    fn ban(
        &mut self,
        board: &mut Board<'_>,
        worker: &str,
        why: &str,
        say: &mut dyn FnMut(String),
    ) -> Result<(), String> {
        if worker == LEARNER {
            return Ok(());
        }
        let its = |state: &State| matches!(state, State::Held(_, other) | State::Done(other, _) if other == worker);
        let again: Vec<u64> = board.parts.iter().filter(|(_, (_, state))| its(state)).map(|(&part, _)| part).collect();
        let taken = again.iter().filter(|part| matches!(board.parts[part].1, State::Done(..))).count() as u64;
        let tally = self.tally(worker);
        tally.banned = Some(why.to_owned());
        say(format!("worker {worker}: {why}; nothing of it is taken any more"));
        let (earlier, generations) = (tally.parts.saturating_sub(taken), tally.generations);
        if let Some((first, last)) = generations.filter(|_| earlier > 0) {
            let what = format!("{earlier} parts of worker {worker} are in generations {first} to {last}");
            say(format!("{what}, most of them not compared: begin the run anew to be sure of them"));
        }
        for part in again {
            if let Some((_, state)) = board.parts.get_mut(&part) {
                *state = State::Open;
            }
            self.offer_again(board, part, Some(worker))?;
        }
        self.transport.write_tallies(&self.run, &self.tallies)
    }

    /// Plays units in this process; those that are not finished when the run is stopped are left out.
    fn play_here(&self, board: &Board<'_>, units: Vec<Unit>) -> Result<Vec<Part>, String> {
        let Order { threads, stop, .. } = *board.order;
        let todo: Vec<u64> = units.iter().flat_map(Unit::numbers).collect();
        let mut records: BTreeMap<u64, GameRecord> = BTreeMap::new();
        let mut keep = |game: PlayedGame| {
            records.insert(game.index, game.record);
            Ok(())
        };
        let cost = board.here.play(&todo, threads, stop, &mut keep)?;
        let mut parts = Vec::new();
        for (place, unit) in units.into_iter().enumerate() {
            let games: Vec<GameRecord> = unit.numbers().filter_map(|number| records.remove(&number)).collect();
            if games.len() as u64 == unit.games {
                parts.push(Part::new(unit, games, if place == 0 { cost } else { PlayCost::default() }));
            }
        }
        Ok(parts)
    }

    /// Plays units in this process if nobody else may, or always, as the options say; whether it played any.
    fn help(
        &mut self,
        board: &mut Board<'_>,
        done: &mut Done<'_>,
        say: &mut dyn FnMut(String),
    ) -> Result<bool, String> {
        let plays = self.options.plays;
        let (pulse, tallies) = (&self.pulse, &self.tallies);
        let is_banned = |worker: &str| tallies.get(worker).is_some_and(|tally| tally.banned.is_some());
        let for_nobody = |unit: &Unit| !pulse.alive().any(|worker| !is_banned(worker) && unit.is_for(worker));
        if plays == LearnerPlays::Never {
            // A second copy that nobody can make is done without.
            let stuck = board.parts.values().find(|(unit, state)| matches!(state, State::Held(..)) && for_nobody(unit));
            let Some(part) = stuck.map(|(unit, _)| unit.part) else { return Ok(false) };
            let Some((_, state)) = board.parts.get_mut(&part) else { return Ok(false) };
            let State::Held(part, worker) = std::mem::replace(state, State::Open) else { return Ok(false) };
            if !std::mem::replace(&mut self.unaudited, true) {
                say("no second worker is there to compare parts with: they are taken as they are".to_owned());
            }
            self.accept(board, *part, &worker, done)?;
            return Ok(true);
        }
        let is_open = |state: &State| !matches!(state, State::Done(..));
        let accept = |unit: &Unit| plays == LearnerPlays::Always || for_nobody(unit);
        if !board.parts.values().any(|(unit, state)| is_open(state) && accept(unit)) {
            return Ok(false);
        }
        let together = (board.order.threads * self.in_flight) as u64;
        let mut claims: Vec<Claim> = Vec::new();
        while (claims.len() as u64) < together.div_ceil(board.order.size) {
            let Some(claim) = self.transport.claim(&self.run, LEARNER, &accept)? else { break };
            claims.push(claim);
        }
        // A unit that was given back late may be one of a part that is done.
        let wanted = |claim: &Claim| {
            let part = board.parts.get(&claim.unit.part);
            claim.unit.generation == board.order.generation
                && part.is_some_and(|(unit, state)| unit.numbers() == claim.unit.numbers() && is_open(state))
        };
        let units = claims.iter().filter(|claim| wanted(claim)).map(|claim| claim.unit.clone()).collect();
        let parts = self.play_here(board, units)?;
        let played = !claims.is_empty();
        for part in parts {
            let bytes = part.to_bytes();
            let arrived = Arrived { id: part.unit.id(), worker: LEARNER.to_owned(), bytes };
            self.look_at(board, &arrived, done, say)?;
        }
        for claim in claims {
            self.transport.release(&claim, board.order.stop.load(Ordering::Relaxed))?;
        }
        Ok(played)
    }

    /// Plays here what workers have taken too often without delivering it, whoever plays otherwise.
    fn make_dead_letters(
        &mut self,
        board: &mut Board<'_>,
        done: &mut Done<'_>,
        say: &mut dyn FnMut(String),
    ) -> Result<(), String> {
        let open = board.parts.values().filter(|(_, state)| !matches!(state, State::Done(..)));
        let failed = |unit: &Unit| self.attempts.of(unit.generation, unit.part);
        let dead = open.map(|(unit, _)| unit).filter(|unit| failed(unit).len() >= self.options.attempts);
        let dead: Vec<(Unit, String)> = dead.map(|unit| (unit.clone(), failed(unit).join(", "))).collect();
        for (unit, workers) in dead {
            let (id, attempts) = (unit.id(), self.options.attempts);
            say(format!(
                "{id} is a dead letter: taken {attempts} times and not delivered ({workers}); it is made here"
            ));
            self.transport.withdraw(&unit)?;
            self.transport.bury(&unit)?;
            let Some(part) = self.play_here(board, vec![unit])?.pop() else { return Ok(()) };
            if let Some((_, state)) = board.parts.get_mut(&part.unit.part) {
                *state = State::Open;
            }
            self.accept(board, part, LEARNER, done)?;
        }
        Ok(())
    }

    /// Looks after the workers: those that are dead lose what they have taken, and what is lost is offered again.
    fn supervise(
        &mut self,
        board: &mut Board<'_>,
        done: &mut Done<'_>,
        say: &mut dyn FnMut(String),
    ) -> Result<(), String> {
        let mut heartbeats = self.transport.heartbeats()?;
        let suits = |heartbeat: &Heartbeat| {
            self.work.as_ref().is_none_or(|work| work.suits(heartbeat.best_isa(), heartbeat.engines))
        };
        // Those that this is nothing for are not waited for.
        heartbeats.retain(suits);
        self.pulse.look(&heartbeats);
        let pulse = &self.pulse;
        for (id, worker) in self.transport.take_back(&self.run, &|worker| pulse.is_alive(worker))? {
            if worker != LEARNER {
                say(format!("worker {worker} gives no sign of life: {id} is offered again"));
            }
        }
        self.attempts.note(&self.run, &heartbeats, &|worker| pulse.is_alive(worker));
        for worker in pulse.long_dead() {
            self.transport.leave(worker)?;
        }
        self.make_dead_letters(board, done, say)?;
        let Some(under_way) = self.transport.parts_under_way(&self.run)? else { return Ok(()) };
        let is_lost = |(unit, state): &(Unit, State)| {
            !matches!(state, State::Done(..)) && !under_way.contains(&(unit.generation, unit.part))
        };
        let lost: Vec<u64> = board.parts.iter().filter(|(_, part)| is_lost(part)).map(|(&part, _)| part).collect();
        lost.into_iter().try_for_each(|part| self.offer_again(board, part, None))
    }
}

impl Drop for Foreman<'_> {
    fn drop(&mut self) {
        if self.work.is_some() {
            // Workers that play for nobody do no harm.
            let _ = self.transport.close_run(&self.run);
        }
    }
}

impl Workers for Foreman<'_> {
    fn play(
        &mut self,
        order: &Order<'_>,
        here: &dyn Play,
        done: &mut Done<'_>,
        say: &mut dyn FnMut(String),
    ) -> Result<PlayCost, String> {
        let units = self.begin(order)?;
        let parts = units.into_iter().map(|(part, unit)| (part, (unit, State::Open))).collect();
        self.attempts.keep_only(order.generation);
        let mut board = Board { order, here, parts, cost: PlayCost::default() };
        let round = LONGEST_ROUND.min(self.options.deadline / 8);
        let (mut offered, mut supervised, mut sleep) = (false, None::<Instant>, SHORTEST_SLEEP);
        while !order.stop.load(Ordering::Relaxed) {
            let arrived = self.transport.arrived(&self.run)?;
            for arrived in &arrived {
                let verdict = self.look_at(&mut board, arrived, done, say)?;
                self.transport.settle(&self.run, arrived, verdict)?;
            }
            if !offered {
                // What a learner that was killed has left is used first.
                offered = true;
                let open = board.parts.values().filter(|(_, state)| matches!(state, State::Open));
                self.offer_all(open.map(|(unit, _)| unit))?;
            }
            if board.parts.values().all(|(_, state)| matches!(state, State::Done(..))) {
                break;
            }
            if supervised.is_none_or(|at| at.elapsed() >= round) {
                self.supervise(&mut board, done, say)?;
                supervised = Some(Instant::now());
            }
            if !arrived.is_empty() || self.help(&mut board, done, say)? {
                sleep = SHORTEST_SLEEP;
            } else {
                std::thread::sleep(sleep.min(round));
                sleep = LONGEST_SLEEP.min(2 * sleep);
            }
        }
        Ok(board.cost)
    }

    fn offer_ahead(&mut self, order: &Order<'_>) -> Result<(), String> {
        let units = self.begin(order)?;
        self.offer_all(units.values())
    }
}
