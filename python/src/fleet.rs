//! Many games at once, compiled for each game: what a vectorised environment does in a step.

use crate::coder::{action, observe, result};
use rayon::ThreadPool;
use rayon::prelude::*;
use std::sync::Arc;
use tesuji_core::{Encoder, Game, MoveOf, Position, Side, Stream};

/// Where a step writes: one row for each game.
pub struct Rows<'a> {
    /// Encoded positions.
    pub observations: &'a mut [f32],
    /// Which actions are legal.
    pub masks: &'a mut [bool],
    /// What the step gave each of the two players.
    pub rewards: &'a mut [f32],
    /// Whether the step ended the game; the rest of the row is then about the next one.
    pub terminated: &'a mut [bool],
    /// The player to move: 0 or 1.
    pub players: &'a mut [i64],
}

/// Many games at once.
pub trait Fleet: Send + Sync {
    /// Begins every game anew, as after the same `seed` at any time.
    fn reset(&mut self, seed: u64, rows: Rows<'_>, pool: Option<&ThreadPool>);

    /// Plays one action in each game; games that end are followed by new ones.
    ///
    /// # Errors
    /// If an action is not legal, in words: then nothing has been played.
    fn step(&mut self, actions: &[i64], rows: Rows<'_>, pool: Option<&ThreadPool>) -> Result<(), String>;

    /// A random legal action of each game, every one equally likely.
    fn random_actions(&mut self, out: &mut [i64]);

    /// The game's notation of the positions.
    fn texts(&self) -> Vec<String>;
}

/// One of the games.
struct Seat<G: Game> {
    position: G::Position,
    /// Its legal moves.
    moves: Vec<MoveOf<G>>,
    /// Their actions, in the same order.
    actions: Vec<u32>,
    /// Where varied starts and random actions come from.
    random: Stream,
}

/// The games of one kind.
pub struct Seats<G: Game> {
    game: G,
    encoder: Arc<dyn Encoder<G::Position>>,
    start: G::Position,
    varied: bool,
    seats: Vec<Seat<G>>,
}

/// One row of [`Rows`].
struct Row<'a> {
    observation: &'a mut [f32],
    mask: &'a mut [bool],
    rewards: &'a mut [f32],
    terminated: &'a mut bool,
    player: &'a mut i64,
}

impl<G: Game> Seats<G> {
    /// So many games.
    pub fn new(game: G, encoder: Arc<dyn Encoder<G::Position>>, count: usize, seed: u64, varied: bool) -> Seats<G> {
        let start = game.start();
        let seat = |number: usize| Seat {
            position: start.clone(),
            moves: Vec::new(),
            actions: Vec::new(),
            random: Stream::new(seed, "vector", number as u64),
        };
        let seats = (0..count).map(seat).collect();
        Seats { game, encoder, start, varied, seats }
    }

    /// Does something with every game and its row, on the threads of the pool if there is one.
    fn each(
        &mut self,
        rows: Rows<'_>,
        pool: Option<&ThreadPool>,
        visit: impl Fn(&Kind<'_, G>, usize, &mut Seat<G>, Row<'_>) + Sync,
    ) {
        let Seats { game, encoder, start, varied, seats } = self;
        let kind = Kind { game, encoder: encoder.as_ref(), start, varied: *varied };
        let (width, actions) = (kind.encoder.most_views() * kind.encoder.shape().len(), kind.actions());
        let Rows { observations, masks, rewards, terminated, players } = rows;
        let Some(pool) = pool else {
            let rows = observations.chunks_exact_mut(width).zip(masks.chunks_exact_mut(actions));
            let rows = rows.zip(rewards.chunks_exact_mut(2)).zip(terminated).zip(players);
            for (number, (seat, row)) in seats.iter_mut().zip(rows).enumerate() {
                let ((((observation, mask), rewards), terminated), player) = row;
                visit(&kind, number, seat, Row { observation, mask, rewards, terminated, player });
            }
            return;
        };
        let rows = observations.par_chunks_exact_mut(width).zip(masks.par_chunks_exact_mut(actions));
        let rows = rows.zip(rewards.par_chunks_exact_mut(2)).zip(terminated).zip(players);
        let seats = seats.par_iter_mut().zip(rows).enumerate().with_min_len(16);
        pool.install(|| {
            seats.for_each(|(number, (seat, row))| {
                let ((((observation, mask), rewards), terminated), player) = row;
                visit(&kind, number, seat, Row { observation, mask, rewards, terminated, player });
            });
        });
    }
}

/// What all games share.
struct Kind<'a, G: Game> {
    game: &'a G,
    encoder: &'a dyn Encoder<G::Position>,
    start: &'a G::Position,
    varied: bool,
}

impl<G: Game> Kind<'_, G> {
    fn actions(&self) -> usize {
        self.encoder.most_views() * self.encoder.policy_len()
    }

    /// Begins a new game.
    fn begin(&self, seat: &mut Seat<G>) {
        if self.varied {
            // A start that the encoder has no room for, or in which there is nothing to choose, is passed over.
            for _ in 0..100 {
                let start = self.game.varied_start(&mut seat.random);
                if self.encoder.accepts(&start) && start.outcome().is_none() {
                    seat.position = start;
                    return;
                }
            }
        }
        seat.position.clone_from(self.start);
    }

    /// Lists the legal moves, and writes what is seen of the position.
    fn show(&self, seat: &mut Seat<G>, row: Row<'_>) {
        let Seat { position, moves, actions, .. } = seat;
        row.mask.fill(false);
        actions.clear();
        for &mv in moves.iter() {
            let number = action(self.encoder, position, mv);
            row.mask[number] = true;
            actions.push(number as u32);
        }
        observe(self.encoder, position, false, row.observation);
        *row.player = position.mover().index() as i64;
    }
}

impl<G: Game> Fleet for Seats<G> {
    fn reset(&mut self, seed: u64, rows: Rows<'_>, pool: Option<&ThreadPool>) {
        self.each(rows, pool, |kind, number, seat, row| {
            seat.random = Stream::new(seed, "vector", number as u64);
            kind.begin(seat);
            seat.position.moves(&mut seat.moves);
            row.rewards.fill(0.0);
            *row.terminated = false;
            kind.show(seat, row);
        });
    }

    fn step(&mut self, actions: &[i64], rows: Rows<'_>, pool: Option<&ThreadPool>) -> Result<(), String> {
        for (number, (seat, &action)) in self.seats.iter().zip(actions).enumerate() {
            if !seat.actions.iter().any(|&known| i64::from(known) == action) {
                return Err(format!("action {action} is not legal in game {number}"));
            }
        }
        self.each(rows, pool, |kind, number, seat, row| {
            let place = seat.actions.iter().position(|&known| i64::from(known) == actions[number]);
            let Some(place) = place else { return };
            seat.position.play(seat.moves[place]);
            let outcome = seat.position.expand(&mut seat.moves);
            *row.terminated = outcome.is_some();
            row.rewards.fill(0.0);
            if let Some(outcome) = outcome {
                row.rewards.copy_from_slice(&Side::BOTH.map(|side| result(outcome, side)));
                kind.begin(seat);
                seat.position.moves(&mut seat.moves);
            }
            kind.show(seat, row);
        });
        Ok(())
    }

    fn random_actions(&mut self, out: &mut [i64]) {
        for (seat, out) in self.seats.iter_mut().zip(out) {
            *out = seat.random.choose(&seat.actions).map_or(0, |&action| i64::from(action));
        }
    }

    fn texts(&self) -> Vec<String> {
        self.seats.iter().map(|seat| self.game.format_position(&seat.position)).collect()
    }
}
