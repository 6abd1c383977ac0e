//! Games played by alpha-beta, and read as positions to learn from: all that is compiled for each game.

use super::options::Targets;
use crate::methods::replayed::{played_elsewhere, same_rules};
use crate::networks::NnueEvaluator;
use crate::play::{AlphaBetaGames, AlphaBetaPlay, SelfPlay, Series};
use crate::run::Play;
use std::sync::Arc;
use tesuji_core::record::Played;
use tesuji_core::{Features, Game, GameRecord, MoveOf, Outcome, Position, Search, Stream, game};
use tesuji_nn::nnue::{NnueNetwork, NnueSpec, Sample, Samples};
use tesuji_search::Selective;
use tesuji_search::evaluate::{EvaluatorSource, HeuristicEvaluator};
use tesuji_search::selective::{Params, SelectiveConfig};

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

/// What is known of the labels of some positions: their signs and their size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Labels {
    /// Positions in which the search's value and the game's result had the same sign.
    pub same: u64,
    /// Positions in which both had a sign.
    pub signed: u64,
    /// Sum of target times heuristic, where nobody is far ahead by the heuristic.
    products: f64,
    /// Sum of the heuristic's squares there.
    squares: f64,
}

impl Labels {
    /// Counts a position: its target (-1 to 1) beside what the heuristic says.
    fn compare(&mut self, target: f32, heuristic: i32, heuristic_scale: f32) {
        let (target, heuristic) = (f64::from(target), f64::from(heuristic));
        if heuristic.abs() <= f64::from(heuristic_scale) / 3.0 {
            self.products += target * heuristic;
            self.squares += heuristic * heuristic;
        }
    }

    /// The share of positions whose value and result had the same sign.
    pub fn agreement(&self) -> f64 {
        self.same as f64 / self.signed.max(1) as f64
    }

    /// The score for one unit of the logistic scale with which scores have the size of the heuristic's.
    ///
    /// With the score h a position is worth tanh(h / 2 s) = h / 2 s, if that is small; the slope of targets by the
    /// heuristic is 1 / 2 s. `usual` is the scale of targets that are the heuristic's own; the result is within a
    /// quarter and twice of it, and is `usual` where heuristic and targets have nothing in common.
    pub fn scale(&self, usual: u32) -> u32 {
        let (least, most) = (f64::from(usual) / 4.0, f64::from(usual) * 2.0);
        if self.products <= 0.0 {
            return usual;
        }
        (self.squares / (2.0 * self.products)).clamp(least, most).round().max(1.0) as u32
    }
}

impl std::ops::AddAssign for Labels {
    fn add_assign(&mut self, other: Labels) {
        self.same += other.same;
        self.signed += other.signed;
        self.products += other.products;
        self.squares += other.squares;
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
    fn read(&self, record: &GameRecord, lesson: Lesson, random: Stream, out: &mut Samples) -> Result<Labels, String>;

    /// Checks a game that another process says it has played.
    ///
    /// # Errors
    /// If it cannot be learned from, in words.
    fn check(&self, record: &GameRecord) -> Result<(), String>;

    /// The shared row of each input.
    fn shared(&self) -> Vec<u32>;

    /// The score for one unit of the logistic scale, where targets are the heuristic's own.
    fn usual_scale(&self) -> u32;
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
        let name = game.name();
        let (params, source): (_, EvaluatorSource<G::Position>) = match network {
            Some(network) => (Params::of(name), NnueEvaluator::source(&game, &self.features, &network)),
            None => (Params::with_heuristic(name), Arc::new(move || Box::new(HeuristicEvaluator(game.clone())))),
        };
        let series = Series { game: &self.game, options: selfplay, seed, generation };
        let config = SelectiveConfig { table: play.hash << 20, threads: 1, params };
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
    ) -> Result<Labels, String> {
        same_rules(&self.game, record)?;
        let start = game::parse_line(&self.game, &record.start).map_err(|error| error.to_string())?;
        if !self.features.accepts(&start) {
            return Err(format!("the features {} do not fit {}", self.features.name(), record.start));
        }
        let result = record.outcome.map_or(0.0, |outcome: Outcome| outcome.value().get());
        let mut targets = targets(&record.moves, result, lesson).into_iter();
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let (mut labels, scale) = (Labels::default(), self.game.heuristic_scale());
        let mut visit = |position: &G::Position, mv: MoveOf<G>, played: &Played| {
            let (target, Some(thought)) = (targets.next().unwrap_or_default(), &played.thought) else { return };
            // The static evaluation of a position in which something is about to happen means little.
            if position.threatened() || position.is_noisy(mv) {
                return;
            }
            if thought.value.get() * result != 0.0 {
                labels.same += u64::from(thought.value.get() * result > 0.0);
                labels.signed += 1;
            }
            labels.compare(target, self.game.heuristic(position), scale);
            let symmetry = if lesson.symmetries { random.below(position.symmetries()) } else { 0 };
            let turned = (symmetry > 0).then(|| position.transform(symmetry));
            let (seen, mover) = (turned.as_ref().unwrap_or(position), position.mover());
            self.features.active(seen, mover, &mut own);
            self.features.active(seen, mover.other(), &mut other);
            let target = (0.5 + 0.5 * mover.sign() * target).clamp(0.0, 1.0);
            out.push(Sample { mover: &own, other: &other, target, weight: 1.0 });
        };
        record.replay(start, &mut visit).map_err(|error| error.to_string())?;
        Ok(labels)
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

    fn usual_scale(&self) -> u32 {
        NnueSpec::usual_scale(self.game.heuristic_scale())
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
    fn scores_get_the_size_of_the_heuristic() {
        let labels = |slope: f32| {
            let mut labels = Labels::default();
            for heuristic in -300..=300 {
                labels.compare((slope * heuristic as f32 / 600.0).tanh(), heuristic, 600.0);
            }
            labels
        };
        // Targets of the heuristic itself; twice as sure; a little sure; nothing in common; the opposite.
        assert_eq!(labels(1.0).scale(300), 307);
        assert_eq!(labels(2.0).scale(300), 163);
        assert_eq!(labels(0.1).scale(300), 600);
        assert_eq!(Labels::default().scale(300), 300);
        assert_eq!(labels(-1.0).scale(300), 300);
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
