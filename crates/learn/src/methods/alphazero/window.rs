//! The latest games, and samples of them as training batches.
//!
//! Games are kept as records, a few bytes a move. A sample replays its game up to the position that was drawn, which
//! costs microseconds beside the milliseconds of training on it, and a window of a million positions fits in memory.

use super::learner::{Batch, MOVES_LEFT_UNIT, SampleWindow, Wanted};
use crate::methods::replayed::{accepted, replayed, same_rules};
use crate::methods::training::Training;
use crate::run::events::positions;
use crate::run::parallel;
use std::collections::VecDeque;
use std::sync::Arc;
use tesuji_core::record::Thought;
use tesuji_core::{AnyGame, Encoder, Game, GameRecord, Move, Position, Stream};

/// A game in the window: its start and the moves, checked once.
struct Entry<P: Position> {
    generation: u64,
    start: P,
    moves: Vec<P::Move>,
    /// (ply, thought) of the positions to learn from.
    thoughts: Vec<(u32, Thought)>,
    /// The result for the first player.
    result: f32,
}

/// The latest games.
pub struct Window<G: Game> {
    game: G,
    encoder: Arc<dyn Encoder<G::Position>>,
    entries: VecDeque<Entry<G::Position>>,
    positions: usize,
}

/// The problem of a record of something else.
fn among(game: &dyn AnyGame, problem: &str) -> String {
    format!("{problem} among those of {} ({} rules, version {})", game.name(), game.rules(), game.rules_version())
}

/// The thoughts of a record, each with its ply.
fn thoughts(record: &GameRecord) -> Vec<(u32, Thought)> {
    let mut thoughts = Vec::with_capacity(positions(record));
    let of_plies = (0..).zip(&record.moves).filter_map(|(ply, played)| Some((ply, played.thought.clone()?)));
    thoughts.extend(of_plies);
    thoughts
}

/// One row of a batch.
struct Row<'a> {
    input: &'a mut [f32],
    policy: &'a mut [f32],
    value: &'a mut f32,
    legal: &'a mut [bool],
    reply: &'a mut [f32],
    moves_left: &'a mut f32,
}

impl<G: Game> Window<G> {
    /// An empty window of games that are read by this encoder.
    pub fn new(game: G, encoder: Arc<dyn Encoder<G::Position>>) -> Window<G> {
        Window { game, encoder, entries: VecDeque::new(), positions: 0 }
    }
}

impl<G: Game> SampleWindow for Window<G> {
    fn positions(&self) -> usize {
        self.positions
    }

    fn games(&self) -> usize {
        self.entries.len()
    }

    fn oldest(&self) -> Option<u64> {
        self.entries.front().map(|entry| entry.generation)
    }

    fn push(&mut self, generation: u64, record: &GameRecord) -> Result<(), String> {
        same_rules(&self.game, record).map_err(|problem| among(&self.game, &problem))?;
        let (start, moves) = replayed(&self.game, record)?;
        accepted(self.encoder.as_ref(), &start)?;
        let thoughts = thoughts(record);
        let result = record.outcome.map_or(0.0, |outcome| outcome.value().get());
        self.positions += thoughts.len();
        self.entries.push_back(Entry { generation, start, moves, thoughts, result });
        Ok(())
    }

    fn trim(&mut self, options: &Training) {
        let too_many = |games: usize, positions: usize, oldest: usize| {
            options.window_games > 0 && games as u64 > options.window_games
                || options.window_positions > 0 && (positions - oldest) as u64 >= options.window_positions
        };
        while let Some(oldest) = self.entries.front()
            && self.entries.len() > 1
            && too_many(self.entries.len(), self.positions, oldest.thoughts.len())
        {
            self.positions -= oldest.thoughts.len();
            self.entries.pop_front();
        }
    }

