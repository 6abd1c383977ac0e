//! What self-play asks of a tree: root options that change from move to move, forced playouts, proofs from outside, a
//! bounded memory, and searches that keep their tree from move to move.

use crate::common::{Hashed, puct, solve};
use tesuji_core::{
    Budget, Evaluation, Evaluator, GameRules, Leaf, MoveList, Outcome, Position, Quiet, Rules, Search, Side, Stream,
};
use tesuji_games::connect4::Connect4;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_search::mcts::{Mcts, MctsOptions, Noise, RootOptions, Tree, TreeOptions};

const NOISY: RootOptions = RootOptions { noise: Some(Noise { alpha: 0.5, epsilon: 0.25 }), ..quiet() };

const fn quiet() -> RootOptions {
    RootOptions {
        noise: None,
        gumbel: None,
        final_move: tesuji_search::mcts::FinalMove::Robust,
        temperature: tesuji_search::mcts::Temperature::NONE,
        forced: 0.0,
    }
}

/// Simulates, up to `batch` leaves at a time.
fn simulate<P: Position>(tree: &mut Tree<P>, simulations: u64, batch: usize) {
    let mut evaluations = vec![Evaluation::default(); batch];
    let end = tree.simulations() + simulations;
    while tree.simulations() < end && tree.proof().is_none() {
        let waiting = tree.gather(batch, end - tree.simulations());
        let leaves: Vec<Leaf<'_, P>> = tree.leaves().collect();
        Hashed.evaluate(&leaves, &mut evaluations[..waiting]);
        tree.apply(&evaluations);
    }
}

fn after<P: Position>(position: &P, mv: P::Move) -> P {
    let mut next = position.clone();
    next.play(mv);
    next
}

/// A move that wins, by looking at everything: the mate solver of these tests.
fn winning_move<P: Position>(position: &P) -> Option<P::Move> {
    let mut moves = MoveList::new();
    position.moves(&mut moves);
    let wanted = position.mover().sign() as i32;
    moves.into_iter().find(|&mv| solve(&after(position, mv)) == wanted)
}

#[test]
fn each_search_has_its_own_root_options() {
    let game = Connect4::new(Rules::Official);
    let mut tree = Tree::new(&game.start(), puct(), NOISY);
    let mut position = game.start();
    let mut clean = Tree::new(&position, puct(), quiet());
    for ply in 0..4_u64 {
        let quick = ply % 2 == 1;
        tree.set_root_options(if quick { quiet() } else { NOISY });
        let simulations = if quick { 20 } else { 200 };
        tree.begin(&position, simulations, Stream::new(1, "test", ply));
        assert_eq!(tree.planned(), simulations);
        simulate(&mut tree, simulations, 4);
        clean.begin(&position, 1, Stream::new(1, "test", ply));
        simulate(&mut clean, 1, 1);
        // Noise, and only noise, moves the priors from where the evaluator put them.
        let prior = |tree: &Tree<_>, mv| tree.root_moves().find(|child| child.mv == mv).unwrap().prior;
        let moved = clean.root_moves().any(|child| child.prior != prior(&tree, child.mv));
        assert_eq!(moved, !quick, "ply {ply}");
        let mv = tree.found().best;
        position.play(mv);
        tree.advance(mv);
    }
}

