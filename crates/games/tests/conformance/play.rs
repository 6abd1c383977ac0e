//! Whole games: they end, they are recorded, bots play them.

use crate::support::{Check, every_game, every_position, legal, proptest_cases, snapshot};
use proptest::prelude::*;
use tesuji_core::record::Played;
use tesuji_core::{Game, GameRecord, Move, MoveList, Position, Stream, game};

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
    let unknown = (0..=u32::MAX)
        .rev()
        .find(|&bits| <G::Position as Position>::Move::from_bits(bits).is_none_or(|mv| !legal(&start).contains(&mv)));
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
