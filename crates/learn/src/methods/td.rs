//! TD(lambda): a value network that learns from its own games by eligibility traces.
//!
//! With V(s) the value for the first player, z the result, and w the weights, after every move of a game:
//!
//! delta = V(s') - V(s), or z - V(s) if the game has ended
//! e     = gamma lambda e + dV(s)/dw            (the eligibility trace; 0 at the start of each game)
//! w     = w + alpha delta e                    (plain gradient descent; Adagrad scales each weight's step)
//!
//! lambda = 0 learns from the next position only, lambda = 1 from the result only.
//!
//! Before that the network may be supervised: generations of games of the rule bot, whose results it learns by batches.

use super::kind::MethodKind;
use super::learner::{Learner, Setup};
use super::replayed::{accepted, replayed};
use super::training::Training;
use super::work::{Typical, Work};
use crate::agents::ValueNetwork;
use crate::networks::{NetworkKind, encoder};
use crate::play::epsilon::random_plies;
use crate::play::{BotPlay, Chooser, Epsilon, EpsilonPlan, EpsilonPlay, SelfPlay, Series};
use crate::ranges::{KeyRanges, SHARE, whole};
use crate::run::ledger::Meter;
use crate::run::{GameStatistics, GenerationEvent, Lot, Play, Progress, Run, RunError, State};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::{Encoder, Game, GameRecord, Position, Stream};
use tesuji_nn::train::{LossSums, Losses, Pointwise, TargetCounts, Targets};
use tesuji_nn::{Model, Trainer, Worker};

/// TD learning: `kind = "td"` in the section `[method]` of an experiment. Games of a generation are those of `[selfplay]`, optimiser and
/// schedule those of `[training]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TdOptions {
    /// The decay of the traces.
    pub lambda: f32,
    /// The discount by ply.
    pub gamma: f32,
    /// The share of random moves, by game.
    pub epsilon: Epsilon,
    /// Learn nothing from random moves, and begin the trace anew behind them: what was known before is not to blame
    /// for them.
    pub skip_random: bool,
    /// Generations of games of the rule bot that come first: their results are learned, `training.samples_per_position`
    /// times, before TD begins; 0 for none.
    #[serde(skip_serializing_if = "is_zero")]
    pub supervised: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Default for TdOptions {
    fn default() -> TdOptions {
        let epsilon = Epsilon::Falls { start: 0.3, end: 0.05, games: 5000 };
        TdOptions { lambda: 0.7, gamma: 1.0, epsilon, skip_random: true, supervised: 0 }
    }
}

impl MethodKind for TdOptions {
    const ABOUT: &'static str = "a value from epsilon-greedy games, by TD(lambda) with eligibility traces";
    const NETWORKS: &'static [NetworkKind] = &[NetworkKind::Dense];

    fn ranges() -> KeyRanges {
        let mut ranges = Epsilon::ranges();
        ranges.extend([("lambda", SHARE), ("gamma", SHARE), ("supervised", whole(0..=1_000_000))]);
        ranges
    }

    fn check(&self, _training: &Training) -> Result<(), String> {
        self.epsilon.check()
    }

    fn shrink(&mut self) {
        self.supervised = self.supervised.min(1);
    }

    fn agent(_network: NetworkKind) -> Option<&'static str> {
        Some("alphabeta:pure,depth=2,eval=net:NET")
    }

    fn work(&self, setup: &Setup, games: Typical) -> Option<Work> {
        // Every position after every move is judged; then each position is learned from once.
        let positions = setup.selfplay.games as f64 * games.plies;
        Some(Work { positions, evaluations: positions * games.moves, samples: positions })
    }

    fn learner<G: Game>(&self, game: &G, setup: &Setup, run: &Run<'_>) -> Result<Box<dyn Learner>, RunError> {
        let encoder = encoder(game, &setup.encoder).map_err(RunError::Other)?;
        let games = ValueGames { game: game.clone(), encoder };
        Ok(Box::new(TdLearner::new(Box::new(games), setup, self.clone(), run)))
    }
}

