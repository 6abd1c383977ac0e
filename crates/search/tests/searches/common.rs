//! What several tests of trees share.

use tesuji_core::{Evaluation, Evaluator, Leaf, MoveList, Position, Side, Stream, Value};
use tesuji_search::mcts::{Fpu, Selection, TreeOptions};

/// Values and priors that depend on the position alone, as a network's do.
pub struct Hashed;

impl<P: Position> Evaluator<P> for Hashed {
    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        for (leaf, out) in leaves.iter().zip(out) {
            let mut random = Stream::new(leaf.position.key(), "hashed", 0);
            out.value = Value::new(random.unit() as f32 * 2.0 - 1.0);
            // Few moves are likely.
            out.priors = leaf.moves.iter().map(|_| random.unit().powi(4) as f32 + 1e-3).collect();
            let total: f32 = out.priors.iter().sum();
            out.priors.iter_mut().for_each(|prior| *prior /= total);
        }
    }
}

/// The tree that networks use.
pub fn puct() -> TreeOptions {
    let selection = Selection::Puct { c: 1.5, attack: 0.0, fpu: Fpu::Value(0.0) };
    TreeOptions { selection, expand_after: 0, ..TreeOptions::default() }
}

/// The true result for the first player, by looking at everything.
pub fn solve<P: Position>(position: &P) -> i32 {
    let mut moves = MoveList::new();
    match position.expand(&mut moves) {
        Some(outcome) => outcome.value().get() as i32,
        None => {
            let results = moves.into_iter().map(|mv| {
                let mut child = position.clone();
                child.play(mv);
                solve(&child)
            });
            if position.mover() == Side::First { results.max().unwrap() } else { results.min().unwrap() }
        }
    }
}
