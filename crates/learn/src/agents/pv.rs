//! A network with tree search as an agent: `pv:net=RUN,sims=800,mate=dfpn:2000`.

use super::beside::Beside;
use super::mates::MateSearch;
use crate::networks::{NetworkStore, encoder};
use crate::play::MateOption;
use std::sync::Arc;
use tesuji_core::{Budget, Game, Search, limits};
use tesuji_nn::{Cache, ConvMethod, NetworkEvaluator, Worker};
use tesuji_search::agent::{AgentKind, AgentLimits, Needs};
use tesuji_search::mcts::{Fpu, MctsOptions, RootOptions, Selection, Temperature, TreeOptions};
use tesuji_search::{Mcts, options};

options! {
    /// What can be chosen about `pv`.
    pub struct PvOptions {
        /// the network: a weight file, a run (runs/NAME or NAME), RUN@GENERATION, or one that comes with the program
        net: String = String::new(),
        /// simulations a move
        sims(limits::SIMULATIONS): Option<u64> = None,
        /// C of PUCT
        c(limits::WEIGHT): f32 = 1.5,
        /// the bias towards attacks (TUBSTAP's paper: 3.7)
        battack(limits::WEIGHT): f32 = 0.0,
        /// where the network is asked once for each unit (TUBSTAP): each unit's P sums to 1 by itself, as the paper has it
        wholeunits: bool = false,
        /// an untried move counts as the parent's value less this; as a draw if none
        fpu(limits::WEIGHT): Option<f32> = Some(0.2),
        /// sequential halving over this many moves at the root
        gumbel(1..=1024): Option<u32> = None,
        /// leaves judged together
        batch(limits::BATCH): usize = 8,
        /// what a leaf under way counts as a loss
        vloss(limits::WEIGHT): f32 = 1.0,
        /// look for a forced mate first
        mate: MateOption = MateOption::NONE,
        /// when the mate solver works: first, on a thread of its own beside the search, or there so many positions for each simulation
        beside: Beside = Beside::First,
        /// prove wins, losses and draws
        solver: bool = true,
        /// draw moves by visits at this temperature
        temperature(limits::TEMPERATURE): f32 = 0.0,
        /// plies of the game for which the temperature holds
        plies(0..=*limits::PLIES.end()): u32 = 30,
        /// keep the tree below the moves that are played
        reuse: bool = true,
        /// megabytes for the tree
        memory(1..=*limits::MEGABYTES.end()): usize = 256,
        /// megabytes for remembered evaluations
        cache(limits::MEGABYTES): usize = 32,
    }
}

/// `pv:net=...`
pub struct PvKind;

impl AgentKind for PvKind {
    const NAME: &'static str = "pv";
    const ABOUT: &'static str = "PUCT tree search with a policy and value network";
    type Options = PvOptions;

    type Context<G: Game> = NetworkStore;

    fn limits(options: &PvOptions) -> AgentLimits {
        let own = Budget { simulations: options.sims, ..Budget::UNLIMITED };
        AgentLimits { own, fallback: Budget::simulations(800) }
    }

    fn check(options: &PvOptions, given: &[&str]) -> Result<(), String> {
        let needs = [
            Needs { key: "plies", acts: |options: &PvOptions| options.temperature > 0.0, what: "temperature" },
            Needs { key: "vloss", acts: |options| options.batch > 1, what: "batch of 2 or more" },
            Needs { key: "beside", acts: |options| options.mate != MateOption::NONE, what: "mate" },
        ];
        Needs::check(&needs, options, given)
    }

    fn build<G: Game>(
        game: &G,
        options: &PvOptions,
        networks: &NetworkStore,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        limits::check_memory("memory", options.memory)?;
        limits::check_memory("cache", options.cache)?;
        let network = networks.open(game, &options.net, ConvMethod::Winograd3)?;
        let encoder = encoder(game, &network.info.encoder)?;
        let cache = (options.cache > 0).then(|| Cache::new(options.cache << 20));
        let worker = Worker::new(Arc::clone(&network.model));
        let evaluator = NetworkEvaluator::new(encoder, worker, cache).map_err(|error| error.to_string())?;
        let evaluator = evaluator.whole_views(options.wholeunits);
        let mcts = Box::new(Mcts::new(options.mcts(), Box::new(evaluator), seed));
        MateSearch::wrap(game, options.mate, (options.beside, options.batch), mcts)
    }
}

impl PvOptions {
    fn mcts(&self) -> MctsOptions {
        MctsOptions {
            tree: TreeOptions {
                selection: Selection::Puct {
                    c: self.c,
                    attack: self.battack,
                    fpu: self.fpu.map_or(Fpu::Value(0.0), Fpu::Parent),
                },
                expand_after: 0,
                solver: self.solver,
                virtual_loss: self.vloss,
                node_limit: (self.memory << 20) / 32,
                ..TreeOptions::default()
            },
            root: RootOptions {
                gumbel: self.gumbel,
                temperature: Temperature { start: self.temperature, plies: self.plies, ..Temperature::NONE },
                ..RootOptions::default()
            },
            batch: self.batch,
            reuse: self.reuse,
        }
    }
}
