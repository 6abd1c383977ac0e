//! `best`: the strongest agent that comes with the program, by game.

use std::borrow::Cow;
use tesuji_search::agent::split;

/// The word before the `:`.
pub const NAME: &str = "best";

/// What it is, in a line.
pub const ABOUT: &str = "the strongest that comes with the program, by game; keys come on top of its line";

/// The line that `best` stands for in each game: the one table.
pub const BEST: &[(&str, &str)] = &[
    ("bingo3d", "nnue:net=nnue-bingo3d"),
    ("chess", "nnue:net=nnue-chess"),
    ("connect4", "nnue:net=nnue-connect4"),
    ("minishogi", "nnue:net=nnue-minishogi"),
    ("shogi", "alphabeta"),
    ("tictactoe", "alphabeta"),
    ("tubstap", "alphabeta"),
];

/// The line that `best` stands for in a game; alpha-beta plays every game.
pub fn line(game: &str) -> &'static str {
    BEST.iter().find(|(known, _)| *known == game).map_or("alphabeta", |(_, line)| line)
}

/// The line of an agent in a game: what `best` stands for there, with its options; every other line as it is.
pub fn in_game<'l>(game: &str, line: &'l str) -> Cow<'l, str> {
    match split(line) {
        (NAME, options) => Cow::Owned(with_options(game, options)),
        _ => Cow::Borrowed(line),
    }
}

/// The line of `best` in a game with some options on top.
pub fn with_options(game: &str, options: &str) -> String {
    let line = line(game);
    match (options, line.contains(':')) {
        ("", _) => line.to_owned(),
        (_, true) => format!("{line},{options}"),
        (_, false) => format!("{line}:{options}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::AgentSpec;

    #[test]
    fn every_game_has_a_line_that_can_be_read() {
        let mut games = tesuji_games::names().to_vec();
        games.sort_unstable();
        assert_eq!(BEST.iter().map(|(game, _)| *game).collect::<Vec<_>>(), games);
        for (game, line) in BEST {
            assert_eq!(AgentSpec::parse("best").unwrap().in_game(game), AgentSpec::parse(line), "{game}");
        }
        let spec = AgentSpec::parse("best:hash=3").unwrap().in_game("chess").unwrap();
        assert_eq!(spec, AgentSpec::parse(&with_options("chess", "hash=3")).unwrap());
        assert!(AgentSpec::parse("best:colour=red").unwrap().in_game("chess").is_err());
    }
}
