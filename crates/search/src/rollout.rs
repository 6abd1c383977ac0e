//! Playouts: a leaf's value by playing the game out.

use crate::heuristic;
use tesuji_core::{Evaluation, Evaluator, Game, Leaf, MoveList, Position, Stream, Value};

/// How a playout chooses its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Policy {
    /// Every move equally likely.
    #[default]
    Uniform,
    /// The game's rule bot.
    Bot,
    /// Move i with probability `gamma_i / sum of gamma_j`, gamma being [`Game::move_strength`].
    Strength,
    /// With this probability a random attack if there is one, else a random move (TUBSTAP's M-UCT: 0.8).
    Attack(f32),
}

/// How a playout that was cut short is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// By the game's heuristic where it stopped.
    #[default]
    Heuristic,
    /// By the sum of [`Game::reward`] over its moves.
    Reward,
}

/// What a playout is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playout {
    /// How moves are chosen.
    pub policy: Policy,
    /// The number of moves after which it is cut short; `u32::MAX` to play to the end.
    pub cut: u32,
    /// How it is judged if it was cut short.
    pub judge: Judge,
}

impl Default for Playout {
    fn default() -> Playout {
        Playout { policy: Policy::Uniform, cut: u32::MAX, judge: Judge::Heuristic }
    }
}

impl Playout {
    /// Plays `position` on and says what the result is worth for the first player. `moves` is a scratch buffer.
    pub fn run<G: Game>(
        &self,
        game: &G,
        position: &mut G::Position,
        moves: &mut MoveList<<G::Position as Position>::Move>,
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
    fn choose<G: Game>(
        self,
        game: &G,
        position: &G::Position,
        moves: &mut MoveList<<G::Position as Position>::Move>,
        random: &mut Stream,
    ) -> <G::Position as Position>::Move {
        match self {
            Policy::Uniform => moves[random.below(moves.len())],
            Policy::Bot => game.bot_move(position, moves, random),
            Policy::Strength => {
                let total: f64 = moves.iter().map(|&mv| f64::from(game.move_strength(position, mv))).sum();
                let mut left = random.unit() * total;
                for &mv in moves.iter() {
                    left -= f64::from(game.move_strength(position, mv));
                    if left < 0.0 {
                        return mv;
                    }
                }
                // Only rounding leads here.
                moves[moves.len() - 1]
            }
            Policy::Attack(probability) => {
                if random.unit() < f64::from(probability) {
                    // Attacks move to the front, so that one is drawn without a second buffer.
                    let mut attacks = 0;
                    for index in 0..moves.len() {
                        if position.is_attack(moves[index]) {
                            moves.swap(attacks, index);
                            attacks += 1;
                        }
                    }
                    if attacks > 0 {
                        return moves[random.below(attacks)];
                    }
                }
                moves[random.below(moves.len())]
            }
        }
    }
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
    moves: MoveList<<G::Position as Position>::Move>,
}

impl<G: Game> Rollouts<G> {
    /// One playout a leaf; with `strengths`, priors follow [`Game::move_strength`].
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
                out.priors.extend(leaf.moves.iter().map(|&mv| self.game.move_strength(leaf.position, mv)));
                let total: f32 = out.priors.iter().sum();
                out.priors.iter_mut().for_each(|prior| *prior /= total);
            }
        }
    }

    fn reseed(&mut self, random: Stream) {
        self.random = random;
    }
}
