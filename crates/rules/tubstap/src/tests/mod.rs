//! Tests of TUBSTAP: rules, files and notation, and what is built on them.

mod agents;
mod files;
mod rules;

use super::generate::{Recipe, generate};
use super::*;
use tesuji_core::{GameRules, Heuristics, MoveList, Position, Render, RuleBot, Rules, Stream};

/// A battle in position notation, under the given rules.
fn battle(rules: Rules, text: &str) -> Battle {
    Tubstap::new(rules).parse_position(text).unwrap()
}

/// Plays moves in notation, each of which must be legal.
fn play(battle: &mut Battle, moves: &str) {
    for text in moves.split_whitespace() {
        let action = battle.parse_move(text).unwrap();
        battle.play(action);
    }
}

/// Some random maps of all kinds, small and large.
fn random_battles(rules: Rules, number: u64) -> impl Iterator<Item = Battle> {
    (0..number).map(move |seed| {
        let recipe = match seed % 4 {
            0 => Recipe::Paper,
            1 => Recipe::General(Some((6, 6))),
            2 => Recipe::General(Some((8, 8))),
            _ => Recipe::General(None),
        };
        generate(recipe, &mut Stream::new(seed, "test map", 0)).battle(EndRules::of(rules)).unwrap()
    })
}

/// Calls `visit` with every position of a random game, the last included.
fn random_game(mut battle: Battle, seed: u64, mut visit: impl FnMut(&Battle, &[Action])) {
    let mut random = Stream::new(seed, "test game", 0);
    let mut moves = MoveList::new();
    loop {
        let outcome = battle.expand(&mut moves);
        visit(&battle, &moves);
        if outcome.is_some() {
            return;
        }
        battle.play(moves[random.below(moves.len())]);
    }
}
