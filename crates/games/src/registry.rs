//! The list of games: [`with_games`](crate::with_games).

use std::sync::Arc;
use tesuji_core::{AnyGame, Game, GameRules, Rules};

/// Work to be done on a game that is known only by name: how text turns into a static type, once.
pub trait Visitor {
    /// What the work gives back.
    type Output;

    /// Does the work.
    fn visit<G: Game>(self, game: G) -> Self::Output;
}

/// A game name that is not registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown game {name:?}; the games are {}", names().join(", "))]
pub struct UnknownGame {
    /// The name that was asked for.
    pub name: String,
}

/// The list of games, passed to a macro of the caller. To add a game, add a line.
///
/// `with_games!(then)` calls `then!` with a line `"name" => Type, name;` for each game: its name, its type, which has a
/// `new(Rules)`, and its name once more as an identifier, from which paths of modules and crates can be made. A crate
/// above makes a table of its own from it and need not repeat the list:
///
/// ```
/// macro_rules! titles {
///     ($($name:literal => $game:ty, $id:ident;)*) => {
///         [$(<$game>::new(tesuji_core::Rules::Official).title()),*]
///     };
/// }
///
/// use tesuji_core::GameRules;
/// assert_eq!(tesuji_games::with_games!(titles).len(), tesuji_games::names().len());
/// ```
#[macro_export]
macro_rules! with_games {
    ($then:ident) => {
        $then! {
            "chess" => $crate::chess::Chess, chess;
            "shogi" => $crate::shogi::Shogi, shogi;
            "minishogi" => $crate::shogi::Minishogi, minishogi;
            "bingo3d" => $crate::bingo3d::Bingo3d, bingo3d;
            "connect4" => $crate::connect4::Connect4, connect4;
            "tictactoe" => $crate::tictactoe::TicTacToe, tictactoe;
            "tubstap" => $crate::tubstap::Tubstap, tubstap;
        }
    };
}

macro_rules! registry {
    ($($name:literal => $game:ty, $id:ident;)*) => {
        /// The registered names, in the order in which they are shown.
        pub const fn names() -> &'static [&'static str] {
            &[$($name),*]
        }

        /// Does a visitor's work on the game of this name under these rules.
        ///
        /// # Errors
        /// If no game has the name.
        pub fn visit<V: Visitor>(name: &str, rules: Rules, visitor: V) -> Result<V::Output, UnknownGame> {
            match name {
                $($name => Ok(visitor.visit(<$game>::new(rules))),)*
                _ => Err(UnknownGame { name: tesuji_core::error::excerpt(name) }),
            }
        }

        /// The game of this name under these rules, without its type.
        ///
        /// # Errors
        /// If no game has the name.
        pub fn game(name: &str, rules: Rules) -> Result<Arc<dyn AnyGame>, UnknownGame> {
            match name {
                $($name => Ok(<$game>::new(rules).handle()),)*
                _ => Err(UnknownGame { name: tesuji_core::error::excerpt(name) }),
            }
        }
    };
}

with_games!(registry);
