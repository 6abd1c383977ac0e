//! The loop of a run: play a generation, learn from the window, measure; again.
//!
//! What is on disk is all the state there is. Every start, the first one included, looks at what is there and goes on
//! from it, so a run that was killed at any moment ends with the same bytes as one that was not.

use crate::experiment::Experiment;
use crate::ledger::{self, Meter, Phase};
use crate::measure::{self, Candidate};
use crate::network::{self, Loaded};
use crate::report;
use crate::run::{About, Event, FORMAT, GenerationEvent, PART, RunDir, RunError, StrengthEvent};
use crate::selfplay::{self, Actor, GameStatistics, PlayCost};
use crate::window::{Batch, Wanted, Window};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tesuji_core::{Game, GameRecord};
use tesuji_nn::train::{Losses, MovesLeft, Pointwise, PolicyValue, Reply, Targets};
use tesuji_nn::{Isa, NetworkFile, Trainer, Weights};

/// How long a run goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// Until this much time has been spent on playing and training, over all starts of the run.
    Time(Duration),
    /// Until it has this many generations.
    Generations(u64),
}

impl std::str::FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Extent, String> {
        if let Ok(generations) = text.parse::<u64>() {
            return Ok(Extent::Generations(generations));
        }
        let time = tesuji_core::budget::parse_duration(text).map(Extent::Time);
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
pub struct Conditions<'a> {
    /// Threads.
    pub threads: usize,
    /// How long to go on.
    pub extent: Extent,
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
    conditions: Conditions<'_>,
) -> Result<Ended, RunError> {
    let directory = RunDir::open(root)?;
    let mut run = Run::open(game.clone(), experiment.clone(), directory, conditions)?;
    let stopped = run.work()?;
    run.report()?;
    Ok(Ended { generation: run.generation, stopped, events: run.events, costs: run.costs })
}

struct Run<'a, G: Game> {
    game: G,
    experiment: Experiment,
    directory: RunDir,
    conditions: Conditions<'a>,
    /// The last finished generation.
    generation: u64,
    trainer: Trainer,
    /// The network file of the last finished generation, less weights and state.
    about: tesuji_nn::About,
    path: tesuji_nn::Path,
    window: Window<G>,
    events: Vec<Event>,
    costs: Vec<ledger::Entry>,
    pool: rayon::ThreadPool,
}

