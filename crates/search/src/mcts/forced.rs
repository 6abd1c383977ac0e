//! Forced playouts at the root, and policy targets without them (Wu, "Accelerating self-play learning in Go").
//!
//! Noise makes the root look at moves that it would pass over, but often for too few visits to learn that one of them is
//! good. A child that was visited at all is therefore visited at least `sqrt(k P N)` times; and because a network must
//! not learn to play what was merely forced, these visits are taken out of the policy again unless the values bear them
//! out.

use super::node::Node;
use super::select::{Scorer, Selection};

/// How many visits a child of this prior gets at least, `visits` being those of all children together.
fn least(k: f32, prior: f32, visits: f32) -> f32 {
    (k * prior * visits).sqrt()
}

/// The first child that must be visited because it has fewer visits than are its due; `parent` has one under way.
pub fn due<M>(k: f32, parent: &Node<M>, children: &[Node<M>], open: impl Fn(&Node<M>) -> bool) -> Option<usize> {
    // Neither the visit under way nor the first one, which was the parent's own evaluation, are a child's.
    let visits = parent.visits.saturating_sub(2) as f32;
    children
        .iter()
        .position(|child| child.visits > 0 && (child.visits as f32) < least(k, child.prior, visits) && open(child))
}

/// The visits of each child that the formula would have asked for without being forced.
///
/// The most visited child keeps all of its own. Each of the others loses up to the number that it was due, as long as its
/// score stays below that of the most visited one; what comes down to a single visit is dropped altogether.
pub fn pruned<M: Copy>(k: f32, selection: Selection, parent: &Node<M>, children: &[Node<M>]) -> Vec<u32> {
    let mut visits: Vec<u32> = children.iter().map(|child| child.visits).collect();
    // The first of equals.
    let Some(best) = (0..visits.len()).rev().max_by_key(|&index| visits[index]) else { return visits };
    let total: u32 = visits.iter().sum();
    // The formula takes one visit to be under way.
    let scorer = Scorer::new(selection, &Node { visits: parent.visits + 1, ..*parent }, parent.mover().sign());
    let ceiling = scorer.score(&children[best], 0.0);
    for (index, child) in children.iter().enumerate().filter(|&(index, child)| index != best && child.visits > 1) {
        let mean = child.sum / f64::from(child.visits);
        let score = |visits: u32| scorer.score(&Node { visits, sum: mean * f64::from(visits), ..*child }, 0.0);
        let forced = least(k, child.prior, total as f32) as u32;
        let floor = child.visits.saturating_sub(forced).max(1);
        let mut left = child.visits;
        while left > floor && score(left - 1) < ceiling {
            left -= 1;
        }
        visits[index] = if left == 1 { 0 } else { left };
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::Fpu;
    use tesuji_core::Side;

    fn node(visits: u32, mean: f64, prior: f32) -> Node<u32> {
        Node { visits, sum: mean * f64::from(visits), ..Node::new(0, prior, false) }
    }

    #[test]
    fn children_get_their_due() {
        // 100 visits of children: sqrt(2 * 0.5 * 100) = 10, sqrt(2 * 0.08 * 100) = 4.
        let children = [node(92, 0.5, 0.5), node(3, -0.5, 0.08), node(0, 0.0, 0.42)];
        let parent = node(102, 0.4, 1.0);
        assert_eq!(due(2.0, &parent, &children, |_| true), Some(1));
        assert_eq!(due(2.0, &parent, &children, |child| child.prior > 0.1), None);
        assert_eq!(due(1.0, &parent, &children, |_| true), None);
    }

    #[test]
    fn forced_visits_leave_the_policy() {
        let selection = Selection::Puct { c: 1.0, attack: 0.0, fpu: Fpu::Value(0.0) };
        // The ceiling is 0.5 + 0.5 * 10 / 91 = 0.5549.
        let children = [
            node(90, 0.5, 0.5),
            // Due 4.47; at 1 visit it would score -0.5 + 0.1 * 10 / 2 = 0, so all of them go but one, and that too.
            node(4, -0.5, 0.1),
            // Due 6.3: -0.2 + 0.2 * 10 / (1 + n) stays below the ceiling down to n = 2.
            node(5, -0.2, 0.2),
            // A visit that nothing was taken from stays.
            node(1, 0.0, 0.2),
        ];
        assert_eq!(pruned(2.0, selection, &node(101, 0.4, 1.0), &children), [90, 0, 2, 1]);
        // A child that is as good keeps what its value earned: 0.5 + 0.5 * 11.9 / (1 + n) reaches the ceiling at n = 72.
        let close = [node(70, 0.5, 0.5), node(72, 0.5, 0.5)];
        assert_eq!(pruned(2.0, selection, &node(143, 0.5, 1.0), &close), [70, 72]);
        let worse = [node(100, 0.5, 0.5), node(30, 0.4, 0.5)];
        // Due 11.4, but with one visit less it would score 0.4 + 0.5 * 11.4 / 30 = 0.59, and the ceiling is 0.556.
        assert_eq!(pruned(2.0, selection, &node(131, 0.5, 1.0), &worse), [100, 30]);
        assert_eq!(pruned(2.0, selection, &node(1, 0.0, 1.0), &[] as &[Node<u32>]), [] as [u32; 0]);
    }

    #[test]
    fn the_second_player_prunes_by_its_own_values() {
        let selection = Selection::Puct { c: 1.0, attack: 0.0, fpu: Fpu::Value(0.0) };
        let mut parent = node(101, -0.4, 1.0);
        parent.set_mover(Side::Second);
        assert_eq!(pruned(2.0, selection, &parent, &[node(96, -0.5, 0.9), node(4, 0.5, 0.1)]), [96, 0]);
    }
}
