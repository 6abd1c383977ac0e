//! `policy:net=...`: the network alone. The chess paper's Algorithm 4: its moves in the order of their probability, and
//! the first one that the rules accept is played.
//!
//! Probabilities are those that PUCT has for priors: the softmax over the legal moves of a view, as training has it, and
//! equal shares for the views. In TUBSTAP a view is a unit that can act: every unit is as likely as any other to be the
//! one that moves (the TUBSTAP paper divides P by the number of units), and the network says where to. So the network
//! alone moves the unit whose best move it is surest of. A network trained with `legal_only = false` gives something to
//! impossible moves as well; only the proportions of the possible ones count.

use crate::networks::{NetworkStore, encoder};
use std::sync::Arc;
use tesuji_core::{Budget, Evaluation, Evaluator, Found, Game, Leaf, Position, Report, Search, Stream, limits};
use tesuji_nn::{ConvMethod, NetworkEvaluator, Worker};
use tesuji_search::agent::{AgentKind, AgentLimits, Needs};
use tesuji_search::mcts::{Temperature, draw};
use tesuji_search::options;

options! {
    /// What can be chosen about `policy`.
    pub struct PolicyOptions {
        /// the network: a weight file, a run (runs/NAME or NAME) or RUN@GENERATION
        net: String = String::new(),
        /// draw moves by their probability at this temperature
        temperature(limits::TEMPERATURE): f32 = 0.0,
        /// plies of the game for which the temperature holds
        plies(0..=*limits::PLIES.end()): u32 = 30,
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

    fn check(options: &PolicyOptions, given: &[&str]) -> Result<(), String> {
        let plies =
            Needs { key: "plies", acts: |options: &PolicyOptions| options.temperature > 0.0, what: "temperature" };
        Needs::check(&[plies], options, given)
    }

    fn build<G: Game>(
        game: &G,
        options: &PolicyOptions,
        networks: &NetworkStore,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        let network = networks.open(game, &options.net, ConvMethod::Winograd3)?;
        if network.model.output("policy").is_none() {
            return Err(format!("{}: the network has no policy", network.place));
        }
        let encoder = encoder(game, &network.info.encoder)?;
        let worker = Worker::new(Arc::clone(&network.model));
        let evaluator = NetworkEvaluator::new(encoder, worker, None);
        let evaluator = evaluator.map_err(|problem| format!("{}: {problem}", network.place))?;
        let temperature = Temperature { start: options.temperature, plies: options.plies, ..Temperature::NONE };
        Ok(Box::new(Alone { evaluator, temperature, random: random(seed) }))
    }
}

/// The network without a search.
struct Alone<P: Position> {
    evaluator: NetworkEvaluator<P>,
    temperature: Temperature,
    random: Stream,
}

/// Where the draws of a game come from.
fn random(seed: u64) -> Stream {
    Stream::new(seed, "policy agent", 0)
}

impl<P: Position> Search<P> for Alone<P> {
    fn refusal(&self, root: &P) -> Option<String> {
        self.evaluator.refusal(root)
    }

    fn search(&mut self, root: &P, _budget: &Budget, _report: &mut dyn Report<P::Move>) -> Found<P::Move> {
        let mut moves = Vec::new();
        root.moves(&mut moves);
        let mut judged = [Evaluation::default()];
        let before = self.evaluator.evaluations();
        self.evaluator.evaluate(&[Leaf { position: root, moves: &moves }], &mut judged);
        let [Evaluation { value, priors }] = judged;
        let policy: Vec<(P::Move, f32)> = moves.iter().copied().zip(priors).collect();
        let temperature = self.temperature.at(root.ply());
        let best = if temperature > 0.0 {
            draw(&policy, temperature, &mut self.random)
        } else {
            let best = policy.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best });
            best.map_or(moves[0], |(mv, _)| mv)
        };
        Found {
            best,
            policy,
            value,
            proof: None,
            depth: 0,
            line: vec![best],
            nodes: 1,
            simulations: 0,
            evaluations: self.evaluator.evaluations() - before,
        }
    }

    fn new_game(&mut self, seed: u64) {
        self.random = random(seed);
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
