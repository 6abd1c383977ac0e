//! Playouts: a leaf's value by playing the game out.

use crate::heuristic;
use crate::strengths;
use std::sync::Arc;
use tesuji_core::{Evaluation, Evaluator, Game, Leaf, MoveList, MoveOf, Position, Stream, Value};

/// How a playout chooses its moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Policy {
    /// Every move equally likely.
    #[default]
    Uniform,
    /// The game's rule bot.
    Bot,
    /// Move i with probability `gamma_i / sum of gamma_j`, gamma being [`Heuristics::move_strength`](tesuji_core::Heuristics::move_strength).
    Strength,
    /// The same with strengths that were learned, in the order of [`Heuristics::feature_names`](tesuji_core::Heuristics::feature_names).
    Learned(Arc<[f32]>),
    /// With this probability a random attack if there is one, else a random unit and then one of its actions (TUBSTAP's
    /// M-UCT: 0.8). In games without units, else a random move.
    Attack(f32),
}

/// How a playout that was cut short is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// By the game's heuristic where it stopped.
    #[default]
    Heuristic,
    /// By the sum of [`Heuristics::reward`](tesuji_core::Heuristics::reward) over its moves.
    Reward,
}

/// What a playout is.
#[derive(Clone, Debug, PartialEq)]
pub struct Playout {
    /// How moves are chosen.
    pub policy: Policy,
    /// The number of moves after which it is cut short; `u32::MAX` to play to the end.
    pub cut: u32,
    /// How it is evaluated if it was cut short.
    pub judge: Judge,
}

impl Default for Playout {
    fn default() -> Playout {
        Playout { policy: Policy::Uniform, cut: u32::MAX, judge: Judge::Heuristic }
    }
}

impl Playout {
    /// Plays `position` on and returns the value of the result for the first player. `moves` is a scratch buffer.
    pub fn run<G: Game>(
        &self,
        game: &G,
        position: &mut G::Position,
        moves: &mut MoveList<MoveOf<G>>,
        random: &mut Stream,
    ) -> f32 {
        let rewarded = self.judge == Judge::Reward && self.cut < u32::MAX;
        let mut balance = 0.0;
        let outcome = if self.policy == Policy::Uniform && !rewarded {
            position.playout(random, self.cut)
        } else {
            let mut left = self.cut;
            loop {
                let outcome = position.expand(moves);
                if outcome.is_some() || left == 0 {
                    break outcome;
                }
                left -= 1;
                let mv = self.policy.choose(game, position, moves, random);
                if rewarded {
                    balance += position.mover().sign() * game.reward(position, mv);
                }
                position.play(mv);
            }
        };
        match (outcome, self.judge) {
            (Some(outcome), _) => outcome.value().get(),
            (None, Judge::Heuristic) => heuristic::value(game, position),
            // 10 is the reward of a won game, so a gain of 10 is nearly a win.
            (None, Judge::Reward) => libm::tanhf(balance / 10.0),
        }
    }
}

impl Policy {
    /// How strong a move is: as was learned, else as the game says.
    fn strength<G: Game>(&self, game: &G, position: &G::Position, mv: MoveOf<G>) -> f32 {
        match self {
            Policy::Learned(gammas) => strengths::move_strength(game.move_features(position, mv), gammas),
            _ => game.move_strength(position, mv),
        }
    }

    fn choose<G: Game>(&self, game: &G, position: &G::Position, moves: &[MoveOf<G>], random: &mut Stream) -> MoveOf<G> {
        match self {
            Policy::Uniform => moves[random.below(moves.len())],
            Policy::Bot => game.bot_move(position, moves, random),
            Policy::Strength | Policy::Learned(_) => {
                let total: f64 = moves.iter().map(|&mv| f64::from(self.strength(game, position, mv))).sum();
                let mut left = random.unit() * total;
                for &mv in moves.iter() {
                    left -= f64::from(self.strength(game, position, mv));
                    if left < 0.0 {
                        return mv;
                    }
                }
                // Only rounding leads here.
                moves[moves.len() - 1]
            }
            Policy::Attack(probability) => {
                if random.unit() < f64::from(*probability) {
                    let attacks = || moves.iter().filter(|&&mv| position.is_attack(mv));
                    let number = attacks().count();
                    if number > 0 {
                        return *attacks().nth(random.below(number)).expect("so many attacks were counted");
                    }
                }
                of_random_unit(position, moves, random)
            }
        }
    }
}

/// A random action of a random unit that has one; in games without units any move.
fn of_random_unit<P: Position>(position: &P, moves: &[P::Move], random: &mut Stream) -> P::Move {
    let same = |a: &P::Move, b: &P::Move| position.unit(*a) == position.unit(*b);
    let units = || moves.chunk_by(same).filter(|actions| position.unit(actions[0]).is_some());
    let actions = match units().count() {
        0 => moves,
        number => units().nth(random.below(number)).expect("so many units were counted"),
    };
    actions[random.below(actions.len())]
}

/// Values leaves by playouts.
#[derive(Clone, Debug)]
pub struct Rollouts<G: Game> {
    game: G,
    playout: Playout,
    /// Whether moves get priors by their strength; without, all are alike.
    strengths: bool,
    random: Stream,
    position: G::Position,
    moves: MoveList<MoveOf<G>>,
}

