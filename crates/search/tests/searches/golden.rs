//! Golden trees and bench signatures: what each search finds under a fixed seed, to the node.
//!
//! A change of these files is a change of behaviour. If it is meant, accept it with `INSTA_UPDATE=always cargo test -p
//! tesuji-search --test searches golden` and say in the commit why it is better.

use std::fmt::Write;
use tesuji_core::{Budget, Game, MoveList, Position, Quiet, Rules, Search, Stream};
use tesuji_games::connect4::Connect4;
use tesuji_games::tictactoe::TicTacToe;
use tesuji_games::{Visitor, names, visit};
use tesuji_search::classical;
use tesuji_search::heuristic::Heuristic;
use tesuji_search::mcts::{
    Fpu, Mcts, MctsOptions, Noise, RootMove, RootOptions, Selection, Tree, TreeOptions, Widening,
};
use tesuji_search::rollout::{Playout, Rollouts};

/// The root of a tree as text: visits and mean of each move in the order of the move list, and what follows from them.
fn text<P: Position>(position: &P, tree: &Tree<P>) -> String {
    let mut text = String::new();
    let mut moves = MoveList::new();
    position.moves(&mut moves);
    for mv in moves {
        if let Some(RootMove { visits, mean, .. }) = tree.root_moves().find(|child| child.mv == mv) {
            writeln!(text, "{:4} {visits:6} {mean:+.4}", position.format_move(mv)).unwrap();
        }
    }
    let mut along = position.clone();
    let mut line = Vec::new();
    for mv in tree.line() {
        line.push(along.format_move(mv));
        along.play(mv);
    }
    writeln!(text, "nodes {} depth {} value {:+.4}", tree.nodes(), tree.depth(), tree.value().get()).unwrap();
    writeln!(text, "line {}", line.join(" ")).unwrap();
    text
}

fn grow<G: Game>(game: &G, position: &str, tree: TreeOptions, root: RootOptions, rollouts: bool) -> String {
    let position = game.parse_position(position).unwrap();
    let options = MctsOptions { tree, root, batch: 1, reuse: false };
    let budget = Budget::simulations(1000);
    if rollouts {
        let mut search = Mcts::new(options, Box::new(Rollouts::new(game.clone(), Playout::default(), false)), 1);
        search.search(&position, &budget, &mut Quiet);
        text(&position, search.tree().unwrap())
    } else {
        let mut search = Mcts::new(options, Box::new(Heuristic::new(game.clone())), 1);
        search.search(&position, &budget, &mut Quiet);
        text(&position, search.tree().unwrap())
    }
}

#[test]
fn trees() {
    let tree = TreeOptions::default();
    let puct = Selection::Puct { c: 1.5, attack: 0.0, fpu: Fpu::Value(0.0) };
    let connect4 = Connect4::new(Rules::Official);
    let root = RootOptions::default();
    insta::assert_snapshot!("ucb1", grow(&connect4, "d d d", tree, root, true));
    let tuned = TreeOptions { selection: Selection::Tuned { urgency: 10_000.0 }, ..tree };
    insta::assert_snapshot!("tuned", grow(&connect4, "d d d", tuned, root, true));
    let by_prior = TreeOptions { selection: puct, expand_after: 0, ..tree };
    insta::assert_snapshot!("puct_heuristic", grow(&connect4, "d d d", by_prior, root, false));
    let gumbel = RootOptions { gumbel: Some(4), ..root };
    insta::assert_snapshot!("gumbel_heuristic", grow(&connect4, "d d d", by_prior, gumbel, false));
    let noise = Some(Noise { alpha: 1.0, epsilon: 0.25 });
    let forced = RootOptions { noise, forced: 2.0, ..root };
    insta::assert_snapshot!("forced_heuristic", grow(&connect4, "d d d", by_prior, forced, false));
    let pucb = TreeOptions { selection: Selection::Pucb { tau: 1.5 }, ..by_prior };
    insta::assert_snapshot!("pucb_heuristic", grow(&connect4, "d d d", pucb, root, false));
    let uct = TreeOptions { selection: Selection::Uct { cp: 0.3 }, expand_after: 11, ..tree };
    insta::assert_snapshot!("uct", grow(&connect4, "d d d", uct, root, true));
    let widening = Some(Widening { factor: 2.0, exponent: 0.5 });
    let learning = TreeOptions { widening, killers: true, history: 0.5, expand_after: 0, ..tree };
    insta::assert_snapshot!("widening_killers_history", grow(&connect4, "d d d", learning, root, true));
    let tictactoe = TicTacToe::new(Rules::Official);
    insta::assert_snapshot!("solved", grow(&tictactoe, "a1 b2 c3", tree, root, true));
}

/// One line for each search: the nodes, evaluations and moves of a few searches, summed and hashed.
struct Signature;

impl Visitor for Signature {
    type Output = String;

    fn visit<G: Game>(self, game: G) -> String {
        let mut text = String::new();
        for line in [
            "minimax:depth=2",
            "alphabeta:pure,depth=3",
            "alphabeta:pure,nodes=2000,quiesce=0",
            "alphabeta:depth=5",
            "alphabeta:nodes=5000",
            "pmc:rollouts=2,cut=20",
            "uct:sims=200,cut=20",
            "uct:sims=200,select=puct,eval=heuristic,expand=0,batch=4",
            "muct:sims=200,cut=20",
        ] {
            let (mut search, limits) = classical::search(&game, line, 1).unwrap();
            let (mut nodes, mut evaluations, mut hash) = (0, 0, 0_u64);
            let mut random = Stream::new(1, "signature", 0);
            let mut position = game.start();
            let mut moves = MoveList::new();
            for _ in 0..4 {
                let found = search.search(&position, &limits.budget(&Budget::UNLIMITED), &mut Quiet);
                nodes += found.nodes;
                evaluations += found.evaluations;
                hash = tesuji_core::random::mix(hash ^ u64::from(tesuji_core::Move::to_bits(found.best)));
                for _ in 0..5 {
                    position.moves(&mut moves);
                    let mut next = position.clone();
                    next.play(moves[random.below(moves.len())]);
                    if next.outcome().is_none() {
                        position = next;
                    }
                }
            }
            writeln!(text, "{line:60} nodes {nodes:6} evaluations {evaluations:6} moves {:08x}", hash as u32).unwrap();
        }
        text
    }
}

#[test]
fn signatures() {
    for name in names() {
        insta::assert_snapshot!(format!("signature_{name}"), visit(name, Rules::Official, Signature).unwrap());
    }
}
