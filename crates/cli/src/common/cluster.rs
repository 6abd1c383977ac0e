//! Where the learner and its workers meet, as the command line names it.

use anyhow::{Result, anyhow, bail};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tesuji_learn::cluster::{SharedDir, Transport};

/// A place where the learner and its workers meet.
#[derive(Clone, Debug)]
pub enum Place {
    /// A directory that all of them see.
    Directory(PathBuf),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        match text.split_once(':') {
            Some(("dir", path)) if !path.is_empty() => Ok(Place::Directory(Path::new(path).to_owned())),
            _ => Err("expected dir:PATH, a directory that all processes see".to_owned()),
        }
    }
}

/// Who comes to the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The learner, which makes it.
    Learner,
    /// A worker, which may wait for the learner.
    Worker,
    /// Somebody who looks.
    Guest,
}

impl Place {
    /// Goes there.
    pub fn open(&self, role: Role) -> Result<Box<dyn Transport>> {
        let Place::Directory(path) = self;
        if role == Role::Guest && !path.join("workers").is_dir() {
            bail!("{}: no learner or worker has been here", path.display());
        }
        let directory = if role == Role::Learner { SharedDir::create(path) } else { SharedDir::open(path) };
        directory.map(|directory| Box::new(directory) as Box<dyn Transport>).map_err(|problem| anyhow!(problem))
    }
}
