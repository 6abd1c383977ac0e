//! The loop of a run: play a generation, learn from it, measure; again. How it plays and learns is a [`Learner`]'s.
//!
//! What is on disk is all the state there is. Every start, the first one included, looks at what is there and goes on
//! from it, so a run that was killed at any moment ends with the same bytes as one that was not.

use crate::experiment::Experiment;
use crate::learner::{self, Learner};
use crate::ledger::{self, Meter, Phase};
use crate::measure::{self, Candidate};
use crate::network::{self, Loaded};
use crate::report;
use crate::run::{Event, FORMAT, GenerationEvent, PART, RunDir, RunError, RunInfo, StrengthEvent};
use crate::selfplay::PlayCost;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tesuji_core::{Encoder, Game, GameRecord};
use tesuji_nn::train::Losses;
use tesuji_nn::{Isa, NetworkFile, Trainer, Weights};

/// How long a run goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopRule {
    /// Until this much time has been spent on playing and training, over all starts of the run.
    Time(Duration),
    /// Until it has this many generations.
    Generations(u64),
}

impl std::str::FromStr for StopRule {
    type Err = String;

    fn from_str(text: &str) -> Result<StopRule, String> {
        if let Ok(generations) = text.parse::<u64>() {
            return Ok(StopRule::Generations(generations));
        }
        let time = tesuji_core::budget::parse_duration(text).map(StopRule::Time);
        time.ok_or_else(|| format!("budget {text:?}: expected a time such as 10m or 2h, or a number of generations"))
    }
}

/// What is told to whoever watches.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Something that a person should know.
    Note(String),
    /// The run is about to go on behind this generation.
    Begin {
        /// The last finished generation.
        generation: u64,
        /// The network that the run began with (see `network.initial`); empty if with a random one.
        initial: String,
        /// Parameters of the network.
        parameters: usize,
        /// Operations for one position.
        flops: u64,
    },
    /// Games are being played.
    Playing {
        /// The generation.
        generation: u64,
        /// Games finished.
        games: u64,
        /// Games wanted.
        of: u64,
        /// Positions played a second.
        positions_per_second: f64,
        /// Evaluations a second, of all threads.
        evaluations_per_second: f64,
    },
    /// Training goes on.
    Training {
        /// The generation.
        generation: u64,
        /// Steps taken.
        step: u64,
        /// Steps wanted.
        of: u64,
        /// Mean losses so far: policy and value.
        losses: [f32; 2],
    },
    /// A generation is finished.
    Generation(GenerationEvent),
    /// A match is about to be played.
    Measuring {
        /// The generation.
        generation: u64,
        /// The opponent's line.
        opponent: String,
    },
    /// A match is finished.
    Strength(StrengthEvent),
}

/// How a run is to be worked on; none of it changes what comes out.
pub struct RunConditions<'a> {
    /// Threads.
    pub threads: usize,
    /// How long to go on.
    pub extent: StopRule,
    /// Set to stop after the write that is under way.
    pub stop: &'a AtomicBool,
    /// Told what happens.
    pub progress: &'a mut dyn FnMut(Progress),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The last finished generation.
    pub generation: u64,
    /// Whether it was stopped before its time.
    pub stopped: bool,
    /// Everything that happened.
    pub events: Vec<Event>,
    /// What it cost.
    pub costs: Vec<ledger::Entry>,
}

/// Works on a run until its extent is reached: begins it, or goes on where it left off.
///
/// # Errors
/// If the experiment does not fit the game or differs from the run's, or the file system refuses.
pub fn train<G: Game>(
    game: &G,
    experiment: &Experiment,
    root: &Path,
    conditions: RunConditions<'_>,
) -> Result<Ended, RunError> {
    let directory = RunDir::open(root)?;
    let (mut run, state) = Run::open(game.clone(), experiment.clone(), directory, conditions)?;
    let mut learner = learner::of(&run)?;
    learner.load(&mut run, state)?;
    let stopped = run.work(learner.as_mut())?;
    run.report()?;
    Ok(Ended { generation: run.generation, stopped, events: run.events, costs: run.costs })
}

/// A run at work: what every way of learning shares.
pub struct Run<'a, G: Game> {
    /// The game.
    pub game: G,
    /// What the run is.
    pub experiment: Experiment,
    /// Where it is kept.
    pub directory: RunDir,
    /// How it is worked on.
    pub conditions: RunConditions<'a>,
    /// The last finished generation.
    pub generation: u64,
    /// The network in training.
    pub trainer: Trainer,
    /// The way through the network's kernels.
    pub path: tesuji_nn::KernelPath,
    /// What happened.
    pub events: Vec<Event>,
    /// What it cost.
    pub costs: Vec<ledger::Entry>,
    /// The threads.
    pub pool: rayon::ThreadPool,
    /// The network file of the last finished generation, less weights and state.
    about: tesuji_nn::NetworkInfo,
}

