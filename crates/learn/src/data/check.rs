//! Whether a game can be learned from.

use tesuji_core::{Game, GameRecord, Move, MoveList, Outcome, Position, game};

/// The tag of a record that tells how many moves belong to the opening, which nobody chose.
pub const OPENING_TAG: &str = "OpeningPlies";

/// Longer games are not learned from: no game of ours lasts so long by its rules.
const MOST_MOVES: usize = 100_000;
/// Nor are games from longer descriptions of a start.
const LONGEST_START: usize = 64 << 10;

/// A game whose moves are legal and whose result is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its start, in the game's notation, or `startpos`.
    pub start: String,
    /// Its moves, up to the end by our rules, in their numeric form.
    pub moves: Vec<u32>,
    /// How many of the moves belong to the opening.
    pub opening: usize,
    /// How many more moves there were behind the end by our rules.
    pub beyond_end: usize,
    /// Its result.
    pub outcome: Outcome,
}

/// Why a game is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// In few words, of which there are few: for counting.
    pub reason: &'static str,
    /// With what is special to this game.
    pub detail: String,
}

impl Skip {
    fn new(reason: &'static str, detail: impl Into<String>) -> Skip {
        Skip { reason, detail: detail.into() }
    }
}

/// Replays a record, and takes from it what a data set needs.
///
/// Players need not claim draws, so games may go on where the rules of `game` end them; what comes behind that is no
/// position of the game, and is only counted.
///
/// # Errors
/// If the record is of another game or other rules, has no result or no moves, or cannot be replayed.
pub fn check<G: Game>(game: &G, record: &GameRecord) -> Result<Checked, Skip> {
    if record.game != game.name() {
        return Err(Skip::new("another game", format!("a game of {}", tesuji_core::error::excerpt(&record.game))));
    }
    if record.rules != game.rules() || record.rules_version != game.rules_version() {
        let detail = format!("played by the {} rules, version {}", record.rules, record.rules_version);
        return Err(Skip::new("other rules", detail));
    }
    let Some(outcome) = record.outcome else { return Err(Skip::new("no result", "no result")) };
    if record.moves.is_empty() {
        return Err(Skip::new("no moves", "no moves"));
    }
    if record.moves.len() > MOST_MOVES || record.start.len() > LONGEST_START {
        return Err(Skip::new(
            "too long",
            format!("more than {MOST_MOVES} moves, or a start of {LONGEST_START} bytes"),
        ));
    }
    let start = game::parse_line(game, &record.start);
    let mut position = start.map_err(|error| Skip::new("bad start", error.to_string()))?;
    let mut moves = Vec::with_capacity(record.moves.len());
    let mut legal = MoveList::new();
    for (number, played) in (1..).zip(&record.moves) {
        if position.expand(&mut legal).is_some() {
            break;
        }
        let mv = <G::Position as Position>::Move::from_bits(played.bits).filter(|mv| legal.contains(mv));
        let Some(mv) = mv else {
            return Err(Skip::new("illegal move", format!("move {number} ({:#x}) is not legal", played.bits)));
        };
        moves.push(played.bits);
        position.play(mv);
    }
    let opening = record.tags.iter().find(|(name, _)| name == OPENING_TAG);
    let opening = opening.and_then(|(_, plies)| plies.parse().ok()).unwrap_or(0).min(moves.len());
    let beyond_end = record.moves.len() - moves.len();
    Ok(Checked { start: record.start.clone(), moves, opening, beyond_end, outcome })
}
