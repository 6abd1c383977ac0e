//! The one list of agents.

use super::best;
use super::dqn::DqnKind;
use super::nnue::NnueKind;
use super::policy::PolicyKind;
use super::pv::PvKind;
use crate::networks::NetworkStore;
use tesuji_arena::engine::EngineSpec;
use tesuji_core::{Budget, ParseError};
use tesuji_search::ClassicalSpec;
use tesuji_search::agent::{AgentKind, AgentLimits, KindInfo, split, unknown};

tesuji_search::agents! {
    /// The agents that have a network.
    pub enum NetworkSpec(NetworkStore) {
        Pv(PvKind),
        Policy(PolicyKind),
        Dqn(DqnKind),
        Nnue(NnueKind),
    }
}

/// The word before the `:` of a foreign engine.
const ENGINE: &str = "engine";

/// What stands for a network in a line that is stored with it.
pub const NET: &str = "NET";

/// An agent, read from its line: whatever can sit down to a game.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentSpec {
    /// One without a network of its own.
    Classical(ClassicalSpec),
    /// One with a network.
    Network(NetworkSpec),
    /// A program of its own: `engine:stockfish?UCI_Elo=2000`.
    Engine(EngineSpec),
    /// `best`, with its options: which agent it is depends on the game, see [`in_game`](AgentSpec::in_game).
    Best(String),
}

impl AgentSpec {
    /// Every kind, documented, in the order in which they are shown.
    pub fn kinds() -> Vec<KindInfo> {
        let mut kinds = ClassicalSpec::kinds();
        kinds.extend(NetworkSpec::kinds());
        kinds.push(KindInfo { name: best::NAME, about: best::ABOUT, keys: Vec::new(), stands_for: None });
        kinds.push(KindInfo {
            name: ENGINE,
            about: "a foreign UCI, USI or GNU Shogi engine: engine:COMMAND[?OPTION=VALUE&OPTION=VALUE...]",
            keys: Vec::new(),
            stands_for: None,
        });
        kinds
    }

    /// Reads a line such as `uct:sims=2000`.
    ///
    /// # Errors
    /// If the kind is unknown (the error lists those that are known), or its options do not fit.
    pub fn parse(line: &str) -> Result<AgentSpec, ParseError> {
        let (name, text) = split(line);
        if name == ENGINE {
            return text.parse().map(AgentSpec::Engine);
        }
        if name == best::NAME {
            return Ok(AgentSpec::Best(text.to_owned()));
        }
        let classical = ClassicalSpec::parse(name, text).map(|spec| spec.map(AgentSpec::Classical));
        let spec = classical.or_else(|| NetworkSpec::parse(name, text).map(|spec| spec.map(AgentSpec::Network)));
        spec.unwrap_or_else(|| Err(unknown(line, &AgentSpec::kinds())))
    }

    /// The network that a line names: `net=NAME`, or `eval=net:NAME`.
    pub fn network_of(line: &str) -> Option<&str> {
        let (_, text) = split(line);
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        let mut named = pairs.filter_map(|(key, value)| match key {
            "net" => Some(value),
            "eval" => value.strip_prefix("net:"),
            _ => None,
        });
        named.next()
    }

    /// Reads a line with the defaults that are `stored` with its network, a line with NET for the network; of another
    /// kind of agent they are nobody's. Limits that are stored hold where nobody sets any.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), or if the stored line cannot be read.
    pub fn parse_on(stored: &str, line: &str) -> Result<(AgentSpec, AgentLimits), ParseError> {
        let (name, text) = split(line);
        if stored.is_empty() || split(stored).0 != name || name == ENGINE {
            let spec = AgentSpec::parse(line)?;
            let limits = spec.limits();
            return Ok((spec, limits));
        }
        let usual = AgentSpec::parse(stored)?.limits().own;
        // With Q values a tree is another agent, not a longer search.
        let is_limit = |key: &str| name != DqnKind::NAME && ["sims", "nodes", "time", "cpu", "depth"].contains(&key);
        // A word alone is a switch that is on.
        let pairs = split(stored).1.split(',').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "on")));
        let pairs =
            pairs.filter(|(key, value)| !is_limit(key) && *value != NET && value.strip_prefix("net:") != Some(NET));
        let defaults: Vec<String> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
        let defaults = defaults.join(",");
        let classical = ClassicalSpec::parse_on(name, &defaults, text).map(|spec| spec.map(AgentSpec::Classical));
        let network = || NetworkSpec::parse_on(name, &defaults, text).map(|spec| spec.map(AgentSpec::Network));
        let spec = classical.or_else(network).unwrap_or_else(|| Err(unknown(line, &AgentSpec::kinds())))?;
        let limits = spec.limits();
        let fallback = if usual == Budget::UNLIMITED { limits.fallback } else { usual };
        Ok((spec, AgentLimits { fallback, ..limits }))
    }

    /// The agent in a game: what `best` stands for there, and every other agent as it is.
    ///
    /// # Errors
    /// If the options of `best` are none of the agent that it stands for.
    pub fn in_game(self, game: &str) -> Result<AgentSpec, ParseError> {
        match self {
            AgentSpec::Best(options) => AgentSpec::parse(&best::with_options(game, &options)),
            other => Ok(other),
        }
    }

    /// The limits that the line sets; an engine has none that we know of.
    pub fn limits(&self) -> AgentLimits {
        match self {
            AgentSpec::Classical(spec) => spec.limits(),
            AgentSpec::Network(spec) => spec.limits(),
            AgentSpec::Engine(_) | AgentSpec::Best(_) => AgentLimits::default(),
        }
    }
}

