//! Products of plain matrices, for training: the crate `gemm-f32` behind checked slices. Its parent `gemm` would also
//! compile complex and half-precision numbers, which nothing here uses.
//!
//! Inference does not use it: it picks its order of summation by the number of rows, so that a position's output would
//! depend on its batch.

/// A matrix inside a slice.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    /// The numbers.
    pub data: &'a [f32],
    /// From one row to the next.
    pub row: usize,
    /// From one column to the next.
    pub column: usize,
}

/// out = a * b, or out += a * b; `a` is m x k, `b` is k x n, rows of `out` are `out_row` apart.
///
/// # Panics
/// If a slice is too short.
pub(crate) fn gemm(
    (m, n, k): (usize, usize, usize),
    a: Matrix<'_>,
    b: Matrix<'_>,
    out: &mut [f32],
    out_row: usize,
    accumulate: bool,
) {
    if m == 0 || n == 0 {
        return;
    }
    let fits = |rows: usize, columns: usize, matrix: &Matrix<'_>| {
        rows == 0 || columns == 0 || (rows - 1) * matrix.row + (columns - 1) * matrix.column < matrix.data.len()
    };
    assert!(fits(m, k, &a) && fits(k, n, &b), "a matrix is too short");
    assert!(n <= out_row && (m - 1) * out_row + n <= out.len(), "the product does not fit");
    // The microkernel prefers a destination whose columns are contiguous: out^T = b^T * a^T, unless `out` is one column.
    let ([lhs, rhs], (m, n), (out_column, out_row)) = if out_row > 1 {
        ([b.transposed(), a.transposed()], (n, m), (out_row, 1))
    } else {
        ([a, b], (m, n), (1, out_row))
    };
    // SAFETY: the slices hold every element that the sizes and strides name, and rows of `out` do not overlap.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            m,
            n,
            k,
            out.as_mut_ptr(),
            out_column as isize,
            out_row as isize,
            accumulate,
            lhs.data.as_ptr(),
            lhs.column as isize,
            lhs.row as isize,
            rhs.data.as_ptr(),
            rhs.column as isize,
            rhs.row as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm_common::Parallelism::None,
        );
    }
}

impl<'a> Matrix<'a> {
    /// The same numbers with rows for columns.
    fn transposed(self) -> Matrix<'a> {
        Matrix { data: self.data, row: self.column, column: self.row }
    }
}
