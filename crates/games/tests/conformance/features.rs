//! Sparse inputs: in range, each once, and what a move changes is what differs.

use crate::support::{Check, child, every_game, every_position, legal};
use std::collections::{BTreeSet, HashSet};
use tesuji_core::{AnyGame, Encoders, FeatureChanges, Features, Game, Position, Side};

#[test]
fn every_game_has_features_with_names_and_sizes() {
    #[derive(Clone, Copy)]
    struct Names;
    impl Check for Names {
        fn check<G: Game>(self, game: &G) {
            let all = Encoders::features(game);
            let names: HashSet<&str> = all.iter().map(|features| features.name()).collect();
            assert!(!all.is_empty() && names.len() == all.len(), "features have names of their own");
            for (features, info) in all.iter().zip(AnyGame::features(game)) {
                assert!((1..=features.inputs()).contains(&features.most_active()), "{}", features.name());
                assert!((1..=features.inputs()).contains(&features.shared_inputs()), "{}", features.name());
                let shared: BTreeSet<u32> = info.shared.iter().copied().collect();
                assert_eq!(shared, (0..features.shared_inputs() as u32).collect(), "{}", features.name());
                assert_eq!(info.shared.len(), features.inputs());
            }
            assert!(all[0].accepts(&game.start()));
        }
    }
    every_game(Names);
}

#[test]
fn inputs_are_in_range_each_once_and_moves_change_what_differs() {
    #[derive(Clone, Copy)]
    struct Active;
    impl Check for Active {
        fn check<G: Game>(self, game: &G) {
            let all = Encoders::features(game);
            every_position(game, 48, |position, random| {
                for features in all.iter().filter(|features| features.accepts(position)) {
                    for side in Side::BOTH {
                        let before = active(&**features, position, side);
                        if position.outcome().is_some() {
                            continue;
                        }
                        let moves = legal(position);
                        for _ in 0..4 {
                            let after = child(position, moves[random.below(moves.len())]);
                            changed(&**features, (position, &before), &after, side);
                        }
                    }
                }
            });
        }
    }
    every_game(Active);
}

/// The inputs that a side sees.
fn active<P: Position>(features: &dyn Features<P>, position: &P, side: Side) -> BTreeSet<u32> {
    // Whatever was in the buffer before does not show.
    let mut out = vec![7; 3];
    features.active(position, side, &mut out);
    let set: BTreeSet<u32> = out.iter().copied().collect();
    let name = features.name();
    assert_eq!(set.len(), out.len(), "{name}: each input once");
    assert!(out.len() <= features.most_active(), "{name}: {} inputs are active", out.len());
    assert!(set.last().is_none_or(|&last| (last as usize) < features.inputs()), "{name}: {set:?}");
    set
}

fn changed<P: Position>(features: &dyn Features<P>, before: (&P, &BTreeSet<u32>), after: &P, side: Side) {
    let now = active(features, after, side);
    let mut changes = FeatureChanges::default();
    if features.changes(before.0, after, side, &mut changes) {
        let mut updated = before.1.clone();
        for input in &changes.removed {
            assert!(updated.remove(input), "{}: {input} was not active", features.name());
        }
        for &input in &changes.added {
            assert!(updated.insert(input), "{}: {input} was active", features.name());
        }
        assert_eq!(updated, now, "{}: changed and started anew", features.name());
    }
}

/// Chess and shogi keep their inputs up to date: most moves change a few of them.
#[test]
fn most_moves_of_large_games_are_changes() {
    #[derive(Clone, Copy)]
    struct Quick;
    impl Check for Quick {
        fn check<G: Game>(self, game: &G) {
            if !["chess", "shogi", "minishogi"].contains(&game.name()) {
                return;
            }
            let features = Encoders::features(game).remove(0);
            let start = game.start();
            let (mut moves, mut quick) = (0, 0);
            for mv in legal(&start) {
                for side in Side::BOTH {
                    let mut changes = FeatureChanges::default();
                    moves += 1;
                    quick += usize::from(features.changes(&start, &child(&start, mv), side, &mut changes));
                    assert!(changes.removed.len() + changes.added.len() <= 4);
                }
            }
            assert!(2 * quick > moves, "{quick} of {moves}");
        }
    }
    every_game(Quick);
}
