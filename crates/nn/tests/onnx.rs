//! ONNX files: what goes out comes back, and onnxruntime computes what we do.
//!
//! With TESUJI_ONNXRUNTIME naming a Python that has onnxruntime, `onnx/check.py` runs every file; CI does.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use tesuji_core::{Rules, Shape, Stream};
use tesuji_nn::graph::Activation;
use tesuji_nn::spec::{Convolution, Dense, Dqn, Head, HeadOrder, Pooling, Residual, ValueHead};
use tesuji_nn::train::{Action, Optimiser, Pointwise, PolicyValue, Targets};
use tesuji_nn::{
    ConvMethod, Isa, KernelPath, Model, NetworkFile, NetworkInfo, Spec, Trainer, Weights, Worker, onnx, reference,
};

const fn shape(planes: usize, height: usize, width: usize) -> Shape {
    Shape { planes, height, width }
}

/// Networks with every kind of layer.
fn specs() -> Vec<(&'static str, Spec)> {
    let mut rich = Spec::tubstap(shape(5, 4, 6), 2, Convolution::Separable, 20);
    let Spec::Residual(residual) = &mut rich else { unreachable!() };
    (residual.filters, residual.squeeze, residual.reply) = (12, Some(4), true);
    residual.pooling = Some(Pooling { channels: 8, every: 2 });
    residual.moves_left = Some(ValueHead { filters: Some(2), hidden: vec![7] });
    let mut sideways = Spec::dqn_paper(11);
    let Spec::Dqn(dqn) = &mut sideways else { unreachable!() };
    (dqn.input, dqn.hidden) = (shape(7, 4, 3), vec![20]);
    dqn.convolutions.iter_mut().for_each(|layer| layer.filters = 9);
    let dense = Dense { input: shape(6, 2, 2), hidden: vec![10, 7], activation: Activation::Tanh, outputs: 1 };
    let mut dense_first = Spec::tubstap(shape(5, 4, 4), 1, Convolution::Plain, 20);
    let Spec::Residual(residual) = &mut dense_first else { unreachable!() };
    (residual.filters, residual.policy.order) = (12, HeadOrder::DenseFirst);
    let policy =
        Head { filters: Some(7), hidden: vec![], outputs: 3 * 20 + 2, planes: Some(3), order: HeadOrder::NormFirst };
    let Spec::Residual(plain) = Spec::alpha_zero(shape(3, 5, 4), 1, 16, 1) else { unreachable!() };
    let planes = Spec::Residual(Residual { policy, reply: true, ..plain });
    let Spec::Dqn(small) = Spec::dqn_small(shape(3, 5, 4), 2 * 20, true) else { unreachable!() };
    let q_planes = Spec::Dqn(Dqn { blocks: 2, planes: Some(2), hidden: vec![9], ..small });
    vec![
        ("plain", Spec::alpha_zero(shape(3, 5, 5), 2, 16, 30)),
        ("rich", rich),
        ("duel", Spec::dqn_small(shape(3, 5, 4), 12, true)),
        ("sideways", sideways),
        ("dense", Spec::Dense(dense)),
        ("dense first", dense_first),
        ("planes", planes),
        ("Q as planes", q_planes),
    ]
}

fn random(seed: u64, len: usize) -> Vec<f32> {
    let mut stream = Stream::new(seed, "test", 0);
    (0..len).map(|_| (2.0 * stream.unit() - 1.0) as f32).collect()
}

