//! One game: its rules, notation and everything that belongs to it but not to a search.

use crate::handle::AnyGame;
use crate::rules::{Rules, Style};
use crate::{
    Encoder, Features, MateVisitor, MoveError, MoveList, ParseError, Position, Scene, Side, Step, Stream, bot,
};
use std::sync::Arc;

/// One game under one set of rules: everything that the rest of Tesuji asks of it.
///
/// Nobody implements this trait: whatever implements its parts is a game. A game is added by implementing them and
/// [`Position`], by one line in the registry of `tesuji-games` and by its kit; see `docs/adding-a-game.md`.
pub trait Game: GameRules + Render + Heuristics + RuleBot + MateHooks + Encoders {}

impl<G: GameRules + Render + Heuristics + RuleBot + MateHooks + Encoders> Game for G {}

/// A move of a game.
pub type MoveOf<G> = <<G as GameRules>::Position as Position>::Move;

/// What is played: names, rules, starts and the notation of positions.
pub trait GameRules: Clone + Send + Sync + 'static {
    /// A state of play.
    type Position: Position;

    /// The game without its type: a copy in an `Arc`, written in each game so that it is compiled once, in the
    /// game's own crate, and not wherever a handle is asked for.
    fn handle(&self) -> Arc<dyn AnyGame>;

    /// The name on the command line, in files and in records: lower case, no spaces.
    fn name(&self) -> &'static str;

    /// One line for people.
    fn title(&self) -> &'static str;

    /// The rules in force.
    fn rules(&self) -> Rules;

    /// Raised whenever rules or numeric move forms change so that old records no longer replay.
    fn rules_version(&self) -> u32 {
        1
    }

    /// What the players of this game are called ("black", "red").
    fn side_name(&self, side: Side) -> &'static str;

    /// The start of the game.
    fn start(&self) -> Self::Position;

    /// A start for one game of self-play: [`start`](Self::start) unless the game is played from varied starts.
    fn varied_start(&self, _random: &mut Stream) -> Self::Position {
        self.start()
    }

    /// Reads a position in the game's notation (`startpos` is handled by [`parse_line`]).
    ///
    /// # Errors
    /// If the text is malformed or describes an impossible position.
    fn parse_position(&self, text: &str) -> Result<Self::Position, ParseError>;

    /// The position in the game's notation, or `startpos`, such that [`parse_line`] gives it back (less its history).
    fn format_position(&self, position: &Self::Position) -> String;
}

/// How a game is shown.
pub trait Render: GameRules {
    /// The position as a board for a terminal, without a trailing newline.
    fn render(&self, position: &Self::Position, style: Style) -> String;

    /// The position as boards and pieces: everything but the players and the side to move, which the handle adds.
    fn scene(&self, position: &Self::Position) -> Scene;

    /// The steps in which a person makes a move, which is one of `moves`, the position's moves. No two moves have the same
    /// steps, and those of one are never the beginning of another's.
    fn steps(&self, position: &Self::Position, mv: MoveOf<Self>, moves: &[MoveOf<Self>]) -> Vec<Step>;

    /// The legal move as the game's people write it.
    fn notation(&self, position: &Self::Position, mv: MoveOf<Self>) -> String {
        position.format_move(mv)
    }

    /// Reads a legal move as people type it: in the notation of [`Position::parse_move`], or as [`notation`](Self::notation)
    /// writes it. `last` is the move before, if there was one: some write "the same square".
    ///
    /// # Errors
    /// If no legal move is written so.
    fn read(
        &self,
        position: &Self::Position,
        text: &str,
        _last: Option<MoveOf<Self>>,
    ) -> Result<MoveOf<Self>, MoveError> {
        position.parse_move(text).or_else(|error| {
            let bare = |text: &str| text.replace(' ', "").to_lowercase();
            let mut moves = MoveList::new();
            position.moves(&mut moves);
            let wanted = bare(text);
            moves.iter().copied().find(|&mv| bare(&self.notation(position, mv)) == wanted).ok_or(error)
        })
    }
}

/// Static evaluation of positions and of single moves.
pub trait Heuristics: GameRules {
    /// A static evaluation for the **first** player, in hundredths of a pawn (or of the game's smallest unit of
    /// advantage). Need not see wins and losses: searches ask [`Position::outcome`] first.
    fn heuristic(&self, position: &Self::Position) -> i32;

    /// The size of [`heuristic`](Self::heuristic) that means "clearly winning": `tanh(h / scale)` is a value.
    fn heuristic_scale(&self) -> f32 {
        600.0
    }

