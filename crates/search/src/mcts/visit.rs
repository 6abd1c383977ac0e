//! Every node of a tree that was visited often enough: what can be learned from a tree besides its root.

use super::arena::ROOT;
use super::tree::Tree;
use tesuji_core::Position;

/// A move of a node, as far as simulations went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visited<M> {
    /// The move.
    pub mv: M,
    /// Simulations through it; not 0.
    pub visits: u32,
    /// Their mean value, for the first player.
    pub mean: f32,
}

/// Whom nodes are shown to: the position, its mean value for the first player, and its moves that were visited.
pub type Show<'a, P> = dyn FnMut(&P, f32, &[Visited<<P as Position>::Move>]) + 'a;

impl<P: Position> Tree<P> {
    /// Shows every node that has children and at least `least` visits, parents before their children.
    pub fn visit(&self, least: u32, show: &mut Show<'_, P>) {
        let mut open = vec![(ROOT, self.root.clone())];
        let mut visited = Vec::new();
        while let Some((number, position)) = open.pop() {
            let node = &self.arena.nodes[number];
            if node.len == 0 || node.visits < least {
                continue;
            }
            let children = &self.arena.nodes[node.children()];
            visited.clear();
            let tried = children.iter().filter(|child| child.visits > 0);
            visited.extend(tried.map(|child| Visited { mv: child.mv, visits: child.visits, mean: child.mean() }));
            show(&position, node.mean(), &visited);
            // The first child comes out first.
            for child in node.children().rev().filter(|&child| self.arena.nodes[child].visits >= least) {
                let mut next = position.clone();
                next.play(self.arena.nodes[child].mv);
                open.push((child, next));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::{RootOptions, Selection, TreeOptions};
    use tesuji_core::{Evaluation, GameRules, Rules, Stream, Value};
    use tesuji_games::tictactoe::TicTacToe;

    #[test]
    fn nodes_are_shown_with_the_visits_and_values_of_their_moves() {
        let start = TicTacToe::new(Rules::Official).start();
        let options = TreeOptions {
            selection: Selection::Pucb { tau: 1.5 },
            expand_after: 0,
            solver: false,
            ..TreeOptions::default()
        };
        let mut tree = Tree::new(&start, options, RootOptions::default());
        tree.begin(&start, 300, Stream::new(1, "test", 0));
        for _ in 0..300 {
            if tree.gather(1, 1) == 1 {
                let moves = tree.leaf().map_or(0, |leaf| leaf.moves.len());
                let value = Value::new(if moves % 3 == 0 { 0.5 } else { -0.25 });
                tree.apply(&[Evaluation { value, priors: vec![1.0 / moves as f32; moves] }]);
            }
        }
        let (mut nodes, mut rare) = (0, 0);
        tree.visit(5, &mut |position, mean, moves| {
            let visits: u32 = moves.iter().map(|visited| visited.visits).sum();
            assert!(visits >= 4 && moves.iter().all(|visited| visited.visits > 0 && position.is_legal(visited.mv)));
            if nodes == 0 {
                // All but the root's own evaluation went through one of its moves.
                assert_eq!((*position, visits), (start, 299));
                let sum: f32 = moves.iter().map(|visited| visited.mean * visited.visits as f32).sum();
                assert!((300.0 * mean - (sum + 0.5)).abs() < 1e-2, "{mean} {sum}");
            }
            nodes += 1;
        });
        tree.visit(100, &mut |_, _, _| rare += 1);
        assert!(nodes > 10 && rare < nodes, "{nodes} {rare}");
    }
}
