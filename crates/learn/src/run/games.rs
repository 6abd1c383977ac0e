//! The games of a generation: played, read back, played again.

use super::checkpoint::Checkpoint;
use super::directory::PART;
use super::error::RunError;
use super::ledger::Meter;
use super::played::{Order, Play, PlayedGame};
use super::progress::Progress;
use super::session::Run;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tesuji_core::GameRecord;
use tesuji_nn::Model;
use tesuji_nn::nnue::NnueNetwork;

/// A network that played, made ready.
#[derive(Clone)]
pub enum Ready {
    /// In floats.
    Float(Arc<Model>),
    /// In integers.
    Integer(Arc<NnueNetwork>),
}

impl Ready {
    /// The network, if it is one in floats.
    pub fn float(self) -> Option<Arc<Model>> {
        match self {
            Ready::Float(model) => Some(model),
            Ready::Integer(_) => None,
        }
    }

    /// The network, if it is one in integers.
    pub fn integer(self) -> Option<Arc<NnueNetwork>> {
        match self {
            Ready::Integer(network) => Some(network),
            Ready::Float(_) => None,
        }
    }
}

/// Makes whatever plays a generation's games once more, given the network that played them; `None` if it is of another
/// kind than the run's.
pub type PlayAgain<'p> = dyn Fn(Ready) -> Option<Box<dyn Play + 'p>> + 'p;

/// A learning method's games, which can be played anywhere: they depend on the experiment, their number and the network
/// before them alone.
pub trait Anywhere {
    /// Whatever plays the games of a generation, given the network before them; `None` if it is of another kind than the
    /// run's.
    fn generation(&self, generation: u64, network: Ready) -> Option<Box<dyn Play + '_>>;

    /// Checks that a game which another process says it has played can be learned from.
    ///
    /// # Errors
    /// If it cannot, in words.
    fn check(&self, record: &GameRecord) -> Result<(), String>;
}

