//! Our games by name: nothing here knows one of them.

use crate::Mode;
use tesuji_core::game::parse_line;
use tesuji_core::perft::{perft, perft_playing};
use tesuji_core::{Game, Position, Rules, Stream};
use tesuji_games::{Visitor, visit};

/// A measurement that can be repeated: counts nodes or plays games, and says how many.
pub type Work = Box<dyn FnMut() -> u64>;

/// Counts move paths from a position.
///
/// # Errors
/// If the game is not registered or the position cannot be read.
pub fn perft_work(game: &str, position: &str, depth: u32, mode: Mode) -> Result<Work, String> {
    visit(game, Rules::Official, Perft { position, depth, mode }).map_err(|error| error.to_string())?
}

/// Plays random games from a position to their end, `games` at a time.
///
/// # Errors
/// If the game is not registered or the position cannot be read.
pub fn playout_work(game: &str, position: &str, rules: Rules, games: u64) -> Result<Work, String> {
    visit(game, rules, Playouts { position, games }).map_err(|error| error.to_string())?
}

struct Perft<'a> {
    position: &'a str,
    depth: u32,
    mode: Mode,
}

impl Visitor for Perft<'_> {
    type Output = Result<Work, String>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        let position = parse_line(&game, self.position).map_err(|error| error.to_string())?;
        let (depth, mode) = (self.depth, self.mode);
        Ok(Box::new(move || match mode {
            Mode::Bulk => perft(&position, depth),
            Mode::Playing => perft_playing(&position, depth),
        }))
    }
}

struct Playouts<'a> {
    position: &'a str,
    games: u64,
}

impl Visitor for Playouts<'_> {
    type Output = Result<Work, String>;

    fn visit<G: Game>(self, game: G) -> Self::Output {
        let start = parse_line(&game, self.position).map_err(|error| error.to_string())?;
        let games = self.games;
        let mut position = start.clone();
        let mut round = 0;
        Ok(Box::new(move || {
            round += 1;
            let mut random = Stream::new(round, "bench", 0);
            let mut ended = 0;
            for _ in 0..games {
                position.clone_from(&start);
                // Only games that have come to an end count.
                ended += u64::from(position.playout(&mut random, u32::MAX).is_some());
            }
            ended
        }))
    }
}
