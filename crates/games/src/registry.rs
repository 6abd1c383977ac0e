//! The one list of games.

use crate::bingo3d::Bingo3d;
use crate::chess::Chess;
use crate::connect4::Connect4;
use crate::shogi::{Minishogi, Shogi};
use crate::tictactoe::TicTacToe;
use crate::tubstap::Tubstap;
use std::sync::Arc;
use tesuji_core::{AnyGame, Game, Rules};

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

macro_rules! games {
    ($($name:literal => $make:expr;)*) => {
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
                $($name => {
                    let make: fn(Rules) -> _ = $make;
                    Ok(visitor.visit(make(rules)))
                })*
                _ => Err(UnknownGame { name: tesuji_core::error::excerpt(name) }),
            }
        }

        /// The game of this name under these rules, without its type.
        ///
        /// # Errors
        /// If no game has the name.
        pub fn game(name: &str, rules: Rules) -> Result<Arc<dyn AnyGame>, UnknownGame> {
            match name {
                $($name => {
                    let make: fn(Rules) -> _ = $make;
                    Ok(Arc::new(make(rules)))
                })*
                _ => Err(UnknownGame { name: tesuji_core::error::excerpt(name) }),
            }
        }
    };
}

// To add a game, add a line.
games! {
    "chess" => Chess::new;
    "shogi" => Shogi::new;
    "minishogi" => Minishogi::new;
    "bingo3d" => Bingo3d::new;
    "connect4" => Connect4::new;
    "tictactoe" => TicTacToe::new;
    "tubstap" => Tubstap::new;
}
