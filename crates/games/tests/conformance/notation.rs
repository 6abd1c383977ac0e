//! Text: positions and moves read back what was written; no text makes a parser panic.

use crate::moves::lists_agree;
use crate::support::{Check, every_game, every_position, legal, proptest_cases, reach, snapshot};
use proptest::prelude::*;
use std::collections::HashSet;
use tesuji_core::{Game, MoveList, Position, Stream, Style, game};

#[test]
fn positions_are_read_as_they_were_written() {
    #[derive(Clone, Copy)]
    struct RoundTrip;
    impl Check for RoundTrip {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 64, |position, _| round_trip(game, position));
        }
    }
    every_game(RoundTrip);
}

/// A position's notation gives back all but its history.
fn round_trip<G: Game>(game: &G, position: &G::Position) {
    let text = game.format_position(position);
    assert!(!text.contains(['\n', '\t']) && text.trim() == text, "one line without TABs: {text:?}");
    let read = game::parse_line(game, &text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let (before, mut after) = (snapshot(game, position), snapshot(game, &read));
    // Only the history can tell of a repetition.
    (after.outcome, after.ending) = (before.outcome, before.ending);
    assert_eq!(after, before);
}

#[test]
fn moves_are_read_as_they_were_written() {
    #[derive(Clone, Copy)]
    struct RoundTrip;
    impl Check for RoundTrip {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 48, |position, _| {
                let moves = legal(position);
                let texts: HashSet<String> = moves.iter().map(|&mv| position.format_move(mv)).collect();
                assert_eq!(texts.len(), moves.len(), "different moves are written differently");
                if position.outcome().is_none() {
                    for mv in moves {
                        let text = position.format_move(mv);
                        assert!(!text.is_empty() && !text.contains(char::is_whitespace), "one word: {text:?}");
                        assert_eq!(position.parse_move(&text), Ok(mv), "{text:?}");
                    }
                }
            });
        }
    }
    every_game(RoundTrip);
}

#[test]
fn lines_of_play_are_read_with_their_history() {
    #[derive(Clone, Copy)]
    struct Line;
    impl Check for Line {
        fn check<G: Game>(self, game: &G) {
            let mut moves = MoveList::new();
            for number in 0..10 {
                let mut random = Stream::new(1, "line", number);
                let mut position = game.varied_start(&mut random);
                let mut line = game.format_position(&position) + " moves";
                while line.len() < 2000 && position.expand(&mut moves).is_none() {
                    let mv = moves[random.below(moves.len())];
                    line += " ";
                    line += &position.format_move(mv);
                    position.play(mv);
                }
                let read = game::parse_line(game, &line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
                assert_eq!(snapshot(game, &read), snapshot(game, &position), "{line:?}");
            }
        }
    }
    every_game(Line);
}

#[test]
fn boards_can_be_drawn() {
    #[derive(Clone, Copy)]
    struct Draw;
    impl Check for Draw {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 16, |position, _| {
                for (color, kanji) in [(false, false), (false, true), (true, false), (true, true)] {
                    let text = game.render(position, Style { color, kanji });
                    assert!(!text.trim().is_empty() && !text.ends_with('\n'));
                    assert!(color || !text.contains('\x1b'), "no colour was asked for");
                }
            });
        }
    }
    every_game(Draw);
}

#[test]
fn arbitrary_text_is_no_panic() {
    #[derive(Clone, Copy)]
    struct Arbitrary;
    impl Check for Arbitrary {
        fn check<G: Game>(self, game: &G) {
            let start = game.start();
            let text = prop_oneof![".*", "\\PC{0,40}", "[a-zA-Z0-9/+* -]{0,60}", "[a-i1-9+*=PRNBQKLSG]{1,7}"];
            proptest_cases(400, &text, |text: String| read(game, &start, &text));
            for text in ["", " ", "moves", " moves", "startpos moves moves", "-", "\0", "9".repeat(100_000).as_str()] {
                read(game, &start, text);
            }
        }
    }
    every_game(Arbitrary);
}

#[test]
fn damaged_notation_is_no_panic() {
    #[derive(Clone, Copy)]
    struct Damaged;
    impl Check for Damaged {
        fn check<G: Game>(self, game: &G) {
            proptest_cases(400, &(any::<u64>(), 0_usize..100), |(seed, plies)| {
                let mut random = Stream::new(seed, "damage", 0);
                let position = reach(game, plies, &mut random);
                let text = damage(&game.format_position(&position), &mut random);
                read(game, &position, &text);
                for mv in legal(&position).into_iter().take(5) {
                    let text = damage(&position.format_move(mv), &mut random);
                    read(game, &position, &text);
                }
            });
        }
    }
    every_game(Damaged);
}

/// Reads text as everything that it might be. What is accepted must be sound.
fn read<G: Game>(game: &G, position: &G::Position, text: &str) {
    let one_line = |error: String| {
        assert!(!error.contains('\n') && error.chars().count() < 800, "one short line: {error:?}");
    };
    match position.parse_move(text) {
        Ok(mv) => assert!(legal(position).contains(&mv), "{text:?} is read as {mv:?}, which is not legal"),
        Err(error) => one_line(error.to_string()),
    }
    match game::parse_line(game, text) {
        Ok(read) => sound(game, read),
        Err(error) => one_line(error.to_string()),
    }
}

/// A position that came from odd text is as good as any other.
fn sound<G: Game>(game: &G, mut position: G::Position) {
    round_trip(game, &position);
    let mut random = Stream::new(1, "sound", 0);
    let mut moves = MoveList::new();
    for _ in 0..10 {
        lists_agree(&position);
        game.render(&position, Style::default());
        if position.expand(&mut moves).is_some() {
            break;
        }
        position.play(moves[random.below(moves.len())]);
    }
}

/// The text with a few characters lost, doubled, swapped or replaced.
fn damage(text: &str, random: &mut Stream) -> String {
    const ODD: &[char] = &['0', '1', '5', '9', '+', '*', '-', '/', ' ', 'k', 'K', 'p', 'P', 'w', 'b', 'é', '飛', '\0'];
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(characters.len() + 1);
        match random.below(4) {
            0 if at < characters.len() => drop(characters.remove(at)),
            1 if at < characters.len() => characters.insert(at, characters[at]),
            2 if at < characters.len() => {
                let other = random.below(characters.len());
                characters.swap(at, other);
            }
            _ => characters.insert(at, ODD[random.below(ODD.len())]),
        }
    }
    characters.into_iter().collect()
}
