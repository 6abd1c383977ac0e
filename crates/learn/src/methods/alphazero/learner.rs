//! The schedule, the losses and the steps of AlphaZero's way: the same for every game.

use crate::methods::learner::{Learner, Setup};
use crate::methods::training::Training;
use crate::play::SelfPlay;
use crate::run::ledger::Meter;
use crate::run::{GameStatistics, GenerationEvent, Lot, Play, Progress, Ready, Run, RunError, State};
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::GameRecord;
use tesuji_nn::Model;
use tesuji_nn::train::{LossSums, Losses, MovesLeft, Pointwise, PolicyValue, Reply, Targets};

/// The latest games, and samples of them.
pub trait SampleWindow: Send + Sync {
    /// Positions in it.
    fn positions(&self) -> usize;

    /// Games in it.
    fn games(&self) -> usize;

    /// The oldest generation that is still in it.
    fn oldest(&self) -> Option<u64>;

    /// Adds a game.
    ///
    /// # Errors
    /// If the record is of another game, other rules or an older version of them, or cannot be replayed.
    fn push(&mut self, generation: u64, record: &GameRecord) -> Result<(), String>;

    /// Drops the oldest games until the window is as small as wanted.
    fn trim(&mut self, options: &Training);

    /// The batch of training step number `step`: samples drawn uniformly, on the threads of the current pool.
    ///
    /// # Panics
    /// If the window has no positions.
    fn batch(&self, options: &Training, wanted: Wanted, seed: u64, step: u64, out: &mut Batch);
}

/// Games of a generation by tree search.
pub trait SelfPlayGames {
    /// Whatever plays them with this network.
    fn generation(&self, generation: u64, model: Arc<Model>) -> Box<dyn Play + '_>;
}

/// A training batch, one row a sample.
#[derive(Debug, Default)]
pub struct Batch {
    /// Encoded views.
    pub inputs: Vec<f32>,
    /// pi, one number for each policy index.
    pub policy: Vec<f32>,
    /// The mover's value.
    pub value: Vec<f32>,
    /// Which policy indices are legal moves; empty if nobody wants to know.
    pub legal: Vec<bool>,
    /// The opponent's reply, one number for each policy index; empty if nobody wants to know.
    pub reply: Vec<f32>,
    /// How long the game went on, in units of [`MOVES_LEFT_UNIT`] plies.
    pub moves_left: Vec<f32>,
}

/// What is wanted of a batch besides inputs, policy and value.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// [`Batch::legal`].
    pub legal: bool,
    /// [`Batch::reply`].
    pub reply: bool,
}

/// Plies that count as 1 in [`Batch::moves_left`].
pub const MOVES_LEFT_UNIT: f32 = 50.0;

/// The latest games, and how they are made and learned from.
pub struct AlphaZero {
    selfplay: SelfPlay,
    training: Training,
    wanted: Wanted,
    moves_left: bool,
    games: Box<dyn SelfPlayGames>,
    window: Box<dyn SampleWindow>,
}

impl AlphaZero {
    /// With an empty window.
    pub fn new(setup: &Setup, games: Box<dyn SelfPlayGames>, window: Box<dyn SampleWindow>) -> AlphaZero {
        AlphaZero {
            selfplay: setup.selfplay.clone(),
            training: setup.training.clone(),
            wanted: Wanted { legal: setup.training.legal_only, reply: setup.reply },
            moves_left: setup.moves_left,
            games,
            window,
        }
    }

    fn lot(&self, generation: u64) -> Lot {
        let (games, by) = (self.selfplay.games_of(generation), self.selfplay.player_of(generation));
        Lot { generation, games, by }
    }

    fn push(&mut self, run: &Run<'_>, generation: u64, records: &[GameRecord]) -> Result<(), RunError> {
        for record in records {
            let pushed = self.window.push(generation, record);
            pushed.map_err(|problem| run.problem(&format!("records of generation {generation}: {problem}")))?;
        }
        self.window.trim(&self.training);
        Ok(())
    }

    /// Trains on the window; `None` if it was stopped, in which case the generation's training starts again next time.
    fn learn(
        &mut self,
        run: &mut Run<'_>,
        generation: u64,
        play: GameStatistics,
    ) -> Result<Option<GenerationEvent>, RunError> {
        let options = &self.training;
        let steps = if self.window.positions() == 0 { 0 } else { options.steps_for(play.positions) };
        let meter = Meter::start();
        let mut batch = Batch::default();
        let mut sums = LossSums::default();
        let mut rate = 0.0;
        for step in 0..steps {
            if run.is_stopped() {
                return Ok(None);
            }
            rate = options.schedule.rate(run.trainer().steps());
            let losses = self.step(run, rate, &mut batch);
            run.check_loss(&losses)?;
            sums.add(&losses);
            let means = sums.means();
            let losses = [means.policy, means.value];
            run.say(Progress::Training { generation, step: step + 1, of: steps, losses });
        }
        run.book_training(generation, &meter, steps * options.batch as u64, Duration::ZERO);
        let window = [self.window.games() as u64, self.window.positions() as u64];
        let trainer = run.trainer();
        let losses = (&sums, trainer.l2_loss());
        Ok(Some(GenerationEvent::of(generation, play, window, (trainer.steps(), steps, rate), losses)))
    }

    /// One training step.
    fn step(&self, run: &mut Run<'_>, rate: f32, batch: &mut Batch) -> Losses {
        let AlphaZero { training: options, wanted, moves_left, window, .. } = self;
        let seed = run.seed();
        run.on_threads(|trainer| {
            window.batch(options, *wanted, seed, trainer.steps(), batch);
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
        })
    }
}

impl Learner for AlphaZero {
    fn load(&mut self, run: &mut Run<'_>, _state: State) -> Result<(), RunError> {
        let limits = [self.training.window_games, self.training.window_positions];
        for generation in run.window_start(limits)..=run.generation() {
            let play = |network: Ready| Some(self.games.generation(generation, network.float()?));
            let records = run.kept_or_played(self.lot(generation), Some(&play))?;
            self.push(run, generation, &records)?;
        }
        Ok(())
    }

    fn generation(&mut self, run: &mut Run<'_>, generation: u64) -> Result<Option<GenerationEvent>, RunError> {
        let lot = self.lot(generation);
        let model = run.player(lot)?.float().ok_or_else(|| run.problem("its network is an integer network"))?;
        let play = self.games.generation(generation, model);
        let records = run.games(lot, play.as_ref())?;
        drop(play);
        let Some(records) = records else { return Ok(None) };
        run.play_ahead(self.lot(generation + 1))?;
        let statistics = GameStatistics::of(&records);
        self.push(run, generation, &records)?;
        drop(records);
        self.learn(run, generation, statistics)
    }

    fn oldest(&self) -> Option<u64> {
        self.window.oldest()
    }
}
