//! The nodes of a tree, in one array.
//!
//! Children of a node lie side by side and are named by 32-bit indices; nothing points to a parent, because a
//! simulation knows its path. The array never grows beyond its limit: then leaves stay leaves, and simulations go on.

use super::forced;
use super::gumbel::Gumbel;
use super::memory::Memory;
use super::node::{Bounds, Node};
use super::options::TreeOptions;
use super::select::Scorer;
use crate::sort;
use tesuji_core::{Move, Side, Stream};

/// The index of the root.
pub const ROOT: usize = 0;

/// The nodes of a tree, and what selection learns from them.
#[derive(Clone, Debug)]
pub struct Arena<M> {
    pub options: TreeOptions,
    pub nodes: Vec<Node<M>>,
    /// Sums of the squared shares of wins, if the selection uses them.
    squares: Vec<f32>,
    memory: Memory<M>,
    pub random: Stream,
    /// Whether the root looks at all of its children: noise has disturbed the order of their priors.
    pub root_disturbed: bool,
    pub gumbel: Option<Gumbel>,
    /// How strongly visits of the root's children are forced; 0 for not at all.
    pub forced: f32,
}

impl<M: Move> Arena<M> {
    pub fn new(options: TreeOptions) -> Arena<M> {
        Arena {
            options,
            nodes: Vec::new(),
            squares: Vec::new(),
            memory: Memory::new(options.killers, options.history),
            random: Stream::new(0, "tree", 0),
            root_disturbed: false,
            gumbel: None,
            forced: 0.0,
        }
    }

    /// Forgets everything; `filler` is any move, which the root needs but does not mean.
    pub fn reset(&mut self, filler: M) {
        self.nodes.clear();
        self.nodes.push(Node::new(filler, 1.0, false));
        self.memory.clear();
        self.clear_root();
        if self.options.selection.uses_variance() {
            self.squares.clear();
            self.squares.push(0.0);
        }
    }

    fn clear_root(&mut self) {
        self.root_disturbed = false;
        self.gumbel = None;
    }

    /// Makes a child of the root the root, and forgets whatever is not below it.
    pub fn reroot(&mut self, child: usize) {
        let mut kept = vec![self.nodes[child]];
        let mut squares: Vec<f32> = self.squares.get(child).copied().into_iter().collect();
        let mut next = 0;
        while next < kept.len() {
            let children = kept[next].children();
            if !children.is_empty() {
                kept[next].first = kept.len() as u32;
                squares.extend(self.squares.get(children.clone()).into_iter().flatten());
                reserve(&mut kept, children.len(), self.options.node_limit);
                kept.extend_from_slice(&self.nodes[children]);
            }
            next += 1;
        }
        (self.nodes, self.squares) = (kept, squares);
        self.memory.advance();
        self.clear_root();
    }

    /// Whether that many more nodes fit.
    pub fn has_room(&self, children: usize) -> bool {
        self.nodes.len() + children <= self.options.node_limit && children <= usize::from(u16::MAX)
    }

    /// Gives a node its children: without `priors`, all alike.
    ///
    /// With priors the greatest comes first. As unvisited children differ by their priors alone, the first
    /// of them is the best, and selection need look no further.
    pub fn expand(&mut self, parent: usize, mover: Side, moves: &[M], priors: &[f32], attacks: impl Fn(M) -> bool) {
        let first = self.nodes.len();
        let marks = self.options.selection.uses_attacks();
        let alike = 1.0 / moves.len() as f32;
        reserve(&mut self.nodes, moves.len(), self.options.node_limit);
        let child = |place: usize, prior: f32| Node::new(moves[place], prior, marks && attacks(moves[place]));
        if priors.is_empty() {
            self.nodes.extend((0..moves.len()).map(|place| child(place, alike)));
        } else {
            let prior = |place: usize| priors.get(place).copied().unwrap_or(alike);
            let order = sort::greatest_first((0..moves.len()).map(prior));
            self.nodes.extend(order.into_iter().map(|place| child(place as usize, prior(place as usize))));
            self.nodes[parent].set_ordered();
        }
        if self.options.selection.uses_variance() {
            self.squares.resize(self.nodes.len(), 0.0);
        }
        let node = &mut self.nodes[parent];
        node.set_mover(mover);
        node.first = first as u32;
        node.len = moves.len() as u16;
    }

    /// The side whose good a node's choice seeks.
    fn chooser(&self, node: usize) -> Side {
        // M-UCT lets the opponent choose what is good for the root's side.
        self.nodes[if self.options.opponent_helps { ROOT } else { node }].mover()
    }

