//! Networks by name: a file, a run, a generation of a run, or one that comes with the program.

use crate::experiment::encoder_by_name;
use crate::run;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tesuji_core::{Encoder, Game};
use tesuji_nn::{ConvMethod, Graph, Isa, Model, NetworkFile};

/// A network made ready for a game.
pub struct Loaded<G: Game> {
    /// How it reads positions.
    pub encoder: Arc<dyn Encoder<G::Position>>,
    /// The network.
    pub model: Arc<Model>,
    /// It as a graph.
    pub graph: Graph,
}

/// The networks that come with the program: trained by its own experiments, see `nets/`. They stand in the binary, so
/// that their names work wherever it is run.
const BUILT_IN: &[(&str, &[u8])] = &[
    ("bingo3d", include_bytes!("../../../nets/bingo3d/network.safetensors")),
    ("minishogi", include_bytes!("../../../nets/minishogi/network.safetensors")),
    ("tubstap", include_bytes!("../../../nets/tubstap/network.safetensors")),
];

/// A network by name, with where it comes from: whatever [`find`] finds, or else one that comes with the program.
///
/// # Errors
/// If there is none or it cannot be read, in one line.
pub fn open(name: &str) -> Result<(String, NetworkFile), String> {
    let found = find(name);
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
    if let (Err(_), Some((_, bytes))) = (&found, built_in) {
        let place = format!("the network {name} that comes with the program");
        return NetworkFile::from_bytes(bytes)
            .map(|file| (place.clone(), file))
            .map_err(|problem| format!("{place}: {problem}"));
    }
    let path = found.map_err(|problem| {
        let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        format!("{problem}; those that come with the program: {}", names.join(", "))
    })?;
    let file = NetworkFile::load(&path).map_err(|error| error.to_string())?;
    Ok((path.display().to_string(), file))
}

/// A network by name, see [`open`], made ready for a game; returns where it comes from too.
///
/// # Errors
/// If there is none, it cannot be read or does not fit the game, in one line.
pub fn by_name<G: Game>(game: &G, name: &str, method: ConvMethod) -> Result<(String, Loaded<G>), String> {
    if name.is_empty() {
        return Err("net is missing: net=RUN or net=FILE.safetensors".to_owned());
    }
    let (place, file) = open(name)?;
    let loaded = prepare(game, &file, method).map_err(|problem| format!("{place}: {problem}"))?;
    Ok((place, loaded))
}

/// The file that a name means: `FILE.safetensors`, `RUN` (its newest network) or `RUN@GENERATION`; a RUN without a
/// directory of that name is also looked for in `runs/` and `nets/`. A directory that `tesuji net keep` made is as good
/// as a run.
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
    let kept = [PathBuf::from(run), Path::new("nets").join(run)].map(|place| place.join("network.safetensors"));
    if generation.is_none()
        && let Some(kept) = kept.into_iter().find(|kept| kept.is_file())
    {
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
pub fn load<G: Game>(game: &G, path: &Path, method: ConvMethod) -> Result<Loaded<G>, String> {
    let file = NetworkFile::load(path).map_err(|error| error.to_string())?;
    prepare(game, &file, method).map_err(|problem| format!("{}: {problem}", path.display()))
}

/// Makes a network that has been read ready for a game.
///
/// # Errors
/// If it does not fit the game.
pub fn prepare<G: Game>(game: &G, file: &NetworkFile, method: ConvMethod) -> Result<Loaded<G>, String> {
    let about = &file.about;
    if about.game != game.name() {
        return Err(format!("trained for {}, not for {}", about.game, game.name()));
    }
    let encoder: Arc<dyn Encoder<G::Position>> = encoder_by_name(game, &about.encoder)?.into();
    about.check(game.name(), game.rules_version(), encoder.name(), encoder.version())?;
    let graph = about.spec.graph().map_err(|error| error.to_string())?;
    let path = tesuji_nn::KernelPath { isa: Isa::best(), method };
    let model = Arc::new(Model::new(&graph, &file.weights, path));
    Ok(Loaded { encoder, model, graph })
}
