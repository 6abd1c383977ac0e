//! What deep Q-learning needs to know of a game, without its types: transitions in memory, drawn ones, games one by one.

use super::replay::Replay;
use crate::agents::dqn::{Action, Layout, Rows};
use crate::play::EpsilonPlan;
use crate::run::Play;
use crate::run::ledger::PlayCost;
use std::any::Any;
use std::sync::Arc;
use tesuji_core::GameRecord;
use tesuji_nn::{Model, Worker};

/// The latest transitions of a game, and how more of them are made.
pub trait TransitionMemory: Send + Sync {
    /// Which numbers of the network's outputs belong to which moves.
    fn layout(&self) -> Layout;

    /// Which transitions are remembered.
    fn replay(&self) -> &Replay;

    /// The same, to rate them.
    fn replay_mut(&mut self) -> &mut Replay;

    /// Forgets everything; `count` transitions count as forgotten before, which decides the first slot.
    fn reset(&mut self, count: u64);

    /// Adds a whole game.
    ///
    /// # Errors
    /// If the record is of another game, other rules or an older version of them, or cannot be replayed.
    fn push(&mut self, generation: u64, record: &GameRecord) -> Result<(), String>;

    /// Begins a game at its start: see [`OneByOne::position`].
    ///
    /// # Panics
    /// If it is no position of this game.
    fn begin(&mut self, generation: u64, start: &dyn Any);

    /// Plays a move, by its numeric form and random or not, of the game that was begun last.
    fn play(&mut self, bits: u32, random: bool);

    /// Ends the game that was begun last.
    fn finish(&mut self);

    /// The transitions of these slots, replayed on the threads of the current pool.
    ///
    /// # Panics
    /// If there is none at one of them.
    fn transitions(&self, slots: &[usize]) -> Box<dyn Transitions + '_>;

    /// Whatever plays the games of a generation, many at a time, by a network that stands still.
    fn generation<'a>(&'a self, plan: EpsilonPlan<'a>, model: Arc<Model>) -> Box<dyn Play + 'a>;

    /// The games of a generation, one move at a time.
    fn one_by_one<'a>(&self, plan: EpsilonPlan<'a>) -> Box<dyn OneByOne + 'a>;
}

/// Transitions that were drawn, by number.
pub trait Transitions: Send + Sync {
    /// What was done: the move as the network knows it.
    fn action(&self, number: usize) -> Action;

    /// What was seen: writes the position in the view of the move.
    fn encode(&self, number: usize, view: usize, input: &mut [f32]);

    /// What was gained: the sum of the discounted rewards on the way to the next position, for the mover.
    fn reward(&self, number: usize) -> f32;

    /// What the next position's Q is multiplied by: the discount, negative if the opponent is to move there. `None` if
    /// the game had ended: then there is no next position, and nothing below may be asked.
    fn factor(&self, number: usize) -> Option<f32>;

    /// Appends all views of the next position, and returns their number.
    fn encode_next(&self, number: usize, out: &mut Vec<f32>) -> usize;

    /// The best move of the next position by these outputs, with its Q.
    fn best_next(&self, number: usize, rows: Rows<'_>) -> (Action, [f32; 2]);

    /// What the mover gets at each of these next positions, by tree searches of so many simulations.
    fn searched_next(&self, numbers: &[usize], worker: Worker, simulations: u64) -> Vec<f32>;
}

/// The games of a generation, one at a time and move by move, so that a step of training fits between two moves.
///
/// Everything but [`begin`](Self::begin) panics before a game has begun, and behind its record.
pub trait OneByOne {
    /// Begins game number `index`.
    fn begin(&mut self, index: u64);

    /// The position of the game, for [`TransitionMemory::begin`].
    fn position(&self) -> &dyn Any;

    /// Whether the game has ended.
    fn is_over(&mut self) -> bool;

    /// Plays a move that needs no network; if there is none, `false` is returned and the network is to be asked.
    fn plays_alone(&mut self, cost: &mut PlayCost) -> bool;

    /// Appends all views of the position, and returns their number.
    fn encode(&self, out: &mut Vec<f32>) -> usize;

    /// Plays the best move by these outputs.
    fn play_best(&mut self, rows: Rows<'_>);

    /// The latest move in its numeric form, and whether it was random.
    fn latest(&self) -> Option<(u32, bool)>;

    /// The record of the game that has ended.
    fn record(&mut self) -> GameRecord;
}
