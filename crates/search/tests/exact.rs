//! Alpha-beta has the score of plain minimax, on every registered game.
//!
//! `TESUJI_EXACT_POSITIONS=2000 cargo test --release -p tesuji-search --test exact` looks at more positions.

use tesuji_core::perft::perft;
use tesuji_core::{Game, MoveList, Position, Rules, Stream};
use tesuji_games::{Visitor, names, visit};
use tesuji_search::alphabeta::{AlphaBeta, Options};
use tesuji_search::minimax::Minimax;

/// Positions for each game and rules.
const POSITIONS: u64 = 40;
/// Leaves of plain minimax that one comparison may cost: wide games are searched less deep.
const LEAVES: u64 = 2_000;
const DEEPEST: u32 = 6;

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
        let positions = std::env::var("TESUJI_EXACT_POSITIONS").map_or(POSITIONS, |text| text.parse().unwrap());
        for index in 0..positions {
            let position = random_position(&game, &mut Stream::new(1, game.name(), index));
            for depth in 1..=DEEPEST {
                if depth > 1 && perft(&position, depth) > LEAVES {
                    break;
                }
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
