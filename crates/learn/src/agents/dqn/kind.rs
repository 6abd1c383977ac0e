//! `dqn:net=...`: a network of Q values as an agent.

use super::evaluator::QEvaluator;
use super::q::{Reader, Rows};
use crate::agents::beside::Beside;
use crate::agents::mates::MateSearch;
use crate::networks::{NetworkStore, encoder};
use crate::play::MateOption;
use std::sync::Arc;
use tesuji_core::{Budget, Found, Game, Position, Report, Search, Stream, Value, limits};
use tesuji_nn::{ConvMethod, Worker};
use tesuji_search::agent::{AgentKind, AgentLimits, Needs};
use tesuji_search::mcts::{Fpu, MctsOptions, RootOptions, Selection, TreeOptions};
use tesuji_search::{Mcts, options};

options! {
    /// What can be chosen about `dqn`.
    pub struct AgentOptions {
        /// the network: a weight file, a run (runs/NAME or NAME) or RUN@GENERATION
        net: String = String::new(),
        /// share of random moves
        epsilon(limits::SHARE): f32 = 0.0,
        /// simulations of a tree search by Q; none plays the greatest Q at once
        sims(limits::SIMULATIONS): Option<u64> = None,
        /// look for a forced mate first
        mate: MateOption = MateOption::NONE,
        /// megabytes for the tree
        memory(1..=*limits::MEGABYTES.end()): usize = 64,
    }
}

/// `dqn:net=...`
pub struct DqnKind;

impl AgentKind for DqnKind {
    const NAME: &'static str = "dqn";
    const ABOUT: &'static str = "the move with the greatest Q of a network trained by deep Q-learning";
    type Options = AgentOptions;

    type Context<G: Game> = NetworkStore;

    fn limits(options: &AgentOptions) -> AgentLimits {
        match options.sims.map(Budget::simulations) {
            None => AgentLimits { own: Budget::UNLIMITED, fallback: Budget::simulations(1) },
            Some(limit) => AgentLimits { own: limit, fallback: limit },
        }
    }

    fn check(options: &AgentOptions, given: &[&str]) -> Result<(), String> {
        let epsilon =
            Needs { key: "epsilon", acts: |options: &AgentOptions| options.sims.is_none(), what: "sims=none" };
        Needs::check(&[epsilon], options, given)
    }

    fn build<G: Game>(
        game: &G,
        options: &AgentOptions,
        networks: &NetworkStore,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        limits::check_memory("memory", options.memory)?;
        let network = networks.open(game, &options.net, ConvMethod::Direct)?;
        if network.model.output("q").is_none() {
            return Err(format!("{}: no network of Q values; play it as pv:net=...", network.place));
        }
        let encoder = encoder(game, &network.info.encoder)?;
        let reader = Arc::new(Reader::new(encoder, network.model.output("q2").is_some()));
        let worker = Worker::new(Arc::clone(&network.model));
        if options.sims.is_none() {
            let random = Stream::new(seed, "dqn agent", 0);
            let greedy = Box::new(Greedy { reader, worker, epsilon: options.epsilon, random });
            return MateSearch::wrap(game, options.mate, (Beside::First, 1), greedy);
        }
        let selection = Selection::Puct { c: 1.5, attack: 0.0, fpu: Fpu::Parent(0.2) };
        let tree = TreeOptions {
            selection,
            expand_after: 0,
            node_limit: (options.memory << 20) / 32,
            ..TreeOptions::default()
        };
        let mcts = MctsOptions { tree, root: RootOptions::default(), batch: 8, reuse: true };
        let tree = Box::new(Mcts::new(mcts, Box::new(QEvaluator::new(reader, worker)), seed));
        MateSearch::wrap(game, options.mate, (Beside::First, 1), tree)
    }
}

/// Plays the greatest Q.
struct Greedy<P: Position> {
    reader: Arc<Reader<P>>,
    worker: Worker,
    epsilon: f32,
    random: Stream,
}

impl<P: Position> Search<P> for Greedy<P> {
    fn refusal(&self, root: &P) -> Option<String> {
        self.reader.encoder().refusal(root)
    }

    fn search(&mut self, root: &P, _budget: &Budget, _report: &mut dyn Report<P::Move>) -> Found<P::Move> {
        let mut moves = Vec::new();
        root.moves(&mut moves);
        let mut views = Vec::new();
        let count = self.reader.encode(root, &mut views);
        self.worker.run(&views);
        let (best, q) = self.reader.best(root, &moves, Rows::of(&self.worker, 0, count));
        let explores = self.epsilon > 0.0 && self.random.unit() < f64::from(self.epsilon);
        let best = if explores { self.random.choose(&moves).copied().unwrap_or(best) } else { best };
        Found {
            best,
            policy: moves.iter().map(|&mv| (mv, if mv == best { 1.0 } else { 0.0 })).collect(),
            value: Value::from_side(root.mover(), q[0].clamp(-1.0, 1.0)),
            proof: None,
            depth: 1,
            line: vec![best],
            nodes: 1,
            simulations: 0,
            evaluations: count as u64,
        }
    }

    fn new_game(&mut self, seed: u64) {
        self.random = Stream::new(seed, "dqn agent", 0);
    }
}
