//! Selective alpha-beta: minimax when everything is switched off, right about wins, careful with repetitions.
//!
//! `TESUJI_EXACT_POSITIONS=2000 cargo test --release -p tesuji-search --test searches selective` looks at more positions.

use std::time::Duration;
use tesuji_core::perft::perft;
use tesuji_core::{
    Budget, Focus, Found, Game, GameRules, MoveList, MoveOf, Outcome, Position, Quiet, Rules, Search, Side, Stream,
    game,
};
use tesuji_games::chess::Chess;
use tesuji_games::connect4::Connect4;
use tesuji_games::shogi::Minishogi;
use tesuji_games::tubstap::Tubstap;
use tesuji_games::{Visitor, names, visit};
use tesuji_search::alphabeta::{AlphaBeta, AlphaBetaConfig};
use tesuji_search::minimax::Minimax;
use tesuji_search::score::{self, WIN};
use tesuji_search::selective::{Feature, Features, Params, SelectiveConfig};
use tesuji_search::{Selective, classical};

/// Leaves of plain minimax that one comparison may cost.
const LEAVES: u64 = 2_000;

fn count(usual: u64) -> u64 {
    std::env::var("TESUJI_EXACT_POSITIONS").map_or(usual, |text| text.parse().expect("a number of positions"))
}

/// A position of a random game that has not ended.
fn random_position<G: Game>(game: &G, random: &mut Stream) -> G::Position {
    let mut position = game.varied_start(random);
    let mut moves = MoveList::new();
    for _ in 0..random.below(60) {
        let before = position.clone();
        position.moves(&mut moves);
        position.play(moves[random.below(moves.len())]);
        if position.outcome().is_some() {
            return before;
        }
    }
    position
}

fn selective<G: Game>(game: &G, on: Features, table: usize) -> Selective<G> {
    let params = Params { on, ..Params::of(game.name()) };
    Selective::by_heuristic(game.clone(), SelectiveConfig { table, threads: 1, params })
}

struct SameScore;

impl Visitor for SameScore {
    /// Comparisons at depth 2 and beyond.
    type Output = u64;

    fn visit<G: Game>(self, game: G) -> u64 {
        let mut compared = 0;
        let mut bare = selective(&game, Features::NONE, 0);
        let mut kept = selective(&game, Features::NONE, 1 << 20);
        // What only changes the order of things, or finds the same sooner, changes no score.
        let harmless =
            [Feature::Aspiration, Feature::Killers, Feature::Follow, Feature::MateDistance, Feature::WinInOne];
        let on = harmless.into_iter().fold(Features::NONE, Features::with);
        let mut quick = selective(&game, on, 1 << 20);
        let mut minimax = Minimax::new(game.clone(), 1);
        for index in 0..count(25) {
            let position = random_position(&game, &mut Stream::new(2, game.name(), index));
            for depth in 1..=6 {
                if depth > 1 && perft(&position, depth) > LEAVES {
                    break;
                }
                let expected = minimax.score(&position, depth);
                let place = || format!("{} depth {depth}: {}", game.name(), game.format_position(&position));
                let budget = Budget::depth(depth);
                assert_eq!(bare.score(&position, &budget), expected, "{}", place());
                assert_eq!(kept.score(&position, &budget), expected, "with a table: {}", place());
                assert_eq!(quick.score(&position, &budget), expected, "with harmless features: {}", place());
                compared += u64::from(depth > 1);
            }
        }
        compared
    }
}

#[test]
fn without_its_features_it_is_minimax() {
    for rules in Rules::ALL {
        for &name in names() {
            let compared = visit(name, rules, SameScore).unwrap();
            assert!(compared >= 4, "{name} ({rules}) was hardly looked at: {compared}");
        }
    }
}

/// Searches random positions and hands over what is found.
fn searched<G: Game>(game: &G, positions: u64, budget: &Budget, mut look: impl FnMut(&G::Position, Found<MoveOf<G>>)) {
    let mut search = Selective::by_heuristic(game.clone(), SelectiveConfig::of(game));
    for index in 0..positions {
        let mut position = random_position(game, &mut Stream::new(3, game.name(), index));
        // A few moves of the game, with what the search has learned from the ones before.
        for _ in 0..3 {
            let found = search.search(&position, budget, &mut Quiet);
            let best = found.best;
            look(&position, found);
            position.play(best);
            if position.outcome().is_some() {
                break;
            }
        }
    }
}

