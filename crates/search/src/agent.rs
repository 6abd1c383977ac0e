//! Agents by name: `uct:sims=2000,c=1.19`, the same line everywhere.
//!
//! A kind of agent is a type that implements [`AgentKind`]; [`agents!`](crate::agents!) makes a set of kinds from one
//! list. Reading a line is the same for every game and gives a value of the set, an enum with the options of each kind;
//! only [`AgentKind::build`] is compiled for each game.

use crate::options::{self, Key, Options};
use crate::score::LeafJudge;
use tesuji_core::{Budget, Evaluator, Game, ParseError, Position, Search};

/// The limits of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentLimits {
    /// Those that its line sets.
    pub own: Budget,
    /// The limit if none that this search can reach is set; unlimited if it always ends by itself.
    pub fallback: Budget,
}

impl AgentLimits {
    /// The limits of one search: the caller's and the agent's own; if none of them would end it, the fallback.
    pub fn budget(&self, given: &Budget) -> Budget {
        let budget = given.and(self.own);
        let timed = budget.nodes.is_some() || budget.time.is_some() || budget.cpu.is_some();
        let counted = self.fallback.simulations.is_some() && budget.simulations.is_some()
            || self.fallback.depth.is_some() && budget.depth.is_some();
        if timed || counted { budget } else { budget.and(self.fallback) }
    }
}

/// A kind of agent.
pub trait AgentKind {
    /// The word before the `:`.
    const NAME: &'static str;

    /// What it is, in a line.
    const ABOUT: &'static str;

    /// What can be chosen about it.
    type Options: Options + Default;

    /// What it is made from besides the game and its options: where networks come from, say.
    type Context<G: Game>: ?Sized;

    /// The limits that the options set; none if the kind always ends by itself.
    fn limits(_options: &Self::Options) -> AgentLimits {
        AgentLimits::default()
    }

    /// Checks that every option that was `given` by name can act beside the others: one that cannot is a mistake.
    ///
    /// # Errors
    /// If one cannot; the text says what it needs.
    fn check(_options: &Self::Options, _given: &[&str]) -> Result<(), String> {
        Ok(())
    }

    /// Makes one for a game; `seed` is where its random choices come from until a game begins.
    ///
    /// # Errors
    /// If the options contradict each other or cannot be met; the text gives the reason.
    fn build<G: Game>(
        game: &G,
        options: &Self::Options,
        context: &Self::Context<G>,
        seed: u64,
    ) -> Result<Box<dyn Search<G::Position>>, String>;
}

/// What an option needs of the others to act at all.
pub struct Needs<O> {
    /// The option's name.
    pub key: &'static str,
    /// Whether it acts.
    pub acts: fn(&O) -> bool,
    /// What it needs, in words.
    pub what: &'static str,
}

impl<O> Needs<O> {
    /// Checks the options that were given against what they need.
    ///
    /// # Errors
    /// If one of them cannot act; the text says what it needs.
    pub fn check(all: &[Needs<O>], options: &O, given: &[&str]) -> Result<(), String> {
        let idle = all.iter().find(|needs| given.contains(&needs.key) && !(needs.acts)(options));
        idle.map_or(Ok(()), |needs| Err(format!("{}= does nothing here: it needs {}", needs.key, needs.what)))
    }
}

/// Networks by name as evaluators of leaves: what `eval=net:NAME` asks for. Nothing in this crate knows what a network
/// is.
pub trait LeafNetworks<P: Position> {
    /// Evaluates the leaves of a tree, several at a time; with the network's priors if they are wanted and it has any.
    ///
    /// # Errors
    /// If there is no such network, or it does not fit the game.
    fn evaluator(&self, name: &str, priors: bool) -> Result<Box<dyn Evaluator<P> + Send>, String>;

    /// Evaluates the leaves of an exact search, one at a time.
    ///
    /// # Errors
    /// If there is no such network, or it does not fit the game.
    fn judge(&self, name: &str) -> Result<LeafJudge<P>, String>;
}

/// No networks at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNetworks;

impl<P: Position> LeafNetworks<P> for NoNetworks {
    fn evaluator(&self, name: &str, _priors: bool) -> Result<Box<dyn Evaluator<P> + Send>, String> {
        Err(format!("eval=net:{name}: there are no networks here"))
    }

    fn judge(&self, name: &str) -> Result<LeafJudge<P>, String> {
        Err(format!("eval=net:{name}: there are no networks here"))
    }
}

/// A kind of agent, documented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// The word before the `:`.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What can be chosen about it.
    pub keys: Vec<Key>,
    /// The line that it stands for, if it is a short name for one; keys given with it come on top.
    pub stands_for: Option<&'static str>,
}

