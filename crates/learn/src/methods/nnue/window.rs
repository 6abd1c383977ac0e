//! The positions of the latest generations.

use super::games::{Labels, Lesson, NnueGames};
use crate::run::parallel;
use std::collections::VecDeque;
use tesuji_core::{GameRecord, Stream};
use tesuji_nn::nnue::Samples;

/// Games that a thread reads at a time.
const PIECE: usize = 64;

/// The positions of the latest generations, one after the other, and those of the newest one that are held out.
#[derive(Default)]
pub struct Window {
    parts: VecDeque<Part>,
    learned: Samples,
    held_out: Samples,
}

/// A generation in the window.
struct Part {
    generation: u64,
    games: u64,
    positions: usize,
}

/// Most generations, games and positions; 0 for no limit.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Generations.
    pub generations: u64,
    /// Games.
    pub games: u64,
    /// Positions.
    pub positions: u64,
}

impl Window {
    /// Positions to learn from.
    pub fn learned(&self) -> &Samples {
        &self.learned
    }

    /// Positions of the newest generation to test on.
    pub fn held_out(&self) -> &Samples {
        &self.held_out
    }

    /// Games of all generations, those that are held out included.
    pub fn games(&self) -> u64 {
        self.parts.iter().map(|part| part.games).sum()
    }

    /// The oldest generation.
    pub fn oldest(&self) -> Option<u64> {
        self.parts.front().map(|part| part.generation)
    }

    /// Adds a generation, read on the threads of the current pool; game number n is held out if n is a multiple of
    /// `held_out`.
    ///
    /// # Errors
    /// If a game cannot be read, in words.
    pub fn push(
        &mut self,
        games: &dyn NnueGames,
        (generation, records): (u64, &[GameRecord]),
        lesson: Lesson,
        held_out: u64,
        seed: u64,
    ) -> Result<Labels, String> {
        let purpose = format!("symmetries {generation}");
        let pieces = parallel::map(records.len().div_ceil(PIECE), &|piece| -> Result<Piece, String> {
            let mut made = Piece::default();
            for (number, record) in records.iter().enumerate().skip(piece * PIECE).take(PIECE) {
                let held = held_out > 0 && (number as u64).is_multiple_of(held_out);
                let samples = if held { &mut made.held_out } else { &mut made.learned };
                let random = Stream::new(seed, &purpose, number as u64);
                made.labels += games.read(record, lesson, random, samples)?;
            }
            Ok(made)
        });
        self.held_out.clear();
        let (mut labels, before) = (Labels::default(), self.learned.len());
        for piece in pieces {
            let piece = piece?;
            piece.learned.iter().for_each(|sample| self.learned.push(sample));
            piece.held_out.iter().for_each(|sample| self.held_out.push(sample));
            labels += piece.labels;
        }
        let positions = self.learned.len() - before;
        self.parts.push_back(Part { generation, games: records.len() as u64, positions });
        Ok(labels)
    }

    /// Drops the oldest generations until the window is within its limits; the newest always stays.
    pub fn trim(&mut self, limits: Limits) {
        let over = |count: u64, most: u64| most > 0 && count > most;
        let mut dropped = 0;
        while self.parts.len() > 1
            && (over(self.parts.len() as u64, limits.generations)
                || over(self.games(), limits.games)
                || over((self.learned.len() - dropped) as u64, limits.positions))
            && let Some(part) = self.parts.pop_front()
        {
            dropped += part.positions;
        }
        if dropped > 0 {
            let old = std::mem::take(&mut self.learned);
            (dropped..old.len()).for_each(|number| self.learned.push(old.get(number)));
        }
    }
}

/// What a thread made of some games.
#[derive(Default)]
struct Piece {
    learned: Samples,
    held_out: Samples,
    labels: Labels,
}
