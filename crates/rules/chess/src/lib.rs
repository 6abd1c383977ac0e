//! Chess, with the tables and notations of [`shakmaty`].
//!
//! | file | what it holds |
//! |---|---|
//! | [`position`] | [`ChessPosition`]: the board, the history, the draws |
//! | [`board`] | [`Board`]: the pieces and what belongs to them, in 64 bytes |
//! | [`mv`] | [`ChessMove`]: a move in 16 bits, and UCI |
//! | `movegen` | legal moves as sets of destinations |
//! | [`fen`], [`san`], [`pgn`] | notation of positions, moves and games |
//! | [`encoder`] | planes and policy indices |
//! | [`features`] | sparse inputs for integer networks |
//! | `mate` | positions as mate solvers see them |
//! | `tactics` | checks, captures and exchanges, for selective search |
//! | `heuristic`, `render`, `scene` | a quick judgement, a text board, a board to be drawn |

pub mod board;
pub mod encoder;
pub mod features;
pub mod fen;
mod heuristic;
mod mate;
mod movegen;
pub mod mv;
pub mod pgn;
pub mod position;
mod render;
pub mod san;
mod scene;
mod tactics;
#[cfg(test)]
mod tests;

pub use board::Board;
pub use mv::ChessMove;
pub use position::{ChessPosition, DrawRules};

use shakmaty::Role;
use std::sync::Arc;
use tesuji_core::{
    Encoder, Encoders, Features, GameRules, Heuristics, MateHooks, MateVisitor, ParseError, Render, RuleBot, Rules,
    Scene, Side, Step, Style,
};

/// The game. Both sets of rules are the same: the policy-network paper plays by the official ones.
#[derive(Clone, Copy, Debug)]
pub struct Chess {
    rules: Rules,
    draws: DrawRules,
}

impl Chess {
    /// The game with the official draws.
    pub fn new(rules: Rules) -> Chess {
        Chess::with_draws(rules, DrawRules::OFFICIAL)
    }

    /// The game with other draw rules.
    pub fn with_draws(rules: Rules, draws: DrawRules) -> Chess {
        Chess { rules, draws }
    }
}

impl GameRules for Chess {
    type Position = ChessPosition;

    fn handle(&self) -> Arc<dyn tesuji_core::AnyGame> {
        Arc::new(*self)
    }

    fn name(&self) -> &'static str {
        "chess"
    }

    fn title(&self) -> &'static str {
        "Chess"
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "white",
            Side::Second => "black",
        }
    }

    fn start(&self) -> ChessPosition {
        ChessPosition::new(shakmaty::Chess::new(), self.draws)
    }

    /// Reads FEN; see [`fen::parse`].
    fn parse_position(&self, text: &str) -> Result<ChessPosition, ParseError> {
        fen::parse(text).map(|board| ChessPosition::new(board, self.draws))
    }

    fn format_position(&self, position: &ChessPosition) -> String {
        fen::format(position.board())
    }
}

impl Render for Chess {
    fn render(&self, position: &ChessPosition, style: Style) -> String {
        render::render(position, style)
    }

    fn scene(&self, position: &ChessPosition) -> Scene {
        scene::scene(position)
    }

    fn steps(&self, _position: &ChessPosition, mv: ChessMove, _moves: &[ChessMove]) -> Vec<Step> {
        scene::steps(mv)
    }

    fn notation(&self, position: &ChessPosition, mv: ChessMove) -> String {
        san::format(position.board(), mv)
    }
}

impl Heuristics for Chess {
    fn heuristic(&self, position: &ChessPosition) -> i32 {
        heuristic::heuristic(position)
    }

    fn capture(&self, position: &ChessPosition, mv: ChessMove) -> f32 {
        match movegen::widen(position.board(), mv).capture() {
            Some(Role::Queen) => 9.0,
            Some(Role::Rook) => 5.0,
            Some(Role::Bishop | Role::Knight) => 3.0,
            Some(Role::Pawn) => 1.0,
            Some(Role::King) | None => 0.0,
        }
    }
}

impl RuleBot for Chess {}

impl MateHooks for Chess {
    /// Reads FEN or EPD, whose operations are ignored.
    fn mate_problem<V: MateVisitor>(&self, text: &str, visitor: V) -> Option<Result<V::Output, ParseError>> {
        Some(mate::parse(text).map(|board| visitor.visit(&board)))
    }

    fn mate_board<V: MateVisitor>(&self, position: &ChessPosition, visitor: V) -> Option<V::Output> {
        Some(visitor.visit(position.board()))
    }
}

impl Encoders for Chess {
    fn encoders(&self) -> Vec<Box<dyn Encoder<ChessPosition>>> {
        vec![Box::new(encoder::Planes), Box::new(encoder::PaperPlanes)]
    }

    fn features(&self) -> Vec<Box<dyn Features<ChessPosition>>> {
        vec![Box::new(features::KingPieces)]
    }
}
