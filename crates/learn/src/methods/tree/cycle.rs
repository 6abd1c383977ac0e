//! The tree of a cycle, and samples of its nodes.

use super::learner::{Cycle, Rows};
use super::options::{Target, TreeCycleOptions};
use crate::play::SelfPlay;
use crate::play::greedy::GreedyRollouts;
use crate::run::ledger::PlayCost;
use crate::run::parallel;
use cpu_time::ThreadTime;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tesuji_core::{Encoder, Evaluation, Evaluator, Game, Leaf, Position, Stream};
use tesuji_nn::{Cache, Model, NetworkEvaluator, Worker};
use tesuji_search::mcts::{RootOptions, Selection, Tree, TreeOptions, Visited};

/// A node to learn from.
struct Sample<P: Position> {
    position: P,
    /// Moves with what the policy is to give them, adding up to 1.
    policy: Vec<(P::Move, f32)>,
    /// The node's value for its mover.
    value: f32,
}

/// Who plays leaves out, one for each thread.
struct Player<P: Position> {
    rollouts: GreedyRollouts<NetworkEvaluator<P>>,
    time: Duration,
}

/// The cycles of a game.
pub struct GameCycle<G: Game> {
    start: G::Position,
    encoder: Arc<dyn Encoder<G::Position>>,
    selfplay: SelfPlay,
    options: TreeCycleOptions,
    tree: Option<Tree<G::Position>>,
    players: Vec<Mutex<Player<G::Position>>>,
    samples: Vec<Sample<G::Position>>,
}

impl<G: Game> GameCycle<G> {
    /// Before the first cycle.
    pub fn new(
        game: &G,
        encoder: Arc<dyn Encoder<G::Position>>,
        selfplay: SelfPlay,
        options: TreeCycleOptions,
    ) -> GameCycle<G> {
        let (tree, players, samples) = (None, Vec::new(), Vec::new());
        GameCycle { start: game.start(), encoder, selfplay, options, tree, players, samples }
    }
}

/// What the policy is to give a node's moves: those that were visited share the whole.
fn policy<M: Copy>(target: Target, sign: f32, moves: &[Visited<M>]) -> Vec<(M, f32)> {
    let weight = |visited: &Visited<M>| match target {
        Target::Q => (1.0 + sign * visited.mean).max(0.0) / 2.0,
        Target::Visits => visited.visits as f32,
    };
    let total: f32 = moves.iter().map(weight).sum();
    // Where every move that was tried lost, none is better than another.
    let share = |visited| if total > 0.0 { weight(visited) / total } else { 1.0 / moves.len() as f32 };
    moves.iter().map(|visited| (visited.mv, share(visited))).collect()
}

impl<G: Game> Cycle for GameCycle<G> {
    fn begin(&mut self, model: &Arc<Model>, threads: usize, random: Stream) -> Result<(), String> {
        let options = TreeOptions {
            selection: Selection::Pucb { tau: self.options.tau },
            expand_after: 0,
            solver: false,
            virtual_loss: self.selfplay.virtual_loss,
            node_limit: self.selfplay.tree_nodes,
            ..TreeOptions::default()
        };
        let mut tree = Tree::new(&self.start, options, RootOptions::default());
        tree.begin(&self.start, self.options.iterations, random);
        self.tree = Some(tree);
        self.samples.clear();
        self.players.clear();
        for _ in 0..threads.max(1) {
            let cache = (self.selfplay.cache > 0).then(|| Cache::new(self.selfplay.cache << 20));
            let network = NetworkEvaluator::new(Arc::clone(&self.encoder), Worker::new(Arc::clone(model)), cache);
            let network = network.map_err(|error| error.to_string())?;
            let rollouts = GreedyRollouts::new(network, self.selfplay.max_plies);
            self.players.push(Mutex::new(Player { rollouts, time: Duration::ZERO }));
        }
        Ok(())
    }

