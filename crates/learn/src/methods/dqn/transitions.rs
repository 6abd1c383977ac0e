//! The games of the replay memory, and transitions of them.
//!
//! Games are kept as moves; a transition is replayed when it is drawn.

use super::options::{DqnOptions, Opponent};
use super::replay::Replay;
use crate::methods::replayed::{replayed, same_rules};
use crate::play::epsilon::random_plies;
use std::collections::VecDeque;
use tesuji_core::{Game, GameRecord, Outcome, Position};

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

/// The games of the transitions that are remembered.
pub struct Games<G: Game> {
    game: G,
    options: DqnOptions,
    replay: Replay,
    /// In the order that the memory has them.
    games: VecDeque<Line<G::Position>>,
}

struct Line<P: Position> {
    start: P,
    moves: Vec<P::Move>,
    /// Whether each of them was random.
    random: Vec<bool>,
}

impl<G: Game> Games<G> {
    /// An empty memory; `count` transitions have been forgotten before, which decides the first slot.
    pub fn new(game: G, options: DqnOptions, count: u64) -> Games<G> {
        Games { game, replay: Replay::new(options.clone(), count), options, games: VecDeque::new() }
    }

    /// The game that they are of.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Forgets everything, as [`new`](Self::new).
    pub fn reset(&mut self, count: u64) {
        self.replay = Replay::new(self.options.clone(), count);
        self.games.clear();
    }

    /// Which transitions are remembered.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The same, to rate them.
    pub fn replay_mut(&mut self) -> &mut Replay {
        &mut self.replay
    }

    /// Adds a whole game.
    ///
    /// # Errors
    /// If the record is of another game, other rules or an older version of them, or cannot be replayed.
    pub fn push(&mut self, generation: u64, record: &GameRecord) -> Result<(), String> {
        same_rules(&self.game, record)?;
        let (start, moves) = replayed(&self.game, record)?;
        let random = random_plies(record);
        self.begin(generation, start);
        moves.into_iter().enumerate().for_each(|(ply, mv)| self.play(mv, random.contains(&ply)));
        self.finish();
        Ok(())
    }

    /// Begins a game.
    pub fn begin(&mut self, generation: u64, start: G::Position) {
        self.games.push_back(Line { start, moves: Vec::new(), random: Vec::new() });
        self.replay.begin(generation);
    }

    /// Plays a move, random or not, of the game that was begun last.
    pub fn play(&mut self, mv: <G::Position as Position>::Move, random: bool) {
        if let Some(game) = self.games.back_mut() {
            game.moves.push(mv);
            game.random.push(random);
            self.replay.play();
        }
    }

    /// Ends the game.
    pub fn finish(&mut self) {
        let forgotten = self.replay.finish();
        self.games.drain(..forgotten);
    }

    /// The transition of a slot.
    ///
    /// # Panics
    /// If there is none.
    pub fn transition(&self, slot: usize) -> Transition<G::Position> {
        let (game, ply) = self.replay.place(slot);
        let played = &self.games[game];
        let mut position = played.start.clone();
        let (before, rest) = played.moves.split_at(ply);
        before.iter().for_each(|&mv| position.play(mv));
        let DqnOptions { opponent, steps, gamma, cut_random, .. } = self.options;
        let us = position.mover();
        let (mut at, mut reward, mut discount, mut ours) = (position.clone(), 0.0, 1.0, 0);
        for (number, &mv) in rest.iter().enumerate() {
            let mine = at.mover() == us;
            let enough = match opponent {
                Opponent::Negates => number == steps,
                Opponent::Ignored => mine && ours == steps,
            };
            // Our own choices count as the best ones; the world may do what it likes.
            let chosen = mine || opponent == Opponent::Negates;
            let cut = cut_random && number > 0 && chosen && played.random[ply + number];
            if enough || cut {
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
