//! Integer networks on disk: safetensors files in the manner of [`crate::file`].
//!
//! The numbers are integers; a file from which training may go on also has the float weights and the optimiser's
//! memory, under `state.`. Files that come with the program have none.

use super::network::{NnueLayer, NnueNetwork, NnueWeights};
use super::spec::NnueSpec;
use super::train::{NnueTrainer, NnueTraining};
use crate::file::{FileError, one_line, read_f32, write_atomically};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use tesuji_core::Rules;

/// The version of what this program writes into the metadata.
const FORMAT: u32 = 1;

/// The metadata entry, the same as that of other networks.
const ENTRY: &str = "tesuji";

/// The prefix of tensors that belong to the training.
const STATE: &str = "state.";

/// What sets these files apart from those of other networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Nnue,
}

/// The description of an integer network in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NnueInfo {
    /// The network.
    pub spec: NnueSpec,
    /// The game's name.
    pub game: String,
    /// The rules that it was trained under.
    pub rules: Rules,
    /// [`tesuji_core::GameRules::rules_version`] at that time.
    pub rules_version: u32,
    /// Training steps behind it.
    pub step: u64,
    /// The line of the agent that it was trained to be, see [`NetworkInfo::agent`](crate::NetworkInfo::agent).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
}

/// An integer network with what it is, and the state of its training if that may go on.
#[derive(Clone, Debug, PartialEq)]
pub struct NnueFile {
    /// What it is.
    pub about: NnueInfo,
    /// The network.
    pub network: NnueNetwork,
    /// [`NnueTrainer::state`], or nothing.
    pub state: BTreeMap<String, Vec<f32>>,
}

/// The metadata entry as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    kind: Kind,
    format: u32,
    checksum: u32,
    /// Bits behind the point of the weights of each dense layer.
    shifts: Vec<u32>,
    about: NnueInfo,
}

/// A tensor of integers as it is written.
struct Integers {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl NnueInfo {
    /// Checks that a network fits what is about to use it.
    ///
    /// # Errors
    /// With the first difference, in one line: game, rules version, features or their version.
    pub fn check(&self, game: &str, rules_version: u32, features: &str, features_version: u32) -> Result<(), String> {
        let spec = &self.spec;
        if self.game != game {
            return Err(format!("trained for {}, not for {game}", self.game));
        }
        if self.rules_version != rules_version {
            let version = self.rules_version;
            return Err(format!(
                "trained under version {version} of the rules of {game}, these are version {rules_version}"
            ));
        }
        if spec.features != features {
            return Err(format!("made for the features {}, not {features}", spec.features));
        }
        if spec.features_version != features_version {
            let version = spec.features_version;
            return Err(format!(
                "made for version {version} of the features {features}, this is version {features_version}"
            ));
        }
        Ok(())
    }
}

impl NnueTrainer {
    /// Everything that training needs to go on, as a file; `about` says whose, its step is set here.
    pub fn checkpoint(&self, about: NnueInfo) -> NnueFile {
        let about = NnueInfo { step: self.steps(), ..about };
        NnueFile { about, network: self.network(), state: self.state() }
    }

    /// A trainer that goes on from a [`checkpoint`](Self::checkpoint) as if it had never stopped, to the byte; the way
    /// of training and the shared rows must be those that it was made with.
    ///
    /// # Errors
    /// If the file has no state of training or that of another network, in one line.
    pub fn resume(file: &NnueFile, training: NnueTraining, map: Vec<u32>) -> Result<NnueTrainer, String> {
        if file.state.is_empty() {
            return Err("the network has integers only: training cannot go on from it".to_owned());
        }
        let trainer = NnueTrainer::new(file.about.spec.clone(), training, map, 0);
        let mut trainer = trainer.map_err(|error| error.to_string())?;
        trainer.restore(file.about.step, &file.state)?;
        Ok(trainer)
    }
}

impl NnueFile {
    /// The file without the state of training: small, to be shipped.
    #[must_use]
    pub fn without_state(self) -> NnueFile {
        NnueFile { state: BTreeMap::new(), ..self }
    }

