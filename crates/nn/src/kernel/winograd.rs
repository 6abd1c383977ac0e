//! Winograd's method for 3x3 convolutions: fewer multiplications, at the price of two linear transforms.
//!
//! An m x m tile of outputs depends on an a x a tile of inputs, a = m + 2. With the Cook-Toom matrices A, B and G of
//! the points 0, 1, -1, 2, -2, 1/2 and infinity,
//!
//! ```text
//! Y = A^T [ (G g G^T) . (B^T d B) ] A
//! ```
//!
//! where the dot multiplies element by element. Over all channels, each of the a*a elements is a matrix product of
//! its own. A 5x5 board is one tile of m = 5: 49 multiplications instead of the 169 that stay on the board.

use super::buffer::Buffer;
use super::isa::Isa;
use super::multiply::{Epilogue, Packed, Skip, multiply};
use super::plan::Plan;
use super::portable::Eight;
use super::vector::Vector;
use tesuji_core::Shape;

/// The evaluation points; the last one of a tile is infinity.
const POINTS: [f64; 6] = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5];

/// The Cook-Toom matrices of tiles of `M` outputs and `A` = `M` + 2 inputs, as constants of the code: coefficients
/// that are 0 then cost nothing.
struct Matrices<const M: usize, const A: usize>;

impl<const M: usize, const A: usize> Matrices<M, A> {
    /// B transposed: row j holds the coefficients of the product of (x - p) over all points p but the j-th.
    const INPUT: [[f32; A]; A] = {
        let mut rows = [[0.0_f32; A]; A];
        let mut j = 0;
        while j < A {
            let mut polynomial = [0.0_f64; A];
            polynomial[0] = 1.0;
            let mut q = 0;
            while q < A - 1 {
                if q != j {
                    let mut degree = A - 1;
                    while degree > 0 {
                        polynomial[degree] = polynomial[degree - 1] - POINTS[q] * polynomial[degree];
                        degree -= 1;
                    }
                    polynomial[0] *= -POINTS[q];
                }
                q += 1;
            }
            let mut i = 0;
            while i < A {
                rows[j][i] = polynomial[i] as f32;
                i += 1;
            }
            j += 1;
        }
        rows
    };

    /// A transposed: powers of the points.
    const OUTPUT: [[f32; A]; M] = {
        let mut rows = [[0.0_f32; A]; M];
        let mut j = 0;
        while j < A - 1 {
            let mut power = 1.0;
            let mut i = 0;
            while i < M {
                rows[i][j] = power as f32;
                power *= POINTS[j];
                i += 1;
            }
            j += 1;
        }
        rows[M - 1][A - 1] = 1.0;
        rows
    };
}

/// G: powers of the points over the products of their differences, row `j`.
fn filter_row(tile: usize, j: usize) -> [f64; 3] {
    let finite = &POINTS[..tile + 1];
    let Some(&point) = finite.get(j) else { return [0.0, 0.0, 1.0] };
    let product: f64 = finite.iter().enumerate().filter(|&(q, _)| q != j).map(|(_, other)| point - other).product();
    [1.0 / product, point / product, point * point / product]
}

/// How a board is cut into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Winograd {
    isa: Isa,
    board: Shape,
    tile: usize,
}

/// A layer's weights, transformed and packed: one matrix for each element of a tile.
pub(crate) struct WinogradWeights {
    elements: Vec<Packed>,
    bias: Buffer,
}

impl WinogradWeights {
    /// Numbers that it keeps.
    pub fn len(&self) -> usize {
        self.bias.len() + self.elements.iter().map(Packed::len).sum::<usize>()
    }
}

impl Winograd {
    /// Tiles of `tile` x `tile` outputs, 3 to 5, on boards of this shape.
    pub fn new(isa: Isa, board: Shape, tile: usize) -> Winograd {
        assert!((3..=5).contains(&tile), "tiles of {tile} are not written");
        Winograd { isa, board, tile }
    }

    /// Elements of an input tile.
    pub fn elements(&self) -> usize {
        (self.tile + 2).pow(2)
    }

    /// Rows of each element's matrix.
    pub fn rows(&self, batch: usize) -> usize {
        self.board.height.div_ceil(self.tile) * self.board.width.div_ceil(self.tile) * batch
    }

    /// The plan of each element's product.
    pub fn plan(&self, batch: usize) -> Plan {
        Plan::dense(self.isa, Shape { planes: 1, height: 1, width: 1 }, self.rows(batch))
    }

    /// Transforms weights that lie as `[tap][input][output]`.
    pub fn weights(&self, inputs: usize, outputs: usize, weights: &[f32], bias: &[f32]) -> WinogradWeights {
        let side = self.tile + 2;
        let rows: Vec<[f64; 3]> = (0..side).map(|j| filter_row(self.tile, j)).collect();
        let mut transformed = vec![0.0_f32; inputs * outputs];
        let elements = (0..side * side).map(|element| {
            let (down, across) = (rows[element / side], rows[element % side]);
            for (at, number) in transformed.iter_mut().enumerate() {
                let taps =
                    (0..9).map(|tap| down[tap / 3] * across[tap % 3] * f64::from(weights[tap * inputs * outputs + at]));
                *number = taps.sum::<f64>() as f32;
            }
            Packed::new(self.isa, 1, inputs, outputs, &transformed, None)
        });
        let elements = elements.collect();
        let mut padded = Buffer::zeros(self.isa.stride(outputs));
        padded[..outputs].copy_from_slice(bias);
        WinogradWeights { elements, bias: padded }
    }

