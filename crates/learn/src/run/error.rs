//! Why a run cannot go on.

use std::io;
use std::path::{Path, PathBuf};
use tesuji_nn::FileError;

/// Why a run cannot go on: one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The file system refused. The cause is in the line itself, so it is not told again as a source.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A weight file.
    #[error(transparent)]
    Network(#[from] FileError),
    /// It was stopped before it could begin to go on.
    #[error("stopped")]
    Stopped,
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl RunError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> RunError {
        let path = path.to_owned();
        |cause| RunError::Io { path, cause }
    }

    pub(crate) fn other(problem: impl Into<String>) -> RunError {
        RunError::Other(problem.into())
    }

    /// Something wrong with a file, in words.
    pub(crate) fn at(path: &Path, problem: impl std::fmt::Display) -> RunError {
        RunError::Other(format!("{}: {problem}", path.display()))
    }
}
