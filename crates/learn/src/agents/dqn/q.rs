//! Which numbers of a network's outputs belong to which moves.

use std::sync::Arc;
use tesuji_core::{Encoder, Position};
use tesuji_nn::Worker;

/// Reads Q values of moves from a network with an output `q`, or with `q` and `q2` for pairs of what and where.
pub struct Reader<P: Position> {
    encoder: Arc<dyn Encoder<P>>,
    pairs: bool,
}

/// The outputs for all views of one position: `q`, and `q2` if there are pairs.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Output `q`, a row for each view.
    pub q: &'a [f32],
    /// Output `q2`; empty without pairs.
    pub q2: &'a [f32],
}

impl<'a> Rows<'a> {
    /// Those of a worker's latest run that belong to `views` views from number `first` on.
    pub fn of(worker: &'a Worker, first: usize, views: usize) -> Rows<'a> {
        let output = |name: &str| {
            let Some(number) = worker.model().output(name) else { return &[] as &[f32] };
            let len = worker.model().output_len(number);
            &worker.output(number)[first * len..(first + views) * len]
        };
        Rows { q: output("q"), q2: output("q2") }
    }
}

/// A legal move as the network knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The view that it belongs to.
    pub view: usize,
    /// Its number in `q`, and in `q2` if there are pairs.
    pub numbers: [u32; 2],
}

/// Which numbers of the outputs belong to an action.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Whether moves are pairs of what and where.
    pub pairs: bool,
    /// Numbers of `q` for each view, if they are not.
    width: usize,
}

impl Layout {
    /// Q of a move: of the move, or of what and of where.
    pub fn of(self, action: Action, rows: Rows<'_>) -> [f32; 2] {
        let [first, second] = action.numbers.map(|number| number as usize);
        if self.pairs {
            return [rows.q[action.view * rows.q.len() + first], rows.q2[second]];
        }
        [rows.q[action.view * self.width + first]; 2]
    }

    /// The place of the best of these actions: the greatest; for pairs the best of what can move, then the best of where
    /// that can go. The first of equals.
    fn best(self, actions: &[Action], rows: Rows<'_>) -> usize {
        let greatest = |of: &dyn Fn(Action) -> Option<f32>| {
            let rated = actions.iter().enumerate().filter_map(|(place, &action)| of(action).map(|q| (place, q)));
            rated.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(place, _)| place)
        };
        let place = greatest(&|action| Some(self.of(action, rows)[0]));
        if !self.pairs {
            return place;
        }
        let what = actions[place].numbers[0];
        greatest(&|action| (action.numbers[0] == what).then(|| self.of(action, rows)[1]))
    }
}

impl<P: Position> Reader<P> {
    /// Reads by an encoder, as pairs or not.
    pub fn new(encoder: Arc<dyn Encoder<P>>, pairs: bool) -> Reader<P> {
        Reader { pairs: pairs && encoder.pairs().is_some(), encoder }
    }

    /// How it reads positions.
    pub fn encoder(&self) -> &dyn Encoder<P> {
        self.encoder.as_ref()
    }

    /// Which numbers belong to which actions.
    pub fn layout(&self) -> Layout {
        Layout { pairs: self.pairs, width: self.encoder.policy_len() }
    }

    /// Appends all views of a position, and returns their number.
    pub fn encode(&self, position: &P, out: &mut Vec<f32>) -> usize {
        let (len, views) = (self.encoder.shape().len(), self.encoder.views(position));
        let start = out.len();
        out.resize(start + views * len, 0.0);
        for (view, out) in out[start..].chunks_exact_mut(len).enumerate() {
            self.encoder.encode(position, view, out);
        }
        views
    }

    /// A legal move as the network knows it.
    pub fn action(&self, position: &P, mv: P::Move) -> Action {
        match self.encoder.pairs().filter(|_| self.pairs) {
            Some(pairs) => {
                let (what, to) = pairs.pair(position, mv);
                Action { view: 0, numbers: [what as u32, to as u32] }
            }
            None => {
                let (view, index) = self.encoder.index(position, mv);
                Action { view, numbers: [index as u32, 0] }
            }
        }
    }

    /// The best of the legal moves, which are not empty, with its Q: the greatest; for pairs the best of what can move,
    /// then the best of where that can go. The first of equals.
    pub fn best(&self, position: &P, moves: &[P::Move], rows: Rows<'_>) -> (P::Move, [f32; 2]) {
        let actions: Vec<Action> = moves.iter().map(|&mv| self.action(position, mv)).collect();
        let layout = self.layout();
        let place = layout.best(&actions, rows);
        let values = layout.of(actions[place], rows);
        let Some(pairs) = self.encoder.pairs().filter(|_| self.pairs) else { return (moves[place], values) };
        let [what, to] = actions[place].numbers.map(|number| number as usize);
        (pairs.move_of(position, moves, (what, to)).unwrap_or(moves[place]), values)
    }
}
