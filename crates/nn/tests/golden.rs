//! Training and inference against PyTorch: `golden/torch_golden.py` made the numbers.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tesuji_core::Shape;
use tesuji_nn::spec::{ConvolutionLayer, Dqn, Head, HeadOrder, Reading, Residual};
use tesuji_nn::train::{Action, Optimiser, Pointwise, PolicyValue, Targets};
use tesuji_nn::{ConvMethod, Graph, Isa, KernelPath, Model, Spec, Trainer, Weights, Worker};

const BATCH: usize = 12;
const MOVES: usize = 10;
const INPUT: Shape = Shape { planes: 3, height: 4, width: 4 };

#[derive(Deserialize)]
struct Golden {
    losses: Vec<f32>,
    policy: Vec<f32>,
    value: Vec<f32>,
}

/// The script's numbers, in -0.5..0.5.
fn number(tensor: usize, index: usize) -> f64 {
    ((index * 7919 + tensor * 104_729 + index * index % 1009) % 2003) as f64 / 2003.0 - 0.5
}

fn numbers(tensor: usize, count: usize) -> Vec<f32> {
    (0..count).map(|index| number(tensor, index) as f32).collect()
}

/// The script's initial weights.
fn weights(graph: &Graph) -> Weights {
    let tensors = graph.parameters().enumerate().map(|(tensor, parameter)| {
        let fan_in: usize = parameter.shape[..parameter.shape.len() - 1].iter().product();
        let scale = 2.0 * (2.0 / fan_in as f64).sqrt();
        let of = |index: usize| match parameter.name.rsplit('.').next() {
            Some("weight") => number(tensor, index) * scale,
            Some("gamma") => 1.0 + number(tensor, index),
            Some("mean") => 0.0,
            Some("variance") => 1.0,
            _ => number(tensor, index),
        };
        (0..parameter.len()).map(|index| of(index) as f32).collect()
    });
    Weights::from_tensors(graph, tensors.collect())
}

fn golden(name: &str) -> Golden {
    let mut all: BTreeMap<String, Golden> = serde_json::from_str(include_str!("golden/torch_golden.json")).unwrap();
    all.remove(name).unwrap()
}

fn doubled(tensor: usize, count: usize) -> Vec<f32> {
    numbers(tensor, count).iter().map(|x| x * 2.0).collect()
}

/// The script's policy targets.
fn policy(moves: usize) -> Vec<f32> {
    let mut policy: Vec<f32> = numbers(1001, BATCH * moves).iter().map(|x| x + 0.5).collect();
    for row in policy.chunks_exact_mut(moves) {
        let sum: f32 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
    }
    policy
}

fn close(got: &[f32], expected: &[f32]) -> bool {
    got.len() >= expected.len() && got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 3e-3)
}

/// The trained weights in play, by every path of this machine.
fn plays_alike(name: &str, graph: &Graph, trainer: &Trainer, inputs: &[f32], golden: &Golden) {
    for method in ConvMethod::ALL {
        let path = KernelPath { isa: Isa::best(), method };
        let mut worker = Worker::new(Arc::new(Model::new(graph, trainer.weights(), path)));
        worker.run(inputs);
        assert!(close(worker.output(0), &golden.policy), "{name}, {path}");
        assert!(golden.value.is_empty() || close(worker.output(1), &golden.value), "{name}, {path}");
    }
}

#[test]
fn heads_of_planes_follow_pytorch() {
    let inputs = doubled(1000, BATCH * INPUT.len());
    let value = doubled(1002, BATCH);
    let moves = 2 * 16 + 3;
    let head = Head { filters: Some(6), hidden: vec![], outputs: moves, planes: Some(2), order: HeadOrder::NormFirst };
    let Spec::Residual(plain) = Spec::alpha_zero(INPUT, 2, 8, MOVES) else { unreachable!("a tower") };
    let tower = Spec::Residual(Residual { policy: head, ..plain });
    let q = Spec::Dqn(Dqn {
        input: INPUT,
        reading: Reading::Planes,
        convolutions: vec![ConvolutionLayer { filters: 8, size: 3 }],
        blocks: 2,
        hidden: vec![5],
        planes: Some(2),
        outputs: 2 * 16,
        second: None,
        duelling: true,
    });
    let policy = policy(moves);
    let actions: Vec<u32> = (0..BATCH as u32).map(|position| position * 3 % 32).collect();
    let loss = Pointwise::Huber { delta: 0.5 };
    let runs = [
        ("planes", tower, Targets::PolicyValue(PolicyValue::new(&policy, &value))),
        ("q", q, Targets::Action(Action { actions: &actions, targets: &value, weights: &[], loss })),
    ];
    for (name, spec, targets) in runs {
        let (graph, golden) = (spec.graph().unwrap(), golden(name));
        let mut trainer = Trainer::new(graph.clone(), weights(&graph), Optimiser::ADAM, 0.0, 1);
        for (step, &expected) in golden.losses.iter().enumerate() {
            let total = trainer.step(&inputs, &targets, 0.001).total;
            assert!((total - expected).abs() < 1e-3 * expected, "{name}, step {step}: {total} v {expected}");
        }
        plays_alike(name, &graph, &trainer, &inputs, &golden);
    }
}

#[test]
fn training_follows_pytorch() {
    let graph = Spec::alpha_zero(INPUT, 2, 8, MOVES).graph().unwrap();
    let inputs = doubled(1000, BATCH * graph.input().len());
    let value = doubled(1002, BATCH);
    let policy = policy(MOVES);
    let targets = Targets::PolicyValue(PolicyValue::new(&policy, &value));
    let runs = [
        ("momentum", Optimiser::MOMENTUM, 0.01, 1e-4),
        ("nesterov", Optimiser::Sgd { momentum: 0.9, nesterov: true }, 0.01, 1e-4),
        ("adam", Optimiser::ADAM, 0.001, 0.0),
        ("adagrad", Optimiser::ADAGRAD, 0.01, 0.0),
        ("gradient-descent", Optimiser::GradientDescent, 0.02, 0.0),
    ];
    for (name, optimiser, rate, l2) in runs {
        let golden = golden(name);
        let mut trainer = Trainer::new(graph.clone(), weights(&graph), optimiser, l2, 1);
        for (step, &expected) in golden.losses.iter().enumerate() {
            let losses = trainer.step(&inputs, &targets, rate);
            // The script's Nesterov run lowers the divergence, the others the cross-entropy.
            let total = if name == "nesterov" { losses.divergence + losses.value } else { losses.total };
            assert!((total - expected).abs() < 1e-3 * expected, "{name}, step {step}: {total} v {expected}");
        }
        plays_alike(name, &graph, &trainer, &inputs, &golden);
    }
}