impl Run<'_> {
    /// The games of a generation, those on disk included; `None` if it was stopped.
    ///
    /// # Errors
    /// If the file system refuses, or `play` fails.
    pub fn games(&mut self, generation: u64, games: u64, play: &dyn Play) -> Result<Option<Vec<GameRecord>>, RunError> {
        let parts = games.div_ceil(PART);
        let mut played: Vec<Option<Vec<GameRecord>>> = Vec::new();
        for part in 0..parts {
            let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
            played.push(self.directory.read_part(generation, part, part_size(games, part), say)?);
        }
        let missing = (0..games).filter(|game| played[(game / PART) as usize].is_none());
        let todo: Vec<u64> = missing.collect();
        let meter = Meter::start();
        let clock = Instant::now();
        let mut waiting: BTreeMap<u64, BTreeMap<u64, GameRecord>> = BTreeMap::new();
        let (mut finished, mut positions) = (games - todo.len() as u64, 0);
        let (threads, stop) = (self.threads(), self.conditions.stop);
        let (directory, progress) = (&self.directory, RefCell::new(&mut self.conditions.progress));
        let mut differs = Vec::new();
        let mut done = |game: PlayedGame| {
            finished += 1;
            positions += game.record.moves.len() as u64;
            let seconds = clock.elapsed().as_secs_f64();
            (progress.borrow_mut())(Progress::Playing {
                generation,
                games: finished,
                of: games,
                positions_per_second: positions as f64 / seconds,
                evaluations_per_second: game.cost.evaluations as f64 * threads as f64 / seconds,
            });
            let part = game.index / PART;
            let of_part = waiting.entry(part).or_default();
            of_part.insert(game.index, game.record);
            if of_part.len() as u64 == part_size(games, part) {
                let records: Vec<GameRecord> =
                    waiting.remove(&part).into_iter().flatten().map(|(_, record)| record).collect();
                if directory.write_part(generation, part, &records).map_err(|error| error.to_string())? {
                    differs.push(part);
                }
                played[part as usize] = Some(records);
            }
            Ok(())
        };
        let cost = match &mut self.workers {
            Some(workers) if !todo.is_empty() => {
                let before = generation - 1;
                let say = &mut |note: String| (progress.borrow_mut())(Progress::Note(note));
                let network = directory.network(before, say)?;
                let network = &network.ok_or_else(|| RunError::at(&directory.network_path(before), "lost"))?;
                let order = Order { generation, games, todo: &todo, before, network, path: self.path, threads, stop };
                workers.play(&order, play, &mut done, say)
            }
            _ => play.play(&todo, threads, stop, &mut done),
        };
        let cost = cost.map_err(RunError::Other)?;
        for part in differs {
            let what = format!("part {part} of the records of generation {generation} was played again");
            let why = "another version of the program or another machine may be the reason";
            self.say(Progress::Note(format!("{what}, and is not what it was: {why}")));
        }
        self.book_play(generation, Some(&meter), cost, [todo.len() as u64, positions]);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(Some(played.into_iter().flatten().flatten().collect()))
    }

    /// Writes the games of a generation that were played one by one.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn save_games(&self, generation: u64, records: &[GameRecord]) -> Result<(), RunError> {
        let mut parts = (0..).zip(records.chunks(PART as usize));
        parts.try_for_each(|(part, records)| self.directory.write_part(generation, part, records).map(drop))
    }

    /// Reads back the records of a finished generation of so many games.
    ///
    /// # Errors
    /// If games are lost and that is not accepted, or the file system refuses.
    pub fn kept_games(&mut self, generation: u64, games: u64) -> Result<Vec<GameRecord>, RunError> {
        self.kept_or_played(generation, games, None)
    }

    /// As [`kept_games`](Self::kept_games). Games that are lost are played again by `play`, which is given the network
    /// that played them, if it is still there.
    ///
    /// # Errors
    /// If games are lost for good and that is not accepted, or the file system refuses.
    pub fn kept_or_played(
        &mut self,
        generation: u64,
        games: u64,
        play: Option<&PlayAgain<'_>>,
    ) -> Result<Vec<GameRecord>, RunError> {
        let (mut kept, mut lost) = (Vec::new(), None);
        for part in 0..games.div_ceil(PART) {
            let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
            match (self.directory.read_part(generation, part, part_size(games, part), say)?, lost.is_none()) {
                (Some(records), _) => kept.extend(records),
                // What the run has pruned is not needed, but for a moment.
                (None, true) => lost = self.directory.part(generation, part),
                (None, false) => {}
            }
        }
        let Some(name) = lost else { return Ok(kept) };
        let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
        let network =
            generation.checked_sub(1).map(|before| self.directory.network(before, say)).transpose()?.flatten();
        let network = network.map(|network| match network {
            Checkpoint::Float(file) => Ready::Float(self.model_of(&file.weights)),
            Checkpoint::Integer(file) => Ready::Integer(Arc::new(file.network)),
        });
        if let Some(play) = play.zip(network).and_then(|(play, network)| play(network)) {
            self.say(Progress::Note(format!("records/{name} is lost: its games are played again")));
            return self.games(generation, games, play.as_ref())?.ok_or(RunError::Stopped);
        }
        let problem = format!("records/{name} is lost, and what played it is no longer there");
        if self.conditions.accept_loss {
            self.say(Progress::Note(format!("{problem}: the window is that much smaller")));
            return Ok(kept);
        }
        let again = "begin the run anew in another --out (the same experiment and seed make the same run)";
        let way_out = if generation == self.generation && generation > 1 {
            format!("remove networks/{generation:06}.safetensors, and generation {generation} is made again")
        } else {
            format!("put a copy of it back, {again}, or go on without these games by --accept-loss")
        };
        Err(self.problem(&format!("{problem}: {way_out}")))
    }
}

/// Games in a part of a generation of so many games.
pub fn part_size(games: u64, part: u64) -> u64 {
    PART.min(games - part * PART)
}
