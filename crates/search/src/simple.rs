//! The players without a tree: random, the rule bot, flat Monte Carlo.

use crate::clock::Clock;
use crate::one_hot;
use crate::rollout::Playout;
use tesuji_core::{Budget, Found, Game, Info, MoveList, MoveOf, Position, Report, Search, Stream, Value};

/// The result of a player that chooses a move without evaluating the position.
fn without_value<M: Copy + PartialEq>(best: M, policy: Vec<(M, f32)>) -> Found<M> {
    Found {
        best,
        policy,
        value: Value::ZERO,
        proof: None,
        line: vec![best],
        nodes: 1,
        simulations: 0,
        evaluations: 0,
        depth: 0,
    }
}

/// Plays every legal move with the same probability.
#[derive(Clone, Debug)]
pub struct Random {
    random: Stream,
}

impl Random {
    /// A random player; equal seeds play equally.
    pub fn new(seed: u64) -> Random {
        Random { random: Stream::new(seed, "random player", 0) }
    }
}

impl<P: Position> Search<P> for Random {
    fn search(&mut self, root: &P, _budget: &Budget, _report: &mut dyn Report<P::Move>) -> Found<P::Move> {
        let mut moves = MoveList::new();
        root.moves(&mut moves);
        let best = moves[self.random.below(moves.len())];
        let share = 1.0 / moves.len() as f32;
        without_value(best, moves.into_iter().map(|mv| (mv, share)).collect())
    }

    fn new_game(&mut self, seed: u64) {
        *self = Random::new(seed);
    }
}

/// Plays the game's rule bot.
#[derive(Clone, Debug)]
pub struct Bot<G: Game> {
    game: G,
    random: Stream,
}

impl<G: Game> Bot<G> {
    /// The rule bot of this game; equal seeds play equally.
    pub fn new(game: G, seed: u64) -> Bot<G> {
        Bot { game, random: Stream::new(seed, "bot", 0) }
    }
}

impl<G: Game> Search<G::Position> for Bot<G> {
    fn search(
        &mut self,
        root: &G::Position,
        _budget: &Budget,
        _report: &mut dyn Report<MoveOf<G>>,
    ) -> Found<MoveOf<G>> {
        let mut moves = MoveList::new();
        root.moves(&mut moves);
        let best = self.game.bot_move(root, &moves, &mut self.random);
        without_value(best, one_hot(&moves, best))
    }

    fn new_game(&mut self, seed: u64) {
        self.random = Stream::new(seed, "bot", 0);
    }
}

/// Flat Monte Carlo (PMC): the same number of playouts for every legal move, then the best mean.
#[derive(Clone, Debug)]
pub struct Flat<G: Game> {
    game: G,
    playout: Playout,
    rollouts: u64,
    seed: u64,
    searches: u64,
}

impl<G: Game> Flat<G> {
    /// `rollouts` playouts a move, unless a budget of simulations (over all moves) is smaller.
    pub fn new(game: G, playout: Playout, rollouts: u64, seed: u64) -> Flat<G> {
        Flat { game, playout, rollouts, seed, searches: 0 }
    }
}

impl<G: Game> Search<G::Position> for Flat<G> {
    fn search(&mut self, root: &G::Position, budget: &Budget, report: &mut dyn Report<MoveOf<G>>) -> Found<MoveOf<G>> {
        let mut random = Stream::new(self.seed, "flat", self.searches);
        self.searches += 1;
        let mut clock = Clock::start(budget);
        let mut moves = MoveList::new();
        root.moves(&mut moves);
        let children: Vec<G::Position> = moves
            .iter()
            .map(|&mv| {
                let mut child = root.clone();
                child.play(mv);
                child
            })
            .collect();
        // A smaller budget ends in the middle of a round; at least every move is tried once.
        let limit = budget.simulations.unwrap_or(u64::MAX).max(moves.len() as u64);
        let mut sums = vec![(0.0_f64, 0_u64); moves.len()];
        let (mut position, mut scratch) = (root.clone(), MoveList::new());
        let mut simulations = 0;
        'rounds: for _ in 0..self.rollouts.max(1) {
            for (child, (sum, count)) in children.iter().zip(&mut sums) {
                position.clone_from(child);
                *sum += f64::from(self.playout.run(&self.game, &mut position, &mut scratch, &mut random));
                *count += 1;
                simulations += 1;
                if simulations >= limit || simulations >= moves.len() as u64 && clock.expired(report) {
                    break 'rounds;
                }
            }
        }
        let sign = f64::from(root.mover().sign());
        let means: Vec<f64> = sums.iter().map(|&(sum, count)| sum / count as f64).collect();
        let best = (1..moves.len()).fold(0, |best, i| if sign * means[i] > sign * means[best] { i } else { best });
        let found = Found {
            best: moves[best],
            policy: one_hot(&moves, moves[best]),
            value: Value::new(means[best] as f32),
            proof: None,
            line: vec![moves[best]],
            nodes: simulations,
            simulations,
            evaluations: simulations,
            depth: 1,
        };
        let (value, line) = (found.value, found.line.clone());
        report.info(&Info { depth: 1, nodes: simulations, time: clock.elapsed(), value, proof: None, line });
        found
    }

    fn new_game(&mut self, seed: u64) {
        (self.seed, self.searches) = (seed, 0);
    }
}
