//! The schedule and the steps of learning an integer network: the same for every game.

use super::games::{Labels, Lesson, NnueGames, Plan};
use super::options::{NnueOptions, Start};
use super::window::{Limits, Window};
use crate::data::generate;
use crate::methods::learner::{Learner, Setup};
use crate::methods::training::Training;
use crate::play::SelfPlay;
use crate::run::ledger::Meter;
use crate::run::{
    Anywhere, GameStatistics, GenerationEvent, HeldOut, Lot, Play, PlayAgain, Progress, Ready, Run, RunError, State,
};
use std::f64::consts::PI;
use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::{GameRecord, Stream, record};
use tesuji_nn::nnue::{NnueNetwork, NnueTrainer, Samples};
use tesuji_nn::train::{LossSums, Losses};

/// The oldest generation of the window, in a checkpoint.
const OLDEST: &str = "oldest";

/// Positions of those held out that quantisation is tested on.
const QUANTISED: usize = 4096;

/// The latest positions, and how they are made and learned from.
pub struct NnueLearner {
    options: NnueOptions,
    selfplay: SelfPlay,
    training: Training,
    /// Whether the run began with a network that was named.
    begun: bool,
    games: Box<dyn NnueGames>,
    window: Window,
}

impl NnueLearner {
    /// With an empty window.
    pub fn new(games: Box<dyn NnueGames>, setup: &Setup, options: NnueOptions) -> NnueLearner {
        NnueLearner {
            options,
            selfplay: setup.selfplay.clone(),
            training: setup.training.clone(),
            begun: setup.initial,
            games,
            window: Window::default(),
        }
    }

    fn push(&mut self, run: &mut Run<'_>, generation: u64, records: &[GameRecord]) -> Result<Labels, RunError> {
        let NnueLearner { options, training, games, window, .. } = self;
        let lesson = Lesson { targets: options.targets, lambda: options.lambda, symmetries: training.symmetries };
        let (held_out, seed) = (options.held_out, run.seed());
        let pushed =
            run.on_threads_integer(|_| window.push(games.as_ref(), (generation, records), lesson, held_out, seed));
        let labels =
            pushed.map_err(|problem| run.problem(&format!("records of generation {generation}: {problem}")))?;
        window.trim(Limits {
            generations: options.window,
            games: training.window_games,
            positions: training.window_positions,
        });
        Ok(labels)
    }

    /// Plays the games of a generation; `None` if it was stopped.
    fn play_games(&self, run: &mut Run<'_>, generation: u64) -> Result<Option<Vec<GameRecord>>, RunError> {
        let lot = self.lot(generation);
        let network = run.player(lot)?.integer().ok_or_else(|| run.problem("its network is one in floats"))?;
        run.games(lot, self.play(run.seed(), generation, network).as_ref())
    }

    /// The games of a generation, and who plays them.
    fn lot(&self, generation: u64) -> Lot {
        // Where games were read, the first network that has learned from them is the first to play.
        let first = u64::from(self.options.start == Start::Games);
        let (games, by) = (self.selfplay.games_of(generation), self.selfplay.player_of(generation).max(first));
        Lot { generation, games, by }
    }

