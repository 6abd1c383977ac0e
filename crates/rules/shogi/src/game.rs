//! Shogi and minishogi as the rest of Tesuji sees them.

use super::board::Board;
use super::encoder::{Dqn, Fixed, Layout, Planes};
use super::features::KingPieces;
use super::geometry::{Five, Geometry, Nine};
use super::mv::Move;
use super::position::ShogiPosition;
use super::rules::EndRules;
use super::setup::Setup;
use super::{heuristic, render, scene, strength, written};
use std::marker::PhantomData;
use std::sync::Arc;
use tesuji_core::{
    Encoder, Encoders, Features, GameRules, Heuristics, MateHooks, MateVisitor, MoveError, ParseError, Position,
    Render, RuleBot, Rules, Scene, Side, Step, Style,
};

/// The game on one of the boards.
#[derive(Clone, Copy, Debug)]
pub struct ShogiGame<G> {
    rules: Rules,
    ends: EndRules,
    geometry: PhantomData<G>,
}

/// Shogi: 9x9.
pub type Shogi = ShogiGame<Nine>;

/// Minishogi: 5x5.
pub type Minishogi = ShogiGame<Five>;

impl<G: Geometry> ShogiGame<G> {
    /// The game under the given rules; see [`EndRules::of`].
    pub fn new(rules: Rules) -> ShogiGame<G> {
        ShogiGame::with_ends(rules, EndRules::of::<G>(rules))
    }

    /// The game with end rules of its own, known by the name of the given rules.
    pub fn with_ends(rules: Rules, ends: EndRules) -> ShogiGame<G> {
        ShogiGame { rules, ends, geometry: PhantomData }
    }

    /// The end rules.
    pub fn ends(&self) -> EndRules {
        self.ends
    }
}

fn shogi_handle(rules: Rules, ends: EndRules) -> Arc<dyn tesuji_core::AnyGame> {
    Arc::new(Shogi::with_ends(rules, ends))
}

fn minishogi_handle(rules: Rules, ends: EndRules) -> Arc<dyn tesuji_core::AnyGame> {
    Arc::new(Minishogi::with_ends(rules, ends))
}

impl<G: Geometry> GameRules for ShogiGame<G> {
    type Position = ShogiPosition<G>;

    fn handle(&self) -> Arc<dyn tesuji_core::AnyGame> {
        // By functions that are not generic, so that both boards are compiled here.
        if G::SIZE == 9 { shogi_handle(self.rules, self.ends) } else { minishogi_handle(self.rules, self.ends) }
    }

    fn name(&self) -> &'static str {
        if G::SIZE == 9 { "shogi" } else { "minishogi" }
    }

    fn title(&self) -> &'static str {
        if G::SIZE == 9 { "Shogi, 9x9" } else { "Minishogi, 5x5" }
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn side_name(&self, side: Side) -> &'static str {
        match side {
            Side::First => "black",
            Side::Second => "white",
        }
    }

    fn start(&self) -> ShogiPosition<G> {
        ShogiPosition::new(Board::start(), 0, self.ends)
    }

    fn parse_position(&self, text: &str) -> Result<ShogiPosition<G>, ParseError> {
        let setup: Setup<G> = text.parse()?;
        Ok(ShogiPosition::new(setup.board()?, setup.number - 1, self.ends))
    }

    fn format_position(&self, position: &ShogiPosition<G>) -> String {
        position.sfen()
    }
}

impl<G: Geometry> Render for ShogiGame<G> {
    fn render(&self, position: &ShogiPosition<G>, style: Style) -> String {
        render::render(position, style)
    }

    fn scene(&self, position: &ShogiPosition<G>) -> Scene {
        scene::scene(position)
    }

    fn steps(&self, _position: &ShogiPosition<G>, mv: Move, moves: &[Move]) -> Vec<Step> {
        scene::steps::<G>(mv, moves)
    }

    fn notation(&self, position: &ShogiPosition<G>, mv: Move) -> String {
        scene::notation(position, mv)
    }

    fn read(&self, position: &ShogiPosition<G>, text: &str, last: Option<Move>) -> Result<Move, MoveError> {
        match position.parse_move(text) {
            Err(MoveError::Malformed(_)) => written::read(position, text, last.map(Move::to)),
            known => known,
        }
    }
}

impl<G: Geometry> Heuristics for ShogiGame<G> {
    fn heuristic(&self, position: &ShogiPosition<G>) -> i32 {
        heuristic::evaluate(position.board())
    }

    fn heuristic_scale(&self) -> f32 {
        heuristic::SCALE
    }

    fn move_strength(&self, position: &ShogiPosition<G>, mv: Move) -> f32 {
        strength::move_strength(position.board(), mv)
    }

    fn feature_names(&self) -> &'static [&'static str] {
        strength::FEATURES
    }

    fn move_features(&self, position: &ShogiPosition<G>, mv: Move) -> u64 {
        strength::features(position.board(), mv)
    }

    fn reward(&self, position: &ShogiPosition<G>, mv: Move) -> f32 {
        strength::reward(position.board(), mv)
    }

    fn capture(&self, position: &ShogiPosition<G>, mv: Move) -> f32 {
        let captured = if mv.is_drop() { None } else { position.board().piece(mv.to()) };
        captured.map_or(0.0, |piece| strength::CAPTURE[piece.kind.index()])
    }
}

impl<G: Geometry> RuleBot for ShogiGame<G> {}

impl<G: Geometry> MateHooks for ShogiGame<G> {
    fn mate_problem<V: MateVisitor>(&self, text: &str, visitor: V) -> Option<Result<V::Output, ParseError>> {
        let board = text.parse::<Setup<G>>().and_then(|setup| setup.mate_problem());
        Some(board.map(|board| visitor.visit(&board)))
    }

    fn mate_board<V: MateVisitor>(&self, position: &ShogiPosition<G>, visitor: V) -> Option<V::Output> {
        Some(visitor.visit(position.board()))
    }
}

impl<G: Geometry> Encoders for ShogiGame<G> {
    fn encoders(&self) -> Vec<Box<dyn Encoder<ShogiPosition<G>>>> {
        let mut encoders: Vec<Box<dyn Encoder<ShogiPosition<G>>>> = vec![Box::new(Planes)];
        if G::SIZE == 5 {
            encoders.push(Box::new(Fixed));
        }
        encoders.push(Box::new(Dqn { layout: Layout::Channels }));
        encoders.push(Box::new(Dqn { layout: Layout::Image }));
        encoders
    }

    fn features(&self) -> Vec<Box<dyn Features<ShogiPosition<G>>>> {
        vec![Box::new(KingPieces)]
    }
}
