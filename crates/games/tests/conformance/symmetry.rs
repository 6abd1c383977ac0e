//! Symmetries map games to games.

use crate::support::{Check, child, every_game, every_position, legal, snapshot};
use tesuji_core::{Game, Position};

#[test]
fn symmetries_map_games_to_games() {
    #[derive(Clone, Copy)]
    struct Symmetry;
    impl Check for Symmetry {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 32, |position, _| {
                assert!(position.symmetries() >= 1, "the identity is a symmetry");
                assert_eq!(
                    snapshot(game, &position.transform(0)),
                    snapshot(game, position),
                    "number 0 is the identity"
                );
                for symmetry in 0..position.symmetries() {
                    maps_to_the_like(game, position, symmetry);
                }
            });
        }
    }
    every_game(Symmetry);
}

fn maps_to_the_like<G: Game>(game: &G, position: &G::Position, symmetry: usize) {
    let image = position.transform(symmetry);
    assert_eq!(image.mover(), position.mover());
    assert_eq!(image.ply(), position.ply());
    assert_eq!(image.outcome(), position.outcome());
    assert_eq!(game.heuristic(&image), game.heuristic(position), "symmetry {symmetry}");
    assert_eq!(image.symmetries(), position.symmetries());

    let moves = legal(position);
    let mut mapped: Vec<_> = moves.iter().map(|&mv| position.transform_move(symmetry, mv)).collect();
    mapped.sort_unstable();
    let mut expected = legal(&image);
    expected.sort_unstable();
    assert_eq!(mapped, expected, "symmetry {symmetry} maps the moves one to one");
    for mv in moves {
        let played = child(position, mv).transform(symmetry);
        let mapped = child(&image, position.transform_move(symmetry, mv));
        assert_eq!(snapshot(game, &played), snapshot(game, &mapped), "symmetry {symmetry}, {mv:?}");
    }
    let back = (0..image.symmetries()).any(|inverse| image.transform(inverse).key() == position.key());
    assert!(back, "symmetry {symmetry} has an inverse");
}
