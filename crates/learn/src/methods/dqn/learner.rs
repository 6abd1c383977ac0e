//! The learner.

use super::options::DqnOptions;
use super::replay::{Replay, Transition};
use crate::agents::dqn::{Action, QEvaluator, Reader, Rows};
use crate::methods::learner::{Learner, Setup};
use crate::methods::training::Training;
use crate::networks::encoder;
use crate::play::{Chooser, EpsilonGames, EpsilonPlay, SelfPlay, Series};
use crate::run::ledger::{Meter, PlayCost};
use crate::run::{GameStatistics, GenerationEvent, Progress, Run, RunError, State, parallel};
use cpu_time::ThreadTime;
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::{Encoder, Game, GameRecord, Position};
use tesuji_nn::train::{self, Losses, Targets};
use tesuji_nn::{Model, Weights, Worker};

/// Positions that one worker judges at a time when targets are made.
const CHUNK: usize = 32;

/// The learner.
pub struct DqnLearner<G: Game> {
    game: G,
    options: DqnOptions,
    selfplay: SelfPlay,
    training: Training,
    replay: Replay<G>,
    reader: Arc<Reader<G::Position>>,
    encoder: Arc<dyn Encoder<G::Position>>,
    /// The weights of the copy that makes targets.
    target: Weights,
    /// The copy, made ready.
    model: Arc<Model>,
}

impl<G: Game> DqnLearner<G> {
    /// Before anything has been played.
    ///
    /// # Errors
    /// If the game has no such encoder.
    pub fn new(game: &G, setup: &Setup, options: DqnOptions, run: &Run<'_>) -> Result<DqnLearner<G>, RunError> {
        let encoder = encoder(game, &setup.encoder).map_err(RunError::Other)?;
        Ok(DqnLearner {
            game: game.clone(),
            selfplay: setup.selfplay.clone(),
            training: setup.training.clone(),
            replay: Replay::new(game.clone(), options.clone(), 0),
            reader: Arc::new(Reader::new(Arc::clone(&encoder), options.pairs)),
            model: run.model(),
            target: run.trainer().weights().clone(),
            encoder,
            options,
        })
    }

    fn push(&mut self, run: &Run<'_>, generation: u64, records: &[GameRecord]) -> Result<(), RunError> {
        for record in records {
            let pushed = self.replay.push(generation, record);
            pushed.map_err(|problem| run.problem(&format!("records of generation {generation}: {problem}")))?;
        }
        Ok(())
    }

    /// One training step.
    fn step(&mut self, run: &mut Run<'_>) -> Result<Losses, RunError> {
        let step = run.trainer().steps();
        if step.is_multiple_of(self.options.target_every) {
            self.target = run.trainer().weights().clone();
            self.model = run.model();
        }
        let batch = self.training.batch;
        let drawn = self.replay.draw(batch, run.seed(), step);
        let rate = self.training.schedule.rate(step);
        let transitions: Vec<Transition<G::Position>> =
            run.on_threads(|_| parallel::map(drawn.slots.len(), &|number| self.replay.transition(drawn.slots[number])));
        let targets = self.targets(run, &transitions);
        let view = self.encoder.shape().len();
        let mut inputs = vec![0.0; batch * view];
        let actions: Vec<Action> =
            transitions.iter().map(|sample| self.reader.action(&sample.position, sample.mv)).collect();
        let encode = |number: usize, input: &mut [f32]| {
            self.encoder.encode(&transitions[number].position, actions[number].view, input);
        };
        let of = |which: usize| -> (Vec<u32>, Vec<f32>) {
            let numbers = actions.iter().map(|action| action.numbers[which]);
            (numbers.collect(), targets.iter().map(|target| target[which]).collect())
        };
        let [(whats, what_targets), (wheres, where_targets)] = [of(0), of(1)];
        let (weights, loss) = (&drawn.weights, self.options.loss);
        let first = train::Action { actions: &whats, targets: &what_targets, weights, loss };
        let second = train::Action { actions: &wheres, targets: &where_targets, weights, loss };
        let targets = if self.reader.pairs() { Targets::Actions([first, second]) } else { Targets::Action(first) };
        let losses = run.on_threads(|trainer| {
            parallel::for_each(inputs.chunks_exact_mut(view), &encode);
            trainer.step(&inputs, &targets, rate)
        });
        run.check_loss(&losses)?;
        self.replay.rate(&drawn, &losses.errors);
        Ok(losses)
    }

