//! The agents without a network of their own: one list, which is also their documentation.

use crate::agent::{self, AgentKind, AgentLimits, KindInfo, LeafNetworks, NoNetworks};
use crate::alphabeta::{AlphaBeta, AlphaBetaConfig};
use crate::handle::{AgentSource, GameSolver, MateSolver, Searcher};
use crate::heuristic::{Heuristic, Mix};
use crate::mate::SolverSpec;
use crate::mcts::{
    Decay, FinalMove, Fpu, Mcts, MctsOptions, Noise, RootOptions, Selection, Temperature, TreeOptions, Widening,
};
use crate::minimax::Minimax;
use crate::options::{OptionValue, Pair};
use crate::player::SearchPlayer;
use crate::rollout::{Judge, Playout, Policy, Rollouts};
use crate::score::LeafJudge;
use crate::simple::{Bot, Flat, Random};
use crate::{agents, option_names, options};
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::{AnyGame, Budget, Evaluator, Game, ParseError, Player, Position, Search};

agents! {
    /// The agents without a network of their own.
    pub enum ClassicalSpec(dyn LeafNetworks<G::Position> + 'static) {
        Random(RandomKind),
        Bot(BotKind),
        Pmc(PmcKind),
        Minimax(MinimaxKind),
        AlphaBeta(AlphaBetaKind),
        Uct(UctKind),
    }
    "muct" => Uct(UctKind), "c=0.15,expand=11,final=max,rollout=attack,solver=off,opponent=helps",
        "M-UCT, which won TUBSTAP's competitions of 2016 and 2017, its flaw included (opponent=adversary mends it)";
    "shogi-uct" => Uct(UctKind), "c=1.1874,expand=0,cut=15,judge=reward,solver=off",
        "UCT as in the shogi paper: playouts of 15 plies, evaluated by the reward table";
    "bingo-uct" => Uct(UctKind), "select=uct,c=0.3,rollout=bot,eval=mix,lambda=0.7",
        "UCT as in the 3D-Bingo paper, with the heuristic for its network";
    "tubstap-mcts" => Uct(UctKind), "c=1,expand=11,sims=2000,solver=off",
        "the MCTS that TUBSTAP's paper plays against";
}

impl ClassicalSpec {
    /// Reads a line such as `uct:sims=2000`.
    ///
    /// # Errors
    /// If the kind is unknown (the error lists those that are known), or its options do not fit.
    pub fn parse_line(line: &str) -> Result<ClassicalSpec, ParseError> {
        let (name, text) = agent::split(line);
        ClassicalSpec::parse(name, text).unwrap_or_else(|| Err(agent::unknown(line, &ClassicalSpec::kinds())))
    }
}

/// A typed search with its limits.
pub type LimitedSearch<P> = (Box<dyn Search<P>>, AgentLimits);

/// Makes the search that a line names, without networks, and returns it with its limits.
///
/// # Errors
/// If the line is not one of [`ClassicalSpec`], or asks for a network.
pub fn search<G: Game>(game: &G, line: &str, seed: u64) -> Result<LimitedSearch<G::Position>, ParseError> {
    let spec = ClassicalSpec::parse_line(line)?;
    let search = spec.build(game, &NoNetworks, seed).map_err(|problem| ParseError::new("agent", line, problem))?;
    Ok((search, spec.limits()))
}

/// Makes the agent of a line where there are no networks.
///
/// # Errors
/// As [`search`].
pub fn searcher<G: Game>(game: &G, line: &str, seed: u64) -> Result<Searcher, ParseError> {
    let (search, limits) = search(game, line, seed)?;
    Ok(Searcher::new(search, limits))
}

/// The agents of a game where there are no networks and no foreign engines.
pub struct ClassicalAgents<G: Game>(pub G);

impl<G: Game> AgentSource for ClassicalAgents<G> {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.0.handle()
    }

    fn kinds(&self) -> Vec<KindInfo> {
        ClassicalSpec::kinds()
    }

    fn searcher(&self, line: &str, seed: u64) -> Result<Option<Searcher>, ParseError> {
        searcher(&self.0, line, seed).map(Some)
    }

    fn player(&self, line: &str, seed: u64) -> Result<Box<dyn Player>, ParseError> {
        player(&self.0, line, seed)
    }

    fn solver(&self, spec: SolverSpec, bytes: usize) -> Option<Box<dyn MateSolver>> {
        GameSolver::new(&self.0, spec, bytes).map(|solver| Box::new(solver) as Box<dyn MateSolver>)
    }
}