struct Proofs;

impl Visitor for Proofs {
    /// Proofs that were confirmed.
    type Output = u64;

    fn visit<G: Game>(self, game: G) -> u64 {
        let mut confirmed = 0;
        let mut exact = AlphaBeta::new(game.clone(), AlphaBetaConfig { table: 1 << 20, quiescence: 0 });
        let mut search = Selective::by_heuristic(game.clone(), SelectiveConfig::of(&game));
        for index in 0..count(120) {
            let position = random_position(&game, &mut Stream::new(3, game.name(), index));
            let found = search.score(&position, &Budget::nodes(1_000));
            let plies = (WIN - found.abs()) as u32;
            if score::decided(found).is_some() && plies <= 5 && perft(&position, plies.min(3)) < 100_000 {
                // A search of everything that far has to find it too.
                let expected = exact.score(&position, plies);
                let place = || format!("{}: {} in {plies}", game.name(), game.format_position(&position));
                assert_eq!(score::decided(expected), score::decided(found), "{}", place());
                confirmed += 1;
            }
        }
        confirmed
    }
}

#[test]
fn what_it_calls_won_is_won() {
    let mut confirmed = Vec::new();
    for rules in Rules::ALL {
        for &name in names() {
            confirmed.push((name, visit(name, rules, Proofs).unwrap()));
        }
    }
    let total: u64 = confirmed.iter().map(|(_, confirmed)| confirmed).sum();
    assert!(total > 100, "{confirmed:?}");
    assert!(confirmed.iter().filter(|(_, confirmed)| *confirmed > 0).count() >= 8, "{confirmed:?}");
}

struct Lines;

impl Visitor for Lines {
    type Output = ();

    fn visit<G: Game>(self, game: G) {
        let mut bytes = [Vec::new(), Vec::new()];
        for run in &mut bytes {
            searched(&game, 8, &Budget::nodes(2_000), |position, found| {
                let mut along = position.clone();
                for &mv in &found.line {
                    assert!(along.is_legal(mv), "{}: {:?}", game.format_position(position), found.line);
                    along.play(mv);
                }
                assert_eq!(found.line[0], found.best);
                assert!(found.nodes <= 2_000 || found.depth == 1, "{}", found.nodes);
                run.push((found.nodes, found.evaluations, found.line, found.value.get().to_bits()));
            });
        }
        assert_eq!(bytes[0], bytes[1], "the same search finds the same");
    }
}

#[test]
fn lines_are_legal_and_searches_repeat() {
    for &name in names() {
        visit(name, Rules::Official, Lines).unwrap();
    }
}

fn best<G: Game>(game: &G, line: &str, budget: Budget) -> (String, Found<MoveOf<G>>) {
    let position = game::parse_line(game, line).unwrap();
    let found = Selective::by_heuristic(game.clone(), SelectiveConfig::of(game)).search(&position, &budget, &mut Quiet);
    (position.format_move(found.best), found)
}

#[test]
fn mates_are_found() {
    let chess = Chess::new(Rules::Official);
    // Mates in 2, 3 and 4 moves, of which the first and the third begin with a sacrifice.
    for (fen, plies) in [
        ("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", 1),
        ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 0", 3),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 5),
    ] {
        let (_, found) = best(&chess, fen, Budget::depth(9));
        assert_eq!(found.proof, Some(Outcome::Win(Side::First)), "{fen}");
        assert_eq!(found.line.len(), plies, "{fen}: {:?}", found.line);
    }
    let minishogi = Minishogi::new(Rules::Official);
    let (_, found) = best(&minishogi, "4k/5/4P/5/K4 b 2G 1", Budget::depth(7));
    assert_eq!((found.proof, found.line.len()), (Some(Outcome::Win(Side::First)), 1));
    let connect4 = Connect4::new(Rules::Official);
    let (text, found) = best(&connect4, "d d e d", Budget::depth(8));
    assert_eq!(found.proof, Some(Outcome::Win(Side::First)), "{text}: an open pair on the ground wins");
}

