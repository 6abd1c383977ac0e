//! `tesuji data`: data sets to learn from.

mod describe;
mod generate;
mod hosted;
mod import;
mod jobs;

use crate::common::options::Common;
use crate::common::output::Output;
use anyhow::Result;
use clap::{Args, Subcommand};

/// Arguments of `tesuji data`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji data import games.pgn.zst --out data/ccrl
  tesuji data generate --engine stockfish --nodes 5000 --games 10000 --out data/stockfish
  tesuji data describe data/ccrl
  tesuji data describe data/ccrl --sample 10

A data set is a directory of positions, each with the move that was played and the result of its game. docs/data.md has
its form, and what was measured.")]
pub struct DataArgs {
    /// What to do.
    #[command(subcommand)]
    command: DataCommand,
}

/// What can be done with data sets.
#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Make a data set of the games in files
    Import(import::ImportArgs),
    /// Let agents or engines play games, and make a data set of them
    Generate(Box<generate::GenerateArgs>),
    /// Say what is in a data set; show samples of it; check all of it
    Describe(describe::DescribeArgs),
}

/// Runs the subcommand.
pub fn run(args: &DataArgs, common: &Common, out: &mut Output) -> Result<()> {
    match &args.command {
        DataCommand::Import(args) => import::run(args, common, out),
        DataCommand::Generate(args) => generate::run(args, common, out),
        DataCommand::Describe(args) => describe::run(args, out),
    }
}
