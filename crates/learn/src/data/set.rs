//! A set on disk.

use super::about::{DataSetInfo, shard_name};
use super::error::DataError;
use super::folds::Folds;
use super::shard::{self, StoredGame};
use std::fs;
use std::path::{Path, PathBuf};
use tesuji_core::{Game, Move, Outcome, Position, game};

/// A position to learn from.
#[derive(Clone, Debug)]
pub struct Sample<P: Position> {
    /// The position, with its history.
    pub position: P,
    /// The move that was played.
    pub mv: P::Move,
    /// The result of the game.
    pub outcome: Outcome,
    /// The game's number in the set, from 0: see [`Folds`].
    pub game: u64,
    /// The position's number in its game, from 0.
    pub ply: u32,
    /// The game's number among those that the set was made of, those that were passed over included, from 1.
    pub source: u64,
}

/// A finished set; its shards are read when they are asked for.
#[derive(Debug)]
pub struct DataSet<G: Game> {
    game: G,
    directory: PathBuf,
    about: DataSetInfo,
}

impl<G: Game> DataSet<G> {
    /// Opens a set, and checks that it is of this game and that its shards are there.
    ///
    /// # Errors
    /// If it is unfinished, of another game, rules or version, or a shard is missing or has another size: in one line.
    pub fn open(game: G, directory: &Path) -> Result<DataSet<G>, DataError> {
        let about = DataSetInfo::read(directory)?;
        about.check(&game).map_err(|problem| DataError::bad(directory, problem))?;
        for (number, info) in about.shards.iter().enumerate() {
            let path = directory.join(shard_name(number));
            let bytes = fs::metadata(&path).map_err(DataError::io(&path))?.len();
            if bytes != info.bytes {
                let problem = format!("damaged: {bytes} bytes instead of {}; make the set again", info.bytes);
                return Err(DataError::bad(&path, problem));
            }
        }
        Ok(DataSet { game, directory: directory.to_owned(), about })
    }

    /// What the set says of itself.
    pub fn about(&self) -> &DataSetInfo {
        &self.about
    }

    /// The game that it is of.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Positions in the set.
    pub fn len(&self) -> u64 {
        self.about.counts.kept
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Games in the set: those of which a position was kept.
    pub fn games(&self) -> u64 {
        self.about.shards.iter().map(|shard| shard.games).sum()
    }

    /// Number of shards.
    pub fn shards(&self) -> usize {
        self.about.shards.len()
    }

    /// Positions in each shard.
    pub fn shard_lens(&self) -> Vec<usize> {
        self.about.shards.iter().map(|shard| shard.samples as usize).collect()
    }

    /// Reads a shard, and checks every move in it.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or not of this set, or holds a move that is not legal; the error names it.
    ///
    /// # Panics
    /// If there is no shard of this number.
    pub fn read_shard(&self, number: usize) -> Result<Shard<G::Position>, DataError> {
        let first_game = self.about.shards[..number].iter().map(|shard| shard.games).sum();
        let mut ends = Vec::new();
        let mut samples = 0;
        let mut games = Vec::new();
        for stored in self.stored_games(number)? {
            let wrong = |problem: String| {
                let path = self.directory.join(shard_name(number));
                DataError::bad(&path, format!("game {}: {problem}", stored.number))
            };
            let line = Line::new(&self.game, &stored).map_err(wrong)?;
            samples += line.kept.len();
            ends.push(samples);
            games.push(line);
        }
        Ok(Shard { games, ends, first_game })
    }

    /// Deals the games out to `folds` folds, with equal shares of each outcome: see [`Folds`].
    ///
    /// # Errors
    /// If a shard cannot be read.
    pub fn folds(&self, folds: usize, seed: u64) -> Result<Folds, DataError> {
        let mut outcomes = Vec::new();
        for number in 0..self.shards() {
            outcomes.extend(self.stored_games(number)?.iter().map(|game| game.outcome));
        }
        Ok(Folds::new(&outcomes, folds, seed))
    }

    /// The games of a shard as they are stored.
    fn stored_games(&self, number: usize) -> Result<Vec<StoredGame>, DataError> {
        let path = self.directory.join(shard_name(number));
        let bytes = fs::read(&path).map_err(DataError::io(&path))?;
        let (games, info) = shard::decode(&bytes).map_err(|problem| DataError::bad(&path, problem))?;
        if info != self.about.shards[number] {
            return Err(DataError::bad(&path, "a shard of another data set; make the set again"));
        }
        Ok(games)
    }
}

/// A position to learn from, in the game's notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleText {
    /// The position.
    pub position: String,
    /// The move that was played.
    pub mv: String,
    /// The result of the game.
    pub outcome: Outcome,
    /// As [`Sample::ply`].
    pub ply: u32,
    /// As [`Sample::source`].
    pub source: u64,
}

