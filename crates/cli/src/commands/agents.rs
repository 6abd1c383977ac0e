//! `tesuji agents`: who can play.

use crate::common::output::Output;
use crate::common::table::Table;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use tesuji_learn::agents::{AgentSpec, best};

/// Arguments of `tesuji agents`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji agents
  tesuji agents uct

An agent is named by one line, the same everywhere: NAME or NAME:KEY=VALUE,KEY=VALUE...
  uct:sims=2000,c=1.19    alphabeta:depth=5    bot    random    engine:stockfish?UCI_Elo=2000
Each key is listed with its default, what it means, and in brackets what may be written: the range of numbers.")]
pub struct AgentsArgs {
    /// Show the keys of this agent only
    name: Option<String>,
}

/// Runs the subcommand.
pub fn run(args: &AgentsArgs, out: &mut Output) -> Result<()> {
    let kinds = AgentSpec::kinds();
    let wanted = |name: &str| args.name.as_deref().is_none_or(|wanted| wanted == name);
    if !kinds.iter().any(|kind| wanted(kind.name)) {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        let name = tesuji_core::error::excerpt(args.name.as_deref().unwrap_or_default());
        anyhow::bail!("unknown agent {name:?}; the agents are {}", names.join(", "));
    }
    for kind in kinds.iter().filter(|kind| wanted(kind.name)) {
        if out.json {
            let key = |key: &tesuji_search::options::Key| json!({ "name": key.name, "default": key.default, "form": key.form, "help": key.help });
            let keys: Vec<_> = kind.keys.iter().map(key).collect();
            let games: BTreeMap<_, _> = best::BEST.iter().copied().filter(|_| kind.name == best::NAME).collect();
            let line = json!(kind.stands_for);
            let mut object = json!({ "name": kind.name, "about": kind.about, "line": line, "keys": keys });
            if !games.is_empty() {
                object["games"] = json!(games);
            }
            out.object(&object)?;
            continue;
        }
        out.line(&format!("{}: {}", kind.name, kind.about))?;
        // A short name has the keys of the kind that it stands for: say which line, and list them only when asked.
        if let Some(line) = kind.stands_for {
            out.line(&format!("  stands for {line}"))?;
        }
        if kind.name == best::NAME {
            let mut table = Table::new();
            for (game, line) in best::BEST {
                table.row([format!("  {game}"), (*line).to_owned()]);
            }
            out.bytes(table.text().as_bytes())?;
        }
        if kind.stands_for.is_none() || args.name.is_some() {
            let mut table = Table::new();
            for key in &kind.keys {
                let help = format!("{} [{}]", key.help, key.form);
                table.row([format!("  {}", key.name), format!("={}", key.default), help]);
            }
            out.bytes(table.text().as_bytes())?;
        }
        out.line("")?;
    }
    Ok(())
}
