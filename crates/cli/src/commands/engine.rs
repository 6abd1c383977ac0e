//! `tesuji engine`: an agent as a UCI or USI engine.

use crate::common::options::Common;
use anyhow::{Result, ensure};
use clap::Args;
use std::io;
use tesuji_learn::Agents;

/// Arguments of `tesuji engine`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji engine --game chess --agent alphabeta
  tesuji engine --game shogi --agent uct
  tesuji match minishogi uct \"engine:tesuji engine --game minishogi\" --budget time=100ms

Give this command to a chess or shogi program as an engine. It speaks UCI (every game; shogi and
minishogi as Fairy-Stockfish writes them) and USI (shogi, minishogi), whichever the client asks for
first. Options: Hash (USI_Hash), MultiPV, Agent, Seed, MoveOverhead. `go` knows depth, nodes,
movetime, clocks with increment or byoyomi, infinite, ponder, searchmoves and mate; without any of
them the agent's own limits hold.")]
pub struct EngineArgs {
    /// A game, see `tesuji games`
    #[arg(long)]
    game: String,
    /// The agent that searches, see `tesuji agents`; the engine's option Agent changes it
    #[arg(long, default_value = "best")]
    agent: String,
    /// The seed of random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the subcommand.
pub fn run(args: &EngineArgs, common: &Common) -> Result<()> {
    ensure!(!common.json, "--json: an engine speaks UCI or USI; leave it out");
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    Ok(tesuji_arena::serve::serve(&agents, &args.agent, args.seed, io::stdin(), io::stdout())?)
}
