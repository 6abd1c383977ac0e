//! The games of a generation: played, read back, played again.

use super::checkpoint::Checkpoint;
use super::directory::{PART, RunDir};
use super::error::RunError;
use super::ledger::Meter;
use super::played::{Order, Play, PlayedGame};
use super::progress::{Progress, StopRule};
use super::session::Run;
use super::taught::Taught;
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

/// The games of a generation: how many there are, and which network plays them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lot {
    /// The generation.
    pub generation: u64,
    /// Games in it.
    pub games: u64,
    /// The generation of the network that plays them.
    pub by: u64,
}

impl Lot {
    /// Games that the network before them plays.
    pub fn newest(generation: u64, games: u64) -> Lot {
        Lot { generation, games, by: generation.saturating_sub(1) }
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
    /// The network that plays these games: the one in training if it has not moved on, or an older one from the disk.
    ///
    /// # Errors
    /// If it is lost, or the file system refuses.
    pub fn player(&mut self, lot: Lot) -> Result<Ready, RunError> {
        if lot.by == self.generation {
            return Ok(match &self.taught {
                Taught::Float(..) => Ready::Float(self.model()),
                Taught::Integer(trainer, _) => Ready::Integer(Arc::new(trainer.network())),
            });
        }
        let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
        let network = self.directory.network(lot.by, say)?;
        network.map(|network| self.made_ready(network)).ok_or_else(|| lost(&self.directory, lot))
    }

    fn made_ready(&self, network: Checkpoint) -> Ready {
        match network {
            Checkpoint::Float(file) => Ready::Float(self.model_of(&file.weights)),
            Checkpoint::Integer(file) => Ready::Integer(Arc::new(file.network)),
        }
    }

    /// Offers the games of a generation to come to other processes, if there are any and its network is there. They are
    /// had by [`games`](Self::games) when it is their turn.
    ///
    /// # Errors
    /// If the file system refuses, or what lies between the processes fails.
    pub fn play_ahead(&mut self, lot: Lot) -> Result<(), RunError> {
        let Lot { generation, games, by } = lot;
        let ends = matches!(self.conditions.extent, StopRule::Generations(last) if generation > last);
        if self.workers.is_none() || by > self.generation || ends || self.is_stopped() {
            return Ok(());
        }
        let todo = missing(&self.stored(generation, games)?, games);
        let (threads, stop, path) = (self.threads(), self.conditions.stop, self.path);
        if todo.is_empty() {
            return Ok(());
        }
        let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
        let network = self.directory.network(by, say)?.ok_or_else(|| lost(&self.directory, lot))?;
        let network = &|| network.without_state().to_bytes();
        let order = Order { generation, games, todo: &todo, size: PART, before: by, network, path, threads, stop };
        let offered = self.workers.as_mut().map(|workers| workers.offer_ahead(&order));
        offered.transpose().map(drop).map_err(RunError::Other)
    }

    /// The parts of a generation's games that are on disk.
    fn stored(&mut self, generation: u64, games: u64) -> Result<Vec<Option<Vec<GameRecord>>>, RunError> {
        let say = &mut |note: String| (self.conditions.progress)(Progress::Note(note));
        let parts = 0..games.div_ceil(PART);
        parts.map(|part| self.directory.read_part(generation, part, part_size(games, part), say)).collect()
    }

    /// The games of a generation, those on disk included; `None` if it was stopped.
    ///
    /// # Errors
    /// If the file system refuses, or `play` fails.
    pub fn games(&mut self, lot: Lot, play: &dyn Play) -> Result<Option<Vec<GameRecord>>, RunError> {
        let Lot { generation, games, by: before } = lot;
        let mut played = self.stored(generation, games)?;
        let todo = missing(&played, games);
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
                let say = &mut |note: String| (progress.borrow_mut())(Progress::Note(note));
                let network = directory.network(before, say)?;
                let network = network.ok_or_else(|| lost(directory, lot))?;
                let network = &|| network.without_state().to_bytes();
                let (size, path) = (PART, self.path);
                let order = Order { generation, games, todo: &todo, size, before, network, path, threads, stop };
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
        self.kept_or_played(Lot::newest(generation, games), None)
    }

    /// As [`kept_games`](Self::kept_games). Games that are lost are played again by `play`, which is given the network
    /// that played them, if it is still there.
    ///
    /// # Errors
    /// If games are lost for good and that is not accepted, or the file system refuses.
    pub fn kept_or_played(&mut self, lot: Lot, play: Option<&PlayAgain<'_>>) -> Result<Vec<GameRecord>, RunError> {
        let Lot { generation, games, by } = lot;
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
        let network = self.directory.network(by, say)?.map(|network| self.made_ready(network));
        if let Some(play) = play.zip(network).and_then(|(play, network)| play(network)) {
            self.say(Progress::Note(format!("records/{name} is lost: its games are played again")));
            return self.games(lot, play.as_ref())?.ok_or(RunError::Stopped);
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

/// The games that are not among the parts that are there.
fn missing(played: &[Option<Vec<GameRecord>>], games: u64) -> Vec<u64> {
    (0..games).filter(|game| played[(game / PART) as usize].is_none()).collect()
}

/// The problem of a run whose games cannot be played because their network is gone.
fn lost(directory: &RunDir, lot: Lot) -> RunError {
    let problem =
        format!("lost, and plays generation {}: put a copy of it back, or begin the run anew", lot.generation);
    RunError::at(&directory.network_path(lot.by), problem)
}

/// Games in a part of a generation of so many games.
pub fn part_size(games: u64, part: u64) -> u64 {
    PART.min(games - part * PART)
}
