//! Whole games: they end, they are recorded, bots play them.

use crate::moves::lists_agree;
use crate::support::{Check, child, every_game, every_position, legal, proptest_cases, snapshot};
use proptest::prelude::*;
use std::collections::HashMap;
use tesuji_core::record::Played;
use tesuji_core::{Game, GameRecord, Move, MoveList, MoveOf, Position, Stream, game};

/// Far more than random games of any registered game take.
const LONGEST_GAME: usize = 50_000;

#[test]
fn games_end_and_are_replayed_from_records() {
    #[derive(Clone, Copy)]
    struct Record;
    impl Check for Record {
        fn check<G: Game>(self, game: &G) {
            proptest_cases(8, &any::<u64>(), |seed| recorded(game, seed));
        }
    }
    every_game(Record);
}

fn recorded<G: Game>(game: &G, seed: u64) {
    let mut random = Stream::new(seed, "record", 0);
    let mut position = game.varied_start(&mut random);
    let start = game.format_position(&position);
    let mut record = GameRecord::new(game.name(), game.rules(), game.rules_version(), &start);
    let mut moves = MoveList::new();
    let mut keys = Vec::new();
    while position.expand(&mut moves).is_none() {
        assert!(record.moves.len() < LONGEST_GAME, "a game that does not end");
        let mv = moves[random.below(moves.len())];
        record.push(mv);
        keys.push(position.key());
        position.play(mv);
    }
    record.outcome = position.outcome();
    record.ending = position.ending().to_owned();

    let bytes = record.to_bytes();
    let (read, rest) = GameRecord::read(&bytes).expect("a record that was just written");
    assert!(rest.is_empty());
    assert_eq!(read, record);
    let mut replayed_keys = Vec::new();
    let start = game::parse_line(game, &read.start).expect("the start of a record is in the game's notation");
    let last = read.replay(start.clone(), |position, _, _| replayed_keys.push(position.key())).expect("legal moves");
    assert_eq!(replayed_keys, keys);
    assert_eq!(snapshot(game, &last), snapshot(game, &position));

    // Nothing is played after the end, and no illegal move anywhere.
    let mut longer = record.clone();
    longer.moves.extend(record.moves.first().cloned());
    assert!(longer.replay(start.clone(), |_, _, _| ()).is_err());
    let unknown =
        (0..=u32::MAX).rev().find(|&bits| MoveOf::<G>::from_bits(bits).is_none_or(|mv| !legal(&start).contains(&mv)));
    let mut illegal = record;
    illegal.moves.insert(0, Played { bits: unknown.expect("not every number is legal"), thought: None });
    assert!(illegal.replay(start, |_, _, _| ()).is_err());
}

#[test]
fn bots_play_legal_moves() {
    #[derive(Clone, Copy)]
    struct Bot;
    impl Check for Bot {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 24, |position, random| {
                if position.outcome().is_none() {
                    let moves = legal(position);
                    let mut same = random.clone();
                    let mv = game.bot_move(position, &moves, random);
                    assert!(moves.contains(&mv), "{mv:?}");
                    assert_eq!(game.bot_move(position, &moves, &mut same), mv, "the same stream, the same move");
                }
            });
        }
    }
    every_game(Bot);
}

#[test]
fn playouts_play_on_to_the_end_or_the_limit() {
    #[derive(Clone, Copy)]
    struct Playout;
    impl Check for Playout {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 32, |position, random| {
                let limit = random.below(100) as u32;
                let (mut played, mut again) = (position.clone(), position.clone());
                let outcome = again.playout(&mut random.clone(), limit);
                assert_eq!(played.playout(random, limit), outcome, "the same stream, the same moves");
                assert_eq!(snapshot(game, &played), snapshot(game, &again));
                assert_eq!(played.outcome(), outcome);
                let plies = played.ply() - position.ply();
                assert!(plies <= limit && (plies == limit || outcome.is_some()), "{plies} of {limit}");
                lists_agree(&played);
                if outcome.is_none() {
                    assert!(played.playout(random, u32::MAX).is_some(), "games end");
                }
            });
        }
    }
    every_game(Playout);
}

#[test]
fn playouts_draw_every_move_equally_often() {
    #[derive(Clone, Copy)]
    struct Uniform;
    impl Check for Uniform {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 6, |position, random| {
                if position.outcome().is_some() {
                    return;
                }
                const EXPECTED: f64 = 30.0;
                let moves = legal(position);
                // Two moves may lead to one position: the key stands for both.
                let mut places: HashMap<u64, (f64, f64)> = HashMap::new();
                for &mv in &moves {
                    places.entry(child(position, mv).key()).or_default().0 += EXPECTED;
                }
                for _ in 0..moves.len() * EXPECTED as usize {
                    let mut played = position.clone();
                    played.playout(random, 1);
                    places.get_mut(&played.key()).expect("a legal move").1 += 1.0;
                }
                let chi: f64 = places.values().map(|(expected, count)| (count - expected).powi(2) / expected).sum();
                let freedom = places.len() as f64;
                assert!(chi < freedom + 6.0 * (2.0 * freedom).sqrt(), "chi-squared {chi}, freedom {freedom}");
            });
        }
    }
    every_game(Uniform);
}
