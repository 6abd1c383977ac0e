//! One node of the tree, and what is proved of it.

use tesuji_core::{Outcome, Side, Value};

/// What is known for certain about the result, for the first player: between -1 (lost) and 1 (won), 0 being a draw.
///
/// Score-bounded search (Cazenave and Saffidine): the proven wins and losses of MCTS-Solver, and draws as well. Each
/// bound is the mover's choice among the children's, so it does not matter who moves how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    lower: i8,
    upper: i8,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds { lower: -1, upper: 1 };

    /// The game has this outcome.
    pub const fn exactly(outcome: Outcome) -> Bounds {
        let result = match outcome {
            Outcome::Win(Side::First) => 1,
            Outcome::Draw => 0,
            Outcome::Win(Side::Second) => -1,
        };
        Bounds { lower: result, upper: result }
    }

    /// The outcome, if it is proved.
    pub const fn proof(self) -> Option<Outcome> {
        match (self.lower, self.upper) {
            (1, 1) => Some(Outcome::Win(Side::First)),
            (0, 0) => Some(Outcome::Draw),
            (-1, -1) => Some(Outcome::Win(Side::Second)),
            _ => None,
        }
    }

    /// The worst that can still happen to `side`.
    #[inline]
    pub const fn worst(self, side: Side) -> i8 {
        match side {
            Side::First => self.lower,
            Side::Second => -self.upper,
        }
    }

    /// The best that can still happen to `side`.
    #[inline]
    pub const fn best(self, side: Side) -> i8 {
        match side {
            Side::First => self.upper,
            Side::Second => -self.lower,
        }
    }

    /// What `mover` can make of its choice between children with these bounds (at least one).
    pub fn of_choice(mover: Side, children: impl Iterator<Item = Bounds>) -> Bounds {
        let better = |a: i8, b: i8| if mover == Side::First { a.max(b) } else { a.min(b) };
        children
            .reduce(|a, b| Bounds { lower: better(a.lower, b.lower), upper: better(a.upper, b.upper) })
            .unwrap_or(Bounds::UNKNOWN)
    }
}

/// A node: how its parent's mover got here, and what simulations made of it. 32 bytes for moves of up to four.
#[derive(Clone, Copy, Debug)]
pub struct Node<M> {
    /// The sum of values for the first player, virtual losses included.
    pub sum: f64,
    /// Simulations through this node, those under way included.
    pub visits: u32,
    /// The prior probability of the move.
    pub prior: f32,
    /// Where the children begin; they are contiguous.
    pub first: u32,
    /// The move that leads here; the root's is meaningless.
    pub mv: M,
    /// The number of children; 0 before the node is expanded.
    pub len: u16,
    /// How many children, from the first on, have been visited. Not kept where every child is looked at.
    pub tried: u16,
    /// What is proved.
    pub bounds: Bounds,
    pub(super) flags: u8,
}

const SECOND: u8 = 1;
const ATTACK: u8 = 2;
const WAITING: u8 = 4;
const ORDERED: u8 = 8;

impl<M> Node<M> {
    /// A node without visits.
    pub const fn new(mv: M, prior: f32, attack: bool) -> Node<M> {
        let flags = if attack { ATTACK } else { 0 };
        Node { sum: 0.0, visits: 0, prior, first: 0, mv, len: 0, tried: 0, bounds: Bounds::UNKNOWN, flags }
    }

    /// The side to move, once the node is expanded.
    #[inline]
    pub const fn mover(&self) -> Side {
        if self.flags & SECOND == 0 { Side::First } else { Side::Second }
    }

    /// Notes the side to move.
    pub const fn set_mover(&mut self, side: Side) {
        match side {
            Side::First => self.flags &= !SECOND,
            Side::Second => self.flags |= SECOND,
        }
    }

    /// Whether the move attacks; known only if the selection asks for it.
    #[inline]
    pub const fn attacks(&self) -> bool {
        self.flags & ATTACK != 0
    }

    /// Whether an evaluation of this node is under way.
    pub const fn is_waiting(&self) -> bool {
        self.flags & WAITING != 0
    }

    /// Notes whether an evaluation is under way.
    pub const fn set_waiting(&mut self, waiting: bool) {
        if waiting { self.flags |= WAITING } else { self.flags &= !WAITING }
    }

    /// Whether the children are in the order of their priors.
    pub const fn is_ordered(&self) -> bool {
        self.flags & ORDERED != 0
    }

    /// Notes that the children are in the order of their priors.
    pub const fn set_ordered(&mut self) {
        self.flags |= ORDERED;
    }

    /// Where the children lie.
    #[inline]
    pub const fn children(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.len as usize
    }

    /// The mean value for the first player; 0 if never visited.
    pub fn mean(&self) -> f32 {
        if self.visits == 0 { 0.0 } else { (self.sum / f64::from(self.visits)) as f32 }
    }

    /// What the node is worth: what is proved, else the mean.
    pub fn value(&self) -> Value {
        self.bounds.proof().map_or_else(|| Value::new(self.mean()), Outcome::value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST_WINS: Bounds = Bounds::exactly(Outcome::Win(Side::First));
    const SECOND_WINS: Bounds = Bounds::exactly(Outcome::Win(Side::Second));
    const DRAW: Bounds = Bounds::exactly(Outcome::Draw);

    #[test]
    fn a_node_is_half_a_cache_line() {
        assert_eq!(size_of::<Node<u32>>(), 32);
    }

    #[test]
    fn the_mover_chooses() {
        let of = |mover, children: &[Bounds]| Bounds::of_choice(mover, children.iter().copied());
        // A single win is enough; a loss is proved only by every child.
        assert_eq!(of(Side::First, &[Bounds::UNKNOWN, FIRST_WINS]).proof(), Some(Outcome::Win(Side::First)));
        assert_eq!(of(Side::First, &[Bounds::UNKNOWN, SECOND_WINS]), Bounds::UNKNOWN);
        assert_eq!(of(Side::First, &[SECOND_WINS, SECOND_WINS]), SECOND_WINS);
        assert_eq!(of(Side::Second, &[Bounds::UNKNOWN, SECOND_WINS]), SECOND_WINS);
        // A draw in hand is a floor, not a proof; with nothing but losses beside it, it is one.
        let floor = of(Side::First, &[DRAW, Bounds::UNKNOWN]);
        assert_eq!((floor.worst(Side::First), floor.best(Side::First), floor.proof()), (0, 1, None));
        assert_eq!(of(Side::First, &[DRAW, SECOND_WINS]), DRAW);
        assert_eq!(of(Side::Second, &[DRAW, FIRST_WINS]), DRAW);
        assert_eq!((DRAW.worst(Side::Second), SECOND_WINS.worst(Side::Second)), (0, 1));
    }
}
