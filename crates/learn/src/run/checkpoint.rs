//! The networks of runs on disk, in floats or in integers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tesuji_nn::nnue::{NnueFile, NnueInfo};
use tesuji_nn::{FileError, NetworkFile, NetworkInfo};

/// Numbers of a checkpoint by name.
pub type State = BTreeMap<String, Vec<f32>>;

/// What a network is, and what it is for.
#[derive(Clone, Debug, PartialEq)]
pub enum About {
    /// A network in floats.
    Float(NetworkInfo),
    /// An integer network.
    Integer(NnueInfo),
}

impl About {
    /// What a network in floats is.
    pub fn float(self) -> Option<NetworkInfo> {
        match self {
            About::Float(info) => Some(info),
            About::Integer(_) => None,
        }
    }

    /// Checks that another network is the same one, for the same game and inputs; `otherwise` says in words that the
    /// layers differ.
    ///
    /// # Errors
    /// With the first difference, in words.
    pub fn same(&self, found: &About, otherwise: &str) -> Result<(), String> {
        let same = match (found, self) {
            (About::Float(found), About::Float(wanted)) => {
                found.check(&wanted.game, wanted.rules_version, &wanted.encoder, wanted.encoder_version)?;
                found.spec == wanted.spec
            }
            (About::Integer(found), About::Integer(wanted)) => {
                let spec = &wanted.spec;
                found.check(&wanted.game, wanted.rules_version, &spec.features, spec.features_version)?;
                found.spec == *spec
            }
            _ => false,
        };
        if same { Ok(()) } else { Err(otherwise.to_owned()) }
    }
}

/// A network file of either kind, with the state of its training if that may go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Checkpoint {
    /// A network in floats.
    Float(Box<NetworkFile>),
    /// An integer network.
    Integer(Box<NnueFile>),
}

impl Checkpoint {
    /// Reads a file and checks all of it.
    ///
    /// # Errors
    /// If it cannot be read, is truncated, damaged, of another version, or not a weight file of ours at all.
    pub fn load(path: &Path) -> Result<Checkpoint, FileError> {
        let bytes = fs::read(path).map_err(|cause| FileError::Io { path: path.to_owned(), cause })?;
        Checkpoint::from_bytes(&bytes).map_err(|problem| FileError::Bad { path: path.to_owned(), problem })
    }

    /// Reads a file's bytes; the error is the problem in one line.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, String> {
        if NnueFile::recognises(bytes) {
            NnueFile::from_bytes(bytes).map(|file| Checkpoint::Integer(Box::new(file)))
        } else {
            NetworkFile::from_bytes(bytes).map(|file| Checkpoint::Float(Box::new(file)))
        }
    }

    /// Writes the file so that a crash leaves the old one or the new one, never half of one.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        match self {
            Checkpoint::Float(file) => file.save(path),
            Checkpoint::Integer(file) => file.save(path),
        }
    }

    /// The file's bytes: the same for the same content, always.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Checkpoint::Float(file) => file.to_bytes(),
            Checkpoint::Integer(file) => file.to_bytes(),
        }
    }

    /// The network alone, without the state of its training.
    #[must_use]
    pub fn without_state(&self) -> Checkpoint {
        match self {
            Checkpoint::Float(file) => {
                let NetworkFile { about, weights, .. } = file.as_ref();
                let (about, weights) = (about.clone(), weights.clone());
                Checkpoint::Float(Box::new(NetworkFile { about, weights, state: State::new() }))
            }
            Checkpoint::Integer(file) => {
                let NnueFile { about, network, .. } = file.as_ref();
                let (about, network) = (about.clone(), network.clone());
                Checkpoint::Integer(Box::new(NnueFile { about, network, state: State::new() }))
            }
        }
    }

    /// Whether training can go on from it. Networks in floats that have not been trained need no state for that;
    /// integers do not tell the floats that they were made of.
    pub fn goes_on(&self) -> bool {
        match self {
            Checkpoint::Float(file) => !file.state.is_empty() || file.about.step == 0,
            Checkpoint::Integer(file) => !file.state.is_empty(),
        }
    }

    /// The line of the agent that is stored with it, see [`NetworkInfo::agent`].
    pub fn agent_mut(&mut self) -> &mut String {
        match self {
            Checkpoint::Float(file) => &mut file.about.agent,
            Checkpoint::Integer(file) => &mut file.about.agent,
        }
    }

    /// What it is.
    pub fn about(&self) -> About {
        match self {
            Checkpoint::Float(file) => About::Float(file.about.clone()),
            Checkpoint::Integer(file) => About::Integer(file.about.clone()),
        }
    }

    /// Training steps behind it.
    pub fn step(&self) -> u64 {
        match self {
            Checkpoint::Float(file) => file.about.step,
            Checkpoint::Integer(file) => file.about.step,
        }
    }

    /// The state of its training.
    pub fn state(&self) -> &State {
        match self {
            Checkpoint::Float(file) => &file.state,
            Checkpoint::Integer(file) => &file.state,
        }
    }

    /// The state of its training, to be taken or changed.
    pub fn state_mut(&mut self) -> &mut State {
        match self {
            Checkpoint::Float(file) => &mut file.state,
            Checkpoint::Integer(file) => &mut file.state,
        }
    }
}
