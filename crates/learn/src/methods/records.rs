//! Learning from game records: the move that was played and the game's result, from a data set.
//!
//! The games are dealt out to folds, stratified by outcome. One fold is held out: after every generation the network is
//! tested on positions of games that it has never learned from.

use super::kind::{CheckRecord, MethodKind};
use super::learner::{Learner, Setup};
use super::training::Training;
use super::work::{Typical, Work};
use crate::data::stored::Contents;
use crate::data::{DataError, DataSet, Folds, Sample, Settings, Shard, Source, Stored, Writer};
use crate::networks::{NetworkKind, encoder};
use crate::ranges::{KeyRanges, whole};
use crate::run::ledger::Meter;
use crate::run::{GameStatistics, GenerationEvent, Progress, Run, RunError, State, TestScore, parallel};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::record::Played;
use tesuji_core::{AnyGame, Encoder, Game, GameRecord, Outcome, Position, Stream};
use tesuji_nn::train::{LossSums, Pointwise, PolicyValue, Targets};
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

impl MethodKind for RecordsOptions {
    const ABOUT: &'static str = "moves and results of game records";
    const NETWORKS: &'static [NetworkKind] = &[NetworkKind::Residual, NetworkKind::Dense];

    fn ranges() -> KeyRanges {
        vec![
            ("folds", whole(2..=1000)),
            ("fold", whole(0..=999)),
            ("test_positions", whole(0..=10_000_000)),
            ("shards", whole(1..=1_000_000)),
        ]
    }

    fn check(&self, training: &Training) -> Result<(), String> {
        if self.fold >= self.folds {
            return Err(format!("method.fold = {}: expected less than method.folds = {}", self.fold, self.folds));
        }
        if training.steps == 0 {
            let problem = "training.steps = 0: learning from records needs a number of steps for a generation";
            return Err(problem.to_owned());
        }
        Ok(())
    }

