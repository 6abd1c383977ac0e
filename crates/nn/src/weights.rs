//! The numbers of a network.

use crate::graph::{Graph, Init, Parameter};
use tesuji_core::Stream;

/// The tensors of a network, in the order of [`Graph::parameters`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    tensors: Vec<Vec<f32>>,
}

impl Weights {
    /// Fresh weights; each tensor has a random stream of its own, so the same seed always gives the same numbers.
    pub fn init(graph: &Graph, seed: u64) -> Weights {
        let tensors = graph.parameters().enumerate().map(|(index, parameter)| init_tensor(parameter, seed, index));
        Weights { tensors: tensors.collect() }
    }

    /// Weights from tensors in the network's order.
    ///
    /// # Panics
    /// If their number or a length is not the network's: files are checked before this.
    pub fn from_tensors(graph: &Graph, tensors: Vec<Vec<f32>>) -> Weights {
        let weights = Weights { tensors };
        assert!(weights.fit(graph), "tensors of another network");
        weights
    }

    /// Whether these have the number and sizes of the network's parameters.
    pub fn fit(&self, graph: &Graph) -> bool {
        graph.parameters().map(Parameter::len).eq(self.tensors.iter().map(Vec::len))
    }

    /// All tensors.
    pub fn tensors(&self) -> &[Vec<f32>] {
        &self.tensors
    }

    /// All tensors, to be changed in place.
    pub fn tensors_mut(&mut self) -> &mut [Vec<f32>] {
        &mut self.tensors
    }

    /// Whether every number is finite: a diverged training is best noticed before its weights are kept.
    pub fn all_finite(&self) -> bool {
        self.tensors.iter().flatten().all(|x| x.is_finite())
    }
}

fn init_tensor(parameter: &Parameter, seed: u64, index: usize) -> Vec<f32> {
    match parameter.init {
        Init::Constant(value) => vec![value; parameter.len()],
        Init::Uniform(deviation) => {
            let mut stream = Stream::new(seed, "weights", index as u64);
            // A uniform distribution over -w..w has the deviation w / sqrt(3).
            let width = f64::from(deviation) * 3_f64.sqrt();
            (0..parameter.len()).map(|_| ((2.0 * stream.unit() - 1.0) * width) as f32).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use tesuji_core::Shape;

    #[test]
    fn weights_follow_the_seed_and_the_deviation() {
        let graph = Spec::alpha_zero(Shape { planes: 31, height: 5, width: 5 }, 1, 64, 100).graph().unwrap();
        let weights = Weights::init(&graph, 7);
        assert_eq!(weights, Weights::init(&graph, 7));
        assert_ne!(weights, Weights::init(&graph, 8));
        let stem = &weights.tensors()[0];
        let variance = stem.iter().map(|x| x * x).sum::<f32>() / stem.len() as f32;
        assert!((variance / (2.0 / (9.0 * 31.0)) - 1.0).abs() < 0.05, "{variance}");
        assert!(weights.all_finite());
    }

    #[test]
    fn initial_weights_are_fixed_for_ever() {
        // Golden bits: a change here would change every recorded run.
        let graph = Spec::dqn_small(Shape { planes: 2, height: 3, width: 3 }, 9, false).graph().unwrap();
        let weights = Weights::init(&graph, 1);
        let bits: Vec<u32> = weights.tensors()[0][..3].iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits, [1056306689, 3190890594, 1051658708]);
    }
}
