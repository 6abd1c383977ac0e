//! Replay memory: the latest transitions, first in, first out.
//!
//! Games are kept as moves; a transition is a game and a ply of it, and is replayed when it is drawn.

use super::options::{DqnOptions, Opponent};
use super::sum_tree::SumTree;
use std::collections::VecDeque;
use tesuji_core::{Game, GameRecord, Outcome, Position, Stream, game};

/// The least priority, so that nothing is forgotten for good.
const LEAST_PRIORITY: f32 = 1e-3;

/// The latest transitions.
pub struct Replay<G: Game> {
    game: G,
    options: DqnOptions,
    games: VecDeque<Played<G::Position>>,
    /// The number of the first of `games`, counted over the whole run.
    first_game: u64,
    /// (game, ply) by slot; a ring.
    slots: Vec<(u64, u32)>,
    /// Transitions that have ever been remembered.
    count: u64,
    /// (|error| + least)^alpha by slot, if replay is prioritised.
    priorities: Option<SumTree>,
    greatest: f64,
}

struct Played<P: Position> {
    generation: u64,
    start: P,
    moves: Vec<P::Move>,
    /// Plies that are transitions in the memory.
    remembered: usize,
    /// Transitions of it that have not been overwritten.
    alive: usize,
}

/// What was seen, done and gained.
pub struct Transition<P: Position> {
    /// Where the move was played.
    pub position: P,
    /// The move.
    pub mv: P::Move,
    /// The sum of the discounted rewards on the way to `next`, for the mover.
    pub reward: f32,
    /// The position behind it, and what its Q is multiplied by: the discount, negative if the opponent is to move
    /// there. `None` if the game had ended.
    pub next: Option<(P, f32)>,
}

/// Transitions that were drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Their slots.
    pub slots: Vec<usize>,
    /// Their weights; empty if replay is uniform.
    pub weights: Vec<f32>,
}

impl<G: Game> Replay<G> {
    /// An empty memory; `count` transitions have been forgotten before, which decides the first slot.
    pub fn new(game: G, options: DqnOptions, count: u64) -> Replay<G> {
        Replay {
            game,
            games: VecDeque::new(),
            first_game: 0,
            slots: Vec::new(),
            count,
            priorities: (options.priority > 0.0).then(|| SumTree::new(options.replay)),
            greatest: 1.0,
            options,
        }
    }

