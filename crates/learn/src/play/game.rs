//! A game from its start to its record.

use super::mates::RootSolver;
use super::options::{SelfPlay, seeded};
use crate::run::events::MATES;
use tesuji_core::record::{Played, Thought};
use tesuji_core::{Game, GameRecord, Move, Outcome, Position, Stream, game};

/// The games of a generation.
pub struct Series<'a, G: Game> {
    /// The game.
    pub game: &'a G,
    /// How it is played.
    pub options: &'a SelfPlay,
    /// The run's seed.
    pub seed: u64,
    /// The generation, from 1.
    pub generation: u64,
}

impl<G: Game> Series<'_, G> {
    /// Game number `index` at its start; its random choices belong to `purpose`.
    pub fn begin(&self, purpose: &str, index: u64) -> GameInProgress<G::Position> {
        let Series { game, options, seed, generation } = *self;
        let mut random = Stream::new(seed, &format!("{purpose} {generation}"), index);
        let position = match random.choose(&options.starts) {
            // Every line was read once before the run began; one that names a file which is gone since is left out.
            Some(line) => game::parse_line(game, &seeded(line, &mut random)).unwrap_or_else(|_| game.start()),
            None if options.varied_starts => game.varied_start(&mut random),
            None => game.start(),
        };
        let start = game.format_position(&position);
        let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), &start);
        record.tags.push(("generation".to_owned(), generation.to_string()));
        record.tags.push(("game".to_owned(), index.to_string()));
        let start = position.clone();
        GameInProgress { index, start, position, random, record, max_plies: options.max_plies as usize, mates: 0 }
    }

    /// The mate solver at the root that the options ask for.
    pub fn solver(&self) -> Option<RootSolver> {
        RootSolver::new(self.options.mate)
    }
}

/// A game under way.
pub struct GameInProgress<P: Position> {
    /// Its number in the generation.
    pub index: u64,
    /// Where it began.
    start: P,
    /// Where it is.
    pub position: P,
    /// Random choices of the game itself.
    pub random: Stream,
    record: GameRecord,
    max_plies: usize,
    /// Mates that the solver found.
    mates: u32,
}

impl<P: Position> GameInProgress<P> {
    /// Moves played.
    pub fn plies(&self) -> usize {
        self.record.moves.len()
    }

    /// The latest move.
    pub fn latest(&self) -> Option<P::Move> {
        self.record.moves.last().and_then(|played| P::Move::from_bits(played.bits))
    }

    /// Plays a move, with what was thought of it.
    pub fn play(&mut self, mv: P::Move, thought: Option<Thought>) {
        self.record.moves.push(Played { bits: mv.to_bits(), thought });
        self.position.play(mv);
    }

    /// Plays the first move of a mate that the solver found.
    pub fn play_mate(&mut self, mv: P::Move, thought: Option<Thought>) {
        self.mates += 1;
        self.play(mv, thought);
    }

    /// Plays at most so many random moves; ends before the game would.
    pub fn play_random(&mut self, plies: usize) {
        let mut moves = Vec::new();
        for _ in 0..plies {
            self.position.moves(&mut moves);
            let Some(&mv) = self.random.choose(&moves) else { return };
            let mut next = self.position.clone();
            next.play(mv);
            if next.outcome().is_some() {
                return;
            }
            self.play(mv, None);
        }
    }

    /// Takes all moves back; random choices go on.
    pub fn begin_again(&mut self) {
        self.position.clone_from(&self.start);
        self.record.moves.clear();
    }

    /// Whether the game has ended, by its rules or by the limit on its length; the record then says how.
    pub fn is_over(&mut self) -> bool {
        if self.record.outcome.is_none() {
            if let Some(outcome) = self.position.outcome() {
                self.end(outcome, self.position.ending());
            } else if self.plies() >= self.max_plies {
                self.end(Outcome::Draw, "move limit");
            }
        }
        self.record.outcome.is_some()
    }

    /// Ends the game.
    pub fn end(&mut self, outcome: Outcome, ending: &str) {
        self.record.outcome = Some(outcome);
        self.record.ending = ending.to_owned();
    }

    /// The record of the game that has ended, with what else is known of it.
    pub fn into_record(mut self, tag: Option<(&str, String)>) -> GameRecord {
        self.record.tags.extend(tag.map(|(name, value)| (name.to_owned(), value)));
        if self.mates > 0 {
            self.record.tags.push((MATES.to_owned(), self.mates.to_string()));
        }
        self.record
    }
}
