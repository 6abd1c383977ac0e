//! What training lowers.

use serde::{Deserialize, Serialize};

/// The loss of an output x against the expected result t: p = 1 / (1 + e^-x) should be t.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NnueLoss {
    /// (p - t)^2.
    #[default]
    Squared,
    /// |p - t|^exponent.
    Power {
        /// Above 1; 2.5 is usual.
        exponent: f32,
    },
    /// -t log p - (1 - t) log(1 - p).
    CrossEntropy,
}

/// The logistic function, by a library that is the same on every machine.
pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

impl NnueLoss {
    /// Checks the exponent.
    ///
    /// # Errors
    /// If it is not above 1 or not finite.
    pub(super) fn check(self) -> Result<(), String> {
        match self {
            NnueLoss::Power { exponent } if !(exponent > 1.0 && exponent <= 10.0) => {
                Err(format!("the exponent of the loss must be above 1 and at most 10, not {exponent}"))
            }
            _ => Ok(()),
        }
    }

    /// The loss and its derivative by the output.
    pub fn of(self, output: f32, target: f32) -> (f32, f32) {
        let p = logistic(output);
        let error = p - target;
        match self {
            NnueLoss::Squared => (error * error, 2.0 * error * p * (1.0 - p)),
            NnueLoss::Power { exponent } => {
                let slope = libm::powf(error.abs(), exponent - 1.0);
                (slope * error.abs(), exponent * slope.copysign(error) * p * (1.0 - p))
            }
            NnueLoss::CrossEntropy => {
                // log(1 + e^-x) + (1 - t) x, in the form that does not overflow.
                let loss = output.max(0.0) - target * output + libm::log1pf(libm::expf(-output.abs()));
                (loss, error)
            }
        }
    }
}
