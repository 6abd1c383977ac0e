//! The learner: targets, steps and the two forms of a generation, the same for every game.

use super::memory::{TransitionMemory, Transitions};
use super::options::DqnOptions;
use crate::agents::dqn::{Action, Rows};
use crate::methods::learner::{Learner, Setup};
use crate::methods::training::Training;
use crate::play::{EpsilonPlan, SelfPlay};
use crate::run::ledger::{Meter, PlayCost};
use crate::run::{GameStatistics, GenerationEvent, Lot, PlayAgain, Progress, Ready, Run, RunError, State, parallel};
use cpu_time::ThreadTime;
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::GameRecord;
use tesuji_nn::train::{self, LossSums, Losses, Targets};
use tesuji_nn::{Model, Weights, Worker};

/// Positions that one worker judges at a time when targets are made.
const CHUNK: usize = 32;

/// The learner.
pub struct DqnLearner {
    options: DqnOptions,
    selfplay: SelfPlay,
    training: Training,
    memory: Box<dyn TransitionMemory>,
    /// The weights of the copy that makes targets.
    target: Weights,
    /// The copy, made ready.
    model: Arc<Model>,
}

impl DqnLearner {
    /// Before anything has been played.
    pub fn new(memory: Box<dyn TransitionMemory>, setup: &Setup, options: DqnOptions, run: &Run<'_>) -> DqnLearner {
        DqnLearner {
            selfplay: setup.selfplay.clone(),
            training: setup.training.clone(),
            memory,
            model: run.model(),
            target: run.trainer().weights().clone(),
            options,
        }
    }

