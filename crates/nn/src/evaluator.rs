//! A network as an evaluator of positions.

use crate::cache::Cache;
use crate::infer::Worker;
use std::sync::Arc;
use tesuji_core::{Encoder, Evaluation, Evaluator, Leaf, Move, Position, Value, random};

/// A network does not fit a game's encoder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the network does not fit the encoder {encoder}: {problem}")]
pub struct Mismatch {
    encoder: String,
    problem: String,
}

/// Evaluates positions by a network with outputs `policy` and `value`, the value being the mover's.
///
/// A position with several views gets the mean of their values; each view's logits become probabilities over its own
/// legal moves, and the views share the whole equally, or each of them sums to 1 ([`whole_views`](Self::whole_views)).
pub struct NetworkEvaluator<P: Position> {
    encoder: Arc<dyn Encoder<P>>,
    worker: Worker,
    policy: usize,
    value: usize,
    cache: Option<Cache>,
    /// Whether each view's probabilities sum to 1 by themselves.
    whole: bool,
    evaluations: u64,
    /// Encoded views of the leaves that the cache does not know.
    views: Vec<f32>,
    /// The leaves that the cache does not know.
    asked: Vec<Asked>,
    softmax: Vec<Softmax>,
    /// (view, logit) of each move of a leaf.
    logits: Vec<(usize, f32)>,
}

/// A leaf that goes to the network.
#[derive(Clone, Copy)]
struct Asked {
    leaf: usize,
    /// Its first view, and their number.
    first: usize,
    views: usize,
    /// Its name in the cache.
    key: u64,
}

/// The softmax of one view.
#[derive(Clone, Copy)]
struct Softmax {
    greatest: f32,
    sum: f32,
}

impl<P: Position> NetworkEvaluator<P> {
    /// An evaluator on the calling thread.
    ///
    /// # Errors
    /// If the network's planes or policy are not the encoder's.
    pub fn new(
        encoder: Arc<dyn Encoder<P>>,
        worker: Worker,
        cache: Option<Cache>,
    ) -> Result<NetworkEvaluator<P>, Mismatch> {
        let mismatch = |problem: String| Mismatch { encoder: encoder.name().to_owned(), problem };
        let model = worker.model();
        if model.input() != encoder.shape() {
            return Err(mismatch(format!("it reads {:?}, the encoder writes {:?}", model.input(), encoder.shape())));
        }
        let output = |name: &str| model.output(name).ok_or_else(|| mismatch(format!("it has no output {name:?}")));
        let (policy, value) = (output("policy")?, output("value")?);
        if model.output_len(policy) != encoder.policy_len() {
            let (has, needs) = (model.output_len(policy), encoder.policy_len());
            return Err(mismatch(format!("its policy has {has} numbers, the encoder's {needs}")));
        }
        Ok(NetworkEvaluator {
            encoder,
            worker,
            policy,
            value,
            cache,
            whole: false,
            evaluations: 0,
            views: Vec::new(),
            asked: Vec::new(),
            softmax: Vec::new(),
            logits: Vec::new(),
        })
    }

    /// Whether the probabilities of each view of a position sum to 1 by themselves, or those of all views together,
    /// which is the default. It makes no difference where positions have one view.
    pub fn whole_views(mut self, whole: bool) -> NetworkEvaluator<P> {
        self.whole = whole;
        self
    }

    /// Views that went through the network so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The cache, if there is one.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// The evaluation of a leaf from the network's answer, beginning at view number `first`.
    fn read(&mut self, leaf: &Leaf<'_, P>, first: usize, views: usize, out: &mut Evaluation) {
        let len = self.encoder.policy_len();
        let policy = self.worker.output(self.policy);
        let values = &self.worker.output(self.value)[first..first + views];
        out.value = Value::from_side(leaf.position.mover(), values.iter().sum::<f32>() / views as f32);
        self.logits.clear();
        self.logits.extend(leaf.moves.iter().map(|&mv| {
            let (view, index) = self.encoder.index(leaf.position, mv);
            (view, policy[(first + view) * len + index])
        }));
        self.softmax.clear();
        self.softmax.resize(views, Softmax { greatest: f32::NEG_INFINITY, sum: 0.0 });
        for &(view, logit) in &self.logits {
            self.softmax[view].greatest = self.softmax[view].greatest.max(logit);
        }
        out.priors.clear();
        for &(view, logit) in &self.logits {
            let softmax = &mut self.softmax[view];
            let weight = (logit - softmax.greatest).exp();
            softmax.sum += weight;
            out.priors.push(weight);
        }
        let sharing = self.softmax.iter().filter(|softmax| softmax.sum > 0.0).count();
        let sharing = if self.whole { 1.0 } else { sharing as f32 };
        for (prior, &(view, _)) in out.priors.iter_mut().zip(&self.logits) {
            *prior /= self.softmax[view].sum * sharing;
        }
    }
}

impl<P: Position> Evaluator<P> for NetworkEvaluator<P> {
    fn refusal(&self, position: &P) -> Option<String> {
        self.encoder.refusal(position)
    }

    fn evaluate(&mut self, leaves: &[Leaf<'_, P>], out: &mut [Evaluation]) {
        let len = self.encoder.shape().len();
        self.views.clear();
        self.asked.clear();
        for (number, (leaf, out)) in leaves.iter().zip(out.iter_mut()).enumerate() {
            let first = self.views.len() / len;
            let views = self.encoder.views(leaf.position);
            self.views.resize((first + views) * len, 0.0);
            for (view, out) in self.views[first * len..].chunks_exact_mut(len).enumerate() {
                self.encoder.encode(leaf.position, view, out);
            }
            let mut key = 0;
            if let Some(cache) = &mut self.cache {
                key = cache_key(leaf, &self.views[first * len..]);
                if cache.get(key, leaf.moves.len(), out) {
                    self.views.truncate(first * len);
                    continue;
                }
            }
            self.asked.push(Asked { leaf: number, first, views, key });
        }
        self.worker.run(&self.views);
        self.evaluations += (self.views.len() / len) as u64;
        for at in 0..self.asked.len() {
            let Asked { leaf, first, views, key } = self.asked[at];
            self.read(&leaves[leaf], first, views, &mut out[leaf]);
            if let Some(cache) = &mut self.cache {
                cache.insert(key, &out[leaf]);
            }
        }
    }
}

/// A hash of all that an evaluation depends on: who moves, the moves in their order, and the planes.
///
/// Not the position's key alone: it leaves out the history, which encoders may read (repetitions, move counters), and a
/// cache that mixed such positions up would make results depend on what else has been evaluated.
fn cache_key<P: Position>(leaf: &Leaf<'_, P>, views: &[f32]) -> u64 {
    let mut key = leaf.position.key() ^ leaf.position.mover() as u64;
    for mv in leaf.moves {
        key = random::mix(key ^ u64::from(mv.to_bits()));
    }
    // Cheaper than `mix`, for thousands of numbers, most of them 0 or 1; the last step mixes it all.
    for pair in views.chunks(2) {
        let bits = pair.iter().fold(0, |bits, x| bits << 32 | u64::from(x.to_bits()));
        key = (key ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    random::mix(key)
}
