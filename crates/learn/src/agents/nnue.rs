//! `nnue:net=...`: selective alpha-beta with an integer network.

use crate::networks::{IntegerNetwork, NetworkStore, NnueEvaluator, features};
use tesuji_core::{Budget, Game, Search, limits};
use tesuji_search::agent::{AgentKind, AgentLimits};
use tesuji_search::selective::{Features, SelectiveConfig};
use tesuji_search::{Selective, options};

options! {
    /// What can be chosen about `nnue`.
    pub struct NnueAgentOptions {
        /// the network: a weight file, a run (runs/NAME or NAME), RUN@GENERATION, or one that comes with the program
        net: String = String::new(),
        /// plies
        depth(limits::DEPTH): Option<u32> = None,
        /// nodes a move
        nodes(limits::NODES): Option<u64> = None,
        /// megabytes of the transposition table
        hash(limits::MEGABYTES): usize = 16,
        /// threads that search together; with more than one, results do not repeat
        threads(1..=256): usize = 1,
        /// parts of the selective search that are switched off (docs/alphabeta.md)
        off: Features = Features::NONE,
        /// how far late moves are reduced, in percent of the usual; if none, the game's own
        reduce(0..=300): Option<u32> = None,
        /// margins of pruning and windows, in percent of the game's own
        margins(10..=1000): u32 = 100,
    }
}

/// `nnue:net=...`
pub struct NnueKind;

impl AgentKind for NnueKind {
    const NAME: &'static str = "nnue";
    const ABOUT: &'static str = "selective alpha-beta with an integer network (NNUE)";
    type Options = NnueAgentOptions;

    type Context<G: Game> = NetworkStore;

    fn limits(options: &NnueAgentOptions) -> AgentLimits {
        let own = Budget { depth: options.depth, nodes: options.nodes, ..Budget::UNLIMITED };
        AgentLimits { own, fallback: Budget::depth(8) }
    }

    fn build<G: Game>(
        game: &G,
        options: &NnueAgentOptions,
        networks: &NetworkStore,
        _seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        limits::check_memory("hash", options.hash)?;
        let network = networks.open_integer(game, &options.net)?;
        let IntegerNetwork { info, network, .. } = network.as_ref();
        let features = features(game, &info.spec.features)?;
        let mut config =
            SelectiveConfig { table: options.hash << 20, threads: options.threads, ..SelectiveConfig::of(game) };
        config.params = config.params.less(options.off).margins(options.margins);
        config.params.late = options.reduce.unwrap_or(config.params.late);
        let evaluators = NnueEvaluator::source(game, &features, network);
        Ok(Box::new(Selective::new(game.clone(), config, &evaluators)))
    }
}
