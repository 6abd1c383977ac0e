//! Alpha-beta has the score of plain minimax, on every registered game.

use tesuji_core::{Game, MoveList, Position, Rules, Stream};
use tesuji_games::{Visitor, names, visit};
use tesuji_search::alphabeta::{AlphaBeta, Options};
use tesuji_search::minimax::Minimax;

/// Positions for each game, rules and depth; a position of a wide game is searched less deep.
const POSITIONS: u64 = 60;
/// Leaves of plain minimax that one comparison may cost.
const LEAVES: f64 = 3_000.0;

/// A position of a random game, which may have ended.
fn random_position<G: Game>(game: &G, random: &mut Stream) -> G::Position {
    let mut position = game.varied_start(random);
    let mut moves = MoveList::new();
    for _ in 0..random.below(60) {
        let before = position.clone();
        position.moves(&mut moves);
        if moves.is_empty() {
            return position;
        }
        position.play(moves[random.below(moves.len())]);
        // Most positions should still have something to search.
        if position.outcome().is_some() && random.below(8) > 0 {
            return before;
        }
    }
    position
}

struct SameScore;

impl Visitor for SameScore {
    type Output = ();

    fn visit<G: Game>(self, game: G) {
        let options = Options { quiescence: 0, table: 1 << 20 };
        let mut kept = AlphaBeta::new(game.clone(), options);
        let mut bare = AlphaBeta::new(game.clone(), Options { table: 0, ..options });
        let mut minimax = Minimax::new(game.clone(), 1);
        for index in 0..POSITIONS {
            let position = random_position(&game, &mut Stream::new(1, game.name(), index));
            let mut moves = MoveList::new();
            position.moves(&mut moves);
            let branching = moves.len().max(2) as f64;
            for depth in 1..=6 {
                if branching.powi(depth) > LEAVES && depth > 1 {
                    break;
                }
                let depth = depth as u32;
                let expected = minimax.score(&position, depth);
                let place = || format!("{} depth {depth}: {}", game.name(), game.format_position(&position));
                assert_eq!(bare.score(&position, depth), expected, "{}", place());
                // The table outlives positions and depths, as it does in a game.
                assert_eq!(kept.score(&position, depth), expected, "with a table: {}", place());
            }
        }
    }
}

#[test]
fn alphabeta_is_minimax_everywhere() {
    for rules in Rules::ALL {
        for &name in names() {
            visit(name, rules, SameScore).unwrap();
        }
    }
}
