//! Games played by alpha-beta, and read as positions to learn from: all that is compiled for each game.

use super::options::Targets;
use crate::methods::replayed::{played_elsewhere, same_rules};
use crate::networks::NnueEvaluator;
use crate::play::{AlphaBetaGames, AlphaBetaPlay, SelfPlay, Series};
use crate::run::Play;
use std::sync::Arc;
use tesuji_core::record::Played;
use tesuji_core::{Features, Game, GameRecord, MoveOf, Outcome, Position, Search, Stream, game};
use tesuji_nn::nnue::{NnueNetwork, Sample, Samples};
use tesuji_search::Selective;
use tesuji_search::evaluate::{EvaluatorSource, HeuristicEvaluator};
use tesuji_search::selective::SelectiveConfig;

/// How a generation is played.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// How games begin and end.
    pub selfplay: &'a SelfPlay,
    /// How moves are found.
    pub play: &'a AlphaBetaPlay,
    /// The run's seed.
    pub seed: u64,
    /// The generation, from 1.
    pub generation: u64,
}

/// How positions of a game are learned from.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// What they learn.
    pub targets: Targets,
    /// How much of it is the result.
    pub lambda: f32,
    /// Whether each position is seen under a symmetry that is drawn for it.
    pub symmetries: bool,
}

/// How often a search's value and the game's result had the same sign, where both had one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Positions in which they agreed.
    pub same: u64,
    /// Positions in which both had a sign.
    pub of: u64,
}

impl std::ops::AddAssign for Agreement {
    fn add_assign(&mut self, other: Agreement) {
        self.same += other.same;
        self.of += other.of;
    }
}

/// The games of a game.
pub trait NnueGames: Send + Sync {
    /// Whatever plays the games of a generation: with this network, or with the game's heuristic.
    fn generation<'a>(&'a self, plan: Plan<'a>, network: Option<Arc<NnueNetwork>>) -> Box<dyn Play + 'a>;

    /// Adds the quiet positions of a game to a set; `random` draws symmetries.
    ///
    /// # Errors
    /// If the record is of another game or other rules, or cannot be replayed, in words.
    fn read(&self, record: &GameRecord, lesson: Lesson, random: Stream, out: &mut Samples)
    -> Result<Agreement, String>;

    /// Checks a game that another process says it has played.
    ///
    /// # Errors
    /// If it cannot be learned from, in words.
    fn check(&self, record: &GameRecord) -> Result<(), String>;

    /// The shared row of each input.
    fn shared(&self) -> Vec<u32>;
}

/// A game with its sparse inputs.
pub struct Games<G: Game> {
    /// The game.
    pub game: G,
    /// How the network sees positions.
    pub features: Arc<dyn Features<G::Position>>,
}

impl<G: Game> NnueGames for Games<G> {
    fn generation<'a>(&'a self, plan: Plan<'a>, network: Option<Arc<NnueNetwork>>) -> Box<dyn Play + 'a> {
        let Plan { selfplay, play, seed, generation } = plan;
        let game = self.game.clone();
        let source: EvaluatorSource<G::Position> = match network {
            Some(network) => NnueEvaluator::source(&game, &self.features, &network),
            None => Arc::new(move || Box::new(HeuristicEvaluator(game.clone()))),
        };
        let series = Series { game: &self.game, options: selfplay, seed, generation };
        let config = SelectiveConfig { table: play.hash << 20, ..SelectiveConfig::of(&self.game) };
        let search =
            move || -> Box<dyn Search<G::Position>> { Box::new(Selective::new(self.game.clone(), config, &source)) };
        Box::new(AlphaBetaGames { series, options: play, search: Box::new(search) })
    }

