//! Games into a file whose name tells its format.

use crate::common::files::NewFile;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use tesuji_core::{AnyGame, GameRecord, ParseError};
use tesuji_games::formats::{Format, unplayed};

/// A file that games will be saved to.
pub struct Saver {
    path: PathBuf,
    format: &'static Format,
}

impl Saver {
    /// Checks that games of this kind can be written there: before they are played, not afterwards.
    pub fn new(game: &dyn AnyGame, path: &Path) -> Result<Saver> {
        let format = Format::for_writing(None, &path.to_string_lossy())?;
        ensure!(format.holds_moves, "cannot save to {path:?}: a {} file holds no moves", format.name);
        format.write(&unplayed(game, &game.start().text())).with_context(|| format!("cannot save to {path:?}"))?;
        // The place must be there and writable.
        drop(NewFile::create(path)?);
        Ok(Saver { path: path.to_owned(), format })
    }

    /// Writes the games; where the format holds one game a file, into numbered files if there are several.
    pub fn write(&self, records: impl IntoIterator<Item = Result<GameRecord, ParseError>>) -> Result<()> {
        let records = records.into_iter().collect::<Result<Vec<_>, ParseError>>()?;
        match self.format.separator {
            Some(separator) => {
                let mut file = NewFile::create(&self.path)?;
                for (number, record) in records.iter().enumerate() {
                    if number > 0 {
                        file.write(separator.as_bytes())?;
                    }
                    file.write(&self.format.write(record)?)?;
                }
                file.finish()
            }
            None => {
                for (record, number) in records.iter().zip(1..) {
                    let path = if records.len() == 1 { self.path.clone() } else { self.numbered(number) };
                    let mut file = NewFile::create(&path)?;
                    file.write(&self.format.write(record)?)?;
                    file.finish()?;
                }
                Ok(())
            }
        }
    }

    /// `game.kif` with its number: `game-0001.kif`.
    fn numbered(&self, number: usize) -> PathBuf {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let extension = self.path.extension().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{stem}-{number:04}.{extension}"))
    }
}
