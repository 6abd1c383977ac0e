//! Replay memory: which transitions are remembered, the latest, first in, first out; and how they are drawn.
//!
//! A transition is a game and a ply of it. The games themselves are kept elsewhere, in the same order.

use super::options::{DqnOptions, Opponent};
use super::sum_tree::SumTree;
use std::collections::VecDeque;
use tesuji_core::Stream;

/// The least priority, so that nothing is forgotten for good.
const LEAST_PRIORITY: f32 = 1e-3;

/// The latest transitions.
pub struct Replay {
    options: DqnOptions,
    games: VecDeque<Played>,
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

struct Played {
    generation: u64,
    /// Moves that were played.
    plies: usize,
    /// Plies that are transitions in the memory.
    remembered: usize,
    /// Transitions of it that have not been overwritten.
    alive: usize,
}

/// Transitions that were drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Their slots.
    pub slots: Vec<usize>,
    /// Their weights; empty if replay is uniform.
    pub weights: Vec<f32>,
}

impl Replay {
    /// An empty memory; `count` transitions have been forgotten before, which decides the first slot.
    pub fn new(options: DqnOptions, count: u64) -> Replay {
        Replay {
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

    /// Begins a game.
    pub fn begin(&mut self, generation: u64) {
        self.games.push_back(Played { generation, plies: 0, remembered: 0, alive: 0 });
    }

    /// Plays a move of the game that was begun last. A transition is remembered once all of it has been seen.
    pub fn play(&mut self) {
        let Some(game) = self.games.back_mut() else { return };
        game.plies += 1;
        let horizon = match self.options.opponent {
            Opponent::Negates => self.options.steps,
            Opponent::Ignored => 2 * self.options.steps,
        };
        let seen = game.plies.saturating_sub(horizon - 1);
        self.remember(seen);
    }

    /// Ends the game: the rest of its transitions are remembered. Returns how many of the oldest games are forgotten.
    pub fn finish(&mut self) -> usize {
        let plies = self.games.back().map_or(0, |game| game.plies);
        self.remember(plies);
        // Games of which nothing is left go, and so do games that never had a move.
        let forgotten = self.games.iter().take_while(|game| game.alive == 0).count();
        self.games.drain(..forgotten);
        self.first_game += forgotten as u64;
        forgotten
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

    /// The transition of a slot: which of the games, and the ply.
    ///
    /// # Panics
    /// If there is none.
    pub fn place(&self, slot: usize) -> (usize, usize) {
        let (number, ply) = self.slots[slot];
        ((number - self.first_game) as usize, ply as usize)
    }
}
