//! Networks by name: a file, a run, a generation of a run, or one that comes with the program.

use crate::experiment::encoder_by_name;
use crate::run;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tesuji_core::{Encoder, Game};
use tesuji_nn::{Graph, Isa, Method, Model, NetworkFile};

/// A network made ready for a game.
pub struct Loaded<G: Game> {
    /// How it reads positions.
    pub encoder: Arc<dyn Encoder<G::Position>>,
    /// The network.
    pub model: Arc<Model>,
    /// It as a graph.
    pub graph: Graph,
}

/// The file that a name means: `FILE.safetensors`, `RUN` (its newest network) or `RUN@GENERATION`; a RUN without a
/// directory of that name is also looked for in `runs/` and `nets/`.
///
/// # Errors
/// If there is none, in one line.
pub fn find(name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    if path.is_file() {
        return Ok(path);
    }
    let (run, generation) = match name.rsplit_once('@') {
        Some((run, generation)) => {
            let number = generation.parse::<u64>();
            (run, Some(number.map_err(|_| format!("{name:?}: the generation behind the @ must be a number"))?))
        }
        None => (name, None),
    };
    let places = [PathBuf::from(run), Path::new("runs").join(run), Path::new("nets").join(run)];
    let kept = Path::new("nets").join(format!("{run}.safetensors"));
    if generation.is_none() && kept.is_file() {
        return Ok(kept);
    }
    let Some(root) = places.iter().find(|place| place.join("networks").is_dir()) else {
        return Err(format!("no network {name:?}: neither a weight file nor a run, here or in runs/ or nets/"));
    };
    let generations = run::network_generations(root).map_err(|error| error.to_string())?;
    let chosen = match generation {
        Some(generation) => generations.iter().find(|&&known| known == generation),
        None => generations.last(),
    };
    match chosen {
        Some(&chosen) => Ok(run::network_path(root, chosen)),
        None => {
            let kept: Vec<String> = generations.iter().map(u64::to_string).collect();
            Err(format!("{}: no such generation; it keeps {}", root.display(), kept.join(", ")))
        }
    }
}

/// Loads a network for a game and makes it ready by this method.
///
/// # Errors
/// If the file cannot be read or does not fit the game, in one line.
pub fn load<G: Game>(game: &G, path: &Path, method: Method) -> Result<Loaded<G>, String> {
    let file = NetworkFile::load(path).map_err(|error| error.to_string())?;
    prepare(game, &file, method).map_err(|problem| format!("{}: {problem}", path.display()))
}

/// Makes a network that has been read ready for a game.
///
/// # Errors
/// If it does not fit the game.
pub fn prepare<G: Game>(game: &G, file: &NetworkFile, method: Method) -> Result<Loaded<G>, String> {
    let about = &file.about;
    if about.game != game.name() {
        return Err(format!("trained for {}, not for {}", about.game, game.name()));
    }
    let encoder: Arc<dyn Encoder<G::Position>> = encoder_by_name(game, &about.encoder)?.into();
    about.check(game.name(), game.rules_version(), encoder.name(), encoder.version())?;
    let graph = about.spec.graph().map_err(|error| error.to_string())?;
    let path = tesuji_nn::Path { isa: Isa::best(), method };
    let model = Arc::new(Model::new(&graph, &file.weights, path));
    Ok(Loaded { encoder, model, graph })
}
