//! What selective search asks of positions, against what playing the moves shows.

use crate::moves::lists_agree;
use crate::support::{Check, child, every_game, every_position, legal};
use tesuji_core::{Game, MoveList, Outcome, Position};

#[test]
fn hooks_say_what_playing_shows() {
    #[derive(Clone, Copy)]
    struct Hooks;
    impl Check for Hooks {
        fn check<G: Game>(self, game: &G) {
            every_position(game, 48, |position, _| {
                if let Some(quick) = position.quick_outcome() {
                    assert_eq!(position.outcome(), Some(quick), "the quick outcome is the outcome");
                }
                if position.outcome().is_none() {
                    moves_are_told_apart(position);
                    wins_are_wins(game, position);
                    threats_are_threats(game, position);
                    passes_give_the_turn_away(position);
                }
            });
        }
    }
    every_game(Hooks);
}

fn moves_are_told_apart<P: Position>(position: &P) {
    let mut noisy = MoveList::new();
    position.noisy(&mut noisy);
    let mut expected = legal(position);
    for &mv in &expected {
        let name = position.format_move(mv);
        assert_eq!(position.gives_check(mv), child(position, mv).in_check(), "{name} gives check");
        assert!(position.row(mv) < P::ROWS, "{name} has row {} of {}", position.row(mv), P::ROWS);
        if !position.is_noisy(mv) && !position.is_attack(mv) {
            assert!(position.exchange(mv) <= position.gain(mv), "{name} wins by being taken");
        }
    }
    expected.retain(|&mv| position.is_noisy(mv));
    noisy.sort_unstable();
    expected.sort_unstable();
    assert_eq!(noisy, expected);
}

/// The games that find every win in one move.
const LOOKING: [&str; 4] = ["bingo3d", "connect4", "minishogi", "shogi"];

fn wins_are_wins<G: Game>(game: &G, position: &G::Position) {
    let win = Some(Outcome::Win(position.mover()));
    let wins = |mv| {
        let child = child(position, mv);
        child.outcome() == win && !child.ended_by_history()
    };
    match position.win_in_one() {
        Some(mv) => assert!(legal(position).contains(&mv) && wins(mv), "{}", position.format_move(mv)),
        None if LOOKING.contains(&game.name()) => assert!(!legal(position).into_iter().any(wins), "there is a win"),
        None => {}
    }
}

fn threats_are_threats<G: Game>(game: &G, position: &G::Position) {
    if position.in_check() {
        assert!(position.threatened());
        return;
    }
    if !["bingo3d", "connect4"].contains(&game.name()) {
        assert!(!position.threatened());
        return;
    }
    // Something else is played, and the opponent completes a line where it could have before.
    let moves = legal(position);
    let win = Some(Outcome::Win(position.mover().other()));
    let threat = moves.iter().any(|&mv| {
        let after = child(position, mv);
        after.outcome().is_none() && moves.iter().any(|&reply| reply != mv && child(&after, reply).outcome() == win)
    });
    let forced = moves.iter().any(|&mv| child(position, mv).outcome().is_some());
    assert!(position.threatened() == threat || moves.len() == 1 || forced, "{}", game.format_position(position));
}

fn passes_give_the_turn_away<P: Position>(position: &P) {
    let mut after = position.clone();
    if after.pass() {
        assert_eq!(after.mover(), position.mover().other());
        assert!(!after.in_check());
        assert_ne!(after.key(), position.key());
        lists_agree(&after);
    } else {
        assert_eq!((after.mover(), after.key(), after.ply()), (position.mover(), position.key(), position.ply()));
    }
}
