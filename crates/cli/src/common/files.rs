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
    /// Creates a file.
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
            // On the disk before it has its name: a name never stands for half a file, even after a power cut.
            writer
                .flush()
                .and_then(|()| writer.get_ref().sync_all())
                .with_context(|| format!("cannot write {:?}", self.partial))?;
        }
        fs::rename(&self.partial, &self.path)
            .and_then(|()| sync_directory(&self.path))
            .with_context(|| format!("cannot write {:?}", self.path))
    }
}

/// Writes a whole file: under its name there is the old one or the new one.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = NewFile::create(path)?;
    file.write(bytes)?;
    file.finish()
}

/// Waits until the directory of a file has its name on the disk.
#[cfg(unix)]
fn sync_directory(path: &Path) -> std::io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(directory)?.sync_all()
}

/// Elsewhere directories cannot be opened as files.
#[cfg(not(unix))]
fn sync_directory(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Work that failed leaves nothing behind; if that fails too, there is nobody to tell.
        if self.writer.is_some() {
            let _ = fs::remove_file(&self.partial);
        }
    }
}
