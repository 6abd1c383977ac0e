//! A run at work.
//!
//! What is on disk is all the state there is. Every start, the first one included, looks at what is there and goes on
//! from it, so a run that was killed at any moment ends with the same bytes as one that was not.

use super::directory::{PART, RunDir};
use super::error::RunError;
use super::events::{Event, GenerationEvent, StrengthEvent};
use super::keep::Keep;
use super::ledger::{self, Meter, Phase, PlayCost};
use super::played::{Play, PlayedGame};
use super::progress::{Progress, RunConditions, StopRule};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tesuji_core::GameRecord;
use tesuji_nn::train::{Losses, Optimiser};
use tesuji_nn::{ConvMethod, Isa, KernelPath, Model, NetworkFile, NetworkInfo, Trainer, Weights};

/// Numbers of a checkpoint by name.
pub type State = BTreeMap<String, Vec<f32>>;

/// What the names of a learner's own numbers begin with in a checkpoint; the others are the optimiser's.
const LEARNER: &str = "learner.";

/// What a run is begun with, as far as every way of learning shares it.
pub struct Begin<'a> {
    /// Where every random choice comes from.
    pub seed: u64,
    /// The network: its layers, and what it is for.
    pub about: NetworkInfo,
    /// How its 3x3 convolutions are computed in play, if the run is new.
    pub method: ConvMethod,
    /// The weights to begin with, if the run is new.
    pub initial: &'a dyn Fn() -> Result<Weights, String>,
    /// The rule that turns gradients into steps.
    pub optimiser: Optimiser,
    /// The coefficient c of c |w|^2.
    pub l2: f32,
}

/// A run at work: what every way of learning shares.
pub struct Run<'a> {
    directory: RunDir,
    conditions: RunConditions<'a>,
    seed: u64,
    /// The last finished generation.
    generation: u64,
    trainer: Trainer,
    path: KernelPath,
    events: Vec<Event>,
    costs: Vec<ledger::Entry>,
    pool: rayon::ThreadPool,
    /// The network file of the last finished generation, less weights and state.
    about: NetworkInfo,
}

impl<'a> Run<'a> {
    /// Begins a run in a directory, or goes on with the one that is there; returns what its learner gave to the newest
    /// checkpoint too.
    ///
    /// # Errors
    /// If what is there does not fit, or the file system refuses.
    pub fn open(
        directory: RunDir,
        begin: &Begin<'_>,
        conditions: RunConditions<'a>,
    ) -> Result<(Run<'a>, State), RunError> {
        let graph = begin.about.spec.graph().map_err(|error| RunError::other(error.to_string()))?;
        let path = match directory.about()? {
            Some(about) => about.path,
            None => {
                let path = KernelPath { isa: Isa::best(), method: begin.method };
                directory.begin(path)?;
                path
            }
        };
        if !path.isa.is_available() {
            let problem = format!("the run uses {path}, which this machine lacks: go on where it began, or anew");
            return Err(RunError::at(directory.root(), problem));
        }
        let say = &mut |note: String| (conditions.progress)(Progress::Note(note));
        let (generation, file) = match directory.newest_network(say)? {
            Some((generation, file)) => {
                let fit = same_network(&file.about, &begin.about, "another network");
                fit.map_err(|problem| RunError::at(&directory.network_path(generation), problem))?;
                (generation, file)
            }
            None => {
                let weights = (begin.initial)().map_err(RunError::Other)?;
                let file = NetworkFile { about: begin.about.clone(), weights, state: BTreeMap::new() };
                file.save(&directory.network_path(0))?;
                (0, file)
            }
        };
        let trainer = Trainer::new(graph, file.weights, begin.optimiser, begin.l2, begin.seed);
        let mut trainer = trainer.with_isa(path.isa);
        let (own, optimiser): (State, State) = file.state.into_iter().partition(|(name, _)| name.starts_with(LEARNER));
        if generation > 0 {
            let restored = trainer.restore(file.about.step, &optimiser);
            restored.map_err(|problem| RunError::at(&directory.network_path(generation), problem))?;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(conditions.threads.max(1)).build();
        let mut run = Run {
            events: directory.events()?,
            costs: directory.costs()?,
            pool: pool.map_err(|error| RunError::other(error.to_string()))?,
            seed: begin.seed,
            about: begin.about.clone(),
            directory,
            conditions,
            generation,
            trainer,
            path,
        };
        run.events.retain(|event| event.generation() <= generation);
        let own = own.into_iter().map(|(name, numbers)| (name[LEARNER.len()..].to_owned(), numbers)).collect();
        Ok((run, own))
    }

    /// Where every random choice comes from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The last finished generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The files.
    pub fn directory(&self) -> &RunDir {
        &self.directory
    }

    /// The way through the network's kernels.
    pub fn path(&self) -> KernelPath {
        self.path
    }

    /// Everything that happened.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What it cost.
    pub fn costs(&self) -> &[ledger::Entry] {
        &self.costs
    }

    /// Threads to work on.
    pub fn threads(&self) -> usize {
        self.conditions.threads.max(1)
    }

    /// Set when somebody wants the run to stop.
    pub fn stop(&self) -> &'a std::sync::atomic::AtomicBool {
        self.conditions.stop
    }

