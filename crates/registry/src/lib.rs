//! The games of this program by name, each with everything that is compiled for it: its [`GameKit`].
//!
//! The list of games is that of [`tesuji_games::with_games`]. A game's kit is compiled in a crate of its own under
//! `crates/kits`, or, where build time does not matter, here in a module of the game's name.

use std::sync::Arc;
use tesuji_core::Rules;
use tesuji_games::UnknownGame;
use tesuji_kit_bingo3d as bingo3d;
use tesuji_kit_chess as chess;
use tesuji_kit_connect4 as connect4;
use tesuji_kit_minishogi as minishogi;
use tesuji_kit_shogi as shogi;
use tesuji_kit_tubstap as tubstap;
use tesuji_learn::GameKit;

mod tictactoe {
    tesuji_learn::kit!(tesuji_games::tictactoe::TicTacToe);
}

macro_rules! kits {
    ($($name:literal => $game:ty, $module:ident;)*) => {
        /// Everything that is compiled for the game of this name, under these rules.
        ///
        /// # Errors
        /// If no game has the name.
        pub fn kit(name: &str, rules: Rules) -> Result<Arc<dyn GameKit>, UnknownGame> {
            match name {
                $($name => Ok($module::kit(rules)),)*
                _ => Err(UnknownGame { name: tesuji_core::error::excerpt(name) }),
            }
        }
    };
}

tesuji_games::with_games!(kits);