/// A network after some training, so that its norms do something.
fn trained(spec: &Spec) -> NetworkFile {
    const BATCH: usize = 16;
    let graph = spec.graph().unwrap();
    let mut trainer = Trainer::new(graph.clone(), Weights::init(&graph, 1), Optimiser::MOMENTUM, 1e-4, 1);
    let inputs = random(2, BATCH * graph.input().len());
    let len = graph.output_len(0);
    let policy = vec![1.0 / len as f32; BATCH * len];
    let value = random(3, BATCH);
    let actions: Vec<u32> = (0..BATCH).map(|position| (position % len) as u32).collect();
    let loss = Pointwise::Squared;
    let targets = match graph.outputs()[0].0.as_str() {
        "policy" => Targets::PolicyValue(PolicyValue::new(&policy, &value)),
        "q" => Targets::Action(Action { actions: &actions, targets: &value, weights: &[], loss }),
        _ => Targets::Value { targets: &value, loss },
    };
    (0..20).for_each(|_| drop(trainer.step(&inputs, &targets, 0.02)));
    let about = NetworkInfo {
        spec: spec.clone(),
        game: "none".into(),
        rules: Rules::Paper,
        rules_version: 3,
        encoder: "some".into(),
        encoder_version: 2,
        step: 0,
        agent: String::new(),
    };
    trainer.checkpoint(about)
}

#[test]
fn files_come_back_as_they_went() {
    for (name, spec) in specs() {
        let file = trained(&spec);
        let bytes = onnx::export(&file).unwrap();
        assert_eq!(bytes, onnx::export(&file).unwrap(), "{name}: not the same twice");
        let back = onnx::import(&bytes).unwrap();
        assert_eq!(back, NetworkFile { state: BTreeMap::new(), ..file }, "{name}");
    }
}

#[test]
fn what_is_not_ours_is_refused() {
    let bytes = onnx::export(&trained(&specs()[0].1)).unwrap();
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let mut bytes = bytes.clone();
        // Every mention: nodes name the parameters that they read.
        while let Some(at) = bytes.windows(from.len()).position(|window| window == from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
        onnx::import(&bytes).unwrap_err().to_string()
    };
    assert!(replaced("stem.conv.weight", "stem.cone.weight").contains("\"stem.conv.weight\" is missing"));
    assert!(replaced("\"filters\":16", "\"filters\":17").contains("has 432 numbers, not 459"));
    assert!(replaced("\"height\":5,\"width\":5", "\"height\":1,\"width\":9").contains("numbers, not"));
    assert!(replaced("\"encoder\"", "\"encodes\"").contains("metadata"));
    assert!(onnx::import(&[]).unwrap_err().to_string().contains("not written by this program"));
    assert!(onnx::import(&bytes[..bytes.len() / 2]).is_err());
}

fn foreign(name: &str) -> Vec<u8> {
    std::fs::read(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/onnx")).join(name)).unwrap()
}

/// `onnx/foreign.py` wrote the files as other programs do, and what onnxruntime computes of them.
#[test]
fn networks_of_other_programs_compute_here_what_they_do_there() {
    let expected: serde_json::Value = serde_json::from_slice(&foreign("foreign.json")).unwrap();
    for (name, blocks, hidden) in [("folded.onnx", 2, vec![]), ("norms.onnx", 1, vec![11]), ("planes.onnx", 1, vec![])]
    {
        let bytes = foreign(name);
        assert!(!onnx::is_ours(&bytes));
        let onnx::Foreign { spec, weights } = onnx::recognise(&bytes).unwrap();
        let Spec::Residual(residual) = &spec else { panic!("{name}: {spec:?}") };
        assert_eq!((residual.blocks, residual.filters, &residual.policy.hidden), (blocks, 6, &hidden), "{name}");
        let graph = spec.graph().unwrap();
        let numbers = |what: &str| -> Vec<f64> {
            expected[name][what].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
        };
        let inputs: Vec<f32> = numbers("input").iter().map(|&number| number as f32).collect();
        let batch = inputs.len() / graph.input().len();
        // Files have plane by plane, as our encoders do.
        let outputs = reference::outputs(&graph, &weights, &inputs, batch);
        let mut policy = outputs[graph.output("policy").unwrap()].clone();
        if name == "norms.onnx" {
            for row in policy.chunks_mut(9) {
                let total = row.iter().map(|logit| logit.exp()).sum::<f64>().ln();
                row.iter_mut().for_each(|logit| *logit -= total);
            }
        }
        for (what, ours) in [("policy", &policy), ("value", &outputs[graph.output("value").unwrap()])] {
            let theirs = numbers(what);
            assert_eq!(ours.len(), theirs.len(), "{name} {what}");
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert!((ours - theirs).abs() < 2e-5, "{name} {what}: {ours}, not {theirs}");
            }
        }
    }
}

