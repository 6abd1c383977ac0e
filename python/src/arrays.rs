//! Arrays of the caller, checked.

use crate::convert::bad;
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// What an array has to be, for its error.
fn expected(name: &str, kind: &str, shape: &[usize]) -> PyErr {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    bad(format!("{name}: expected a writeable C-contiguous array of {kind} of shape ({}{comma})", sizes.join(", ")))
}

/// An array of this shape: the caller's, checked, or a new one.
///
/// # Errors
/// If the caller's is of another type or shape, not contiguous, or read-only.
pub fn array<T: Element>(
    py: Python<'_>,
    name: &str,
    kind: &str,
    given: Option<&Bound<'_, PyAny>>,
    shape: &[usize],
) -> PyResult<Py<PyArrayDyn<T>>> {
    let Some(given) = given else {
        return Ok(PyArrayDyn::zeros(py, shape, false).unbind());
    };
    let wrong = || expected(name, kind, shape);
    let array = given.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?;
    let fits = array.shape() == shape && array.is_c_contiguous() && array.try_readwrite().is_ok();
    if fits { Ok(array.clone().unbind()) } else { Err(wrong()) }
}

/// The numbers of an array that has any of the usual types of whole numbers, or of a list.
///
/// # Errors
/// If there are not so many, or they are no whole numbers.
pub fn numbers(name: &str, given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<i64>> {
    let wrong = || bad(format!("{name}: expected {count} whole numbers"));
    let numbers = if let Ok(array) = given.cast::<PyArray1<i64>>() {
        array.try_readonly().map_err(|_| wrong())?.as_array().to_vec()
    } else if let Ok(array) = given.cast::<PyArray1<i32>>() {
        array.try_readonly().map_err(|_| wrong())?.as_array().iter().map(|&number| number.into()).collect()
    } else {
        given.extract::<Vec<i64>>().map_err(|_| wrong())?
    };
    if numbers.len() == count { Ok(numbers) } else { Err(wrong()) }
}

/// A batch of observations of this shape, as one slice behind another.
///
/// # Errors
/// If it is no C-contiguous float32 array of any number of them.
pub fn batch<'py>(given: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<(PyReadonlyArrayDyn<'py, f32>, usize)> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let wrong = || bad(format!("batch: expected a C-contiguous array of float32 of shape (N, {})", sizes.join(", ")));
    let array = given.cast::<PyArrayDyn<f32>>().map_err(|_| wrong())?;
    let fits = array.shape().len() == shape.len() + 1 && array.shape()[1..] == *shape && array.is_c_contiguous();
    if !fits {
        return Err(wrong());
    }
    let count = array.shape()[0];
    Ok((array.try_readonly().map_err(|_| wrong())?, count))
}
