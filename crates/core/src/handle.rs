//! Games and positions behind object-safe traits.
//!
//! [`Game`](crate::Game) and [`Position`] are for loops that must be fast: searches, self-play, sampling. Everything above them
//! (matches, protocols, runs, commands, servers) sees [`AnyGame`] and [`AnyPosition`], so it is compiled once and not
//! once for each game. Both are implemented for every game in `held.rs`; nobody else implements them.

use crate::rules::{Rules, Style};
use crate::{Gesture, Move, MoveError, Outcome, ParseError, Position, Scene, Shape, Side, Stream};
use std::any::Any;

/// A move by its stable number ([`Move::to_bits`]): what moves are called where the game is not known statically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoveId(pub u32);

impl MoveId {
    /// The number of a move.
    pub fn of<M: Move>(mv: M) -> MoveId {
        MoveId(mv.to_bits())
    }

    /// The move of this number.
    ///
    /// # Panics
    /// If no move of the game has it: the number came from another game.
    pub fn typed<M: Move>(self) -> M {
        M::from_bits(self.0).unwrap_or_else(|| panic!("no move of this game has the number {:#x}", self.0))
    }
}

impl Move for MoveId {
    fn to_bits(self) -> u32 {
        self.0
    }

    fn from_bits(bits: u32) -> Option<MoveId> {
        Some(MoveId(bits))
    }
}

/// What is known of an encoder without its game's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncoderInfo {
    /// The name in experiment and weight files.
    pub name: &'static str,
    /// See [`Encoder::version`](crate::Encoder::version).
    pub version: u32,
    /// The shape of one view.
    pub shape: Shape,
    /// The length of the policy of one view.
    pub policy_len: usize,
    /// See [`Encoder::policy_planes`](crate::Encoder::policy_planes).
    pub policy_planes: Option<usize>,
    /// The numbers of things that can move and of places to move to, if moves can be chosen in two steps.
    pub pairs: Option<(usize, usize)>,
}

/// What is known of the sparse inputs of a game without its types; see [`Features`](crate::Features).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeaturesInfo {
    /// The name in experiment and weight files.
    pub name: &'static str,
    /// See [`Features::version`](crate::Features::version).
    pub version: u32,
    /// How many inputs a perspective has.
    pub inputs: usize,
    /// The most that are active at once.
    pub most_active: usize,
    /// The shared input of each input; see [`Features::shared`](crate::Features::shared).
    pub shared: Vec<u32>,
    /// How many shared inputs there are.
    pub shared_inputs: usize,
}

/// A game under one set of rules.
pub trait AnyGame: Send + Sync {
    /// The name on the command line, in files and in records.
    fn name(&self) -> &'static str;

    /// One line for people.
    fn title(&self) -> &'static str;

    /// The rules in force.
    fn rules(&self) -> Rules;

    /// The version of the rules' implementation; see [`GameRules::rules_version`](crate::GameRules::rules_version).
    fn rules_version(&self) -> u32;

    /// What the players of this game are called ("black", "red").
    fn side_name(&self, side: Side) -> &'static str;

    /// The start of the game.
    fn start(&self) -> Box<dyn AnyPosition>;

    /// A start for one game of self-play; the usual start unless the game is played from varied starts.
    fn varied_start(&self, random: &mut Stream) -> Box<dyn AnyPosition>;

    /// Reads `POSITION [moves M1 M2 ...]`, where POSITION is `startpos` or the game's own notation.
    ///
    /// # Errors
    /// If the position is malformed, or a move is malformed or illegal; the error says which move.
    fn parse(&self, line: &str) -> Result<Box<dyn AnyPosition>, ParseError>;

    /// The encoders of this game, the default one first.
    fn encoders(&self) -> Vec<EncoderInfo>;

    /// The sparse inputs of this game, the default ones first; empty if it has none.
    fn features(&self) -> Vec<FeaturesInfo>;

    /// One line on what the rule bot does.
    fn bot_title(&self) -> &'static str;

    /// The size of the heuristic that means "clearly winning": `tanh(h / scale)` is a value.
    fn heuristic_scale(&self) -> f32;

    /// The game itself, for code that knows its type.
    fn as_any(&self) -> &dyn Any;
}

/// A state of play, with the history that its rules need.
pub trait AnyPosition: Send + Sync {
    /// The game.
    fn game(&self) -> &dyn AnyGame;

    /// The side to move.
    fn mover(&self) -> Side;

