//! What is compiled for each game: moves as action numbers, positions as arrays.
//!
//! An action is the number of a move in the policy of one of the game's encoders. Where positions have several views
//! (TUBSTAP: one for each unit that can act), view v and index i make action `v * policy_len + i`.

use crate::fleet::{Fleet, Seats};
use std::path::Path;
use std::sync::Arc;
use tesuji_core::handle::typed;
use tesuji_core::{
    AnyPosition, Encoder, Game, GameRecord, Move, MoveId, MoveOf, Outcome, Position, Rules, Shape, game,
};
use tesuji_games::{UnknownGame, Visitor};
use tesuji_learn::data::DataSet;
use tesuji_learn::networks::encoder;

/// The sizes of arrays.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// One view.
    pub shape: Shape,
    /// The most views of a position.
    pub views: usize,
    /// Actions of one view.
    pub policy: usize,
}

impl Sizes {
    /// Numbers in an observation.
    pub fn observation(&self) -> usize {
        self.views * self.shape.len()
    }

    /// Different actions.
    pub fn actions(&self) -> usize {
        self.views * self.policy
    }

    /// The shape of an observation: the views in front only if there may be several.
    pub fn dimensions(&self) -> Vec<usize> {
        let Shape { planes, height, width } = self.shape;
        let mut dimensions = vec![planes, height, width];
        if self.views > 1 {
            dimensions.insert(0, self.views);
        }
        dimensions
    }
}

/// Positions of games as arrays, row by row.
#[derive(Debug, Default)]
pub struct Samples {
    /// The encoded positions.
    pub observations: Vec<f32>,
    /// The moves that were played.
    pub actions: Vec<i64>,
    /// The games' results for the side to move: 1, 0 or -1.
    pub returns: Vec<f32>,
    /// What the search that chose the move thought of the position, for the side to move; not a number if unknown.
    pub values: Vec<f32>,
    /// The search's policy, if asked for: one probability for each action.
    pub policies: Option<Vec<f32>>,
    /// Which game of the source.
    pub games: Vec<i64>,
    /// The position's number in its game.
    pub plies: Vec<i64>,
}

/// A game's positions as arrays, without the game's types.
pub trait Coder: Send + Sync {
    /// The encoder's name.
    fn name(&self) -> &'static str;

    /// The sizes of arrays.
    fn sizes(&self) -> Sizes;

    /// Why a position cannot be encoded, in words.
    fn refusal(&self, position: &dyn AnyPosition) -> Option<String>;

    /// The legal moves by rising action, of a position that is not refused.
    fn actions(&self, position: &dyn AnyPosition) -> Vec<(usize, MoveId)>;

    /// Writes the observation of a position that is not refused; zeros if the game is over.
    fn observe(&self, position: &dyn AnyPosition, out: &mut [f32]);

    /// Adds the positions of a game in which somebody moved.
    ///
    /// # Errors
    /// If the record cannot be replayed or encoded, in words.
    fn add_record(&self, record: &GameRecord, number: i64, samples: &mut Samples) -> Result<(), String>;

    /// The positions of a shard of a data set.
    ///
    /// # Errors
    /// If it cannot be read or encoded, in words.
    fn shard(&self, directory: &Path, number: usize) -> Result<Samples, String>;

    /// Many games at once.
    fn fleet(&self, count: usize, seed: u64, varied: bool) -> Box<dyn Fleet>;
}

/// The coder of a game by one of its encoders, the default one if the name is empty.
///
/// # Errors
/// If there is no such game or encoder, in words.
pub fn coder(game: &str, rules: Rules, encoder: &str) -> Result<Arc<dyn Coder>, String> {
    let made = tesuji_games::visit(game, rules, Make(encoder));
    made.map_err(|error: UnknownGame| error.to_string())?
}

struct Make<'a>(&'a str);

impl Visitor for Make<'_> {
    type Output = Result<Arc<dyn Coder>, String>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        let encoder = encoder(&game, self.0)?;
        Ok(Arc::new(GameCoder { game, encoder }))
    }
}

/// The coder of a game.
struct GameCoder<G: Game> {
    game: G,
    encoder: Arc<dyn Encoder<G::Position>>,
}

/// Writes the observation of a position; zeros where the game is over, since encoders describe choices.
pub fn observe<P: Position>(encoder: &dyn Encoder<P>, position: &P, over: bool, out: &mut [f32]) {
    let len = encoder.shape().len();
    let views = if over { 0 } else { encoder.views(position) };
    let (written, rest) = out.split_at_mut(views * len);
    for (view, out) in written.chunks_exact_mut(len).enumerate() {
        encoder.encode(position, view, out);
    }
    rest.fill(0.0);
}

