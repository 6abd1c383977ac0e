//! Gradients against finite differences, and training that repeats.

use super::*;
use crate::graph::{Activation, Op};
use crate::reference::{self, Mode};
use crate::spec::{Convolution, Dense, Dqn, HeadOrder, Pooling, Spec, ValueHead};
use crate::train::tape::dropout_key;
use crate::train::{Pointwise, PolicyValue, small};
use tesuji_core::Shape;

const fn shape(planes: usize, height: usize, width: usize) -> Shape {
    Shape { planes, height, width }
}

fn rich(convolution: Convolution, squeeze: Option<usize>, pooling: Option<Pooling>, dropout: f32) -> Spec {
    let mut spec = Spec::tubstap(shape(3, 3, 4), 2, convolution, 5);
    let Spec::Residual(residual) = &mut spec else { unreachable!() };
    (residual.filters, residual.squeeze, residual.pooling, residual.dropout) = (6, squeeze, pooling, dropout);
    residual.value.hidden = vec![4];
    spec
}

/// With the TUBSTAP paper's policy head.
fn dense_first() -> Spec {
    let mut spec = rich(Convolution::Separable, None, None, 0.0);
    let Spec::Residual(residual) = &mut spec else { unreachable!() };
    residual.policy.order = HeadOrder::DenseFirst;
    spec
}

/// With the heads that only help training.
fn helped() -> Spec {
    let mut spec = Spec::alpha_zero(shape(3, 4, 3), 1, 6, 7);
    let Spec::Residual(residual) = &mut spec else { unreachable!() };
    residual.reply = true;
    residual.moves_left = Some(ValueHead { filters: Some(2), hidden: vec![4] });
    spec
}

/// With a policy head of planes, and moves behind them that belong to no square.
fn planes(rest: usize) -> Spec {
    let mut spec = rich(Convolution::Plain, None, None, 0.0);
    let Spec::Residual(residual) = &mut spec else { unreachable!() };
    let policy = &mut residual.policy;
    (policy.filters, policy.planes, policy.outputs) = ((rest > 0).then_some(5), Some(2), 2 * 12 + rest);
    residual.reply = rest > 0;
    spec
}

/// Q values as planes, behind residual blocks.
fn q_planes(duelling: bool) -> Spec {
    let Spec::Dqn(small) = Spec::dqn_small(shape(2, 3, 4), 2 * 12 + 1, duelling) else {
        unreachable!("a network of Q")
    };
    let hidden = if duelling { vec![5] } else { vec![] };
    Spec::Dqn(Dqn { blocks: 2, planes: Some(2), hidden, convolutions: small.convolutions[..1].to_vec(), ..small })
}

fn two_networks() -> Spec {
    let Spec::Dqn(small) = Spec::dqn_small(shape(2, 3, 3), 6, false) else { unreachable!("a network of Q") };
    Spec::Dqn(Dqn { second: Some(6), hidden: vec![5], ..small })
}

fn sideways() -> Spec {
    let mut spec = Spec::dqn_paper(5);
    let Spec::Dqn(dqn) = &mut spec else { unreachable!() };
    dqn.input = shape(7, 4, 3);
    dqn.hidden = vec![8];
    dqn.convolutions.iter_mut().for_each(|layer| layer.filters = 5);
    spec
}

fn random(seed: u64, len: usize) -> Vec<f32> {
    let mut stream = Stream::new(seed, "test", 0);
    (0..len).map(|_| (2.0 * stream.unit() - 1.0) as f32).collect()
}

/// Targets that own their numbers, for any network.
struct Wanted {
    policy: Vec<f32>,
    legal: Vec<bool>,
    reply: Vec<f32>,
    value: Vec<f32>,
    actions: Vec<u32>,
    weights: Vec<f32>,
    loss: Pointwise,
}

impl Wanted {
    fn new(graph: &Graph, batch: usize, loss: Pointwise) -> Wanted {
        let len = graph.output_len(0);
        // Masks only where there are helpers, so that both kinds of softmax are met.
        let masked = graph.output("reply").is_some();
        let legal: Vec<bool> = (0..batch * len).map(|i| !masked || i % 3 != 1).collect();
        let distribution = |seed: u64, allowed: &dyn Fn(usize) -> bool| {
            let mut policy = random(seed, batch * len);
            policy.iter_mut().enumerate().for_each(|(i, x)| *x = if allowed(i) { *x * *x } else { 0.0 });
            for row in policy.chunks_exact_mut(len) {
                let sum: f32 = row.iter().sum();
                row.iter_mut().for_each(|x| *x /= sum);
            }
            policy
        };
        let policy = distribution(5, &|i| legal[i]);
        let mut reply = distribution(7, &|_| true);
        // The last position has no reply.
        reply[(batch - 1) * len..].fill(0.0);
        let actions = (0..batch).map(|position| (position * 3 % len) as u32).collect();
        let weights = (0..batch).map(|position| 0.5 + position as f32 * 0.1).collect();
        let legal = if masked { legal } else { Vec::new() };
        Wanted { policy, legal, reply, value: random(6, batch), actions, weights, loss }
    }

