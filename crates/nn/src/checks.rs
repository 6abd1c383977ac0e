//! What a specification may say, and the error if it says something else.

/// A specification that makes no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad network specification: {0}")]
pub struct SpecError(String);

impl SpecError {
    pub(crate) fn new(problem: impl Into<String>) -> SpecError {
        SpecError(problem.into())
    }
}

/// Refuses widths that are zero or absurd; products of two checked widths and a board stay far within range.
pub(crate) fn check_width(what: &str, width: usize) -> Result<(), SpecError> {
    if width == 0 || width > 1 << 20 {
        return Err(SpecError::new(format!("{what} must be between 1 and {}, not {width}", 1 << 20)));
    }
    Ok(())
}

pub(crate) fn check_widths(what: &str, widths: &[usize]) -> Result<(), SpecError> {
    if widths.len() > 1000 {
        return Err(SpecError::new(format!("{} {what}s: at most 1000", widths.len())));
    }
    widths.iter().try_for_each(|&width| check_width(what, width))
}