/// The action of a legal move.
pub fn action<P: Position>(encoder: &dyn Encoder<P>, position: &P, mv: P::Move) -> usize {
    let (view, index) = encoder.index(position, mv);
    view * encoder.policy_len() + index
}

/// The result of a game for a side: 1, 0 or -1.
pub fn result(outcome: Outcome, side: tesuji_core::Side) -> f32 {
    (2.0 * outcome.points(side) - 1.0) as f32
}

impl<G: Game> GameCoder<G> {
    /// Adds one position, which has been asked about.
    fn add(&self, position: &G::Position, mv: <G::Position as Position>::Move, samples: &mut Samples) {
        let from = samples.observations.len();
        samples.observations.resize(from + self.sizes().observation(), 0.0);
        observe(self.encoder.as_ref(), position, false, &mut samples.observations[from..]);
        samples.actions.push(action(self.encoder.as_ref(), position, mv) as i64);
    }
}

impl<G: Game> Coder for GameCoder<G> {
    fn name(&self) -> &'static str {
        self.encoder.name()
    }

    fn sizes(&self) -> Sizes {
        let encoder = &self.encoder;
        Sizes { shape: encoder.shape(), views: encoder.most_views(), policy: encoder.policy_len() }
    }

    fn refusal(&self, position: &dyn AnyPosition) -> Option<String> {
        self.encoder.refusal(typed(position))
    }

    fn actions(&self, position: &dyn AnyPosition) -> Vec<(usize, MoveId)> {
        let position: &G::Position = typed(position);
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let number = |mv| (action(self.encoder.as_ref(), position, mv), MoveId::of(mv));
        let mut actions: Vec<_> = moves.into_iter().map(number).collect();
        actions.sort_unstable();
        actions
    }

    fn observe(&self, position: &dyn AnyPosition, out: &mut [f32]) {
        let over = position.outcome().is_some();
        observe(self.encoder.as_ref(), typed(position), over, out);
    }

    fn add_record(&self, record: &GameRecord, number: i64, samples: &mut Samples) -> Result<(), String> {
        let start = game::parse_line(&self.game, &record.start).map_err(|error| error.to_string())?;
        if let Some(problem) = self.encoder.refusal(&start) {
            return Err(problem);
        }
        let (actions, mut ply) = (self.sizes().actions(), 0);
        let replayed = record.replay(start, |position, mv, played| {
            self.add(position, mv, samples);
            let side = position.mover();
            samples.returns.push(record.outcome.map_or(f32::NAN, |outcome| result(outcome, side)));
            let thought = played.thought.as_ref();
            samples.values.push(thought.map_or(f32::NAN, |thought| thought.value.for_side(side)));
            if let Some(policies) = &mut samples.policies {
                let from = policies.len();
                policies.resize(from + actions, 0.0);
                let weights = thought.map_or(&[][..], |thought| thought.policy.as_slice());
                let sum: f64 = weights.iter().map(|&(_, weight)| f64::from(weight)).sum();
                for &(bits, weight) in weights {
                    let known = <MoveOf<G> as Move>::from_bits(bits).filter(|&mv| position.is_legal(mv));
                    if let Some(mv) = known {
                        let at = from + action(self.encoder.as_ref(), position, mv);
                        policies[at] = (f64::from(weight) / sum) as f32;
                    }
                }
            }
            samples.games.push(number);
            samples.plies.push(ply);
            ply += 1;
        });
        replayed.map(drop).map_err(|error| error.to_string())
    }

    fn shard(&self, directory: &Path, number: usize) -> Result<Samples, String> {
        let set = DataSet::open(self.game.clone(), directory).map_err(|error| error.to_string())?;
        if number >= set.shards() {
            return Err(format!("shard {number}: the set has {}", set.shards()));
        }
        let shard = set.read_shard(number).map_err(|error| error.to_string())?;
        let mut samples = Samples::default();
        for sample in shard.samples() {
            if let Some(problem) = self.encoder.refusal(&sample.position) {
                return Err(problem);
            }
            self.add(&sample.position, sample.mv, &mut samples);
            samples.returns.push(result(sample.outcome, sample.position.mover()));
            samples.games.push(sample.game as i64);
            samples.plies.push(i64::from(sample.ply));
        }
        Ok(samples)
    }

    fn fleet(&self, count: usize, seed: u64, varied: bool) -> Box<dyn Fleet> {
        Box::new(Seats::new(self.game.clone(), Arc::clone(&self.encoder), count, seed, varied))
    }
}
