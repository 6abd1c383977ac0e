//! From an ONNX file of another program to a network of ours.
//!
//! A residual tower with a policy and a value head is found by following the operators from the input, whatever they and
//! their tensors are called:
//!
//! ```text
//! Conv 3x3, Relu
//! { Conv 3x3, Relu, Conv 3x3, Add, Relu }              any number of blocks
//! policy: Conv, Relu, Flatten, Gemm { Relu, Gemm }     or Conv 3x3, Relu, Conv 1x1, Flatten: planes of the board
//! value:  Conv, Relu, Flatten, Gemm { Relu, Gemm }, Tanh
//! ```
//!
//! Behind each convolution of the tower and before the Relu of a head there may be a BatchNormalization, and a
//! convolution may have a bias: exporters fold the one into the other. Gemm may be MatMul and Add, Flatten a Reshape;
//! Identity, Dropout, and a Softmax or LogSoftmax behind the policy are passed over.

use super::import::{OnnxError, assemble, numbers};
use super::messages::{AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto};
use crate::reference::NORM_EPSILON;
use crate::spec::{Convolution, Head, HeadOrder, Residual, Spec, ValueHead};
use crate::{Graph, Weights};
use prost::Message;
use std::collections::{BTreeSet, HashMap, HashSet};
use tesuji_core::Shape;

/// A network that another program wrote: nobody knows for which game.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreign {
    /// What it is made of.
    pub spec: Spec,
    /// Its numbers.
    pub weights: Weights,
}

/// Reads a residual network with a policy and a value head from an ONNX file of any program.
///
/// # Errors
/// If the bytes are no ONNX, or the network is built from other operators or in another order; says where.
pub fn recognise(bytes: &[u8]) -> Result<Foreign, OnnxError> {
    let model = ModelProto::decode(bytes).map_err(|error| OnnxError(error.to_string()))?;
    let proto = model.graph.unwrap_or_default();
    let file = OnnxGraph::new(&proto)?;
    let mut found = Parameters::default();
    let spec = Spec::Residual(file.residual(&mut found)?);
    let graph = spec.graph().map_err(|error| OnnxError(error.to_string()))?;
    let weights = found.into_weights(&graph)?;
    Ok(Foreign { spec, weights })
}

/// Parameters under our names, in ONNX's layout.
#[derive(Default)]
struct Parameters(HashMap<String, (Vec<usize>, Vec<f32>)>);

impl Parameters {
    fn put(&mut self, name: String, dims: &[usize], numbers: Vec<f32>) {
        self.0.insert(name, (dims.to_vec(), numbers));
    }

    fn into_weights(self, graph: &Graph) -> Result<Weights, OnnxError> {
        assemble(graph, |name, layout, count| {
            let (dims, numbers) = self.0.get(name).ok_or_else(|| OnnxError(format!("nothing found for {name:?}")))?;
            if numbers.len() != count || *dims != layout().dims {
                return Err(OnnxError(format!("{name:?} is {dims:?}, which does not fit the rest of the network")));
            }
            Ok(numbers.clone())
        })
    }
}

/// A convolution as the file has it.
struct Conv {
    weight: Vec<f32>,
    /// Output and input channels, rows, columns.
    dims: [usize; 4],
    bias: Option<Vec<f32>>,
}

/// The operators of a file by the tensors that they read and make.
struct OnnxGraph<'a> {
    proto: &'a GraphProto,
    readers: HashMap<&'a str, Vec<&'a NodeProto>>,
    constants: HashMap<&'a str, &'a TensorProto>,
}