    fn batch(&self, options: &Training, wanted: Wanted, seed: u64, step: u64, out: &mut Batch) {
        let encoder = self.encoder.as_ref();
        // Where each game's positions end in the count of all.
        let mut ends = Vec::with_capacity(self.entries.len());
        let mut end = 0;
        for entry in &self.entries {
            end += entry.thoughts.len();
            ends.push(end);
        }
        let (view, policy, batch) = (encoder.shape().len(), encoder.policy_len(), options.batch);
        out.inputs.resize(batch * view, 0.0);
        out.policy.resize(batch * policy, 0.0);
        out.value.resize(batch, 0.0);
        out.moves_left.resize(batch, 0.0);
        out.legal.resize(if wanted.legal { batch * policy } else { 0 }, false);
        out.reply.resize(if wanted.reply { batch * policy } else { 0 }, 0.0);
        // Nothing is asked for in rows of length 0.
        let mut legal = out.legal.chunks_exact_mut(policy);
        let mut reply = out.reply.chunks_exact_mut(policy);
        let rows = out.inputs.chunks_exact_mut(view).zip(out.policy.chunks_exact_mut(policy));
        let rows = rows.zip(out.value.iter_mut().zip(&mut out.moves_left));
        let rows = rows.map(|((input, policy), (value, moves_left))| {
            let (legal, reply) = (legal.next().unwrap_or_default(), reply.next().unwrap_or_default());
            Row { input, policy, value, legal, reply, moves_left }
        });
        parallel::for_each(rows, &|number, mut row: Row<'_>| {
            let mut random = Stream::new(seed, "sample", step * batch as u64 + number as u64);
            let drawn = random.below(end);
            let game = ends.partition_point(|&end| end <= drawn);
            let entry = &self.entries[game];
            let thought = entry.thoughts.len() - (ends[game] - drawn);
            entry.sample(encoder, options, thought, &mut random, &mut row);
        });
    }
}

impl<P: Position> Entry<P> {
    /// Writes one sample: a view of the position under a symmetry, and the part of the policy that belongs to the view.
    fn sample(
        &self,
        encoder: &dyn Encoder<P>,
        options: &Training,
        thought: usize,
        random: &mut Stream,
        row: &mut Row<'_>,
    ) {
        let (ply, thought) = &self.thoughts[thought];
        let ply = *ply as usize;
        let mut position = self.start.clone();
        self.moves[..ply].iter().for_each(|&mv| position.play(mv));
        let value = (1.0 - options.search_value) * self.result + options.search_value * thought.value.get();
        *row.value = position.mover().sign() * value;
        *row.moves_left = (self.moves.len() - ply) as f32 / MOVES_LEFT_UNIT;
        let symmetry = if options.symmetries { random.below(position.symmetries()) } else { 0 };
        let seen = if symmetry == 0 { position.clone() } else { position.transform(symmetry) };
        let turned = |position: &P, mv: P::Move| if symmetry == 0 { mv } else { position.transform_move(symmetry, mv) };
        let view = random.below(encoder.views(&seen));
        encoder.encode(&seen, view, row.input);
        row.policy.fill(0.0);
        let mut total = 0.0;
        for &(bits, weight) in &thought.policy {
            let Some(mv) = P::Move::from_bits(bits) else { continue };
            let (in_view, index) = encoder.index(&seen, turned(&position, mv));
            if in_view == view {
                row.policy[index] += weight as f32;
                total += weight as f32;
            }
        }
        if total > 0.0 {
            row.policy.iter_mut().for_each(|share| *share /= total);
        }
        if !row.legal.is_empty() {
            row.legal.fill(false);
            let mut moves = Vec::new();
            seen.moves(&mut moves);
            for mv in moves {
                let (in_view, index) = encoder.index(&seen, mv);
                row.legal[index] |= in_view == view;
            }
        }
        row.reply.fill(0.0);
        if !row.reply.is_empty()
            && let Some(&reply) = self.moves.get(ply + 1)
        {
            let mut next = position.clone();
            next.play(self.moves[ply]);
            // A side that moves twice has not been replied to.
            if next.mover() != position.mover() {
                let seen = if symmetry == 0 { next.clone() } else { next.transform(symmetry) };
                row.reply[encoder.index(&seen, turned(&next, reply)).1] = 1.0;
            }
        }
    }
}