    fn grow(&mut self, iterations: u64) {
        let Some(tree) = &mut self.tree else { return };
        let end = tree.simulations() + iterations;
        while tree.simulations() < end {
            let waiting = tree.gather(self.selfplay.leaves, end - tree.simulations());
            if waiting == 0 {
                continue;
            }
            let leaves: Vec<Leaf<'_, G::Position>> = tree.leaves().collect();
            // What a leaf is worth does not depend on who plays it out, nor beside which others.
            let shares: Vec<&[Leaf<'_, G::Position>]> = leaves.chunks(waiting.div_ceil(self.players.len())).collect();
            let judged: Vec<Vec<Evaluation>> = parallel::map(shares.len(), &|number| {
                let mut player = self.players[number].lock().unwrap_or_else(PoisonError::into_inner);
                let clock = ThreadTime::now();
                let mut out = vec![Evaluation::default(); shares[number].len()];
                player.rollouts.evaluate(shares[number], &mut out);
                player.time += clock.elapsed();
                out
            });
            drop(leaves);
            tree.apply(&judged.concat());
        }
    }

    fn end(&mut self) -> (u64, PlayCost) {
        let Some(tree) = self.tree.take() else { return (0, PlayCost::default()) };
        let target = self.options.target;
        let samples = &mut self.samples;
        tree.visit(self.options.visits, &mut |position, mean, moves| {
            let sign = position.mover().sign();
            let policy = policy(target, sign, moves);
            if !policy.is_empty() {
                samples.push(Sample { position: position.clone(), policy, value: sign * mean });
            }
        });
        let mut cost = PlayCost { simulations: tree.simulations(), ..PlayCost::default() };
        for player in self.players.drain(..) {
            let player = player.into_inner().unwrap_or_else(PoisonError::into_inner);
            let network = player.rollouts.policy();
            cost.inference += player.time;
            cost.evaluations += network.evaluations();
            cost.cached += network.cache().map_or(0, |cache| cache.hits_and_misses().0);
        }
        (tree.nodes() as u64, cost)
    }

    fn samples(&self) -> usize {
        self.samples.len()
    }

    fn batch(&self, seed: u64, first: u64, rows: Rows<'_>) {
        let encoder = self.encoder.as_ref();
        let (view, width) = (encoder.shape().len(), encoder.policy_len());
        // Nothing is asked for in rows of length 0.
        let mut legal_rows = rows.legal.chunks_exact_mut(width);
        let rows = rows.inputs.chunks_exact_mut(view).zip(rows.policy.chunks_exact_mut(width)).zip(rows.value);
        let rows = rows.map(|row| (row, legal_rows.next().unwrap_or_default()));
        parallel::for_each(rows, &|number, (((input, policy), value), legal): (_, &mut [bool])| {
            let mut random = Stream::new(seed, "sample", first + number as u64);
            let sample = &self.samples[random.below(self.samples.len())];
            let position = &sample.position;
            let of_view = random.below(encoder.views(position));
            encoder.encode(position, of_view, input);
            *value = sample.value;
            policy.fill(0.0);
            let mut total = 0.0;
            for &(mv, share) in &sample.policy {
                let (in_view, index) = encoder.index(position, mv);
                if in_view == of_view {
                    policy[index] += share;
                    total += share;
                }
            }
            if total > 0.0 {
                policy.iter_mut().for_each(|share: &mut f32| *share /= total);
            }
            if !legal.is_empty() {
                legal.fill(false);
                let mut moves = Vec::new();
                position.moves(&mut moves);
                for mv in moves {
                    let (in_view, index) = encoder.index(position, mv);
                    legal[index] |= in_view == of_view;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_learns_shares_of_wins_of_the_moves_that_were_tried() {
        let child = |mv: u8, visits: u32, mean: f32| Visited { mv, visits, mean };
        let children = [child(0, 4, 0.5), child(1, 2, -0.5), child(3, 2, -1.0)];
        assert_eq!(policy(Target::Q, 1.0, &children), [(0, 0.75), (1, 0.25), (3, 0.0)]);
        // For the second player the values are turned round: 0.25, 0.75 and 1 of 2.
        assert_eq!(policy(Target::Q, -1.0, &children), [(0, 0.125), (1, 0.375), (3, 0.5)]);
        assert_eq!(policy(Target::Visits, 1.0, &children), [(0, 0.5), (1, 0.25), (3, 0.25)]);
        assert_eq!(policy(Target::Q, 1.0, &[child(0, 1, -1.0), child(1, 3, -1.0)]), [(0, 0.5), (1, 0.5)]);
    }
}
