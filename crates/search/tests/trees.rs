//! What the Monte-Carlo tree promises: proofs, bounds, repeatability.

use tesuji_core::{
    Budget, Evaluation, Evaluator, Game, Leaf, MoveList, Outcome, Position, Quiet, Rules, Search, Side, Stream, Value,
};
use tesuji_games::connect4::Connect4;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::{Visitor, names, visit};
use tesuji_search::heuristic::Heuristic;
use tesuji_search::mcts::{
    FinalMove, FirstPlay, Mcts, MctsOptions, Noise, RootMove, RootOptions, Selection, Tree, TreeOptions, Widening,
};
use tesuji_search::rollout::{Playout, Rollouts};

/// The true result for the first player, by looking at everything.
fn solve<P: Position>(position: &P) -> i32 {
    let mut moves = MoveList::new();
    match position.expand(&mut moves) {
        Some(Outcome::Win(Side::First)) => 1,
        Some(Outcome::Win(Side::Second)) => -1,
        Some(Outcome::Draw) => 0,
        None => {
            let results = moves.into_iter().map(|mv| {
                let mut child = position.clone();
                child.play(mv);
                solve(&child)
            });
            if position.mover() == Side::First { results.max().unwrap() } else { results.min().unwrap() }
        }
    }
}

fn result(outcome: Outcome) -> i32 {
    outcome.value().get() as i32
}

/// A position with `left` moves or fewer to a full board of `full`, whose game goes on.
fn late<G: Game>(game: &G, full: u32, left: u32, random: &mut Stream) -> G::Position {
    let mut moves = MoveList::new();
    loop {
        let mut position = game.start();
        while position.ply() < full - left {
            position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.play(moves[random.below(moves.len())]);
        }
        if position.outcome().is_none() {
            return position;
        }
    }
}

fn rollouts<G: Game>(game: &G, options: MctsOptions, seed: u64) -> Mcts<G::Position, Rollouts<G>> {
    Mcts::new(options, Rollouts::new(game.clone(), Playout::default(), false), seed)
}

/// Every way to grow a tree that could treat proofs differently.
fn growths() -> Vec<MctsOptions> {
    let tree = TreeOptions::default();
    let puct = Selection::Puct { c: 1.5, attack: 0.0, first_play: FirstPlay::Value(0.0) };
    [
        tree,
        TreeOptions { expand_after: 0, ..tree },
        TreeOptions { selection: Selection::Tuned { urgency: 1.0 }, killers: true, history: 0.5, ..tree },
        TreeOptions { selection: puct, expand_after: 0, ..tree },
        TreeOptions { widening: Some(Widening { factor: 1.0, exponent: 0.4 }), expand_after: 0, ..tree },
    ]
    .into_iter()
    .flat_map(|tree| {
        let root = RootOptions { noise: Some(Noise { alpha: 0.5, epsilon: 0.25 }), ..RootOptions::default() };
        let gumbel = RootOptions { gumbel: Some(4), ..RootOptions::default() };
        [
            MctsOptions { tree, ..MctsOptions::default() },
            MctsOptions { tree, root, batch: 8, reuse: false },
            MctsOptions { tree, root: gumbel, batch: 3, reuse: false },
        ]
    })
    .collect()
}