/// Games of a value network, played and read.
pub trait TdGames {
    /// Whatever plays the games of a generation.
    fn generation<'a>(&'a self, plan: EpsilonPlan<'a>, model: Arc<Model>) -> Box<dyn Play + 'a>;

    /// Whatever plays the games of a generation that is supervised.
    fn bot_generation<'a>(&'a self, options: &'a SelfPlay, seed: u64, generation: u64) -> Box<dyn Play + 'a>;

    /// Replays a game.
    ///
    /// # Errors
    /// If it cannot be replayed, in words.
    fn replay<'a>(&'a self, record: &GameRecord) -> Result<Box<dyn ReadPositions + 'a>, String>;
}

/// The positions of a game, its end included, as the network reads them.
pub trait ReadPositions {
    /// How many there are.
    fn count(&self) -> usize;

    /// 1 if the first player is to move, -1 if the second.
    fn sign(&self, place: usize) -> f32;

    /// Writes all views of a position, and returns their number.
    fn encode(&self, place: usize, out: &mut Vec<f32>) -> usize;
}

/// The games of a game.
struct ValueGames<G: Game> {
    game: G,
    encoder: Arc<dyn Encoder<G::Position>>,
}

impl<G: Game> TdGames for ValueGames<G> {
    fn generation<'a>(&'a self, plan: EpsilonPlan<'a>, model: Arc<Model>) -> Box<dyn Play + 'a> {
        let chooser = move || -> Box<dyn Chooser<G::Position>> {
            let network = ValueNetwork::new(Arc::clone(&self.encoder), Worker::new(Arc::clone(&model)));
            Box::new(network.expect("experiments for TD learning have networks with a value"))
        };
        Box::new(EpsilonPlay { games: plan.of(&self.game), chooser: Box::new(chooser) })
    }

    fn bot_generation<'a>(&'a self, options: &'a SelfPlay, seed: u64, generation: u64) -> Box<dyn Play + 'a> {
        Box::new(BotPlay { series: Series { game: &self.game, options, seed, generation } })
    }

    fn replay<'a>(&'a self, record: &GameRecord) -> Result<Box<dyn ReadPositions + 'a>, String> {
        let (mut position, moves) = replayed(&self.game, record)?;
        accepted(self.encoder.as_ref(), &position)?;
        let mut positions = Vec::with_capacity(moves.len() + 1);
        for mv in moves {
            positions.push(position.clone());
            position.play(mv);
        }
        positions.push(position);
        Ok(Box::new(Positions { encoder: self.encoder.as_ref(), positions }))
    }
}

/// The positions of a game.
struct Positions<'a, P: Position> {
    encoder: &'a dyn Encoder<P>,
    positions: Vec<P>,
}

impl<P: Position> ReadPositions for Positions<'_, P> {
    fn count(&self) -> usize {
        self.positions.len()
    }

    fn sign(&self, place: usize) -> f32 {
        self.positions[place].mover().sign()
    }

    fn encode(&self, place: usize, out: &mut Vec<f32>) -> usize {
        let position = &self.positions[place];
        let (len, views) = (self.encoder.shape().len(), self.encoder.views(position));
        out.clear();
        out.resize(views * len, 0.0);
        for (view, input) in out.chunks_exact_mut(len).enumerate() {
            self.encoder.encode(position, view, input);
        }
        views
    }
}

/// The learner.
pub struct TdLearner {
    options: TdOptions,
    selfplay: SelfPlay,
    training: Training,
    games: Box<dyn TdGames>,
    /// e, a number for each weight.
    traces: Vec<Vec<f32>>,
    /// The views of the position that was read last.
    views: Vec<f32>,
}

