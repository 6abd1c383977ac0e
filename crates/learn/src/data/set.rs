//! A set with the types of its game: samples.

use super::about::DataSetInfo;
use super::error::DataError;
use super::shard::StoredGame;
use super::stored::{Contents, Place, Stored};
use std::path::Path;
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
    /// The game's number in the set, from 0: see [`Folds`](super::folds::Folds).
    pub game: u64,
    /// The position's number in its game, from 0.
    pub ply: u32,
    /// The game's number among those that the set was made of, those that were passed over included, from 1.
    pub source: u64,
}

/// A finished set; its shards are read when they are asked for. What needs no types is [`Stored`].
#[derive(Debug)]
pub struct DataSet<G: Game> {
    game: G,
    stored: Stored,
}

impl<G: Game> std::ops::Deref for DataSet<G> {
    type Target = Stored;

    fn deref(&self) -> &Stored {
        &self.stored
    }
}

impl<G: Game> DataSet<G> {
    /// Opens a set, and checks that it is of this game and that its shards are there.
    ///
    /// # Errors
    /// If it is unfinished, of another game, rules or version, or a shard is missing or has another size: in one line.
    pub fn open(game: G, directory: &Path) -> Result<DataSet<G>, DataError> {
        Ok(DataSet { stored: Stored::open(&game, directory)?, game })
    }

    /// The game that it is of.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Reads a shard, and checks every move in it.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or not of this set, or holds a move that is not legal; the error names it.
    ///
    /// # Panics
    /// If there is no shard of this number.
    pub fn read_shard(&self, number: usize) -> Result<Shard<G::Position>, DataError> {
        let mut lines = Vec::new();
        let mut read = |stored: &StoredGame| {
            lines.push(Line::new(&self.game, stored)?);
            Ok(())
        };
        let contents = self.stored.read(number, &mut read)?;
        Ok(Shard { contents, lines })
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
        self.stored.about()
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

/// The moves of a game in memory, checked.
#[derive(Debug)]
struct Line<P: Position> {
    start: P,
    moves: Vec<P::Move>,
}

impl<P: Position> Line<P> {
    fn new<G: Game<Position = P>>(game: &G, stored: &StoredGame) -> Result<Line<P>, String> {
        let start = game::parse_line(game, &stored.start).map_err(|error| error.to_string())?;
        let mut position = start.clone();
        let mut legal = Vec::new();
        let mut moves = Vec::with_capacity(stored.moves.len());
        for &bits in &stored.moves {
            position.moves(&mut legal);
            let mv = P::Move::from_bits(bits).filter(|mv| legal.contains(mv));
            let mv = mv.ok_or_else(|| illegal(moves.len() + 1, bits))?;
            moves.push(mv);
            position.play(mv);
        }
        Ok(Line { start, moves })
    }
}

fn illegal(number: usize, bits: u32) -> String {
    format!("move {number} ({bits:#x}) is not legal")
}

/// The games of a shard in memory, which takes a few bytes a move. What needs no types is [`Contents`].
#[derive(Debug)]
pub struct Shard<P: Position> {
    contents: Contents,
    /// By game.
    lines: Vec<Line<P>>,
}

impl<P: Position> std::ops::Deref for Shard<P> {
    type Target = Contents;

    fn deref(&self) -> &Contents {
        &self.contents
    }
}

impl<P: Position> Shard<P> {
    /// Where its games start.
    pub fn starts(&self) -> impl Iterator<Item = &P> {
        self.lines.iter().map(|line| &line.start)
    }

    /// Position number `index`: its game is replayed up to there.
    ///
    /// # Panics
    /// If there is no position of this number.
    pub fn sample(&self, index: usize) -> Sample<P> {
        let place = self.contents.place(index);
        let line = &self.lines[place.game];
        let mut position = line.start.clone();
        line.moves[..place.ply].iter().for_each(|&mv| position.play(mv));
        self.make(place, position)
    }

    /// Every position in order, each game replayed once.
    pub fn samples(&self) -> impl Iterator<Item = Sample<P>> + '_ {
        self.lines.iter().enumerate().flat_map(move |(game, line)| {
            let mut position = line.start.clone();
            let mut played = 0;
            self.contents.kept(game).iter().map(move |&ply| {
                let ply = ply as usize;
                line.moves[played..ply].iter().for_each(|&mv| position.play(mv));
                played = ply;
                self.make(Place { game, ply }, position.clone())
            })
        })
    }

    fn make(&self, place: Place, position: P) -> Sample<P> {
        let (number, outcome, source) = self.contents.game(place.game);
        let mv = self.lines[place.game].moves[place.ply];
        Sample { position, mv, outcome, game: number, ply: place.ply as u32, source }
    }
}