#[test]
fn forced_visits_are_made_and_left_out_of_the_policy() {
    let game = Connect4::new(Rules::Official);
    let grow = |forced: f32| {
        let root = RootOptions { forced, ..NOISY };
        let mut tree = Tree::new(&game.start(), puct(), root);
        tree.begin(&game.start(), 800, Stream::new(3, "test", 0));
        simulate(&mut tree, 800, 1);
        tree
    };
    let (free, forced) = (grow(0.0), grow(2.0));
    let visits = |tree: &Tree<_>| tree.root_moves().map(|child| child.visits).collect::<Vec<_>>();
    let fewest = |tree: &Tree<_>| visits(tree).into_iter().filter(|&visits| visits > 0).min().unwrap();
    for child in forced.root_moves().filter(|child| child.visits > 0) {
        let due = (2.0 * child.prior * 799.0).sqrt();
        assert!(child.visits as f32 >= due - 1.0, "{} visits, {due} due", child.visits);
    }
    assert!(fewest(&forced) > 2 * fewest(&free), "{} and {}", fewest(&forced), fewest(&free));
    let policy = forced.policy();
    assert!((policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
    let share = |mv| policy.iter().find(|&&(other, _)| other == mv).unwrap().1;
    let total: u32 = visits(&forced).iter().sum();
    let best = forced.root_moves().max_by_key(|child| child.visits).unwrap();
    assert_eq!(best.mv, forced.best());
    assert!(share(best.mv) > best.visits as f32 / total as f32, "nothing was pruned");
    let least = forced.root_moves().min_by(|a, b| a.prior.total_cmp(&b.prior)).unwrap();
    assert!(share(least.mv) < least.visits as f32 / total as f32);
    // Without priors there is nothing to force.
    let mut plain = Tree::new(&game.start(), TreeOptions::default(), RootOptions { forced: 2.0, ..quiet() });
    plain.begin(&game.start(), 100, Stream::new(1, "test", 0));
    simulate(&mut plain, 100, 1);
    let shares: Vec<f32> = plain.policy().iter().map(|&(_, share)| share * 100.0).collect();
    assert!(shares.iter().all(|share| (share - share.round()).abs() < 1e-3), "{shares:?}");
}

#[test]
fn a_mate_at_the_root_ends_the_search() {
    let game = TicTacToe::new(Rules::Official);
    let position = game.parse_position("a1 a2 b1 b2").unwrap();
    let win = position.parse_move("c1").unwrap();
    for (options, before) in [(puct(), 0), (puct(), 2), (TreeOptions::default(), 0), (TreeOptions::default(), 2)] {
        let temperature = tesuji_search::mcts::Temperature { start: 1.0, plies: 100, ..quiet().temperature };
        let mut tree = Tree::new(&position, options, RootOptions { temperature, ..quiet() });
        tree.begin(&position, 100, Stream::new(1, "test", 0));
        simulate(&mut tree, before, 1);
        tree.prove_root(win);
        assert_eq!(tree.gather(8, 100), 0);
        let found = tree.found();
        assert_eq!((found.best, found.proof), (win, Some(Outcome::Win(Side::First))));
        assert_eq!((found.line[0], found.value.get()), (win, 1.0));
        assert!(found.policy.iter().all(|&(mv, share)| share == if mv == win { 1.0 } else { 0.0 }));
        // Another move is played after all: the search goes on as if nothing had been proved.
        let other = position.parse_move("a3").unwrap();
        tree.advance(other);
        let next = after(&position, other);
        tree.begin(&next, 50, Stream::new(1, "test", 1));
        assert!(next.is_legal(tree.best()));
        simulate(&mut tree, 50, 4);
        assert!(next.is_legal(tree.found().best));
        // And so does a new search of a root whose proof was given before its first simulation.
        let mut again = Tree::new(&position, options, quiet());
        again.begin(&position, 100, Stream::new(1, "test", 0));
        again.prove_root(win);
        again.begin(&position, 100, Stream::new(1, "test", 0));
        assert_eq!(again.proof(), None);
    }
}

#[test]
fn mates_at_the_leaves_propagate() {
    let game = Connect4::new(Rules::Official);
    let (mut with, mut without) = (0, 0);
    for index in 0..30 {
        let position = late(&game, 9, &mut Stream::new(6, "late", index));
        let truth = solve(&position);
        let counts = [true, false].map(|solver| {
            let mut tree = Tree::new(&position, puct(), quiet());
            tree.begin(&position, 10_000, Stream::new(1, "test", index));
            let mut evaluations = vec![Evaluation::default(); 4];
            while tree.simulations() < 10_000 && tree.proof().is_none() {
                let waiting = tree.gather(4, 10_000 - tree.simulations());
                let leaves: Vec<Leaf<'_, _>> = tree.leaves().collect();
                Hashed.evaluate(&leaves, &mut evaluations[..waiting]);
                let wins: Vec<_> = leaves.iter().map(|leaf| winning_move(leaf.position)).collect();
                for (leaf, mv) in wins.into_iter().enumerate().filter(|_| solver) {
                    if let Some(mv) = mv {
                        tree.prove_leaf(leaf, mv);
                    }
                }
                tree.apply(&evaluations);
            }
            let found = tree.found();
            assert_eq!(found.proof.map(|outcome| outcome.value().get() as i32), Some(truth));
            assert_eq!(solve(&after(&position, found.best)), truth, "{}", game.format_position(&position));
            found.simulations
        });
        with += counts[0];
        without += counts[1];
    }
    assert!(2 * with < without, "{with} simulations with a solver, {without} without");
}

/// A position of a random game with `left` moves or fewer to a full board.
fn late(game: &Connect4, left: u32, random: &mut Stream) -> <Connect4 as GameRules>::Position {
    let mut moves = MoveList::new();
    loop {
        let mut position = game.start();
        while position.ply() < 42 - left && position.expand(&mut moves).is_none() {
            position.play(moves[random.below(moves.len())]);
        }
        if position.outcome().is_none() {
            return position;
        }
    }
}

#[test]
fn memory_stays_within_its_limit_and_is_given_back() {
    let game = Connect4::new(Rules::Official);
    let options = TreeOptions { node_limit: 3_000, ..puct() };
    let mut tree = Tree::new(&game.start(), options, quiet());
    let mut position = game.start();
    for ply in 0..10 {
        tree.begin(&position, 1_000, Stream::new(1, "test", ply));
        for _ in 0..100 {
            simulate(&mut tree, 10, 4);
            assert!(tree.bytes() <= 3_000 * 32, "{} bytes at ply {ply}", tree.bytes());
        }
        let before = (tree.nodes(), tree.bytes());
        let mv = tree.best();
        position.play(mv);
        tree.advance(mv);
        assert!(tree.nodes() < before.0 && tree.bytes() <= before.1);
        assert!(tree.bytes() <= 2 * 32 * tree.nodes().max(4), "{} bytes for {} nodes", tree.bytes(), tree.nodes());
    }
}

#[test]
fn batches_reuse_and_proofs_go_together() {
    let game = Connect4::new(Rules::Official);
    let options = MctsOptions { tree: puct(), root: NOISY, batch: 8, reuse: true };
    let mut proved = 0;
    for index in 0..24 {
        let mut search = Mcts::new(options, Box::new(Hashed), index);
        let mut position = late(&game, 13, &mut Stream::new(8, "late", index));
        while position.outcome().is_none() {
            let found = search.search(&position, &Budget::simulations(200), &mut Quiet);
            assert!(position.is_legal(found.best), "{}", game.format_position(&position));
            if let Some(outcome) = found.proof {
                proved += 1;
                let truth = solve(&position);
                assert_eq!(outcome.value().get() as i32, truth, "{}", game.format_position(&position));
                assert_eq!(solve(&after(&position, found.best)), truth, "{}", game.format_position(&position));
            }
            search.advance(found.best);
            position.play(found.best);
        }
    }
    assert!(proved > 40, "only {proved} proofs: the test shows nothing");
}
