//! Records of games, replayed: what every learner from games begins with, compiled once for each game.

use tesuji_core::record::Played;
use tesuji_core::{AnyGame, Encoder, Game, GameRecord, Move, MoveOf, Position, game};

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

/// The start of a game that another process says it has played, every move and every move of its policies being legal.
///
/// # Errors
/// If it is of another game or other rules, has not ended, or cannot have been played, in words.
pub fn played_elsewhere<G: Game>(game: &G, record: &GameRecord) -> Result<G::Position, String> {
    same_rules(game, record)?;
    if record.outcome.is_none() {
        return Err("no result".to_owned());
    }
    let start = game::parse_line(game, &record.start).map_err(|error| error.to_string())?;
    let mut problem = None;
    let visit = |position: &G::Position, _: MoveOf<G>, played: &Played| {
        let Some(thought) = &played.thought else { return };
        let legal = |bits: u32| <MoveOf<G>>::from_bits(bits).is_some_and(|mv| position.is_legal(mv));
        if let Some((bits, _)) = thought.policy.iter().find(|(bits, _)| !legal(*bits)) {
            problem = Some(format!("a policy with the move {bits:#x}, which is not legal"));
        } else if !(-1.0..=1.0).contains(&thought.value.get()) {
            problem = Some("a value that is none".to_owned());
        }
    };
    record.replay(start.clone(), visit).map_err(|error| error.to_string())?;
    problem.map_or(Ok(start), Err)
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