/// Our own networks are read by their operators as well, if they are plain.
#[test]
fn our_own_networks_can_be_recognised() {
    let file = trained(&specs()[0].1);
    let onnx::Foreign { spec, weights } = onnx::recognise(&onnx::export(&file).unwrap()).unwrap();
    assert_eq!((&spec, &weights), (&file.about.spec, &file.weights));
}

#[test]
fn networks_that_we_cannot_compute_are_refused_by_their_operators() {
    let problem = |bytes: &[u8]| onnx::recognise(bytes).unwrap_err().to_string();
    let pooled = problem(&foreign("pooled.onnx"));
    assert!(pooled.contains("GlobalAveragePool") && pooled.contains("docs/networks.md"), "{pooled}");
    for (name, spec) in &specs()[1..] {
        // Heads of planes with logits beside them, gates, dropped layers: whatever it is, a line says so.
        let line = problem(&onnx::export(&trained(spec)).unwrap());
        assert!(line.starts_with("bad ONNX file: ") && line.lines().count() == 1, "{name}: {line}");
    }
    assert!(problem(&[]).contains("expected one input"));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(cut in 0_usize..4000, flip in 0_usize..32_000) {
        let mut bytes = onnx::export(&trained(&specs()[4].1)).unwrap();
        let flip = flip % (bytes.len() * 8);
        bytes[flip / 8] ^= 1 << (flip % 8);
        let _ = onnx::import(&bytes);
        let _ = onnx::import(&bytes[..cut.min(bytes.len())]);
    }

    #[test]
    fn no_bytes_of_others_make_it_panic(flips in proptest::collection::vec(0_usize..200_000, 1..4)) {
        let mut bytes = foreign("norms.onnx");
        for flip in flips {
            let flip = flip % (bytes.len() * 8);
            bytes[flip / 8] ^= 1 << (flip % 8);
        }
        let _ = onnx::recognise(&bytes);
    }
}

#[test]
fn onnxruntime_computes_what_we_do() {
    const BATCH: usize = 5;
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("onnx");
    std::fs::create_dir_all(&directory).unwrap();
    for (name, spec) in specs() {
        let file = trained(&spec);
        let graph = spec.graph().unwrap();
        let names: Vec<&str> = graph.outputs().iter().map(|(name, _)| name.as_str()).collect();
        let path = KernelPath { isa: Isa::best(), method: ConvMethod::Winograd4 };
        let mut worker = Worker::new(Arc::new(Model::with_outputs(&graph, &file.weights, path, &names)));
        let inputs = random(9, BATCH * graph.input().len());
        worker.run(&inputs);
        let outputs: BTreeMap<&str, &[f32]> =
            names.iter().enumerate().map(|(number, &name)| (name, worker.output(number))).collect();
        let Shape { planes, height, width } = graph.input();
        let sample = serde_json::json!({
            "shape": [BATCH, planes, height, width], "planes": inputs, "outputs": outputs,
        });
        std::fs::write(directory.join(format!("{name}.json")), sample.to_string()).unwrap();
        std::fs::write(directory.join(format!("{name}.onnx")), onnx::export(&file).unwrap()).unwrap();
    }
    let Some(python) = std::env::var_os("TESUJI_ONNXRUNTIME") else {
        println!("skipped the run by onnxruntime: TESUJI_ONNXRUNTIME names no Python");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/onnx/check.py");
    let done = Command::new(python).arg(script).arg(&directory).output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(text.lines().count(), specs().len(), "{text}");
}