    /// r + gamma max Q(s', a') of each transition, for both networks if there are two.
    fn targets(&self, run: &mut Run<'_>, transitions: &[Transition<G::Position>]) -> Vec<[f32; 2]> {
        let alive: Vec<(usize, &G::Position, f32)> = transitions
            .iter()
            .enumerate()
            .filter_map(|(number, sample)| sample.next.as_ref().map(|(next, factor)| (number, next, *factor)))
            .collect();
        let positions: Vec<&G::Position> = alive.iter().map(|&(_, position, _)| position).collect();
        let chosen =
            if self.options.double && self.options.search == 0 { Some(self.choices(run, &positions)) } else { None };
        let (reader, model, options) = (&self.reader, &self.model, &self.options);
        let chunks: Vec<&[&G::Position]> = positions.chunks(CHUNK).collect();
        let worth = |chunk: usize| -> Vec<[f32; 2]> {
            let positions = chunks[chunk];
            let mut worker = Worker::new(Arc::clone(model));
            if options.search > 0 {
                let mut evaluator = QEvaluator::new(Arc::clone(reader), worker);
                return positions.iter().map(|position| [evaluator.searched(position, options.search); 2]).collect();
            }
            let mut views = Vec::new();
            let counts: Vec<usize> = positions.iter().map(|position| reader.encode(position, &mut views)).collect();
            worker.run(&views);
            let (mut first, mut moves) = (0, Vec::new());
            let rated = positions.iter().zip(counts).enumerate().map(|(number, (position, count))| {
                let rows = Rows::of(&worker, first, count);
                first += count;
                match &chosen {
                    Some(chosen) => reader.of(chosen[chunk * CHUNK + number], rows),
                    None => {
                        position.moves(&mut moves);
                        reader.best(position, &moves, rows).1
                    }
                }
            });
            rated.collect()
        };
        let worths = run.on_threads(|_| parallel::map(chunks.len(), &worth)).into_iter().flatten();
        let mut targets: Vec<[f32; 2]> = transitions.iter().map(|sample| [sample.reward; 2]).collect();
        for ((number, _, factor), worth) in alive.into_iter().zip(worths) {
            for (target, worth) in targets[number].iter_mut().zip(worth) {
                *target += factor * worth;
            }
        }
        targets
    }

    /// The moves that the network itself, rather than the copy, thinks best (Double DQN).
    fn choices(&self, run: &mut Run<'_>, positions: &[&G::Position]) -> Vec<Action> {
        let mut views = Vec::new();
        let counts: Vec<usize> = positions.iter().map(|position| self.reader.encode(position, &mut views)).collect();
        if views.is_empty() {
            return Vec::new();
        }
        let answers = ask(run, &views);
        let (mut first, mut moves) = (0, Vec::new());
        let chosen = positions.iter().zip(counts).map(|(position, count)| {
            position.moves(&mut moves);
            let (mv, _) = self.reader.best(position, &moves, answers.rows(first, count));
            first += count;
            self.reader.action(position, mv)
        });
        chosen.collect()
    }

