//! Rows times packed weights: convolutions, dense layers and the products inside Winograd's method.

use super::buffer::Buffer;
use super::isa::Isa;
use super::plan::{MOST_ROWS, OFF_BOARD, Plan, Tap, Tile};
use super::portable::Eight;
use super::vector::Vector;
use rayon::prelude::*;

/// Weights in the order in which the kernel reads them: panels of [`Isa::panel`] output channels, and in each
/// `[tap][input channel][channel of the panel]`.
#[derive(Clone)]
pub(crate) struct Packed {
    isa: Isa,
    taps: usize,
    inputs: usize,
    outputs: usize,
    weights: Buffer,
    bias: Buffer,
    /// A row of inputs that lies off the board.
    zeros: Buffer,
}

impl Packed {
    /// Packs weights that lie as `[tap][input][output]`; no bias means zeros.
    pub fn new(isa: Isa, taps: usize, inputs: usize, outputs: usize, weights: &[f32], bias: Option<&[f32]>) -> Packed {
        let padded = isa.stride(outputs);
        let mut packed = Packed {
            isa,
            taps,
            inputs,
            outputs,
            weights: Buffer::zeros(taps * inputs * padded),
            bias: Buffer::zeros(padded),
            zeros: Buffer::zeros(inputs),
        };
        packed.repack(weights, bias);
        packed
    }

    /// Packs other weights of the same shape.
    pub fn repack(&mut self, weights: &[f32], bias: Option<&[f32]>) {
        if let Some(bias) = bias {
            self.bias[..self.outputs].copy_from_slice(bias);
        }
        assert_eq!(weights.len(), self.taps * self.inputs * self.outputs, "weights of another shape");
        let width = self.isa.panel();
        let panel_len = self.taps * self.inputs * width;
        for (number, panel) in self.weights.chunks_exact_mut(panel_len).enumerate() {
            let first = number * width;
            let used = width.min(self.outputs - first);
            for (to, from) in panel.chunks_exact_mut(width).zip(weights.chunks_exact(self.outputs)) {
                to[..used].copy_from_slice(&from[first..first + used]);
            }
        }
    }

    /// Numbers that it keeps.
    pub fn len(&self) -> usize {
        self.weights.len() + self.bias.len()
    }

    /// Output channels.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Input channels of each tap.
    pub fn inputs(&self) -> usize {
        self.inputs
    }
}

/// What is added to the products before the activation.
#[derive(Clone, Copy)]
pub(crate) enum Skip<'a> {
    /// Nothing but the bias.
    None,
    /// These numbers, laid out as the output.
    Add(&'a [f32]),
    /// What the output held before: gradients from several sides add up.
    Accumulate,
}

/// What is done to the products before they are stored.
#[derive(Clone, Copy)]
pub(crate) struct Epilogue<'a> {
    /// The skip connection.
    pub skip: Skip<'a>,
    /// Whether negative results become 0.
    pub relu: bool,
}

impl Epilogue<'_> {
    /// Only the bias.
    pub const PLAIN: Epilogue<'static> = Epilogue { skip: Skip::None, relu: false };
}

/// The pointers of one panel's pass over the tiles.
struct Pass<'a> {
    taps: &'a [Tap],
    x: *const f32,
    x_stride: usize,
    inputs: usize,
    zeros: *const f32,
    weights: *const f32,
    bias: *const f32,
    skip: *const f32,
    out: *mut f32,
    out_stride: usize,
    relu: bool,
}

/// out = activation(x * weights + bias + skip), row by row as the plan says.
///
/// `x` has rows of `Isa::stride(inputs)`, `out` and the skip rows of `Isa::stride(outputs)`.
///
/// # Panics
/// If a slice is shorter than the plan's rows, or the instruction set is not there.
pub(crate) fn multiply(plan: &Plan, packed: &Packed, x: &[f32], out: &mut [f32], epilogue: Epilogue<'_>) {
    multiply_on(Threads::One, plan, packed, x, out, epilogue);
}