    /// Transitions in it.
    pub fn len(&self) -> usize {
        self.games.iter().map(|game| game.alive).sum()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Games in it.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// The generation of the oldest game.
    pub fn oldest(&self) -> Option<u64> {
        self.games.front().map(|game| game.generation)
    }

    /// Adds a whole game.
    ///
    /// # Errors
    /// If the record is of another game, other rules or an older version of them, or cannot be replayed.
    pub fn push(&mut self, generation: u64, record: &GameRecord) -> Result<(), String> {
        let game = &self.game;
        if record.game != game.name() || record.rules != game.rules() || record.rules_version != game.rules_version() {
            return Err(format!(
                "a record of {} ({} rules, version {})",
                record.game, record.rules, record.rules_version
            ));
        }
        let start = game::parse_line(game, &record.start).map_err(|error| error.to_string())?;
        let mut moves = Vec::with_capacity(record.moves.len());
        record.replay(start.clone(), |_, mv, _| moves.push(mv)).map_err(|error| error.to_string())?;
        self.begin(generation, start);
        moves.into_iter().for_each(|mv| self.play(mv));
        self.finish();
        Ok(())
    }

    /// Begins a game.
    pub fn begin(&mut self, generation: u64, start: G::Position) {
        self.games.push_back(Played { generation, start, moves: Vec::new(), remembered: 0, alive: 0 });
    }

    /// Plays a move of the game that was begun last. A transition is remembered once all of it has been seen.
    pub fn play(&mut self, mv: <G::Position as Position>::Move) {
        let Some(game) = self.games.back_mut() else { return };
        game.moves.push(mv);
        let horizon = match self.options.opponent {
            Opponent::Negates => self.options.steps,
            Opponent::Ignored => 2 * self.options.steps,
        };
        let seen = game.moves.len().saturating_sub(horizon - 1);
        self.remember(seen);
    }

    /// Ends the game: the rest of its transitions are remembered.
    pub fn finish(&mut self) {
        let plies = self.games.back().map_or(0, |game| game.moves.len());
        self.remember(plies);
        // Games of which nothing is left go, and so do games that never had a move.
        while self.games.front().is_some_and(|game| game.alive == 0) {
            self.games.pop_front();
            self.first_game += 1;
        }
    }

    /// Remembers the last game's transitions up to this ply.
    fn remember(&mut self, plies: usize) {
        let number = self.first_game + self.games.len() as u64 - 1;
        loop {
            let Some(game) = self.games.back_mut() else { return };
            if game.remembered >= plies {
                return;
            }
            let ply = game.remembered as u32;
            game.remembered += 1;
            game.alive += 1;
            let slot = (self.count % self.options.replay as u64) as usize;
            if slot >= self.slots.len() {
                // Slots before the first one of a memory that was read back are never drawn.
                self.slots.resize(slot + 1, (u64::MAX, 0));
            }
            let old = std::mem::replace(&mut self.slots[slot], (number, ply));
            if let Some(old) = old.0.checked_sub(self.first_game).and_then(|place| self.games.get_mut(place as usize)) {
                old.alive -= 1;
            }
            if let Some(priorities) = &mut self.priorities {
                priorities.set(slot, self.greatest);
            }
            self.count += 1;
        }
    }

    /// Draws transitions for a training step.
    ///
    /// # Panics
    /// If there are none.
    pub fn draw(&self, batch: usize, seed: u64, step: u64) -> Drawn {
        let len = self.len();
        let mut drawn = Drawn::default();
        for number in 0..batch {
            let mut random = Stream::new(seed, "replay", step * batch as u64 + number as u64);
            match &self.priorities {
                None => {
                    // The latest `len` transitions, wherever the ring has them.
                    let back = random.below(len) as u64;
                    drawn.slots.push(((self.count - 1 - back) % self.options.replay as u64) as usize);
                }
                Some(priorities) => {
                    let slot = priorities.find(random.unit() * priorities.total());
                    // w = (N P(i))^-beta, less than 1 for what is drawn more often than uniformly.
                    let share = priorities.get(slot) / priorities.total();
                    drawn.weights.push((len as f64 * share).powf(-f64::from(self.options.correction)) as f32);
                    drawn.slots.push(slot);
                }
            }
        }
        let greatest = drawn.weights.iter().copied().fold(0.0, f32::max);
        drawn.weights.iter_mut().for_each(|weight| *weight /= greatest);
        drawn
    }

    /// Sets the priorities of transitions by the errors of their Q.
    pub fn rate(&mut self, drawn: &Drawn, errors: &[f32]) {
        let Some(priorities) = &mut self.priorities else { return };
        for (&slot, error) in drawn.slots.iter().zip(errors) {
            // As a checkpoint keeps it, so that a run that goes on draws alike.
            let priority = (error.abs() + LEAST_PRIORITY).powf(self.options.priority);
            let priority = f64::from(priority);
            self.greatest = self.greatest.max(priority);
            priorities.set(slot, priority);
        }
    }

    /// The priorities by slot and the greatest one ever, for a checkpoint; empty if replay is uniform.
    pub fn priorities(&self) -> Vec<f32> {
        let Some(tree) = &self.priorities else { return Vec::new() };
        (0..self.slots.len()).map(|slot| tree.get(slot) as f32).chain([self.greatest as f32]).collect()
    }

    /// Takes back what [`priorities`](Self::priorities) gave, after the same transitions were remembered.
    ///
    /// # Errors
    /// If their number is another one.
    pub fn restore(&mut self, priorities: &[f32]) -> Result<(), String> {
        let Some(tree) = &mut self.priorities else { return Ok(()) };
        let [of_slots @ .., greatest] = priorities else { return Err("the priorities are missing".to_owned()) };
        if of_slots.len() != self.slots.len() {
            return Err(format!("{} priorities for {} transitions", of_slots.len(), self.slots.len()));
        }
        of_slots.iter().enumerate().for_each(|(slot, &priority)| tree.set(slot, f64::from(priority)));
        self.greatest = f64::from(*greatest);
        Ok(())
    }

    /// The transition of a slot.
    ///
    /// # Panics
    /// If there is none.
    pub fn transition(&self, slot: usize) -> Transition<G::Position> {
        let (number, ply) = self.slots[slot];
        let played = &self.games[(number - self.first_game) as usize];
        let mut position = played.start.clone();
        let (before, rest) = played.moves.split_at(ply as usize);
        before.iter().for_each(|&mv| position.play(mv));
        let DqnOptions { opponent, steps, gamma, .. } = self.options;
        let us = position.mover();
        let (mut at, mut reward, mut discount, mut ours) = (position.clone(), 0.0, 1.0, 0);
        for (number, &mv) in rest.iter().enumerate() {
            let mine = at.mover() == us;
            let enough = match opponent {
                Opponent::Negates => number == steps,
                Opponent::Ignored => mine && ours == steps,
            };
            if enough {
                break;
            }
            let gain = self.reward(&at, mv);
            match opponent {
                Opponent::Negates => reward += if mine { discount * gain } else { -discount * gain },
                Opponent::Ignored if mine => reward += discount * gain,
                Opponent::Ignored => {}
            }
            at.play(mv);
            ours += usize::from(mine);
            if mine || opponent == Opponent::Negates {
                discount *= gamma;
            }
        }
        let over = at.outcome().is_some();
        // The world's last word was the opponent's move: there is no position of ours to judge.
        let cut = opponent == Opponent::Ignored && at.mover() != us;
        let sign = if at.mover() == us { 1.0 } else { -1.0 };
        let next = (!over && !cut).then_some((at, sign * discount));
        Transition { position, mv: rest[0], reward, next }
    }

    /// What a move gains at once: the captured piece, and the game if it ends.
    fn reward(&self, position: &G::Position, mv: <G::Position as Position>::Move) -> f32 {
        let mut after = position.clone();
        after.play(mv);
        let result = match after.outcome() {
            Some(Outcome::Win(side)) if side == position.mover() => self.options.win,
            Some(Outcome::Win(_)) => -self.options.win,
            Some(Outcome::Draw) | None => 0.0,
        };
        self.options.captures * self.game.capture(position, mv) + result
    }
}
