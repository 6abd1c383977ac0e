//! The best moves of the root, each with what follows: what analysis shows besides the principal variation.

use super::arena::ROOT;
use super::tree::Tree;
use crate::sort;
use std::cmp::Ordering;
use tesuji_core::{Line, Outcome, Position};

impl<P: Position> Tree<P> {
    /// At most `most` moves of the root, the best first; only those in `only`, unless it is empty.
    ///
    /// The first is the move to play, if it is allowed; then come proven wins, then the others by their visits, then
    /// proven losses. Unvisited moves are left out if there are others.
    pub fn lines(&self, most: usize, only: &[P::Move]) -> Vec<Line<P::Move>> {
        let root = &self.arena.nodes[ROOT];
        let side = root.mover();
        let best = self.best_child(ROOT);
        let standing = |child: usize| match self.arena.nodes[child].bounds.proof() {
            Some(Outcome::Win(winner)) if winner == side => 1,
            Some(Outcome::Win(_)) => -1,
            Some(Outcome::Draw) | None => 0,
        };
        let mut better = |a: usize, b: usize| -> Ordering {
            let (x, y) = (&self.arena.nodes[a], &self.arena.nodes[b]);
            (Some(b) == best)
                .cmp(&(Some(a) == best))
                .then_with(|| standing(b).cmp(&standing(a)))
                .then_with(|| y.visits.cmp(&x.visits))
                .then_with(|| y.prior.total_cmp(&x.prior))
                .then(a.cmp(&b))
        };
        let allowed = |&child: &usize| only.is_empty() || only.contains(&self.arena.nodes[child].mv);
        let mut children: Vec<usize> = root.children().filter(allowed).collect();
        sort::numbers(&mut children, &mut better);
        let visited = children.iter().filter(|&&child| self.arena.nodes[child].visits > 0).count();
        children.retain(|&child| visited == 0 || self.arena.nodes[child].visits > 0);
        children.truncate(most);
        children
            .into_iter()
            .map(|child| {
                let node = &self.arena.nodes[child];
                Line { value: node.value(), proof: node.bounds.proof(), line: self.line_through(child) }
            })
            .collect()
    }

    /// A child of the root and the best moves behind it.
    fn line_through(&self, child: usize) -> Vec<P::Move> {
        let mut line = vec![self.arena.nodes[child].mv];
        let mut node = child;
        while let Some(next) = self.best_child(node)
            && self.arena.nodes[next].visits > 0
        {
            line.push(self.arena.nodes[next].mv);
            node = next;
        }
        line
    }
}
