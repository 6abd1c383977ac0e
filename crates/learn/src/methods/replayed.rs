//! Records of games, replayed: what every learner from games begins with, compiled once for each game.

use tesuji_core::{AnyGame, Encoder, Game, GameRecord, MoveOf, Position, game};

/// The start and the moves of a record, each of them legal.
///
/// # Errors
/// If it cannot be replayed, in words.
pub fn replayed<G: Game>(game: &G, record: &GameRecord) -> Result<(G::Position, Vec<MoveOf<G>>), String> {
    let start = game::parse_line(game, &record.start).map_err(|error| error.to_string())?;
    let mut moves = Vec::with_capacity(record.moves.len());
    record.replay(start.clone(), |_, mv, _| moves.push(mv)).map_err(|error| error.to_string())?;
    Ok((start, moves))
}

/// Checks that an encoder takes the positions of a game that starts here.
///
/// # Errors
/// If it does not, in words.
pub fn accepted<P: Position>(encoder: &dyn Encoder<P>, start: &P) -> Result<(), String> {
    encoder.refusal(start).map_or(Ok(()), Err)
}

/// Checks that a record is of a game, by the same rules and version of them.
///
/// # Errors
/// If it is not, in words.
pub fn same_rules(game: &dyn AnyGame, record: &GameRecord) -> Result<(), String> {
    let GameRecord { game: name, rules, rules_version, .. } = record;
    if *name == game.name() && *rules == game.rules() && *rules_version == game.rules_version() {
        return Ok(());
    }
    Err(format!("a record of {name} ({rules} rules, version {rules_version})"))
}
