//! Where the files of a reproduction are, and its state.

use crate::error::{LabError, problem};
use crate::file::Scale;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tesuji_nn::file::write_atomically;

/// The directory of a reproduction.
#[derive(Clone, Debug)]
pub struct Layout {
    root: PathBuf,
}

/// What is done: `state.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The reproduction.
    pub reproduction: String,
    /// The scale.
    pub scale: Scale,
    /// The jobs that are finished, with the seconds that they took.
    pub done: BTreeMap<String, f64>,
}

impl Layout {
    /// Makes the directory, or finds it; returns it with its state.
    ///
    /// # Errors
    /// If it cannot be made, holds another reproduction or another scale, or its name cannot stand in an agent's line.
    pub fn open(root: &Path, reproduction: &str, scale: Scale) -> Result<(Layout, State), LabError> {
        let text = root.to_string_lossy();
        if let Some(letter) = text.chars().find(|letter| ",:?&@=".contains(*letter) || letter.is_control()) {
            return Err(LabError::new(format!(
                "--out {text:?}: {letter:?} has a meaning in agents' lines; choose another name"
            )));
        }
        let layout = Layout { root: root.to_owned() };
        for folder in ["runs", "journals", "data", "measures"] {
            let path = root.join(folder);
            fs::create_dir_all(&path).map_err(|error| LabError::new(format!("cannot make {path:?}: {error}")))?;
        }
        let state = match fs::read_to_string(layout.state_path()) {
            Ok(text) => {
                let known: State = serde_json::from_str(&text).map_err(|error| problem(error).at("state.json"))?;
                if (known.reproduction.as_str(), known.scale) != (reproduction, scale) {
                    let (name, scale) = (known.reproduction, known.scale);
                    return Err(LabError::new(format!(
                        "{} holds {name} at scale {scale}; choose another --out",
                        root.display()
                    )));
                }
                known
            }
            Err(_) => State { reproduction: reproduction.to_owned(), scale, done: BTreeMap::new() },
        };
        Ok((layout, state))
    }

    fn state_path(&self) -> PathBuf {
        self.root.join("state.json")
    }

    /// Writes the state.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn save(&self, state: &State) -> Result<(), LabError> {
        let text = serde_json::to_string_pretty(state).map_err(problem)?;
        self.write("state.json", &(text + "\n"))
    }

    /// Writes a file of the reproduction.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn write(&self, name: &str, text: &str) -> Result<(), LabError> {
        let path = self.root.join(name);
        write_atomically(&path, text.as_bytes())
            .map_err(|error| LabError::new(format!("cannot write {path:?}: {error}")))
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of a run.
    pub fn run(&self, id: &str) -> PathBuf {
        self.root.join("runs").join(id)
    }

    /// The journal of a match.
    pub fn journal(&self, id: &str) -> PathBuf {
        self.root.join("journals").join(format!("{id}.jsonl"))
    }

    /// A data set.
    pub fn data(&self, id: &str) -> PathBuf {
        self.root.join("data").join(id)
    }

    /// A measurement.
    pub fn measure(&self, id: &str) -> PathBuf {
        self.root.join("measures").join(format!("{id}.json"))
    }
}
