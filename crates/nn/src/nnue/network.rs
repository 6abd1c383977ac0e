//! An integer network at work: accumulators and scores.

use super::kernel;
use super::lines::Lines;
use super::spec::{ACTIVATION_BITS, LANES, NnueActivation, NnueSpec, SHIFTS, WIDEST, WIDEST_DENSE};
use crate::{Isa, SpecError};
use std::mem::MaybeUninit;
use tesuji_core::{FeatureChanges, Side};

/// The numbers of an integer network, as files hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NnueWeights {
    /// The first layer, a row of `width` numbers for each input, in units of 1/255.
    pub rows: Vec<i16>,
    /// The bias of the first layer.
    pub bias: Vec<i16>,
    /// The dense layers; the last one has one output.
    pub layers: Vec<NnueLayer>,
}

/// The numbers of a dense layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NnueLayer {
    /// A row for each output, in units of 2^-shift.
    pub weights: Vec<i16>,
    /// One for each output, in units of 2^-(15 + shift).
    pub bias: Vec<i32>,
    /// Bits behind the point of the weights.
    pub shift: u32,
}

/// A dense layer with its rows on whole cache lines.
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    weights: Lines,
    bias: Vec<i32>,
    shift: u32,
    inputs: usize,
}

/// An integer network, ready to evaluate.
#[derive(Clone, Debug, PartialEq)]
pub struct NnueNetwork {
    spec: NnueSpec,
    isa: Isa,
    rows: Lines,
    bias: Lines,
    layers: Vec<Layer>,
}

/// The sums of the first layer for both perspectives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulator {
    sums: Lines,
}

impl Accumulator {
    #[inline]
    fn side(&self, side: Side) -> &[i16] {
        let width = self.sums.len() / 2;
        &self.sums[side.index() * width..][..width]
    }

    #[inline]
    fn side_mut(&mut self, side: Side) -> &mut [i16] {
        let width = self.sums.len() / 2;
        &mut self.sums[side.index() * width..][..width]
    }
}

impl NnueNetwork {
    /// A network of these numbers, on the best instruction set of this machine.
    ///
    /// # Errors
    /// If the specification makes no network, a size is not the specification's, or a sum could overflow; in one line.
    pub fn new(spec: NnueSpec, weights: &NnueWeights) -> Result<NnueNetwork, SpecError> {
        spec.check()?;
        let sizes = |what: &str, has: usize, needs: usize| {
            let right = has == needs;
            right.then_some(()).ok_or_else(|| SpecError::new(format!("{what}: {has} numbers, not {needs}")))
        };
        sizes("rows", weights.rows.len(), spec.inputs * spec.width)?;
        sizes("bias", weights.bias.len(), spec.width)?;
        let bound = spec.row_bound();
        if let Some(number) = weights.rows.iter().chain(&weights.bias).find(|n| n.unsigned_abs() > bound as u16) {
            let most = spec.most_active;
            return Err(SpecError::new(format!("weight {number}: sums of {most} beyond {bound} could overflow")));
        }
        let shapes = spec.layers();
        sizes("dense layers", weights.layers.len(), shapes.len())?;
        let mut layers = Vec::with_capacity(shapes.len());
        for (number, (layer, &(inputs, outputs))) in weights.layers.iter().zip(&shapes).enumerate() {
            let what = format!("dense layer {}", number + 1);
            sizes(&what, layer.weights.len(), inputs * outputs)?;
            sizes(&what, layer.bias.len(), outputs)?;
            if !SHIFTS.contains(&layer.shift) {
                return Err(SpecError::new(format!("{what}: {} bits behind the point", layer.shift)));
            }
            if !layer.weights.chunks_exact(inputs).zip(&layer.bias).all(|(row, &bias)| fits(row, bias)) {
                return Err(SpecError::new(format!("{what}: its sums could overflow")));
            }
            let weights = Lines::rows(&layer.weights, inputs);
            layers.push(Layer { weights, bias: layer.bias.clone(), shift: layer.shift, inputs });
        }
        let (rows, bias) = (Lines::rows(&weights.rows, spec.width), Lines::rows(&weights.bias, spec.width));
        Ok(NnueNetwork { spec, isa: Isa::best(), rows, bias, layers })
    }

    /// Takes this instruction set instead of the best one; results are the same to the bit.
    ///
    /// # Panics
    /// If this machine lacks it.
    #[must_use]
    pub fn with_isa(mut self, isa: Isa) -> NnueNetwork {
        assert!(isa.is_available(), "{isa:?} is not on this machine");
        self.isa = isa;
        self
    }

    /// What it is.
    pub fn spec(&self) -> &NnueSpec {
        &self.spec
    }

    /// The instruction set that it runs on.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Its numbers.
    pub fn weights(&self) -> NnueWeights {
        let layer = |layer: &Layer| {
            let stride = layer.inputs.next_multiple_of(LANES);
            let rows = layer.weights.chunks_exact(stride).flat_map(|row| &row[..layer.inputs]);
            NnueLayer { weights: rows.copied().collect(), bias: layer.bias.clone(), shift: layer.shift }
        };
        NnueWeights {
            rows: self.rows.to_vec(),
            bias: self.bias.to_vec(),
            layers: self.layers.iter().map(layer).collect(),
        }
    }

