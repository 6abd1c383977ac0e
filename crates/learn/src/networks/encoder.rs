//! A game's encoder, or its sparse inputs, by name.

use std::sync::Arc;
use tesuji_core::handle::{AnyGame, EncoderInfo, FeaturesInfo};
use tesuji_core::{Encoder, Features, Game};

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

/// What is known of a game's sparse inputs; of the default ones if the name is empty.
///
/// # Errors
/// If the game has none of that name; the error lists those that it has.
pub fn features_info(game: &dyn AnyGame, name: &str) -> Result<FeaturesInfo, String> {
    let all = game.features();
    let names: Vec<&str> = all.iter().map(|features| features.name).collect();
    let problem = match names[..] {
        [] => format!("{} has no features for integer networks", game.name()),
        _ => format!("{} has no features {name:?}; it has {}", game.name(), names.join(", ")),
    };
    all.into_iter().find(|features| name.is_empty() || features.name == name).ok_or(problem)
}

/// A game's sparse inputs; the default ones if the name is empty.
///
/// # Errors
/// If the game has none of that name; the error lists those that it has.
pub fn features<G: Game>(game: &G, name: &str) -> Result<Arc<dyn Features<G::Position>>, String> {
    let known = features_info(game, name)?;
    let found = tesuji_core::Encoders::features(game).into_iter().find(|features| features.name() == known.name);
    found.map(Arc::from).ok_or_else(|| format!("{} has no features {name:?}", tesuji_core::GameRules::name(game)))
}
