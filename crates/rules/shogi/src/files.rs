//! Game files of either board, compiled here for both: [`kif`] and [`csa`] are generic over the board.

use crate::{Minishogi, Shogi, csa, kif};
use tesuji_core::{GameRecord, ParseError, Rules};

/// Reads a KIF file of shogi, or else of minishogi.
///
/// # Errors
/// If it is neither; the error is that of shogi.
pub fn read_kif(rules: Rules, bytes: &[u8]) -> Result<GameRecord, ParseError> {
    kif::read(&Shogi::new(rules), bytes).or_else(|error| kif::read(&Minishogi::new(rules), bytes).map_err(|_| error))
}

/// Writes a game of shogi or minishogi as a KIF file.
///
/// # Errors
/// If the record is of another game, or cannot be replayed.
pub fn write_kif(record: &GameRecord) -> Result<String, ParseError> {
    if is_minishogi(record) {
        kif::write(&Minishogi::new(record.rules), record)
    } else {
        kif::write(&Shogi::new(record.rules), record)
    }
}

/// Reads a CSA file of shogi, or else of minishogi.
///
/// # Errors
/// If it is neither; the error is that of shogi.
pub fn read_csa(rules: Rules, bytes: &[u8]) -> Result<Vec<GameRecord>, ParseError> {
    csa::read(&Shogi::new(rules), bytes).or_else(|error| csa::read(&Minishogi::new(rules), bytes).map_err(|_| error))
}

/// Writes a game of shogi or minishogi as a CSA file.
///
/// # Errors
/// If the record is of another game, or cannot be replayed.
pub fn write_csa(record: &GameRecord) -> Result<String, ParseError> {
    if is_minishogi(record) {
        csa::write(&Minishogi::new(record.rules), record)
    } else {
        csa::write(&Shogi::new(record.rules), record)
    }
}

/// Which of the two games that share KIF and CSA a record is of.
fn is_minishogi(record: &GameRecord) -> bool {
    record.game == "minishogi"
}