    /// Whether somebody wants the run to stop.
    pub fn is_stopped(&self) -> bool {
        self.conditions.stop.load(Ordering::Relaxed)
    }

    /// Tells whoever watches.
    pub fn say(&mut self, progress: Progress) {
        (self.conditions.progress)(progress);
    }

    /// The network in training.
    pub fn trainer(&self) -> &Trainer {
        &self.trainer
    }

    /// The network in training, to be changed on the calling thread.
    pub fn trainer_mut(&mut self) -> &mut Trainer {
        &mut self.trainer
    }

    /// Works with the network in training on the threads of the run.
    pub fn on_threads<T: Send>(&mut self, work: impl FnOnce(&mut Trainer) -> T + Send) -> T {
        let (mut work, mut result) = (Some(work), None);
        self.install(&mut |trainer| result = work.take().map(|work| work(trainer)));
        result.expect("the work was done")
    }

    /// As [`on_threads`](Self::on_threads), compiled once for all work.
    fn install(&mut self, work: &mut (dyn FnMut(&mut Trainer) + Send)) {
        let trainer = &mut self.trainer;
        self.pool.install(|| work(trainer));
    }

    /// The network as it is now, made ready.
    pub fn model(&self) -> Arc<Model> {
        self.model_of(self.trainer.weights())
    }

    /// The network with other weights, made ready.
    pub fn model_of(&self, weights: &Weights) -> Arc<Model> {
        Arc::new(Model::new(self.trainer.graph(), weights, self.path))
    }

    /// Whether the run has gone on for as long as it is meant to.
    pub fn is_enough(&self) -> bool {
        match self.conditions.extent {
            StopRule::Generations(generations) => self.generation >= generations,
            StopRule::Time(time) => {
                let spent: f64 =
                    self.costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(|entry| entry.wall).sum();
                spent >= time.as_secs_f64()
            }
        }
    }

