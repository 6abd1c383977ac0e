//! Weights on disk: safetensors files with a description of the network, which is checked when they are read.
//!
//! The metadata of the file hold one entry, `tesuji`: JSON with [`NetworkInfo`] and a checksum over it and every number.
//! One entry only, because the format's library writes its map of entries in random order, and files must be equal
//! byte for byte. Tensors have the names of [`Graph::parameters`]; optimiser state follows under `state.`.

use crate::{Graph, Spec, Weights};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tesuji_core::Rules;

/// The version of what this program writes into the metadata.
const FORMAT: u32 = 1;

/// The metadata entry.
const ENTRY: &str = "tesuji";

/// The prefix of optimiser tensors.
const STATE: &str = "state.";

/// The description of a network in its weight file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkInfo {
    /// The network.
    pub spec: Spec,
    /// The game's name.
    pub game: String,
    /// The rules that it was trained under.
    pub rules: Rules,
    /// [`tesuji_core::GameRules::rules_version`] at that time.
    pub rules_version: u32,
    /// The encoder's name.
    pub encoder: String,
    /// [`tesuji_core::Encoder::version`] at that time.
    pub encoder_version: u32,
    /// Training steps behind it.
    pub step: u64,
    /// The line of the agent that it was trained to be, with NET for its own name: what that sets is what such agents do
    /// with this network unless they are told otherwise. Empty if nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
}

/// A network with its weights, and the optimiser's state if training may go on from it.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFile {
    /// What it is.
    pub about: NetworkInfo,
    /// The numbers.
    pub weights: Weights,
    /// Named vectors that belong to the training, not to the network.
    pub state: BTreeMap<String, Vec<f32>>,
}

/// Why a weight file could not be written, read or used: one line.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file system refused. The cause is in the line itself, so it is not repeated as a source.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// The file is not what it should be.
    #[error("{}: bad weight file: {problem}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// The metadata entry as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    format: u32,
    checksum: u32,
    about: NetworkInfo,
}

impl NetworkFile {
    /// The file's bytes: the same for the same content, always.
    ///
    /// # Panics
    /// If the weights are not those of the specification.
    pub fn to_bytes(&self) -> Vec<u8> {
        let graph = self.about.spec.graph().expect("the specification made these weights");
        let bytes: Vec<Vec<u8>> = self.vectors().map(to_le_bytes).collect();
        let shapes = graph.parameters().map(|parameter| (parameter.name.clone(), parameter.shape.clone()));
        let states = self.state.iter().map(|(name, vector)| (format!("{STATE}{name}"), vec![vector.len()]));
        let views = shapes.chain(states).zip(&bytes).map(|((name, shape), bytes)| {
            (name, TensorView::new(Dtype::F32, shape, bytes).expect("the weights have the network's shapes"))
        });
        let metadata = Metadata { format: FORMAT, checksum: self.checksum(), about: self.about.clone() };
        let metadata = serde_json::to_string(&metadata).expect("metadata are plain data");
        safetensors::serialize(views, Some(HashMap::from([(ENTRY.to_owned(), metadata)])))
            .expect("tensors and metadata are well-formed")
    }

    /// Writes the file so that a crash leaves the old one or the new one, never half of one.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        write_atomically(path, &self.to_bytes()).map_err(|cause| FileError::Io { path: path.to_owned(), cause })
    }

    /// Reads a file and checks all of it.
    ///
    /// # Errors
    /// If it cannot be read, is truncated, damaged, of another version, or not a weight file of ours at all.
    pub fn load(path: &Path) -> Result<NetworkFile, FileError> {
        let wrong = |cause| FileError::Io { path: path.to_owned(), cause };
        // A pipe would have us wait, a device would fill the memory.
        if !fs::metadata(path).map_err(wrong)?.is_file() {
            return Err(wrong(io::Error::other("not a plain file")));
        }
        let bytes = fs::read(path).map_err(wrong)?;
        NetworkFile::from_bytes(&bytes).map_err(|problem| FileError::Bad { path: path.to_owned(), problem })
    }

    /// Reads a file's bytes; the error is the problem in one line.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: &[u8]) -> Result<NetworkFile, String> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| one_line(&error.to_string()))?;
        let entry = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
        let entry = entry.ok_or("no `tesuji` entry in its metadata: not written by this program")?;
        let value = serde_json::from_str::<serde_json::Value>(entry).unwrap_or_default();
        if value["kind"] == "nnue" {
            return Err("an integer network (kind nnue), not a network of layers".to_owned());
        }
        let format = value["format"].as_u64();
        if format != Some(u64::from(FORMAT)) {
            let format = format.map_or("unknown".to_owned(), |format| format.to_string());
            return Err(format!("format version {format}, this program reads version {FORMAT}"));
        }
        let metadata: Metadata = serde_json::from_str(entry).map_err(|error| format!("metadata: {error}"))?;
        let graph = metadata.about.spec.graph().map_err(|error| error.to_string())?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| one_line(&error.to_string()))?;
        let weights = read_weights(&graph, &tensors)?;
        let state = read_state(&tensors)?;
        if let Some(name) = unknown_tensor(&graph, &tensors) {
            return Err(format!("tensor {name:?} is not in the network"));
        }
        let file = NetworkFile { about: metadata.about, weights, state };
        if file.checksum() != metadata.checksum {
            return Err("wrong checksum: the file is damaged".to_owned());
        }
        if !file.weights.all_finite() {
            return Err("some of its weights are no finite numbers: the training that made it has diverged".to_owned());
        }
        Ok(file)
    }

    fn vectors(&self) -> impl Iterator<Item = &Vec<f32>> {
        self.weights.tensors().iter().chain(self.state.values())
    }

    fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(serde_json::to_string(&self.about).expect("metadata are plain data").as_bytes());
        for name in self.state.keys() {
            hasher.update(name.as_bytes());
        }
        for vector in self.vectors() {
            for chunk in vector.chunks(4096) {
                hasher.update(&to_le_bytes(chunk));
            }
        }
        hasher.finalize()
    }
}