    /// out = activation(x convolved + bias + skip) with the [`plan`](Self::plan) of a batch size; `scratch` holds the transformed inputs and the products.
    ///
    /// # Panics
    /// If a slice is too short or the instruction set is not there.
    pub fn conv(
        &self,
        weights: &WinogradWeights,
        plan: &Plan,
        x: &[f32],
        scratch: (&mut [f32], &mut [f32]),
        out: &mut [f32],
        epilogue: Epilogue<'_>,
    ) {
        let (inputs, outputs) = (weights.elements[0].inputs(), weights.elements[0].outputs());
        let (x_stride, out_stride) = (self.isa.stride(inputs), self.isa.stride(outputs));
        let squares = self.board.height * self.board.width;
        let rows = plan.outputs;
        let batch = rows / self.rows(1);
        assert!(self.isa.is_available(), "{:?} is not on this machine", self.isa);
        assert!(x.len() >= squares * batch * x_stride && out.len() >= squares * batch * out_stride, "rows are missing");
        let transformed = &mut scratch.0[..self.elements() * rows * x_stride];
        let products = &mut scratch.1[..self.elements() * rows * out_stride];
        let job =
            Job { geometry: *self, batch, rows, stride: x_stride, from: x.as_ptr(), to: transformed.as_mut_ptr() };
        // SAFETY: the instruction set and the lengths of both slices were checked.
        unsafe { self.run(&job, None) };
        for (element, packed) in weights.elements.iter().enumerate() {
            let x = &transformed[element * rows * x_stride..][..rows * x_stride];
            multiply(plan, packed, x, &mut products[element * rows * out_stride..], Epilogue::PLAIN);
        }
        let to = out.as_mut_ptr();
        let skip = match epilogue.skip {
            Skip::None => std::ptr::null(),
            Skip::Add(skip) => {
                assert!(skip.len() >= squares * batch * out_stride, "rows of the skip are missing");
                skip.as_ptr()
            }
            Skip::Accumulate => to.cast_const(),
        };
        let end = End { bias: weights.bias.as_ptr(), skip, relu: epilogue.relu };
        let job = Job { geometry: *self, batch, rows, stride: out_stride, from: products.as_ptr(), to };
        // SAFETY: the instruction set and the lengths of all slices were checked; the bias has a whole row.
        unsafe { self.run(&job, Some(&end)) };
    }

    /// One of the two transforms in the chosen instruction set.
    ///
    /// # Safety
    /// The instruction set is there; the pointers of the job and the end are to as many numbers as they say.
    unsafe fn run(&self, job: &Job, end: Option<&End>) {
        // SAFETY: the caller's contract.
        unsafe {
            match self.isa {
                Isa::Portable => transform::<Eight>(job, end),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => transform_avx2(job, end),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => transform_avx512(job, end),
                #[cfg(not(target_arch = "x86_64"))]
                _ => unreachable!("not available"),
            }
        }
    }
}

/// One transform: of the inputs (board to elements) or of the products (elements to board).
struct Job {
    geometry: Winograd,
    batch: usize,
    /// Rows of each element.
    rows: usize,
    /// Numbers of a row, on both sides.
    stride: usize,
    from: *const f32,
    to: *mut f32,
}

/// What is done to the results on their way to the board.
struct End {
    bias: *const f32,
    skip: *const f32,
    relu: bool,
}

/// [`transform`] by AVX2 and FMA.
///
/// # Safety
/// As [`transform`], and the machine must have AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn transform_avx2(job: &Job, end: Option<&End>) {
    // SAFETY: the caller's contract.
    unsafe { transform::<std::arch::x86_64::__m256>(job, end) }
}

/// [`transform`] by AVX-512.
///
/// # Safety
/// As [`transform`], and the machine must have AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn transform_avx512(job: &Job, end: Option<&End>) {
    // SAFETY: the caller's contract.
    unsafe { transform::<std::arch::x86_64::__m512>(job, end) }
}

/// The transform of the inputs, or with an `end` that of the products.
///
/// # Safety
/// `V`'s instruction set must be there. One side of the job holds a row of `stride` numbers for each square and position,
/// the other one for each element, tile and position; `stride` is a multiple of the lanes. The end's bias is one row,
/// its skip null or laid out as the board.
#[inline(always)]
unsafe fn transform<V: Vector>(job: &Job, end: Option<&End>) {
    let Winograd { board, tile, .. } = job.geometry;
    let one_tile = board.height == tile && board.width == tile;
    // SAFETY: the caller's contract.
    unsafe {
        match (end, tile, one_tile) {
            (None, 3, false) => input::<V, 3, 5, false>(job),
            (None, 3, true) => input::<V, 3, 5, true>(job),
            (None, 4, false) => input::<V, 4, 6, false>(job),
            (None, 4, true) => input::<V, 4, 6, true>(job),
            (None, 5, false) => input::<V, 5, 7, false>(job),
            (None, 5, true) => input::<V, 5, 7, true>(job),
            (Some(end), 3, _) => output::<V, 3, 5>(job, end),
            (Some(end), 4, _) => output::<V, 4, 6>(job, end),
            (Some(end), 5, _) => output::<V, 5, 7>(job, end),
            _ => unreachable!("tiles are 3, 4 or 5"),
        }
    }
}