    /// Whether bytes are those of an integer network, intact or not, rather than of another one.
    pub fn recognises(bytes: &[u8]) -> bool {
        let header = SafeTensors::read_metadata(bytes).ok();
        let entry = header.and_then(|(_, header)| header.metadata().as_ref()?.get(ENTRY).cloned());
        let value = entry.and_then(|entry| serde_json::from_str::<serde_json::Value>(&entry).ok());
        value.is_some_and(|value| value["kind"] == "nnue")
    }

    /// The file's bytes: the same for the same content, always.
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = self.network.weights();
        let integers = integers(&self.about.spec, &weights);
        let state: Vec<(String, Vec<u8>)> =
            self.state.iter().map(|(name, vector)| (format!("{STATE}{name}"), f32_bytes(vector))).collect();
        let shifts: Vec<u32> = weights.layers.iter().map(|layer| layer.shift).collect();
        let checksum = checksum(&self.about, &shifts, &integers, &self.state);
        let metadata = Metadata { kind: Kind::Nnue, format: FORMAT, checksum, shifts, about: self.about.clone() };
        let metadata = serde_json::to_string(&metadata).expect("metadata are plain data");
        let views = integers.iter().map(|tensor| {
            let view = TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes);
            (tensor.name.clone(), view.expect("shapes are those of the numbers"))
        });
        let states = state.iter().map(|(name, bytes)| {
            let view = TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes);
            (name.clone(), view.expect("vectors have their own length"))
        });
        safetensors::serialize(views.chain(states), Some(HashMap::from([(ENTRY.to_owned(), metadata)])))
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
    /// If it cannot be read, is truncated, damaged, of another version or kind, or its sums could overflow.
    pub fn load(path: &Path) -> Result<NnueFile, FileError> {
        let bytes = fs::read(path).map_err(|cause| FileError::Io { path: path.to_owned(), cause })?;
        NnueFile::from_bytes(&bytes).map_err(|problem| FileError::Bad { path: path.to_owned(), problem })
    }

    /// Reads a file's bytes; the error is the problem in one line.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: &[u8]) -> Result<NnueFile, String> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| one_line(&error.to_string()))?;
        let entry = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
        let entry = entry.ok_or("no `tesuji` entry in its metadata: not written by this program")?;
        let value: serde_json::Value = serde_json::from_str(entry).map_err(|error| format!("metadata: {error}"))?;
        if value["kind"] != "nnue" {
            return Err("not an integer network (kind nnue)".to_owned());
        }
        if value["format"] != FORMAT {
            return Err(format!("format version {}, this program reads version {FORMAT}", value["format"]));
        }
        let metadata: Metadata = serde_json::from_str(entry).map_err(|error| format!("metadata: {error}"))?;
        let Metadata { about, shifts, .. } = metadata;
        about.spec.check().map_err(|error| error.to_string())?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| one_line(&error.to_string()))?;
        let weights = read_weights(&about.spec, &shifts, &tensors)?;
        let integers = integers(&about.spec, &weights);
        let known: BTreeSet<&str> = integers.iter().map(|tensor| tensor.name.as_str()).collect();
        let names = tensors.iter().map(|(name, _)| name);
        if let Some(name) = names.filter(|name| !known.contains(name) && !name.starts_with(STATE)).min() {
            return Err(format!("tensor {name:?} is not in the network"));
        }
        let states = tensors.iter().filter_map(|(name, view)| name.strip_prefix(STATE).map(|rest| (rest, view)));
        let state: BTreeMap<String, Vec<f32>> =
            states.map(|(name, view)| Ok((name.to_owned(), read_f32(name, &view)?))).collect::<Result<_, String>>()?;
        if checksum(&about, &shifts, &integers, &state) != metadata.checksum {
            return Err("wrong checksum: the file is damaged".to_owned());
        }
        if let Some((name, _)) = state.iter().find(|(_, vector)| !vector.iter().all(|number| number.is_finite())) {
            return Err(format!("training state {name:?} is not finite"));
        }
        let network = NnueNetwork::new(about.spec.clone(), &weights).map_err(|error| error.to_string())?;
        Ok(NnueFile { about, network, state })
    }
}

