//! `tesuji net`: what networks are made of.

use crate::common::output::Output;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tesuji_learn::networks;
use tesuji_nn::file::write_atomically;
use tesuji_nn::{NetworkFile, Spec, onnx};

/// What is shown behind the options; NETWORKS stands for the names of those that come with the program.
const HELP: &str = "\
NET is a weight file (.safetensors), a run, a network that comes with the program (NETWORKS), a
specification (.toml), or one of
  a, b, c, d             the yardsticks of `tesuji bench nn`; a is the minishogi paper's network
  separable              the TUBSTAP paper's network
  dqn-what, dqn-where    the shogi paper's networks

A specification:
  kind = \"residual\"
  input = { planes = 31, height = 5, width = 5 }
  blocks = 6
  filters = 64
  policy = { filters = 2, hidden = [256], outputs = 1500 }
  value = { filters = 1, hidden = [256] }

Examples:
  tesuji net describe dqn-what
  tesuji net describe my.toml --json
  tesuji net export nets/my.safetensors my.onnx    for onnxruntime and others
  tesuji net import my.onnx my.safetensors         back, with whatever weights it has now
  tesuji net keep runs/minishogi-laptop nets/mine  for pv:net=mine, without what only training needs";

fn help() -> String {
    HELP.replace("NETWORKS", &networks::built_in().join(", "))
}

/// Arguments of `tesuji net`.
#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct NetArgs {
    #[command(subcommand)]
    command: NetCommand,
}

#[derive(Debug, Subcommand)]
enum NetCommand {
    /// List the layers with their shapes, parameters and operations
    Describe {
        /// A weight file, a specification or a name
        net: String,
    },
    /// Write a network as an ONNX file, which other programs run
    Export {
        /// A weight file, or the name of one in nets/
        net: String,
        /// The ONNX file: input `planes`, outputs under their names
        onnx: PathBuf,
    },
    /// Keep a run's network for play, with the run's experiment, events and costs
    Keep {
        /// The run, or RUN@GENERATION
        run: String,
        /// The directory to write, such as nets/NAME: agents then know it as NAME
        directory: PathBuf,
    },
    /// Read an ONNX file that `export` wrote, whatever has been done to its weights since
    Import {
        /// The ONNX file
        onnx: PathBuf,
        /// The weight file to write (.safetensors)
        file: PathBuf,
    },
}

/// Runs the subcommand.
pub fn run(args: &NetArgs, out: &mut Output) -> Result<()> {
    match &args.command {
        NetCommand::Describe { net } => describe(net, out),
        NetCommand::Export { net, onnx } => export(net, onnx),
        NetCommand::Keep { run, directory } => keep(run, directory, out),
        NetCommand::Import { onnx, file } => import(onnx, file),
    }
}

/// A network as a command line names it.
pub enum Net {
    /// Only its shape.
    Spec(Box<Spec>),
    /// With weights.
    File(Box<NetworkFile>),
}

impl Net {
    /// Finds a network by name or file.
    pub fn find(text: &str) -> Result<Net> {
        if let Some(spec) = Spec::named(text) {
            return Ok(Net::Spec(Box::new(spec)));
        }
        let path = Path::new(text);
        if path.extension().is_some_and(|extension| extension == "toml") {
            let content = fs::read_to_string(path).with_context(|| format!("cannot read {text:?}"))?;
            let spec = parse_spec(&content).with_context(|| format!("{text}: not a network"))?;
            return Ok(Net::Spec(Box::new(spec)));
        }
        if path.extension().is_some_and(|extension| extension == "safetensors") {
            return Ok(Net::File(Box::new(NetworkFile::load(path)?)));
        }
        match networks::open(text) {
            Ok((_, file)) => Ok(Net::File(Box::new(file))),
            Err(problem) => {
                let names: Vec<&str> = Spec::NAMES.iter().map(|(name, _)| *name).collect();
                bail!("{problem}; shapes without weights: {}, or a .toml file", names.join(", "))
            }
        }
    }

    /// What it looks like.
    pub fn spec(&self) -> &Spec {
        match self {
            Net::Spec(spec) => spec,
            Net::File(file) => &file.about.spec,
        }
    }
}

/// Reads a specification.
fn parse_spec(text: &str) -> Result<Spec> {
    let spec: Spec = toml::from_str(text)?;
    spec.graph()?;
    Ok(spec)
}

fn export(net: &str, path: &Path) -> Result<()> {
    let Net::File(file) = Net::find(net)? else {
        bail!("{net} has no weights: give a .safetensors file");
    };
    let bytes = onnx::export(&file)?;
    write_atomically(path, &bytes).with_context(|| format!("cannot write {path:?}"))
}

/// What of a run is kept beside its network.
const KEPT: [&str; 4] = ["experiment.toml", "run.json", "events.jsonl", "costs.jsonl"];

fn keep(name: &str, directory: &Path, out: &mut Output) -> Result<()> {
    let path = networks::find(name).map_err(anyhow::Error::msg)?;
    let file = NetworkFile::load(&path)?;
    fs::create_dir_all(directory).with_context(|| format!("cannot make {directory:?}"))?;
    // The optimiser's state is for training on, and three times as large.
    NetworkFile { state: BTreeMap::new(), ..file }.save(&directory.join("network.safetensors"))?;
    let root = path.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    for kept in KEPT {
        let from = root.join(kept);
        if from.is_file() {
            let bytes = fs::read(&from).with_context(|| format!("cannot read {from:?}"))?;
            let to = directory.join(kept);
            write_atomically(&to, &bytes).with_context(|| format!("cannot write {to:?}"))?;
        }
    }
    out.line(&format!("{} kept in {}", path.display(), directory.display()))
}

fn import(path: &Path, file: &Path) -> Result<()> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {path:?}"))?;
    let network = onnx::import(&bytes).with_context(|| path.display().to_string())?;
    Ok(network.save(file)?)
}

fn describe(text: &str, out: &mut Output) -> Result<()> {
    let net = Net::find(text)?;
    let graph = net.spec().graph()?;
    let about = match &net {
        Net::Spec(_) => None,
        Net::File(file) => Some(&file.about),
    };
    if !out.json {
        out.line(&graph.describe())?;
        if let Some(about) = about {
            let (rules, version) = (about.rules, about.rules_version);
            out.line(&format!("trained for {} ({rules} rules, version {version})", about.game))?;
            out.line(&format!("encoder {}, version {}", about.encoder, about.encoder_version))?;
            out.line(&format!("{} training steps", about.step))?;
        }
        return Ok(());
    }
    let layer = |node: &tesuji_nn::graph::Node| {
        let shape = [node.shape.height, node.shape.width, node.shape.planes];
        json!({
            "name": node.name, "kind": node.kind(), "output": shape,
            "parameters": node.parameter_count(), "flops": graph.node_flops(node),
        })
    };
    out.object(&json!({
        "spec": net.spec(),
        "layers": graph.nodes().iter().map(layer).collect::<Vec<_>>(),
        "parameters": graph.parameter_count(),
        "flops": graph.flops(),
        "outputs": graph.outputs().iter().map(|(name, id)| (name.clone(), graph.node(*id).shape.len()))
            .collect::<std::collections::BTreeMap<String, usize>>(),
        "about": about,
    }))
}