/// Makes the agent of a line as a player, where there are no networks.
///
/// # Errors
/// As [`searcher`].
pub fn player<G: Game>(game: &G, line: &str, seed: u64) -> Result<Box<dyn Player>, ParseError> {
    Ok(Box::new(SearchPlayer::new(game.handle(), line, searcher(game, line, seed)?)))
}

options! {
    /// Limits of a tree search.
    pub struct TreeLimits {
        /// simulations a move; 1000 if no limit of any kind is set
        sims: Option<u64> = None,
        /// tree nodes a move
        nodes: Option<u64> = None,
        /// time a move by the clock
        time: Option<Duration> = None,
        /// processor time a move
        cpu: Option<Duration> = None,
    }
}

options! {
    /// Limits of a search by depth.
    pub struct DepthLimits {
        /// plies; if no limit of any kind is set, the agent's own default
        depth: Option<u32> = None,
        /// positions a move
        nodes: Option<u64> = None,
        /// time a move by the clock
        time: Option<Duration> = None,
        /// processor time a move
        cpu: Option<Duration> = None,
    }
}

impl TreeLimits {
    /// The limits as a budget.
    pub fn budget(&self) -> Budget {
        Budget { simulations: self.sims, nodes: self.nodes, time: self.time, cpu: self.cpu, depth: None }
    }
}

impl DepthLimits {
    /// The limits as a budget.
    pub fn budget(&self) -> Budget {
        Budget { depth: self.depth, nodes: self.nodes, time: self.time, cpu: self.cpu, simulations: None }
    }
}

/// Names of [`Policy`] without its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyName {
    /// [`Policy::Uniform`]
    Uniform,
    /// [`Policy::Bot`]
    Bot,
    /// [`Policy::Strength`]
    Strength,
    /// [`Policy::Attack`]
    Attack,
}

option_names!(PolicyName { Uniform = "uniform", Bot = "bot", Strength = "strength", Attack = "attack" });
option_names!(Judge { Heuristic = "heuristic", Reward = "reward" });

options! {
    /// How playouts go.
    pub struct PlayoutOptions {
        /// who plays the playouts: random moves, the rule bot, moves by their strength, attacks first
        rollout: PolicyName = PolicyName::Uniform,
        /// with rollout=attack, how often an attack is preferred
        attacks: f32 = 0.8,
        /// plies after which a playout is cut short
        cut: Option<u32> = None,
        /// how a playout that was cut short is evaluated
        judge: Judge = Judge::Heuristic,
    }
}

impl PlayoutOptions {
    /// The playout that is meant.
    pub fn playout(&self) -> Playout {
        let policy = match self.rollout {
            PolicyName::Uniform => Policy::Uniform,
            PolicyName::Bot => Policy::Bot,
            PolicyName::Strength => Policy::Strength,
            PolicyName::Attack => Policy::Attack(self.attacks),
        };
        Playout { policy, cut: self.cut.unwrap_or(u32::MAX), judge: self.judge }
    }
}

/// Names of [`Selection`] without its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionName {
    /// [`Selection::Ucb1`]
    Ucb1,
    /// [`Selection::Tuned`]
    Tuned,
    /// [`Selection::Uct`]
    Uct,
    /// [`Selection::Puct`]
    Puct,
    /// [`Selection::Pucb`]
    Pucb,
}

option_names!(SelectionName { Ucb1 = "ucb1", Tuned = "tuned", Uct = "uct", Puct = "puct", Pucb = "pucb" });

/// Whose good the opponent's choices in the tree seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Its own.
    Adversary,
    /// The root side's: the flaw of M-UCT.
    Helps,
}

option_names!(Opponent { Adversary = "adversary", Helps = "helps" });

/// Names of [`FinalMove`] without its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalName {
    /// [`FinalMove::Max`]
    Max,
    /// [`FinalMove::Robust`]
    Robust,
    /// [`FinalMove::RobustMax`]
    RobustMax,
    /// [`FinalMove::Secure`]
    Secure,
    /// [`FinalMove::Ucb`]
    Ucb,
}

