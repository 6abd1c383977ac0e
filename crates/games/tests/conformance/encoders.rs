//! Encoders: planes that are written in full, policy indices that tell moves apart.

use crate::support::{Check, every_game, every_position, legal};
use std::collections::HashSet;
use tesuji_core::{Encoder, Game, Position};

#[test]
fn encoders_have_names_and_sizes() {
    #[derive(Clone, Copy)]
    struct Names;
    impl Check for Names {
        fn check<G: Game>(self, game: &G) {
            let encoders = game.encoders();
            let names: HashSet<&str> = encoders.iter().map(|encoder| encoder.name()).collect();
            assert!(!encoders.is_empty() && names.len() == encoders.len(), "encoders have names of their own");
            for encoder in &encoders {
                assert!(!encoder.shape().is_empty() && encoder.policy_len() > 0, "{}", encoder.name());
                assert!(encoder.accepts(&game.start()), "{}", encoder.name());
                if let Some(planes) = encoder.policy_planes() {
                    let board = encoder.shape().height * encoder.shape().width;
                    let rest = encoder.policy_len().checked_sub(planes * board);
                    assert!(planes > 0 && rest.is_some_and(|rest| rest < board), "{}", encoder.name());
                }
            }
        }
    }
    every_game(Names);
}

#[test]
fn planes_are_written_in_full() {
    #[derive(Clone, Copy)]
    struct Planes;
    impl Check for Planes {
        fn check<G: Game>(self, game: &G) {
            let encoders = game.encoders();
            every_position(game, 32, |position, _| {
                if position.outcome().is_none() {
                    for encoder in encoders.iter().filter(|encoder| encoder.accepts(position)) {
                        written_in_full(&**encoder, position);
                    }
                }
            });
        }
    }
    every_game(Planes);
}

fn written_in_full<P: Position>(encoder: &dyn Encoder<P>, position: &P) {
    let name = encoder.name();
    assert!((1..=encoder.most_views()).contains(&encoder.views(position)), "{name}");
    for view in 0..encoder.views(position) {
        let mut planes = vec![f32::NAN; encoder.shape().len()];
        encoder.encode(position, view, &mut planes);
        let odd = planes.iter().position(|number| !number.is_finite());
        assert_eq!(odd, None, "{name}: a number that was not written, or is not finite");
        let mut again = vec![7.0; planes.len()];
        encoder.encode(position, view, &mut again);
        assert_eq!(again, planes, "{name}: what was in the buffer before does not show");
    }
}

#[test]
fn policy_indices_tell_moves_apart() {
    #[derive(Clone, Copy)]
    struct Indices;
    impl Check for Indices {
        fn check<G: Game>(self, game: &G) {
            let encoders = game.encoders();
            every_position(game, 48, |position, _| {
                if position.outcome().is_some() {
                    return;
                }
                for encoder in encoders.iter().filter(|encoder| encoder.accepts(position)) {
                    let name = encoder.name();
                    let mut seen = HashSet::new();
                    for mv in legal(position) {
                        let (view, index) = encoder.index(position, mv);
                        assert!(view < encoder.views(position), "{name}: {mv:?} in view {view}");
                        assert!(index < encoder.policy_len(), "{name}: {mv:?} at index {index}");
                        assert!(seen.insert((view, index)), "{name}: {mv:?} shares view {view}, index {index}");
                    }
                }
            });
        }
    }
    every_game(Indices);
}