impl NetworkInfo {
    /// Checks that weights fit what is about to use them.
    ///
    /// # Errors
    /// With the first difference, in one line: game, rules version, encoder or its version.
    pub fn check(&self, game: &str, rules_version: u32, encoder: &str, encoder_version: u32) -> Result<(), String> {
        if self.game != game {
            return Err(format!("trained for {}, not for {game}", self.game));
        }
        if self.rules_version != rules_version {
            return Err(format!(
                "trained under version {} of the rules of {game}, these are version {rules_version}",
                self.rules_version
            ));
        }
        if self.encoder != encoder {
            return Err(format!("made for the encoder {}, not {encoder}", self.encoder));
        }
        if self.encoder_version != encoder_version {
            return Err(format!(
                "made for version {} of the encoder {encoder}, this is version {encoder_version}",
                self.encoder_version
            ));
        }
        Ok(())
    }
}

fn read_weights(graph: &Graph, tensors: &SafeTensors<'_>) -> Result<Weights, String> {
    let read = |parameter: &crate::graph::Parameter| {
        let view = tensors.tensor(&parameter.name).map_err(|_| format!("tensor {:?} is missing", parameter.name))?;
        if view.shape() != parameter.shape {
            return Err(format!("tensor {:?} is {:?}, not {:?}", parameter.name, view.shape(), parameter.shape));
        }
        read_f32(&parameter.name, &view)
    };
    let vectors: Vec<Vec<f32>> = graph.parameters().map(read).collect::<Result<_, _>>()?;
    Ok(Weights::from_tensors(graph, vectors))
}

fn read_state(tensors: &SafeTensors<'_>) -> Result<BTreeMap<String, Vec<f32>>, String> {
    let states = tensors.iter().filter_map(|(name, view)| name.strip_prefix(STATE).map(|rest| (rest, view)));
    states.map(|(name, view)| Ok((name.to_owned(), read_f32(name, &view)?))).collect()
}

pub(crate) fn read_f32(name: &str, view: &TensorView<'_>) -> Result<Vec<f32>, String> {
    if view.dtype() != Dtype::F32 {
        return Err(format!("tensor {name:?} is {:?}, not F32", view.dtype()));
    }
    Ok(view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// The alphabetically first tensor that nothing asked for.
fn unknown_tensor<'a>(graph: &Graph, tensors: &'a SafeTensors<'_>) -> Option<&'a str> {
    let known: std::collections::HashSet<&str> = graph.parameters().map(|parameter| parameter.name.as_str()).collect();
    tensors.iter().map(|(name, _)| name).filter(|name| !known.contains(name) && !name.starts_with(STATE)).min()
}

fn to_le_bytes(numbers: impl AsRef<[f32]>) -> Vec<u8> {
    numbers.as_ref().iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The library's messages quote the file's JSON, which may contain anything.
pub(crate) fn one_line(message: &str) -> String {
    tesuji_core::error::excerpt(message).escape_debug().to_string()
}

/// Writes a file by way of a neighbour that is synced and then renamed over it.
///
/// # Errors
/// If the file system refuses; the old file, if any, is then still there.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (file, neighbour) = write_neighbour(path, bytes)?;
    file.sync_all()?;
    fs::rename(&neighbour, path)?;
    // The rename itself is on disk once the directory is; directories cannot be opened everywhere.
    if cfg!(unix) {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// As [`write_atomically`], but without waiting for the disk: a kill leaves the old file or the new one, a power cut may
/// leave neither. For what can be had again.
///
/// # Errors
/// If the file system refuses; the old file, if any, is then still there.
pub fn write_soon(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (_, neighbour) = write_neighbour(path, bytes)?;
    fs::rename(&neighbour, path)
}

/// Writes bytes to a new file beside this one.
fn write_neighbour(path: &Path, bytes: &[u8]) -> io::Result<(File, PathBuf)> {
    let mut name = path.file_name().ok_or_else(|| io::Error::other("not the path of a file"))?.to_owned();
    // Always the same name: what a crash leaves behind is overwritten by the next attempt, it does not pile up.
    name.push(".tmp");
    let neighbour = path.with_file_name(name);
    // Removed rather than opened: a link of that name would have us write somewhere else.
    match fs::remove_file(&neighbour) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::create_new(&neighbour)?;
    file.write_all(bytes)?;
    Ok((file, neighbour))
}