impl TdLearner {
    /// Before anything has been played.
    pub fn new(games: Box<dyn TdGames>, setup: &Setup, options: TdOptions, run: &Run<'_>) -> TdLearner {
        TdLearner {
            options,
            selfplay: setup.selfplay.clone(),
            training: setup.training.clone(),
            games,
            traces: run.trainer().graph().parameters().map(|parameter| vec![0.0; parameter.len()]).collect(),
            views: Vec::new(),
        }
    }

    /// Learns from one game; adds delta^2 of every move to the losses and returns their number.
    fn learn(&mut self, run: &mut Run<'_>, record: &GameRecord, sums: &mut LossSums) -> Result<u64, RunError> {
        let TdLearner { options, training, games, traces, views, .. } = self;
        let positions = games.replay(record).map_err(|problem| run.problem(&problem))?;
        let TdOptions { lambda, gamma, skip_random, .. } = *options;
        let random = if skip_random { random_plies(record) } else { Vec::new() };
        Trainer::clear_traces(traces);
        for (place, next) in (1..positions.count()).enumerate() {
            if random.contains(&place) {
                Trainer::clear_traces(traces);
                continue;
            }
            let rate = training.schedule.rate(run.trainer().steps());
            let ended = record.outcome.filter(|_| next + 1 == positions.count());
            let ahead = match ended {
                Some(outcome) => outcome.value().get(),
                None => gamma * value(run, positions.as_ref(), next, views).0,
            };
            let (value, count) = value(run, positions.as_ref(), place, views);
            let delta = ahead - value;
            // The network's outputs are the mover's, one for each view; dV/dw is that of the first player's value, the
            // views' mean.
            run.trainer_mut().backward(&[vec![positions.sign(place) / count as f32; count]]);
            // e = gamma lambda e + dV/dw. The trainer goes down its gradient; -delta e goes up.
            run.trainer_mut().trace(traces, gamma * lambda, -delta);
            run.trainer_mut().apply(rate);
            let losses = Losses {
                total: delta * delta,
                value: delta * delta,
                value_accuracy: f32::from(u8::from(value * ahead > 0.0)),
                targets: TargetCounts { value: u64::from(ahead != 0.0), ..TargetCounts::default() },
                ..Losses::default()
            };
            run.check_loss(&losses)?;
            sums.add(&losses);
        }
        Ok(record.moves.len() as u64)
    }

    /// Learns the results of the rule bot's games, from positions drawn at random; `None` if it was stopped.
    fn supervise(
        &mut self,
        run: &mut Run<'_>,
        generation: u64,
        records: &[GameRecord],
    ) -> Result<Option<GenerationEvent>, RunError> {
        let TdLearner { training, games, .. } = self;
        let mut replayed = Vec::with_capacity(records.len());
        let mut places = Vec::new();
        for (number, record) in records.iter().enumerate() {
            let positions = games.replay(record).map_err(|problem| run.problem(&problem))?;
            // The last position is the end, of which there is nothing to foresee.
            places.extend((0..positions.count() - 1).map(|place| (number, place)));
            replayed.push((positions, record.outcome.map_or(0.0, |outcome| outcome.value().get())));
        }
        let (meter, seed, view) = (Meter::start(), run.seed(), run.trainer().graph().input().len());
        let steps = if places.is_empty() { 0 } else { training.steps_for(places.len() as u64) };
        let (mut inputs, mut targets) = (vec![0.0; training.batch * view], vec![0.0; training.batch]);
        let (mut views, mut sums, mut rate) = (Vec::new(), LossSums::default(), 0.0);
        for step in 1..=steps {
            if run.is_stopped() {
                return Ok(None);
            }
            let number = run.trainer().steps();
            rate = training.schedule.rate(number);
            for (row, (input, target)) in inputs.chunks_exact_mut(view).zip(&mut targets).enumerate() {
                let mut random = Stream::new(seed, "supervised", number * training.batch as u64 + row as u64);
                let (game, place) = places[random.below(places.len())];
                let (positions, result) = &replayed[game];
                let count = positions.encode(place, &mut views);
                let first = random.below(count) * view;
                input.copy_from_slice(&views[first..first + view]);
                *target = positions.sign(place) * result;
            }
            let wanted = Targets::Value { targets: &targets, loss: Pointwise::Squared };
            let losses = run.on_threads(|trainer| trainer.step(&inputs, &wanted, rate));
            run.check_loss(&losses)?;
            sums.add(&losses);
            run.say(Progress::Training { generation, step, of: steps, losses: [0.0, sums.means().value] });
        }
        run.book_training(generation, &meter, steps * training.batch as u64, Duration::ZERO);
        let play = GameStatistics { positions: places.len() as u64, ..GameStatistics::of(records) };
        let window = [records.len() as u64, places.len() as u64];
        let trainer = run.trainer();
        let losses = (&sums, trainer.l2_loss());
        Ok(Some(GenerationEvent::of(generation, play, window, (trainer.steps(), steps, rate), losses)))
    }
}