fn proofs_are_right<G: Game>(game: &G, full: u32, left: u32, positions: u64) {
    for options in growths() {
        for index in 0..positions {
            let position = late(game, full, left, &mut Stream::new(2, "late", index));
            let truth = solve(&position);
            let found = rollouts(game, options, index).search(&position, &Budget::simulations(20_000), &mut Quiet);
            let place = || format!("{options:?}: {}", game.format_position(&position));
            // So few moves are left that the search must come to the end.
            assert_eq!(found.proof.map(result), Some(truth), "{}", place());
            let mut child = position.clone();
            child.play(found.best);
            assert_eq!(solve(&child), truth, "a worse move: {}", place());
            assert!((found.policy.iter().map(|(_, p)| p).sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
}

#[test]
fn proofs_are_right_in_tictactoe() {
    proofs_are_right(&TicTacToe::new(Rules::Official), 9, 7, 12);
}

#[test]
fn proofs_are_right_in_late_connect_four() {
    proofs_are_right(&Connect4::new(Rules::Official), 42, 10, 12);
}

/// The true result, if it takes no more than `nodes` positions to see.
fn solve_within<P: Position>(position: &P, nodes: &mut u32) -> Option<i32> {
    *nodes = nodes.checked_sub(1)?;
    let mut moves = MoveList::new();
    if let Some(outcome) = position.expand(&mut moves) {
        return Some(result(outcome));
    }
    let (first, mut best) = (position.mover() == Side::First, None);
    for mv in moves {
        let mut child = position.clone();
        child.play(mv);
        let value = solve_within(&child, nodes)?;
        best = Some(best.map_or(value, |best: i32| if first { best.max(value) } else { best.min(value) }));
    }
    best
}

struct EndsOfGames;

impl Visitor for EndsOfGames {
    type Output = u32;

    /// Looks at the last positions of random games, as far back as everything can be looked at.
    fn visit<G: Game>(self, game: G) -> u32 {
        let mut proved = 0;
        for index in 0..16 {
            let mut random = Stream::new(4, game.name(), index);
            let mut line = vec![game.varied_start(&mut random)];
            let mut moves = MoveList::new();
            while line[line.len() - 1].expand(&mut moves).is_none() {
                let mut next = line[line.len() - 1].clone();
                next.play(moves[random.below(moves.len())]);
                line.push(next);
            }
            for position in line.iter().rev().skip(1) {
                let Some(truth) = solve_within(position, &mut 3_000) else { break };
                let tree = TreeOptions { expand_after: u32::from(index % 2 == 0), ..TreeOptions::default() };
                let options = MctsOptions { tree, batch: 1 + index as usize, ..MctsOptions::default() };
                let found = rollouts(&game, options, index).search(position, &Budget::simulations(3_000), &mut Quiet);
                if let Some(outcome) = found.proof {
                    assert_eq!(result(outcome), truth, "{}: {}", game.name(), game.format_position(position));
                    proved += 1;
                }
            }
        }
        proved
    }
}

#[test]
fn proofs_are_right_at_the_end_of_every_game() {
    // Games with many moves seldom end in a position that can be solved by trying everything: the others make up for it.
    let proofs = |rules| names().iter().map(move |&name| visit(name, rules, EndsOfGames).unwrap()).sum::<u32>();
    for rules in Rules::ALL {
        let proved = proofs(rules);
        assert!(proved >= 50, "only {proved} proofs");
    }
}

#[test]
fn unfinished_searches_claim_nothing_false() {
    let game = TicTacToe::new(Rules::Official);
    let mut proved = 0;
    for index in 0..400 {
        let position = late(&game, 9, 3 + index as u32 % 7, &mut Stream::new(3, "late", index));
        let found = rollouts(&game, MctsOptions::default(), index).search(
            &position,
            &Budget::simulations(5 + index % 200),
            &mut Quiet,
        );
        if let Some(outcome) = found.proof {
            proved += 1;
            assert_eq!(result(outcome), solve(&position), "{}", game.format_position(&position));
            assert_eq!(found.value, outcome.value());
        }
    }
    assert!(proved > 50, "only {proved} proofs: the test shows nothing");
}

#[test]
fn tictactoe_is_a_draw() {
    let game = TicTacToe::new(Rules::Official);
    let found =
        rollouts(&game, MctsOptions::default(), 1).search(&game.start(), &Budget::simulations(200_000), &mut Quiet);
    assert_eq!(found.proof, Some(Outcome::Draw));
}

#[test]
fn the_solver_can_be_off() {
    let game = TicTacToe::new(Rules::Official);
    let tree = TreeOptions { solver: false, ..TreeOptions::default() };
    let options = MctsOptions { tree, ..MctsOptions::default() };
    let position = game.parse_position("a1 a2 b1 b2").unwrap();
    let found = rollouts(&game, options, 1).search(&position, &Budget::simulations(500), &mut Quiet);
    assert_eq!((found.proof, found.simulations), (None, 500));
    assert_eq!(position.format_move(found.best), "c1");
}

#[test]
fn memory_is_bounded() {
    let game = Connect4::new(Rules::Official);
    for expand_after in [0, 1, 11] {
        let tree = TreeOptions { node_limit: 1000, expand_after, ..TreeOptions::default() };
        let mut search = rollouts(&game, MctsOptions { tree, ..MctsOptions::default() }, 1);
        let found = search.search(&game.start(), &Budget::simulations(20_000), &mut Quiet);
        assert_eq!(found.simulations, 20_000);
        assert!((950..=1000).contains(&found.nodes), "{} nodes", found.nodes);
    }
    // Too little for even the root's children.
    let tree = TreeOptions { node_limit: 3, ..TreeOptions::default() };
    let mut search = rollouts(&game, MctsOptions { tree, ..MctsOptions::default() }, 1);
    assert_eq!(search.search(&game.start(), &Budget::simulations(50), &mut Quiet).nodes, 1);
}

/// Values and priors that depend on the position alone.
struct Hashed;

impl<P: Position> Evaluator<P> for Hashed {
    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        for (leaf, out) in leaves.iter().zip(out) {
            let mut random = Stream::new(leaf.position.key(), "hashed", 0);
            out.value = Value::new(random.unit() as f32 * 2.0 - 1.0);
            out.priors = leaf.moves.iter().map(|_| random.unit() as f32).collect();
            let total: f32 = out.priors.iter().sum();
            out.priors.iter_mut().for_each(|prior| *prior /= total);
        }
    }
}

fn puct() -> TreeOptions {
    let selection = Selection::Puct { c: 1.5, attack: 0.0, first_play: FirstPlay::Value(0.0) };
    TreeOptions { selection, expand_after: 0, ..TreeOptions::default() }
}

#[test]
fn batches_leave_no_virtual_loss_behind() {
    let game = Connect4::new(Rules::Official);
    let mut tree = Tree::new(&game.start(), puct(), RootOptions::default());
    tree.begin(&game.start(), 1000, Stream::new(1, "test", 0));
    let mut evaluations = vec![Evaluation::default(); 32];
    let mut full = 0;
    while tree.simulations() < 1000 {
        let waiting = tree.gather(32, 1000 - tree.simulations());
        full += u32::from(waiting == 32);
        let leaves: Vec<Leaf<'_, _>> = tree.leaves().collect();
        let keys: std::collections::BTreeSet<Vec<u32>> = leaves.iter().map(|leaf| vec![leaf.position.ply()]).collect();
        assert!(!keys.is_empty());
        Hashed.evaluate(&leaves, &mut evaluations[..waiting]);
        tree.apply(&evaluations);
    }
    assert!(full > 15, "only {full} full batches");
    // A mean outside of -1..=1 or a share that does not add up would betray a loss that was not taken back.
    assert!(tree.value().get().abs() < 1.0);
    let visits: f32 = tree.policy().iter().map(|(_, share)| share * 999.0).sum();
    assert!((visits - 999.0).abs() < 0.01);
    assert_eq!(tree.root_moves().map(|child| u64::from(child.visits)).sum::<u64>(), 999);
}

#[test]
fn many_trees_share_a_batch_and_do_not_notice() {
    let game = Connect4::new(Rules::Official);
    let starts: Vec<_> = (0..4).map(|index| late(&game, 42, 38, &mut Stream::new(9, "start", index))).collect();
    let new_tree = |index: usize| {
        let mut tree = Tree::new(&starts[index], puct(), RootOptions::default());
        tree.begin(&starts[index], 300, Stream::new(1, "tree", index as u64));
        tree
    };
    let alone: Vec<_> = (0..4)
        .map(|index| {
            let mut tree = new_tree(index);
            let mut evaluations = vec![Evaluation::default(); 4];
            while tree.simulations() < 300 && tree.proof().is_none() {
                let waiting = tree.gather(4, 300 - tree.simulations());
                let leaves: Vec<Leaf<'_, _>> = tree.leaves().collect();
                Hashed.evaluate(&leaves, &mut evaluations[..waiting]);
                tree.apply(&evaluations);
            }
            tree.policy()
        })
        .collect();
    let mut trees: Vec<_> = (0..4).map(new_tree).collect();
    let mut evaluations = vec![Evaluation::default(); 16];
    while trees.iter().any(|tree| tree.simulations() < 300 && tree.proof().is_none()) {
        let counts: Vec<usize> = trees.iter_mut().map(|tree| tree.gather(4, 300 - tree.simulations())).collect();
        let leaves: Vec<Leaf<'_, _>> = trees.iter().flat_map(Tree::leaves).collect();
        Hashed.evaluate(&leaves, &mut evaluations[..leaves.len()]);
        let mut from = 0;
        for (tree, count) in trees.iter_mut().zip(counts) {
            tree.apply(&evaluations[from..from + count]);
            from += count;
        }
    }
    assert_eq!(trees.iter().map(Tree::policy).collect::<Vec<_>>(), alone);
}

#[test]
fn what_is_below_the_played_moves_is_kept() {
    let game = Connect4::new(Rules::Official);
    let options = MctsOptions { reuse: true, ..MctsOptions::default() };
    let mut search = rollouts(&game, options, 1);
    let mut position = game.start();
    let found = search.search(&position, &Budget::simulations(5_000), &mut Quiet);
    let visits =
        |search: &Mcts<_, _>, mv| search.tree().unwrap().root_moves().find(|child| child.mv == mv).unwrap().visits;
    let kept = visits(&search, found.best);
    search.advance(found.best);
    position.play(found.best);
    let again = search.search(&position, &Budget::simulations(100), &mut Quiet);
    let total: u32 = search.tree().unwrap().root_moves().map(|child| child.visits).sum();
    assert!(total >= kept + 99, "{total} visits after {kept}");
    assert!(again.nodes > 500);
    // Another position, of which it was told nothing, starts afresh.
    let mut other = game.start();
    other.play(found.best);
    other.play(again.best);
    assert!(search.search(&other, &Budget::simulations(100), &mut Quiet).nodes < 800);
}

#[test]
fn equal_seeds_search_equally() {
    let game = Connect4::new(Rules::Official);
    for options in growths() {
        let search = |seed| {
            let found = rollouts(&game, options, seed).search(&game.start(), &Budget::simulations(300), &mut Quiet);
            (found.best, found.policy, found.value, found.nodes, found.line)
        };
        assert_eq!(search(5), search(5));
        assert_ne!(search(5).1, search(6).1);
    }
}

#[test]
fn final_moves_follow_their_rule() {
    let game = Connect4::new(Rules::Official);
    let position = game.parse_position("d d d c").unwrap();
    let run = |final_move| {
        let root = RootOptions { final_move, ..RootOptions::default() };
        let tree = TreeOptions { solver: false, ..TreeOptions::default() };
        let mut search = rollouts(&game, MctsOptions { tree, root, ..MctsOptions::default() }, 3);
        let found = search.search(&position, &Budget::simulations(400), &mut Quiet);
        let children: Vec<_> = search.tree().unwrap().root_moves().collect();
        (found, children)
    };
    let sign = position.mover().sign();
    let best_by = |children: &[RootMove<_>], score: &dyn Fn(u32, f32) -> f32| {
        let score = |child: &RootMove<_>| score(child.visits, child.mean);
        children.iter().max_by(|a, b| score(a).total_cmp(&score(b))).unwrap().mv
    };
    let (found, children) = run(FinalMove::Max);
    assert_eq!(found.best, best_by(&children, &|_, mean| sign * mean));
    let (found, children) = run(FinalMove::Robust);
    assert_eq!(found.best, best_by(&children, &|visits, _| visits as f32));
    let (found, children) = run(FinalMove::Secure(4.0));
    assert_eq!(found.best, best_by(&children, &|visits, mean| sign * mean - 4.0 / (visits as f32).sqrt()));
    let (found, children) = run(FinalMove::RobustMax);
    assert!((400..=800).contains(&found.simulations));
    if found.simulations < 800 {
        assert_eq!(found.best, best_by(&children, &|_, mean| sign * mean));
    }
    assert_eq!(found.best, best_by(&children, &|visits, _| visits as f32));
}

#[test]
fn the_helping_opponent_is_a_flaw() {
    // The first player threatens c1 and must see that the second one takes it; a helping opponent does not.
    let game = TicTacToe::new(Rules::Official);
    let position = game.parse_position("a1 b2").unwrap();
    let value = |opponent_helps| {
        let tree = TreeOptions { opponent_helps, solver: false, ..TreeOptions::default() };
        let options = MctsOptions { tree, ..MctsOptions::default() };
        rollouts(&game, options, 1).search(&position, &Budget::simulations(4_000), &mut Quiet).value.get()
    };
    assert!(value(true) > value(false) + 0.3);
}

#[test]
fn heuristic_leaves_need_no_playouts() {
    let game = Connect4::new(Rules::Official);
    let options = MctsOptions { tree: puct(), ..MctsOptions::default() };
    let mut search = Mcts::new(options, Heuristic::new(game), 1);
    let position = game.parse_position("d a d a d").unwrap();
    let found = search.search(&position, &Budget::simulations(500), &mut Quiet);
    // The only move that does not lose at once.
    assert_eq!(position.format_move(found.best), "d");
}