/// A finished set whose game is not known statically.
pub trait AnyDataSet {
    /// What the set says of itself.
    fn info(&self) -> &DataSetInfo;

    /// Reads a shard, and checks every move in it.
    ///
    /// # Errors
    /// As [`DataSet::read_shard`].
    fn check_shard(&self, number: usize) -> Result<(), DataError>;

    /// The samples of a shard at these places, in the game's notation.
    ///
    /// # Errors
    /// As [`DataSet::read_shard`].
    fn samples(&self, shard: usize, places: &[usize]) -> Result<Vec<SampleText>, DataError>;
}

impl<G: Game> AnyDataSet for DataSet<G> {
    fn info(&self) -> &DataSetInfo {
        &self.about
    }

    fn check_shard(&self, number: usize) -> Result<(), DataError> {
        self.read_shard(number).map(drop)
    }

    fn samples(&self, shard: usize, places: &[usize]) -> Result<Vec<SampleText>, DataError> {
        let shard = self.read_shard(shard)?;
        let text = |&place: &usize| {
            let Sample { position, mv, outcome, ply, source, .. } = shard.sample(place);
            let mv = position.format_move(mv);
            SampleText { position: self.game.format_position(&position), mv, outcome, ply, source }
        };
        Ok(places.iter().map(text).collect())
    }
}

/// A game in memory, its moves checked.
#[derive(Debug)]
struct Line<P: Position> {
    number: u64,
    outcome: Outcome,
    start: P,
    moves: Vec<P::Move>,
    kept: Vec<u32>,
}

impl<P: Position> Line<P> {
    fn new<G: Game<Position = P>>(game: &G, stored: &StoredGame) -> Result<Line<P>, String> {
        let start = game::parse_line(game, &stored.start).map_err(|error| error.to_string())?;
        let mut position = start.clone();
        let mut legal = Vec::new();
        let mut moves = Vec::with_capacity(stored.moves.len());
        for (number, &bits) in (1..).zip(&stored.moves) {
            position.moves(&mut legal);
            let mv = P::Move::from_bits(bits).filter(|mv| legal.contains(mv));
            let mv = mv.ok_or_else(|| format!("move {number} ({bits:#x}) is not legal"))?;
            moves.push(mv);
            position.play(mv);
        }
        Ok(Line { number: stored.number, outcome: stored.outcome, start, moves, kept: stored.kept.clone() })
    }
}

/// The games of a shard in memory, which takes a few bytes a move.
#[derive(Debug)]
pub struct Shard<P: Position> {
    games: Vec<Line<P>>,
    /// For each game, the number of positions up to its end.
    ends: Vec<usize>,
    first_game: u64,
}

impl<P: Position> Shard<P> {
    /// Positions in the shard.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number in the set of the game that position number `index` belongs to, without replaying it.
    ///
    /// # Panics
    /// If there is no position of this number.
    pub fn game_of(&self, index: usize) -> u64 {
        self.first_game + self.place(index).0 as u64
    }

    /// Position number `index`: its game is replayed up to there.
    ///
    /// # Panics
    /// If there is no position of this number.
    pub fn sample(&self, index: usize) -> Sample<P> {
        let (game, nth) = self.place(index);
        let line = &self.games[game];
        let ply = line.kept[nth] as usize;
        let mut position = line.start.clone();
        line.moves[..ply].iter().for_each(|&mv| position.play(mv));
        self.make(game, ply, position)
    }

    /// Every position in order, each game replayed once.
    pub fn samples(&self) -> impl Iterator<Item = Sample<P>> + '_ {
        self.games.iter().enumerate().flat_map(move |(game, line)| {
            let mut position = line.start.clone();
            let mut played = 0;
            line.kept.iter().map(move |&ply| {
                let ply = ply as usize;
                line.moves[played..ply].iter().for_each(|&mv| position.play(mv));
                played = ply;
                self.make(game, ply, position.clone())
            })
        })
    }

    fn make(&self, game: usize, ply: usize, position: P) -> Sample<P> {
        let line = &self.games[game];
        Sample {
            position,
            mv: line.moves[ply],
            outcome: line.outcome,
            game: self.first_game + game as u64,
            ply: ply as u32,
            source: line.number,
        }
    }

    /// The game in this shard of a position, and which of its kept positions it is.
    fn place(&self, index: usize) -> (usize, usize) {
        assert!(index < self.len(), "position {index} of {}", self.len());
        let game = self.ends.partition_point(|&end| end <= index);
        let before = if game == 0 { 0 } else { self.ends[game - 1] };
        (game, index - before)
    }
}