option_names!(Decay { Step = "step", Linear = "linear" });
option_names!(FinalName { Max = "max", Robust = "robust", RobustMax = "robustmax", Secure = "secure", Ucb = "ucb" });

options! {
    /// How a tree grows.
    pub struct GrowthOptions {
        /// the formula that chooses among children
        select: SelectionName = SelectionName::Ucb1,
        /// exploration: C of ucb1 (1.19 if none), Cp of uct (0.3), C of puct (1.5), tau of pucb (1.5)
        c: Option<f32> = None,
        /// with select=puct, the bias towards attacks (TUBSTAP's paper: 3.7)
        battack: f32 = 0.0,
        /// value of an unvisited child: the urgency of tuned (10000 if none); with puct the parent's value less this
        fpu: Option<f32> = None,
        /// visits before a node gets its children; 0 with its first evaluation
        expand: u32 = 1,
        /// progressive widening FACTOR:EXPONENT, strong moves first (sets expand=0)
        widen: Option<Pair> = None,
        /// prove wins, losses and draws
        solver: bool = true,
        /// try moves first that won elsewhere at the same depth
        killers: bool = false,
        /// weight of a move's success anywhere in the tree
        history: f32 = 0.0,
        /// whose good the opponent's choices in the tree seek
        opponent: Opponent = Opponent::Adversary,
        /// megabytes for the tree
        memory: usize = 256,
    }
}

options! {
    /// How a tree is used.
    pub struct UseOptions {
        /// which move is played
        r#final: FinalName = FinalName::Robust,
        /// Dirichlet noise at the root, ALPHA:EPSILON
        noise: Option<Pair> = None,
        /// forced playouts at the root, K of sqrt(K P N), with select=puct|pucb (KataGo: 2)
        forced: f32 = 0.0,
        /// sequential halving over this many moves at the root
        gumbel: Option<u32> = None,
        /// draw moves by visits at this temperature
        temperature: f32 = 0.0,
        /// plies of the game until the temperature is 0
        plies: u32 = 30,
        /// how the temperature comes down
        decay: Decay = Decay::Step,
        /// leaves evaluated together
        batch: usize = 1,
        /// what a leaf under way counts as a loss
        vloss: f32 = 1.0,
        /// keep the tree below the moves that are played
        reuse: bool = true,
    }
}

impl GrowthOptions {
    /// How the tree grows; `virtual_loss` comes from elsewhere.
    pub fn tree(&self) -> TreeOptions {
        let c = |default: f32| self.c.unwrap_or(default);
        let selection = match self.select {
            SelectionName::Ucb1 => Selection::Ucb1 { c: c(1.19) },
            SelectionName::Tuned => Selection::Tuned { urgency: self.fpu.unwrap_or(10_000.0) },
            SelectionName::Uct => Selection::Uct { cp: c(0.3) },
            SelectionName::Puct => {
                Selection::Puct { c: c(1.5), attack: self.battack, fpu: self.fpu.map_or(Fpu::Value(0.0), Fpu::Parent) }
            }
            SelectionName::Pucb => Selection::Pucb { tau: c(1.5) },
        };
        TreeOptions {
            selection,
            expand_after: if self.widen.is_some() { 0 } else { self.expand },
            widening: self.widen.map(|Pair(factor, exponent)| Widening { factor, exponent }),
            solver: self.solver,
            killers: self.killers,
            history: self.history,
            virtual_loss: 1.0,
            node_limit: (self.memory << 20) / 32,
            opponent_helps: self.opponent == Opponent::Helps,
        }
    }
}

impl UseOptions {
    /// Everything about a tree search that grows like this.
    pub fn mcts(&self, growth: &GrowthOptions) -> MctsOptions {
        let final_move = match self.r#final {
            FinalName::Max => FinalMove::Max,
            FinalName::Robust => FinalMove::Robust,
            FinalName::RobustMax => FinalMove::RobustMax,
            FinalName::Secure => FinalMove::Secure(1.0),
            FinalName::Ucb => FinalMove::Ucb(growth.c.unwrap_or(1.19)),
        };
        MctsOptions {
            tree: TreeOptions { virtual_loss: self.vloss, ..growth.tree() },
            root: RootOptions {
                noise: self.noise.map(|Pair(alpha, epsilon)| Noise { alpha, epsilon }),
                gumbel: self.gumbel,
                final_move,
                temperature: Temperature { start: self.temperature, plies: self.plies, end: 0.0, decay: self.decay },
                forced: self.forced,
            },
            batch: self.batch,
            reuse: self.reuse,
        }
    }
}

