//! Engines and data sets that must be there, asked for before anything starts.

use crate::error::LabError;
use crate::file::{Need, Reproduction, Scale, belongs};
use crate::template::Values;
use std::path::Path;
use tesuji_learn::data::DataSetInfo;

/// What a reproduction needs at a scale and is not there, each in a line with how to get it.
///
/// # Errors
/// If a value is missing in the file.
pub fn missing(file: &Reproduction, scale: Scale) -> Result<Vec<String>, LabError> {
    let values = file.scales.get(&scale).map(|info| info.values.clone()).unwrap_or_default();
    let values = Values(values.into_iter().collect());
    let mut missing = Vec::new();
    for Need { scales, engine, data, get } in &file.needs {
        if !belongs(scales, scale) {
            continue;
        }
        if !engine.is_empty() && !is_program(engine) {
            missing.push(format!("the program {engine}: {get}"));
        }
        let data = values.fill(data)?;
        if !data.is_empty()
            && let Err(error) = DataSetInfo::read(Path::new(&data))
        {
            missing.push(format!("the data set {data} ({error}): {get}"));
        }
    }
    Ok(missing)
}

/// Whether a program of this name is on the path.
fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
        || (name.contains('/') && Path::new(name).is_file())
}
