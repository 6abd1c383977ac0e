//! The agents without a network of their own: one list, which is also their documentation.

use crate::agent::{self, AgentKind, AgentLimits, KindInfo, LeafNetworks, Needs, NoNetworks};
use crate::depth_agents::{AlphaBetaKind, MinimaxKind};
use crate::handle::{AgentSource, GameSolver, MateSolver, Searcher};
use crate::heuristic::{Heuristic, Mix};
use crate::mate::SolverSpec;
use crate::mcts::{
    Decay, FinalMove, Fpu, Mcts, MctsOptions, Noise, RootOptions, Selection, Temperature, TreeOptions, Widening,
};
use crate::options::{OptionValue, Pair};
use crate::player::SearchPlayer;
use crate::rollout::{Judge, Playout, Policy, Rollouts};
use crate::simple::{Bot, Flat, Random};
use crate::strengths::Strengths;
use crate::{agents, depth_agents, option_names, options};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tesuji_core::{AnyGame, Budget, Evaluator, Game, ParseError, Player, Search, limits};

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
        sims(limits::SIMULATIONS): Option<u64> = None,
        /// tree nodes a move
        nodes(limits::NODES): Option<u64> = None,
        /// time a move by the clock
        time: Option<Duration> = None,
        /// processor time a move
        cpu: Option<Duration> = None,
    }
}

impl TreeLimits {
    /// The limits as a budget.
    pub fn budget(&self) -> Budget {
        Budget { simulations: self.sims, nodes: self.nodes, time: self.time, cpu: self.cpu, ..Budget::UNLIMITED }
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
        /// with rollout=strength, a file of strengths that were learned, see `tesuji strengths`; the game's own if none
        strengths: String = String::new(),
        /// with rollout=attack, how often an attack is preferred
        attacks(limits::SHARE): f32 = 0.8,
        /// plies after which a playout is cut short
        cut(0..=*limits::PLIES.end()): Option<u32> = None,
        /// how a playout that was cut short is evaluated
        judge: Judge = Judge::Heuristic,
    }
}

impl PlayoutOptions {
    /// The playout of a game that is meant.
    ///
    /// # Errors
    /// If there is no such file of strengths, or it is of another game.
    pub fn playout<G: Game>(&self, game: &G) -> Result<Playout, String> {
        self.of_features(game.name(), game.feature_names())
    }

    /// As [`playout`](Self::playout), for whichever game.
    fn of_features(&self, game: &str, features: &[&str]) -> Result<Playout, String> {
        let policy = match self.rollout {
            PolicyName::Strength if !self.strengths.is_empty() => {
                let path = Path::new(&self.strengths);
                let gammas = Strengths::load(path)?.for_game(game, features);
                Policy::Learned(gammas.map_err(|problem| format!("{}: {problem}", path.display()))?.into())
            }
            PolicyName::Uniform => Policy::Uniform,
            PolicyName::Bot => Policy::Bot,
            PolicyName::Strength => Policy::Strength,
            PolicyName::Attack => Policy::Attack(self.attacks),
        };
        Ok(Playout { policy, cut: self.cut.unwrap_or(u32::MAX), judge: self.judge })
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
        c(limits::WEIGHT): Option<f32> = None,
        /// with select=puct, the bias towards attacks (TUBSTAP's paper: 3.7)
        battack(limits::WEIGHT): f32 = 0.0,
        /// value of an unvisited child: the urgency of tuned (10000 if none); with puct the parent's value less this
        fpu(0.0..=1_000_000.0): Option<f32> = None,
        /// visits before a node gets its children; 0 with its first evaluation, as priors need it; if none, 0 with
        /// select=puct|pucb, noise, gumbel and widen, else 1
        expand(0..=1_000_000): Option<u32> = None,
        /// progressive widening FACTOR:EXPONENT, strong moves first (with expand=0)
        widen((0.01..=1000.0, limits::SHARE)): Option<Pair> = None,
        /// prove wins, losses and draws
        solver: bool = true,
        /// try moves first that won elsewhere at the same depth
        killers: bool = false,
        /// weight of a move's success anywhere in the tree
        history(limits::WEIGHT): f32 = 0.0,
        /// whose good the opponent's choices in the tree seek
        opponent: Opponent = Opponent::Adversary,
        /// megabytes for the tree
        memory(1..=*limits::MEGABYTES.end()): usize = 256,
    }
}