impl KindInfo {
    /// The documentation of a kind; of a short name, if it stands for a line.
    ///
    /// # Panics
    /// If the line cannot be read: it is part of the program.
    pub fn of<K: AgentKind>(name: &'static str, about: &'static str, stands_for: Option<&'static str>) -> KindInfo {
        let mut options = K::Options::default();
        let line = stands_for.unwrap_or_default();
        options::read(name, line, &mut options).expect("a short name stands for a line that can be read");
        let mut keys = Vec::new();
        options.keys(&mut keys);
        KindInfo { name, about, keys, stands_for }
    }
}

/// The options of a kind from the text behind the `:`, on top of defaults in the same form: the line that a short name
/// stands for, what is stored with a network.
///
/// # Errors
/// If the text does not fit, or an option that it gives cannot act.
pub fn read_options<K: AgentKind>(defaults: &[&str], text: &str) -> Result<K::Options, ParseError> {
    let mut options = K::Options::default();
    for part in defaults.iter().chain([&text]) {
        options::read(K::NAME, part, &mut options)?;
    }
    K::check(&options, &given(text)).map_err(|problem| ParseError::new("agent", text, problem))?;
    Ok(options)
}

/// The names of the options that a text gives.
pub fn given(text: &str) -> Vec<&str> {
    text.split(',').filter_map(|pair| pair.split_once('=')).map(|(name, _)| name).collect()
}

/// The kind and the options of a line, `NAME` or `NAME:OPTIONS`.
pub fn split(line: &str) -> (&str, &str) {
    line.split_once(':').unwrap_or((line, ""))
}

/// The error for a name that no kind has.
pub fn unknown(line: &str, kinds: &[KindInfo]) -> ParseError {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
    ParseError::new(
        "agent",
        line,
        format!("unknown agent; the agents are {}; another program plays as engine:COMMAND", names.join(", ")),
    )
}

/// Defines a set of kinds as an enum with the options of each, and short names for lines of them.
///
/// The type in brackets is the context that all of its kinds are made from; it may speak of the game as `G`.
#[macro_export]
macro_rules! agents {
    (
        $(#[$meta:meta])*
        pub enum $set:ident($context:ty) {
            $($variant:ident($kind:ty),)*
        }
        $($short:literal => $base:ident($base_kind:ty), $line:literal, $about:literal;)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $set {
            $(
                #[doc = concat!("[`", stringify!($kind), "`]")]
                $variant(<$kind as $crate::agent::AgentKind>::Options),
            )*
        }

        impl $set {
            /// Every kind, documented, in the order in which they are shown.
            pub fn kinds() -> Vec<$crate::agent::KindInfo> {
                use $crate::agent::{AgentKind, KindInfo};
                vec![
                    $(KindInfo::of::<$kind>(<$kind>::NAME, <$kind>::ABOUT, None),)*
                    $(KindInfo::of::<$base_kind>($short, $about, Some($line)),)*
                ]
            }

            /// Reads the options of the kind `name`, if it is in this set.
            ///
            /// # Errors
            /// If the text does not fit.
            pub fn parse(name: &str, text: &str) -> Option<Result<$set, ::tesuji_core::ParseError>> {
                $set::parse_on(name, "", text)
            }

            /// As [`parse`](Self::parse), on top of other defaults than the kind's own.
            ///
            /// # Errors
            /// If the text or the defaults do not fit.
            pub fn parse_on(
                name: &str,
                defaults: &str,
                text: &str,
            ) -> Option<Result<$set, ::tesuji_core::ParseError>> {
                use $crate::agent::{AgentKind, read_options};
                $(if name == <$kind>::NAME {
                    return Some(read_options::<$kind>(&[defaults], text).map($set::$variant));
                })*
                $(if name == $short {
                    return Some(read_options::<$base_kind>(&[$line, defaults], text).map($set::$base));
                })*
                None
            }

            /// The limits of the agent.
            pub fn limits(&self) -> $crate::agent::AgentLimits {
                match self {
                    $($set::$variant(options) => <$kind as $crate::agent::AgentKind>::limits(options),)*
                }
            }

            /// Makes the agent's search for a game.
            ///
            /// # Errors
            /// If the options contradict each other or cannot be met; the text gives the reason.
            pub fn build<G: ::tesuji_core::Game>(
                &self,
                game: &G,
                context: &$context,
                seed: u64,
            ) -> Result<Box<dyn ::tesuji_core::Search<G::Position>>, String> {
                match self {
                    $($set::$variant(options) => {
                        <$kind as $crate::agent::AgentKind>::build(game, options, context, seed)
                    })*
                }
            }
        }
    };
}