    fn push(&mut self, run: &Run<'_>, generation: u64, records: &[GameRecord]) -> Result<(), RunError> {
        for record in records {
            let pushed = self.memory.push(generation, record);
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
        let drawn = self.memory.replay().draw(batch, run.seed(), step);
        let rate = self.training.schedule.rate(step);
        let transitions = run.on_threads(|_| self.memory.transitions(&drawn.slots));
        let targets = self.targets(run, transitions.as_ref(), batch);
        let view = run.trainer().graph().input().len();
        let mut inputs = vec![0.0; batch * view];
        let actions: Vec<Action> = (0..batch).map(|number| transitions.action(number)).collect();
        let encode = |number: usize, input: &mut [f32]| transitions.encode(number, actions[number].view, input);
        let of = |which: usize| -> (Vec<u32>, Vec<f32>) {
            let numbers = actions.iter().map(|action| action.numbers[which]);
            (numbers.collect(), targets.iter().map(|target| target[which]).collect())
        };
        let [(whats, what_targets), (wheres, where_targets)] = [of(0), of(1)];
        let (weights, loss) = (&drawn.weights, self.options.loss);
        let first = train::Action { actions: &whats, targets: &what_targets, weights, loss };
        let second = train::Action { actions: &wheres, targets: &where_targets, weights, loss };
        let targets =
            if self.memory.layout().pairs { Targets::Actions([first, second]) } else { Targets::Action(first) };
        let losses = run.on_threads(|trainer| {
            parallel::for_each(inputs.chunks_exact_mut(view), &encode);
            trainer.step(&inputs, &targets, rate)
        });
        run.check_loss(&losses)?;
        drop(transitions);
        self.memory.replay_mut().rate(&drawn, &losses.errors);
        Ok(losses)
    }

    /// r + gamma max Q(s', a') of each of `batch` transitions, for both networks if there are two.
    fn targets(&self, run: &mut Run<'_>, transitions: &dyn Transitions, batch: usize) -> Vec<[f32; 2]> {
        let mut targets: Vec<[f32; 2]> = (0..batch).map(|number| [transitions.reward(number); 2]).collect();
        let factors = (0..batch).filter_map(|number| transitions.factor(number).map(|factor| (number, factor)));
        let (alive, factors): (Vec<usize>, Vec<f32>) = factors.unzip();
        let (model, options, layout) = (&self.model, &self.options, self.memory.layout());
        let doubled = options.double && options.search == 0;
        let chosen = doubled.then(|| choices(run, transitions, &alive));
        let chunks: Vec<&[usize]> = alive.chunks(CHUNK).collect();
        let worth = |chunk: usize| -> Vec<[f32; 2]> {
            let numbers = chunks[chunk];
            let mut worker = Worker::new(Arc::clone(model));
            if options.search > 0 {
                let values = transitions.searched_next(numbers, worker, options.search);
                return values.into_iter().map(|value| [value; 2]).collect();
            }
            let mut views = Vec::new();
            let counts: Vec<usize> =
                numbers.iter().map(|&number| transitions.encode_next(number, &mut views)).collect();
            worker.run(&views);
            let mut first = 0;
            let rated = numbers.iter().zip(counts).enumerate().map(|(place, (&number, count))| {
                let rows = Rows::of(&worker, first, count);
                first += count;
                match &chosen {
                    // Double DQN: Q' of what the network thinks best.
                    Some(chosen) => layout.of(chosen[chunk * CHUNK + place], rows),
                    // max Q'.
                    None => transitions.best_next(number, rows).1,
                }
            });
            rated.collect()
        };
        let worths = run.on_threads(|_| parallel::map(chunks.len(), &worth)).into_iter().flatten();
        for ((&number, factor), worth) in alive.iter().zip(factors).zip(worths) {
            for (target, worth) in targets[number].iter_mut().zip(worth) {
                *target += factor * worth;
            }
        }
        targets
    }

    /// A generation with the weights of the moment: a step after every so many moves.
    fn interleaved(
        &mut self,
        run: &mut Run<'_>,
        generation: u64,
        games_before: u64,
    ) -> Result<Option<GenerationEvent>, RunError> {
        let (selfplay, epsilon) = (self.selfplay.clone(), self.options.epsilon.clone());
        let (options, epsilon, games) = (&selfplay, &epsilon, selfplay.games_of(generation));
        let plan = EpsilonPlan { options, epsilon, seed: run.seed(), generation, games_before };
        let mut playing = self.memory.one_by_one(plan);
        let (meter, mut cost) = (Meter::start(), PlayCost::default());
        let (mut sums, mut steps, mut moves) = (LossSums::default(), 0, 0_u64);
        let mut records = Vec::new();
        for index in 0..games {
            playing.begin(index);
            self.memory.begin(generation, playing.position());
            while !playing.is_over() {
                if run.is_stopped() {
                    return Ok(None);
                }
                let clock = ThreadTime::now();
                if !playing.plays_alone(&mut cost) {
                    let mut views = Vec::new();
                    let count = playing.encode(&mut views);
                    let start = ThreadTime::now();
                    let answers = ask(run, &views);
                    cost.inference += start.elapsed();
                    cost.evaluations += count as u64;
                    playing.play_best(answers.rows(0, count));
                }
                if let Some((bits, random)) = playing.latest() {
                    self.memory.play(bits, random);
                }
                cost.cpu += clock.elapsed();
                moves += 1;
                let is_due = moves.is_multiple_of(self.options.train_every);
                if is_due && self.memory.replay().len() >= self.training.batch {
                    sums.add(&self.step(run)?);
                    steps += 1;
                    let losses = [0.0, sums.means().value];
                    run.say(Progress::Training { generation, step: steps, of: steps, losses });
                }
            }
            self.memory.finish();
            records.push(playing.record());
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
        let (options, epsilon) = (&self.selfplay, &self.options.epsilon);
        let plan = EpsilonPlan { options, epsilon, seed: run.seed(), generation, games_before };
        let play = self.memory.generation(plan, run.model());
        let records = run.games(Lot::newest(generation, self.selfplay.games_of(generation)), play.as_ref())?;
        drop(play);
        let Some(records) = records else { return Ok(None) };
        self.push(run, generation, &records)?;
        let positions: usize = records.iter().map(|record| record.moves.len()).sum();
        let steps = if self.memory.replay().is_empty() { 0 } else { self.training.steps_for(positions as u64) };
        let meter = Meter::start();
        let mut sums = LossSums::default();
        let rate = self.training.schedule.rate(run.trainer().steps());
        for step in 1..=steps {
            if run.is_stopped() {
                return Ok(None);
            }
            sums.add(&self.step(run)?);
            let losses = [0.0, sums.means().value];
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
        sums: &LossSums,
    ) -> GenerationEvent {
        let positions = records.iter().map(|record| record.moves.len() as u64).sum();
        let play = GameStatistics { positions, ..GameStatistics::of(records) };
        let replay = self.memory.replay();
        let window = [replay.games() as u64, replay.len() as u64];
        let trainer = run.trainer();
        GenerationEvent::of(generation, play, window, (trainer.steps(), steps, rate), (sums, trainer.l2_loss()))
    }
}

/// The moves that the network itself, rather than the copy, thinks best behind these transitions (Double DQN).
fn choices(run: &mut Run<'_>, transitions: &dyn Transitions, numbers: &[usize]) -> Vec<Action> {
    let mut views = Vec::new();
    let counts: Vec<usize> = numbers.iter().map(|&number| transitions.encode_next(number, &mut views)).collect();
    if views.is_empty() {
        return Vec::new();
    }
    let answers = ask(run, &views);
    let mut first = 0;
    let chosen = numbers.iter().zip(counts).map(|(&number, count)| {
        let (action, _) = transitions.best_next(number, answers.rows(first, count));
        first += count;
        action
    });
    chosen.collect()
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

impl Learner for DqnLearner {
    fn load(&mut self, run: &mut Run<'_>, mut state: State) -> Result<(), RunError> {
        let first = run.window_start([0, self.options.replay as u64]);
        let forgotten = run.generations().filter(|event| event.generation < first).map(|event| event.play.positions);
        self.memory.reset(forgotten.sum());
        for generation in first..=run.generation() {
            let before = run.generations().filter(|event| event.generation < generation);
            let (options, epsilon) = (&self.selfplay, &self.options.epsilon);
            let games_before = before.map(|event| event.play.games).sum();
            let plan = EpsilonPlan { options, epsilon, seed: run.seed(), generation, games_before };
            let play = |network: Ready| Some(self.memory.generation(plan, network.float()?));
            // Games between training steps are not those of one network.
            let again: Option<&PlayAgain<'_>> = if self.options.train_every == 0 { Some(&play) } else { None };
            let records = run.kept_or_played(Lot::newest(generation, self.selfplay.games_of(generation)), again)?;
            self.push(run, generation, &records)?;
        }
        if run.generation() == 0 {
            return Ok(());
        }
        let priorities = state.remove("priorities").unwrap_or_default();
        if let Err(problem) = self.memory.replay_mut().restore(&priorities) {
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
        let priorities = self.memory.replay().priorities();
        if !priorities.is_empty() {
            state.insert("priorities".to_owned(), priorities);
        }
        state
    }

    fn oldest(&self) -> Option<u64> {
        self.memory.replay().oldest()
    }
}
