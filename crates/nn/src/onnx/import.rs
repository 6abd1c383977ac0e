//! From an ONNX file of ours back to a network.

use super::layout::Layout;
use super::messages::{ENTRY, FLOAT, ModelProto, TensorProto};
use crate::{Graph, NetworkFile, NetworkInfo, Weights};
use prost::Message;
use std::collections::{BTreeMap, HashMap};

/// An ONNX file that is no network of ours, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad ONNX file: {0}")]
pub struct OnnxError(pub(super) String);

/// Whether the bytes are an ONNX file that [`export`](super::export()) wrote.
pub fn is_ours(bytes: &[u8]) -> bool {
    ModelProto::decode(bytes).is_ok_and(|model| model.metadata_props.iter().any(|entry| entry.key == ENTRY))
}

/// Reads an ONNX file that [`export`](super::export()) wrote, whatever has been done to its weights since.
///
/// # Errors
/// If the bytes are no ONNX, it lacks the description of the network, or a parameter is missing or has another shape.
pub fn import(bytes: &[u8]) -> Result<NetworkFile, OnnxError> {
    let model = ModelProto::decode(bytes).map_err(|error| OnnxError(error.to_string()))?;
    let entry = model.metadata_props.iter().find(|entry| entry.key == ENTRY);
    let entry =
        entry.ok_or_else(|| OnnxError("no `tesuji` entry in its metadata: not written by this program".into()))?;
    let about: NetworkInfo =
        serde_json::from_str(&entry.value).map_err(|error| OnnxError(format!("metadata: {error}")))?;
    let graph = about.spec.graph().map_err(|error| OnnxError(error.to_string()))?;
    let onnx = model.graph.unwrap_or_default();
    let found: HashMap<&str, &TensorProto> =
        onnx.initializer.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
    let weights = assemble(&graph, |name, layout, count| {
        let tensor = found.get(name).ok_or_else(|| OnnxError(format!("tensor {name:?} is missing")))?;
        // The numbers first: they bound what the layout of a wrong specification may ask for.
        let numbers = numbers(tensor, count)?;
        let dims = layout().dims;
        if !tensor.dims.iter().copied().eq(dims.iter().map(|&size| size as i64)) {
            return Err(OnnxError(format!("tensor {name:?} is {:?}, not {dims:?}", tensor.dims)));
        }
        Ok(numbers)
    })?;
    Ok(NetworkFile { about, weights, state: BTreeMap::new() })
}

/// The weights of a network from tensors in ONNX's layout; `find` is given a parameter's name, its layout and its length.
pub(super) fn assemble(
    graph: &Graph,
    find: impl Fn(&str, &dyn Fn() -> Layout, usize) -> Result<Vec<f32>, OnnxError>,
) -> Result<Weights, OnnxError> {
    let mut tensors = Vec::new();
    for node in graph.nodes() {
        for (index, parameter) in node.parameters.iter().enumerate() {
            let layout = || Layout::of(graph, node, index);
            let numbers = find(&parameter.name, &layout, parameter.len())?;
            let mut ours = vec![0.0; parameter.len()];
            layout().places.iter().zip(numbers).for_each(|(&place, number)| ours[place] = number);
            tensors.push(ours);
        }
    }
    let weights = Weights::from_tensors(graph, tensors);
    if !weights.all_finite() {
        return Err(OnnxError("a weight is not a number".into()));
    }
    Ok(weights)
}

pub(super) fn numbers(tensor: &TensorProto, count: usize) -> Result<Vec<f32>, OnnxError> {
    if tensor.data_type != FLOAT {
        return Err(OnnxError(format!("tensor {:?} is not of 32-bit numbers", tensor.name)));
    }
    let numbers: Vec<f32> = if tensor.raw_data.is_empty() {
        tensor.float_data.clone()
    } else {
        tensor.raw_data.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    if numbers.len() != count || !tensor.raw_data.len().is_multiple_of(4) {
        return Err(OnnxError(format!("tensor {:?} has {} numbers, not {count}", tensor.name, numbers.len())));
    }
    Ok(numbers)
}