    /// A generation with the weights of the moment: a step after every so many moves.
    fn interleaved(
        &mut self,
        run: &mut Run<'_>,
        generation: u64,
        games_before: u64,
    ) -> Result<Option<GenerationEvent>, RunError> {
        let (selfplay, epsilon) = (self.selfplay.clone(), self.options.epsilon.clone());
        let (game, games) = (self.game.clone(), selfplay.games_of(generation));
        let series = Series { game: &game, options: &selfplay, seed: run.seed(), generation };
        let played = EpsilonGames { series, epsilon: &epsilon, games_before };
        let (meter, mut cost) = (Meter::start(), PlayCost::default());
        let (mut sums, mut steps, mut moves) = (Losses::default(), 0, 0_u64);
        let (mut records, mut solver) = (Vec::new(), played.series.solver());
        for index in 0..games {
            let mut playing = played.new_game(index);
            self.replay.begin(generation, playing.game.position.clone());
            while !playing.game.is_over() {
                if run.is_stopped() {
                    return Ok(None);
                }
                let clock = ThreadTime::now();
                if !played.plays_alone(&mut playing, &mut solver, &mut cost) {
                    let (position, moves) = playing.asked();
                    let mut views = Vec::new();
                    let count = self.reader.encode(position, &mut views);
                    let start = ThreadTime::now();
                    let answers = ask(run, &views);
                    cost.inference += start.elapsed();
                    cost.evaluations += count as u64;
                    let (mv, _) = self.reader.best(position, moves, answers.rows(0, count));
                    playing.game.play(mv, None);
                }
                if let Some(mv) = playing.game.latest() {
                    self.replay.play(mv);
                }
                cost.cpu += clock.elapsed();
                moves += 1;
                if moves.is_multiple_of(self.options.train_every) && self.replay.len() >= self.training.batch {
                    sums.add(&self.step(run)?);
                    steps += 1;
                    let losses = [0.0, sums.value / steps as f32];
                    run.say(Progress::Training { generation, step: steps, of: steps, losses });
                }
            }
            self.replay.finish();
            records.push(playing.into_record());
        }
        run.save_games(generation, &records)?;
        run.book_training(generation, &meter, steps * self.training.batch as u64, cost.cpu);
        run.book_play(generation, None, cost, [games, moves]);
        let rate = self.training.schedule.rate(run.trainer().steps().saturating_sub(1));
        Ok(Some(self.event(run, generation, &records, (steps, rate), &sums)))
    }

    /// A generation's games by the network of the one before, then as many steps as are due.
    fn alternating(
        &mut self,
        run: &mut Run<'_>,
        generation: u64,
        games_before: u64,
    ) -> Result<Option<GenerationEvent>, RunError> {
        let (reader, model) = (Arc::clone(&self.reader), run.model());
        let chooser = || -> Box<dyn Chooser<G::Position>> {
            Box::new(Greedy::new(Arc::clone(&reader), Worker::new(Arc::clone(&model))))
        };
        let series = Series { game: &self.game, options: &self.selfplay, seed: run.seed(), generation };
        let played = EpsilonGames { series, epsilon: &self.options.epsilon, games_before };
        let play = EpsilonPlay { games: played, chooser: Box::new(chooser) };
        let records = run.games(generation, self.selfplay.games_of(generation), &play)?;
        drop(play);
        let Some(records) = records else { return Ok(None) };
        self.push(run, generation, &records)?;
        let positions: usize = records.iter().map(|record| record.moves.len()).sum();
        let steps = if self.replay.is_empty() { 0 } else { self.training.steps_for(positions as u64) };
        let meter = Meter::start();
        let mut sums = Losses::default();
        let rate = self.training.schedule.rate(run.trainer().steps());
        for step in 1..=steps {
            if run.is_stopped() {
                return Ok(None);
            }
            sums.add(&self.step(run)?);
            let losses = [0.0, sums.value / step as f32];
            run.say(Progress::Training { generation, step, of: steps, losses });
        }
        run.book_training(generation, &meter, steps * self.training.batch as u64, Duration::ZERO);
        Ok(Some(self.event(run, generation, &records, (steps, rate), &sums)))
    }

    fn event(
        &self,
        run: &Run<'_>,
        generation: u64,
        records: &[GameRecord],
        (steps, rate): (u64, f32),
        sums: &Losses,
    ) -> GenerationEvent {
        let positions = records.iter().map(|record| record.moves.len() as u64).sum();
        let play = GameStatistics { positions, ..GameStatistics::of(records) };
        let window = [self.replay.games() as u64, self.replay.len() as u64];
        GenerationEvent::of(generation, play, window, (run.trainer().steps(), steps, rate), sums)
    }
}

/// Chooses the greatest Q of a network that stands still.
struct Greedy<P: Position> {
    reader: Arc<Reader<P>>,
    worker: Worker,
    views: Vec<f32>,
    evaluations: u64,
}

impl<P: Position> Greedy<P> {
    fn new(reader: Arc<Reader<P>>, worker: Worker) -> Greedy<P> {
        Greedy { reader, worker, views: Vec::new(), evaluations: 0 }
    }
}

