//! How parameters lie in an ONNX file.

use crate::graph::{Graph, Node, Op};

/// How a parameter lies in an ONNX file: its dimensions there, and for each number there its place here.
pub(super) struct Layout {
    pub(super) dims: Vec<usize>,
    pub(super) places: Vec<usize>,
}

impl Layout {
    /// The layout of parameter number `index` of a layer.
    pub(super) fn of(graph: &Graph, node: &Node, index: usize) -> Layout {
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