impl<'a> OnnxGraph<'a> {
    /// # Errors
    /// If an operator reads what no operator before it makes, or two make the same: then it may go round in circles.
    fn new(proto: &'a GraphProto) -> Result<OnnxGraph<'a>, OnnxError> {
        let mut readers: HashMap<&str, Vec<&NodeProto>> = HashMap::new();
        let mut constants: HashMap<&str, &TensorProto> =
            proto.initializer.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
        let mut known: HashSet<&str> = constants.keys().copied().collect();
        known.extend(proto.input.iter().map(|input| input.name.as_str()));
        for node in &proto.node {
            // An input that is left out has an empty name.
            let inputs: BTreeSet<&str> =
                node.input.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            for input in inputs {
                if !known.contains(input) {
                    return Err(OnnxError(format!("{}: nothing before it makes {input:?}", described(node))));
                }
                readers.entry(input).or_default().push(node);
            }
            for output in node.output.iter().filter(|name| !name.is_empty()) {
                if !known.insert(output) {
                    return Err(OnnxError(format!("{}: {output:?} is made twice", described(node))));
                }
            }
            if node.op_type == "Constant"
                && let (Some(output), Some(value)) = (node.output.first(), node.attribute("value"))
                && let Some(tensor) = &value.t
            {
                constants.insert(output, tensor);
            }
        }
        Ok(OnnxGraph { proto, readers, constants })
    }

    fn residual(&self, found: &mut Parameters) -> Result<Residual, OnnxError> {
        let (name, input) = self.input()?;
        let (mut x, filters) = self.conv_norm_relu(self.only_reader(name)?, 3, "stem", found)?;
        let mut blocks = 0;
        while let Some(next) = self.block(x, filters, blocks, found)? {
            x = next;
            blocks += 1;
        }
        let heads = self.readers_of(x);
        let [one, other] = heads[..] else {
            return Err(OnnxError(format!("{} operators read the tower {x:?}; expected two heads", heads.len())));
        };
        // The value is the head that ends in a hyperbolic tangent.
        let (policy, value) = match (self.ends_in_tanh(one)?, self.ends_in_tanh(other)?) {
            (false, true) => (one, other),
            (true, false) => (other, one),
            _ => return Err(OnnxError("expected one head that ends in Tanh: the value".into())),
        };
        let policy = self.policy(policy, input, found)?;
        let value = self.value(value, found)?;
        Ok(Residual {
            input,
            blocks,
            filters,
            convolution: Convolution::Plain,
            dropout: 0.0,
            squeeze: None,
            pooling: None,
            policy,
            value,
            reply: false,
            moves_left: None,
        })
    }

    /// The input's name and its shape, without the batch.
    fn input(&self) -> Result<(&'a str, Shape), OnnxError> {
        // Old files list their constants as inputs, too.
        let mut inputs = self.proto.input.iter().filter(|input| !self.constants.contains_key(input.name.as_str()));
        let (Some(input), None) = (inputs.next(), inputs.next()) else {
            return Err(OnnxError("expected one input: planes of the board".into()));
        };
        let shape =
            input.r#type.as_ref().and_then(|kind| kind.tensor_type.as_ref()).and_then(|kind| kind.shape.as_ref());
        let sizes: Vec<i64> =
            shape.map_or_else(Vec::new, |shape| shape.dim.iter().map(|dim| dim.dim_value.unwrap_or(0)).collect());
        match sizes[..] {
            [_, planes @ 1..=4096, height @ 1..=256, width @ 1..=256] => {
                let [planes, height, width] = [planes, height, width].map(|size| size as usize);
                Ok((&input.name, Shape { planes, height, width }))
            }
            _ => Err(OnnxError(format!("input {:?} is {sizes:?}; expected [n, planes, height, width]", input.name))),
        }
    }

    /// Who reads a tensor; what changes nothing in play is passed over.
    fn readers_of(&self, tensor: &str) -> Vec<&'a NodeProto> {
        let mut readers = Vec::new();
        let mut tensors = vec![tensor];
        while let Some(tensor) = tensors.pop() {
            for &node in self.readers.get(tensor).into_iter().flatten() {
                let passes = ["Identity", "Dropout"].contains(&node.op_type.as_str());
                if passes && node.input.first().is_some_and(|first| first == tensor) {
                    tensors.push(output(node));
                } else {
                    readers.push(node);
                }
            }
        }
        readers
    }