    fn targets(&self, graph: &Graph) -> Targets<'_> {
        match graph.outputs()[0].0.as_str() {
            "policy" => Targets::PolicyValue(PolicyValue {
                legal: &self.legal,
                value_weight: 0.7,
                value_loss: self.loss,
                reply: graph.output("reply").map(|_| Reply { policy: &self.reply, weight: 0.3 }),
                moves_left: graph.output("moves-left").map(|_| MovesLeft {
                    moves: &self.weights,
                    loss: Pointwise::Huber { delta: 0.4 },
                    weight: 0.2,
                }),
                ..PolicyValue::new(&self.policy, &self.value)
            }),
            "q" => {
                let targets = &self.value;
                let q = Action { actions: &self.actions, targets, weights: &self.weights, loss: self.loss };
                match graph.output("q2") {
                    None => Targets::Action(q),
                    Some(_) => Targets::Actions([q, Action { weights: &[], ..q }]),
                }
            }
            _ => Targets::Value { targets: &self.value, loss: self.loss },
        }
    }

    /// The same losses in double precision, from their definitions.
    fn loss(&self, graph: &Graph, outputs: &[Vec<f64>]) -> f64 {
        let batch = self.value.len() as f64;
        let by = |loss: Pointwise, x: f64, target: f32| {
            let error = x - f64::from(target);
            match loss {
                Pointwise::Squared => error * error,
                Pointwise::Huber { delta } if error.abs() <= f64::from(delta) => 0.5 * error * error,
                Pointwise::Huber { delta } => f64::from(delta) * (error.abs() - 0.5 * f64::from(delta)),
            }
        };
        let point = |x: f64, target: f32| by(self.loss, x, target);
        let len = graph.output_len(0);
        let legal = |row: usize, i: usize| self.legal.get(row * len + i).copied().unwrap_or(true);
        let entropy = |outputs: &[f64], targets: &[f32], legal: &dyn Fn(usize, usize) -> bool| {
            let rows = outputs.chunks_exact(len).zip(targets.chunks_exact(len)).enumerate();
            let of_row = |(row, (logits, target)): (usize, (&[f64], &[f32]))| {
                let competing = (0..len).filter(|&i| legal(row, i));
                let log_sum = competing.clone().map(|i| logits[i].exp()).sum::<f64>().ln();
                competing.map(|i| -f64::from(target[i]) * (logits[i] - log_sum)).sum::<f64>()
            };
            rows.map(of_row).sum::<f64>()
        };
        let sum: f64 = match graph.outputs()[0].0.as_str() {
            "policy" => {
                let mut sum = entropy(&outputs[0], &self.policy, &legal);
                sum += outputs[1].iter().zip(&self.value).map(|(&v, &z)| 0.7 * point(v, z)).sum::<f64>();
                if let Some(number) = graph.output("reply") {
                    sum += 0.3 * entropy(&outputs[number], &self.reply, &|_, _| true);
                }
                if let Some(number) = graph.output("moves-left") {
                    let huber = Pointwise::Huber { delta: 0.4 };
                    let losses = outputs[number].iter().zip(&self.weights).map(|(&x, &left)| by(huber, x, left));
                    sum += 0.2 * losses.sum::<f64>();
                }
                sum
            }
            "q" => (0..self.value.len())
                .map(|i| {
                    let loss = |q: &[f64]| point(q[i * len + self.actions[i] as usize], self.value[i]);
                    f64::from(self.weights[i]) * loss(&outputs[0]) + outputs.get(1).map_or(0.0, |q| loss(q))
                })
                .sum(),
            _ => outputs[0].iter().zip(&self.value).map(|(&v, &z)| point(v, z)).sum(),
        };
        sum / batch
    }
}

