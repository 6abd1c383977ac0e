//! Learning from game records: the move that was played and the game's result, from a data set.
//!
//! The games are dealt out to folds, stratified by outcome. One fold is held out: after every generation the network is
//! tested on positions of games that it has never learned from.

use super::learner::{Learner, Setup};
use super::training::Training;
use super::way::{CheckRecord, Way};
use crate::data::{DataError, DataSet, Folds, Sample, Settings, Shard, Source, Writer};
use crate::networks::{NetworkKind, encoder};
use crate::run::ledger::Meter;
use crate::run::{GameStatistics, GenerationEvent, Progress, Run, RunError, State, TestScore, parallel};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::record::Played;
use tesuji_core::{AnyGame, Encoder, Game, GameRecord, Outcome, Position, Stream};
use tesuji_nn::train::{Losses, Pointwise, PolicyValue, Targets};
use tesuji_nn::{Model, Worker};

/// Learning from game records: `kind = "records"` in the section `[method]` of an experiment. A generation takes `training.steps` steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordsOptions {
    /// The data set, made by `tesuji data`.
    pub data: String,
    /// Parts that the games are dealt out to.
    pub folds: usize,
    /// The part that is held out, from 0.
    pub fold: usize,
    /// Positions of it that the network is tested on after each generation.
    pub test_positions: usize,
    /// Shards of the data set in memory at a time; each generation takes the next ones.
    pub shards: usize,
}

impl Default for RecordsOptions {
    fn default() -> RecordsOptions {
        RecordsOptions { data: String::new(), folds: 5, fold: 0, test_positions: 10_000, shards: 64 }
    }
}

impl Way for RecordsOptions {
    const ABOUT: &'static str = "moves and results of game records";
    const NETWORKS: &'static [NetworkKind] = &[NetworkKind::Residual, NetworkKind::Dense];

    fn check(&self, training: &Training) -> Result<(), String> {
        if self.folds < 2 || self.folds > 1000 || self.fold >= self.folds {
            return Err("method.folds: expected 2 to 1000, and method.fold below it".to_owned());
        }
        if self.shards == 0 {
            return Err("method.shards = 0: expected at least 1".to_owned());
        }
        if training.steps == 0 {
            let problem = "training.steps = 0: learning from records needs a number of steps for a generation";
            return Err(problem.to_owned());
        }
        Ok(())
    }

    fn agent(network: NetworkKind) -> Option<&'static str> {
        (network == NetworkKind::Dense).then_some("alphabeta:depth=2,eval=net:NET")
    }

    fn shrink(&mut self) {
        self.test_positions = self.test_positions.min(20);
    }

    fn furnish(&mut self, root: &Path, game: &dyn AnyGame, check: &CheckRecord<'_>) -> Result<(), DataError> {
        if self.data.is_empty() {
            let directory = root.join("dummy-data");
            random_games(game, check, &directory)?;
            self.data = directory.display().to_string();
        }
        Ok(())
    }

    fn learner<G: Game>(&self, game: &G, setup: &Setup, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError> {
        Ok(Box::new(Records::new(game, setup, self.clone(), run)?))
    }
}

/// A data set of a few random games.
fn random_games(game: &dyn AnyGame, check: &CheckRecord<'_>, directory: &Path) -> Result<(), DataError> {
    let sources = vec![Source { name: "random games".to_owned(), bytes: 0 }];
    let mut writer = Writer::create(game, directory, Settings { seed: 1, keep: 1.0, sources })?;
    for number in 0..8 {
        let mut random = Stream::new(number, "dummy data", 0);
        let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), "startpos");
        let mut position = game.start();
        while record.moves.len() < 12 {
            let moves = position.moves();
            let Some(&mv) = random.choose(&moves) else { break };
            record.moves.push(Played { bits: mv.0, thought: None });
            position.play(mv).expect("it was listed as legal");
        }
        record.outcome = Some(position.outcome().unwrap_or(Outcome::Draw));
        match check(&record) {
            Ok(game) => writer.add(game)?,
            Err(skip) => writer.skip(&skip),
        }
    }
    writer.finish().map(drop)
}

/// The name of [`Records::checksums`] in a checkpoint.
const CHECKSUMS: &str = "data";

/// The learner.
pub struct Records<G: Game> {
    options: RecordsOptions,
    training: Training,
    encoder: Arc<dyn Encoder<G::Position>>,
    /// Whether the network has a policy.
    policy: bool,
    data: DataSet<G>,
    folds: Folds,
    loaded: Option<Loaded<G::Position>>,
}

/// Shards in memory.
struct Loaded<P: Position> {
    first: usize,
    shards: Vec<Shard<P>>,
    /// (shard, index) of the positions to learn from, and of those to be tested on.
    training: Vec<(u32, u32)>,
    test: Vec<(u32, u32)>,
}