impl std::str::FromStr for AgentSpec {
    type Err = ParseError;

    fn from_str(line: &str) -> Result<AgentSpec, ParseError> {
        AgentSpec::parse(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_name_and_no_name_is_taken_twice() {
        let kinds = AgentSpec::kinds();
        let mut names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        for name in &names {
            let line = if *name == ENGINE { "engine:gnuchess" } else { *name };
            assert!(AgentSpec::parse(line).is_ok(), "{line}");
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let error = AgentSpec::parse("nobody:x=1").unwrap_err().to_string();
        assert!(error.contains("uct") && error.contains("pv") && error.contains("engine"), "{error}");
    }

    #[test]
    fn what_is_stored_with_a_network_holds_unless_the_line_says_otherwise() {
        let pv = |line: &str| match AgentSpec::parse_on("pv:net=NET,sims=500,c=1.2,battack=1,batch=1", line).unwrap() {
            (AgentSpec::Network(NetworkSpec::Pv(options)), limits) => (options, limits),
            other => panic!("{other:?}"),
        };
        let (options, limits) = pv("pv:net=mine");
        assert_eq!((options.net.as_str(), options.c, options.battack, options.batch), ("mine", 1.2, 1.0, 1));
        assert_eq!(limits.budget(&Budget::UNLIMITED), Budget::simulations(500));
        // A limit from elsewhere is not made tighter by what is stored.
        assert_eq!(limits.budget(&Budget::simulations(2000)), Budget::simulations(2000));
        let (options, limits) = pv("pv:net=mine,c=3,sims=9");
        assert_eq!((options.c, options.battack), (3.0, 1.0));
        assert_eq!(limits.budget(&Budget::UNLIMITED), Budget::simulations(9));
        // The stored settings of one kind of agent are not another's.
        let policy = AgentSpec::parse_on("pv:net=NET,c=1.2", "policy:net=mine").unwrap().0;
        assert_eq!(policy, AgentSpec::parse("policy:net=mine").unwrap());
        let (uct, limits) =
            AgentSpec::parse_on("uct:sims=200,select=uct,c=0.3,eval=net:NET", "uct:eval=net:a").unwrap();
        assert_eq!(uct, AgentSpec::parse("uct:select=uct,c=0.3,eval=net:a").unwrap());
        assert_eq!(limits.budget(&Budget::UNLIMITED), Budget::simulations(200));
        let (dqn, _) = AgentSpec::parse_on("dqn:net=NET,sims=20", "dqn:net=a").unwrap();
        assert_eq!(dqn, AgentSpec::parse("dqn:net=a,sims=20").unwrap());
        let (pure, _) = AgentSpec::parse_on("alphabeta:pure,depth=2,eval=net:NET", "alphabeta:eval=net:a").unwrap();
        assert_eq!(pure, AgentSpec::parse("alphabeta:pure,eval=net:a").unwrap());
        assert!(AgentSpec::parse_on("pv:net=NET,nonsense=1", "pv:net=a").is_err());
        let named = ["pv:net=a/b,c=1", "uct:sims=9,eval=net:x", "uct:eval=mix", "engine:stockfish?a=b"];
        assert_eq!(named.map(AgentSpec::network_of), [Some("a/b"), Some("x"), None, None]);
    }

    #[test]
    fn options_that_cannot_act_are_refused() {
        for (line, needs) in [
            ("pv:net=a,plies=4", "temperature"),
            ("pv:net=a,batch=1,vloss=2", "batch"),
            ("policy:net=a,plies=4", "temperature"),
            ("dqn:net=a,sims=9,epsilon=0.1", "sims=none"),
        ] {
            let error = AgentSpec::parse(line).unwrap_err().to_string();
            assert!(error.contains("does nothing here") && error.contains(needs), "{line}: {error}");
        }
        for line in
            ["pv:net=a,plies=4,temperature=1", "pv:net=a,vloss=2", "dqn:net=a,epsilon=0.1", "dqn:net=a,memory=8"]
        {
            assert!(AgentSpec::parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn every_number_of_every_agent_has_a_range_that_is_kept_and_told() {
        let mut numbers = 0;
        for kind in AgentSpec::kinds() {
            for key in kind.keys {
                if !key.form.contains(" number") {
                    continue;
                }
                numbers += 1;
                assert!(key.form.contains("from "), "{} {}: {}", kind.name, key.name, key.form);
                for value in ["nan", "inf", "-inf", "-1", "1e30", "99999999999999999999", "", "nan:nan", "inf:0.25"] {
                    let line = format!("{}:{}={value}", kind.name, key.name);
                    let error = AgentSpec::parse(&line).expect_err(&line).to_string();
                    assert!(error.contains(&format!("expected {}", key.form)), "{line}: {error}");
                }
            }
        }
        assert!(numbers > 40, "{numbers}");
        for (line, told) in [
            ("uct:sims=0", "from 1 to 1000000000000"),
            ("pv:net=x,memory=999999999", "from 1 to 65536"),
            ("pv:net=x,mate=dfs:8", "odd"),
            ("alphabeta:time=0s", "1us to 1000h"),
        ] {
            let error = AgentSpec::parse(line).expect_err(line).to_string();
            assert!(error.contains(told), "{line}: {error}");
        }
    }
}
