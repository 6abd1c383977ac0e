//! Q as a judge of positions for tree search.

use super::q::{Reader, Rows};
use std::sync::Arc;
use tesuji_core::{Evaluation, Evaluator, Leaf, Position, Stream, Value};
use tesuji_nn::Worker;
use tesuji_search::mcts::{Fpu, RootOptions, Selection, Tree, TreeOptions};

/// How far apart Q values must be for priors to tell them apart: priors are the softmax of Q over this.
const PRIOR_TEMPERATURE: f32 = 0.1;

/// Judges a position by its best Q, and moves by the softmax of theirs.
pub struct QEvaluator<P: Position> {
    reader: Arc<Reader<P>>,
    worker: Worker,
    views: Vec<f32>,
    /// Views that went through the network so far.
    pub evaluations: u64,
}

impl<P: Position> QEvaluator<P> {
    /// A judge on the calling thread.
    pub fn new(reader: Arc<Reader<P>>, worker: Worker) -> QEvaluator<P> {
        QEvaluator { reader, worker, views: Vec::new(), evaluations: 0 }
    }

    /// What the mover gets by a tree search of so many simulations.
    pub fn searched(&mut self, position: &P, simulations: u64) -> f32 {
        let selection = Selection::Puct { c: 1.5, attack: 0.0, fpu: Fpu::Parent(0.2) };
        let options = TreeOptions { selection, expand_after: 0, ..TreeOptions::default() };
        let mut tree = Tree::new(position, options, RootOptions::default());
        tree.begin(position, simulations, Stream::new(0, "target", 0));
        let mut evaluations = [Evaluation::default()];
        while tree.simulations() < simulations && tree.proof().is_none() {
            let left = simulations - tree.simulations();
            if tree.gather(1, left) == 0 {
                continue;
            }
            let leaves: Vec<Leaf<'_, P>> = tree.leaves().collect();
            self.evaluate(&leaves, &mut evaluations[..leaves.len()]);
            let count = leaves.len();
            drop(leaves);
            tree.apply(&evaluations[..count]);
        }
        tree.value().for_side(position.mover())
    }
}

impl<P: Position> Evaluator<P> for QEvaluator<P> {
    fn refusal(&self, position: &P) -> Option<String> {
        self.reader.encoder().refusal(position)
    }

    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        self.views.clear();
        let counts: Vec<usize> = leaves.iter().map(|leaf| self.reader.encode(leaf.position, &mut self.views)).collect();
        if self.views.is_empty() {
            return;
        }
        self.worker.run(&self.views);
        let layout = self.reader.layout();
        let mut first = 0;
        for ((leaf, count), out) in leaves.iter().zip(counts).zip(out) {
            let rows = Rows::of(&self.worker, first, count);
            first += count;
            self.evaluations += count as u64;
            // For pairs, a move is worth the mean of what and where.
            let q = |mv: P::Move| layout.of(self.reader.action(leaf.position, mv), rows).iter().sum::<f32>() / 2.0;
            out.priors.clear();
            out.priors.extend(leaf.moves.iter().map(|&mv| q(mv)));
            let best = out.priors.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            out.value = Value::from_side(leaf.position.mover(), best.clamp(-1.0, 1.0));
            out.priors.iter_mut().for_each(|prior| *prior = ((*prior - best) / PRIOR_TEMPERATURE).exp());
            let sum: f32 = out.priors.iter().sum();
            out.priors.iter_mut().for_each(|prior| *prior /= sum);
        }
    }
}
