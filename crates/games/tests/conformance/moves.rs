//! Moves: listing, counting, playing, refusing.

use crate::support::{Check, child, every_game, every_position, legal, reach, snapshot};
use std::collections::HashMap;
use tesuji_core::{Game, Move, MoveList, MoveOf, Outcome, Position, Side, Stream, game};

#[test]
fn lists_outcomes_and_counts_agree() {
    #[derive(Clone, Copy)]
    struct Agree;
    impl Check for Agree {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 48, |position, _| lists_agree(position));
        }
    }
    every_game(Agree);
}

/// The different ways to ask a position for its moves give one answer.
pub fn lists_agree<P: Position>(position: &P) {
    let moves = legal(position);
    let mut sorted = moves.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), moves.len(), "legal moves are distinct");
    // A buffer with something in it: lists replace, they do not append.
    let mut out = moves.clone();
    position.movements(&mut out);
    assert_eq!(out, moves, "the order of the list is fixed");
    assert_eq!(position.count_movements(), moves.len(), "count_movements");

    let outcome = position.outcome();
    let mut expanded = moves.clone();
    assert_eq!(position.expand(&mut expanded), outcome, "expand and outcome");
    let mut playable = moves.clone();
    position.moves(&mut playable);
    match outcome {
        Some(_) => {
            assert!(expanded.is_empty() && playable.is_empty(), "a game that is over has no moves to play");
            assert!(!position.ending().is_empty(), "a game that is over says why");
        }
        None => {
            assert!(!moves.is_empty(), "a game that goes on has moves");
            assert_eq!((&expanded, &playable), (&moves, &moves), "expand, moves and movements");
            assert_eq!(position.ending(), "", "a game that goes on has no ending");
        }
    }
    for &mv in &moves {
        assert_eq!(P::Move::from_bits(mv.to_bits()), Some(mv), "numeric form");
        assert_eq!(position.is_legal(mv), outcome.is_none(), "is_legal({mv:?})");
    }
}

#[test]
fn playing_moves_the_game_on() {
    #[derive(Clone, Copy)]
    struct Play;
    impl Check for Play {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 24, |position, _| {
                let board = game.render(position, Default::default());
                for mv in legal(position) {
                    let child = child(position, mv);
                    assert_eq!(child.ply(), position.ply() + 1, "{mv:?}");
                    if game.render(&child, Default::default()) != board {
                        assert_ne!(child.key(), position.key(), "{mv:?} changes the board, so it changes the key");
                    }
                }
            });
        }
    }
    every_game(Play);
}

#[test]
fn checks_are_the_moves_that_give_check() {
    #[derive(Clone, Copy)]
    struct Checks;
    impl Check for Checks {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 48, |position, _| {
                let mut checks = legal(position);
                position.checks(&mut checks);
                checks.sort_unstable();
                let mut expected = legal(position);
                expected.retain(|&mv| child(position, mv).in_check());
                expected.sort_unstable();
                assert_eq!(checks, expected);
            });
        }
    }
    every_game(Checks);
}

#[test]
fn illegal_moves_are_refused_and_change_nothing() {
    #[derive(Clone, Copy)]
    struct Refuse;
    impl Check for Refuse {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 24, |position, random| {
                let before = snapshot(game, position);
                let playable = if before.outcome.is_none() { legal(position) } else { MoveList::new() };
                let mut candidates = legal(position);
                candidates.extend(legal(&reach(game, 40, random)));
                let bits = (0..64).map(|n| random.next_u64() as u32 >> (n % 32));
                candidates.extend(bits.filter_map(MoveOf::<G>::from_bits));
                for mv in candidates {
                    let mut target = position.clone();
                    let played = target.try_play(mv);
                    assert_eq!(played.is_ok(), playable.contains(&mv), "{mv:?}");
                    if played.is_err() {
                        assert_eq!(snapshot(game, &target), before, "a refused {mv:?} changes nothing");
                    }
                }
            });
        }
    }
    every_game(Refuse);
}

#[test]
fn copies_are_equal_and_independent() {
    #[derive(Clone, Copy)]
    struct Copies;
    impl Check for Copies {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 24, |position, random| {
                let before = snapshot(game, position);
                let mut cloned = position.clone();
                let mut overwritten = reach(game, 50, random);
                overwritten.clone_from(position);
                let mut scratch = reach(game, 50, random);
                assert_eq!(snapshot(game, &cloned), before, "clone");
                assert_eq!(snapshot(game, &overwritten), before, "clone_from");
                // Histories are copied too: the copies go on alike, repetitions and all.
                let mut moves = MoveList::new();
                for _ in 0..40 {
                    if cloned.expand(&mut moves).is_some() {
                        break;
                    }
                    let mv = moves[random.below(moves.len())];
                    scratch.become_after(&cloned, mv);
                    cloned.play(mv);
                    overwritten.play(mv);
                    assert_eq!(snapshot(game, &overwritten), snapshot(game, &cloned));
                    assert_eq!(snapshot(game, &scratch), snapshot(game, &cloned), "become_after");
                    assert_eq!(scratch.repetition(100), cloned.repetition(100), "become_after copies the past");
                }
                assert_eq!(snapshot(game, position), before, "playing on a copy leaves the original alone");
            });
        }
    }
    every_game(Copies);
}

#[test]
fn equal_keys_mean_equal_moves() {
    #[derive(Clone, Copy)]
    struct Keys;
    impl Check for Keys {
        fn check<G: Game>(self, game: &G) {
            let mut seen: HashMap<u64, (Side, Vec<String>)> = HashMap::new();
            let mut moves = MoveList::new();
            for number in 0..30 {
                let mut random = Stream::new(1, "keys", number);
                let mut position = game.start();
                for _ in 0..60 {
                    let known = (position.mover(), game::sorted_moves(&position));
                    let first = seen.entry(position.key()).or_insert_with(|| known.clone());
                    assert_eq!(*first, known, "key {:016x}, {}", position.key(), game.format_position(&position));
                    if position.expand(&mut moves).is_some() {
                        break;
                    }
                    position.play(moves[random.below(moves.len())]);
                }
            }
        }
    }
    every_game(Keys);
}

#[test]
fn the_heuristic_tells_winners_from_losers() {
    #[derive(Clone, Copy)]
    struct Sign;
    impl Check for Sign {
        fn check<G: Game>(self, game: &G) {
            // Random games: where the first player will win, the mean of the heuristic must be greater.
            let mut moves = MoveList::new();
            let (mut sums, mut counts) = ([0.0_f64; 2], [0_u32; 2]);
            for number in 0.. {
                if number >= 300 && counts.iter().all(|&count| count >= 10) {
                    break;
                }
                assert!(number < 3000, "too few games are won to tell: {counts:?} of {number}");
                let mut random = Stream::new(1, "heuristic", number);
                let mut position = game.start();
                let mut judgements = Vec::new();
                let outcome = loop {
                    if let Some(outcome) = position.expand(&mut moves) {
                        break outcome;
                    }
                    judgements.push(f64::from(game.heuristic(&position) as f32 / game.heuristic_scale()).tanh());
                    position.play(moves[random.below(moves.len())]);
                };
                if let Outcome::Win(side) = outcome {
                    let late = &judgements[judgements.len() / 2..];
                    sums[side.index()] += late.iter().sum::<f64>() / late.len().max(1) as f64;
                    counts[side.index()] += 1;
                }
            }
            let [first, second] = [0, 1].map(|side| sums[side] / f64::from(counts[side]));
            assert!(first > second, "first wins at {first:+.3}, second at {second:+.3}, games {counts:?}");
        }
    }
    every_game(Sign);
}
