//! What the Monte-Carlo tree promises: proofs, bounds, repeatability.

use crate::common::{Hashed, puct, solve};
use tesuji_core::{
    Budget, Evaluation, Evaluator, Game, GameRules, Leaf, Move, MoveError, MoveList, Outcome, Position, Quiet, Rules,
    Search, Side, Stream,
};
use tesuji_games::connect4::Connect4;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::{Visitor, names, visit};
use tesuji_search::heuristic::Heuristic;
use tesuji_search::mcts::{
    FinalMove, Fpu, Mcts, MctsOptions, Noise, RootMove, RootOptions, Selection, Tree, TreeOptions, Widening,
};
use tesuji_search::rollout::{Playout, Rollouts};

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

fn rollouts<G: Game>(game: &G, options: MctsOptions, seed: u64) -> Mcts<G::Position> {
    Mcts::new(options, Box::new(Rollouts::new(game.clone(), Playout::default(), false)), seed)
}

/// Every way to grow a tree that could treat proofs differently.
fn growths() -> Vec<MctsOptions> {
    let tree = TreeOptions::default();
    let puct = Selection::Puct { c: 1.5, attack: 0.0, fpu: Fpu::Value(0.0) };
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

/// The true result for the first player, if `depth` plies are enough to see it. `nodes` is how many positions may be
/// looked at.
fn solve_within<P: Position>(position: &P, depth: u32, nodes: &mut u32) -> Option<i32> {
    *nodes = nodes.checked_sub(1)?;
    if depth == 0 {
        return position.outcome().map(result);
    }
    let mut moves = MoveList::new();
    if let Some(outcome) = position.expand(&mut moves) {
        return Some(result(outcome));
    }
    let sign = position.mover().sign() as i32;
    let (mut best, mut all_known) = (-1, true);
    for mv in moves {
        let mut child = position.clone();
        child.play(mv);
        match solve_within(&child, depth - 1, nodes) {
            // A win is enough; anything less has to be the best of everything.
            Some(value) if sign * value == 1 => return Some(value),
            Some(value) => best = best.max(sign * value),
            None => all_known = false,
        }
    }
    all_known.then_some(sign * best)
}

/// Looks at the last positions of random games, as far back as their results can be seen.
struct EndsOfGames {
    games: u64,
    /// Positions that may be looked at to see a result, and simulations to find it.
    nodes: u32,
}

/// What was found at the ends of games.
#[derive(Debug, Default)]
struct Ends {
    /// Positions whose result is known.
    known: u32,
    /// Those that the side to move wins by force.
    wins: u32,
    /// Those of them in which the first move does not yet end the game.
    deep_wins: u32,
    /// Known results that the search proved.
    proved: u32,
}

impl Visitor for EndsOfGames {
    type Output = Ends;

    fn visit<G: Game>(self, game: G) -> Ends {
        let mut ends = Ends::default();
        for index in 0..self.games {
            let mut random = Stream::new(4, game.name(), index);
            let mut line = vec![game.varied_start(&mut random)];
            let mut moves = MoveList::new();
            while line[line.len() - 1].expand(&mut moves).is_none() {
                let mut next = line[line.len() - 1].clone();
                next.play(moves[random.below(moves.len())]);
                line.push(next);
            }
            for position in line.iter().rev().skip(1).take(5) {
                let solution =
                    (1..=4).find_map(|depth| Some((depth, solve_within(position, depth, &mut { self.nodes })?)));
                let Some((depth, truth)) = solution else { continue };
                let tree = TreeOptions { expand_after: u32::from(index % 2 == 0), ..TreeOptions::default() };
                let options = MctsOptions { tree, batch: 1 + index as usize % 16, ..MctsOptions::default() };
                let found = rollouts(&game, options, index).search(
                    position,
                    &Budget::simulations(4 * u64::from(self.nodes)),
                    &mut Quiet,
                );
                let place = || format!("{}: {}", game.name(), game.format_position(position));
                ends.known += 1;
                if let Some(outcome) = found.proof {
                    assert_eq!(result(outcome), truth, "{}", place());
                    ends.proved += 1;
                }
                if truth == position.mover().sign() as i32 {
                    ends.wins += 1;
                    ends.deep_wins += u32::from(depth > 1);
                    let mut child = position.clone();
                    child.play(found.best);
                    // It may win in another way, too long to see here, if it has proved that.
                    let seen = solve_within(&child, depth, &mut { 8 * self.nodes });
                    let wins = seen.map_or(found.proof.is_some(), |value| value == truth);
                    assert!(wins, "{} does not win: {}", position.format_move(found.best), place());
                }
            }
        }
        ends
    }
}

#[test]
fn forced_wins_at_the_end_of_every_game_are_found() {
    // More with the variable that makes the comparison of alpha-beta with minimax longer.
    let long = std::env::var_os("TESUJI_EXACT_POSITIONS").is_some();
    let (games, nodes) = if long { (50, 20_000) } else { (10, 4_000) };
    for rules in Rules::ALL {
        for &name in names() {
            let ends = visit(name, rules, EndsOfGames { games, nodes }).unwrap();
            println!("{name} ({rules}): {ends:?}");
            assert!(ends.known >= games as u32 / 2 && ends.wins >= 3, "{name} ({rules}): {ends:?}");
            // Every win was found, or the visit would have failed; a proof may take longer than it was given.
            assert!(10 * ends.proved >= 9 * ends.known, "{name} ({rules}): {ends:?}");
        }
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

/// Without the solver a tree that has reached every end of the game finds no leaf any more: the clock still counts.
#[test]
fn a_tree_without_leaves_ends_by_the_clock() {
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let game = TicTacToe::new(Rules::Official);
        let position = game.parse_position("a1 b2 c3 b1 b3 a3 c1").unwrap();
        for batch in [1, 8] {
            let tree = TreeOptions { solver: false, ..TreeOptions::default() };
            let mut search = rollouts(&game, MctsOptions { tree, batch, ..MctsOptions::default() }, 1);
            let budget = Budget { cpu: Some(std::time::Duration::from_millis(20)), ..Budget::UNLIMITED };
            let found = search.search(&position, &budget, &mut Quiet);
            done.send((found.simulations, found.proof)).unwrap();
        }
    });
    for _ in 0..2 {
        let (simulations, proof) = ended.recv_timeout(std::time::Duration::from_secs(60)).expect("the search ends");
        assert!(simulations > 1024 && proof.is_none(), "{simulations} simulations, {proof:?}");
    }
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

/// A game in which nothing ends and no two paths meet: a position is the moves that led to it, so a leaf tells its path.
#[derive(Clone)]
struct Path(Vec<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Step(u32);

impl Move for Step {
    fn to_bits(self) -> u32 {
        self.0
    }

    fn from_bits(bits: u32) -> Option<Step> {
        (bits < 5).then_some(Step(bits))
    }
}

impl Position for Path {
    type Move = Step;

    fn mover(&self) -> Side {
        [Side::First, Side::Second][self.0.len() % 2]
    }

    fn movements(&self, out: &mut MoveList<Step>) {
        out.clear();
        out.extend((0..5).map(Step));
    }

    fn play(&mut self, mv: Step) {
        self.0.push(mv);
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn key(&self) -> u64 {
        self.0.iter().fold(1, |key, step| 5 * key + u64::from(step.0))
    }

    fn ply(&self) -> u32 {
        self.0.len() as u32
    }

    fn format_move(&self, mv: Step) -> String {
        mv.0.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Step, MoveError> {
        let step = text.parse().ok().and_then(Step::from_bits);
        step.ok_or_else(|| MoveError::Illegal { text: text.to_owned() })
    }
}

/// Compares every visit count and mean below a root with those of the values that were given to it.
fn agrees_with(tree: &Tree<Path>, given: &[(Vec<Step>, f32)]) {
    let below = |path: &[Step]| {
        let values = given.iter().filter(|(leaf, _)| leaf.starts_with(path)).map(|&(_, value)| f64::from(value));
        let (visits, sum) = values.fold((0, 0.0), |(visits, sum), value| (visits + 1, sum + value));
        (visits, sum / f64::from(visits.max(1)))
    };
    let near = |a: f32, b: f64| (f64::from(a) - b).abs() < 1e-6;
    let root = &tree.root().0;
    let (visits, mean) = below(root);
    assert!(near(tree.value().get(), mean), "{root:?}: {} is not {mean}", tree.value().get());
    // The first visit was the root's own, as a leaf.
    let policy = tree.policy();
    for child in tree.root_moves() {
        let path = [&root[..], &[child.mv]].concat();
        let expected = below(&path);
        assert_eq!(child.visits, expected.0, "{path:?}");
        assert!(near(child.mean, expected.1), "{path:?}: {} is not {}", child.mean, expected.1);
        let share = policy.iter().find(|(mv, _)| *mv == child.mv).map(|&(_, share)| share);
        let expected_share = f64::from(expected.0) / f64::from((visits - 1).max(1));
        assert!(near(share.unwrap_or(0.0), expected_share), "{path:?}: {share:?} is not {expected_share}");
        if child.visits > 1 {
            let mut subtree = tree.clone();
            subtree.advance(child.mv);
            agrees_with(&subtree, given);
        }
    }
}

#[test]
fn batches_leave_no_virtual_loss_behind() {
    let start = Path(Vec::new());
    let mut tree = Tree::new(&start, puct(), RootOptions::default());
    tree.begin(&start, 1000, Stream::new(1, "test", 0));
    let mut evaluations = vec![Evaluation::default(); 32];
    let mut given: Vec<(Vec<Step>, f32)> = Vec::new();
    let mut full = 0;
    while tree.simulations() < 1000 {
        let waiting = tree.gather(32, 1000 - tree.simulations());
        full += u32::from(waiting == 32);
        let leaves: Vec<Leaf<'_, _>> = tree.leaves().collect();
        Hashed.evaluate(&leaves, &mut evaluations[..waiting]);
        let values = evaluations.iter().map(|evaluation| evaluation.value.get());
        given.extend(leaves.iter().map(|leaf| leaf.position.0.clone()).zip(values));
        tree.apply(&evaluations);
    }
    assert!(full > 15, "only {full} full batches");
    assert_eq!(given.len(), 1000);
    let different: std::collections::BTreeSet<&Vec<Step>> = given.iter().map(|(leaf, _)| leaf).collect();
    assert_eq!(different.len(), 1000, "every leaf is judged once");
    agrees_with(&tree, &given);
    // Nor do leaves that are never judged.
    for mv in (0..5).map(Step) {
        let mut abandoned = tree.clone();
        assert!(abandoned.gather(32, 32) > 20);
        abandoned.advance(mv);
        agrees_with(&abandoned, &given);
    }
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
        |search: &Mcts<_>, mv| search.tree().unwrap().root_moves().find(|child| child.mv == mv).unwrap().visits;
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
    let mut search = Mcts::new(options, Box::new(Heuristic::new(game)), 1);
    let position = game.parse_position("d a d a d").unwrap();
    let found = search.search(&position, &Budget::simulations(500), &mut Quiet);
    // The only move that does not lose at once.
    assert_eq!(position.format_move(found.best), "d");
}
