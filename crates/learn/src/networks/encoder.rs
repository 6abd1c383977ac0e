//! A game's encoder by name.

use std::sync::Arc;
use tesuji_core::handle::{AnyGame, EncoderInfo};
use tesuji_core::{Encoder, Game};

/// What is known of a game's encoder; of the default one if the name is empty.
///
/// # Errors
/// If the game has none of that name; the error lists those that it has.
pub fn encoder_info(game: &dyn AnyGame, name: &str) -> Result<EncoderInfo, String> {
    let encoders = game.encoders();
    let known = encoders.iter().find(|encoder| name.is_empty() || encoder.name == name);
    known.copied().ok_or_else(|| {
        let names: Vec<&str> = encoders.iter().map(|encoder| encoder.name).collect();
        format!("{} has no encoder {name:?}; it has {}", game.name(), names.join(", "))
    })
}

/// A game's encoder; the default one if the name is empty.
///
/// # Errors
/// If the game has none of that name; the error lists those that it has.
pub fn encoder<G: Game>(game: &G, name: &str) -> Result<Arc<dyn Encoder<G::Position>>, String> {
    let known = encoder_info(game, name)?;
    let encoder = tesuji_core::Encoders::encoders(game).into_iter().find(|encoder| encoder.name() == known.name);
    encoder.map(Arc::from).ok_or_else(|| format!("{} has no encoder {name:?}", tesuji_core::GameRules::name(game)))
}