    /// The child that a simulation goes down to, `depth` plies below the root.
    #[inline]
    pub fn select(&mut self, parent: usize, depth: usize) -> usize {
        let options = self.options;
        let node = &self.nodes[parent];
        let (first, len, tried) = (node.first as usize, usize::from(node.len), usize::from(node.tried));
        let side = self.chooser(parent);
        if parent == ROOT
            && let Some(gumbel) = &self.gumbel
            && let Some(child) = gumbel.select(node, &self.nodes[first..first + len], options.solver)
        {
            return first + child;
        }
        if parent == ROOT && self.forced > 0.0 {
            let (mover, floor) = (node.mover(), node.bounds.worst(node.mover()));
            let open = |child: &Node<M>| !options.solver || child.bounds.best(mover) > floor;
            if let Some(child) = forced::due(self.forced, node, &self.nodes[first..first + len], open) {
                return first + child;
            }
        }
        // Where something besides the prior tells unvisited children apart, the first of them need not be the best.
        let everything = options.selection.uses_attacks()
            || options.history != 0.0 && !options.selection.tries_all()
            || parent == ROOT && self.root_disturbed;
        let width =
            if everything { len } else { options.widening.map_or(len, |widening| widening.width(node.visits, len)) };
        if !everything && tried < width && options.selection.tries_all() {
            return self.try_next(parent, depth, width);
        }
        // Visits that were taken back may leave more tried than the width says.
        let end = match () {
            () if everything => len,
            () if tried < width => tried + 1,
            () => tried,
        };
        let scorer = Scorer::new(options.selection, node, side.sign());
        let floor = node.bounds.worst(node.mover());
        let mover = node.mover();
        let squares = self.squares.get(first..first + end).unwrap_or(&[]);
        let mut best = None;
        let mut best_score = f32::NEG_INFINITY;
        for (index, child) in self.nodes[first..first + end].iter().enumerate() {
            // What cannot be better than what is already certain is not worth a visit.
            if options.solver && child.bounds.best(mover) <= floor {
                continue;
            }
            let mut score = scorer.score(child, squares.get(index).copied().unwrap_or(0.0));
            if options.history != 0.0 {
                score += self.memory.bonus(mover, child);
            }
            if score > best_score || best.is_none() {
                (best, best_score) = (Some(index), score);
            }
        }
        match best {
            Some(index) if everything || index < tried => first + index,
            // Nothing that was tried can be any good, or the next one promises more.
            _ => self.try_next(parent, depth, len.min(width.max(tried + 1))),
        }
    }

    /// The next unvisited child, among the first `width`: a killer, else a random one of equals.
    fn try_next(&mut self, parent: usize, depth: usize, width: usize) -> usize {
        let node = &mut self.nodes[parent];
        let (first, tried, mover) = (node.first as usize, usize::from(node.tried), node.mover());
        let random = !node.is_ordered() && width - tried > 1;
        node.tried += 1;
        let unvisited = first + tried..first + width;
        let chosen = match self.memory.killer(depth, mover, &self.nodes[unvisited.clone()]) {
            Some(index) => Some(index),
            None if random => Some(self.random.below(width - tried)),
            None => None,
        };
        if let Some(index) = chosen {
            self.nodes.swap(unvisited.start, unvisited.start + index);
        }
        unvisited.start
    }

    /// Counts a visit under way, and makes it look lost to the side that chose it, so that the next one goes elsewhere.
    #[inline]
    pub fn enter(&mut self, parent: Option<usize>, node: usize) {
        if let Some(parent) = parent {
            let loss = f64::from(self.options.virtual_loss * self.chooser(parent).sign());
            self.nodes[node].sum -= loss;
        }
        self.nodes[node].visits += 1;
    }

    /// Takes back a visit that led nowhere.
    pub fn leave(&mut self, path: &[u32]) {
        for (index, &node) in path.iter().enumerate() {
            let loss = self.loss(path, index);
            let node = &mut self.nodes[node as usize];
            node.visits -= 1;
            node.sum += loss;
        }
    }

    /// The virtual loss that [`enter`](Self::enter) took from the node at `index` of a path.
    #[inline]
    fn loss(&self, path: &[u32], index: usize) -> f64 {
        match index {
            0 => 0.0,
            _ => f64::from(self.options.virtual_loss * self.chooser(path[index - 1] as usize).sign()),
        }
    }

    /// Ends a simulation with this value for the first player; `proved` if the last node's bounds have changed.
    pub fn back_up(&mut self, path: &[u32], value: f32, proved: bool) {
        let (mut value, mut proved) = (value, proved && self.options.solver);
        for (index, &node) in path.iter().enumerate().rev() {
            let node = node as usize;
            if proved && index + 1 < path.len() {
                let mover = self.nodes[node].mover();
                let bounds = Bounds::of_choice(mover, self.nodes[self.nodes[node].children()].iter().map(|c| c.bounds));
                proved = bounds != self.nodes[node].bounds;
                self.nodes[node].bounds = bounds;
                if let (true, Some(outcome)) = (proved, bounds.proof()) {
                    value = outcome.value().get();
                }
            }
            let loss = self.loss(path, index);
            self.nodes[node].sum += f64::from(value) + loss;
            if let Some(square) = self.squares.get_mut(node) {
                let share = 0.5 + 0.5 * value;
                *square += share * share;
            }
            if index > 0 && self.memory.is_used() {
                let mover = self.nodes[path[index - 1] as usize].mover();
                self.memory.learn(index - 1, mover, self.nodes[node].mv, value * mover.sign());
            }
        }
    }
}

/// Makes room for `more` nodes: a vector that grows by itself could take twice what the limit allows.
fn reserve<M>(nodes: &mut Vec<Node<M>>, more: usize, limit: usize) {
    let needed = nodes.len() + more;
    if needed > nodes.capacity() {
        let target = (2 * nodes.capacity()).min(limit).max(needed);
        nodes.reserve_exact(target - nodes.len());
    }
}
