//! What the tree learns about moves, wherever they are played: killers and history (from the work of Sato et al. on
//! shogi, which the shogi paper builds on).

use super::node::Node;
use tesuji_core::{Move, Side};

/// Entries of the history for one side; moves share them by a hash of their numeric form.
const SLOTS: usize = 1 << 12;

/// Killers and history.
#[derive(Clone, Debug)]
pub struct Memory<M> {
    /// For each depth and side the last two moves that won; empty if killers are not used.
    killers: Option<Vec<[[Option<M>; 2]; 2]>>,
    /// The weight of history; 0 if it is not used.
    weight: f32,
    /// For each side and slot the sum of shares of wins, and how many.
    history: [Vec<(f32, f32)>; 2],
}

impl<M: Move> Memory<M> {
    /// Nothing learned yet.
    pub fn new(killers: bool, weight: f32) -> Memory<M> {
        let slots = if weight == 0.0 { 0 } else { SLOTS };
        Memory { killers: killers.then(Vec::new), weight, history: [vec![(0.0, 0.0); slots], vec![(0.0, 0.0); slots]] }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.history.iter_mut().flatten().for_each(|entry| *entry = (0.0, 0.0));
        self.killers.iter_mut().for_each(Vec::clear);
    }

    /// One ply has been played: killers move up.
    pub fn advance(&mut self) {
        if let Some(killers) = &mut self.killers
            && !killers.is_empty()
        {
            killers.remove(0);
        }
    }

    /// Whether there is anything to learn.
    pub fn is_used(&self) -> bool {
        self.killers.is_some() || self.weight != 0.0
    }

    /// Learns that a move of `mover`, `depth` plies below the root, led to this value for it.
    pub fn learn(&mut self, depth: usize, mover: Side, mv: M, value: f32) {
        if self.weight != 0.0 {
            let (sum, count) = &mut self.history[mover.index()][slot(mv)];
            *sum += 0.5 + 0.5 * value;
            *count += 1.0;
        }
        if let Some(killers) = &mut self.killers
            && value > 0.0
        {
            if killers.len() <= depth {
                killers.resize(depth + 1, [[None; 2]; 2]);
            }
            let pair = &mut killers[depth][mover.index()];
            if pair[0] != Some(mv) {
                *pair = [Some(mv), pair[0]];
            }
        }
    }

    /// The index of a killer among unvisited children.
    pub fn killer(&self, depth: usize, mover: Side, unvisited: &[Node<M>]) -> Option<usize> {
        let pair = self.killers.as_ref()?.get(depth)?[mover.index()];
        pair.into_iter().flatten().find_map(|killer| unvisited.iter().position(|child| child.mv == killer))
    }

    /// Progressive history (Nijssen and Winands): the move's mean anywhere, which fades as the child loses visits.
    #[inline]
    pub fn bonus(&self, mover: Side, child: &Node<M>) -> f32 {
        let (sum, count) = self.history[mover.index()][slot(child.mv)];
        if count == 0.0 {
            return 0.0;
        }
        let lost = child.visits as f32 * (0.5 - 0.5 * mover.sign() * child.mean());
        self.weight * (sum / count) / (lost + 1.0)
    }
}

fn slot<M: Move>(mv: M) -> usize {
    (mv.to_bits().wrapping_mul(0x9e37_79b1) >> 20) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    struct Number(u32);

    impl Move for Number {
        fn to_bits(self) -> u32 {
            self.0
        }

        fn from_bits(bits: u32) -> Option<Number> {
            Some(Number(bits))
        }
    }

    #[test]
    fn history_is_the_papers_formula() {
        let mut memory = Memory::new(false, 2.0);
        // Shares 1, 1, 0.5 and 0: a mean of 0.625.
        for value in [1.0, 1.0, 0.0, -1.0] {
            memory.learn(3, Side::Second, Number(7), value);
        }
        // Four visits with a mean of 0.5 for the first player: three lost for the second.
        let child = Node { visits: 4, sum: 2.0, ..Node::new(Number(7), 0.0, false) };
        assert!((memory.bonus(Side::Second, &child) - 2.0 * 0.625 / 4.0).abs() < 1e-6);
        assert_eq!(memory.bonus(Side::First, &child), 0.0);
    }

    #[test]
    fn the_last_winning_moves_are_tried_first() {
        let mut memory = Memory::new(true, 0.0);
        memory.learn(2, Side::First, Number(5), 1.0);
        memory.learn(2, Side::First, Number(6), -1.0);
        let children = [4, 6, 5].map(|mv| Node::new(Number(mv), 0.0, false));
        assert_eq!(memory.killer(2, Side::First, &children), Some(2));
        assert_eq!(memory.killer(2, Side::Second, &children), None);
        assert_eq!(memory.killer(1, Side::First, &children), None);
        memory.advance();
        assert_eq!(memory.killer(1, Side::First, &children), Some(2));
    }
}