/// Compares the gradient of every tensor, at a few places, with central differences of the plain reference.
fn check_gradients(name: &str, spec: &Spec, loss: Pointwise) {
    let graph = spec.graph().unwrap();
    let batch = 5;
    let inputs = random(3, batch * graph.input().len());
    let mut weights = Weights::init(&graph, 11);
    for (parameter, tensor) in graph.parameters().zip(weights.tensors_mut()) {
        if parameter.name.ends_with("bias") || parameter.name.ends_with("beta") {
            tensor.iter_mut().zip(random(12, parameter.len())).for_each(|(x, noise)| *x = 0.2 * noise);
        }
    }
    let wanted = Wanted::new(&graph, batch, loss);
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let mut trainer =
            Trainer::new(graph.clone(), weights.clone(), Optimiser::GradientDescent, 0.0, 1).with_isa(isa);
        let key = trainer.dropout_key();
        let factor = |node: usize, index: usize| {
            let Op::Dropout { rate } = graph.nodes()[node].op else { unreachable!() };
            f64::from(small::dropout_factor(dropout_key(key, node), rate, index))
        };
        let mut doubles: Vec<Vec<f64>> =
            weights.tensors().iter().map(|tensor| tensor.iter().map(|&x| f64::from(x)).collect()).collect();
        let evaluate = |doubles: &[Vec<f64>]| {
            wanted.loss(&graph, &reference::outputs_in_mode(&graph, doubles, &inputs, batch, &Mode::Train(&factor)))
        };
        let losses = trainer.step(&inputs, &wanted.targets(&graph), 0.0);
        let expected = evaluate(&doubles);
        assert!((f64::from(losses.total) - expected).abs() < 1e-4 * expected, "{name}: {} v {expected}", losses.total);
        for (index, parameter) in graph.parameters().enumerate().filter(|(_, parameter)| parameter.trainable) {
            let gradient = &trainer.gradients()[index];
            let size = (gradient.iter().map(|g| f64::from(g * g)).sum::<f64>() / gradient.len() as f64).sqrt();
            for place in 0..4 {
                let at = place * 7919 % parameter.len();
                let original = doubles[index][at];
                let mut nudged = |delta: f64| {
                    doubles[index][at] = original + delta;
                    let loss = evaluate(&doubles);
                    doubles[index][at] = original;
                    loss
                };
                let difference = (nudged(1e-6) - nudged(-1e-6)) / 2e-6;
                let error = (f64::from(gradient[at]) - difference).abs();
                assert!(
                    error < 1e-3 * (difference.abs() + size) + 1e-6,
                    "{name}, {isa:?}, {}[{at}]: {} v {difference}",
                    parameter.name,
                    gradient[at]
                );
            }
        }
    }
}

#[test]
fn gradients_agree_with_finite_differences() {
    let squared = Pointwise::Squared;
    let dense = |activation| Spec::Dense(Dense { input: shape(3, 2, 2), hidden: vec![9, 5], activation, outputs: 1 });
    let pooling = Some(Pooling { channels: 4, every: 2 });
    check_gradients("plain", &Spec::alpha_zero(shape(3, 4, 3), 1, 6, 7), squared);
    check_gradients("helpers and a mask", &helped(), Pointwise::Huber { delta: 0.3 });
    check_gradients("tubstap", &rich(Convolution::Plain, None, None, 0.3), squared);
    check_gradients("separable", &rich(Convolution::Separable, None, None, 0.0), squared);
    check_gradients("dense first", &dense_first(), squared);
    check_gradients("squeeze and pooling", &rich(Convolution::Plain, Some(3), pooling, 0.0), squared);
    check_gradients("sideways", &sideways(), squared);
    check_gradients("duel", &Spec::dqn_small(shape(2, 3, 3), 6, true), Pointwise::Huber { delta: 0.3 });
    check_gradients("planes", &planes(0), squared);
    check_gradients("planes and a rest", &planes(2), squared);
    check_gradients("Q as planes", &q_planes(false), squared);
    check_gradients("duelling planes", &q_planes(true), Pointwise::Huber { delta: 0.3 });
    check_gradients("two networks", &two_networks(), squared);
    check_gradients("dense", &dense(Activation::Tanh), squared);
    check_gradients("dense", &dense(Activation::Relu), Pointwise::Huber { delta: 0.2 });
}

/// Bits of the weights after some steps with dropout and every kind of layer.
fn bits_after(steps: usize, threads: usize, optimiser: Optimiser) -> Vec<u32> {
    let pooling = Some(Pooling { channels: 4, every: 2 });
    let graph = rich(Convolution::Separable, Some(3), pooling, 0.2).graph().unwrap();
    let wanted = Wanted::new(&graph, 48, Pointwise::Squared);
    let inputs = random(8, 48 * graph.input().len());
    let weights = Weights::init(&graph, 2);
    let mut trainer = Trainer::new(graph.clone(), weights, optimiser, 1e-4, 3);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        for _ in 0..steps {
            trainer.step(&inputs, &wanted.targets(&graph), 0.01);
        }
    });
    trainer.weights().tensors().iter().flatten().map(|x| x.to_bits()).collect()
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let one = bits_after(200, 1, Optimiser::MOMENTUM);
    assert!(one == bits_after(200, 2, Optimiser::MOMENTUM));
    assert!(one == bits_after(200, 4, Optimiser::MOMENTUM));
    assert!(one != bits_after(199, 1, Optimiser::MOMENTUM));
}

