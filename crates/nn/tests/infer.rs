//! Fast inference against the plain reference, path against path, batch against batch.

use proptest::prelude::*;
use std::sync::Arc;
use tesuji_core::{Shape, Stream};
use tesuji_nn::spec::{Convolution, Dense, Dqn, Head, HeadOrder, Pooling, Residual, ValueHead};
use tesuji_nn::{ConvMethod, Graph, Isa, KernelPath, Model, Spec, Weights, Worker, reference};

/// Networks that use every kind of layer, on boards of several shapes.
fn specs() -> Vec<(&'static str, Spec)> {
    let shape = |planes, height, width| Shape { planes, height, width };
    let rich = |convolution, squeeze, pooling| {
        let mut spec = Spec::tubstap(shape(5, 6, 6), 2, convolution, 20);
        let Spec::Residual(residual) = &mut spec else { unreachable!() };
        *residual = Residual { filters: 24, squeeze, pooling, ..residual.clone() };
        spec
    };
    let mut sideways = Spec::dqn_paper(11);
    let Spec::Dqn(dqn) = &mut sideways else { unreachable!() };
    dqn.input = shape(7, 4, 3);
    dqn.hidden = vec![20];
    dqn.convolutions.iter_mut().for_each(|layer| layer.filters = 18);
    let mut helped = Spec::alpha_zero(shape(4, 4, 4), 1, 12, 9);
    let Spec::Residual(residual) = &mut helped else { unreachable!() };
    residual.reply = true;
    residual.moves_left = Some(ValueHead { filters: Some(2), hidden: vec![5] });
    let mut dense_first = rich(Convolution::Separable, None, None);
    let Spec::Residual(residual) = &mut dense_first else { unreachable!() };
    residual.policy.order = HeadOrder::DenseFirst;
    let policy =
        Head { filters: Some(7), hidden: vec![], outputs: 3 * 20 + 2, planes: Some(3), order: HeadOrder::NormFirst };
    let Spec::Residual(plain) = Spec::alpha_zero(shape(3, 5, 4), 1, 16, 1) else { unreachable!() };
    let planes = Spec::Residual(Residual { policy, reply: true, ..plain });
    let Spec::Dqn(small) = Spec::dqn_small(shape(3, 5, 4), 2 * 20, true) else { unreachable!() };
    let q_planes = Spec::Dqn(Dqn { blocks: 2, planes: Some(2), hidden: vec![9], ..small });
    vec![
        ("planes", planes),
        ("Q as planes", q_planes),
        ("helpers", helped),
        ("dense first", dense_first),
        ("5x5", Spec::alpha_zero(shape(31, 5, 5), 2, 32, 50)),
        ("8x8", Spec::alpha_zero(shape(3, 8, 8), 1, 16, 10)),
        ("6x7", Spec::alpha_zero(shape(2, 6, 7), 1, 40, 7)),
        ("3x3", Spec::alpha_zero(shape(2, 3, 3), 1, 17, 9)),
        ("separable", rich(Convolution::Separable, None, None)),
        ("squeeze", rich(Convolution::Plain, Some(6), None)),
        ("pooling", rich(Convolution::Plain, Some(6), Some(Pooling { channels: 8, every: 2 }))),
        ("duel", Spec::dqn_small(shape(3, 5, 4), 12, true)),
        ("sideways", sideways),
        (
            "dense",
            Spec::Dense(Dense {
                input: shape(6, 2, 2),
                hidden: vec![40, 7],
                activation: tesuji_nn::graph::Activation::Tanh,
                outputs: 1,
            }),
        ),
    ]
}

/// Weights such as training leaves them: norms that do something.
fn trained(graph: &Graph, seed: u64) -> Weights {
    let mut weights = Weights::init(graph, seed);
    let mut stream = Stream::new(seed, "test", 0);
    for (parameter, tensor) in graph.parameters().zip(weights.tensors_mut()) {
        let kind = parameter.name.rsplit('.').next().unwrap();
        for x in tensor {
            let noise = (2.0 * stream.unit() - 1.0) as f32;
            match kind {
                "gamma" | "variance" => *x = 1.0 + 0.5 * noise,
                "beta" | "bias" | "mean" => *x = 0.3 * noise,
                _ => {}
            }
        }
    }
    weights
}

fn views(graph: &Graph, batch: usize, seed: u64) -> Vec<f32> {
    let mut stream = Stream::new(seed, "views", 0);
    (0..batch * graph.input().len()).map(|_| (2.0 * stream.unit() - 1.0) as f32).collect()
}

fn paths() -> impl Iterator<Item = KernelPath> {
    let isas = Isa::ALL.into_iter().filter(|isa| {
        if !isa.is_available() {
            println!("skipped: this machine has no {isa:?}");
        }
        isa.is_available()
    });
    isas.flat_map(|isa| ConvMethod::ALL.into_iter().map(move |method| KernelPath { isa, method }))
}