    /// How strong a legal move looks at first sight, above 0, 1 for an ordinary one: playouts draw move i with
    /// probability `strength_i / sum of strengths`, and trees try strong moves first.
    fn move_strength(&self, _position: &Self::Position, _mv: MoveOf<Self>) -> f32 {
        1.0
    }

    /// The features of moves that strengths are learned for, at most 64 of them, by name.
    fn feature_names(&self) -> &'static [&'static str] {
        &["attacks"]
    }

    /// The features that a legal move has: bit i for number i of [`feature_names`](Self::feature_names).
    fn move_features(&self, position: &Self::Position, mv: MoveOf<Self>) -> u64 {
        u64::from(position.is_attack(mv))
    }

    /// What a legal move gains for its mover at once, where 10 is a won game: the sum of these scores a playout that is
    /// cut short.
    ///
    /// The default counts captures and attacks alike.
    fn reward(&self, position: &Self::Position, mv: MoveOf<Self>) -> f32 {
        if position.is_attack(mv) { 1.0 } else { 0.0 }
    }

    /// What a legal move captures, 1 for the least: the reward of deep Q-learning on the way to the game's result.
    fn capture(&self, _position: &Self::Position, _mv: MoveOf<Self>) -> f32 {
        0.0
    }
}

/// A player by simple rules: a baseline for people and searches.
pub trait RuleBot: GameRules {
    /// The rule bot's choice among `moves`, which are the position's moves and not empty.
    ///
    /// The default wins at once if it can, else stops the opponent from doing so, else plays at random.
    fn bot_move(&self, position: &Self::Position, moves: &[MoveOf<Self>], random: &mut Stream) -> MoveOf<Self> {
        bot::win_block_random(position, moves, random)
    }

    /// One line on what [`bot_move`](Self::bot_move) does.
    fn bot_title(&self) -> &'static str {
        "wins at once if it can, else blocks a win, else random"
    }
}

/// The game as mate solvers see it; the defaults are for games without mate.
pub trait MateHooks: GameRules {
    /// Does a visitor's work on a position as mate solvers see it, in which the attacker's king may be missing; `None`
    /// if the game has no mate.
    ///
    /// # Errors
    /// If the text is malformed or describes an impossible position.
    fn mate_problem<V: MateVisitor>(&self, _text: &str, _visitor: V) -> Option<Result<V::Output, ParseError>> {
        None
    }

    /// Does a visitor's work on a position of a game in progress as mate solvers see it; `None` if the game has no mate.
    fn mate_board<V: MateVisitor>(&self, _position: &Self::Position, _visitor: V) -> Option<V::Output> {
        None
    }
}

/// How networks see the game.
pub trait Encoders: GameRules {
    /// The encoders of this game, the default one first.
    fn encoders(&self) -> Vec<Box<dyn Encoder<Self::Position>>>;

    /// The sparse inputs of this game for integer networks, the default ones first; empty if it has none.
    fn features(&self) -> Vec<Box<dyn Features<Self::Position>>> {
        Vec::new()
    }
}

/// Reads `POSITION [moves M1 M2 ...]`, where POSITION is `startpos` or the game's own notation.
///
/// # Errors
/// If the position is malformed, or a move is malformed or illegal; the error says which move.
pub fn parse_line<G: GameRules>(game: &G, text: &str) -> Result<G::Position, ParseError> {
    let text = text.trim();
    let (head, moves) = match text.split_once(" moves") {
        Some((head, rest)) if rest.is_empty() || rest.starts_with(char::is_whitespace) => (head.trim(), rest),
        _ => (text, ""),
    };
    let position = if head == "startpos" { game.start() } else { game.parse_position(head)? };
    parse_moves(position, moves)
}

/// Plays the moves in `text` from a position: the second half of [`parse_line`], and the whole of it for the games
/// whose position notation is a move list.
///
/// # Errors
/// If a word is not a legal move; the error says which one.
pub fn parse_moves<P: Position>(mut position: P, text: &str) -> Result<P, ParseError> {
    for (number, word) in text.split_whitespace().enumerate() {
        let mv = position
            .parse_move(word)
            .map_err(|error| ParseError::new("move list", word, format!("move {}: {error}", number + 1)))?;
        position.play(mv);
    }
    Ok(position)
}

/// The moves by the rules of movement ([`Position::movements`]) in the game's notation, sorted.
pub fn sorted_moves<P: Position>(position: &P) -> Vec<String> {
    let mut moves = MoveList::new();
    position.movements(&mut moves);
    let mut texts: Vec<String> = moves.into_iter().map(|mv| position.format_move(mv)).collect();
    texts.sort_unstable();
    texts
}