/// Numbers of a checkpoint by name.
pub type State = BTreeMap<String, Vec<f32>>;

/// What the names of a learner's own numbers begin with in a checkpoint; the others are the optimiser's.
const LEARNER: &str = "learner.";

/// Hands over a game that has ended: its number, its record, and what its thread has spent so far.
pub type Done<'a> = dyn FnMut(u64, GameRecord, PlayCost) -> Result<(), String> + 'a;

/// Plays games: their numbers, threads, whether to stop, and whom to hand them to.
pub type Play<'a> = dyn FnMut(&[u64], usize, &AtomicBool, &mut Done<'_>) -> Result<PlayCost, String> + 'a;

impl<'a, G: Game> Run<'a, G> {
    fn open(
        game: G,
        experiment: Experiment,
        directory: RunDir,
        conditions: RunConditions<'a>,
    ) -> Result<(Run<'a, G>, State), RunError> {
        let other = |error: crate::experiment::ExperimentError| RunError::other(error.to_string());
        let encoder = experiment.encoder(&game).map_err(other)?;
        let spec = experiment.spec(&game).map_err(other)?;
        let graph = spec.graph().map_err(|error| RunError::other(error.to_string()))?;
        match directory.experiment()? {
            None => directory.write("experiment.toml", experiment.to_toml().as_bytes())?,
            Some(known) if Experiment { budget: experiment.budget.clone(), ..known.clone() } == experiment => {}
            Some(known) => return Err(RunError::other(changed(&directory, &known, &experiment))),
        }
        let path = match directory.about()? {
            Some(about) => about.path,
            None => {
                let path = tesuji_nn::KernelPath { isa: Isa::best(), method: experiment.network.inference };
                let about = RunInfo { version: env!("CARGO_PKG_VERSION").to_owned(), format: FORMAT, path };
                let text = serde_json::to_string_pretty(&about).expect("plain data") + "\n";
                directory.write("run.json", text.as_bytes())?;
                path
            }
        };
        if !path.isa.is_available() {
            let problem = format!("the run uses {path}, which this machine lacks: go on where it began, or anew");
            return Err(RunError::other(format!("{}: {problem}", directory.root().display())));
        }
        let about = tesuji_nn::NetworkInfo {
            spec,
            game: game.name().to_owned(),
            rules: game.rules(),
            rules_version: game.rules_version(),
            encoder: encoder.name().to_owned(),
            encoder_version: encoder.version(),
            step: 0,
        };
        let say = &mut |note: String| (conditions.progress)(Progress::Note(note));
        let (generation, file) = match directory.newest_network(say)? {
            Some((generation, file)) => {
                let fit = file.about.check(&about.game, about.rules_version, &about.encoder, about.encoder_version);
                let fit = fit.and_then(|()| {
                    if file.about.spec == about.spec { Ok(()) } else { Err("another network".to_owned()) }
                });
                let path = directory.network_path(generation);
                fit.map_err(|problem| RunError::other(format!("{}: {problem}", path.display())))?;
                (generation, file)
            }
            None => {
                let weights = match experiment.network.initial.as_str() {
                    "" => Weights::init(&graph, experiment.seed),
                    name => initial_weights(name, &about).map_err(RunError::Other)?,
                };
                let file = NetworkFile { about: about.clone(), weights, state: BTreeMap::new() };
                file.save(&directory.network_path(0))?;
                (0, file)
            }
        };
        let training = &experiment.training;
        let mut trainer =
            Trainer::new(graph, file.weights, training.optimiser, training.l2, experiment.seed).with_isa(path.isa);
        let (own, optimiser): (State, State) = file.state.into_iter().partition(|(name, _)| name.starts_with(LEARNER));
        if generation > 0 {
            let restored = trainer.restore(file.about.step, &optimiser);
            let path = directory.network_path(generation);
            restored.map_err(|problem| RunError::other(format!("{}: {problem}", path.display())))?;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(conditions.threads.max(1)).build();
        let mut run = Run {
            events: directory.events()?,
            costs: directory.costs()?,
            pool: pool.map_err(|error| RunError::other(error.to_string()))?,
            game,
            experiment,
            directory,
            conditions,
            generation,
            trainer,
            about,
            path,
        };
        run.events.retain(|event| match event {
            Event::Generation(event) => event.generation <= generation,
            Event::Strength(event) => event.generation <= generation,
        });
        let own = own.into_iter().map(|(name, numbers)| (name[LEARNER.len()..].to_owned(), numbers)).collect();
        Ok((run, own))
    }

    /// Goes on until the extent is reached; whether it was stopped before.
    fn work(&mut self, learner: &mut dyn Learner<G>) -> Result<bool, RunError> {
        (self.conditions.progress)(Progress::Begin {
            generation: self.generation,
            initial: self.experiment.network.initial.clone(),
            parameters: self.trainer.graph().parameter_count(),
            flops: self.trainer.graph().flops(),
        });
        if self.generation > 0 {
            // A run may have been killed just before it tidied up.
            self.prune(0, learner.oldest())?;
        }
        loop {
            if !self.measure_if_due(false)? {
                return Ok(true);
            }
            if self.is_enough() {
                break;
            }
            if !self.one_generation(learner)? {
                return Ok(true);
            }
        }
        let measured = self.measure_if_due(true)?;
        Ok(!measured)
    }

    fn is_enough(&self) -> bool {
        match self.conditions.extent {
            StopRule::Generations(generations) => self.generation >= generations,
            StopRule::Time(time) => {
                let spent: f64 =
                    self.costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(|entry| entry.wall).sum();
                spent >= time.as_secs_f64()
            }
        }
    }

    /// Plays a generation and learns from it; `false` if it was stopped.
    fn one_generation(&mut self, learner: &mut dyn Learner<G>) -> Result<bool, RunError> {
        let generation = self.generation + 1;
        let Some(event) = learner.generation(self, generation)? else {
            self.directory.write_costs(&self.costs)?;
            return Ok(false);
        };
        self.events.push(Event::Generation(event.clone()));
        self.directory.write_events(&self.events)?;
        let about = tesuji_nn::NetworkInfo { step: self.trainer.steps(), ..self.about.clone() };
        let mut state = self.trainer.state();
        state.extend(learner.state(self).into_iter().map(|(name, numbers)| (format!("{LEARNER}{name}"), numbers)));
        let file = NetworkFile { about, weights: self.trainer.weights().clone(), state };
        file.save(&self.directory.network_path(generation))?;
        self.generation = generation;
        self.directory.write_costs(&self.costs)?;
        // The third latest network has its turn; older ones had theirs.
        self.prune(generation.saturating_sub(2), learner.oldest())?;
        (self.conditions.progress)(Progress::Generation(event));
        Ok(true)
    }

    /// The games of a generation, those on disk included; `None` if it was stopped.
    ///
    /// `play` plays the games with the numbers that it is given on so many threads, and hands over each as it ends.
    ///
    /// # Errors
    /// If the file system refuses, or `play` fails.
    pub fn games(
        &mut self,
        generation: u64,
        games: u64,
        play: &mut Play<'_>,
    ) -> Result<Option<Vec<GameRecord>>, RunError> {
        let parts = games.div_ceil(PART);
        let size = |part: u64| PART.min(games - part * PART);
        let mut played: Vec<Option<Vec<GameRecord>>> = Vec::new();
        for part in 0..parts {
            let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
            played.push(self.directory.read_part(generation, part, size(part), say)?);
        }
        let missing = (0..games).filter(|game| played[(game / PART) as usize].is_none());
        let todo: Vec<u64> = missing.collect();
        let meter = Meter::start();
        let clock = Instant::now();
        let mut waiting: BTreeMap<u64, BTreeMap<u64, GameRecord>> = BTreeMap::new();
        let (mut finished, mut positions) = (games - todo.len() as u64, 0);
        let (threads, stop) = (self.conditions.threads.max(1), self.conditions.stop);
        let (directory, progress) = (&self.directory, &mut self.conditions.progress);
        let mut done = |index: u64, record: GameRecord, cost: PlayCost| {
            finished += 1;
            positions += record.moves.len() as u64;
            let seconds = clock.elapsed().as_secs_f64();
            progress(Progress::Playing {
                generation,
                games: finished,
                of: games,
                positions_per_second: positions as f64 / seconds,
                evaluations_per_second: cost.evaluations as f64 * threads as f64 / seconds,
            });
            let part = index / PART;
            let of_part = waiting.entry(part).or_default();
            of_part.insert(index, record);
            if of_part.len() as u64 == size(part) {
                let records: Vec<GameRecord> =
                    waiting.remove(&part).into_iter().flatten().map(|(_, record)| record).collect();
                directory.write_part(generation, part, &records).map_err(|error| error.to_string())?;
                played[part as usize] = Some(records);
            }
            Ok(())
        };
        let cost = play(&todo, threads, stop, &mut done).map_err(RunError::Other)?;
        self.book_play(generation, &meter, cost, todo.len() as u64, positions);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(Some(played.into_iter().flatten().flatten().collect()))
    }

    /// Books what a generation's games cost.
    pub fn book_play(&mut self, generation: u64, meter: &Meter, cost: PlayCost, games: u64, positions: u64) {
        let mut play = ledger::Entry::new(generation, Phase::SelfPlay);
        meter.stop(&mut play);
        let (inference, mate) = (cost.inference.as_secs_f64(), cost.mate.as_secs_f64());
        play.cpu = (play.cpu - inference - mate).max(0.0);
        (play.games, play.positions, play.simulations) = (games, positions, cost.simulations);
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

    /// How the network reads positions.
    ///
    /// # Errors
    /// If the game has no such encoder.
    pub fn encoder(&self) -> Result<Box<dyn Encoder<G::Position>>, RunError> {
        self.experiment.encoder(&self.game).map_err(|error| RunError::other(error.to_string()))
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

    /// A part of the records of a finished generation; `None` if it is gone, which is told.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn kept_part(&mut self, generation: u64, part: u64, games: u64) -> Result<Option<Vec<GameRecord>>, RunError> {
        let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
        let records = self.directory.read_part(generation, part, games, say)?;
        if records.is_none() {
            let problem = format!("part {part} of the records of generation {generation} is gone");
            self.say(Progress::Note(format!("{problem}; the window is that much smaller")));
        }
        Ok(records)
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

    /// Books the training steps that were taken since the meter was started.
    pub fn book_training(&mut self, generation: u64, meter: &Meter, samples: u64) {
        let mut entry = ledger::Entry::new(generation, Phase::Training);
        meter.stop(&mut entry);
        entry.samples = samples;
        // A backward pass costs about twice a forward pass.
        entry.flops = samples.saturating_mul(3 * self.trainer.graph().flops());
        self.costs.push(entry);
    }

    /// Books games that were played and learned from in turns: games, positions, samples.
    pub fn book_interleaved(
        &mut self,
        generation: u64,
        meter: &Meter,
        cost: PlayCost,
        [games, positions, samples]: [u64; 3],
    ) {
        self.book_training(generation, meter, samples);
        let played = cost.cpu.as_secs_f64();
        if let Some(training) = self.costs.last_mut() {
            training.cpu = (training.cpu - played).max(0.0);
        }
        let (inference, mate) = (cost.inference.as_secs_f64(), cost.mate.as_secs_f64());
        let mut play = ledger::Entry::new(generation, Phase::SelfPlay);
        (play.cpu, play.games, play.positions) = ((played - inference - mate).max(0.0), games, positions);
        self.costs.push(play);
        if mate > 0.0 {
            let mut entry = ledger::Entry::new(generation, Phase::MateSearch);
            entry.cpu = mate;
            self.costs.push(entry);
        }
        let mut entry = ledger::Entry::new(generation, Phase::Inference);
        (entry.cpu, entry.evaluations) = (inference, cost.evaluations);
        entry.flops = cost.evaluations.saturating_mul(self.trainer.graph().flops());
        self.costs.push(entry);
    }

    /// Whether somebody wants the run to stop.
    pub fn is_stopped(&self) -> bool {
        self.conditions.stop.load(Ordering::Relaxed)
    }

    /// Tells whoever watches.
    pub fn say(&mut self, progress: Progress) {
        (self.conditions.progress)(progress);
    }

    /// A line about this run that says what is wrong with it.
    pub fn problem(&self, problem: &str) -> RunError {
        RunError::other(format!("{}: {problem}", self.directory.root().display()))
    }

    /// The network as it is now, made ready.
    ///
    /// # Errors
    /// If it does not fit the game.
    pub fn loaded(&self) -> Result<Loaded<G>, RunError> {
        let about = tesuji_nn::NetworkInfo { step: self.trainer.steps(), ..self.about.clone() };
        let file = NetworkFile { about, weights: self.trainer.weights().clone(), state: BTreeMap::new() };
        network::prepare(&self.game, &file, self.path.method).map_err(RunError::Other)
    }

    /// Measures the last finished generation if it is its turn and has not been done; `false` if it was stopped.
    fn measure_if_due(&mut self, at_end: bool) -> Result<bool, RunError> {
        let options = self.experiment.measure.clone();
        let generation = self.generation;
        let due = options.every > 0 && generation > 0 && generation.is_multiple_of(options.every);
        let games = if at_end { options.final_games } else { options.games };
        if !(at_end || due) || games == 0 {
            return Ok(true);
        }
        let mut loaded = None;
        for opponent in &options.opponents {
            let done = self.events.iter().any(|event| match event {
                Event::Strength(event) => {
                    event.generation == generation
                        && event.opponent == *opponent
                        && event.score.iter().sum::<u64>() >= games as u64
                }
                Event::Generation(_) => false,
            });
            if done {
                continue;
            }
            (self.conditions.progress)(Progress::Measuring { generation, opponent: opponent.clone() });
            if loaded.is_none() {
                loaded = Some(self.loaded()?);
            }
            let Some(network) = &loaded else { continue };
            let meter = Meter::start();
            let candidate = Candidate {
                game: &self.game,
                experiment: &self.experiment,
                root: self.directory.root(),
                generation,
                network,
                threads: self.conditions.threads.max(1),
            };
            let played = measure::strength(&candidate, opponent, games, self.conditions.stop);
            let Some((event, summary)) = played.map_err(RunError::Other)? else { return Ok(false) };
            let mut entry = ledger::Entry::new(generation, Phase::Measuring);
            meter.stop(&mut entry);
            entry.games = summary.score.games();
            entry.positions = summary.plies;
            entry.evaluations = summary.costs[0].evaluations;
            entry.flops = entry.evaluations.saturating_mul(self.trainer.graph().flops());
            self.costs.push(entry);
            self.events.push(Event::Strength(event.clone()));
            self.directory.write_events(&self.events)?;
            self.directory.write_costs(&self.costs)?;
            (self.conditions.progress)(Progress::Strength(event));
        }
        Ok(true)
    }

    /// Writes the page with curves and tables.
    fn report(&self) -> Result<(), RunError> {
        let name = self.directory.root().display().to_string();
        let page = report::html(&name, &self.experiment, &self.events, &self.costs).map_err(RunError::Other)?;
        self.directory.write("report.html", page.as_bytes())
    }

    /// Removes what the experiment does not want kept: records that have left the window, optimiser states and networks
    /// of the past, those of generations before `since` apart. The latest two generations always stay whole, so that a
    /// damaged newest one costs one generation.
    fn prune(&self, since: u64, oldest: Option<u64>) -> Result<(), RunError> {
        let (keep, generation) = (&self.experiment.keep, self.generation);
        if !keep.old_records
            && let Some(oldest) = oldest
        {
            // The generation before the newest may have to be learned again.
            self.directory.prune_records(oldest.min(generation.saturating_sub(1)))?;
        }
        for old in self.directory.networks()? {
            if old < since || old + 1 >= generation {
                continue;
            }
            let path = self.directory.network_path(old);
            let kept = old == 0 || keep.networks_every > 0 && old.is_multiple_of(keep.networks_every);
            if !kept {
                fs::remove_file(&path).map_err(RunError::io(&path))?;
            } else if let Ok(file) = NetworkFile::load(&path)
                && !file.state.is_empty()
            {
                NetworkFile { state: BTreeMap::new(), ..file }.save(&path)?;
            }
        }
        Ok(())
    }
}

/// The weights of a network that a run begins with, which must be of the same kind as the run's own.
fn initial_weights(name: &str, about: &tesuji_nn::NetworkInfo) -> Result<Weights, String> {
    let missing = |problem| format!("network.initial: {problem}; another one by --set network.initial=RUN");
    let (place, file) = network::open(name).map_err(missing)?;
    let fit = file.about.check(&about.game, about.rules_version, &about.encoder, about.encoder_version);
    let fit = fit.and_then(|()| {
        let same = file.about.spec == about.spec;
        if same { Ok(()) } else { Err("another network than the experiment's".to_owned()) }
    });
    fit.map_err(|problem| format!("network.initial: {place}: {problem}"))?;
    Ok(file.weights)
}

/// Says what is different about an experiment that is not the run's.
fn changed(directory: &RunDir, known: &Experiment, given: &Experiment) -> String {
    let (known, given) = (known.to_toml(), given.to_toml());
    let line = known.lines().zip(given.lines()).find(|(a, b)| a != b);
    let (old, new) = line.unwrap_or(("", ""));
    format!(
        "{}: the run was begun with another experiment ({} instead of {}); choose another --out, or leave the experiment out to go on",
        directory.root().display(),
        old.trim(),
        new.trim()
    )
}
