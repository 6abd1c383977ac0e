//! Networks in ONNX files: ours, and those of other programs, which do not say for which game they are.

use super::encoder::encoder_info;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tesuji_core::handle::{AnyGame, EncoderInfo};
use tesuji_nn::onnx::{self, Foreign};
use tesuji_nn::{NetworkFile, NetworkInfo, Spec};

/// Whether a file is called as ONNX files are.
pub fn is_onnx(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "onnx")
}

/// Reads an ONNX file as a network for a game. One of another program is taken to read the planes of this encoder, and
/// to number moves as it does; with an empty name, of the first encoder whose sizes fit.
///
/// # Errors
/// If it cannot be read, is no network that we can compute, or its sizes fit no encoder of the game, in one line.
pub fn open(path: &Path, game: &dyn AnyGame, encoder: &str) -> Result<NetworkFile, String> {
    let place = path.display();
    let bytes = fs::read(path).map_err(|error| format!("{place}: {error}"))?;
    if onnx::is_ours(&bytes) {
        return onnx::import(&bytes).map_err(|error| format!("{place}: {error}"));
    }
    let foreign = onnx::recognise(&bytes).map_err(|error| format!("{place}: {error}"))?;
    adopt(foreign, game, encoder).map_err(|problem| format!("{place}: {problem}"))
}

/// A network of another program as one for this game.
fn adopt(Foreign { spec, weights }: Foreign, game: &dyn AnyGame, encoder: &str) -> Result<NetworkFile, String> {
    let Spec::Residual(residual) = &spec else { return Err("not a residual network".to_owned()) };
    let (input, outputs) = (residual.input, residual.policy.outputs);
    let fits = |encoder: &EncoderInfo| encoder.shape == input && encoder.policy_len == outputs;
    let candidates = if encoder.is_empty() { game.encoders() } else { vec![encoder_info(game, encoder)?] };
    let Some(known) = candidates.iter().find(|encoder| fits(encoder)) else {
        let sizes = |planes, height, width, outputs| format!("{planes}x{height}x{width} to {outputs}");
        let encoders = candidates.iter().map(|EncoderInfo { name, shape, policy_len, .. }| {
            format!("{name} is {}", sizes(shape.planes, shape.height, shape.width, *policy_len))
        });
        let ours = sizes(input.planes, input.height, input.width, outputs);
        let encoders: Vec<String> = encoders.collect();
        return Err(format!("a network of {ours} moves fits no encoder of {}: {}", game.name(), encoders.join(", ")));
    };
    let about = NetworkInfo {
        spec: spec.clone(),
        game: game.name().to_owned(),
        rules: game.rules(),
        rules_version: game.rules_version(),
        encoder: known.name.to_owned(),
        encoder_version: known.version,
        step: 0,
        agent: String::new(),
    };
    Ok(NetworkFile { about, weights, state: BTreeMap::new() })
}