    /// Ends a generation: its event, and its network with what the learner wants to find again.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish_generation(&mut self, event: &GenerationEvent, learner: State) -> Result<(), RunError> {
        self.events.push(Event::Generation(event.clone()));
        self.directory.write_events(&self.events)?;
        let about = NetworkInfo { step: self.trainer.steps(), ..self.about.clone() };
        let mut state = self.trainer.state();
        state.extend(learner.into_iter().map(|(name, numbers)| (format!("{LEARNER}{name}"), numbers)));
        let file = NetworkFile { about, weights: self.trainer.weights().clone(), state };
        file.save(&self.directory.network_path(event.generation))?;
        self.generation = event.generation;
        self.directory.write_costs(&self.costs)
    }

    /// Writes what a generation that was stopped has cost.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn save_costs(&self) -> Result<(), RunError> {
        self.directory.write_costs(&self.costs)
    }

    /// Removes what is not kept; `oldest` is the oldest generation whose records are still learned from. Networks of
    /// generations before `since` had their turn.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn prune(&self, keep: &Keep, since: u64, oldest: Option<u64>) -> Result<(), RunError> {
        keep.prune(&self.directory, self.generation, since, oldest)
    }

    /// The games of a generation, those on disk included; `None` if it was stopped.
    ///
    /// # Errors
    /// If the file system refuses, or `play` fails.
    pub fn games(&mut self, generation: u64, games: u64, play: &dyn Play) -> Result<Option<Vec<GameRecord>>, RunError> {
        let parts = games.div_ceil(PART);
        let mut played: Vec<Option<Vec<GameRecord>>> = Vec::new();
        for part in 0..parts {
            let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
            played.push(self.directory.read_part(generation, part, part_size(games, part), say)?);
        }
        let missing = (0..games).filter(|game| played[(game / PART) as usize].is_none());
        let todo: Vec<u64> = missing.collect();
        let meter = Meter::start();
        let clock = Instant::now();
        let mut waiting: BTreeMap<u64, BTreeMap<u64, GameRecord>> = BTreeMap::new();
        let (mut finished, mut positions) = (games - todo.len() as u64, 0);
        let (threads, stop) = (self.threads(), self.conditions.stop);
        let (directory, progress) = (&self.directory, &mut self.conditions.progress);
        let mut done = |game: PlayedGame| {
            finished += 1;
            positions += game.record.moves.len() as u64;
            let seconds = clock.elapsed().as_secs_f64();
            progress(Progress::Playing {
                generation,
                games: finished,
                of: games,
                positions_per_second: positions as f64 / seconds,
                evaluations_per_second: game.cost.evaluations as f64 * threads as f64 / seconds,
            });
            let part = game.index / PART;
            let of_part = waiting.entry(part).or_default();
            of_part.insert(game.index, game.record);
            if of_part.len() as u64 == part_size(games, part) {
                let records: Vec<GameRecord> =
                    waiting.remove(&part).into_iter().flatten().map(|(_, record)| record).collect();
                directory.write_part(generation, part, &records).map_err(|error| error.to_string())?;
                played[part as usize] = Some(records);
            }
            Ok(())
        };
        let cost = play.play(&todo, threads, stop, &mut done).map_err(RunError::Other)?;
        self.book_play(generation, Some(&meter), cost, [todo.len() as u64, positions]);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(Some(played.into_iter().flatten().flatten().collect()))
    }

    /// Writes the games of a generation that were played one by one.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn save_games(&self, generation: u64, records: &[GameRecord]) -> Result<(), RunError> {
        let mut parts = (0..).zip(records.chunks(PART as usize));
        parts.try_for_each(|(part, records)| self.directory.write_part(generation, part, records))
    }

    /// Reads back the records of a finished generation of so many games, part by part; parts that are gone are told.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn kept_games(&mut self, generation: u64, games: u64) -> Result<Vec<GameRecord>, RunError> {
        let mut kept = Vec::new();
        for part in 0..games.div_ceil(PART) {
            let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
            match self.directory.read_part(generation, part, part_size(games, part), say)? {
                Some(records) => kept.extend(records),
                None => {
                    let problem = format!("part {part} of the records of generation {generation} is gone");
                    self.say(Progress::Note(format!("{problem}; the window is that much smaller")));
                }
            }
        }
        Ok(kept)
    }

    /// The generations that are finished.
    pub fn generations(&self) -> impl Iterator<Item = &GenerationEvent> {
        self.events.iter().filter_map(|event| match event {
            Event::Generation(event) => Some(event),
            Event::Strength(_) => None,
        })
    }

    /// Where to begin reading records back: so many games or positions (0 for no limit) lie between there and the end.
    pub fn window_start(&self, [most_games, most_positions]: [u64; 2]) -> u64 {
        let (mut first, mut games, mut positions) = (self.generation + 1, 0, 0);
        for event in self.events.iter().rev() {
            let Event::Generation(event) = event else { continue };
            if most_games > 0 && games >= most_games || most_positions > 0 && positions >= most_positions {
                break;
            }
            (first, games, positions) = (event.generation, games + event.play.games, positions + event.play.positions);
        }
        first
    }

    /// Refuses to go on with weights that are no numbers.
    ///
    /// # Errors
    /// If the loss is not finite.
    pub fn check_loss(&self, losses: &Losses) -> Result<(), RunError> {
        if losses.total.is_finite() {
            return Ok(());
        }
        Err(self.problem("the loss is no longer a number: lower training.schedule's rate"))
    }

    /// A line about this run that says what is wrong with it.
    pub fn problem(&self, problem: &str) -> RunError {
        RunError::at(self.directory.root(), problem)
    }

    /// Books what a generation's games cost: by the meter's clocks, or, if they were played between training steps, by
    /// the processor time that `cost` has. `counts` are games and positions.
    pub fn book_play(&mut self, generation: u64, meter: Option<&Meter>, cost: PlayCost, counts: [u64; 2]) {
        let mut play = ledger::Entry::new(generation, Phase::SelfPlay);
        match meter {
            Some(meter) => meter.stop(&mut play),
            None => play.cpu = cost.cpu.as_secs_f64(),
        }
        let (inference, mate) = (cost.inference.as_secs_f64(), cost.mate.as_secs_f64());
        play.cpu = (play.cpu - inference - mate).max(0.0);
        [play.games, play.positions] = counts;
        play.simulations = cost.simulations;
        self.costs.push(play);
        let mut entry = ledger::Entry::new(generation, Phase::Inference);
        (entry.cpu, entry.evaluations, entry.cached) = (inference, cost.evaluations, cost.cached);
        entry.flops = cost.evaluations.saturating_mul(self.trainer.graph().flops());
        self.costs.push(entry);
        if mate > 0.0 {
            let mut entry = ledger::Entry::new(generation, Phase::MateSearch);
            entry.cpu = mate;
            self.costs.push(entry);
        }
    }

    /// Books the training steps that were taken since the meter was started, less the processor time that games between
    /// them took.
    pub fn book_training(&mut self, generation: u64, meter: &Meter, samples: u64, played: Duration) {
        let mut entry = ledger::Entry::new(generation, Phase::Training);
        meter.stop(&mut entry);
        entry.cpu = (entry.cpu - played.as_secs_f64()).max(0.0);
        entry.samples = samples;
        // A backward pass costs about twice a forward pass.
        entry.flops = samples.saturating_mul(3 * self.trainer.graph().flops());
        self.costs.push(entry);
    }

    /// Ends a match of the last finished generation: its event and its cost, in which operations are not counted yet.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn finish_match(&mut self, event: StrengthEvent, mut cost: ledger::Entry) -> Result<(), RunError> {
        cost.flops = cost.evaluations.saturating_mul(self.trainer.graph().flops());
        self.costs.push(cost);
        self.events.push(Event::Strength(event.clone()));
        self.directory.write_events(&self.events)?;
        self.directory.write_costs(&self.costs)?;
        self.say(Progress::Strength(event));
        Ok(())
    }
}

/// Checks that a weight file has the network that is wanted, for the same game and encoder; `otherwise` says in words that
/// the layers differ.
///
/// # Errors
/// With the first difference, in words.
pub fn same_network(found: &NetworkInfo, wanted: &NetworkInfo, otherwise: &str) -> Result<(), String> {
    found.check(&wanted.game, wanted.rules_version, &wanted.encoder, wanted.encoder_version)?;
    if found.spec == wanted.spec { Ok(()) } else { Err(otherwise.to_owned()) }
}

/// Games in a part of a generation of so many games.
fn part_size(games: u64, part: u64) -> u64 {
    PART.min(games - part * PART)
}