    /// Whatever plays the games of a generation, the network being that of [`lot`](Self::lot).
    fn play(&self, seed: u64, generation: u64, network: Arc<NnueNetwork>) -> Box<dyn Play + '_> {
        let untaught = self.lot(generation).by == 0 && !self.begun;
        let by_heuristic = untaught && self.options.start == Start::Heuristic;
        let (selfplay, play) = (&self.selfplay, &self.options.play);
        let plan = Plan { selfplay, play, seed, generation };
        self.games.generation(plan, (!by_heuristic).then_some(network))
    }

    /// The games that the first generation learns from, read from files; the run keeps a copy of them.
    fn read_games(&self, run: &mut Run<'_>) -> Result<Vec<GameRecord>, RunError> {
        let mut records = Vec::new();
        for path in &self.options.games {
            let path = if path.is_dir() { path.join(generate::GAMES) } else { path.clone() };
            let file = File::open(&path).map_err(|error| run.problem(&format!("{}: {error}", path.display())))?;
            for record in record::Reader::new(BufReader::new(file)) {
                let record = record.map_err(|error| run.problem(&format!("{}: {error}", path.display())))?;
                // Who crashed has not lost by the moves that were played.
                if record.outcome.is_some() {
                    records.push(record);
                }
            }
        }
        run.save_games(1, &records)?;
        Ok(records)
    }

    /// Begins with random weights, if each generation does.
    fn begin(&self, run: &mut Run<'_>, generation: u64) -> Result<(), RunError> {
        if !self.options.fresh || generation == 1 {
            return Ok(());
        }
        let (training, shared) = (self.options.training(), self.games.shared());
        let (seed, isa) = (Stream::new(run.seed(), "fresh weights", generation).next_u64(), run.path().isa);
        let begun = run.on_threads_integer(|trainer| {
            let fresh = NnueTrainer::new(trainer.spec().clone(), training, shared, seed);
            fresh.map(|fresh| *trainer = fresh.with_isa(isa))
        });
        begun.map_err(|error| run.problem(&error.to_string()))
    }

    /// The learning rate of a step.
    fn rate(&self, step: u64, steps: u64) -> f32 {
        let NnueOptions { rate, final_rate, warm_up, .. } = self.options;
        let warm_up = warm_up.min(steps / 4);
        let rises = if step < warm_up { (step + 1) as f64 / (warm_up + 1) as f64 } else { 1.0 };
        let falls = 0.5 * (1.0 + libm::cos(PI * step as f64 / steps.max(1) as f64));
        let share = f64::from(final_rate) + (1.0 - f64::from(final_rate)) * falls;
        (f64::from(rate) * rises * share) as f32
    }

    /// Trains on the window; `None` if it was stopped, in which case the generation's training starts again next time.
    fn learn(
        &mut self,
        run: &mut Run<'_>,
        generation: u64,
        play: GameStatistics,
        labels: Labels,
    ) -> Result<Option<GenerationEvent>, RunError> {
        let meter = Meter::start();
        let (learned, held_out) = (self.window.learned(), self.window.held_out());
        let before = run.on_threads_integer(|trainer| trainer.loss(held_out));
        self.begin(run, generation)?;
        let batch = self.training.batch;
        let a_pass = (learned.len() as u64).div_ceil(batch as u64);
        let steps = match self.training.steps {
            _ if learned.is_empty() => 0,
            0 => a_pass * u64::from(self.options.epochs),
            steps => steps,
        };
        let mut order: Vec<u32> = (0..learned.len() as u32).collect();
        let (mut sums, mut rate, mut samples) = (LossSums::default(), 0.0, 0);
        for step in 0..steps {
            if run.is_stopped() {
                return Ok(None);
            }
            if step.is_multiple_of(a_pass) {
                Stream::new(run.seed(), &format!("epochs {generation}"), step / a_pass).shuffle(&mut order);
            }
            rate = self.rate(step, steps);
            let first = (step % a_pass) as usize * batch;
            let chosen = &order[first..order.len().min(first + batch)];
            let loss = run.on_threads_integer(|trainer| trainer.step(learned, chosen, rate));
            let losses = Losses { total: loss as f32, value: loss as f32, ..Losses::default() };
            run.check_loss(&losses)?;
            sums.add(&losses);
            samples += chosen.len() as u64;
            let losses = [0.0, sums.means().value];
            run.say(Progress::Training { generation, step: step + 1, of: steps, losses });
        }
        let scale = if self.options.calibrate { Some(labels.scale(self.games.usual_scale())) } else { None };
        let (loss, quantisation) = run.on_threads_integer(|trainer| {
            scale.into_iter().for_each(|scale| trainer.set_scale(scale));
            let mut some = Samples::new();
            held_out.iter().take(QUANTISED).for_each(|sample| some.push(sample));
            (trainer.loss(held_out), trainer.quantisation_error(&some).mean)
        });
        run.book_training(generation, &meter, samples, Duration::ZERO);
        let window = [self.window.games(), learned.len() as u64];
        let counts = (run.integer_trainer().steps(), steps, rate);
        let held_out = HeldOut {
            positions: held_out.len() as u64,
            before,
            loss,
            quantisation,
            agreement: labels.agreement(),
            scale: run.integer_trainer().spec().scale,
        };
        let event = GenerationEvent::of(generation, play, window, counts, (&sums, 0.0));
        Ok(Some(GenerationEvent { held_out: Some(held_out), ..event }))
    }
}

/// The games of a learner that learns nothing.
pub struct NnueAnywhere {
    /// Which plays them.
    pub games: NnueLearner,
    /// The run's seed.
    pub seed: u64,
}

impl Anywhere for NnueAnywhere {
    fn generation(&self, generation: u64, network: Ready) -> Option<Box<dyn Play + '_>> {
        Some(self.games.play(self.seed, generation, network.integer()?))
    }

    fn check(&self, record: &GameRecord) -> Result<(), String> {
        self.games.games.check(record)
    }
}

impl Learner for NnueLearner {
    fn load(&mut self, run: &mut Run<'_>, state: State) -> Result<(), RunError> {
        let oldest = state.get(OLDEST).and_then(|numbers| numbers.first()).map_or(1, |&oldest| oldest as u64);
        for generation in oldest.max(1)..=run.generation() {
            let played =
                run.generations().find(|event| event.generation == generation).map_or(0, |event| event.play.games);
            let seed = run.seed();
            let play = |network: Ready| Some(self.play(seed, generation, network.integer()?));
            let read = generation == 1 && self.options.start == Start::Games;
            let again: Option<&PlayAgain<'_>> = if read { None } else { Some(&play) };
            let lot = Lot { games: played, ..self.lot(generation) };
            let records = run.kept_or_played(lot, again)?;
            self.push(run, generation, &records)?;
        }
        Ok(())
    }

    fn generation(&mut self, run: &mut Run<'_>, generation: u64) -> Result<Option<GenerationEvent>, RunError> {
        let records = match self.options.start {
            Start::Games if generation == 1 => Some(self.read_games(run)?),
            _ => self.play_games(run, generation)?,
        };
        let Some(records) = records else { return Ok(None) };
        run.play_ahead(self.lot(generation + 1))?;
        let statistics = GameStatistics::of(&records);
        let labels = self.push(run, generation, &records)?;
        drop(records);
        self.learn(run, generation, statistics, labels)
    }

    fn state(&self, _run: &Run<'_>) -> State {
        // Generations are far fewer than floats can count.
        self.window.oldest().map(|oldest| (OLDEST.to_owned(), vec![oldest as f32])).into_iter().collect()
    }

    fn oldest(&self) -> Option<u64> {
        self.window.oldest()
    }
}