/// Where the value of a leaf of UCT comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeafValue {
    /// A playout.
    Rollout,
    /// The heuristic.
    Heuristic,
    /// Both, mixed.
    Mix,
    /// A network, by name.
    Network(String),
}

impl OptionValue for LeafValue {
    fn form() -> String {
        "rollout|heuristic|mix|net:NETWORK".to_owned()
    }

    fn read(text: &str) -> Option<LeafValue> {
        match text {
            "rollout" => Some(LeafValue::Rollout),
            "heuristic" => Some(LeafValue::Heuristic),
            "mix" => Some(LeafValue::Mix),
            _ => network_name(text).map(LeafValue::Network),
        }
    }

    fn write(&self) -> String {
        match self {
            LeafValue::Rollout => "rollout".to_owned(),
            LeafValue::Heuristic => "heuristic".to_owned(),
            LeafValue::Mix => "mix".to_owned(),
            LeafValue::Network(name) => format!("net:{name}"),
        }
    }
}

/// What evaluates the leaves of an exact search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExactValue {
    /// The heuristic.
    Heuristic,
    /// A network, by name.
    Network(String),
}

impl OptionValue for ExactValue {
    fn form() -> String {
        "heuristic|net:NETWORK".to_owned()
    }

    fn read(text: &str) -> Option<ExactValue> {
        if text == "heuristic" { Some(ExactValue::Heuristic) } else { network_name(text).map(ExactValue::Network) }
    }

    fn write(&self) -> String {
        match self {
            ExactValue::Heuristic => "heuristic".to_owned(),
            ExactValue::Network(name) => format!("net:{name}"),
        }
    }
}

impl ExactValue {
    /// The evaluation function; none for the heuristic.
    fn judge<P: Position>(&self, networks: &dyn LeafNetworks<P>) -> Result<Option<LeafJudge<P>>, String> {
        match self {
            ExactValue::Heuristic => Ok(None),
            ExactValue::Network(name) => networks.judge(name).map(Some),
        }
    }
}

fn network_name(text: &str) -> Option<String> {
    text.strip_prefix("net:").filter(|name| !name.is_empty()).map(str::to_owned)
}

options! {
    /// How the leaves of UCT are evaluated.
    pub struct LeafOptions {
        /// where the value of a leaf comes from
        eval: LeafValue = LeafValue::Rollout,
        /// the share of the playout, with eval=mix (0.5 if none) or eval=net:NETWORK (no playouts if none)
        lambda: Option<f32> = None,
    }
}

options! {
    /// How the leaves of an exact search are evaluated.
    pub struct ExactOptions {
        /// where the value of a leaf comes from
        eval: ExactValue = ExactValue::Heuristic,
    }
}

/// `random`
pub struct RandomKind;

impl AgentKind for RandomKind {
    const NAME: &'static str = "random";
    const ABOUT: &'static str = "any legal move";
    type Options = ();
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn build<G: Game>(
        _game: &G,
        (): &(),
        _networks: &Self::Context<G>,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        Ok(Box::new(Random::new(seed)))
    }
}

/// `bot`
pub struct BotKind;

impl AgentKind for BotKind {
    const NAME: &'static str = "bot";
    const ABOUT: &'static str = "the game's rule bot";
    type Options = ();
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn build<G: Game>(
        game: &G,
        (): &(),
        _networks: &Self::Context<G>,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        Ok(Box::new(Bot::new(game.clone(), seed)))
    }
}

options! {
    /// How much flat Monte Carlo plays.
    pub struct FlatOptions {
        /// playouts for each legal move
        rollouts: u64 = 100,
    }
}

/// `pmc`
pub struct PmcKind;

impl AgentKind for PmcKind {
    const NAME: &'static str = "pmc";
    const ABOUT: &'static str = "flat Monte Carlo: the same number of playouts for every move, then the best mean";
    type Options = (FlatOptions, PlayoutOptions);
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn build<G: Game>(
        game: &G,
        (flat, playout): &(FlatOptions, PlayoutOptions),
        _networks: &Self::Context<G>,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        Ok(Box::new(Flat::new(game.clone(), playout.playout(), flat.rollouts, seed)))
    }
}

