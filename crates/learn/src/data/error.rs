//! Why a data set cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

/// Why a data set cannot be read or written: one line.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file system refused. The cause is in the line itself, so it is not told again as a source.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A file or directory is not what it should be.
    #[error("{}: {problem}", path.display())]
    Bad {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        problem: String,
    },
}

impl DataError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> DataError {
        let path = path.to_owned();
        |cause| DataError::Io { path, cause }
    }

    pub(super) fn bad(path: &Path, problem: impl Into<String>) -> DataError {
        DataError::Bad { path: path.to_owned(), problem: problem.into() }
    }
}
