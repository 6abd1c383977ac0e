//! The handles of [`handle`](crate::handle), implemented once for every game.

use crate::handle::{AnyGame, AnyPosition, EncoderInfo, FeaturesInfo, MoveId};
use crate::rules::{Rules, Style};
use crate::scene::capital;
use crate::{
    Encoder, Encoders, Features, Game, GameRules, Gesture, Heuristics, Move, MoveError, MoveList, MoveOf, Outcome,
    ParseError, Position, RuleBot, Scene, Side, Stream, game, perft,
};
use std::any::Any;

/// A position with its game: what a `Box<dyn AnyPosition>` holds.
#[derive(Clone)]
pub struct Held<G: Game> {
    /// The game.
    pub game: G,
    /// The position.
    pub position: G::Position,
}

impl EncoderInfo {
    fn of<P: Position>(encoder: &dyn Encoder<P>) -> EncoderInfo {
        EncoderInfo {
            name: encoder.name(),
            version: encoder.version(),
            shape: encoder.shape(),
            policy_len: encoder.policy_len(),
            policy_planes: encoder.policy_planes(),
            pairs: encoder.pairs().map(|pairs| (pairs.what_len(), pairs.where_len())),
        }
    }
}

impl FeaturesInfo {
    fn of<P: Position>(features: &dyn Features<P>) -> FeaturesInfo {
        FeaturesInfo {
            name: features.name(),
            version: features.version(),
            inputs: features.inputs(),
            most_active: features.most_active(),
            shared: (0..features.inputs() as u32).map(|input| features.shared(input)).collect(),
            shared_inputs: features.shared_inputs(),
        }
    }
}

impl<G: Game> Held<G> {
    fn boxed_of(game: &G, position: G::Position) -> Box<dyn AnyPosition> {
        Box::new(Held { game: game.clone(), position })
    }

    fn listed(&self, list: impl FnOnce(&G::Position, &mut MoveList<MoveOf<G>>)) -> Vec<MoveId> {
        let mut moves = MoveList::new();
        list(&self.position, &mut moves);
        moves.into_iter().map(MoveId::of).collect()
    }
}

impl<G: Game> AnyGame for G {
    fn name(&self) -> &'static str {
        GameRules::name(self)
    }

    fn title(&self) -> &'static str {
        GameRules::title(self)
    }

    fn rules(&self) -> Rules {
        GameRules::rules(self)
    }

    fn rules_version(&self) -> u32 {
        GameRules::rules_version(self)
    }

    fn side_name(&self, side: Side) -> &'static str {
        GameRules::side_name(self, side)
    }

    fn start(&self) -> Box<dyn AnyPosition> {
        Held::boxed_of(self, GameRules::start(self))
    }

    fn varied_start(&self, random: &mut Stream) -> Box<dyn AnyPosition> {
        Held::boxed_of(self, GameRules::varied_start(self, random))
    }

    fn parse(&self, line: &str) -> Result<Box<dyn AnyPosition>, ParseError> {
        Ok(Held::boxed_of(self, game::parse_line(self, line)?))
    }

    fn encoders(&self) -> Vec<EncoderInfo> {
        Encoders::encoders(self).iter().map(|encoder| EncoderInfo::of(encoder.as_ref())).collect()
    }

    fn features(&self) -> Vec<FeaturesInfo> {
        Encoders::features(self).iter().map(|features| FeaturesInfo::of(features.as_ref())).collect()
    }

    fn bot_title(&self) -> &'static str {
        RuleBot::bot_title(self)
    }

    fn heuristic_scale(&self) -> f32 {
        Heuristics::heuristic_scale(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<G: Game> AnyPosition for Held<G> {
    fn game(&self) -> &dyn AnyGame {
        &self.game
    }

    fn mover(&self) -> Side {
        self.position.mover()
    }

    fn ply(&self) -> u32 {
        self.position.ply()
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn ending(&self) -> &'static str {
        self.position.ending()
    }

    fn ended_by_history(&self) -> bool {
        self.position.ended_by_history()
    }

    fn in_check(&self) -> bool {
        self.position.in_check()
    }

    fn symmetries(&self) -> usize {
        self.position.symmetries()
    }

    fn heuristic(&self) -> i32 {
        self.game.heuristic(&self.position)
    }

    fn moves(&self) -> Vec<MoveId> {
        self.listed(G::Position::moves)
    }

    fn movements(&self) -> Vec<MoveId> {
        self.listed(G::Position::movements)
    }

    fn format_move(&self, mv: MoveId) -> String {
        self.position.format_move(mv.typed())
    }

    fn parse_move(&self, text: &str) -> Result<MoveId, MoveError> {
        self.position.parse_move(text).map(MoveId::of)
    }

    fn play(&mut self, mv: MoveId) -> Result<(), MoveError> {
        match Move::from_bits(mv.0) {
            Some(mv) => self.position.try_play(mv),
            None => Err(MoveError::illegal(&format!("{:#x}", mv.0))),
        }
    }

    fn play_on(&mut self, mv: MoveId) -> Result<(), MoveError> {
        let mut moves = MoveList::new();
        self.position.movements(&mut moves);
        let found = moves.into_iter().find(|&known| MoveId::of(known) == mv);
        let mv = found.ok_or_else(|| MoveError::illegal(&format!("{:#x}", mv.0)))?;
        self.position.play(mv);
        Ok(())
    }

    fn playout(&mut self, random: &mut Stream, limit: u32) -> Option<Outcome> {
        self.position.playout(random, limit)
    }

    fn perft(&self, depth: u32, bulk: bool) -> u64 {
        if bulk { perft::perft(&self.position, depth) } else { perft::perft_playing(&self.position, depth) }
    }

    fn text(&self) -> String {
        self.game.format_position(&self.position)
    }

    fn render(&self, style: Style) -> String {
        self.game.render(&self.position, style)
    }

    fn scene(&self) -> Scene {
        Scene {
            to_move: self.position.outcome().is_none().then(|| self.position.mover().index()),
            sides: Side::BOTH.map(|side| capital(GameRules::side_name(&self.game, side))),
            ..self.game.scene(&self.position)
        }
    }

    fn gestures(&self) -> Vec<Gesture> {
        let mut moves = MoveList::new();
        self.position.moves(&mut moves);
        let gesture = |&mv: &MoveOf<G>| Gesture {
            text: self.position.format_move(mv),
            notation: self.game.notation(&self.position, mv),
            steps: self.game.steps(&self.position, mv, &moves),
        };
        moves.iter().map(gesture).collect()
    }

    fn notation(&self, mv: MoveId) -> String {
        self.game.notation(&self.position, mv.typed())
    }

    fn read_move(&self, text: &str, last: Option<MoveId>) -> Result<MoveId, MoveError> {
        self.game.read(&self.position, text, last.map(MoveId::typed)).map(MoveId::of)
    }

    fn boxed(&self) -> Box<dyn AnyPosition> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        &self.position
    }
}