impl<G: Game> Rollouts<G> {
    /// One playout a leaf; with `strengths`, priors follow [`Heuristics::move_strength`](tesuji_core::Heuristics::move_strength).
    pub fn new(game: G, playout: Playout, strengths: bool) -> Rollouts<G> {
        let (position, random) = (game.start(), Stream::new(0, "playout", 0));
        Rollouts { game, playout, strengths, random, position, moves: MoveList::new() }
    }
}

impl<G: Game> Evaluator<G::Position> for Rollouts<G> {
    fn evaluate(&mut self, leaves: &[Leaf<'_, G::Position>], out: &mut [Evaluation]) {
        for (leaf, out) in leaves.iter().zip(out) {
            self.position.clone_from(leaf.position);
            let value = self.playout.run(&self.game, &mut self.position, &mut self.moves, &mut self.random);
            out.value = Value::new(value);
            out.priors.clear();
            if self.strengths {
                let policy = &self.playout.policy;
                out.priors.extend(leaf.moves.iter().map(|&mv| policy.strength(&self.game, leaf.position, mv)));
                let total: f32 = out.priors.iter().sum();
                out.priors.iter_mut().for_each(|prior| *prior /= total);
            }
        }
    }

    fn reseed(&mut self, random: Stream) {
        self.random = random;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tesuji_core::{GameRules, Heuristics, Rules};
    use tesuji_games::shogi::Minishogi;
    use tesuji_games::tictactoe::TicTacToe;
    use tesuji_games::tubstap::Tubstap;

    #[test]
    fn units_are_drawn_before_their_actions() {
        let game = Tubstap::new(Rules::Official);
        let position = game.parse_position("platform01").unwrap();
        let mut moves = MoveList::new();
        position.moves(&mut moves);
        let mut lists: BTreeMap<u32, usize> = BTreeMap::new();
        moves.iter().filter_map(|&mv| position.unit(mv)).for_each(|unit| *lists.entry(unit).or_default() += 1);
        let (least, most) = (lists.values().min().unwrap(), lists.values().max().unwrap());
        assert!(lists.len() > 1 && most > least, "the units have equally many actions: {lists:?}");
        let mut random = Stream::new(1, "test", 0);
        let mut drawn: BTreeMap<u32, u32> = BTreeMap::new();
        for _ in 0..20_000 {
            let mv = Policy::Attack(0.0).choose(&game, &position, &moves, &mut random);
            *drawn.entry(position.unit(mv).expect("nobody ends the turn while a unit can act")).or_default() += 1;
        }
        // Five standard errors of a share are below 0.018.
        for (unit, number) in &drawn {
            assert!((f64::from(*number) / 20_000.0 - 1.0 / lists.len() as f64).abs() < 0.018, "{unit}: {drawn:?}");
        }
        assert_eq!(drawn.len(), lists.len());
    }

    #[test]
    fn attacks_come_first_as_often_as_asked() {
        let game = Tubstap::new(Rules::Official);
        let mut random = Stream::new(2, "test", 0);
        let (mut position, mut moves) = (game.start(), MoveList::new());
        while !moves.iter().any(|&mv| position.is_attack(mv)) {
            if position.expand(&mut moves).is_some() {
                position = game.start();
            } else if !moves.iter().any(|&mv| position.is_attack(mv)) {
                position.play(moves[random.below(moves.len())]);
            }
        }
        let share = |probability: f32, random: &mut Stream| {
            let draws = (0..10_000).map(|_| Policy::Attack(probability).choose(&game, &position, &moves, random));
            draws.filter(|&mv| position.is_attack(mv)).count() as f64 / 10_000.0
        };
        assert_eq!(share(1.0, &mut random), 1.0);
        let other = share(0.0, &mut random);
        // Five standard errors of 10,000 draws are 0.025; both shares have them.
        assert!((share(0.8, &mut random) - (0.8 + 0.2 * other)).abs() < 0.03);
    }

    #[test]
    fn moves_are_drawn_by_the_strengths_that_were_learned() {
        let game = Minishogi::new(Rules::Official);
        // A pawn can be taken, and much else can be done.
        let position = game.parse_position("rbsgk/4p/P4/5/KGSBR b - 1").unwrap();
        let mut moves = MoveList::new();
        position.moves(&mut moves);
        let place = game.feature_names().iter().position(|name| *name == "takes a pawn").unwrap();
        let takes = |mv| game.move_features(&position, mv) >> place & 1 == 1;
        let takers = moves.iter().filter(|&&mv| takes(mv)).count();
        assert!(takers > 0 && takers < moves.len());
        let mut gammas = vec![1.0; game.feature_names().len()];
        gammas[place] = 10.0;
        let (policy, mut random) = (Policy::Learned(gammas.into()), Stream::new(1, "test", 0));
        let draws = (0..20_000).map(|_| policy.choose(&game, &position, &moves, &mut random));
        let share = draws.filter(|&mv| takes(mv)).count() as f64 / 20_000.0;
        let expected = 10.0 * takers as f64 / (10 * takers + moves.len() - takers) as f64;
        // Five standard errors of a share are below 0.018.
        assert!((share - expected).abs() < 0.018, "{share} {expected}");
    }

    #[test]
    fn games_without_units_draw_any_move() {
        let game = TicTacToe::new(Rules::Official);
        let mut moves = MoveList::new();
        game.start().moves(&mut moves);
        let mut random = Stream::new(1, "test", 0);
        let mut drawn: Vec<_> = (0..200).map(|_| of_random_unit(&game.start(), &moves, &mut random)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 9);
    }
}
