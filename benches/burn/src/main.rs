//! Compares our inference with burn's forward pass, layer by layer from the same weights.
//!
//!     cargo run --manifest-path benches/Cargo.toml -p tesuji-burn -- nets/*/network.safetensors
//!
//! Fails if an output of any path through our kernels is farther from burn's than 1e-4 of the greatest one. Besides the
//! files it takes networks with random weights, so that every kind of layer is there.

use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Tensor, TensorData, activation};
use std::path::Path as FilePath;
use std::process::ExitCode;
use std::sync::Arc;
use tesuji_core::{Shape, Stream};
use tesuji_nn::graph::{Activation, Kernel, Node, Op};
use tesuji_nn::nnue::NnueFile;
use tesuji_nn::spec::{Convolution, Dqn, Head, HeadOrder, Pooling, Reading, Residual, ValueHead};
use tesuji_nn::{ConvMethod, Graph, Isa, KernelPath, Model, NetworkFile, Spec, Weights, Worker};

/// The variance of batch norm is never smaller.
const NORM_EPSILON: f32 = 1e-5;

const BATCH: usize = 7;

/// What is allowed.
const LIMIT: f64 = 1e-4;

fn main() -> ExitCode {
    let mut networks = Vec::new();
    // Integer networks have no layers that burn knows; their own tests compare them with plain sums.
    for path in std::env::args().skip(1).filter(|path| NnueFile::load(FilePath::new(path)).is_err()) {
        match NetworkFile::load(FilePath::new(&path)) {
            Ok(file) => networks.push((path, file.about.spec, file.weights)),
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    for (name, spec) in [
        ("every layer", every_layer()),
        ("separable", separable()),
        ("duelling", duelling()),
        ("planes", planes()),
        ("duelling planes", duelling_planes()),
    ] {
        let weights = Weights::init(&spec.graph().expect("a network"), 1);
        networks.push((name.to_owned(), spec, weights));
    }
    let mut worst: f64 = 0.0;
    for (name, spec, weights) in &networks {
        let error = compare(spec, weights);
        println!("{name}: greatest error {error:.1e}");
        worst = worst.max(error);
    }
    if worst <= LIMIT { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The greatest difference between burn and any of our paths, over the greatest output.
fn compare(spec: &Spec, weights: &Weights) -> f64 {
    let graph = spec.graph().expect("a network that was saved can be made");
    let mut random = Stream::new(7, "views", 0);
    let inputs: Vec<f32> = (0..BATCH * graph.input().len()).map(|_| random.unit() as f32).collect();
    let theirs = forward(&graph, weights, &inputs);
    let names: Vec<&str> = graph.outputs().iter().map(|(name, _)| name.as_str()).collect();
    let mut worst: f64 = 0.0;
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for method in ConvMethod::ALL {
            let model = Arc::new(Model::with_outputs(&graph, weights, KernelPath { isa, method }, &names));
            let mut worker = Worker::new(model);
            worker.run(&inputs);
            for (number, theirs) in theirs.iter().enumerate() {
                let size = theirs.iter().fold(1e-3_f32, |size, x| size.max(x.abs()));
                let ours = worker.output(number);
                let error = theirs.iter().zip(ours).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                worst = worst.max(f64::from(error / size));
            }
        }
    }
    worst
}

/// The outputs by burn.
fn forward(graph: &Graph, weights: &Weights, inputs: &[f32]) -> Vec<Vec<f32>> {
    let device = Device::default();
    let tensor =
        |numbers: &[f32], shape: [usize; 4]| Tensor::<4>::from_data(TensorData::new(numbers.to_vec(), shape), &device);
    let mut made: Vec<Tensor<4>> = Vec::new();
    for node in graph.nodes() {
        let parameter = |index: usize| &weights.tensors()[node.first_parameter + index];
        let channels = |index: usize| tensor(parameter(index), [1, parameter(index).len(), 1, 1]);
        let input = |place: usize| made[node.inputs[place].0].clone();
        let out = match node.op {
            Op::Input => read(graph, inputs, &tensor),
            Op::Conv { kernel, bias, activation } => {
                // [row, column, input, output] in our files.
                let weight = tensor(parameter(0), four(node, 0)).permute([3, 2, 0, 1]);
                let out = conv2d(input(0), weight, None, padded(kernel, 1));
                activate(if bias { out + channels(1) } else { out }, activation)
            }
            Op::Depthwise { kernel } => {
                // [row, column, channel] in our files.
                let weight = tensor(parameter(0), four(node, 0)).permute([2, 3, 0, 1]);
                conv2d(input(0), weight, None, padded(kernel, node.shape.planes))
            }
            Op::Dense { activation } => {
                let shape = &node.parameters[0].shape;
                // Inputs are numbered by row, column, channel in our files.
                let flat = input(0).permute([0, 2, 3, 1]).reshape([BATCH, shape[0]]);
                let weight =
                    Tensor::<2>::from_data(TensorData::new(parameter(0).clone(), [shape[0], shape[1]]), &device);
                let out = flat.matmul(weight).reshape([BATCH, shape[1], 1, 1]);
                activate(out + channels(1), activation)
            }
            Op::Norm { activation } => {
                let scale = channels(0) / (channels(3) + NORM_EPSILON).sqrt();
                let out = (input(0) - channels(2)) * scale + channels(1);
                activate(if node.inputs.len() == 2 { out + input(1) } else { out }, activation)
            }
            Op::Dropout { .. } => input(0),
            Op::Mean => mean(input(0)),
            Op::MeanMax => Tensor::cat(vec![mean(input(0)), input(0).max_dim(2).max_dim(3)], 1),
            Op::Gate => input(0) * activation::sigmoid(input(1)),
            Op::Shift => input(0) + input(1),
            Op::Sum { activation } => activate(input(0) + input(1), activation),
            Op::Flatten => {
                let len = node.shape.planes - if node.inputs.len() == 2 { input(1).dims()[1] } else { 0 };
                let flat = input(0).reshape([BATCH, len, 1, 1]);
                if node.inputs.len() == 2 { Tensor::cat(vec![flat, input(1)], 1) } else { flat }
            }
            Op::Duel => input(0) - input(0).mean_dim(1) + input(1),
        };
        made.push(out);
    }
    let numbers = |tensor: &Tensor<4>| tensor.to_data().try_to_vec::<f32>().expect("numbers of single precision");
    graph.outputs().iter().map(|(_, node)| numbers(&made[node.0])).collect()
}

/// The planes, or the array as it lies taken for height x width x channels.
fn read(graph: &Graph, inputs: &[f32], tensor: &dyn Fn(&[f32], [usize; 4]) -> Tensor<4>) -> Tensor<4> {
    let Shape { planes, height, width } = graph.input();
    let image = tensor(inputs, [BATCH, planes, height, width]);
    match graph.reading() {
        Reading::Planes => image,
        Reading::Sideways => image.permute([0, 3, 1, 2]),
    }
}

fn mean(image: Tensor<4>) -> Tensor<4> {
    image.mean_dim(2).mean_dim(3)
}

fn activate(x: Tensor<4>, activation: Activation) -> Tensor<4> {
    match activation {
        Activation::Identity => x,
        Activation::Relu => activation::relu(x),
        Activation::Tanh => activation::tanh(x),
    }
}

fn padded(kernel: Kernel, groups: usize) -> ConvOptions<2> {
    ConvOptions::new([1, 1], [kernel.height / 2, kernel.width / 2], [1, 1], groups)
}

fn four(node: &Node, index: usize) -> [usize; 4] {
    let shape = &node.parameters[index].shape;
    [shape[0], shape[1], shape[2], shape.get(3).copied().unwrap_or(1)]
}

const INPUT: Shape = Shape { planes: 5, height: 6, width: 7 };

fn residual(convolution: Convolution) -> Residual {
    Residual {
        input: INPUT,
        blocks: 2,
        filters: 16,
        convolution,
        dropout: 0.3,
        squeeze: None,
        pooling: None,
        policy: Head { filters: Some(3), hidden: vec![20], outputs: 30, planes: None, order: HeadOrder::NormFirst },
        value: ValueHead { filters: None, hidden: vec![8] },
        reply: false,
        moves_left: None,
    }
}

fn every_layer() -> Spec {
    Spec::Residual(Residual {
        squeeze: Some(4),
        pooling: Some(Pooling { channels: 8, every: 2 }),
        reply: true,
        moves_left: Some(ValueHead { filters: Some(2), hidden: vec![] }),
        ..residual(Convolution::Plain)
    })
}

fn separable() -> Spec {
    Spec::Residual(residual(Convolution::Separable))
}

fn planes() -> Spec {
    let policy =
        Head { filters: Some(8), hidden: vec![], outputs: 3 * 42 + 1, planes: Some(3), order: HeadOrder::NormFirst };
    Spec::Residual(Residual { policy, ..residual(Convolution::Plain) })
}

fn duelling_planes() -> Spec {
    let Spec::Dqn(small) = Spec::dqn_small(INPUT, 2 * 42, true) else { unreachable!("a network of Q") };
    Spec::Dqn(Dqn { blocks: 2, planes: Some(2), ..small })
}

fn duelling() -> Spec {
    let Spec::Dqn(small) = Spec::dqn_small(INPUT, 30, true) else { unreachable!("a network of Q") };
    Spec::Dqn(Dqn { reading: Reading::Sideways, second: Some(12), ..small })
}
