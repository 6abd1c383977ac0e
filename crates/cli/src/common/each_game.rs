//! The games of a file, one after the other.

use anyhow::{Context, Result, anyhow, bail};
use tesuji_core::GameRecord;
use tesuji_games::formats::{Records, check_version};

/// Calls `visit` with each game and its number, from 1, or only with the game of one number. Broken games are skipped
/// with one note at the end; a file without any good game is an error.
pub fn each_game(
    records: Records,
    path: &str,
    number: Option<u64>,
    mut visit: impl FnMut(u64, GameRecord) -> Result<()>,
) -> Result<u64> {
    let (mut good, mut broken, mut visited) = (0_u64, 0_u64, 0);
    let mut first_error = None;
    for (index, record) in (1_u64..).zip(records) {
        match record {
            Ok(record) => {
                good += 1;
                if number.is_none_or(|number| number == index) {
                    visited += 1;
                    check_version(&record)
                        .map_err(anyhow::Error::from)
                        .and_then(|()| visit(index, record))
                        .with_context(|| format!("{path:?} game {index}"))?;
                }
            }
            Err(error) => {
                broken += 1;
                first_error.get_or_insert(error);
            }
        }
        if number == Some(index) {
            break;
        }
    }
    match first_error {
        Some(error) if visited == 0 => Err(anyhow!(error).context(format!("{path:?}"))),
        None if good == 0 => Err(anyhow!("{path:?}: no games in it")),
        _ if visited == 0 => bail!("{path:?}: it has only {good} games"),
        Some(error) => {
            eprintln!("note: {path:?}: skipped {broken} broken games, the first: {error:#}");
            Ok(visited)
        }
        None => Ok(visited),
    }
}