#[test]
fn training_goes_on_where_it_stopped() {
    let graph = Spec::alpha_zero(shape(3, 3, 3), 1, 8, 5).graph().unwrap();
    let wanted = Wanted::new(&graph, 8, Pointwise::Squared);
    let inputs = random(8, 8 * graph.input().len());
    for optimiser in [Optimiser::MOMENTUM, Optimiser::ADAM, Optimiser::ADAGRAD, Optimiser::GradientDescent] {
        let start = |weights: &Weights| Trainer::new(graph.clone(), weights.clone(), optimiser, 1e-4, 3);
        let run = |trainer: &mut Trainer, steps: usize| {
            (0..steps).for_each(|_| drop(trainer.step(&inputs, &wanted.targets(&graph), 0.01)));
        };
        let mut whole = start(&Weights::init(&graph, 2));
        run(&mut whole, 10);
        let mut first = start(&Weights::init(&graph, 2));
        run(&mut first, 6);
        let mut second = start(first.weights());
        second.restore(first.steps(), &first.state()).unwrap();
        run(&mut second, 4);
        assert_eq!(second.weights(), whole.weights(), "{optimiser:?}");
        assert_eq!(second.state(), whole.state());
    }
}

#[test]
fn training_goes_on_from_a_checkpoint_on_disk_and_from_no_other() {
    let spec = helped();
    let graph = spec.graph().unwrap();
    let wanted = Wanted::new(&graph, 8, Pointwise::Squared);
    let inputs = random(8, 8 * graph.input().len());
    let run = |trainer: &mut Trainer, steps: usize| {
        (0..steps).for_each(|_| drop(trainer.step(&inputs, &wanted.targets(&graph), 0.01)));
    };
    let start = |optimiser| Trainer::new(graph.clone(), Weights::init(&graph, 2), optimiser, 1e-4, 3);
    let about = NetworkInfo {
        spec: spec.clone(),
        game: "none".into(),
        rules: tesuji_core::Rules::Official,
        rules_version: 1,
        encoder: "none".into(),
        encoder_version: 1,
        step: 0,
        agent: String::new(),
    };
    let mut whole = start(Optimiser::ADAM);
    run(&mut whole, 10);
    let mut first = start(Optimiser::ADAM);
    run(&mut first, 6);
    let bytes = first.checkpoint(about.clone()).to_bytes();
    let load = || NetworkFile::from_bytes(&bytes).unwrap();
    let mut second = Trainer::resume(load(), Optimiser::ADAM, 1e-4, 3).unwrap();
    assert_eq!(second.steps(), 6);
    run(&mut second, 4);
    assert_eq!(second.checkpoint(about.clone()).to_bytes(), whole.checkpoint(about.clone()).to_bytes());
    let refuse = |file: NetworkFile, optimiser| Trainer::resume(file, optimiser, 1e-4, 3).err().unwrap();
    assert!(refuse(load(), Optimiser::MOMENTUM).contains("\"momentum.stem.conv.weight\" is missing"));
    assert!(refuse(load(), Optimiser::GradientDescent).contains("is not of this optimiser"));
    let mut file = load();
    file.state.values_mut().next().unwrap().pop();
    assert!(refuse(file, Optimiser::ADAM).contains("numbers, not"));
}

#[test]
fn a_small_network_learns_its_examples() {
    let graph = Spec::alpha_zero(shape(3, 3, 3), 2, 16, 6).graph().unwrap();
    let mut wanted = Wanted::new(&graph, 16, Pointwise::Squared);
    for (position, row) in wanted.policy.chunks_exact_mut(6).enumerate() {
        row.fill(0.0);
        row[position % 6] = 1.0;
        wanted.value[position] = if position % 3 == 0 { 1.0 } else { -1.0 };
    }
    let inputs = random(8, 16 * graph.input().len());
    let mut trainer = Trainer::new(graph.clone(), Weights::init(&graph, 2), Optimiser::MOMENTUM, 1e-4, 3);
    let first = trainer.step(&inputs, &wanted.targets(&graph), 0.02);
    (0..150).for_each(|_| drop(trainer.step(&inputs, &wanted.targets(&graph), 0.02)));
    let last = trainer.step(&inputs, &wanted.targets(&graph), 0.02);
    assert!(last.total < 0.05 * first.total, "{first:?} to {last:?}");
    assert_eq!((last.policy_accuracy, last.value_accuracy), (1.0, 1.0));
    assert!((last.policy - last.divergence).abs() < 1e-6, "one-hot targets have no entropy");
}
