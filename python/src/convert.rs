//! Errors as exceptions, JSON as Python's objects.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;
use std::fmt::Display;

/// A `ValueError` with one line.
pub fn bad(problem: impl Display) -> PyErr {
    let words = problem.to_string();
    let words: Vec<&str> = words.split_whitespace().collect();
    PyValueError::new_err(words.join(" "))
}

/// What the program's own parsers read, such as a budget or a set of rules.
///
/// # Errors
/// The parser's own line, as a `ValueError`.
pub fn parse<T: std::str::FromStr>(text: &str) -> PyResult<T>
where
    T::Err: Display,
{
    text.parse().map_err(bad)
}

/// A number that has to lie in a range.
///
/// # Errors
/// If it does not.
pub fn within<T: PartialOrd + Display + Copy>(name: &str, number: T, least: T, most: T) -> PyResult<T> {
    if least <= number && number <= most {
        Ok(number)
    } else {
        Err(bad(format!("{name}={number}: expected a number from {least} to {most}")))
    }
}

/// JSON as Python's objects.
///
/// # Errors
/// If the interpreter is out of memory.
pub fn json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (_, Some(number)) => number.into_bound_py_any(py),
            _ => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(values) => {
            let list = PyList::empty(py);
            values.iter().try_for_each(|value| list.append(json(py, value)?))?;
            Ok(list.into_any())
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            entries.iter().try_for_each(|(key, value)| dict.set_item(key, json(py, value)?))?;
            Ok(dict.into_any())
        }
    }
}

/// Whatever has a JSON form as Python's objects.
///
/// # Errors
/// As [`json`].
pub fn plain<'py>(py: Python<'py>, value: impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    json(py, &serde_json::to_value(value).map_err(bad)?)
}
