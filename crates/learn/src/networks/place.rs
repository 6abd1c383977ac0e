//! Where networks are: a file, a run, a generation of a run, or in the program itself.

use crate::run::{self, Checkpoint};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tesuji_core::Rules;
use tesuji_nn::NetworkFile;

/// The networks that come with the program: trained by its own experiments, see `nets/`. They stand in the binary, so
/// that their names work wherever it is run.
const BUILT_IN: &[(&str, &[u8])] = &[
    ("bingo3d", include_bytes!("../../nets/bingo3d/network.safetensors")),
    ("minishogi", include_bytes!("../../nets/minishogi/network.safetensors")),
    ("nnue-bingo3d", include_bytes!("../../nets/nnue-bingo3d/network.safetensors")),
    ("nnue-chess", include_bytes!("../../nets/nnue-chess/network.safetensors")),
    ("nnue-connect4", include_bytes!("../../nets/nnue-connect4/network.safetensors")),
    ("nnue-minishogi", include_bytes!("../../nets/nnue-minishogi/network.safetensors")),
    ("tubstap", include_bytes!("../../nets/tubstap/network.safetensors")),
    ("tubstap-paper", include_bytes!("../../nets/tubstap-paper/network.safetensors")),
];

/// The names of the networks that come with the program.
pub fn built_in() -> Vec<&'static str> {
    BUILT_IN.iter().map(|(name, _)| *name).collect()
}

/// A network that comes with the program, and what plays with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// The game that it plays.
    pub game: String,
    /// The rules that it was trained under, and plays by.
    pub rules: Rules,
    /// The agent that it was trained to be, with the settings that are stored with it.
    pub agent: String,
    /// Whether it is an integer network.
    pub is_integer: bool,
}

/// The networks that come with the program, read once.
///
/// # Panics
/// If one cannot be read, which a test rules out.
pub fn shipped() -> &'static [BuiltIn] {
    static SHIPPED: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
        let read = |&(name, bytes): &(&'static str, &[u8])| match Checkpoint::from_bytes(bytes) {
            Ok(Checkpoint::Float(file)) => {
                let kind = file.about.agent.split(':').next().filter(|kind| !kind.is_empty()).unwrap_or("pv");
                let (game, rules) = (file.about.game, file.about.rules);
                BuiltIn { name, agent: format!("{kind}:net={name}"), game, rules, is_integer: false }
            }
            Ok(Checkpoint::Integer(file)) => {
                let (game, rules) = (file.about.game, file.about.rules);
                BuiltIn { name, agent: format!("nnue:net={name}"), game, rules, is_integer: true }
            }
            Err(problem) => panic!("the network {name} that comes with the program: {problem}"),
        };
        BUILT_IN.iter().map(read).collect()
    });
    &SHIPPED
}

/// What is said of an integer network where one in floats is wanted.
pub(super) const INTEGER: &str = "an integer network, which plays as nnue:net=...";

/// Where a network is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a file.
    File(PathBuf),
    /// In the program, under this name.
    BuiltIn(&'static str),
    /// In memory: whoever made the store has it under this name.
    Given(String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::File(path) => path.display().fmt(f),
            Place::BuiltIn(name) => write!(f, "the network {name} that comes with the program"),
            Place::Given(name) => write!(f, "the network {name} that came with the work"),
        }
    }
}

impl Place {
    /// The place of a network that comes with the program.
    pub fn built_in(name: &str) -> Option<Place> {
        BUILT_IN.iter().find(|(known, _)| *known == name).map(|(name, _)| Place::BuiltIn(name))
    }

    /// The place that a name means: whatever [`find`] finds, or else a network that comes with the program.
    ///
    /// # Errors
    /// If there is none, in one line.
    pub fn of(name: &str) -> Result<Place, String> {
        if name.is_empty() {
            return Err("net is missing: net=RUN or net=FILE.safetensors".to_owned());
        }
        match (find(name), Place::built_in(name)) {
            (Ok(path), _) => Ok(Place::File(path)),
            (Err(_), Some(place)) => Ok(place),
            (Err(problem), None) => {
                let names = built_in();
                Err(format!("{problem}; those that come with the program: {}", names.join(", ")))
            }
        }
    }

    /// Reads the network that is there, of either kind.
    ///
    /// # Errors
    /// If it cannot be read, in one line.
    pub fn checkpoint(&self) -> Result<Checkpoint, String> {
        match self {
            Place::File(path) => Checkpoint::load(path).map_err(|error| error.to_string()),
            Place::BuiltIn(name) => {
                let bytes = BUILT_IN.iter().find(|(known, _)| known == name).map_or(&[][..], |(_, bytes)| *bytes);
                Checkpoint::from_bytes(bytes).map_err(|problem| format!("{self}: {problem}"))
            }
            Place::Given(_) => Err(format!("{self}: not here")),
        }
    }

    /// Reads the network in floats that is there.
    ///
    /// # Errors
    /// If it cannot be read or is an integer network, in one line.
    pub fn read(&self) -> Result<NetworkFile, String> {
        match self.checkpoint()? {
            Checkpoint::Float(file) => Ok(*file),
            Checkpoint::Integer(_) => Err(format!("{self}: {INTEGER}")),
        }
    }
}

/// Reads a network by name, see [`Place::of`]; says where it was too.
///
/// # Errors
/// If there is none or it cannot be read, in one line.
pub fn open(name: &str) -> Result<(Place, NetworkFile), String> {
    let place = Place::of(name)?;
    let file = place.read()?;
    Ok((place, file))
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
