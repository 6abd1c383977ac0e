//! AlphaZero's way of learning: games by tree search with the newest network, then policy and value from the window.

use crate::learner::Learner;
use crate::ledger::Meter;
use crate::run::{GenerationEvent, PART, RunError};
use crate::selfplay::{self, Actor, GameStatistics};
use crate::train::{Progress, Run, State};
use crate::window::{Batch, Wanted, Window};
use tesuji_core::{Game, GameRecord};
use tesuji_nn::train::{Losses, MovesLeft, Pointwise, PolicyValue, Reply, Targets};

/// The latest games, and how they are made and learned from.
pub struct AlphaZero<G: Game> {
    window: Window<G>,
}

impl<G: Game> AlphaZero<G> {
    /// With an empty window.
    pub fn new(game: G) -> AlphaZero<G> {
        AlphaZero { window: Window::new(game) }
    }

    fn push(&mut self, run: &Run<'_, G>, generation: u64, records: &[GameRecord]) -> Result<(), RunError> {
        for record in records {
            let pushed = self.window.push(generation, record);
            pushed.map_err(|problem| run.problem(&format!("records of generation {generation}: {problem}")))?;
        }
        Ok(())
    }

    /// Trains on the window; `None` if it was stopped, in which case the generation's training starts again next time.
    fn learn(
        &mut self,
        run: &mut Run<'_, G>,
        generation: u64,
        play: GameStatistics,
    ) -> Result<Option<GenerationEvent>, RunError> {
        let options = run.experiment.training.clone();
        let wanted = options.samples_per_position * play.positions as f64 / options.batch as f64;
        let steps = if options.steps > 0 { options.steps } else { wanted.ceil() as u64 };
        let steps = if self.window.positions() == 0 { 0 } else { steps };
        let encoder = run.encoder()?;
        let meter = Meter::start();
        let network = &run.experiment.network;
        let (wanted, moves_left) = (Wanted { legal: options.legal_only, reply: network.reply }, network.moves_left);
        let mut batch = Batch::default();
        let mut sums = Losses::default();
        let mut rate = 0.0;
        for step in 0..steps {
            if run.is_stopped() {
                return Ok(None);
            }
            rate = options.schedule.rate(run.trainer.steps());
            let (window, trainer, seed) = (&self.window, &mut run.trainer, run.experiment.seed);
            let losses = run.pool.install(|| {
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
            run.check_loss(&losses)?;
            sums.add(&losses);
            let count = (step + 1) as f32;
            let losses = [sums.policy / count, sums.value / count];
            run.say(Progress::Training { generation, step: step + 1, of: steps, losses });
        }
        run.book_training(generation, &meter, steps * options.batch as u64);
        let window = [self.window.games() as u64, self.window.positions() as u64];
        Ok(Some(GenerationEvent::of(generation, play, window, (run.trainer.steps(), steps, rate), &sums)))
    }
}

impl<G: Game> Learner<G> for AlphaZero<G> {
    fn load(&mut self, run: &mut Run<'_, G>, _state: State) -> Result<(), RunError> {
        let training = run.experiment.training.clone();
        let limits = [training.window_games, training.window_positions];
        for generation in run.window_start(limits)..=run.generation {
            let games = run.experiment.selfplay.games_of(generation);
            for part in 0..games.div_ceil(PART) {
                if let Some(records) = run.kept_part(generation, part, PART.min(games - part * PART))? {
                    self.push(run, generation, &records)?;
                }
            }
            self.window.trim(&training);
        }
        Ok(())
    }

    fn generation(&mut self, run: &mut Run<'_, G>, generation: u64) -> Result<Option<GenerationEvent>, RunError> {
        let options = run.experiment.selfplay.clone();
        let loaded = run.loaded()?;
        let game = run.game.clone();
        let (encoder, model, seed) = (loaded.encoder, loaded.model, run.experiment.seed);
        let actor = Actor { game: &game, options: &options, encoder, model, seed, generation };
        let records = run.games(generation, options.games_of(generation), &mut |todo, threads, stop, done| {
            selfplay::play_games(&actor, todo, threads, stop, done)
        })?;
        let Some(records) = records else { return Ok(None) };
        let statistics = GameStatistics::of(&records);
        self.push(run, generation, &records)?;
        drop(records);
        self.window.trim(&run.experiment.training);
        self.learn(run, generation, statistics)
    }

    fn oldest(&self) -> Option<u64> {
        self.window.oldest()
    }
}
