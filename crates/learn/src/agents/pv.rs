//! A network with tree search as an agent: `pv:net=RUN,sims=800,mate=dfpn:2000`.

use crate::networks::{NetworkStore, encoder};
use crate::play::{MateOption, RootSolver};
use std::sync::Arc;
use tesuji_core::{Budget, Focus, Found, Game, Outcome, Position, Report, Search};
use tesuji_nn::{Cache, ConvMethod, NetworkEvaluator, Worker};
use tesuji_search::agent::{AgentKind, AgentLimits};
use tesuji_search::mcts::{Fpu, MctsOptions, RootOptions, Selection, Temperature, TreeOptions};
use tesuji_search::options::OptionValue;
use tesuji_search::{Mcts, options};

impl OptionValue for MateOption {
    fn form() -> String {
        MateOption::FORMS.to_owned()
    }

    fn read(text: &str) -> Option<MateOption> {
        text.parse().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

options! {
    /// What can be chosen about `pv`.
    pub struct PvOptions {
        /// the network: a weight file, a run (runs/NAME or NAME), RUN@GENERATION, or one that comes with the program
        net: String = String::new(),
        /// simulations a move
        sims: Option<u64> = None,
        /// C of PUCT
        c: f32 = 1.5,
        /// the bias towards attacks (TUBSTAP's paper: 3.7)
        battack: f32 = 0.0,
        /// an untried move counts as the parent's value less this; as a draw if none
        fpu: Option<f32> = Some(0.2),
        /// sequential halving over this many moves at the root
        gumbel: Option<u32> = None,
        /// leaves judged together
        batch: usize = 8,
        /// what a leaf under way counts as a loss
        vloss: f32 = 1.0,
        /// look for a forced mate first
        mate: MateOption = MateOption::NONE,
        /// prove wins, losses and draws
        solver: bool = true,
        /// draw moves by visits at this temperature
        temperature: f32 = 0.0,
        /// plies of the game for which the temperature holds
        plies: u32 = 30,
        /// keep the tree below the moves that are played
        reuse: bool = true,
        /// megabytes for the tree
        memory: usize = 256,
        /// megabytes for remembered evaluations
        cache: usize = 32,
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

    fn build<G: Game>(
        game: &G,
        options: &PvOptions,
        networks: &NetworkStore,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        let network = networks.open(game, &options.net, ConvMethod::Winograd3)?;
        let encoder = encoder(game, &network.info.encoder)?;
        let cache = (options.cache > 0).then(|| Cache::new(options.cache << 20));
        let worker = Worker::new(Arc::clone(&network.model));
        let evaluator = NetworkEvaluator::new(encoder, worker, cache).map_err(|error| error.to_string())?;
        let mcts = Mcts::new(options.mcts(), Box::new(evaluator), seed);
        let solver = RootSolver::new(options.mate);
        Ok(Box::new(PvSearch { game: game.clone(), solver, look_for_mates: true, mcts }))
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

/// Tree search that looks for a mate first.
struct PvSearch<G: Game> {
    game: G,
    solver: Option<RootSolver>,
    look_for_mates: bool,
    mcts: Mcts<G::Position>,
}

impl<G: Game> Search<G::Position> for PvSearch<G> {
    fn search(
        &mut self,
        root: &G::Position,
        budget: &Budget,
        report: &mut dyn Report<<G::Position as Position>::Move>,
    ) -> Found<<G::Position as Position>::Move> {
        let solver = self.solver.as_mut().filter(|_| self.look_for_mates);
        let mate = solver.and_then(|solver| solver.mate(&self.game, root));
        let Some(line) = mate else { return self.mcts.search(root, budget, report) };
        let outcome = Outcome::Win(root.mover());
        let mut moves = Vec::new();
        root.moves(&mut moves);
        let policy = moves.into_iter().map(|mv| (mv, if mv == line[0] { 1.0 } else { 0.0 })).collect();
        Found {
            best: line[0],
            policy,
            value: outcome.value(),
            proof: Some(outcome),
            depth: line.len() as u32,
            line,
            nodes: 0,
            simulations: 0,
            evaluations: 0,
        }
    }

    fn advance(&mut self, mv: <G::Position as Position>::Move) {
        self.mcts.advance(mv);
    }

    fn focus(&mut self, focus: &Focus<<G::Position as Position>::Move>) {
        // A mate is one line by one move; whoever asks for certain moves or several lines wants the tree.
        self.look_for_mates = *focus == Focus::default();
        self.mcts.focus(focus);
    }

    fn new_game(&mut self, seed: u64) {
        self.mcts.new_game(seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::{GameRules, Quiet, Rules};
    use tesuji_games::shogi::Minishogi;

    #[test]
    fn a_mate_is_played_unless_other_moves_are_asked_for() {
        let game = Minishogi::new(Rules::Official);
        let (net, mate) = ("minishogi".to_owned(), "dfpn:100".parse().unwrap());
        let options = PvOptions { net, mate, ..PvOptions::default() };
        let mut search = PvKind::build(&game, &options, &NetworkStore::new(), 1).unwrap();
        let position = game.parse_position("4k/5/4G/5/K4 b G 1").unwrap();
        let found = search.search(&position, &Budget::simulations(20), &mut Quiet);
        assert_eq!((found.simulations, found.proof), (0, Some(Outcome::Win(position.mover()))));
        let other = position.parse_move("5e4e").unwrap();
        assert_ne!(found.best, other);
        search.focus(&Focus { only: vec![other], lines: 1 });
        assert_eq!(search.search(&position, &Budget::simulations(20), &mut Quiet).best, other);
        search.focus(&Focus::default());
        assert_eq!(search.search(&position, &Budget::simulations(20), &mut Quiet).best, found.best);
    }
}