impl<G: Game> Records<G> {
    /// Opens the data set.
    ///
    /// # Errors
    /// If it is missing, damaged or of another game.
    pub fn new(game: &G, setup: &Setup, options: RecordsOptions, run: &Run<'_>) -> Result<Records<G>, RunError> {
        if options.data.is_empty() {
            let problem = "method.data is missing: make a data set with `tesuji data`, and --set method.data=DIR";
            return Err(RunError::other(problem));
        }
        let bad = |error: DataError| RunError::other(error.to_string());
        let data = DataSet::open(game.clone(), Path::new(&options.data)).map_err(bad)?;
        Ok(Records {
            training: setup.training.clone(),
            encoder: encoder(game, &setup.encoder).map_err(RunError::Other)?,
            policy: setup.network == NetworkKind::Residual,
            folds: data.folds(options.folds, run.seed()).map_err(bad)?,
            data,
            loaded: None,
            options,
        })
    }

    /// The checksums of the shards, 16 bits a number: what a checkpoint keeps of the data set.
    fn checksums(&self) -> Vec<f32> {
        let halves = |sum: u32| [(sum >> 16) as u16, sum as u16].map(f32::from);
        self.data.about().shards.iter().flat_map(|shard| halves(shard.checksum)).collect()
    }

    /// Has the shards of a generation in memory.
    fn load_shards(&mut self, generation: u64) -> Result<(), RunError> {
        let count = self.data.shards().max(1);
        let most = self.options.shards.min(count);
        let first = ((generation - 1) as usize * most) % count;
        if self.loaded.as_ref().is_some_and(|loaded| loaded.first == first) {
            return Ok(());
        }
        let mut loaded = Loaded { first, shards: Vec::new(), training: Vec::new(), test: Vec::new() };
        for number in (0..most).map(|place| (first + place) % count).take(self.data.shards()) {
            let shard = self.data.read_shard(number).map_err(|error| RunError::other(error.to_string()))?;
            let place = loaded.shards.len() as u32;
            for index in 0..shard.len() {
                let held_out = self.folds.of(shard.game_of(index)) == self.options.fold;
                let list = if held_out { &mut loaded.test } else { &mut loaded.training };
                list.push((place, index as u32));
            }
            loaded.shards.push(shard);
        }
        self.loaded = Some(loaded);
        Ok(())
    }

    /// Writes a position, the move that was played and which moves are legal.
    fn encode(&self, sample: &Sample<G::Position>, input: &mut [f32], policy: &mut [f32], legal: &mut [bool]) {
        let (view, index) = self.encoder.index(&sample.position, sample.mv);
        self.encoder.encode(&sample.position, view, input);
        if !self.policy {
            return;
        }
        policy.fill(0.0);
        policy[index] = 1.0;
        if legal.is_empty() {
            return;
        }
        legal.fill(false);
        let mut moves = Vec::new();
        sample.position.moves(&mut moves);
        for mv in moves {
            let (of_view, index) = self.encoder.index(&sample.position, mv);
            legal[index] |= of_view == view;
        }
    }

    /// Takes the training steps of a generation; `None` if it was stopped.
    fn learn(&self, run: &mut Run<'_>, generation: u64) -> Result<Option<(Losses, f32)>, RunError> {
        let Some(loaded) = self.loaded.as_ref().filter(|loaded| !loaded.training.is_empty()) else {
            return Err(run.problem(&format!("{}: no positions to learn from", self.options.data)));
        };
        let options = &self.training;
        let (view, batch) = (self.encoder.shape().len(), options.batch);
        let width = if self.policy { self.encoder.policy_len() } else { 0 };
        let (mut inputs, mut policies) = (vec![0.0; batch * view], vec![0.0; batch * width]);
        let mut legal = vec![false; if options.legal_only { batch * width } else { 0 }];
        let mut values = vec![0.0; batch];
        let (mut sums, mut rate) = (Losses::default(), 0.0);
        for step in 1..=options.steps {
            if run.is_stopped() {
                return Ok(None);
            }
            let (number, seed) = (run.trainer().steps(), run.seed());
            rate = options.schedule.rate(number);
            let losses = run.on_threads(|trainer| {
                // Nothing is asked for in rows of length 0.
                let mut policy_rows = policies.chunks_exact_mut(width.max(1));
                let mut legal_rows = legal.chunks_exact_mut(width.max(1));
                let rows = inputs.chunks_exact_mut(view).zip(&mut values);
                let rows = rows.map(|(input, value)| {
                    (input, value, policy_rows.next().unwrap_or_default(), legal_rows.next().unwrap_or_default())
                });
                parallel::for_each(rows, &|row, (input, value, policy, legal)| {
                    let mut random = Stream::new(seed, "sample", number * batch as u64 + row as u64);
                    let (shard, index) = loaded.training[random.below(loaded.training.len())];
                    let sample = loaded.shards[shard as usize].sample(index as usize);
                    *value = sample.outcome.value().for_side(sample.position.mover());
                    self.encode(&sample, input, policy, legal);
                });
                let targets = match self.policy {
                    true => Targets::PolicyValue(PolicyValue {
                        legal: &legal,
                        value_weight: options.value_weight,
                        ..PolicyValue::new(&policies, &values)
                    }),
                    false => Targets::Value { targets: &values, loss: Pointwise::Squared },
                };
                trainer.step(&inputs, &targets, rate)
            });
            run.check_loss(&losses)?;
            sums.add(&losses);
            let count = step as f32;
            let losses = [sums.policy / count, sums.value / count];
            run.say(Progress::Training { generation, step, of: options.steps, losses });
        }
        Ok(Some((sums, rate)))
    }