/// Who multiplies.
#[derive(Clone, Copy)]
pub(crate) enum Threads {
    /// The calling thread.
    One,
    /// The current pool of rayon. The sums are the same: threads share out rows, never a sum.
    Pool,
}

/// [`multiply`] on one thread or several.
pub(crate) fn multiply_on(
    threads: Threads,
    plan: &Plan,
    packed: &Packed,
    x: &[f32],
    out: &mut [f32],
    epilogue: Epilogue<'_>,
) {
    let isa = packed.isa;
    let (x_stride, out_stride) = (isa.stride(packed.inputs), isa.stride(packed.outputs));
    assert!(isa.is_available(), "{isa:?} is not on this machine");
    assert_eq!(plan.tap_count, packed.taps, "a plan for another kernel");
    assert!(x.len() >= plan.inputs * x_stride && out.len() >= plan.outputs * out_stride, "rows are missing");
    let out_ptr = out.as_mut_ptr();
    let skip = match epilogue.skip {
        Skip::None => std::ptr::null(),
        Skip::Add(skip) => {
            assert!(skip.len() >= plan.outputs * out_stride, "rows of the skip are missing");
            skip.as_ptr()
        }
        Skip::Accumulate => out_ptr.cast_const(),
    };
    let job = Job { packed, x: x.as_ptr(), skip, out: out_ptr, relu: epilogue.relu };
    // SAFETY: the instruction set was checked. Tiles name rows below `plan.inputs` and `plan.outputs`, for which the
    // lengths were checked; each output row is named by one tile only, so no two threads write the same one.
    unsafe {
        match threads {
            Threads::One => job.run(plan, &plan.tiles),
            Threads::Pool => {
                plan.tiles.par_chunks(plan.tiles.len().div_ceil(TASKS)).for_each(|tiles| job.run(plan, tiles))
            }
        }
    }
}

/// Parts that a multiplication is cut into for several threads: enough for their loads to even out.
const TASKS: usize = 32;

/// A multiplication whose slices have been checked.
struct Job<'a> {
    packed: &'a Packed,
    x: *const f32,
    skip: *const f32,
    out: *mut f32,
    relu: bool,
}

// SAFETY: the pointers stand for slices that are borrowed while the job runs; threads read `x` and the skip, and write
// rows of `out` (or read them as the skip) that belong to their own tiles.
unsafe impl Sync for Job<'_> {}

impl Job<'_> {
    /// Some of the plan's tiles, panel by panel, so that a panel's weights stay in the cache.
    ///
    /// # Safety
    /// The instruction set is there, the slices behind the pointers have the plan's rows, and no other thread is busy
    /// with the same tiles.
    unsafe fn run(&self, plan: &Plan, tiles: &[Tile]) {
        let packed = self.packed;
        let isa = packed.isa;
        let panel_len = packed.taps * packed.inputs * isa.panel();
        for (number, panel) in packed.weights.chunks_exact(panel_len).enumerate() {
            let first = number * isa.panel();
            let pass = Pass {
                taps: &plan.taps,
                x: self.x,
                x_stride: isa.stride(packed.inputs),
                inputs: packed.inputs,
                zeros: packed.zeros.as_ptr(),
                weights: panel.as_ptr(),
                bias: packed.bias[first..].as_ptr(),
                skip: if self.skip.is_null() { self.skip } else { self.skip.wrapping_add(first) },
                out: self.out.wrapping_add(first),
                out_stride: isa.stride(packed.outputs),
                relu: self.relu,
            };
            // SAFETY: a panel reads `inputs` numbers of a row, at most its stride, and writes its own columns of an
            // output row, which the stride pads to whole panels; the rest is the caller's contract.
            unsafe {
                match isa {
                    Isa::Portable => run::<Eight>(tiles, &pass),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => run_avx2(tiles, &pass),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => run_avx512(tiles, &pass),
                    #[cfg(not(target_arch = "x86_64"))]
                    _ => unreachable!("not available"),
                }
            }
        }
    }
}