/// A model with every output, those that only help training among them.
fn model(graph: &Graph, weights: &Weights, path: KernelPath) -> Arc<Model> {
    let names: Vec<&str> = graph.outputs().iter().map(|(name, _)| name.as_str()).collect();
    Arc::new(Model::with_outputs(graph, weights, path, &names))
}

fn run(graph: &Graph, weights: &Weights, path: KernelPath, inputs: &[f32]) -> Vec<Vec<f32>> {
    let mut worker = Worker::new(model(graph, weights, path));
    worker.run(inputs);
    (0..graph.outputs().len()).map(|output| worker.output(output).to_vec()).collect()
}

/// The greatest difference over the greatest size.
fn error(expected: &[f64], got: &[f32]) -> f64 {
    assert_eq!(expected.len(), got.len());
    let size = expected.iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
    expected.iter().zip(got).map(|(a, &b)| (a - f64::from(b)).abs()).fold(0.0, f64::max) / size
}

/// How far a path may be from the reference in double precision: Winograd's method multiplies by constants that enlarge what was rounded off.
fn rounding(method: ConvMethod) -> f64 {
    if method == ConvMethod::Direct { 1e-5 } else { 3e-5 }
}

#[test]
fn every_path_computes_what_the_reference_does() {
    for (name, spec) in specs() {
        let graph = spec.graph().unwrap();
        let weights = trained(&graph, 3);
        for batch in [1, 5] {
            let inputs = views(&graph, batch, 9);
            let expected = reference::outputs(&graph, &weights, &inputs, batch);
            for path in paths() {
                for (expected, got) in expected.iter().zip(run(&graph, &weights, path, &inputs)) {
                    let error = error(expected, &got);
                    assert!(error < rounding(path.method), "{name}, batch {batch}, {path}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn play_leaves_out_what_only_helps_training() {
    let (_, spec) = specs().swap_remove(2);
    let graph = spec.graph().unwrap();
    let weights = trained(&graph, 3);
    let inputs = views(&graph, 3, 9);
    let path = KernelPath { isa: Isa::best(), method: ConvMethod::Direct };
    let play = Arc::new(Model::new(&graph, &weights, path));
    assert!(play.outputs().eq(["policy", "value"]));
    assert_eq!(model(&graph, &weights, path).outputs().count(), 4);
    let mut worker = Worker::new(play);
    worker.run(&inputs);
    let all = run(&graph, &weights, path, &inputs);
    assert_eq!([worker.output(0), worker.output(1)], [&all[0][..], &all[1][..]]);
}

#[test]
fn avx2_and_avx512_agree_bit_for_bit() {
    if !Isa::Avx512.is_available() {
        println!("skipped: this machine has no AVX-512");
        return;
    }
    for (name, spec) in specs() {
        let graph = spec.graph().unwrap();
        let weights = trained(&graph, 4);
        let inputs = views(&graph, 13, 2);
        for method in ConvMethod::ALL {
            let of = |isa| run(&graph, &weights, KernelPath { isa, method }, &inputs);
            assert_eq!(of(Isa::Avx2), of(Isa::Avx512), "{name}, {method:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_position_does_not_see_its_batch_mates(which in 0_usize..14, batch in 1_usize..90, seed: u64, method in 0_usize..4) {
        let (name, spec) = specs().swap_remove(which);
        let graph = spec.graph().unwrap();
        let weights = trained(&graph, seed);
        let inputs = views(&graph, batch, seed);
        let len = graph.input().len();
        let mut portable: Vec<Vec<f64>> = Vec::new();
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let model = model(&graph, &weights, KernelPath { isa, method: ConvMethod::ALL[method] });
            let mut together = Worker::new(Arc::clone(&model));
            together.run(&inputs);
            // Portable comes first; all round alike, but for what double precision rounds twice.
            let outputs: Vec<Vec<f32>> =
                (0..graph.outputs().len()).map(|output| together.output(output).to_vec()).collect();
            if portable.is_empty() {
                portable = outputs.iter().map(|output| output.iter().map(|&x| f64::from(x)).collect()).collect();
            }
            for (expected, got) in portable.iter().zip(&outputs) {
                let error = error(expected, got);
                prop_assert!(error < 1e-6, "{}, {:?}: {:e} from portable", name, isa, error);
            }
            let mut alone = Worker::new(model);
            for position in [0, batch / 2, batch - 1] {
                alone.run(&inputs[position * len..][..len]);
                for output in 0..graph.outputs().len() {
                    let width = graph.output_len(output);
                    let bits = |row: &[f32]| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                    let row = &together.output(output)[position * width..][..width];
                    prop_assert_eq!(bits(alone.output(output)), bits(row), "{}, {:?}", name, isa);
                }
            }
        }
    }
}