impl<'a, G: Game> Run<'a, G> {
    fn open(
        game: G,
        experiment: Experiment,
        directory: RunDir,
        conditions: Conditions<'a>,
    ) -> Result<Run<'a, G>, RunError> {
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
                let path = tesuji_nn::Path { isa: Isa::best(), method: experiment.network.inference };
                let about = About { version: env!("CARGO_PKG_VERSION").to_owned(), format: FORMAT, path };
                let text = serde_json::to_string_pretty(&about).expect("plain data") + "\n";
                directory.write("run.json", text.as_bytes())?;
                path
            }
        };
        if !path.isa.is_available() {
            let problem = format!("the run uses {path}, which this machine lacks: go on where it began, or anew");
            return Err(RunError::other(format!("{}: {problem}", directory.root().display())));
        }
        let about = tesuji_nn::About {
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
                let weights = Weights::init(&graph, experiment.seed);
                let file = NetworkFile { about: about.clone(), weights, state: BTreeMap::new() };
                file.save(&directory.network_path(0))?;
                (0, file)
            }
        };
        let training = &experiment.training;
        let mut trainer =
            Trainer::new(graph, file.weights, training.optimiser, training.l2, experiment.seed).with_isa(path.isa);
        if generation > 0 {
            let restored = trainer.restore(file.about.step, &file.state);
            let path = directory.network_path(generation);
            restored.map_err(|problem| RunError::other(format!("{}: {problem}", path.display())))?;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(conditions.threads.max(1)).build();
        let mut run = Run {
            window: Window::new(game.clone()),
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
        run.load_window()?;
        Ok(run)
    }

    /// Reads the records of the latest generations back into the window.
    fn load_window(&mut self) -> Result<(), RunError> {
        let training = self.experiment.training.clone();
        // Go back until the window would be full, then forwards.
        let (mut first, mut games, mut positions) = (self.generation + 1, 0, 0);
        for event in self.events.iter().rev() {
            let Event::Generation(event) = event else { continue };
            let full = training.window_games > 0 && games >= training.window_games
                || training.window_positions > 0 && positions >= training.window_positions;
            if full {
                break;
            }
            (first, games, positions) = (event.generation, games + event.play.games, positions + event.play.positions);
        }
        for generation in first..=self.generation {
            let games = self.experiment.selfplay.games_of(generation);
            for part in 0..games.div_ceil(PART) {
                let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
                let expected = PART.min(games - part * PART);
                let Some(records) = self.directory.read_part(generation, part, expected, say)? else {
                    let problem = format!("part {part} of the records of generation {generation} is gone");
                    (self.conditions.progress)(Progress::Note(format!("{problem}; the window is that much smaller")));
                    continue;
                };
                self.learn_from(generation, &records)?;
            }
            self.window.trim(&training);
        }
        Ok(())
    }

    fn learn_from(&mut self, generation: u64, records: &[GameRecord]) -> Result<(), RunError> {
        for record in records {
            self.window.push(generation, record).map_err(|problem| {
                RunError::other(format!(
                    "{}: records of generation {generation}: {problem}",
                    self.directory.root().display()
                ))
            })?;
        }
        Ok(())
    }

    /// Goes on until the extent is reached; whether it was stopped before.
    fn work(&mut self) -> Result<bool, RunError> {
        (self.conditions.progress)(Progress::Begin {
            generation: self.generation,
            parameters: self.trainer.graph().parameter_count(),
            flops: self.trainer.graph().flops(),
        });
        loop {
            if !self.measure_if_due(false)? {
                return Ok(true);
            }
            if self.is_enough() {
                break;
            }
            if !self.one_generation()? {
                return Ok(true);
            }
        }
        let measured = self.measure_if_due(true)?;
        Ok(!measured)
    }

    fn is_enough(&self) -> bool {
        match self.conditions.extent {
            Extent::Generations(generations) => self.generation >= generations,
            Extent::Time(time) => {
                let spent: f64 =
                    self.costs.iter().filter(|entry| entry.phase != Phase::Measuring).map(|entry| entry.wall).sum();
                spent >= time.as_secs_f64()
            }
        }
    }

    /// Plays a generation and learns from it; `false` if it was stopped.
    fn one_generation(&mut self) -> Result<bool, RunError> {
        let generation = self.generation + 1;
        let Some(records) = self.play(generation)? else { return Ok(false) };
        let statistics = GameStatistics::of(&records);
        self.learn_from(generation, &records)?;
        drop(records);
        let options = self.experiment.training.clone();
        self.window.trim(&options);
        let Some(event) = self.learn(generation, statistics)? else { return Ok(false) };
        self.events.push(Event::Generation(event.clone()));
        self.directory.write_events(&self.events)?;
        let about = tesuji_nn::About { step: self.trainer.steps(), ..self.about.clone() };
        let file = NetworkFile { about, weights: self.trainer.weights().clone(), state: self.trainer.state() };
        file.save(&self.directory.network_path(generation))?;
        self.generation = generation;
        self.directory.write_costs(&self.costs)?;
        self.prune(generation)?;
        (self.conditions.progress)(Progress::Generation(event));
        Ok(true)
    }

    /// The games of a generation, those on disk included; `None` if it was stopped.
    fn play(&mut self, generation: u64) -> Result<Option<Vec<GameRecord>>, RunError> {
        let options = self.experiment.selfplay.clone();
        let games = options.games_of(generation);
        let parts = games.div_ceil(PART);
        let size = |part: u64| PART.min(games - part * PART);
        let mut played: Vec<Option<Vec<GameRecord>>> = Vec::new();
        for part in 0..parts {
            let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
            played.push(self.directory.read_part(generation, part, size(part), say)?);
        }
        let missing = (0..games).filter(|game| played[(game / PART) as usize].is_none());
        let todo: Vec<u64> = missing.collect();
        let loaded = self.loaded()?;
        let actor = Actor {
            game: &self.game,
            options: &options,
            encoder: loaded.encoder,
            model: loaded.model,
            seed: self.experiment.seed,
            generation,
        };
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
        let cost = selfplay::play_games(&actor, &todo, threads, stop, &mut done).map_err(RunError::Other)?;
        self.book_play(generation, &meter, cost, todo.len() as u64, positions);
        if stop.load(Ordering::Relaxed) {
            self.directory.write_costs(&self.costs)?;
            return Ok(None);
        }
        Ok(Some(played.into_iter().flatten().flatten().collect()))
    }

    fn book_play(&mut self, generation: u64, meter: &Meter, cost: PlayCost, games: u64, positions: u64) {
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

    /// The network of the last finished generation, made ready.
    fn loaded(&self) -> Result<Loaded<G>, RunError> {
        let about = tesuji_nn::About { step: self.trainer.steps(), ..self.about.clone() };
        let file = NetworkFile { about, weights: self.trainer.weights().clone(), state: BTreeMap::new() };
        network::prepare(&self.game, &file, self.path.method).map_err(RunError::Other)
    }

    /// Trains on the window; `None` if it was stopped, in which case the generation's training starts again next time.
    fn learn(&mut self, generation: u64, play: GameStatistics) -> Result<Option<GenerationEvent>, RunError> {
        let options = self.experiment.training.clone();
        let wanted = options.samples_per_position * play.positions as f64 / options.batch as f64;
        let steps = if options.steps > 0 { options.steps } else { wanted.ceil() as u64 };
        let steps = if self.window.positions() == 0 { 0 } else { steps };
        let encoder = self.experiment.encoder(&self.game).map_err(|error| RunError::other(error.to_string()))?;
        let meter = Meter::start();
        let network = &self.experiment.network;
        let (wanted, moves_left) = (Wanted { legal: options.legal_only, reply: network.reply }, network.moves_left);
        let mut batch = Batch::default();
        let mut sums = Losses::default();
        let mut rate = 0.0;
        for step in 0..steps {
            if self.conditions.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            rate = options.schedule.rate(self.trainer.steps());
            let (window, trainer, seed) = (&self.window, &mut self.trainer, self.experiment.seed);
            let losses = self.pool.install(|| {
                window.batch(encoder.as_ref(), &options, wanted, (seed, trainer.steps()), &mut batch);
                let reply = Reply { policy: &batch.reply, weight: options.reply_weight };
                let loss = Pointwise::Huber { delta: 1.0 };
                let left = MovesLeft { moves: &batch.moves_left, loss, weight: options.moves_left_weight };
                let targets = PolicyValue {
                    legal: &batch.legal,
                    value_weight: options.value_weight,
                    reply: wanted.reply.then_some(reply),
                    moves_left: moves_left.then_some(left),
                    ..PolicyValue::new(&batch.policy, &batch.value)
                };
                trainer.step(&batch.inputs, &Targets::PolicyValue(targets), rate)
            });
            if !losses.total.is_finite() {
                let problem = "the loss is no longer a number: lower training.schedule's rate";
                return Err(RunError::other(format!("{}: {problem}", self.directory.root().display())));
            }
            sums.policy += losses.policy;
            sums.divergence += losses.divergence;
            sums.value += losses.value;
            sums.policy_accuracy += losses.policy_accuracy;
            sums.value_accuracy += losses.value_accuracy;
            let count = (step + 1) as f32;
            (self.conditions.progress)(Progress::Training {
                generation,
                step: step + 1,
                of: steps,
                losses: [sums.policy / count, sums.value / count],
            });
        }
        let mut entry = ledger::Entry::new(generation, Phase::Training);
        meter.stop(&mut entry);
        entry.samples = steps * options.batch as u64;
        // A backward pass costs about twice a forward pass.
        entry.flops = entry.samples.saturating_mul(3 * self.trainer.graph().flops());
        self.costs.push(entry);
        let count = steps.max(1) as f32;
        Ok(Some(GenerationEvent {
            generation,
            play,
            window: [self.window.games() as u64, self.window.positions() as u64],
            step: self.trainer.steps(),
            steps,
            rate,
            policy_loss: sums.policy / count,
            divergence: sums.divergence / count,
            value_loss: sums.value / count,
            policy_accuracy: sums.policy_accuracy / count,
            value_accuracy: sums.value_accuracy / count,
        }))
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
    /// of the past. The latest two generations always stay whole, so that a damaged newest one costs one generation.
    fn prune(&self, generation: u64) -> Result<(), RunError> {
        let keep = &self.experiment.keep;
        if !keep.old_records
            && let Some(oldest) = self.window.oldest()
        {
            // The generation before the newest may have to be learned again.
            self.directory.prune_records(oldest.min(generation.saturating_sub(1)))?;
        }
        for old in self.directory.networks()? {
            if old + 1 >= generation {
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
