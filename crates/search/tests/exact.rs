//! Alpha-beta has the score of plain minimax, on every registered game.
//!
//! `TESUJI_EXACT_POSITIONS=2000 cargo test --release -p tesuji-search --test exact -- --nocapture` looks at more positions,
//! deeper, and says how many it compared.

use tesuji_core::perft::perft;
use tesuji_core::{Budget, Game, GameRules, MoveList, Outcome, Position, Quiet, Rules, Search, Side, Stream};
use tesuji_games::chess::Chess;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::{Visitor, names, visit};
use tesuji_search::alphabeta::{AlphaBeta, AlphaBetaConfig};
use tesuji_search::minimax::Minimax;

/// Positions for each game and rules.
const POSITIONS: u64 = 40;
/// Leaves of plain minimax that one comparison may cost: wide games are searched less deep. The second number is for runs
/// with a number of positions of their own.
const LEAVES: [u64; 2] = [2_000, 20_000];
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
    /// Comparisons at each depth from 1 on.
    type Output = [u64; DEEPEST as usize];

    fn visit<G: Game>(self, game: G) -> [u64; DEEPEST as usize] {
        let mut compared = [0; DEEPEST as usize];
        let options = AlphaBetaConfig { quiescence: 0, table: 1 << 20 };
        let mut kept = AlphaBeta::new(game.clone(), options);
        let mut bare = AlphaBeta::new(game.clone(), AlphaBetaConfig { table: 0, ..options });
        let mut minimax = Minimax::new(game.clone(), 1);
        let (positions, leaves) = match std::env::var("TESUJI_EXACT_POSITIONS") {
            Ok(text) => (text.parse().expect("TESUJI_EXACT_POSITIONS is a number"), LEAVES[1]),
            Err(_) => (POSITIONS, LEAVES[0]),
        };
        for index in 0..positions {
            let position = random_position(&game, &mut Stream::new(1, game.name(), index));
            for depth in 1..=DEEPEST {
                if depth > 1 && perft(&position, depth) > leaves {
                    break;
                }
                let expected = minimax.score(&position, depth);
                let place = || format!("{} depth {depth}: {}", game.name(), game.format_position(&position));
                assert_eq!(bare.score(&position, depth), expected, "{}", place());
                // The table outlives positions and depths, as it does in a game.
                assert_eq!(kept.score(&position, depth), expected, "with a table: {}", place());
                compared[depth as usize - 1] += 1;
            }
        }
        compared
    }
}

#[test]
fn alphabeta_is_minimax_everywhere() {
    for rules in Rules::ALL {
        for &name in names() {
            let compared = visit(name, rules, SameScore).unwrap();
            println!("{name} ({rules}): compared at depths 1 to {DEEPEST}: {compared:?}");
            assert!(compared[1] >= compared[0] / 8, "{name} ({rules}) was hardly looked at: {compared:?}");
        }
    }
}

#[test]
fn quiescence_sees_the_recapture() {
    let game = Chess::new(Rules::Official);
    // The pawn on d5 is guarded: at depth 1 only quiescence sees that taking it costs the queen.
    let position = game.parse_position("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1").unwrap();
    let best = |quiescence| {
        let mut search = AlphaBeta::new(game, AlphaBetaConfig { quiescence, table: 0 });
        position.format_move(search.search(&position, &Budget::depth(1), &mut Quiet).best)
    };
    assert_eq!(best(0), "d2d5");
    assert_ne!(best(4), "d2d5");
}

#[test]
fn nearer_wins_and_farther_losses_count_for_more() {
    let game = TicTacToe::new(Rules::Official);
    let search = |line: &str| {
        let position = tesuji_core::game::parse_line(&game, line).unwrap();
        let found = AlphaBeta::new(game, AlphaBetaConfig::default()).search(&position, &Budget::depth(9), &mut Quiet);
        (position.format_move(found.best), found.proof, found.line.len())
    };
    // Two ways to win, one of them at once.
    assert_eq!(search("a1 a2 b1 b2"), ("c1".into(), Some(Outcome::Win(Side::First)), 1));
    // Lost whatever is played, but c1 takes three plies.
    assert_eq!(search("a1 a2 b2 c3 b1"), ("c1".into(), Some(Outcome::Win(Side::First)), 2));
    assert_eq!(search("startpos").1, Some(Outcome::Draw));
}

#[test]
fn budgets_are_kept() {
    let game = Chess::new(Rules::Official);
    let run =
        |budget: Budget| AlphaBeta::new(game, AlphaBetaConfig::default()).search(&game.start(), &budget, &mut Quiet);
    let found = run(Budget::nodes(5_000));
    assert!((5_000..7_000).contains(&found.nodes), "{}", found.nodes);
    assert_eq!(run(Budget::depth(2)).depth, 2);
    assert!(run(Budget::time(std::time::Duration::ZERO)).nodes < 2_000);
    let mut minimax = Minimax::new(game, 4);
    assert!(minimax.search(&game.start(), &Budget::nodes(300), &mut Quiet).nodes < 310);
}