#[test]
fn a_side_may_move_twice() {
    // Every unit of red can act before blue does. Searching to the end of red's turn, exact and selective search see the
    // same material in the end.
    let game = Tubstap::new(Rules::Official);
    let mut compared = 0;
    for index in 0..count(60) {
        let position = random_position(&game, &mut Stream::new(5, "double", index));
        let mut twice = position.clone();
        let mut moves = MoveList::new();
        position.moves(&mut moves);
        twice.play(moves[0]);
        if twice.mover() != position.mover() || perft(&position, 2) > 60_000 {
            continue;
        }
        let on = Features::ALL.less(Features::NONE.with(Feature::Quiesce));
        let on = [Feature::Count, Feature::Futility, Feature::Reverse, Feature::Exchange, Feature::Razor, Feature::Bad]
            .into_iter()
            .fold(on, Features::without);
        // Late moves at depth 2 are reduced to depth 1 and searched again if they are good.
        let expected = Minimax::new(game, 2).score(&position, 2);
        let found = selective(&game, on, 1 << 20).score(&position, &Budget::depth(2));
        assert_eq!(found, expected, "{}", game.format_position(&position));
        compared += 1;
    }
    assert!(compared >= 4, "{compared}");
}

#[test]
fn repetition_saves_a_lost_game() {
    let game = Chess::new(Rules::Official);
    // White is a rook down, but the queen checks for ever on e8 and h5.
    let (mv, found) = best(&game, "6k1/6p1/8/7Q/8/8/qr4PP/7K w - - 0 1", Budget::depth(8));
    assert_eq!(mv, "h5e8");
    assert_eq!(found.value.get(), 0.0, "perpetual check is a draw: {:?}", found.line);
}

#[test]
fn scores_that_rest_on_history_stay_out_of_the_table() {
    let game = Chess::new(Rules::Official);
    // After this the position has occurred twice, and White, a queen up, must not repeat it a third time. A search from
    // the same board without a past finds no draw, although the table has seen the other one before.
    let past = "startpos moves e2e4 d7d5 e4d5 d8d5 b1c3 d5e5 f1e2 e5e2 g1e2 g8f6 e2g1 f6g8 g1e2 g8f6 e2g1 f6g8";
    let with_past = game::parse_line(&game, past).unwrap();
    let fresh = game.parse_position(&game.format_position(&with_past)).unwrap();
    let config = SelectiveConfig::of(&game);
    let mut search = Selective::by_heuristic(game, config);
    let budget = Budget::depth(6);
    search.score(&with_past, &budget);
    let after = search.score(&fresh, &budget);
    let alone = Selective::by_heuristic(game, config).score(&fresh, &budget);
    assert!(after > 300 && alone > 300, "{after} {alone}");
    // One move before the third occurrence: playing it is a draw, and that draw is not remembered.
    let drawn = game::parse_line(&game, &format!("{past} g1f3 g8h6 f3g1")).unwrap();
    let mut search = Selective::by_heuristic(game, config);
    let black = search.search(&drawn, &Budget::depth(5), &mut Quiet);
    assert_eq!((drawn.format_move(black.best).as_str(), black.value.get()), ("h6g8", 0.0), "Black takes the draw");
    let fresh = game.parse_position(&game.format_position(&drawn)).unwrap();
    assert!(search.score(&fresh, &Budget::depth(5)) > 300);
}

#[test]
fn going_round_loses_for_the_first_player_of_minishogi() {
    // By the rules the first player loses a fourfold repetition: both sides value a return so, at once.
    let game = Minishogi::new(Rules::Official);
    let position = game::parse_line(&game, "startpos moves 1e1d 5a5b 1d1e").unwrap();
    let mut search = Selective::by_heuristic(game, SelectiveConfig::of(&game));
    search.focus(&Focus { only: vec![position.parse_move("5b5a").unwrap()], lines: 1 });
    // The return is to a position before the root, so it does not count yet.
    let found = search.search(&position, &Budget::depth(4), &mut Quiet);
    assert_eq!(found.proof, None);
    assert!(found.value.get().abs() < 0.9, "{}", found.value.get());
    // Going round once below the root is worth a game to the second player, but it is not called a proof.
    let score = search.score(&position, &Budget::depth(6));
    assert!(score.abs() < WIN / 2, "{score}");
}

