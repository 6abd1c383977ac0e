//! `tesuji bench`: how fast this machine is.

use crate::commands::net::Net;
use crate::commands::{bench_cluster, bench_solved};
use crate::common::output::Output;
use crate::common::ranges;
use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use cpu_time::{ProcessTime, ThreadTime};
use serde_json::json;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;
use tesuji_nn::train::{Action, Optimiser, Pointwise, PolicyValue, Targets};
use tesuji_nn::{ConvMethod, Graph, Isa, KernelPath, Model, Spec, Trainer, Weights, Worker};

/// Arguments of `tesuji bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    command: BenchCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    /// Networks: inference and training
    Nn(NnArgs),
    /// What a run would gain by workers: a simulation from what it has measured of itself
    Cluster(bench_cluster::ClusterArgs),
    /// How often an agent plays a best move, by an exact solver
    Solved(bench_solved::SolvedArgs),
}

/// Arguments of `tesuji bench nn`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji bench nn                                     the four yardstick networks, by the fastest method of each
  tesuji bench nn --net b --batch 1,8,32,256 --all    every method
  tesuji bench nn --net nets/my.safetensors --threads 2
  tesuji bench nn --what train --net b,c --batch 128,1024
  tesuji bench nn --what dqn                          a training step of the shogi paper's two networks

With one thread, rates are per second of CPU time, the best of three tries, so that other work on the machine
disturbs them little; with more they are by the clock. `benches/nn/compare.py` sets them beside PyTorch and onnxruntime.")]
pub struct NnArgs {
    /// Networks: names, specifications or weight files, as `tesuji net` takes them
    #[arg(long, value_delimiter = ',', default_value = "a,b,c,d")]
    net: Vec<String>,
    /// Positions a batch; by default 1,8,32,256 for inference, 128,1024 for training
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65536))]
    batch: Vec<u32>,
    /// What to measure
    #[arg(long, value_enum, default_value = "infer")]
    what: What,
    /// Threads: workers of inference, or threads of training; `dqn` takes 2 unless told
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
    /// Show every way of computing convolutions, not just the fastest
    #[arg(long)]
    all: bool,
    /// Seconds of each of the three tries
    #[arg(long, default_value_t = 0.5, value_parser = ranges::seconds)]
    seconds: f64,
}

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Inference.
    Infer,
    /// Training steps.
    Train,
    /// A training step of the two networks of deep Q-learning, their targets by two more.
    Dqn,
}

/// One measurement.
struct Measured {
    path: String,
    batch: usize,
    rate: f64,
    bytes: usize,
}

/// Runs the subcommand.
pub fn run(args: &BenchArgs, out: &mut Output) -> Result<()> {
    let args = match &args.command {
        BenchCommand::Nn(args) => args,
        BenchCommand::Cluster(args) => return bench_cluster::run(args, out),
        BenchCommand::Solved(args) => return bench_solved::run(args, out),
    };
    if args.what == What::Dqn {
        return dqn(args, out);
    }
    let mut first = true;
    for name in &args.net {
        let net = Net::find(name)?;
        let graph = net.spec().graph()?;
        let weights = match net {
            Net::File(file) => file.weights,
            Net::Spec(_) => Weights::init(&graph, 1),
        };
        let batches = |usual: &[u32]| if args.batch.is_empty() { usual.to_vec() } else { args.batch.clone() };
        let (batches, flops) = match args.what {
            What::Infer => (batches(&[1, 8, 32, 256]), graph.flops()),
            // Backward, each product is made twice more: for the gradients of inputs and of weights.
            _ => (batches(&[128, 1024]), 3 * graph.flops()),
        };
        for batch in batches {
            let measured = match args.what {
                What::Infer => infer(args, &graph, &weights, batch as usize),
                _ => vec![train(args, &graph, &weights, batch as usize)?],
            };
            for measured in measured {
                report(args, name, flops, &measured, std::mem::take(&mut first), out)?;
            }
        }
    }
    Ok(())
}

