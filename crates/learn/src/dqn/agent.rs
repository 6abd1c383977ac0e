//! `dqn:net=...`: a network of Q values as an agent.

use crate::dqn::evaluator::QEvaluator;
use crate::dqn::q::{Reader, Rows};
use crate::network;
use std::sync::Arc;
use tesuji_core::{Budget, Found, Game, Position, Report, Search, Stream, Value};
use tesuji_nn::{ConvMethod, Worker};
use tesuji_search::agent::{Agent, AgentKind, Searcher};
use tesuji_search::mcts::{Fpu, MctsOptions, RootOptions, Selection, TreeOptions};
use tesuji_search::{Mcts, options};

options! {
    /// What can be chosen about `dqn`.
    pub struct AgentOptions {
        /// the network: a weight file, a run (runs/NAME or NAME) or RUN@GENERATION
        net: String = String::new(),
        /// share of random moves
        epsilon: f32 = 0.0,
        /// simulations of a tree search by Q; none plays the greatest Q at once
        sims: Option<u64> = None,
        /// megabytes for the tree
        memory: usize = 64,
    }
}

/// `dqn:net=...`
pub struct DqnKind;

impl AgentKind for DqnKind {
    const NAME: &'static str = "dqn";
    const ABOUT: &'static str = "the move with the greatest Q of a network trained by deep Q-learning";
    type Options = AgentOptions;

    fn build<G: Game>(game: &G, options: AgentOptions, seed: u64) -> Result<Agent<G::Position>, String> {
        if !(0.0..=1.0).contains(&options.epsilon) {
            return Err(format!("epsilon={}: expected 0 to 1", options.epsilon));
        }
        let (place, loaded) = network::by_name(game, &options.net, ConvMethod::Direct)?;
        if loaded.model.output("q").is_none() {
            return Err(format!("{place}: no network of Q values; play it as pv:net=..."));
        }
        let reader = Arc::new(Reader::new(loaded.encoder, loaded.model.output("q2").is_some()));
        let worker = Worker::new(loaded.model);
        let Some(simulations) = options.sims else {
            let random = Stream::new(seed, "dqn agent", 0);
            let search = Greedy { reader, worker, epsilon: options.epsilon, random };
            let (limits, fallback) = (Budget::UNLIMITED, Budget::simulations(1));
            return Ok(Agent::Own(Searcher { search: Box::new(search), limits, fallback }));
        };
        let selection = Selection::Puct { c: 1.5, attack: 0.0, fpu: Fpu::Parent(0.2) };
        let tree = TreeOptions {
            selection,
            expand_after: 0,
            node_limit: (options.memory << 20) / 32,
            ..TreeOptions::default()
        };
        let mcts = MctsOptions { tree, root: RootOptions::default(), batch: 8, reuse: true };
        let search = Box::new(Mcts::new(mcts, QEvaluator::new(reader, worker), seed));
        let limits = Budget::simulations(simulations);
        Ok(Agent::Own(Searcher { search, limits, fallback: limits }))
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