options! {
    /// How a tree is used.
    pub struct UseOptions {
        /// which move is played
        r#final: FinalName = FinalName::Robust,
        /// Dirichlet noise on the priors at the root, ALPHA:EPSILON, with select=puct|pucb or gumbel
        noise((limits::NOISE_ALPHA, limits::SHARE)): Option<Pair> = None,
        /// forced playouts at the root, K of sqrt(K P N), with select=puct|pucb (KataGo: 2)
        forced(limits::WEIGHT): f32 = 0.0,
        /// sequential halving over this many moves at the root
        gumbel(1..=1024): Option<u32> = None,
        /// draw moves by visits at this temperature
        temperature(limits::TEMPERATURE): f32 = 0.0,
        /// plies of the game until the temperature is 0
        plies(0..=*limits::PLIES.end()): u32 = 30,
        /// how the temperature comes down
        decay: Decay = Decay::Step,
        /// leaves evaluated together
        batch(limits::BATCH): usize = 1,
        /// what a leaf under way counts as a loss
        vloss(limits::WEIGHT): f32 = 1.0,
        /// keep the tree below the moves that are played
        reuse: bool = true,
    }
}

impl GrowthOptions {
    /// Whether the priors of moves count in the tree.
    fn uses_priors(&self) -> bool {
        matches!(self.select, SelectionName::Puct | SelectionName::Pucb)
    }

    /// Whether selection looks at every child of a node, because something besides the prior tells unvisited ones apart.
    fn looks_at_all(&self) -> bool {
        self.select == SelectionName::Puct && self.battack > 0.0 || self.history > 0.0 && self.uses_priors()
    }