    /// Tests the network on positions of the held-out games that are in memory.
    fn test(&self, run: &mut Run<'_>) -> Option<TestScore> {
        let loaded = self.loaded.as_ref()?;
        // Evenly over all that there are, the same ones whenever these shards are in memory.
        let wanted = self.options.test_positions.min(loaded.test.len());
        let chosen: Vec<(u32, u32)> = (0..wanted).map(|nth| loaded.test[nth * loaded.test.len() / wanted]).collect();
        let model = run.model();
        let parts: Vec<[f64; 6]> = run.on_threads(|_| {
            let chunks: Vec<&[(u32, u32)]> = chosen.chunks(64).collect();
            parallel::map(chunks.len(), &|number| self.test_chunk(&model, &loaded.shards, chunks[number]))
        });
        let mut sums = [0.0; 6];
        parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, number)| *sum += number));
        let count = chosen.len().max(1) as f64;
        let [top1, top5, cross_entropy, value_error, right, decided] = sums;
        Some(TestScore {
            positions: chosen.len() as u64,
            top1: top1 / count,
            top5: top5 / count,
            cross_entropy: cross_entropy / count,
            value_error: value_error / count,
            value_accuracy: right / f64::max(decided, 1.0),
        })
    }

    /// Sums over a chunk: top-1, top-5, cross-entropy, squared value error, right signs, decided games.
    fn test_chunk(&self, model: &Arc<Model>, shards: &[Shard<G::Position>], chunk: &[(u32, u32)]) -> [f64; 6] {
        let mut worker = Worker::new(Arc::clone(model));
        let view = self.encoder.shape().len();
        let samples: Vec<Sample<G::Position>> =
            chunk.iter().map(|&(shard, index)| shards[shard as usize].sample(index as usize)).collect();
        let mut inputs = vec![0.0; samples.len() * view];
        for (sample, input) in samples.iter().zip(inputs.chunks_exact_mut(view)) {
            self.encoder.encode(&sample.position, self.encoder.index(&sample.position, sample.mv).0, input);
        }
        worker.run(&inputs);
        let output = |name: &str| model.output(name).map(|number| worker.output(number));
        let mut sums = [0.0; 6];
        let mut moves = Vec::new();
        for (row, sample) in samples.iter().enumerate() {
            if let Some(logits) = output("policy") {
                let logits = &logits[row * self.encoder.policy_len()..][..self.encoder.policy_len()];
                let (view, played) = self.encoder.index(&sample.position, sample.mv);
                sample.position.moves(&mut moves);
                let legal: Vec<f64> = moves
                    .iter()
                    .map(|&mv| self.encoder.index(&sample.position, mv))
                    .filter(|&(of_view, _)| of_view == view)
                    .map(|(_, index)| f64::from(logits[index]))
                    .collect();
                let played = f64::from(logits[played]);
                let better = legal.iter().filter(|&&logit| logit > played).count();
                sums[0] += f64::from(u8::from(better == 0));
                sums[1] += f64::from(u8::from(better < 5));
                let greatest = legal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = legal.iter().map(|logit| (logit - greatest).exp()).sum();
                sums[2] += greatest + sum.ln() - played;
            }
            if let Some(values) = output("value") {
                let result = f64::from(sample.outcome.value().for_side(sample.position.mover()));
                let value = f64::from(values[row]);
                sums[3] += (value - result).powi(2);
                sums[4] += f64::from(u8::from(value * result > 0.0));
                sums[5] += result.abs();
            }
        }
        sums
    }
}

impl<G: Game> Learner for Records<G> {
    fn load(&mut self, _run: &mut Run<'_>, state: State) -> Result<(), RunError> {
        // The data set is all there is to learn from, and a step's samples depend on its number only.
        match state.get(CHECKSUMS) {
            Some(checksums) if *checksums != self.checksums() => Err(RunError::other(format!(
                "{}: not the data set that the run learned from until now; put that one back, or begin a new run",
                self.options.data
            ))),
            _ => Ok(()),
        }
    }

    fn state(&self, _run: &Run<'_>) -> State {
        State::from([(CHECKSUMS.to_owned(), self.checksums())])
    }

    fn generation(&mut self, run: &mut Run<'_>, generation: u64) -> Result<Option<GenerationEvent>, RunError> {
        self.load_shards(generation)?;
        let meter = Meter::start();
        let Some((sums, rate)) = self.learn(run, generation)? else { return Ok(None) };
        let steps = self.training.steps;
        run.book_training(generation, &meter, steps * self.training.batch as u64, Duration::ZERO);
        let window = [self.data.games(), self.data.len()];
        let counts = (run.trainer().steps(), steps, rate);
        let event = GenerationEvent::of(generation, GameStatistics::default(), window, counts, &sums);
        Ok(Some(GenerationEvent { test: self.test(run), ..event }))
    }
}
