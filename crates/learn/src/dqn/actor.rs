//! Games by epsilon-greedy choice, many at a time.

use crate::dqn::q::{Reader, Rows};
use crate::experiment::Experiment;
use crate::selfplay::PlayCost;
use crate::train::Done;
use cpu_time::ThreadTime;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use tesuji_core::{Encoder, Game, GameRecord, Outcome, Position, Stream};
use tesuji_nn::{Model, Worker};

/// Who plays, and what.
pub struct Actor<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// The run's experiment, which has a section `[dqn]`.
    pub experiment: &'a Experiment,
    /// How the network reads positions.
    pub encoder: Arc<dyn Encoder<G::Position>>,
    /// The generation.
    pub generation: u64,
    /// Games of the generations before.
    pub games_before: u64,
}

/// A game under way.
pub struct Playing<P: Position> {
    /// Its number in the generation.
    pub index: u64,
    /// Where it is.
    pub position: P,
    /// The share of random moves.
    pub epsilon: f32,
    record: GameRecord,
    random: Stream,
    moves: Vec<P::Move>,
    max_plies: usize,
}

impl<G: Game> Actor<'_, G> {
    /// Game number `index` of the generation at its start.
    pub fn new_game(&self, index: u64) -> Playing<G::Position> {
        let play = &self.experiment.selfplay;
        let mut random = Stream::new(self.experiment.seed, &format!("dqn {}", self.generation), index);
        let position = if play.varied_starts { self.game.varied_start(&mut random) } else { self.game.start() };
        let start = self.game.format_position(&position);
        let mut record = GameRecord::new(self.game.name(), self.game.rules(), self.game.rules_version(), &start);
        record.tags.push(("generation".to_owned(), self.generation.to_string()));
        record.tags.push(("game".to_owned(), index.to_string()));
        let epsilon = self.experiment.dqn.as_ref().map_or(0.0, |dqn| dqn.epsilon.of(self.games_before + index));
        Playing { index, position, epsilon, record, random, moves: Vec::new(), max_plies: play.max_plies as usize }
    }

    /// Plays the games whose numbers `todo` lists on so many threads.
    ///
    /// # Errors
    /// If `done` fails.
    pub fn play(
        &self,
        model: &Arc<Model>,
        todo: &[u64],
        threads: usize,
        stop: &AtomicBool,
        done: &mut Done<'_>,
    ) -> Result<PlayCost, String> {
        let next = AtomicU64::new(0);
        let failed = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    let sender = sender.clone();
                    let (next, failed) = (&next, &failed);
                    scope.spawn(move || {
                        let take = || todo.get(next.fetch_add(1, Ordering::Relaxed) as usize).copied();
                        let halt = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
                        self.play_on_thread(Worker::new(Arc::clone(model)), &take, &halt, &sender)
                    })
                })
                .collect();
            drop(sender);
            let mut result = Ok(());
            for (index, record, cost) in receiver {
                if result.is_ok() {
                    result = done(index, record, cost);
                }
                failed.store(result.is_err(), Ordering::Relaxed);
            }
            let mut total = PlayCost::default();
            for worker in workers {
                total += worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
            result.map(|()| total)
        })
    }

    fn play_on_thread(
        &self,
        mut worker: Worker,
        take: &dyn Fn() -> Option<u64>,
        halt: &dyn Fn() -> bool,
        sender: &mpsc::Sender<(u64, GameRecord, PlayCost)>,
    ) -> PlayCost {
        let pairs = self.experiment.dqn.as_ref().is_some_and(|dqn| dqn.pairs);
        let reader = Reader::new(Arc::clone(&self.encoder), pairs);
        let clock = ThreadTime::now();
        let mut cost = PlayCost::default();
        let mut games: Vec<Playing<G::Position>> = Vec::new();
        let mut views = Vec::new();
        while !halt() {
            while games.len() < self.experiment.selfplay.in_flight
                && let Some(index) = take()
            {
                games.push(self.new_game(index));
            }
            if games.is_empty() {
                break;
            }
            views.clear();
            // (game, its first view, views) of those whose move the network chooses.
            let mut asked = Vec::new();
            for (number, game) in games.iter_mut().enumerate() {
                if !game.explores() {
                    let first = views.len() / reader.encoder().shape().len();
                    let count = reader.encode(&game.position, &mut views);
                    asked.push((number, first, count));
                }
            }
            if !asked.is_empty() {
                let start = ThreadTime::now();
                worker.run(&views);
                cost.inference += start.elapsed();
                cost.evaluations += (views.len() / reader.encoder().shape().len()) as u64;
            }
            for (number, first, count) in asked {
                games[number].play_best(&reader, Rows::of(&worker, first, count));
            }
            cost.cpu = clock.elapsed();
            let mut at = 0;
            while at < games.len() {
                if games[at].is_over() {
                    let game = games.swap_remove(at);
                    let _ = sender.send((game.index, game.record, cost));
                } else {
                    at += 1;
                }
            }
        }
        cost.cpu = clock.elapsed();
        cost
    }
}

impl<P: Position> Playing<P> {
    /// With probability epsilon plays a random move; otherwise `false` is returned and the network is to be asked.
    pub fn explores(&mut self) -> bool {
        self.position.moves(&mut self.moves);
        let explores = self.random.unit() < f64::from(self.epsilon);
        if explores && let Some(&mv) = self.random.choose(&self.moves) {
            self.play(mv);
        }
        explores
    }

    /// Plays the best move by the network's answer.
    pub fn play_best(&mut self, reader: &Reader<P>, rows: Rows<'_>) {
        let (mv, _) = reader.best(&self.position, &self.moves, rows);
        self.play(mv);
    }

    fn play(&mut self, mv: P::Move) {
        self.record.push(mv);
        self.position.play(mv);
    }

    /// The latest move.
    pub fn latest(&self) -> Option<P::Move> {
        use tesuji_core::Move;
        self.record.moves.last().and_then(|played| P::Move::from_bits(played.bits))
    }

    /// Whether the game has ended by its rules or by the limit on its length; the record then says how.
    pub fn is_over(&mut self) -> bool {
        if let Some(outcome) = self.position.outcome() {
            self.record.outcome = Some(outcome);
            self.record.ending = self.position.ending().to_owned();
        } else if self.record.moves.len() >= self.max_plies {
            self.record.outcome = Some(Outcome::Draw);
            self.record.ending = "move limit".to_owned();
        }
        self.record.outcome.is_some()
    }

    /// The record of the game that has ended.
    pub fn into_record(self) -> GameRecord {
        self.record
    }
}