fn report(args: &NnArgs, net: &str, flops: u64, measured: &Measured, first: bool, out: &mut Output) -> Result<()> {
    let Measured { path, batch, rate, bytes } = measured;
    let (gflops, megabytes) = (rate * flops as f64 / 1e9, *bytes as f64 / 1e6);
    let what = if args.what == What::Infer { "infer" } else { "train" };
    if out.json {
        return out.object(&json!({
            "what": what, "net": net, "path": path, "batch": batch, "threads": args.threads.unwrap_or(1),
            "positions_per_second": rate, "gflops": gflops, "bytes": bytes,
        }));
    }
    if first {
        out.line("what   net         path              batch  positions/s  GFLOP/s       MB")?;
    }
    out.line(&format!("{what:<6} {net:<11} {path:<17} {batch:>5} {rate:>12.0} {gflops:>8.1} {megabytes:>8.1}"))?;
    out.flush()
}

/// Every method, or the fastest.
fn infer(args: &NnArgs, graph: &Graph, weights: &Weights, batch: usize) -> Vec<Measured> {
    let measure = |method: ConvMethod| {
        let path = KernelPath { isa: Isa::best(), method };
        let model = Arc::new(Model::new(graph, weights, path));
        let bytes = model.bytes() + Worker::new(Arc::clone(&model)).bytes() * args.threads.unwrap_or(1) as usize;
        let rate = match args.threads.unwrap_or(1) {
            1 => {
                let (mut worker, inputs) = (Worker::new(model), numbers(batch * graph.input().len()));
                best_rate(args.seconds, || worker.run(&inputs))
            }
            threads => workers_rate(args.seconds, threads as usize, &model, batch),
        };
        Measured { path: path.to_string(), batch, rate: rate * batch as f64, bytes }
    };
    let mut measured: Vec<Measured> = ConvMethod::ALL.into_iter().map(measure).collect();
    if !args.all {
        measured.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        measured.truncate(1);
    }
    measured
}

/// Batches a second by the clock of several workers, one a thread, that share a model; the best of three tries.
fn workers_rate(seconds: f64, threads: usize, model: &Arc<Model>, batch: usize) -> f64 {
    let barrier = Barrier::new(threads);
    let inputs = numbers(batch * model.input().len());
    let one = || {
        let mut worker = Worker::new(Arc::clone(model));
        worker.run(&inputs);
        [(); 3].map(|()| {
            barrier.wait();
            let (start, mut batches) = (Instant::now(), 0);
            while batches == 0 || start.elapsed().as_secs_f64() < seconds {
                worker.run(&inputs);
                batches += 1;
            }
            f64::from(batches) / start.elapsed().as_secs_f64()
        })
    };
    let rates: Vec<[f64; 3]> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).collect()
    });
    (0..3).map(|attempt| rates.iter().map(|rate| rate[attempt]).sum()).fold(0.0, f64::max)
}

/// Steps of a policy and value network, or of one of the others towards some value.
fn train(args: &NnArgs, graph: &Graph, weights: &Weights, batch: usize) -> Result<Measured> {
    let mut trainer = Trainer::new(graph.clone(), weights.clone(), Optimiser::MOMENTUM, 1e-4, 1);
    let inputs = numbers(batch * graph.input().len());
    let moves = graph.output_len(0);
    let policy = vec![1.0 / moves as f32; batch * moves];
    let value = vec![0.5; batch];
    let actions: Vec<u32> = (0..batch).map(|position| (position % moves) as u32).collect();
    let loss = Pointwise::Squared;
    let targets = match graph.outputs()[0].0.as_str() {
        "policy" => Targets::PolicyValue(PolicyValue::new(&policy, &value)),
        "q" => Targets::Action(Action { actions: &actions, targets: &value, weights: &[], loss }),
        _ => Targets::Value { targets: &policy, loss },
    };
    let pool = pool(args.threads.unwrap_or(1))?;
    let rate = pool.install(|| match args.threads.unwrap_or(1) {
        1 => best_rate(args.seconds, || drop(trainer.step(&inputs, &targets, 0.01))),
        _ => best_rate_by_clock(args.seconds, || drop(trainer.step(&inputs, &targets, 0.01))),
    });
    let path = format!("{:?}", Isa::best());
    Ok(Measured { path, batch, rate: rate * batch as f64, bytes: trainer.bytes() })
}