    fn read(
        &self,
        record: &GameRecord,
        lesson: Lesson,
        mut random: Stream,
        out: &mut Samples,
    ) -> Result<Agreement, String> {
        same_rules(&self.game, record)?;
        let start = game::parse_line(&self.game, &record.start).map_err(|error| error.to_string())?;
        if !self.features.accepts(&start) {
            return Err(format!("the features {} do not fit {}", self.features.name(), record.start));
        }
        let result = record.outcome.map_or(0.0, |outcome: Outcome| outcome.value().get());
        let mut targets = targets(&record.moves, result, lesson).into_iter();
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let mut agreement = Agreement::default();
        let mut visit = |position: &G::Position, mv: MoveOf<G>, played: &Played| {
            let (target, Some(thought)) = (targets.next().unwrap_or_default(), &played.thought) else { return };
            // The static evaluation of a position in which something is about to happen means little.
            if position.threatened() || position.is_noisy(mv) {
                return;
            }
            if thought.value.get() * result != 0.0 {
                agreement += Agreement { same: u64::from(thought.value.get() * result > 0.0), of: 1 };
            }
            let symmetry = if lesson.symmetries { random.below(position.symmetries()) } else { 0 };
            let turned = (symmetry > 0).then(|| position.transform(symmetry));
            let (seen, mover) = (turned.as_ref().unwrap_or(position), position.mover());
            self.features.active(seen, mover, &mut own);
            self.features.active(seen, mover.other(), &mut other);
            let target = (0.5 + 0.5 * mover.sign() * target).clamp(0.0, 1.0);
            out.push(Sample { mover: &own, other: &other, target, weight: 1.0 });
        };
        record.replay(start, &mut visit).map_err(|error| error.to_string())?;
        Ok(agreement)
    }

    fn check(&self, record: &GameRecord) -> Result<(), String> {
        let start = played_elsewhere(&self.game, record)?;
        if self.features.accepts(&start) {
            return Ok(());
        }
        Err(format!("the features {} do not fit {}", self.features.name(), record.start))
    }

    fn shared(&self) -> Vec<u32> {
        (0..self.features.inputs() as u32).map(|input| self.features.shared(input)).collect()
    }
}

/// What the positions of a game learn, for the first player, -1 to 1. What was played at random says nothing about the
/// positions before it, which learn from their searches alone.
fn targets(moves: &[Played], result: f32, lesson: Lesson) -> Vec<f32> {
    let mut ahead = Some(result);
    let mut targets = vec![0.0; moves.len()];
    for (target, played) in targets.iter_mut().zip(moves).rev() {
        let Some(thought) = &played.thought else {
            ahead = None;
            continue;
        };
        let value = thought.value.get();
        *target = ahead.map_or(value, |ahead| lesson.lambda * ahead + (1.0 - lesson.lambda) * value);
        if lesson.targets == Targets::TdLeaf {
            ahead = Some(*target);
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Value;
    use tesuji_core::record::Thought;

    fn line(values: &[Option<f32>]) -> Vec<Played> {
        let thought = |value: f32| Thought { value: Value::new(value), policy: Vec::new() };
        values.iter().map(|value| Played { bits: 0, thought: value.map(thought) }).collect()
    }

    #[test]
    fn targets_mix_values_and_the_result() {
        let moves = line(&[None, Some(0.0), Some(0.5), Some(-0.5)]);
        let lesson = |targets, lambda| Lesson { targets, lambda, symmetries: false };
        assert_eq!(targets(&moves, 1.0, lesson(Targets::Mix, 0.5)), [0.0, 0.5, 0.75, 0.25]);
        assert_eq!(targets(&moves, 1.0, lesson(Targets::Mix, 0.0)), [0.0, 0.0, 0.5, -0.5]);
        assert_eq!(targets(&moves, -1.0, lesson(Targets::Mix, 1.0)), [0.0, -1.0, -1.0, -1.0]);
        assert_eq!(targets(&moves, 1.0, lesson(Targets::TdLeaf, 0.5)), [0.0, 0.1875, 0.375, 0.25]);
    }

    #[test]
    fn a_random_move_hides_the_result_from_what_was_before() {
        let moves = line(&[Some(0.25), None, Some(0.5)]);
        for targets_of in [Targets::Mix, Targets::TdLeaf] {
            let lesson = Lesson { targets: targets_of, lambda: 0.5, symmetries: false };
            assert_eq!(targets(&moves, 1.0, lesson), [0.25, 0.0, 0.75]);
        }
    }
}
