//! Files of a run, opened without following links.
//!
//! A run's directory may come from somebody else. Its names are ours, but what stands under them need not be: a link
//! would have us read or overwrite a file elsewhere, a pipe would have us wait for ever.

use super::error::RunError;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Opens a plain file; a link, a pipe or a directory is refused.
pub(crate) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let is_link = || fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Without NONBLOCK, opening a pipe waits for its other end.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    #[cfg(not(unix))]
    if is_link() {
        return Err(no_link());
    }
    let file = options.open(path).map_err(|cause| if is_link() { no_link() } else { cause })?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a plain file: remove it")) }
}

fn no_link() -> io::Error {
    io::Error::other("a symbolic link, which no file of a run is: remove it")
}

/// The bytes of a file, if it is there.
///
/// # Errors
/// If it cannot be read, or is not a plain file.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, RunError> {
    let mut bytes = Vec::new();
    let read = open(OpenOptions::new().read(true), path).and_then(|mut file| file.read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(RunError::Io { path: path.to_owned(), cause }),
    }
}

/// Makes a directory if need be; a link to one is refused.
///
/// # Errors
/// If the file system refuses, or something else has its name.
pub(crate) fn make_directory(path: &Path) -> Result<(), RunError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) if found.is_symlink() => Err(RunError::Io { path: path.to_owned(), cause: no_link() }),
        _ => fs::create_dir_all(path).map_err(RunError::io(path)),
    }
}

/// Renames a file that is not what it should be, so that it is neither used nor lost; returns its new name.
///
/// # Errors
/// If the file system refuses.
pub(super) fn set_aside(path: &Path) -> Result<PathBuf, RunError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".damaged");
    let aside = PathBuf::from(aside);
    fs::rename(path, &aside).map_err(RunError::io(path))?;
    Ok(aside)
}

/// Items as lines of JSON.
pub(super) fn to_lines<T: Serialize>(items: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for item in items {
        serde_json::to_writer(&mut bytes, item).expect("plain data into memory");
        bytes.push(b'\n');
    }
    bytes
}

/// Lines of JSON as items; those that cannot be read are problems, each with its number from 1.
pub(super) fn from_lines<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> (Vec<T>, Vec<String>) {
    let (mut items, mut problems) = (Vec::new(), Vec::new());
    let lines = bytes.split(|&byte| byte == b'\n').zip(1..).filter(|(line, _)| !line.is_empty());
    for (line, number) in lines {
        match serde_json::from_slice(line) {
            Ok(item) => items.push(item),
            Err(error) => problems.push(format!("line {number}: {error}")),
        }
    }
    (items, problems)
}
