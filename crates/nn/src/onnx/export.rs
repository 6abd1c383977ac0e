//! From a network to an ONNX file.

use super::layout::Layout;
use super::messages::{
    AttributeProto, DimensionProto, ENTRY, FLOAT, GraphProto, INT64, ModelProto, NodeProto, OperatorSetIdProto,
    StringStringEntryProto, TensorProto, TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto,
};
use crate::graph::{Activation, Graph, Kernel, Node, NodeId, Op, Reading};
use crate::reference::NORM_EPSILON;
use crate::{NetworkFile, SpecError};
use prost::Message;

/// The version of the file format, and that of the operators: what programs of the last years read.
const IR_VERSION: i64 = 8;
const OPSET: i64 = 17;

/// The bytes of an ONNX file; the same for the same network, always. The optimiser's state stays behind.
///
/// # Errors
/// If the specification is none.
pub fn export(file: &NetworkFile) -> Result<Vec<u8>, SpecError> {
    let graph = file.about.spec.graph()?;
    let mut exporter = Exporter { graph: &graph, file, nodes: Vec::new(), tensors: Vec::new() };
    exporter.input();
    for (number, node) in graph.nodes().iter().enumerate().skip(1) {
        exporter.node(NodeId(number), node);
    }
    let Exporter { nodes, tensors, .. } = exporter;
    let input = graph.input();
    let outputs = graph.outputs().iter().map(|(name, id)| value(name, &[graph.node(*id).shape.len()]));
    let proto = GraphProto {
        node: nodes,
        name: "tesuji".to_owned(),
        initializer: tensors,
        input: vec![value(PLANES, &[input.planes, input.height, input.width])],
        output: outputs.collect(),
    };
    let about = serde_json::to_string(&file.about).expect("metadata are plain data");
    let model = ModelProto {
        ir_version: IR_VERSION,
        producer_name: "tesuji".to_owned(),
        graph: Some(proto),
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPSET }],
        metadata_props: vec![StringStringEntryProto { key: ENTRY.to_owned(), value: about }],
    };
    Ok(model.encode_to_vec())
}

/// The name of the input.
const PLANES: &str = "planes";

/// An input or output of `n` rows of this shape.
fn value(name: &str, shape: &[usize]) -> ValueInfoProto {
    let fixed = |&size: &usize| DimensionProto { dim_value: Some(size as i64), dim_param: None };
    let batch = DimensionProto { dim_value: None, dim_param: Some("n".to_owned()) };
    let shape = TensorShapeProto { dim: std::iter::once(batch).chain(shape.iter().map(fixed)).collect() };
    let tensor_type = TensorTypeProto { elem_type: FLOAT, shape: Some(shape) };
    ValueInfoProto { name: name.to_owned(), r#type: Some(TypeProto { tensor_type: Some(tensor_type) }) }
}

struct Exporter<'a> {
    graph: &'a Graph,
    file: &'a NetworkFile,
    nodes: Vec<NodeProto>,
    tensors: Vec<TensorProto>,
}