    fn agent(network: NetworkKind) -> Option<&'static str> {
        (network == NetworkKind::Dense).then_some("alphabeta:pure,depth=2,eval=net:NET")
    }

    fn shrink(&mut self) {
        self.test_positions = self.test_positions.min(20);
    }

    fn work(&self, setup: &Setup, _games: Typical) -> Option<Work> {
        let samples = (setup.training.steps * setup.training.batch as u64) as f64;
        Some(Work { positions: 0.0, evaluations: self.test_positions as f64, samples })
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
        let open = |directory: &Path| -> Result<Box<dyn SampleSet>, RunError> {
            let data = DataSet::open(game.clone(), directory).map_err(|error| RunError::other(error.to_string()))?;
            let encoder = encoder(game, &setup.encoder).map_err(RunError::Other)?;
            Ok(Box::new(EncodedSet { data, encoder, shards: Vec::new() }))
        };
        Ok(Box::new(Records::new(&open, setup, self.clone(), run)?))
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

/// A data set whose shards can be had in memory, read by an encoder.
pub trait SampleSet: Send + Sync {
    /// The set.
    fn stored(&self) -> &Stored;

    /// Lets go of all shards in memory.
    fn clear(&mut self);

    /// Reads a shard, behind those that are in memory.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    fn load(&mut self, number: usize) -> Result<&Contents, DataError>;

    /// Writes a position in the view of the move that was played, and says what is known of it; of the legal moves
    /// only if they are wanted.
    fn read(&self, place: Number, legal: bool, input: &mut [f32]) -> Known;
}

/// A position in memory: (shard, index).
pub type Number = (u32, u32);

/// What is known of a position.
pub struct Known {
    /// The result for the mover.
    pub result: f32,
    /// The move that was played, as its number in the policy.
    pub played: usize,
    /// The legal moves that belong to the same view; none if they were not wanted.
    pub legal: Vec<usize>,
}

/// The data set of a game.
struct EncodedSet<G: Game> {
    data: DataSet<G>,
    encoder: Arc<dyn Encoder<G::Position>>,
    /// Those in memory.
    shards: Vec<Shard<G::Position>>,
}

impl<G: Game> SampleSet for EncodedSet<G> {
    fn stored(&self) -> &Stored {
        &self.data
    }

    fn clear(&mut self) {
        self.shards.clear();
    }

    fn load(&mut self, number: usize) -> Result<&Contents, DataError> {
        let shard = self.data.read_shard(number)?;
        if let Some(problem) = shard.starts().find_map(|start| self.encoder.refusal(start)) {
            return Err(DataError::Bad { path: self.data.directory().to_owned(), problem });
        }
        self.shards.push(shard);
        Ok(&self.shards[self.shards.len() - 1])
    }

    fn read(&self, (shard, index): Number, legal: bool, input: &mut [f32]) -> Known {
        let Sample { position, mv, outcome, .. } = self.shards[shard as usize].sample(index as usize);
        let (view, played) = self.encoder.index(&position, mv);
        self.encoder.encode(&position, view, input);
        let mut moves = Vec::new();
        if legal {
            position.moves(&mut moves);
        }
        let numbers = moves.into_iter().map(|mv| self.encoder.index(&position, mv));
        let legal = numbers.filter(|&(of_view, _)| of_view == view).map(|(_, index)| index).collect();
        Known { result: outcome.value().for_side(position.mover()), played, legal }
    }
}

/// The learner.
pub struct Records {
    options: RecordsOptions,
    training: Training,
    /// Whether the network has a policy.
    policy: bool,
    data: Box<dyn SampleSet>,
    folds: Folds,
    loaded: Option<Loaded>,
}

/// Positions in memory.
struct Loaded {
    /// The first of the shards.
    first: usize,
    /// The positions to learn from, and those to be tested on.
    training: Vec<Number>,
    test: Vec<Number>,
}

/// Opens the data set in a directory.
type Open<'a> = dyn Fn(&Path) -> Result<Box<dyn SampleSet>, RunError> + 'a;

impl Records {
    /// Opens the data set.
    ///
    /// # Errors
    /// If it is missing, damaged or of another game.
    pub fn new(open: &Open<'_>, setup: &Setup, options: RecordsOptions, run: &Run<'_>) -> Result<Records, RunError> {
        if options.data.is_empty() {
            let problem = "method.data is missing: make a data set with `tesuji data`, and --set method.data=DIR";
            return Err(RunError::other(problem));
        }
        let data = open(Path::new(&options.data))?;
        let folds = data.stored().folds(options.folds, run.seed());
        Ok(Records {
            training: setup.training.clone(),
            policy: setup.network == NetworkKind::Residual,
            folds: folds.map_err(|error| RunError::other(error.to_string()))?,
            data,
            loaded: None,
            options,
        })
    }

    /// The checksums of the shards, 16 bits a number: what a checkpoint keeps of the data set.
    fn checksums(&self) -> Vec<f32> {
        let halves = |sum: u32| [(sum >> 16) as u16, sum as u16].map(f32::from);
        self.data.stored().about().shards.iter().flat_map(|shard| halves(shard.checksum)).collect()
    }

    /// Has the shards of a generation in memory.
    fn load_shards(&mut self, generation: u64) -> Result<(), RunError> {
        let shards = self.data.stored().shards();
        let most = self.options.shards.min(shards.max(1));
        let first = ((generation - 1) as usize * most) % shards.max(1);
        if self.loaded.as_ref().is_some_and(|loaded| loaded.first == first) {
            return Ok(());
        }
        self.loaded = None;
        self.data.clear();
        let mut loaded = Loaded { first, training: Vec::new(), test: Vec::new() };
        for (place, number) in (0..most.min(shards)).map(|place| (place as u32, (first + place) % shards)) {
            let shard = self.data.load(number).map_err(|error| RunError::other(error.to_string()))?;
            for index in 0..shard.len() {
                let held_out = self.folds.of(shard.game_of(index)) == self.options.fold;
                let list = if held_out { &mut loaded.test } else { &mut loaded.training };
                list.push((place, index as u32));
            }
        }
        self.loaded = Some(loaded);
        Ok(())
    }

    /// Takes the training steps of a generation; `None` if it was stopped.
    fn learn(&self, run: &mut Run<'_>, generation: u64) -> Result<Option<(LossSums, f32)>, RunError> {
        let Some(loaded) = self.loaded.as_ref().filter(|loaded| !loaded.training.is_empty()) else {
            return Err(run.problem(&format!("{}: no positions to learn from", self.options.data)));
        };
        let options = &self.training;
        let graph = run.trainer().graph();
        let (view, batch) = (graph.input().len(), options.batch);
        let width = graph.output("policy").filter(|_| self.policy).map_or(0, |output| graph.output_len(output));
        let (mut inputs, mut policies) = (vec![0.0; batch * view], vec![0.0; batch * width]);
        let mut legal = vec![false; if options.legal_only { batch * width } else { 0 }];
        let mut values = vec![0.0; batch];
        let (mut sums, mut rate) = (LossSums::default(), 0.0);
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
                    let place = loaded.training[random.below(loaded.training.len())];
                    let known = self.data.read(place, !legal.is_empty(), input);
                    *value = known.result;
                    policy.fill(0.0);
                    policy.get_mut(known.played).into_iter().for_each(|share| *share = 1.0);
                    legal.fill(false);
                    known.legal.into_iter().for_each(|index| legal[index] = true);
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
            let means = sums.means();
            let losses = [means.policy, means.value];
            run.say(Progress::Training { generation, step, of: options.steps, losses });
        }
        Ok(Some((sums, rate)))
    }

    /// Tests the network on positions of the held-out games that are in memory.
    fn test(&self, run: &mut Run<'_>) -> Option<TestScore> {
        let loaded = self.loaded.as_ref()?;
        // Evenly over all that there are, the same ones whenever these shards are in memory.
        let wanted = self.options.test_positions.min(loaded.test.len());
        let chosen: Vec<Number> = (0..wanted).map(|nth| loaded.test[nth * loaded.test.len() / wanted]).collect();
        let model = run.model();
        let parts: Vec<[f64; 6]> = run.on_threads(|_| {
            let chunks: Vec<&[Number]> = chosen.chunks(64).collect();
            parallel::map(chunks.len(), &|number| self.test_chunk(&model, chunks[number]))
        });
        let mut sums = [0.0; 6];
        parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, number)| *sum += number));
        let count = chosen.len().max(1) as f64;
        let [top1, top5, cross_entropy, value_error, right, decided] = sums;
        let of_policy = |sum: f64| self.policy.then_some(sum / count);
        Some(TestScore {
            positions: chosen.len() as u64,
            top1: of_policy(top1),
            top5: of_policy(top5),
            cross_entropy: of_policy(cross_entropy),
            value_error: value_error / count,
            value_accuracy: right / f64::max(decided, 1.0),
        })
    }

    /// Sums over a chunk: top-1, top-5, cross-entropy, squared value error, right signs, decided games.
    fn test_chunk(&self, model: &Arc<Model>, chunk: &[Number]) -> [f64; 6] {
        let mut worker = Worker::new(Arc::clone(model));
        let (view, policy) = (model.input().len(), model.output("policy").is_some());
        let mut inputs = vec![0.0; chunk.len() * view];
        let rows = chunk.iter().zip(inputs.chunks_exact_mut(view));
        let samples: Vec<Known> = rows.map(|(&place, input)| self.data.read(place, policy, input)).collect();
        worker.run(&inputs);
        let output = |name: &str| model.output(name).map(|number| worker.output(number));
        let mut sums = [0.0; 6];
        for (row, sample) in samples.iter().enumerate() {
            if let Some(logits) = output("policy") {
                let len = logits.len() / samples.len();
                let logits = &logits[row * len..][..len];
                let legal: Vec<f64> = sample.legal.iter().map(|&index| f64::from(logits[index])).collect();
                let played = f64::from(logits[sample.played]);
                let better = legal.iter().filter(|&&logit| logit > played).count();
                sums[0] += f64::from(u8::from(better == 0));
                sums[1] += f64::from(u8::from(better < 5));
                let greatest = legal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = legal.iter().map(|logit| (logit - greatest).exp()).sum();
                sums[2] += greatest + sum.ln() - played;
            }
            if let Some(values) = output("value") {
                let result = f64::from(sample.result);
                let value = f64::from(values[row]);
                sums[3] += (value - result).powi(2);
                sums[4] += f64::from(u8::from(value * result > 0.0));
                sums[5] += result.abs();
            }
        }
        sums
    }
}

impl Learner for Records {
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
        let window = [self.data.stored().games(), self.data.stored().len()];
        let counts = (run.trainer().steps(), steps, rate);
        let losses = (&sums, run.trainer().l2_loss());
        let event = GenerationEvent::of(generation, GameStatistics::default(), window, counts, losses);
        Ok(Some(GenerationEvent { test: self.test(run), ..event }))
    }
}