impl<P: Position> Chooser<P> for Greedy<P> {
    fn choose(&mut self, asked: &[(&P, &[P::Move])]) -> Vec<P::Move> {
        self.views.clear();
        let counts: Vec<usize> =
            asked.iter().map(|(position, _)| self.reader.encode(position, &mut self.views)).collect();
        if counts.is_empty() {
            return Vec::new();
        }
        self.worker.run(&self.views);
        let mut first = 0;
        let chosen = asked.iter().zip(counts).map(|(&(position, moves), count)| {
            let rows = Rows::of(&self.worker, first, count);
            first += count;
            self.reader.best(position, moves, rows).0
        });
        let chosen = chosen.collect();
        self.evaluations += first as u64;
        chosen
    }

    fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

/// The outputs of the network as it is now.
struct Answers {
    q: Vec<f32>,
    q2: Vec<f32>,
    views: usize,
}

impl Answers {
    fn rows(&self, first: usize, views: usize) -> Rows<'_> {
        let of = |numbers: &'_ [f32]| {
            let len = numbers.len() / self.views;
            first * len..(first + views) * len
        };
        Rows { q: &self.q[of(&self.q)], q2: &self.q2[of(&self.q2)] }
    }
}

/// Asks the network as it is now, without making it ready for fast inference: its networks have no layers that behave
/// otherwise in training.
fn ask(run: &mut Run<'_>, views: &[f32]) -> Answers {
    run.on_threads(|trainer| trainer.forward(views));
    let trainer = run.trainer();
    let output = |name: &str| trainer.graph().output(name).map(|number| trainer.output(number)).unwrap_or_default();
    Answers { q: output("q"), q2: output("q2"), views: views.len() / trainer.graph().input().len() }
}

impl<G: Game> Learner for DqnLearner<G> {
    fn load(&mut self, run: &mut Run<'_>, mut state: State) -> Result<(), RunError> {
        let first = run.window_start([0, self.options.replay as u64]);
        let forgotten = run.generations().filter(|event| event.generation < first).map(|event| event.play.positions);
        self.replay = Replay::new(self.game.clone(), self.options.clone(), forgotten.sum());
        for generation in first..=run.generation() {
            let records = run.kept_games(generation, self.selfplay.games_of(generation))?;
            self.push(run, generation, &records)?;
        }
        if run.generation() == 0 {
            return Ok(());
        }
        let priorities = state.remove("priorities").unwrap_or_default();
        if let Err(problem) = self.replay.restore(&priorities) {
            run.say(Progress::Note(format!("{problem}: replay begins with equal priorities")));
        }
        let graph = run.trainer().graph();
        let tensors = graph.parameters().map(|parameter| state.remove(&format!("target.{}", parameter.name)));
        let tensors: Option<Vec<Vec<f32>>> = tensors.collect();
        let fits = |tensors: &Vec<Vec<f32>>| {
            graph.parameters().zip(tensors).all(|(parameter, numbers)| parameter.len() == numbers.len())
        };
        match tensors.filter(fits) {
            Some(tensors) => self.target = Weights::from_tensors(graph, tensors),
            None => return Err(run.problem("the newest network lacks the copy that makes targets")),
        }
        self.model = run.model_of(&self.target);
        Ok(())
    }

    fn generation(&mut self, run: &mut Run<'_>, generation: u64) -> Result<Option<GenerationEvent>, RunError> {
        let games_before = run.generations().map(|event| event.play.games).sum();
        match self.options.train_every {
            0 => self.alternating(run, generation, games_before),
            _ => self.interleaved(run, generation, games_before),
        }
    }

    fn state(&self, run: &Run<'_>) -> State {
        let names = run.trainer().graph().parameters().map(|parameter| format!("target.{}", parameter.name));
        let mut state: State = names.zip(self.target.tensors().iter().cloned()).collect();
        let priorities = self.replay.priorities();
        if !priorities.is_empty() {
            state.insert("priorities".to_owned(), priorities);
        }
        state
    }

    fn oldest(&self) -> Option<u64> {
        self.replay.oldest()
    }
}