/// Deep Q-learning as the shogi paper has it: the targets of both networks by frozen copies, then a step of each.
fn dqn(args: &NnArgs, out: &mut Output) -> Result<()> {
    let batch = args.batch.first().map_or(10, |&batch| batch as usize);
    let threads = args.threads.unwrap_or(2);
    let mut networks = Vec::new();
    for name in ["dqn-what", "dqn-where"] {
        let graph = Spec::named(name).context("the shogi paper's networks have names")?.graph()?;
        let weights = Weights::init(&graph, 1);
        let path = KernelPath { isa: Isa::best(), method: ConvMethod::Direct };
        let target = Worker::new(Arc::new(Model::new(&graph, &weights, path)));
        networks.push((target, Trainer::new(graph, weights, Optimiser::ADAM, 0.0, 1)));
    }
    let actions: Vec<u32> = (0..batch as u32).collect();
    let pool = pool(threads)?;
    let (mut seconds, mut processor) = (f64::INFINITY, f64::INFINITY);
    for attempt in 0..4 {
        let (start, processor_start) = (Instant::now(), ProcessTime::now());
        for (target, trainer) in &mut networks {
            let inputs = numbers(batch * trainer.graph().input().len());
            let width = trainer.graph().output_len(0);
            target.run(&inputs);
            let best = target.output(0).chunks_exact(width).map(|row| row.iter().copied().fold(f32::MIN, f32::max));
            let targets: Vec<f32> = best.map(|best| 0.1 + 0.9 * best).collect();
            let targets = Targets::Action(Action {
                actions: &actions,
                targets: &targets,
                weights: &[],
                loss: Pointwise::Squared,
            });
            pool.install(|| trainer.step(&inputs, &targets, 1e-4));
        }
        // The first step touches all memory for the first time.
        if attempt > 0 {
            seconds = seconds.min(start.elapsed().as_secs_f64());
            processor = processor.min(processor_start.elapsed().as_secs_f64());
        }
    }
    let of_one = |(target, trainer): &(Worker, Trainer)| target.model().bytes() + target.bytes() + trainer.bytes();
    let bytes: usize = networks.iter().map(of_one).sum();
    if out.json {
        return out.object(&json!({
            "what": "dqn", "batch": batch, "threads": threads, "seconds": seconds, "cpu_seconds": processor,
            "bytes": bytes,
        }));
    }
    let gigabytes = bytes as f64 / 1e9;
    out.line(&format!(
        "a step of both networks with their targets, batch {batch}, {threads} threads: {seconds:.2} s by the clock, \
         {processor:.2} s of CPU time, {gigabytes:.2} GB"
    ))
}

fn pool(threads: u32) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().context("cannot start threads")
}

/// Inputs that are neither all alike nor special.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7919 % 1000) as f32 / 1000.0).collect()
}

/// Calls a second of this thread's CPU time, the best of three tries.
fn best_rate(seconds: f64, mut call: impl FnMut()) -> f64 {
    call();
    let attempt = |_| {
        let (start, mut calls) = (ThreadTime::now(), 0);
        while calls == 0 || start.elapsed().as_secs_f64() < seconds {
            call();
            calls += 1;
        }
        f64::from(calls) / start.elapsed().as_secs_f64()
    };
    (0..3).map(attempt).fold(0.0, f64::max)
}

/// Calls a second by the clock, the best of three tries.
fn best_rate_by_clock(seconds: f64, mut call: impl FnMut()) -> f64 {
    call();
    let attempt = |_| {
        let (start, mut calls) = (Instant::now(), 0);
        while calls == 0 || start.elapsed().as_secs_f64() < seconds {
            call();
            calls += 1;
        }
        f64::from(calls) / start.elapsed().as_secs_f64()
    };
    (0..3).map(attempt).fold(0.0, f64::max)
}