    fn only_reader(&self, tensor: &str) -> Result<&'a NodeProto, OnnxError> {
        match self.readers_of(tensor)[..] {
            [node] => Ok(node),
            ref nodes => Err(OnnxError(format!("{} operators read {tensor:?}; expected one", nodes.len()))),
        }
    }

    /// The only reader, which must be this operator; its output.
    fn then(&self, tensor: &str, op: &str) -> Result<&'a str, OnnxError> {
        let node = self.only_reader(tensor)?;
        if node.op_type == op { Ok(output(node)) } else { Err(unexpected(node, op)) }
    }

    /// A constant tensor of floats.
    fn constant(&self, node: &NodeProto, index: usize) -> Result<(&'a TensorProto, Vec<f32>), OnnxError> {
        let name = node.input.get(index).map_or("", String::as_str);
        let Some(&tensor) = self.constants.get(name) else {
            return Err(OnnxError(format!("{}: input {name:?} is not a constant", described(node))));
        };
        let count = tensor.dims.iter().try_fold(1_usize, |count, &dim| count.checked_mul(usize::try_from(dim).ok()?));
        let count = count.ok_or_else(|| OnnxError(format!("tensor {name:?} is {:?}", tensor.dims)))?;
        Ok((tensor, numbers(tensor, count)?))
    }

    /// A convolution over all channels whose result is as large as its input.
    fn conv(&self, node: &'a NodeProto) -> Result<Conv, OnnxError> {
        if node.op_type != "Conv" {
            return Err(unexpected(node, "Conv"));
        }
        let (tensor, weight) = self.constant(node, 1)?;
        let &[out, input, height, width] = &tensor.dims[..] else {
            return Err(OnnxError(format!("{}: weights of {:?}", described(node), tensor.dims)));
        };
        let dims = [out, input, height, width].map(|size| size as usize);
        let [_, _, height, width] = dims;
        let all = |name, wanted: i64| node.attribute(name).is_none_or(|found| found.ints.iter().all(|&i| i == wanted));
        let group = node.attribute("group").and_then(|group| group.i).unwrap_or(1);
        let (down, across) = (height as i64 / 2, width as i64 / 2);
        let same = match node.attribute("auto_pad").map(|pad| pad.s.as_slice()) {
            Some(b"SAME_UPPER" | b"SAME_LOWER") => true,
            _ => match node.attribute("pads") {
                Some(pads) => pads.ints == [down, across, down, across],
                None => down == 0 && across == 0,
            },
        };
        if !same || height % 2 == 0 || width % 2 == 0 || group != 1 || !all("strides", 1) || !all("dilations", 1) {
            return Err(OnnxError(format!(
                "{}: expected an odd kernel, padding that keeps the size, and no strides, dilations or groups",
                described(node)
            )));
        }
        let bias = if node.input.len() > 2 { Some(self.constant(node, 2)?.1) } else { None };
        Ok(Conv { weight, dims, bias })
    }

    /// A square convolution of this size, its batch norm if it has one, under our names; what follows, and the channels.
    fn conv_norm(
        &self,
        node: &'a NodeProto,
        size: usize,
        names: (&str, &str),
        found: &mut Parameters,
    ) -> Result<(&'a str, usize), OnnxError> {
        let Conv { weight, dims, bias } = self.conv(node)?;
        let [out, _, height, width] = dims;
        if (height, width) != (size, size) {
            return Err(OnnxError(format!(
                "{}: a kernel of {height}x{width}; expected {size}x{size}",
                described(node)
            )));
        }
        let (conv, norm) = names;
        found.put(format!("{conv}.weight"), &dims, weight);
        let bias = bias.unwrap_or_else(|| vec![0.0; out]);
        let mut x = output(node);
        // Ours is a norm without bias: a bias before it moves the mean, one without a norm is the shift of one that does
        // nothing else.
        let mut parts = [vec![1.0; out], bias.clone(), vec![0.0; out], vec![1.0 - NORM_EPSILON; out]];
        if let Ok(next) = self.only_reader(x)
            && next.op_type == "BatchNormalization"
        {
            for (index, part) in parts.iter_mut().enumerate() {
                *part = self.constant(next, index + 1)?.1;
                if part.len() != out {
                    return Err(OnnxError(format!("{}: {} channels, not {out}", described(next), part.len())));
                }
            }
            let epsilon = next.attribute("epsilon").and_then(|epsilon| epsilon.f).unwrap_or(1e-5);
            parts[2].iter_mut().zip(&bias).for_each(|(mean, bias)| *mean -= bias);
            parts[3].iter_mut().for_each(|variance| *variance += epsilon - NORM_EPSILON);
            if parts[3].iter().any(|variance| variance + NORM_EPSILON <= 0.0) {
                return Err(OnnxError(format!("{}: a variance is below 0", described(next))));
            }
            x = output(next);
        }
        if bias.len() != out {
            return Err(OnnxError(format!("{}: {} biases, not {out}", described(node), bias.len())));
        }
        for (what, part) in ["gamma", "beta", "mean", "variance"].into_iter().zip(parts) {
            found.put(format!("{norm}.{what}"), &[out], part);
        }
        Ok((x, out))
    }

    fn conv_norm_relu(
        &self,
        node: &'a NodeProto,
        size: usize,
        name: &str,
        found: &mut Parameters,
    ) -> Result<(&'a str, usize), OnnxError> {
        let (x, filters) = self.conv_norm(node, size, (&format!("{name}.conv"), &format!("{name}.norm")), found)?;
        Ok((self.then(x, "Relu")?, filters))
    }

    /// A residual block that begins at `x`, if one does; what follows it.
    fn block(
        &self,
        x: &'a str,
        filters: usize,
        number: usize,
        found: &mut Parameters,
    ) -> Result<Option<&'a str>, OnnxError> {
        let readers = self.readers_of(x);
        let Some(add) = readers.iter().find(|node| node.op_type == "Add") else { return Ok(None) };
        let [conv] = readers.iter().filter(|node| node.op_type == "Conv").collect::<Vec<_>>()[..] else {
            return Err(OnnxError(format!(
                "{}: expected the sum of a block's input and its convolutions",
                described(add)
            )));
        };
        let names = |part: &str, i: usize| format!("block{number}.{part}{i}");
        let (inner, _) = self.conv_norm(conv, 3, (&names("conv", 1), &names("norm", 1)), found)?;
        let inner = self.then(inner, "Relu")?;
        let (inner, out) =
            self.conv_norm(self.only_reader(inner)?, 3, (&names("conv", 2), &names("norm", 2)), found)?;
        let closes = self.only_reader(inner)?;
        if !std::ptr::eq(closes, *add) || out != filters {
            return Err(unexpected(closes, "the Add that ends the block"));
        }
        Ok(Some(self.then(output(add), "Relu")?))
    }

    /// Whether a head ends in a hyperbolic tangent.
    fn ends_in_tanh(&self, head: &'a NodeProto) -> Result<bool, OnnxError> {
        let mut node = head;
        loop {
            if node.op_type == "Tanh" {
                return Ok(true);
            }
            match self.readers_of(output(node))[..] {
                [] => return Ok(false),
                [next] => node = next,
                _ => return Err(OnnxError(format!("{}: a head must be one line of operators", described(node)))),
            }
        }
    }

    fn value(&self, head: &'a NodeProto, found: &mut Parameters) -> Result<ValueHead, OnnxError> {
        let (x, filters) = self.conv_norm_relu(head, 1, "value", found)?;
        let (x, hidden, outputs) = self.dense_layers(self.flat(x)?, "value", found)?;
        if outputs != 1 {
            return Err(OnnxError(format!("the value has {outputs} numbers; expected one")));
        }
        self.then(x, "Tanh")?;
        Ok(ValueHead { filters: Some(filters), hidden })
    }

    fn policy(&self, head: &'a NodeProto, board: Shape, found: &mut Parameters) -> Result<Head, OnnxError> {
        let size = self.conv(head)?.dims[2];
        let (x, filters) = self.conv_norm_relu(head, size, "policy", found)?;
        let next = self.only_reader(x)?;
        let (end, policy) = if next.op_type == "Conv" {
            let Conv { weight, dims, bias } = self.conv(next)?;
            let planes = dims[0];
            if size != 3 || dims[2..] != [1, 1] {
                return Err(OnnxError(format!(
                    "{}: planes of the board come from a 3x3 and a 1x1 kernel",
                    described(next)
                )));
            }
            found.put("policy.planes.weight".into(), &dims, weight);
            found.put("policy.planes.bias".into(), &[planes], bias.unwrap_or_else(|| vec![0.0; planes]));
            let outputs = planes * board.height * board.width;
            let head = Head {
                filters: Some(filters),
                hidden: vec![],
                outputs,
                planes: Some(planes),
                order: HeadOrder::NormFirst,
            };
            (self.flat(output(next))?, head)
        } else {
            if size != 1 {
                return Err(OnnxError(format!("{}: a kernel of {size}x{size}; expected 1x1", described(head))));
            }
            let (end, hidden, outputs) = self.dense_layers(self.flat(x)?, "policy", found)?;
            (end, Head { filters: Some(filters), hidden, outputs, planes: None, order: HeadOrder::NormFirst })
        };
        match self.readers_of(end)[..] {
            [] => Ok(policy),
            // Probabilities or their logarithms: logits say the same.
            [last] if ["Softmax", "LogSoftmax"].contains(&last.op_type.as_str()) => Ok(policy),
            ref nodes => Err(unexpected(nodes[0], "the end of the policy")),
        }
    }

    /// An image as a vector. Exporters write it in two ways.
    fn flat(&self, x: &'a str) -> Result<&'a str, OnnxError> {
        let node = self.only_reader(x)?;
        match node.op_type.as_str() {
            "Flatten" if node.attribute("axis").and_then(|axis| axis.i).unwrap_or(1) == 1 => Ok(output(node)),
            // The layer behind it checks the length.
            "Reshape" => Ok(output(node)),
            _ => Err(unexpected(node, "Flatten or Reshape")),
        }
    }

    /// Dense layers with Relu between them: what follows, the widths of all but the last, and the last.
    fn dense_layers(
        &self,
        mut x: &'a str,
        name: &str,
        found: &mut Parameters,
    ) -> Result<(&'a str, Vec<usize>, usize), OnnxError> {
        let mut layers = Vec::new();
        loop {
            let (next, layer) = self.dense(x)?;
            layers.push(layer);
            match self.readers_of(next)[..] {
                [node] if node.op_type == "Relu" => x = output(node),
                _ => {
                    x = next;
                    break;
                }
            }
        }
        let widths: Vec<usize> = layers.iter().map(|layer| layer.outputs).collect();
        let last = layers.len() - 1;
        for (index, Dense { weight, bias, inputs, outputs }) in layers.into_iter().enumerate() {
            let name = if index == last { format!("{name}.out") } else { format!("{name}.dense{}", index + 1) };
            found.put(format!("{name}.weight"), &[inputs, outputs], weight);
            found.put(format!("{name}.bias"), &[outputs], bias);
        }
        Ok((x, widths[..last].to_vec(), widths[last]))
    }

    /// A dense layer: Gemm, or MatMul and Add.
    fn dense(&self, x: &'a str) -> Result<(&'a str, Dense), OnnxError> {
        let node = self.only_reader(x)?;
        let number = |name, usual: f32| node.attribute(name).map_or(usual, |found| found.f.unwrap_or(usual));
        let flag = |name| node.attribute(name).and_then(|found| found.i).unwrap_or(0) != 0;
        let (tensor, weight) = match node.op_type.as_str() {
            "Gemm" | "MatMul"
                if node.input.first().is_some_and(|first| !self.constants.contains_key(first.as_str())) =>
            {
                self.constant(node, 1)?
            }
            _ => return Err(unexpected(node, "Gemm or MatMul")),
        };
        let is_gemm = node.op_type == "Gemm";
        if is_gemm && (number("alpha", 1.0) != 1.0 || number("beta", 1.0) != 1.0 || flag("transA")) {
            return Err(OnnxError(format!("{}: expected alpha and beta of 1, and no transA", described(node))));
        }
        let &[rows, columns] = &tensor.dims[..] else {
            return Err(OnnxError(format!("{}: weights of {:?}", described(node), tensor.dims)));
        };
        let (rows, columns) = (rows as usize, columns as usize);
        let turned = is_gemm && flag("transB");
        let (inputs, outputs) = if turned { (columns, rows) } else { (rows, columns) };
        let weight = match turned {
            true => (0..inputs * outputs).map(|at| weight[at % outputs * inputs + at / outputs]).collect(),
            false => weight,
        };
        let (end, bias) = match (is_gemm, node.input.len() > 2) {
            (true, true) => (output(node), self.constant(node, 2)?.1),
            (true, false) => (output(node), vec![0.0; outputs]),
            (false, _) => {
                let add = self.only_reader(output(node))?;
                if add.op_type != "Add" {
                    return Err(unexpected(add, "Add"));
                }
                let constant = add.input.iter().position(|input| self.constants.contains_key(input.as_str()));
                (output(add), self.constant(add, constant.unwrap_or(0))?.1)
            }
        };
        if bias.len() != outputs {
            return Err(OnnxError(format!("{}: {} biases, not {outputs}", described(node), bias.len())));
        }
        Ok((end, Dense { weight, bias, inputs, outputs }))
    }
}

/// A dense layer, its weights as `[input, output]`.
struct Dense {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl NodeProto {
    fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.attribute.iter().find(|attribute| attribute.name == name)
    }
}

/// The tensor that an operator makes.
fn output(node: &NodeProto) -> &str {
    node.output.first().map_or("", String::as_str)
}

/// An operator as an error names it.
fn described(node: &NodeProto) -> String {
    let name = if node.name.is_empty() { output(node) } else { &node.name };
    format!("{} {:?}", node.op_type, tesuji_core::error::excerpt(name))
}

fn unexpected(node: &NodeProto, expected: &str) -> OnnxError {
    OnnxError(format!("{}: expected {expected}; docs/networks.md says which networks can be read", described(node)))
}
