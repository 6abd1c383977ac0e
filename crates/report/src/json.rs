//! A report as JSON, and back.

use crate::document::{FORMAT, Report};

/// Why a file is no report.
#[derive(Debug, thiserror::Error)]
#[error("not a report of ours: {0}")]
pub struct ReadError(String);

/// The report as JSON.
///
/// # Panics
/// Never: reports are plain data.
pub fn write(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("reports are plain data");
    text.push('\n');
    text
}

/// Reads what [`write()`] wrote.
///
/// # Errors
/// If it is not JSON, has unknown keys, is of another format, or a table's rows are not as long as its heads; in one line.
pub fn read(text: &str) -> Result<Report, ReadError> {
    let report: Report = serde_json::from_str(text).map_err(|error| ReadError(error.to_string()))?;
    if report.format != FORMAT {
        return Err(ReadError(format!("format {} instead of {FORMAT}", report.format)));
    }
    Ok(report)
}
