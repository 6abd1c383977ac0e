//! The tiny form of an experiment.

use super::experiment::Experiment;

impl Experiment {
    /// Makes an experiment as small as it can be without leaving anything out: one generation, in seconds.
    pub fn shrink(&mut self) {
        self.budget = "1".to_owned();
        self.network.shrink();
        self.selfplay.shrink();
        self.method.shrink();
        self.training.shrink();
        self.measure.shrink();
    }
}