/// The network's numbers as tensors, in the order that the checksum takes them in.
fn integers(spec: &NnueSpec, weights: &NnueWeights) -> Vec<Integers> {
    let words = |numbers: &[i16]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let tensor = |name: &str, dtype, shape, bytes| Integers { name: name.to_owned(), dtype, shape, bytes };
    let mut tensors = vec![
        tensor("rows", Dtype::I16, vec![spec.inputs, spec.width], words(&weights.rows)),
        tensor("bias", Dtype::I16, vec![spec.width], words(&weights.bias)),
    ];
    for (number, (layer, (inputs, outputs))) in weights.layers.iter().zip(spec.layers()).enumerate() {
        let [weight, bias] = dense_names(number);
        let longs = layer.bias.iter().flat_map(|n| n.to_le_bytes()).collect();
        tensors.push(tensor(&weight, Dtype::I16, vec![outputs, inputs], words(&layer.weights)));
        tensors.push(tensor(&bias, Dtype::I32, vec![outputs], longs));
    }
    tensors
}

fn dense_names(number: usize) -> [String; 2] {
    [format!("dense{}.weight", number + 1), format!("dense{}.bias", number + 1)]
}

fn read_weights(spec: &NnueSpec, shifts: &[u32], tensors: &SafeTensors<'_>) -> Result<NnueWeights, String> {
    let data = |name: &str, dtype: Dtype, shape: &[usize]| {
        let view = tensors.tensor(name).map_err(|_| format!("tensor {name:?} is missing"))?;
        if view.dtype() != dtype {
            return Err(format!("tensor {name:?} is {:?}, not {dtype:?}", view.dtype()));
        }
        if view.shape() != shape {
            return Err(format!("tensor {name:?} is {:?}, not {shape:?}", view.shape()));
        }
        Ok(view.data().to_vec())
    };
    let words = |name: &str, shape: &[usize]| {
        let bytes = data(name, Dtype::I16, shape)?;
        Ok::<_, String>(bytes.as_chunks::<2>().0.iter().map(|&b| i16::from_le_bytes(b)).collect::<Vec<i16>>())
    };
    let shapes = spec.layers();
    if shifts.len() != shapes.len() {
        return Err(format!("scales of {} dense layers, not {}", shifts.len(), shapes.len()));
    }
    let mut layers = Vec::with_capacity(shapes.len());
    for (number, ((inputs, outputs), &shift)) in shapes.into_iter().zip(shifts).enumerate() {
        let [weight, bias] = dense_names(number);
        let weights = words(&weight, &[outputs, inputs])?;
        let bias = data(&bias, Dtype::I32, &[outputs])?;
        let bias = bias.as_chunks::<4>().0.iter().map(|&b| i32::from_le_bytes(b)).collect();
        layers.push(NnueLayer { weights, bias, shift });
    }
    Ok(NnueWeights { rows: words("rows", &[spec.inputs, spec.width])?, bias: words("bias", &[spec.width])?, layers })
}

fn checksum(about: &NnueInfo, shifts: &[u32], integers: &[Integers], state: &BTreeMap<String, Vec<f32>>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(serde_json::to_string(&(about, shifts)).expect("metadata are plain data").as_bytes());
    integers.iter().for_each(|tensor| hasher.update(&tensor.bytes));
    for (name, vector) in state {
        hasher.update(name.as_bytes());
        vector.chunks(4096).for_each(|chunk| hasher.update(&f32_bytes(chunk)));
    }
    hasher.finalize()
}

fn f32_bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}
