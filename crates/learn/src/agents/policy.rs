//! `policy:net=...`: the network alone. The chess paper's Algorithm 4: its moves in the order of their probability, and
//! the first one that the rules accept is played.

use crate::networks::{NetworkStore, encoder};
use std::sync::Arc;
use tesuji_core::{Budget, Encoder, Found, Game, Position, Report, Search, Stream, Value};
use tesuji_nn::{ConvMethod, Worker};
use tesuji_search::agent::{AgentKind, AgentLimits};
use tesuji_search::mcts::{Temperature, draw};
use tesuji_search::options;

options! {
    /// What can be chosen about `policy`.
    pub struct PolicyOptions {
        /// the network: a weight file, a run (runs/NAME or NAME) or RUN@GENERATION
        net: String = String::new(),
        /// draw moves by their probability at this temperature
        temperature: f32 = 0.0,
        /// plies of the game for which the temperature holds
        plies: u32 = 30,
    }
}

/// `policy:net=...`
pub struct PolicyKind;

impl AgentKind for PolicyKind {
    const NAME: &'static str = "policy";
    const ABOUT: &'static str = "the network alone: its most probable legal move, no search";
    type Options = PolicyOptions;

    type Context<G: Game> = NetworkStore;

    fn limits(_options: &PolicyOptions) -> AgentLimits {
        AgentLimits { own: Budget::UNLIMITED, fallback: Budget::simulations(1) }
    }

    fn build<G: Game>(
        game: &G,
        options: &PolicyOptions,
        networks: &NetworkStore,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        let network = networks.open(game, &options.net, ConvMethod::Winograd3)?;
        let (Some(policy), Some(value)) = (network.model.output("policy"), network.model.output("value")) else {
            return Err(format!("{}: the network has no policy", network.place));
        };
        if options.temperature.is_nan() || options.temperature < 0.0 {
            return Err(format!("temperature={}: expected 0 or more", options.temperature));
        }
        let encoder = encoder(game, &network.info.encoder)?;
        let worker = Worker::new(Arc::clone(&network.model));
        let temperature = Temperature { start: options.temperature, plies: options.plies, ..Temperature::NONE };
        let random = Stream::new(seed, "policy agent", 0);
        Ok(Box::new(Alone { encoder, worker, policy, value, temperature, random }))
    }
}

/// The network without a search.
struct Alone<P: Position> {
    encoder: Arc<dyn Encoder<P>>,
    worker: Worker,
    policy: usize,
    value: usize,
    temperature: Temperature,
    random: Stream,
}

impl<P: Position> Search<P> for Alone<P> {
    /// The policy that is told is the network's own: what it gives to impossible moves is missing from its sum.
    fn search(&mut self, root: &P, _budget: &Budget, _report: &mut dyn Report<P::Move>) -> Found<P::Move> {
        let (shape, len) = (self.encoder.shape().len(), self.encoder.policy_len());
        let views = self.encoder.views(root);
        let mut inputs = vec![0.0; views * shape];
        for (view, input) in inputs.chunks_exact_mut(shape).enumerate() {
            self.encoder.encode(root, view, input);
        }
        self.worker.run(&inputs);
        let logits = self.worker.output(self.policy);
        let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = logits.iter().map(|logit| (logit - greatest).exp()).sum();
        let mut moves = Vec::new();
        root.moves(&mut moves);
        let probability = |mv: P::Move| {
            let (view, index) = self.encoder.index(root, mv);
            (logits[view * len + index] - greatest).exp() / sum
        };
        let policy: Vec<(P::Move, f32)> = moves.iter().map(|&mv| (mv, probability(mv))).collect();
        let temperature = self.temperature.at(root.ply());
        let best = if temperature > 0.0 {
            draw(&policy, temperature, &mut self.random)
        } else {
            let best = policy.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best });
            best.map_or(moves[0], |(mv, _)| mv)
        };
        let value = self.worker.output(self.value).iter().sum::<f32>() / views as f32;
        Found {
            best,
            policy,
            value: Value::from_side(root.mover(), value),
            proof: None,
            depth: 0,
            line: vec![best],
            nodes: 1,
            simulations: 0,
            evaluations: views as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::{GameRules, MoveOf, Quiet, Rules};
    use tesuji_games::shogi::Minishogi;

    /// The move at the start and the policy that goes with it.
    fn asked(options: PolicyOptions, seed: u64) -> Found<MoveOf<Minishogi>> {
        let game = Minishogi::new(Rules::Official);
        let options = PolicyOptions { net: "minishogi".to_owned(), ..options };
        let mut search = PolicyKind::build(&game, &options, &NetworkStore::new(), seed).unwrap();
        search.search(&game.start(), &Budget::UNLIMITED, &mut Quiet)
    }

    #[test]
    fn plays_the_most_probable_move_unless_there_is_a_temperature() {
        let found = asked(PolicyOptions::default(), 1);
        let share = |wanted| found.policy.iter().find(|&&(mv, _)| mv == wanted).unwrap().1;
        assert!(found.policy.iter().all(|&(_, other)| other <= share(found.best)));
        let warm = |plies| PolicyOptions { temperature: 1.0, plies, ..PolicyOptions::default() };
        let drawn: Vec<_> = (0..40).map(|seed| asked(warm(30), seed).best).collect();
        assert_eq!(drawn, (0..40).map(|seed| asked(warm(30), seed).best).collect::<Vec<_>>());
        assert!(drawn.iter().any(|&mv| mv != drawn[0]));
        assert_eq!(asked(warm(0), 1).best, found.best);
    }
}