/// `minimax`
pub struct MinimaxKind;

impl AgentKind for MinimaxKind {
    const NAME: &'static str = "minimax";
    const ABOUT: &'static str = "every line to a fixed depth (3 if none is set), evaluated by the heuristic";
    type Options = (DepthLimits, ExactOptions);
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn limits((limits, _): &Self::Options) -> AgentLimits {
        AgentLimits { own: limits.budget(), fallback: Budget::depth(3) }
    }

    fn build<G: Game>(
        game: &G,
        (_, exact): &Self::Options,
        networks: &Self::Context<G>,
        _seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        Ok(Box::new(Minimax::new(game.clone(), 3).judged_by(exact.eval.judge(networks)?)))
    }
}

options! {
    /// What alpha-beta may use.
    pub struct AlphaBetaOptions {
        /// megabytes of the transposition table
        hash: usize = 16,
        /// plies of quiescence below the horizon, in games with attacks
        quiesce: usize = 8,
    }
}

/// `alphabeta`
pub struct AlphaBetaKind;

impl AgentKind for AlphaBetaKind {
    const NAME: &'static str = "alphabeta";
    const ABOUT: &'static str = "alpha-beta with iterative deepening (to depth 4 if no limit is set)";
    type Options = (DepthLimits, AlphaBetaOptions, ExactOptions);
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn limits((limits, _, _): &Self::Options) -> AgentLimits {
        AgentLimits { own: limits.budget(), fallback: Budget::depth(4) }
    }

    fn build<G: Game>(
        game: &G,
        (_, options, exact): &Self::Options,
        networks: &Self::Context<G>,
        _seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        if options.hash > 1 << 16 {
            return Err(format!("hash={}: more than 65536 megabytes", options.hash));
        }
        let config = AlphaBetaConfig { table: options.hash << 20, quiescence: options.quiesce };
        Ok(Box::new(AlphaBeta::new(game.clone(), config).judged_by(exact.eval.judge(networks)?)))
    }
}

/// `uct`
pub struct UctKind;

impl AgentKind for UctKind {
    const NAME: &'static str = "uct";
    const ABOUT: &'static str = "Monte-Carlo tree search";
    type Options = (TreeLimits, (GrowthOptions, UseOptions), LeafOptions, PlayoutOptions);
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn limits((limits, ..): &Self::Options) -> AgentLimits {
        AgentLimits { own: limits.budget(), fallback: Budget::simulations(1000) }
    }

    fn build<G: Game>(
        game: &G,
        (_, (growth, usage), leaves, playout): &Self::Options,
        networks: &Self::Context<G>,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        if growth.memory > 1 << 16 {
            return Err(format!("memory={}: more than 65536 megabytes", growth.memory));
        }
        if let Some(lambda) = leaves.lambda.filter(|&lambda| lambda > 1.0) {
            return Err(format!("lambda={lambda}: more than 1"));
        }
        let options = usage.mcts(growth);
        // Only a tree that looks at few moves first, or by their priors, cares which are strong.
        let strengths =
            growth.widen.is_some() || options.tree.expand_after == 0 && options.tree.selection.uses_priors();
        let rollouts = Rollouts::new(game.clone(), playout.playout(), strengths);
        let mix =
            |judge: Box<dyn Evaluator<G::Position> + Send>, lambda: f32| Mix::new(judge, rollouts.clone(), lambda);
        let evaluator: Box<dyn Evaluator<G::Position> + Send> = match (&leaves.eval, leaves.lambda) {
            (LeafValue::Rollout, _) => Box::new(rollouts),
            (LeafValue::Heuristic, _) => Box::new(Heuristic::new(game.clone())),
            (LeafValue::Mix, lambda) => Box::new(mix(Box::new(Heuristic::new(game.clone())), lambda.unwrap_or(0.5))),
            (LeafValue::Network(name), None) => networks.evaluator(name)?,
            (LeafValue::Network(name), Some(lambda)) => Box::new(mix(networks.evaluator(name)?, lambda)),
        };
        Ok(Box::new(Mcts::new(options, evaluator, seed)))
    }
}
