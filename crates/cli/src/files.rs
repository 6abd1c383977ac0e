//! Files that are written.

use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that appears under its name only when it is complete; until then it has `.partial` behind its name.
pub struct NewFile {
    path: PathBuf,
    partial: PathBuf,
    /// `None` once the file is complete.
    writer: Option<BufWriter<File>>,
}

impl NewFile {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<NewFile> {
        ensure!(path.file_name().is_some() && !path.is_dir(), "cannot write {path:?}: not the name of a file");
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = File::create(&partial).with_context(|| format!("cannot write {path:?}"))?;
        Ok(NewFile { path: path.to_owned(), partial, writer: Some(BufWriter::new(file)) })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.write_all(bytes).with_context(|| format!("cannot write {:?}", self.partial))
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        if let Some(mut writer) = self.writer.take() {
            writer.flush().with_context(|| format!("cannot write {:?}", self.partial))?;
        }
        fs::rename(&self.partial, &self.path).with_context(|| format!("cannot write {:?}", self.path))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Work that failed leaves nothing behind; if that fails too, there is nobody to tell.
        if self.writer.is_some() {
            let _ = fs::remove_file(&self.partial);
        }
    }
}
