//! Where the learner and its workers meet, as the command line names it.

use anyhow::{Result, anyhow, bail};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tesuji_learn::cluster::{SharedDir, Transport};

/// A place where the learner and its workers meet.
#[derive(Clone)]
pub enum Place {
    /// A directory that all of them see.
    Directory(PathBuf),
    /// A NATS server, which may have a password in its address.
    Nats(String),
}

/// Never shows a password.
impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Directory(path) => write!(f, "dir:{}", path.display()),
            Place::Nats(url) => f.write_str(url.rsplit_once('@').map_or(url, |(_, host)| host)),
        }
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        match text.split_once(':') {
            Some(("dir", path)) if !path.is_empty() => Ok(Place::Directory(Path::new(path).to_owned())),
            Some(("nats" | "tls", rest)) if rest.len() > 2 && rest.starts_with("//") => {
                Ok(Place::Nats(text.to_owned()))
            }
            _ => Err("expected dir:PATH, a directory that all processes see, or nats://HOST:PORT".to_owned()),
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
        match self {
            Place::Directory(path) => {
                if role == Role::Guest && !path.join("workers").is_dir() {
                    bail!("{}: no learner or worker has been here", path.display());
                }
                let directory = if role == Role::Learner { SharedDir::create(path) } else { SharedDir::open(path) };
                Ok(Box::new(directory.map_err(|problem| anyhow!(problem))?))
            }
            #[cfg(feature = "cluster")]
            Place::Nats(url) => Ok(Box::new(super::nats::Nats::connect(url).map_err(|problem| anyhow!(problem))?)),
            #[cfg(not(feature = "cluster"))]
            Place::Nats(_) => bail!("this program is built without NATS: cargo build --release --features cluster"),
        }
    }
}
