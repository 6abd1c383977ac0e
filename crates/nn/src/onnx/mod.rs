//! Networks as ONNX files, which other programs run, and back.
//!
//! The file computes what the network computes in play: input `planes` of `[n, planes, height, width]`, the network's
//! outputs under their names, batch norm as it was trained. Parameters keep their names, turned into ONNX's layouts.
//! What the network is ([`NetworkInfo`]) travels in the metadata entry `tesuji`, so that a file comes back as it went.

mod export;
mod import;
mod messages;

pub use export::export;
pub use import::{OnnxError, import};

#[cfg(doc)]
use crate::NetworkInfo;
use crate::graph::{Graph, Node, Op};

/// The metadata entry.
const ENTRY: &str = "tesuji";

/// How a parameter lies in an ONNX file: its dimensions there, and for each number there its place here.
struct Layout {
    dims: Vec<usize>,
    places: Vec<usize>,
}

impl Layout {
    /// The layout of parameter number `index` of a layer.
    fn of(graph: &Graph, node: &Node, index: usize) -> Layout {
        let shape = &node.parameters[index].shape;
        match (node.op, index) {
            // [row, column, input, output] becomes [output, input, row, column].
            (Op::Conv { .. }, 0) => Layout::permuted(shape, &[3, 2, 0, 1]),
            // [row, column, channel] becomes [channel, 1, row, column].
            (Op::Depthwise { .. }, 0) => {
                let mut layout = Layout::permuted(shape, &[2, 0, 1]);
                layout.dims.insert(1, 1);
                layout
            }
            // Inputs [row, column, channel] become [channel, row, column].
            (Op::Dense { .. }, 0) => {
                let from = graph.node(node.inputs[0]).shape;
                let mut layout = Layout::permuted(&[from.height, from.width, from.planes, shape[1]], &[2, 0, 1, 3]);
                layout.dims = shape.clone();
                layout
            }
            _ => Layout { dims: shape.clone(), places: (0..node.parameters[index].len()).collect() },
        }
    }

    /// `order[i]` is the dimension here that is dimension `i` there.
    fn permuted(shape: &[usize], order: &[usize]) -> Layout {
        let stride = |dimension: usize| shape[dimension + 1..].iter().product::<usize>();
        let mut places = vec![0];
        for &dimension in order {
            let step = stride(dimension);
            places = places.iter().flat_map(|&place| (0..shape[dimension]).map(move |i| place + i * step)).collect();
        }
        Layout { dims: order.iter().map(|&dimension| shape[dimension]).collect(), places }
    }
}
