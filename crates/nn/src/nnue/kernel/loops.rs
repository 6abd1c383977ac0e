//! The kernels, for any register.

#![expect(clippy::needless_range_loop, reason = "several arrays share an index that is a constant of the code")]

use super::lanes::Lanes;
use super::rows::Rows;

/// `to` = `from` - the removed rows + the added ones.
///
/// # Safety
/// `from` must be readable and `to` writable for one row, they are the same or do not overlap, and every input must
/// have a row.
#[inline(always)]
pub(super) unsafe fn change<V: Lanes>(rows: Rows<'_>, from: *const i16, removed: &[u32], added: &[u32], to: *mut i16) {
    let mut at = 0;
    while at < rows.width {
        // SAFETY: `at` and the registers behind it are within the row, and the caller vouches for the row.
        unsafe {
            match (rows.width - at) / V::LANES {
                8.. => at += change_tile::<V, 8>(rows, from, removed, added, to, at),
                4.. => at += change_tile::<V, 4>(rows, from, removed, added, to, at),
                2.. => at += change_tile::<V, 2>(rows, from, removed, added, to, at),
                _ => at += change_tile::<V, 1>(rows, from, removed, added, to, at),
            }
        }
    }
}

/// As [`change`], for so many registers of the row from `at` on; returns how many numbers they hold.
///
/// # Safety
/// As [`change`], and the registers must lie within the row.
#[inline(always)]
unsafe fn change_tile<V: Lanes, const REGISTERS: usize>(
    rows: Rows<'_>,
    from: *const i16,
    removed: &[u32],
    added: &[u32],
    to: *mut i16,
    at: usize,
) -> usize {
    // SAFETY: all pointers stay within the row that the caller vouches for, or within a row of the weights.
    unsafe {
        let mut tile = [V::load(from.add(at)); REGISTERS];
        for r in 1..REGISTERS {
            tile[r] = V::load(from.add(at + r * V::LANES));
        }
        for &number in removed {
            let row = rows.weights.as_ptr().add(number as usize * rows.width + at);
            for r in 0..REGISTERS {
                tile[r] = tile[r].sub(V::load(row.add(r * V::LANES)));
            }
        }
        for &number in added {
            let row = rows.weights.as_ptr().add(number as usize * rows.width + at);
            for r in 0..REGISTERS {
                tile[r] = tile[r].add(V::load(row.add(r * V::LANES)));
            }
        }
        for r in 0..REGISTERS {
            tile[r].store(to.add(at + r * V::LANES));
        }
    }
    REGISTERS * V::LANES
}

/// The activated hidden units of both perspectives times the weights.
///
/// # Safety
/// Both perspectives must have `width` numbers, a multiple of [`LANES`](crate::nnue::spec::LANES), and the weights twice that.
#[inline(always)]
pub(super) unsafe fn output<V: Lanes>(
    squared: bool,
    hidden: [*const i16; 2],
    weights: *const i16,
    width: usize,
) -> i32 {
    // SAFETY: indices stay below `width` in each perspective.
    unsafe {
        let mut sums = [V::zero(); 2];
        for side in 0..2 {
            let weights = weights.add(side * width);
            let mut at = 0;
            while at < width {
                let value = V::load(hidden[side].add(at)).activate(squared);
                sums[side] = value.dot(V::load(weights.add(at)), sums[side]);
                at += V::LANES;
            }
        }
        V::total(sums[0]) + V::total(sums[1])
    }
}

/// The activated hidden units of both perspectives, side by side.
///
/// # Safety
/// Both perspectives must have `width` numbers, a multiple of [`LANES`](crate::nnue::spec::LANES), and there must be room for twice that.
#[inline(always)]
pub(super) unsafe fn activate<V: Lanes>(squared: bool, hidden: [*const i16; 2], to: *mut i16, width: usize) {
    for side in 0..2 {
        let mut at = 0;
        while at < width {
            // SAFETY: `at` and the register behind it are below `width`.
            unsafe { V::load(hidden[side].add(at)).activate(squared).store(to.add(side * width + at)) };
            at += V::LANES;
        }
    }
}

/// Sums of inputs times weights, a row for each sum.
///
/// # Safety
/// The inputs must be whole multiples of [`LANES`](crate::nnue::spec::LANES), the weights a row of as many for each sum.
#[inline(always)]
pub(super) unsafe fn dense<V: Lanes>(inputs: &[i16], weights: *const i16, sums: &mut [i32]) {
    let (fours, rest) = sums.as_chunks_mut::<4>();
    // SAFETY: the rows are within the weights, a row for each sum.
    unsafe {
        for (n, four) in fours.iter_mut().enumerate() {
            let totals = V::totals(dense_rows::<V, 4>(inputs, weights.add(4 * n * inputs.len())));
            for row in 0..4 {
                four[row] += totals[row];
            }
        }
        for (n, one) in rest.iter_mut().enumerate() {
            let row = 4 * fours.len() + n;
            *one += V::total(dense_rows::<V, 1>(inputs, weights.add(row * inputs.len()))[0]);
        }
    }
}

/// Inputs times weights, for some rows at once.
///
/// # Safety
/// The inputs must be whole multiples of [`LANES`](crate::nnue::spec::LANES), the weights as many for each row.
#[inline(always)]
unsafe fn dense_rows<V: Lanes, const ROWS: usize>(inputs: &[i16], weights: *const i16) -> [V::Sums; ROWS] {
    // SAFETY: `at` and the register behind it are within the inputs, and so within each row of the weights.
    unsafe {
        let mut sums = [V::zero(); ROWS];
        let mut at = 0;
        while at < inputs.len() {
            let values = V::load(inputs.as_ptr().add(at));
            for row in 0..ROWS {
                sums[row] = values.dot(V::load(weights.add(row * inputs.len() + at)), sums[row]);
            }
            at += V::LANES;
        }
        sums
    }
}