    /// How the tree grows; `virtual_loss` comes from elsewhere, as does whether `priors` count at the root.
    fn tree(&self, priors: bool) -> TreeOptions {
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
            expand_after: match self.expand {
                _ if self.widen.is_some() => 0,
                Some(visits) => visits,
                None => u32::from(!(priors || self.uses_priors())),
            },
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
            tree: TreeOptions {
                virtual_loss: self.vloss,
                ..growth.tree(self.noise.is_some() || self.gumbel.is_some())
            },
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
    type Bounds = ();

    fn form((): &()) -> String {
        "rollout|heuristic|mix|net:NETWORK".to_owned()
    }

    fn read(text: &str, (): &()) -> Option<LeafValue> {
        match text {
            "rollout" => Some(LeafValue::Rollout),
            "heuristic" => Some(LeafValue::Heuristic),
            "mix" => Some(LeafValue::Mix),
            _ => depth_agents::network_name(text).map(LeafValue::Network),
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

options! {
    /// How the leaves of UCT are evaluated.
    pub struct LeafOptions {
        /// where the value of a leaf comes from; with select=puct|pucb a network also gives the priors, uniform ones if
        /// it has no policy
        eval: LeafValue = LeafValue::Rollout,
        /// the share of the playout, with eval=mix (0.5 if none) or eval=net:NETWORK (no playouts if none)
        lambda(limits::SHARE): Option<f32> = None,
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
        rollouts(1..=1_000_000_000): u64 = 100,
    }
}

/// `pmc`
pub struct PmcKind;

impl AgentKind for PmcKind {
    const NAME: &'static str = "pmc";
    const ABOUT: &'static str = "flat Monte Carlo: the same number of playouts for every move, then the best mean";
    type Options = (FlatOptions, PlayoutOptions);
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn check((_, playout): &Self::Options, given: &[&str]) -> Result<(), String> {
        Needs::check(&PLAYOUT_NEEDS, playout, given)
    }

    fn build<G: Game>(
        game: &G,
        (flat, playout): &(FlatOptions, PlayoutOptions),
        _networks: &Self::Context<G>,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        Ok(Box::new(Flat::new(game.clone(), playout.playout(game)?, flat.rollouts, seed)))
    }
}

/// What the options of playouts need.
const PLAYOUT_NEEDS: [Needs<PlayoutOptions>; 3] = [
    Needs { key: "strengths", acts: |playout| playout.rollout == PolicyName::Strength, what: "rollout=strength" },
    Needs { key: "attacks", acts: |playout| playout.rollout == PolicyName::Attack, what: "rollout=attack" },
    Needs { key: "judge", acts: |playout| playout.cut.is_some(), what: "cut" },
];

/// The options of `uct`.
type UctOptions = (TreeLimits, (GrowthOptions, UseOptions), LeafOptions, PlayoutOptions);

/// Whether leaves are valued by playouts, at least in part.
fn plays_out((_, _, leaves, _): &UctOptions) -> bool {
    match leaves.eval {
        LeafValue::Rollout | LeafValue::Mix => true,
        LeafValue::Heuristic => false,
        LeafValue::Network(_) => leaves.lambda.is_some(),
    }
}

/// What the options of `uct` need; those that are not here always act.
const UCT_NEEDS: [Needs<UctOptions>; 16] = [
    Needs {
        key: "c",
        acts: |(_, (growth, usage), ..)| growth.select != SelectionName::Tuned || usage.r#final == FinalName::Ucb,
        what: "select=ucb1|uct|puct|pucb, or final=ucb",
    },
    Needs { key: "battack", acts: |(_, (growth, _), ..)| growth.select == SelectionName::Puct, what: "select=puct" },
    Needs {
        key: "fpu",
        acts: |(_, (growth, _), ..)| matches!(growth.select, SelectionName::Tuned | SelectionName::Puct),
        what: "select=tuned|puct",
    },
    Needs { key: "expand", acts: |(_, (growth, _), ..)| growth.widen.is_none(), what: "widen=none" },
    Needs {
        key: "widen",
        acts: |(_, (growth, _), ..)| growth.widen.is_none() || !growth.looks_at_all(),
        what: "battack=0, and history=0 with select=puct|pucb",
    },
    Needs {
        key: "killers",
        acts: |(_, (growth, _), ..)| !growth.killers || !growth.looks_at_all(),
        what: "battack=0, and history=0 with select=puct|pucb",
    },
    Needs {
        key: "noise",
        acts: |(_, (growth, usage), ..)| growth.uses_priors() || usage.gumbel.is_some(),
        what: "priors: select=puct|pucb, or gumbel",
    },
    Needs {
        key: "forced",
        acts: |(_, (growth, usage), ..)| growth.uses_priors() && usage.gumbel.is_none(),
        what: "select=puct|pucb, and gumbel=none",
    },
    Needs { key: "final", acts: |(_, (_, usage), ..)| usage.gumbel.is_none(), what: "gumbel=none" },
    Needs { key: "plies", acts: |(_, (_, usage), ..)| usage.temperature > 0.0, what: "temperature" },
    Needs { key: "decay", acts: |(_, (_, usage), ..)| usage.temperature > 0.0, what: "temperature" },
    Needs { key: "vloss", acts: |(_, (_, usage), ..)| usage.batch > 1, what: "batch of 2 or more" },
    Needs {
        key: "lambda",
        acts: |(_, _, leaves, _)| matches!(leaves.eval, LeafValue::Mix | LeafValue::Network(_)),
        what: "eval=mix or eval=net:NETWORK",
    },
    Needs { key: "rollout", acts: plays_out, what: "playouts: eval=rollout, eval=mix, or lambda with a network" },
    Needs { key: "cut", acts: plays_out, what: "playouts: eval=rollout, eval=mix, or lambda with a network" },
    Needs { key: "judge", acts: plays_out, what: "playouts: eval=rollout, eval=mix, or lambda with a network" },
];

/// `uct`
pub struct UctKind;

impl AgentKind for UctKind {
    const NAME: &'static str = "uct";
    const ABOUT: &'static str = "Monte-Carlo tree search";
    type Options = UctOptions;
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn limits((limits, ..): &Self::Options) -> AgentLimits {
        AgentLimits { own: limits.budget(), fallback: Budget::simulations(1000) }
    }

    fn check(options: &Self::Options, given: &[&str]) -> Result<(), String> {
        let (_, (growth, usage), leaves, playout) = options;
        let expand = usage.mcts(growth).tree.expand_after;
        let network = growth.uses_priors() && matches!(leaves.eval, LeafValue::Network(_));
        if expand > 0 && (network || usage.noise.is_some() || usage.gumbel.is_some()) {
            return Err(format!("expand={expand}: priors come with a node's first evaluation and need expand=0"));
        }
        Needs::check(&UCT_NEEDS, options, given)?;
        Needs::check(&PLAYOUT_NEEDS, playout, given)
    }

    fn build<G: Game>(
        game: &G,
        (_, (growth, usage), leaves, playout): &Self::Options,
        networks: &Self::Context<G>,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        limits::check_memory("memory", growth.memory)?;
        let options = usage.mcts(growth);
        // Only a tree that looks at few moves first, or by their priors, cares which are strong.
        let strengths =
            growth.widen.is_some() || options.tree.expand_after == 0 && options.tree.selection.uses_priors();
        let rollouts = Rollouts::new(game.clone(), playout.playout(game)?, strengths);
        let mix =
            |judge: Box<dyn Evaluator<G::Position> + Send>, lambda: f32| Mix::new(judge, rollouts.clone(), lambda);
        let evaluator: Box<dyn Evaluator<G::Position> + Send> = match (&leaves.eval, leaves.lambda) {
            (LeafValue::Rollout, _) => Box::new(rollouts),
            (LeafValue::Heuristic, _) => Box::new(Heuristic::new(game.clone())),
            (LeafValue::Mix, lambda) => Box::new(mix(Box::new(Heuristic::new(game.clone())), lambda.unwrap_or(0.5))),
            (LeafValue::Network(name), lambda) => {
                let network = networks.evaluator(name, strengths || usage.gumbel.is_some())?;
                match lambda {
                    None => network,
                    Some(lambda) => Box::new(mix(network, lambda)),
                }
            }
        };
        Ok(Box::new(Mcts::new(options, evaluator, seed)))
    }
}