    /// Moves played since the start of the game.
    fn ply(&self) -> u32;

    /// A hash of everything but the history.
    fn key(&self) -> u64;

    /// How the game has ended; `None` if it has not.
    fn outcome(&self) -> Option<Outcome>;

    /// Why the game ended; empty if it has not.
    fn ending(&self) -> &'static str;

    /// Whether a game that has ended did so by its history: see [`Position::ended_by_history`].
    fn ended_by_history(&self) -> bool;

    /// Whether the side to move is in check.
    fn in_check(&self) -> bool;

    /// How many symmetries the rules have here, the identity included.
    fn symmetries(&self) -> usize;

    /// The game's static evaluation for the first player; see [`Heuristics::heuristic`](crate::Heuristics::heuristic).
    fn heuristic(&self) -> i32;

    /// The moves that may be played: none exactly if the game has ended.
    fn moves(&self) -> Vec<MoveId>;

    /// The moves by the rules of movement, which perft counts: listed also where the game has ended by adjudication.
    fn movements(&self) -> Vec<MoveId>;

    /// The move in the game's usual notation.
    ///
    /// # Panics
    /// If no move of the game has this number.
    fn format_move(&self, mv: MoveId) -> String;

    /// Reads a move in the game's notation.
    ///
    /// # Errors
    /// If the text is not a move, or the move is not legal here.
    fn parse_move(&self, text: &str) -> Result<MoveId, MoveError>;

    /// Plays a move.
    ///
    /// # Errors
    /// If it is not a legal move here or the game is over; the position is unchanged.
    fn play(&mut self, mv: MoveId) -> Result<(), MoveError>;

    /// Plays a move that the rules of movement allow, also where the game has ended by adjudication: clients and perft
    /// continue there.
    ///
    /// # Errors
    /// If it is none of [`movements`](Self::movements); the position is unchanged.
    fn play_on(&mut self, mv: MoveId) -> Result<(), MoveError>;

    /// Plays random moves until the game ends or `limit` moves have been played; see [`Position::playout`].
    fn playout(&mut self, random: &mut Stream, limit: u32) -> Option<Outcome>;

    /// The number of move paths of a length; `bulk` counts the moves of the last ply instead of playing them.
    fn perft(&self, depth: u32, bulk: bool) -> u64;

    /// The position in the game's notation, or `startpos`.
    fn text(&self) -> String;

    /// The position as a board for a terminal, without a trailing newline.
    fn render(&self, style: Style) -> String;

    /// The position as boards and pieces, to be drawn.
    fn scene(&self) -> Scene;

    /// Every move that may be played, as the steps in which a person makes it; in the order of [`moves`](Self::moves).
    fn gestures(&self) -> Vec<Gesture>;

    /// The legal move as the game's people write it.
    ///
    /// # Panics
    /// If no move of the game has this number.
    fn notation(&self, mv: MoveId) -> String;

    /// Reads a legal move as people type it; `last` is the move before, if there was one.
    ///
    /// # Errors
    /// If no legal move is written so.
    fn read_move(&self, text: &str, last: Option<MoveId>) -> Result<MoveId, MoveError>;

    /// A copy.
    fn boxed(&self) -> Box<dyn AnyPosition>;

    /// The position itself, for code that knows its type: see [`typed`].
    fn as_any(&self) -> &dyn Any;
}

impl Clone for Box<dyn AnyPosition> {
    fn clone(&self) -> Box<dyn AnyPosition> {
        self.boxed()
    }
}

impl dyn AnyPosition + '_ {
    /// A line of moves from here in the game's notation.
    ///
    /// # Panics
    /// If one of them is not legal where it stands.
    pub fn format_line(&self, line: &[MoveId]) -> Vec<String> {
        let mut position = self.boxed();
        let text = |&mv: &MoveId| {
            let text = position.format_move(mv);
            position.play(mv).expect("lines are made of legal moves");
            text
        };
        line.iter().map(text).collect()
    }

    /// The moves by the rules of movement in the game's notation, sorted.
    pub fn sorted_moves(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.movements().into_iter().map(|mv| self.format_move(mv)).collect();
        texts.sort_unstable();
        texts
    }
}

/// The position behind a handle, as its own type.
///
/// # Panics
/// If it is a position of another game.
pub fn typed<P: Position>(position: &dyn AnyPosition) -> &P {
    let typed = position.as_any().downcast_ref();
    typed.unwrap_or_else(|| panic!("a position of another game than {}", position.game().name()))
}
