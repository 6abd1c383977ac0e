//! The inner loops of integer networks, in three instruction sets that agree to the bit.
//!
//! They agree because nothing rounds and nothing overflows: sums of the first layer are modulo 2^16 and the bounds of
//! the weights keep them within it, sums of dense layers stay below 2^31 whatever their order.
//!
//! | file | what it holds |
//! |---|---|
//! | `lanes` | a register of 16-bit integers, as a trait |
//! | `rows` | the first layer |
//! | `loops` | the kernels, for any register |
//! | `paths` | the kernels by instruction set |
//! | `portable` | the same in plain Rust: any machine |
//! | `x86` | AVX2 and AVX-512 |

mod lanes;
mod loops;
mod paths;
mod portable;
mod rows;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::spec::LANES;
use crate::Isa;
use std::mem::MaybeUninit;

pub(super) use rows::Rows;

/// Starts an accumulator: `to` = `bias` + the active rows.
///
/// # Panics
/// If an input is not below the number of rows, or a slice is not one row long.
#[inline]
pub(super) fn refresh(isa: Isa, rows: Rows<'_>, bias: &[i16], active: &[u32], to: &mut [i16]) {
    assert!(bias.len() == rows.width && to.len() == rows.width, "one row");
    rows.check(active);
    // SAFETY: the slices are one row long, `bias` is readable and `to` writable, and all inputs have a row.
    unsafe { paths::change(isa, rows, bias.as_ptr(), &[], active, to.as_mut_ptr()) }
}

/// Moves an accumulator: `to` = `from` - the removed rows + the added ones.
///
/// # Panics
/// If an input is not below the number of rows, or a slice is not one row long.
#[inline]
pub(super) fn update(isa: Isa, rows: Rows<'_>, from: &[i16], removed: &[u32], added: &[u32], to: &mut [i16]) {
    assert!(from.len() == rows.width && to.len() == rows.width, "one row");
    rows.check(removed);
    rows.check(added);
    // SAFETY: the slices are one row long, `from` is readable and `to` writable, and all inputs have a row.
    unsafe { paths::change(isa, rows, from.as_ptr(), removed, added, to.as_mut_ptr()) }
}

/// As [`update`], in place.
///
/// # Panics
/// As [`update`].
#[inline]
pub(super) fn update_in_place(isa: Isa, rows: Rows<'_>, removed: &[u32], added: &[u32], to: &mut [i16]) {
    assert!(to.len() == rows.width, "one row");
    rows.check(removed);
    rows.check(added);
    let to = to.as_mut_ptr();
    // SAFETY: `to` is one row long and ours; each register is read before it is written. All inputs have a row.
    unsafe { paths::change(isa, rows, to, removed, added, to) }
}

/// The activated hidden units of both perspectives times the weights.
///
/// # Panics
/// If the slices have not one width for each perspective.
#[inline]
pub(super) fn output(isa: Isa, squared: bool, hidden: [&[i16]; 2], weights: &[i16]) -> i32 {
    let width = hidden[0].len();
    assert!(width.is_multiple_of(LANES) && hidden[1].len() == width && weights.len() == 2 * width, "one width");
    // SAFETY: the slices have the lengths that the kernel reads.
    unsafe { paths::output(isa, squared, hidden.map(<[i16]>::as_ptr), weights.as_ptr(), width) }
}

/// Activates the hidden units of both perspectives, side by side.
///
/// # Panics
/// If the slices have not one width for each perspective.
#[inline]
pub(super) fn activate(isa: Isa, squared: bool, hidden: [&[i16]; 2], to: &mut [MaybeUninit<i16>]) {
    let width = hidden[0].len();
    assert!(width.is_multiple_of(LANES) && hidden[1].len() == width && to.len() == 2 * width, "one width");
    // SAFETY: the slices have the lengths that the kernel reads and writes.
    unsafe { paths::activate(isa, squared, hidden.map(<[i16]>::as_ptr), to.as_mut_ptr().cast(), width) }
}

/// A dense layer: `sums` += inputs times weights, one row of weights for each sum.
///
/// # Panics
/// If the inputs are no whole registers, or the weights not a row for each sum.
#[inline]
pub(super) fn dense(isa: Isa, inputs: &[i16], weights: &[i16], sums: &mut [i32]) {
    assert!(inputs.len().is_multiple_of(LANES) && weights.len() == inputs.len() * sums.len(), "a row for each sum");
    // SAFETY: the weights are a row for each sum.
    unsafe { paths::dense(isa, inputs, weights.as_ptr(), sums) }
}