/// V of a position by the weights of the moment, for the first player: the mean of its views, as [`ValueNetwork`] has
/// it; and the number of views. The next backward pass starts from it.
fn value(run: &mut Run<'_>, positions: &dyn ReadPositions, place: usize, views: &mut Vec<f32>) -> (f32, usize) {
    let count = positions.encode(place, views);
    run.trainer_mut().forward(views);
    let sum: f32 = run.trainer().output(0).iter().sum();
    (positions.sign(place) * sum / count as f32, count)
}

impl Learner for TdLearner {
    fn load(&mut self, _run: &mut Run<'_>, _state: State) -> Result<(), RunError> {
        // Traces begin anew with every game, and a generation is a whole number of them.
        Ok(())
    }

    fn generation(&mut self, run: &mut Run<'_>, generation: u64) -> Result<Option<GenerationEvent>, RunError> {
        if generation <= self.options.supervised {
            let play = self.games.bot_generation(&self.selfplay, run.seed(), generation);
            let records = run.games(Lot::newest(generation, self.selfplay.games_of(generation)), play.as_ref())?;
            drop(play);
            let Some(records) = records else { return Ok(None) };
            return self.supervise(run, generation, &records);
        }
        let of_td = run.generations().filter(|event| event.generation > self.options.supervised);
        let games_before = of_td.map(|event| event.play.games).sum();
        let (options, epsilon) = (&self.selfplay, &self.options.epsilon);
        let plan = EpsilonPlan { options, epsilon, seed: run.seed(), generation, games_before };
        let play = self.games.generation(plan, run.model());
        let records = run.games(Lot::newest(generation, self.selfplay.games_of(generation)), play.as_ref())?;
        drop(play);
        let Some(records) = records else { return Ok(None) };
        let (meter, mut sums, mut moves) = (Meter::start(), LossSums::default(), 0);
        let wanted = records.len() as u64;
        for (number, record) in records.iter().enumerate() {
            if run.is_stopped() {
                return Ok(None);
            }
            moves += self.learn(run, record, &mut sums)?;
            let losses = [0.0, sums.means().value];
            run.say(Progress::Training { generation, step: number as u64 + 1, of: wanted, losses });
        }
        run.book_training(generation, &meter, moves, Duration::ZERO);
        let play = GameStatistics { positions: moves, ..GameStatistics::of(&records) };
        let steps = run.trainer().steps();
        let rate = self.training.schedule.rate(steps.saturating_sub(1));
        let losses = (&sums, run.trainer().l2_loss());
        Ok(Some(GenerationEvent::of(generation, play, [wanted, moves], (steps, moves, rate), losses)))
    }

    fn oldest(&self) -> Option<u64> {
        // A generation is learned from once; only the newest may have to be learned again.
        Some(u64::MAX)
    }
}
