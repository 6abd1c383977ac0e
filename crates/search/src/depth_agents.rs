//! The agents that search to a depth: `minimax`; `alphabeta`, which is selective, or with `pure` exact.

use crate::agent::{AgentKind, AgentLimits, LeafNetworks, Needs};
use crate::alphabeta::{AlphaBeta, AlphaBetaConfig};
use crate::minimax::Minimax;
use crate::options;
use crate::options::OptionValue;
use crate::score::LeafJudge;
use crate::selective::{Feature, Features, Params, Selective, SelectiveConfig};
use std::time::Duration;
use tesuji_core::{Budget, Game, Position, Search, limits};

options! {
    /// Limits of a search by depth.
    pub struct DepthLimits {
        /// plies; if no limit of any kind is set, the agent's own default
        depth(limits::DEPTH): Option<u32> = None,
        /// positions a move
        nodes(limits::NODES): Option<u64> = None,
        /// time a move by the clock
        time: Option<Duration> = None,
        /// processor time a move
        cpu: Option<Duration> = None,
    }
}

impl DepthLimits {
    /// The limits as a budget.
    pub fn budget(&self) -> Budget {
        Budget { depth: self.depth, nodes: self.nodes, time: self.time, cpu: self.cpu, ..Budget::UNLIMITED }
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
    type Bounds = ();

    fn form((): &()) -> String {
        "heuristic|net:NETWORK".to_owned()
    }

    fn read(text: &str, (): &()) -> Option<ExactValue> {
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
    ///
    /// # Errors
    /// If there is no such network, or it does not fit the game.
    pub fn judge<P: Position>(&self, networks: &dyn LeafNetworks<P>) -> Result<Option<LeafJudge<P>>, String> {
        match self {
            ExactValue::Heuristic => Ok(None),
            ExactValue::Network(name) => networks.judge(name).map(Some),
        }
    }
}

/// The name behind `net:`.
pub(crate) fn network_name(text: &str) -> Option<String> {
    text.strip_prefix("net:").filter(|name| !name.is_empty()).map(str::to_owned)
}

options! {
    /// How the leaves of an exact search are evaluated.
    pub struct ExactOptions {
        /// where the value of a leaf comes from
        eval: ExactValue = ExactValue::Heuristic,
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

/// Features to switch off, by their names.
impl OptionValue for Features {
    type Bounds = ();

    fn form((): &()) -> String {
        let names: Vec<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
        format!("none, all, or some of {} joined by +", names.join("|"))
    }

    fn read(text: &str, (): &()) -> Option<Features> {
        match text {
            "none" => Some(Features::NONE),
            "all" => Some(Features::ALL),
            _ => text.split('+').try_fold(Features::NONE, |set, name| {
                let feature = Feature::ALL.iter().find(|feature| feature.name() == name)?;
                Some(set.with(*feature))
            }),
        }
    }

    fn write(&self) -> String {
        match *self {
            Features::NONE => "none".to_owned(),
            Features::ALL => "all".to_owned(),
            set => set.iter().map(Feature::name).collect::<Vec<_>>().join("+"),
        }
    }
}

options! {
    /// What alpha-beta may use.
    pub struct AlphaBetaOptions {
        /// exact search: the score of minimax at the same depth, nothing pruned or reduced on suspicion
        pure: bool = false,
        /// megabytes of the transposition table
        hash(limits::MEGABYTES): usize = 16,
        /// the most plies of quiescence below the horizon, in games with attacks; if none, 8 with pure, else the game's own
        quiesce(0..=64): Option<usize> = None,
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

/// `alphabeta`
pub struct AlphaBetaKind;

impl AgentKind for AlphaBetaKind {
    const NAME: &'static str = "alphabeta";
    const ABOUT: &'static str =
        "selective alpha-beta (to depth 8 if no limit is set); with pure, exact (to depth 4 if no limit is set)";
    type Options = (DepthLimits, AlphaBetaOptions, ExactOptions);
    type Context<G: Game> = dyn LeafNetworks<G::Position>;

    fn limits((limits, options, _): &Self::Options) -> AgentLimits {
        AgentLimits { own: limits.budget(), fallback: Budget::depth(if options.pure { 4 } else { 8 }) }
    }

    fn check(options: &Self::Options, given: &[&str]) -> Result<(), String> {
        type Chosen = <AlphaBetaKind as AgentKind>::Options;
        let selective = |(_, options, _): &Chosen| !options.pure;
        let needs = [
            Needs { key: "threads", acts: selective, what: "pure=off" },
            Needs { key: "off", acts: selective, what: "pure=off" },
            Needs { key: "reduce", acts: selective, what: "pure=off" },
            Needs { key: "margins", acts: selective, what: "pure=off" },
            Needs { key: "eval", acts: |(_, options, _): &Chosen| options.pure, what: "pure" },
        ];
        Needs::check(&needs, options, given)
    }

    fn build<G: Game>(
        game: &G,
        (_, options, exact): &Self::Options,
        networks: &Self::Context<G>,
        _seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        limits::check_memory("hash", options.hash)?;
        if options.pure {
            let config = AlphaBetaConfig { table: options.hash << 20, quiescence: options.quiesce.unwrap_or(8) };
            return Ok(Box::new(AlphaBeta::new(game.clone(), config).judged_by(exact.eval.judge(networks)?)));
        }
        let mut config =
            SelectiveConfig { table: options.hash << 20, threads: options.threads, ..SelectiveConfig::of(game) };
        config.params = Params::with_heuristic(game.name()).less(options.off).margins(options.margins);
        config.params.late = options.reduce.unwrap_or(config.params.late);
        match options.quiesce {
            Some(0) => config.params.on = config.params.on.without(Feature::Quiesce),
            Some(plies) => config.params.quiescence = plies,
            None => {}
        }
        Ok(Box::new(Selective::by_heuristic(game.clone(), config)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::read_options;

    #[test]
    fn features_are_read_as_they_are_written() {
        for set in [Features::NONE, Features::ALL, Features::NONE.with(Feature::Null).with(Feature::Late)] {
            assert_eq!(Features::read(&set.write(), &()), Some(set));
        }
        assert_eq!(Features::read("null+late", &()).map(|set| set.write()).as_deref(), Some("null+late"));
        for wrong in ["", "null+", "nul", "null+none", "null,late"] {
            assert_eq!(Features::read(wrong, &()), None, "{wrong}");
        }
    }

    #[test]
    fn pure_is_a_word_of_its_own() {
        let (_, options, _) = read_options::<AlphaBetaKind>(&[], "pure,depth=3").unwrap();
        assert!(options.pure);
        assert_eq!(read_options::<AlphaBetaKind>(&[], "depth=3,pure=on").unwrap().1, options);
        assert!(read_options::<AlphaBetaKind>(&[], "hash").unwrap_err().to_string().contains("is not KEY=VALUE"));
    }
}
