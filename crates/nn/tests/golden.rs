//! Training and inference against PyTorch: `golden/torch_golden.py` made the numbers.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tesuji_core::Shape;
use tesuji_nn::train::{Optimiser, PolicyValue, Targets};
use tesuji_nn::{ConvMethod, Graph, Isa, KernelPath, Model, Spec, Trainer, Weights, Worker};

const BATCH: usize = 12;
const MOVES: usize = 10;

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

#[test]
fn training_follows_pytorch() {
    let golden: BTreeMap<String, Golden> = serde_json::from_str(include_str!("golden/torch_golden.json")).unwrap();
    let graph = Spec::alpha_zero(Shape { planes: 3, height: 4, width: 4 }, 2, 8, MOVES).graph().unwrap();
    let inputs: Vec<f32> = numbers(1000, BATCH * graph.input().len()).iter().map(|x| x * 2.0).collect();
    let value: Vec<f32> = numbers(1002, BATCH).iter().map(|x| x * 2.0).collect();
    let mut policy: Vec<f32> = numbers(1001, BATCH * MOVES).iter().map(|x| x + 0.5).collect();
    for row in policy.chunks_exact_mut(MOVES) {
        let sum: f32 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
    }
    let targets = Targets::PolicyValue(PolicyValue::new(&policy, &value));
    let runs = [
        ("momentum", Optimiser::MOMENTUM, 0.01, 1e-4),
        ("nesterov", Optimiser::Sgd { momentum: 0.9, nesterov: true }, 0.01, 1e-4),
        ("adam", Optimiser::ADAM, 0.001, 0.0),
        ("adagrad", Optimiser::ADAGRAD, 0.01, 0.0),
        ("gradient-descent", Optimiser::GradientDescent, 0.02, 0.0),
    ];
    for (name, optimiser, rate, l2) in runs {
        let golden = &golden[name];
        let mut trainer = Trainer::new(graph.clone(), weights(&graph), optimiser, l2, 1);
        for (step, &expected) in golden.losses.iter().enumerate() {
            let losses = trainer.step(&inputs, &targets, rate);
            // The script's Nesterov run lowers the divergence, the others the cross-entropy.
            let total = if name == "nesterov" { losses.divergence + losses.value } else { losses.total };
            assert!((total - expected).abs() < 1e-3 * expected, "{name}, step {step}: {total} v {expected}");
        }
        // The trained weights in play, by every path of this machine.
        for method in ConvMethod::ALL {
            let path = KernelPath { isa: Isa::best(), method };
            let mut worker = Worker::new(Arc::new(Model::new(&graph, trainer.weights(), path)));
            worker.run(&inputs);
            let close = |got: &[f32], expected: &[f32]| got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 3e-3);
            assert!(close(&worker.output(0)[..MOVES], &golden.policy), "{name}, {path}");
            assert!(close(worker.output(1), &golden.value), "{name}, {path}");
        }
    }
}
