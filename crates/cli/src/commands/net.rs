//! `tesuji net`: what networks are made of.

use crate::common::options::Common;
use crate::common::output::Output;
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tesuji_core::Rules;
use tesuji_learn::agents::{AgentSpec, spec};
use tesuji_learn::networks;
use tesuji_learn::run::{self, Checkpoint};
use tesuji_nn::file::write_atomically;
use tesuji_nn::nnue::NnueFile;
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
  tesuji net import torch.onnx my.safetensors --game minishogi    a residual network of another program
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
        /// The line whose settings are stored with it instead of the run's, with NET for the network
        #[arg(long, value_name = "LINE")]
        agent: Option<String>,
    },
    /// Read an ONNX file: one that `export` wrote, or a residual network of another program
    Import {
        /// The ONNX file
        onnx: PathBuf,
        /// The weight file to write (.safetensors)
        file: PathBuf,
        /// The game, for a network of another program
        #[arg(long)]
        game: Option<String>,
        /// The encoder whose planes it reads and whose numbers of moves it gives [default: the first whose sizes fit]
        #[arg(long, requires = "game")]
        encoder: Option<String>,
    },
}

/// Runs the subcommand.
pub fn run(args: &NetArgs, common: &Common, out: &mut Output) -> Result<()> {
    match &args.command {
        NetCommand::Describe { net } => describe(net, out),
        NetCommand::Export { net, onnx } => export(net, onnx),
        NetCommand::Keep { run, directory, agent } => keep(run, directory, agent.as_deref(), out),
        NetCommand::Import { onnx, file, game, encoder } => {
            import(onnx, file, game.as_deref(), encoder.as_deref().unwrap_or_default(), common.rules)
        }
    }
}

/// A network as a command line names it.
pub enum Net {
    /// Only its shape.
    Spec(Box<Spec>),
    /// With weights.
    File(Box<NetworkFile>),
}

/// The integer network of a name, if it is one.
fn integer(text: &str) -> Option<Box<NnueFile>> {
    let place = networks::Place::of(text).ok()?;
    match place.checkpoint().ok()? {
        Checkpoint::Integer(file) => Some(file),
        Checkpoint::Float(_) => None,
    }
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

fn keep(name: &str, directory: &Path, agent: Option<&str>, out: &mut Output) -> Result<()> {
    let path = networks::find(name).map_err(anyhow::Error::msg)?;
    let mut file = Checkpoint::load(&path)?;
    if let Some(line) = agent {
        AgentSpec::parse(line)?;
        ensure!(AgentSpec::network_of(line) == Some(spec::NET), "--agent {line:?}: expected NET for the network");
        line.clone_into(file.agent_mut());
    }
    fs::create_dir_all(directory).with_context(|| format!("cannot make {directory:?}"))?;
    // The optimiser's state is for training on, and three times as large.
    file.state_mut().clear();
    file.save(&directory.join("network.safetensors"))?;
    let root = path.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    for kept in KEPT {
        if let Some(bytes) = run::read_file(root, kept)? {
            let to = directory.join(kept);
            write_atomically(&to, &bytes).with_context(|| format!("cannot write {to:?}"))?;
        }
    }
    out.line(&format!("{} kept in {}", path.display(), directory.display()))
}

fn import(path: &Path, file: &Path, game: Option<&str>, encoder: &str, rules: Rules) -> Result<()> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {path:?}"))?;
    let network = match game {
        Some(game) => {
            let game = tesuji_games::game(game, rules)?;
            networks::from_onnx(path, game.as_ref(), encoder).map_err(anyhow::Error::msg)?
        }
        None if onnx::is_ours(&bytes) => onnx::import(&bytes).with_context(|| path.display().to_string())?,
        None => {
            onnx::recognise(&bytes).with_context(|| path.display().to_string())?;
            bail!("{}: written by another program, so --game GAME must say for which game", path.display())
        }
    };
    Ok(network.save(file)?)
}

/// An integer network: its sizes, and what it is for.
fn describe_integer(file: &NnueFile, out: &mut Output) -> Result<()> {
    let (about, spec) = (&file.about, &file.about.spec);
    if out.json {
        return out.object(&json!({ "kind": "nnue", "parameters": spec.parameters(), "about": about }));
    }
    let mut widths = vec![format!("({} -> {}) x 2", spec.inputs, spec.width)];
    widths.extend(spec.dense.iter().chain(&[1]).map(usize::to_string));
    out.line(&format!("integer network {}, {} parameters", widths.join(" -> "), spec.parameters()))?;
    let (rules, version) = (about.rules, about.rules_version);
    out.line(&format!("trained for {} ({rules} rules, version {version})", about.game))?;
    out.line(&format!("features {}, version {}", spec.features, spec.features_version))?;
    out.line(&format!("{} training steps", about.step))
}

fn describe(text: &str, out: &mut Output) -> Result<()> {
    if let Some(file) = integer(text) {
        return describe_integer(&file, out);
    }
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
            let agent = if about.agent.is_empty() { "unknown" } else { &about.agent };
            out.line(&format!("trained as {agent}; agents of this kind play so unless told otherwise"))?;
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