impl Exporter<'_> {
    /// The name of the tensor that a layer makes: an output has the output's name.
    fn name(&self, id: NodeId) -> String {
        let output = self.graph.outputs().iter().find(|(_, output)| *output == id);
        match (output, id.0, self.graph.reading()) {
            (Some((name, _)), _, _) => name.clone(),
            (None, 0, Reading::Planes) => PLANES.to_owned(),
            _ => self.graph.node(id).name.clone(),
        }
    }

    fn push(&mut self, op: &str, inputs: Vec<String>, output: &str, attribute: Vec<AttributeProto>) {
        let output = vec![output.to_owned()];
        let name = format!("{}:{op}", output[0]);
        self.nodes.push(NodeProto { input: inputs, output, name, op_type: op.to_owned(), attribute });
    }

    /// The array as it lies, taken for height x width x channels, becomes channels x height x width.
    fn input(&mut self) {
        if self.graph.reading() == Reading::Sideways {
            let name = self.name(NodeId(0));
            self.push("Transpose", vec![PLANES.to_owned()], &name, vec![AttributeProto::ints("perm", [0, 3, 1, 2])]);
        }
    }

    fn node(&mut self, id: NodeId, node: &Node) {
        let inputs: Vec<String> = node.inputs.iter().map(|&input| self.name(input)).collect();
        let mut parameters: Vec<String> = node.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        for index in 0..node.parameters.len() {
            self.parameter(node, index);
        }
        let out = self.name(id);
        // What comes before the activation has a name of its own.
        let raw = |activation| if activation == Activation::Identity { out.clone() } else { format!("{out}:linear") };
        match node.op {
            Op::Input => {}
            Op::Conv { kernel, activation, .. } => {
                parameters.insert(0, inputs[0].clone());
                self.push("Conv", parameters, &raw(activation), window(kernel, 1));
                self.activate(activation, &out);
            }
            Op::Depthwise { kernel } => {
                parameters.insert(0, inputs[0].clone());
                self.push("Conv", parameters, &out, window(kernel, node.shape.planes));
            }
            Op::Dense { activation } => {
                let flat = self.flat(node.inputs[0], &out);
                parameters.insert(0, flat);
                self.push("Gemm", parameters, &raw(activation), vec![]);
                self.activate(activation, &out);
            }
            Op::Norm { activation } => {
                let normalised = if inputs.len() == 2 { format!("{out}:normalised") } else { raw(activation) };
                parameters.insert(0, inputs[0].clone());
                let epsilon = vec![AttributeProto::float("epsilon", NORM_EPSILON)];
                self.push("BatchNormalization", parameters, &normalised, epsilon);
                if let Some(skip) = inputs.get(1) {
                    self.push("Add", vec![normalised, skip.clone()], &raw(activation), vec![]);
                }
                self.activate(activation, &out);
            }
            Op::Dropout { .. } => self.push("Identity", inputs, &out, vec![]),
            Op::Mean => {
                let pooled = format!("{out}:mean");
                self.push("GlobalAveragePool", inputs, &pooled, vec![]);
                self.push("Flatten", vec![pooled], &out, vec![]);
            }
            Op::MeanMax => {
                let pooled = ["mean", "max"].map(|what| format!("{out}:{what}"));
                self.push("GlobalAveragePool", inputs.clone(), &pooled[0], vec![]);
                self.push("GlobalMaxPool", inputs, &pooled[1], vec![]);
                let joined = format!("{out}:both");
                self.push("Concat", pooled.to_vec(), &joined, vec![AttributeProto::int("axis", 1)]);
                self.push("Flatten", vec![joined], &out, vec![]);
            }
            Op::Gate => {
                let open = format!("{out}:open");
                self.push("Sigmoid", vec![inputs[1].clone()], &open, vec![]);
                let open = self.over_the_board(&open, &out);
                self.push("Mul", vec![inputs[0].clone(), open], &out, vec![]);
            }
            Op::Shift => {
                let shift = self.over_the_board(&inputs[1], &out);
                self.push("Add", vec![inputs[0].clone(), shift], &out, vec![]);
            }
            Op::Sum { activation } => {
                self.push("Add", inputs, &raw(activation), vec![]);
                self.activate(activation, &out);
            }
            Op::Flatten => {
                let flat = if inputs.len() == 2 { format!("{out}:board") } else { out.clone() };
                self.push("Flatten", vec![inputs[0].clone()], &flat, vec![]);
                if let Some(rest) = inputs.get(1) {
                    self.push("Concat", vec![flat, rest.clone()], &out, vec![AttributeProto::int("axis", 1)]);
                }
            }
            Op::Duel => {
                let (mean, centred) = (format!("{out}:mean"), format!("{out}:centred"));
                self.push("ReduceMean", vec![inputs[0].clone()], &mean, vec![AttributeProto::ints("axes", [1])]);
                self.push("Sub", vec![inputs[0].clone(), mean], &centred, vec![]);
                self.push("Add", vec![centred, inputs[1].clone()], &out, vec![]);
            }
        }
    }

    fn activate(&mut self, activation: Activation, out: &str) {
        let op = match activation {
            Activation::Identity => return,
            Activation::Relu => "Relu",
            Activation::Tanh => "Tanh",
        };
        self.push(op, vec![format!("{out}:linear")], out, vec![]);
    }

    /// A layer's result as vectors; results of dense and pooling layers are vectors already.
    fn flat(&mut self, id: NodeId, reader: &str) -> String {
        let name = self.name(id);
        if matches!(self.graph.node(id).op, Op::Dense { .. } | Op::Mean | Op::MeanMax | Op::Flatten | Op::Duel) {
            return name;
        }
        let flat = format!("{reader}:flat");
        self.push("Flatten", vec![name], &flat, vec![]);
        flat
    }

    /// Vectors as images of one square.
    fn over_the_board(&mut self, vector: &str, reader: &str) -> String {
        const AXES: &str = "axes:2,3";
        if self.tensors.iter().all(|tensor| tensor.name != AXES) {
            let raw_data = [2_i64, 3].iter().flat_map(|axis| axis.to_le_bytes()).collect();
            let name = AXES.to_owned();
            self.tensors.push(TensorProto { dims: vec![2], data_type: INT64, raw_data, name, ..Default::default() });
        }
        let image = format!("{reader}:image");
        self.push("Unsqueeze", vec![vector.to_owned(), AXES.to_owned()], &image, vec![]);
        image
    }

    fn parameter(&mut self, node: &Node, index: usize) {
        let Layout { dims, places } = Layout::of(self.graph, node, index);
        let tensor = &self.file.weights.tensors()[node.first_parameter + index];
        self.tensors.push(TensorProto {
            dims: dims.into_iter().map(|size| size as i64).collect(),
            data_type: FLOAT,
            raw_data: places.into_iter().flat_map(|place| tensor[place].to_le_bytes()).collect(),
            name: node.parameters[index].name.clone(),
            ..TensorProto::default()
        });
    }
}

/// The attributes of a convolution whose result is as large as its input.
fn window(kernel: Kernel, groups: usize) -> Vec<AttributeProto> {
    let (down, across) = (kernel.height / 2, kernel.width / 2);
    vec![
        AttributeProto::ints("kernel_shape", [kernel.height, kernel.width]),
        AttributeProto::ints("pads", [down, across, down, across]),
        AttributeProto::int("group", groups as i64),
    ]
}
