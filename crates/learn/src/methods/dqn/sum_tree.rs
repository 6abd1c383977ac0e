//! Priorities that can be drawn in proportion: a complete binary tree whose inner nodes hold the sums below them.

/// Priorities by slot.
#[derive(Clone, Debug, Default)]
pub struct SumTree {
    /// Leaves are the second half; node i has the children 2i and 2i + 1; node 1 is the root.
    nodes: Vec<f64>,
}

impl SumTree {
    /// All priorities 0.
    pub fn new(slots: usize) -> SumTree {
        SumTree { nodes: vec![0.0; 2 * slots.next_power_of_two()] }
    }

    fn leaves(&self) -> usize {
        self.nodes.len() / 2
    }

    /// The sum of all priorities.
    pub fn total(&self) -> f64 {
        self.nodes[1]
    }

    /// A slot's priority.
    pub fn get(&self, slot: usize) -> f64 {
        self.nodes[self.leaves() + slot]
    }

    /// Sets a slot's priority.
    pub fn set(&mut self, slot: usize, priority: f64) {
        let mut node = self.leaves() + slot;
        self.nodes[node] = priority;
        while node > 1 {
            node /= 2;
            // Summed anew rather than changed by the difference, so that errors do not pile up.
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1];
        }
    }

    /// The slot in which the running sum of priorities passes `at`, which is below the total.
    pub fn find(&self, mut at: f64) -> usize {
        let mut node = 1;
        while node < self.leaves() {
            let left = self.nodes[2 * node];
            // Rounding must not lead into a subtree of zeros.
            if at < left || self.nodes[2 * node + 1] == 0.0 {
                node *= 2;
            } else {
                at -= left;
                node = 2 * node + 1;
            }
        }
        node - self.leaves()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_core::Stream;

    #[test]
    fn slots_are_drawn_in_proportion() {
        let mut tree = SumTree::new(5);
        for (slot, priority) in [3.0, 0.0, 1.0, 4.0, 2.0].into_iter().enumerate() {
            tree.set(slot, priority);
        }
        tree.set(0, 1.0);
        assert_eq!(tree.total(), 8.0);
        assert_eq!([0.0, 0.99, 1.0, 1.99, 2.0, 5.99, 6.0, 7.99].map(|at| tree.find(at)), [0, 0, 2, 2, 3, 3, 4, 4]);
        let mut random = Stream::new(1, "test", 0);
        let mut counts = [0_i32; 5];
        for _ in 0..8000 {
            counts[tree.find(random.unit() * tree.total())] += 1;
        }
        assert_eq!(counts[1], 0);
        for (slot, expected) in [(0, 1000), (2, 1000), (3, 4000), (4, 2000)] {
            assert!((counts[slot] - expected).abs() < 200, "{counts:?}");
        }
    }
}