    /// An accumulator of this network, with nothing active.
    pub fn accumulator(&self) -> Accumulator {
        let mut accumulator = Accumulator { sums: Lines::zeros(2 * self.spec.width) };
        Side::BOTH.into_iter().for_each(|side| self.refresh(&mut accumulator, side, &[]));
        accumulator
    }

    #[inline]
    fn first_layer(&self) -> kernel::Rows<'_> {
        kernel::Rows::new(&self.rows, self.spec.width, self.spec.inputs)
    }

    /// Sets a perspective to these active inputs.
    ///
    /// # Panics
    /// If an input is not below the number of inputs, or the accumulator is another network's.
    pub fn refresh(&self, accumulator: &mut Accumulator, side: Side, active: &[u32]) {
        kernel::refresh(self.isa, self.first_layer(), &self.bias, active, accumulator.side_mut(side));
    }

    /// Moves a perspective by what a move switched off and on.
    ///
    /// # Panics
    /// As [`refresh`](Self::refresh).
    pub fn update(&self, accumulator: &mut Accumulator, side: Side, changes: &FeatureChanges) {
        let to = accumulator.side_mut(side);
        kernel::update_in_place(self.isa, self.first_layer(), &changes.removed, &changes.added, to);
    }

    /// Sets a perspective of `to` to that of `from` moved by the changes: one step up a search's stack.
    ///
    /// # Panics
    /// As [`refresh`](Self::refresh).
    pub fn update_from(&self, from: &Accumulator, to: &mut Accumulator, side: Side, changes: &FeatureChanges) {
        let (from, to) = (from.side(side), to.side_mut(side));
        kernel::update(self.isa, self.first_layer(), from, &changes.removed, &changes.added, to);
    }

    /// The score for the side to move, in units of the heuristic: `scale` for one unit of the logistic scale.
    ///
    /// # Panics
    /// If the accumulator is another network's.
    pub fn evaluate(&self, accumulator: &Accumulator, mover: Side) -> i32 {
        let hidden = [accumulator.side(mover), accumulator.side(mover.other())];
        let squared = self.spec.activation == NnueActivation::SquaredClipped;
        let (sum, shift) = match &self.layers[..] {
            [last] => (kernel::output(self.isa, squared, hidden, &last.weights) + last.bias[0], last.shift),
            layers => self.dense(layers, squared, hidden),
        };
        // At most 31 + 17 bits before the shift by 21 or more.
        ((i64::from(sum) * i64::from(self.spec.scale)) >> (ACTIVATION_BITS + shift)) as i32
    }

    /// The output of several dense layers, and the bits behind the point of its weights.
    fn dense(&self, layers: &[Layer], squared: bool, hidden: [&[i16]; 2]) -> (i32, u32) {
        let mut activated = [const { MaybeUninit::<i16>::uninit() }; 2 * WIDEST];
        let activated = &mut activated[..2 * self.spec.width];
        kernel::activate(self.isa, squared, hidden, activated);
        // SAFETY: the kernel wrote all of it, and both types have the same layout.
        let activated = unsafe { std::slice::from_raw_parts(activated.as_ptr().cast::<i16>(), activated.len()) };
        let mut values = [0; WIDEST_DENSE];
        let mut sums = [0; WIDEST_DENSE];
        for (number, layer) in layers.iter().enumerate() {
            let inputs = if number == 0 { activated } else { &values[..layer.inputs.next_multiple_of(LANES)] };
            let sums = &mut sums[..layer.bias.len()];
            sums.copy_from_slice(&layer.bias);
            kernel::dense(self.isa, inputs, &layer.weights, sums);
            for (value, &sum) in values.iter_mut().zip(sums.iter()) {
                *value = (sum >> layer.shift).clamp(0, i32::from(i16::MAX)) as i16;
            }
            // The next layer reads whole registers.
            values[sums.len()..sums.len().next_multiple_of(LANES)].fill(0);
        }
        (sums[0], layers[layers.len() - 1].shift)
    }

    /// The score of a position by its active inputs, for the side to move: both perspectives from the start.
    ///
    /// # Panics
    /// As [`refresh`](Self::refresh).
    pub fn score(&self, mover: &[u32], other: &[u32]) -> i32 {
        let mut accumulator = self.accumulator();
        self.refresh(&mut accumulator, Side::First, mover);
        self.refresh(&mut accumulator, Side::Second, other);
        self.evaluate(&accumulator, Side::First)
    }
}

/// Whether the sum of full activations times the weights stays within 32 bits, added up in any order.
pub(super) fn fits(weights: &[i16], bias: i32) -> bool {
    let size: i64 = weights.iter().map(|weight| i64::from(weight.unsigned_abs())).sum();
    size * i64::from(i16::MAX) + i64::from(bias.unsigned_abs()) <= i64::from(i32::MAX)
}
