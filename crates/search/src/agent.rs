//! Agents by name: `uct:sims=2000,c=1.19`, the same line everywhere.
//!
//! A kind of agent is a type that implements [`AgentKind`]; [`agents!`](crate::agents!) makes a set of kinds from one list, and a
//! pair of sets is a set, so that a crate above this one adds its own kinds (networks, foreign engines) without a list
//! of them all.

use crate::options::{self, Key, Options};
use crate::player::SearchPlayer;
use tesuji_core::{Budget, Game, ParseError, Player, Position, Search};

/// A search of our own, with the limits that its line sets.
pub struct Searcher<P: Position> {
    /// The search.
    pub search: Box<dyn Search<P>>,
    /// Limits of the agent's own.
    pub limits: Budget,
    /// The limit if nobody sets one that this search can reach; unlimited if it always ends by itself.
    pub fallback: Budget,
}

impl<P: Position> Searcher<P> {
    /// The limits of one search: the caller's and the agent's own; if none of them would end it, the fallback.
    pub fn budget(&self, given: &Budget) -> Budget {
        let budget = given.and(self.limits);
        let timed = budget.nodes.is_some() || budget.time.is_some() || budget.cpu.is_some();
        let counted = self.fallback.simulations.is_some() && budget.simulations.is_some()
            || self.fallback.depth.is_some() && budget.depth.is_some();
        if timed || counted { budget } else { budget.and(self.fallback) }
    }
}

/// An agent that has been made.
pub enum Agent<P: Position> {
    /// One of our own, which can be asked for more than a move.
    Own(Searcher<P>),
    /// One that only moves.
    Foreign(Box<dyn Player>),
}

/// A kind of agent.
pub trait AgentKind {
    /// The word before the `:`.
    const NAME: &'static str;

    /// What it is, in a line.
    const ABOUT: &'static str;

    /// What can be chosen about it.
    type Options: Options + Default;

    /// Makes one for a game; `seed` is where its random choices come from until a game begins.
    ///
    /// # Errors
    /// If the options do not fit together or cannot be met, in words.
    fn build<G: Game>(game: &G, options: Self::Options, seed: u64) -> Result<Agent<G::Position>, String>;

    /// Makes one from the text behind the `:`; the usual form is `KEY=VALUE,KEY=VALUE`.
    ///
    /// # Errors
    /// If the text is not in that form or the agent cannot be made.
    fn from_text<G: Game>(game: &G, text: &str, seed: u64) -> Result<Agent<G::Position>, ParseError> {
        let mut options = Self::Options::default();
        options::read(Self::NAME, text, &mut options)?;
        Self::build(game, options, seed).map_err(|problem| ParseError::new("agent", text, problem))
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

/// A set of kinds.
pub trait Agents {
    /// Every kind, documented, in the order in which they are shown.
    fn kinds(&self) -> Vec<KindInfo>;

    /// Makes an agent of the kind `name`, if it is in this set.
    ///
    /// # Errors
    /// If the text does not fit.
    fn build<G: Game>(
        &self,
        game: &G,
        name: &str,
        text: &str,
        seed: u64,
    ) -> Option<Result<Agent<G::Position>, ParseError>>;

    /// Makes the agent of a line such as `uct:sims=2000`.
    ///
    /// # Errors
    /// If the kind is unknown (the error lists those that are known), or its options do not fit.
    fn agent<G: Game>(&self, game: &G, line: &str, seed: u64) -> Result<Agent<G::Position>, ParseError> {
        let (name, text) = line.split_once(':').unwrap_or((line, ""));
        self.build(game, name, text, seed).unwrap_or_else(|| {
            let names: Vec<&str> = self.kinds().iter().map(|kind| kind.name).collect();
            Err(ParseError::new("agent", line, format!("unknown agent; the agents are {}", names.join(", "))))
        })
    }

    /// Makes the agent of a line as a player, named by the line.
    ///
    /// # Errors
    /// As [`agent`](Self::agent).
    fn player<G: Game>(&self, game: &G, line: &str, seed: u64) -> Result<Box<dyn Player>, ParseError> {
        Ok(match self.agent(game, line, seed)? {
            Agent::Own(searcher) => Box::new(SearchPlayer::new(game.clone(), line, searcher)),
            Agent::Foreign(player) => player,
        })
    }
}

/// Two sets are a set; the first one's kinds come first.
impl<A: Agents, B: Agents> Agents for (A, B) {
    fn kinds(&self) -> Vec<KindInfo> {
        let mut kinds = self.0.kinds();
        kinds.extend(self.1.kinds());
        kinds
    }

    fn build<G: Game>(
        &self,
        game: &G,
        name: &str,
        text: &str,
        seed: u64,
    ) -> Option<Result<Agent<G::Position>, ParseError>> {
        self.0.build(game, name, text, seed).or_else(|| self.1.build(game, name, text, seed))
    }
}

/// Defines a set of kinds, and short names for lines of them.
#[macro_export]
macro_rules! agents {
    (
        $(#[$meta:meta])*
        pub struct $set:ident;
        $($kind:ty;)*
        $($short:literal => $base:ty, $line:literal, $about:literal;)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $set;

        impl $crate::agent::Agents for $set {
            fn kinds(&self) -> Vec<$crate::agent::KindInfo> {
                vec![
                    $($crate::agent::info::<$kind>(),)*
                    $($crate::agent::short::<$base>($short, $line, $about),)*
                ]
            }

            fn build<G: ::tesuji_core::Game>(
                &self,
                game: &G,
                name: &str,
                text: &str,
                seed: u64,
            ) -> Option<Result<$crate::agent::Agent<G::Position>, ::tesuji_core::ParseError>> {
                $(if name == <$kind as $crate::agent::AgentKind>::NAME {
                    return Some(<$kind as $crate::agent::AgentKind>::from_text(game, text, seed));
                })*
                $(if name == $short {
                    return Some($crate::agent::from_short::<$base, G>(game, $line, text, seed));
                })*
                None
            }
        }
    };
}

/// The documentation of a kind.
pub fn info<K: AgentKind>() -> KindInfo {
    let mut keys = Vec::new();
    K::Options::default().keys(&mut keys);
    KindInfo { name: K::NAME, about: K::ABOUT, keys, stands_for: None }
}

/// The documentation of a short name.
pub fn short<K: AgentKind>(name: &'static str, line: &'static str, about: &'static str) -> KindInfo {
    let mut options = K::Options::default();
    options::read(name, line, &mut options).expect("a short name stands for a line that can be read");
    let mut keys = Vec::new();
    options.keys(&mut keys);
    KindInfo { name, about, keys, stands_for: Some(line) }
}

/// Makes the agent of a short name: its line first, then what is given.
///
/// # Errors
/// If the text does not fit.
pub fn from_short<K: AgentKind, G: Game>(
    game: &G,
    line: &str,
    text: &str,
    seed: u64,
) -> Result<Agent<G::Position>, ParseError> {
    let mut options = K::Options::default();
    options::read(K::NAME, line, &mut options)?;
    options::read(K::NAME, text, &mut options)?;
    K::build(game, options, seed).map_err(|problem| ParseError::new("agent", text, problem))
}