#[test]
fn budgets_are_kept_and_time_is_used() {
    let game = Chess::new(Rules::Official);
    let run = |budget: Budget| {
        let start = std::time::Instant::now();
        let found =
            Selective::by_heuristic(game, SelectiveConfig::of(&game)).search(&game.start(), &budget, &mut Quiet);
        (found, start.elapsed())
    };
    let (found, _) = run(Budget::nodes(5_000));
    assert!((4_000..=5_000).contains(&found.nodes), "{}", found.nodes);
    assert_eq!(run(Budget::depth(3)).0.depth, 3);
    assert!(run(Budget::time(Duration::ZERO)).0.depth == 1);
    // The whole time is used; how much more than that it takes is up to the machine.
    let (_, elapsed) = run(Budget::time(Duration::from_millis(40)));
    assert!(elapsed >= Duration::from_millis(40), "{elapsed:?}");
}

#[test]
fn several_lines_and_some_moves_only() {
    let game = Chess::new(Rules::Official);
    let position = game.start();
    let mut search = Selective::by_heuristic(game, SelectiveConfig::of(&game));
    let only: Vec<_> = ["a2a3", "h2h3", "e2e4"].iter().map(|text| position.parse_move(text).unwrap()).collect();
    search.focus(&Focus { only: only.clone(), lines: 3 });
    struct Others(Vec<u32>);
    impl tesuji_core::Report<MoveOf<Chess>> for Others {
        fn others(&mut self, lines: &[tesuji_core::Line<MoveOf<Chess>>]) {
            self.0 = lines.iter().map(|line| tesuji_core::Move::to_bits(line.line[0])).collect();
        }
    }
    let mut others = Others(Vec::new());
    let found = search.search(&position, &Budget::depth(4), &mut others);
    let mut all: Vec<u32> = others.0.into_iter().chain([tesuji_core::Move::to_bits(found.best)]).collect();
    let mut expected: Vec<u32> = only.into_iter().map(tesuji_core::Move::to_bits).collect();
    all.sort_unstable();
    expected.sort_unstable();
    assert_eq!(all, expected);
}

#[test]
fn threads_search_together() {
    let game = Minishogi::new(Rules::Official);
    let config = SelectiveConfig { threads: 3, ..SelectiveConfig::of(&game) };
    let mut search = Selective::by_heuristic(game, config);
    for line in ["startpos", "startpos moves 5d5c"] {
        let position = game::parse_line(&game, line).unwrap();
        let found = search.search(&position, &Budget::nodes(3_000), &mut Quiet);
        let alone = Selective::by_heuristic(game, SelectiveConfig::of(&game)).search(
            &position,
            &Budget::nodes(3_000),
            &mut Quiet,
        );
        assert!(position.is_legal(found.best));
        assert!(found.nodes > alone.nodes, "the others' nodes count as well: {} {}", found.nodes, alone.nodes);
    }
}

#[test]
fn bad_options_are_refused_in_one_line() {
    let game = Chess::new(Rules::Official);
    for (line, reason) in [
        ("alphabeta:threads=0", "expected a whole number from 1 to 256"),
        ("alphabeta:threads=1000", "expected a whole number from 1 to 256"),
        ("alphabeta:off=nothing", "expected none, all, or some of"),
        ("alphabeta:pure,off=null", "needs pure=off"),
        ("alphabeta:pure,threads=2", "needs pure=off"),
        ("alphabeta:eval=net:x", "needs pure"),
        ("alphabeta:hash=100000", "to 65536"),
    ] {
        let problem = match classical::search(&game, line, 1) {
            Ok(_) => panic!("{line} was taken"),
            Err(problem) => problem.to_string(),
        };
        assert!(problem.contains(reason) && !problem.contains('\n'), "{line}: {problem}");
    }
}

#[test]
fn a_soft_limit_ends_a_search_between_iterations() {
    let game = Chess::new(Rules::Official);
    let mut search = Selective::by_heuristic(game, SelectiveConfig::of(&game));
    // An hour is left: only the soft limit can end these.
    let hour = Budget::time(Duration::from_secs(3600));
    let soon = Budget { soft: Some(Duration::from_nanos(1)), ..hour };
    let found = search.search(&game.start(), &soon, &mut Quiet);
    assert_eq!(found.depth, 1);
    // The only legal move needs no thought, however much time there is.
    let forced = game.parse_position("7k/8/6R1/8/8/8/8/K7 b - - 0 1").unwrap();
    let found = search.search(&forced, &Budget { soft: hour.time, ..hour }, &mut Quiet);
    assert_eq!((found.depth, found.best.to_string().as_str()), (1, "h8h7"));
}