/// matrix * x, where only `x[from..to]` is not 0.
///
/// # Safety
/// `V`'s instruction set must be there.
#[inline(always)]
unsafe fn apply<V: Vector, const OUT: usize, const IN: usize>(
    matrix: &[[f32; IN]; OUT],
    x: &[V; IN],
    from: usize,
    to: usize,
) -> [V; OUT] {
    // SAFETY: the caller's contract is that the instruction set is there.
    unsafe {
        let mut y = [V::splat(0.0); OUT];
        for i in 0..OUT {
            for k in from..to {
                if matrix[i][k] != 0.0 {
                    y[i] = V::splat(matrix[i][k]).mul_add(x[k], y[i]);
                }
            }
        }
        y
    }
}

/// B^T d B of every tile; on a board that is one tile, the rim of `d` lies outside and is skipped.
///
/// # Safety
/// As [`transform`], with tiles of `M` and `A` = `M` + 2, and `ONE_TILE` only where the board is one tile.
#[inline(always)]
unsafe fn input<V: Vector, const M: usize, const A: usize, const ONE_TILE: bool>(job: &Job) {
    let Shape { height, width, .. } = job.geometry.board;
    let (from, to) = if ONE_TILE { (1, A - 1) } else { (0, A) };
    let across = width.div_ceil(M);
    for tile in 0..height.div_ceil(M) * across {
        let (top, left) = (tile / across * M, tile % across * M);
        for position in 0..job.batch {
            for channel in (0..job.stride).step_by(V::LANES) {
                // SAFETY: board squares are within the height and width, rows within the batch; see the caller.
                unsafe {
                    let mut columns = [[V::splat(0.0); A]; A];
                    for x in from..to {
                        let mut column = [V::splat(0.0); A];
                        for y in from..to {
                            let (row, file) = ((top + y).wrapping_sub(1), (left + x).wrapping_sub(1));
                            if ONE_TILE || (row < height && file < width) {
                                let row = (row * width + file) * job.batch + position;
                                column[y] = V::load(job.from.add(row * job.stride + channel));
                            }
                        }
                        columns[x] = apply(&Matrices::<M, A>::INPUT, &column, from, to);
                    }
                    for i in 0..A {
                        let mut line = [V::splat(0.0); A];
                        for x in from..to {
                            line[x] = columns[x][i];
                        }
                        let line = apply(&Matrices::<M, A>::INPUT, &line, from, to);
                        for j in 0..A {
                            let row = (i * A + j) * job.rows + tile * job.batch + position;
                            line[j].store(job.to.add(row * job.stride + channel));
                        }
                    }
                }
            }
        }
    }
}

/// A^T m A of every tile, then bias, skip and activation.
///
/// # Safety
/// As [`transform`], with tiles of `M` and `A` = `M` + 2.
#[inline(always)]
unsafe fn output<V: Vector, const M: usize, const A: usize>(job: &Job, end: &End) {
    let Shape { height, width, .. } = job.geometry.board;
    let across = width.div_ceil(M);
    for tile in 0..height.div_ceil(M) * across {
        let (top, left) = (tile / across * M, tile % across * M);
        for position in 0..job.batch {
            for channel in (0..job.stride).step_by(V::LANES) {
                // SAFETY: elements are within A * A, rows within the batch, squares on the board; see the caller.
                unsafe {
                    let mut columns = [[V::splat(0.0); M]; A];
                    for j in 0..A {
                        let mut column = [V::splat(0.0); A];
                        for i in 0..A {
                            let row = (i * A + j) * job.rows + tile * job.batch + position;
                            column[i] = V::load(job.from.add(row * job.stride + channel));
                        }
                        columns[j] = apply(&Matrices::<M, A>::OUTPUT, &column, 0, A);
                    }
                    let bias = V::load(end.bias.add(channel));
                    for y in 0..M.min(height - top) {
                        let mut line = [V::splat(0.0); A];
                        for j in 0..A {
                            line[j] = columns[j][y];
                        }
                        let line = apply(&Matrices::<M, A>::OUTPUT, &line, 0, A);
                        for x in 0..M {
                            if left + x >= width {
                                break;
                            }
                            let row = ((top + y) * width + left + x) * job.batch + position;
                            let at = row * job.stride + channel;
                            let mut sum = line[x].add(bias);
                            if !end.skip.is_null() {
                                sum = sum.add(V::load(end.skip.add(at)));
                            }
                            if end.relu {
                                sum = sum.max(V::splat(0.0));
                            }
                            sum.store(job.to.add(at));
                        }
                    }
                }
            }
        }
    }
}
