//! Several lines from the root, and searches of a few moves only.

use tesuji_core::{Budget, Focus, Game, Info, Line, Position, Report, Rules, Search, Stream};
use tesuji_games::Visitor;
use tesuji_search::alphabeta::AlphaBetaConfig;
use tesuji_search::{AlphaBeta, Minimax, classical, score};

/// Keeps the last words of a search.
struct Heard<M> {
    first: Option<Info<M>>,
    others: Vec<Line<M>>,
}

impl<M: Clone> Report<M> for Heard<M> {
    fn info(&mut self, info: &Info<M>) {
        self.first = Some(info.clone());
    }

    fn others(&mut self, lines: &[Line<M>]) {
        self.others = lines.to_vec();
    }
}

/// A position after some random moves whose game goes on with at least four moves to choose from.
fn position<G: Game>(game: &G, number: u64) -> Option<G::Position> {
    let mut random = Stream::new(11, "lines", number);
    let mut position = game.varied_start(&mut random);
    let plies = random.below(12) as u32;
    position.playout(&mut random, plies);
    (position.outcome().is_none() && position.count_movements() >= 4).then_some(position)
}

fn every_game(test: impl Visitor<Output = ()> + Copy) {
    for name in tesuji_games::names() {
        tesuji_games::visit(name, Rules::Official, test).unwrap();
    }
}

#[derive(Clone, Copy)]
struct Exact;

impl Visitor for Exact {
    type Output = ();

    /// The lines of alpha-beta are the best moves by plain minimax, in order.
    fn visit<G: Game>(self, game: G) {
        let depth = if game.name() == "tubstap" { 1 } else { 2 };
        for position in (0..6).filter_map(|number| position(&game, number)) {
            let sign = score::sign(position.mover());
            let mut moves = Vec::new();
            position.moves(&mut moves);
            let mut minimax = Minimax::new(game.clone(), depth);
            let mut truth = |mv| {
                let mut child = position.clone();
                child.play(mv);
                // The child's score counts its wins from the child; values do not.
                score::to_value(&game, minimax.score(&child, depth - 1)).get()
            };
            let mut values: Vec<f32> = moves.iter().map(|&mv| sign as f32 * truth(mv)).collect();
            values.sort_by(|a, b| b.total_cmp(a));

            let mut search =
                AlphaBeta::new(game.clone(), AlphaBetaConfig { quiescence: 0, ..AlphaBetaConfig::default() });
            search.focus(&Focus { only: Vec::new(), lines: 4 });
            let mut heard = Heard { first: None, others: Vec::new() };
            let found = search.search(&position, &Budget::depth(depth), &mut heard);
            let first = heard.first.expect("a word");
            if first.depth < depth {
                // Decided sooner: the rest was not looked at as deep.
                continue;
            }
            let mut lines = vec![(first.value, first.line)];
            lines.extend(heard.others.into_iter().map(|line| (line.value, line.line)));
            assert_eq!(lines.len(), 4, "{}", game.name());
            assert_eq!(lines[0].1, found.line);
            for (number, (value, line)) in lines.iter().enumerate() {
                assert_eq!(value.get(), truth(line[0]), "{} line {number}", game.name());
                assert_eq!(sign as f32 * value.get(), values[number], "{} line {number}", game.name());
                assert!(lines[..number].iter().all(|(_, other)| other[0] != line[0]), "{}", game.name());
            }

            // Of a few moves only, the best of them; and afterwards all moves count again.
            let only: Vec<_> = moves.iter().rev().step_by(3).copied().collect();
            search.focus(&Focus { only: only.clone(), lines: 1 });
            let found = search.search(&position, &Budget::depth(depth), &mut tesuji_core::Quiet);
            let best = only.iter().map(|&mv| sign as f32 * truth(mv)).fold(f32::NEG_INFINITY, f32::max);
            assert!(only.contains(&found.best) && sign as f32 * truth(found.best) == best, "{}", game.name());
            search.focus(&Focus::default());
            let found = search.search(&position, &Budget::depth(depth), &mut tesuji_core::Quiet);
            assert_eq!(sign as f32 * truth(found.best), values[0], "{}", game.name());
        }
    }
}

#[test]
fn lines_of_alpha_beta_are_the_best_moves() {
    every_game(Exact);
}

#[derive(Clone, Copy)]
struct Trees;

impl Visitor for Trees {
    type Output = ();

    fn visit<G: Game>(self, game: G) {
        for position in (0..3).filter_map(|number| position(&game, number)) {
            let (mut uct, limits) = classical::search(&game, "uct:sims=400,solver=off", 1).unwrap();
            let mut moves = Vec::new();
            position.moves(&mut moves);
            uct.focus(&Focus { only: Vec::new(), lines: 3 });
            let mut heard = Heard { first: None, others: Vec::new() };
            let budget = limits.budget(&Budget::UNLIMITED);
            let found = uct.search(&position, &budget, &mut heard);
            let first = heard.first.expect("a word");
            assert_eq!(first.line[0], found.best, "{}", game.name());
            // By their share of the visits.
            let share = |mv| found.policy.iter().find(|(other, _)| *other == mv).expect("a legal move").1;
            let mut shares = vec![share(first.line[0])];
            shares.extend(heard.others.iter().map(|line| share(line.line[0])));
            assert_eq!(shares.len(), 3, "{}", game.name());
            assert!(shares.is_sorted_by(|a, b| a >= b), "{}: {shares:?}", game.name());
            for line in heard.others.iter().map(|line| &line.line).chain([&first.line]) {
                let mut along = position.clone();
                for &mv in line {
                    along.try_play(mv).expect("lines can be played");
                }
            }

            let worst = *moves.iter().min_by(|&&a, &&b| share(a).total_cmp(&share(b))).expect("moves");
            uct.focus(&Focus { only: vec![worst], lines: 1 });
            let found = uct.search(&position, &budget, &mut tesuji_core::Quiet);
            assert_eq!((found.best, found.line[0]), (worst, worst), "{}", game.name());
        }
    }
}

#[test]
fn lines_of_a_tree_are_its_most_visited_moves() {
    every_game(Trees);
}