/// [`run`] by AVX2 and FMA.
///
/// # Safety
/// As [`run`], and the machine must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2(tiles: &[Tile], pass: &Pass<'_>) {
    // SAFETY: the caller's contract.
    unsafe { run::<std::arch::x86_64::__m256>(tiles, pass) }
}

/// [`run`] by AVX-512.
///
/// # Safety
/// As [`run`], and the machine must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn run_avx512(tiles: &[Tile], pass: &Pass<'_>) {
    // SAFETY: the caller's contract.
    unsafe { run::<std::arch::x86_64::__m512>(tiles, pass) }
}

/// Tiles of one panel; the number of rows is a constant of the code, so that the sums stay in registers.
///
/// # Safety
/// `V`'s instruction set must be there; every row that the tiles and their taps name must lie within the slices behind
/// the pass's pointers, and no other thread may use the tiles' output rows.
#[inline(always)]
unsafe fn run<V: Vector>(tiles: &[Tile], pass: &Pass<'_>) {
    for tile in tiles {
        let taps = &pass.taps[tile.taps.clone()];
        // SAFETY: the caller's contract.
        unsafe {
            match tile.count {
                1 => one_tile::<V, 1>(tile, taps, pass),
                2 => one_tile::<V, 2>(tile, taps, pass),
                3 => one_tile::<V, 3>(tile, taps, pass),
                4 => one_tile::<V, 4>(tile, taps, pass),
                5 => one_tile::<V, 5>(tile, taps, pass),
                6 => one_tile::<V, 6>(tile, taps, pass),
                7 if V::LANES == 16 => one_tile::<V, 7>(tile, taps, pass),
                8 if V::LANES == 16 => one_tile::<V, 8>(tile, taps, pass),
                9 if V::LANES == 16 => one_tile::<V, 9>(tile, taps, pass),
                10 if V::LANES == 16 => one_tile::<V, 10>(tile, taps, pass),
                11 if V::LANES == 16 => one_tile::<V, 11>(tile, taps, pass),
                12 if V::LANES == 16 => one_tile::<V, 12>(tile, taps, pass),
                _ => unreachable!("tiles have at most as many rows as the instruction set allows"),
            }
        }
    }
}

/// One tile of `ROWS` rows: the sums of all taps, then bias, skip and activation.
///
/// # Safety
/// As [`run`], for this tile, whose count is `ROWS`.
#[inline(always)]
unsafe fn one_tile<V: Vector, const ROWS: usize>(tile: &Tile, taps: &[Tap], pass: &Pass<'_>) {
    const { assert!(ROWS <= MOST_ROWS) }
    // SAFETY: the caller's contract: every row named by the tile lies within the slices behind the pointers.
    unsafe {
        let mut sums = [[V::splat(0.0); 2]; ROWS];
        for tap in taps {
            let mut weights = pass.weights.add(tap.weights as usize * pass.inputs * 2 * V::LANES);
            let mut rows = [pass.zeros; ROWS];
            for i in 0..ROWS {
                if tap.sources[i] != OFF_BOARD {
                    rows[i] = pass.x.add(tap.sources[i] as usize * pass.x_stride);
                }
            }
            for channel in 0..pass.inputs {
                let w = [V::load(weights), V::load(weights.add(V::LANES))];
                for i in 0..ROWS {
                    let x = V::splat(*rows[i].add(channel));
                    sums[i][0] = x.mul_add(w[0], sums[i][0]);
                    sums[i][1] = x.mul_add(w[1], sums[i][1]);
                }
                weights = weights.add(2 * V::LANES);
            }
        }
        for i in 0..ROWS {
            let row = tile.rows[i] as usize * pass.out_stride;
            for half in 0..2 {
                let column = half * V::LANES;
                let mut y = sums[i][half].add(V::load(pass.bias.add(column)));
                if !pass.skip.is_null() {
                    y = y.add(V::load(pass.skip.add(row + column)));
                }
                if pass.relu {
                    y = y.max(V::splat(0.0));
                }
                y.store(pass.out.add(row + column));
            }
        }
    }
}
