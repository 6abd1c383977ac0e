//! Integer networks as plain data.

use crate::SpecError;
use serde::{Deserialize, Serialize};

/// What stands for 1 in the sums of the first layer.
pub const UNIT: i32 = 255;

/// The base-2 logarithm of what stands for 1 in activations: they fill 16 bits with sign.
pub(super) const ACTIVATION_BITS: u32 = 15;

/// Hidden units come in multiples of this: the widest register holds so many.
pub(super) const LANES: usize = 32;

/// Fewest and most bits behind the point of dense weights. The quantiser takes as many as cannot overflow; training
/// keeps the weights so small that the fewest always fit.
pub(super) const SHIFTS: std::ops::RangeInclusive<u32> = 6..=12;

/// The most hidden units of a perspective.
pub(super) const WIDEST: usize = 1024;

/// The most units of a dense layer.
pub(super) const WIDEST_DENSE: usize = 128;

const LARGEST_INPUTS: usize = 1 << 22;
const LARGEST_ROWS: usize = 1 << 28;
const MOST_ACTIVE: usize = 1000;
const MOST_DENSE: usize = 4;
const LARGEST_SCALE: u32 = 100_000;

/// What follows the first layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NnueActivation {
    /// The square of the sum cut to 0..1.
    #[default]
    SquaredClipped,
    /// The sum cut to 0..1.
    Clipped,
}

impl NnueActivation {
    /// What integer networks make of a full hidden unit, over 2^15: the quantiser makes up for it.
    pub(super) fn full(self) -> f64 {
        let unit = f64::from(UNIT);
        let full = match self {
            NnueActivation::SquaredClipped => unit * unit / 2.0,
            NnueActivation::Clipped => unit * 128.0,
        };
        full / f64::from(1 << ACTIVATION_BITS)
    }
}

/// An integer network: one first layer for both perspectives, side by side, then dense layers down to one number.
///
/// Dense layers between have clipped ReLU; none at all is the quickest form and the usual one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NnueSpec {
    /// The name of the features ([`tesuji_core::Features::name`]).
    pub features: String,
    /// Their version.
    pub features_version: u32,
    /// Inputs of a perspective.
    pub inputs: usize,
    /// Rows that inputs share in training; `inputs` if nothing is shared.
    pub shared_inputs: usize,
    /// The most inputs that are active at once in a perspective.
    pub most_active: usize,
    /// Hidden units of a perspective, a multiple of 32.
    pub width: usize,
    /// Units of the dense layers between the hidden units and the output.
    #[serde(default)]
    pub dense: Vec<usize>,
    /// What follows the first layer.
    #[serde(default)]
    pub activation: NnueActivation,
    /// Score units for one unit of the logistic scale: an output x is the score `scale` x and the expected result
    /// 1 / (1 + e^-x).
    pub scale: u32,
}

impl NnueSpec {
    /// Checks that the sizes make a network whose sums cannot overflow.
    ///
    /// # Errors
    /// With the first thing that is wrong, in one line.
    pub fn check(&self) -> Result<(), SpecError> {
        let within = |what: &str, number: usize, least: usize, most: usize| {
            let fits = (least..=most).contains(&number);
            fits.then_some(()).ok_or_else(|| SpecError::new(format!("{what} must be {least} to {most}, not {number}")))
        };
        if self.features.is_empty() || self.features.len() > 100 {
            return Err(SpecError::new("the name of the features must have 1 to 100 letters"));
        }
        within("inputs", self.inputs, 1, LARGEST_INPUTS)?;
        within("shared_inputs", self.shared_inputs, 1, self.inputs)?;
        within("most_active", self.most_active, 1, MOST_ACTIVE)?;
        within("width", self.width, LANES, WIDEST)?;
        if !self.width.is_multiple_of(LANES) {
            return Err(SpecError::new(format!("width must be a multiple of {LANES}, not {}", self.width)));
        }
        if self.inputs * self.width > LARGEST_ROWS {
            return Err(SpecError::new(format!("{} rows of {} weights are too many", self.inputs, self.width)));
        }
        within("dense layers", self.dense.len(), 0, MOST_DENSE)?;
        self.dense.iter().try_for_each(|&units| within("units of a dense layer", units, 1, WIDEST_DENSE))?;
        within("scale", self.scale as usize, 1, LARGEST_SCALE as usize)
    }

    /// The scale with which scores are in the unit of a heuristic h that means the value tanh(h / `heuristic_scale`):
    /// tanh(h / scale) is 2 p - 1 with p the logistic function of h / (scale / 2).
    pub fn usual_scale(heuristic_scale: f32) -> u32 {
        (heuristic_scale / 2.0).round().max(1.0) as u32
    }

    /// The largest size of an integer weight or bias of the first layer: so many fit into the sum of all that may be
    /// active and the bias.
    pub fn row_bound(&self) -> i16 {
        (i16::MAX as usize / (self.most_active + 1)) as i16
    }

    /// Inputs and outputs of the dense layers, the last one with its single output included.
    pub fn layers(&self) -> Vec<(usize, usize)> {
        let mut inputs = 2 * self.width;
        let mut layers = Vec::with_capacity(self.dense.len() + 1);
        for &outputs in self.dense.iter().chain(&[1]) {
            layers.push((inputs, outputs));
            inputs = outputs;
        }
        layers
    }

    /// The number of weights.
    pub fn parameters(&self) -> usize {
        let dense: usize = self.layers().iter().map(|(inputs, outputs)| (inputs + 1) * outputs).sum();
        (self.inputs + 1) * self.width + dense
    }
}
