//! `tesuji perft`: counting move paths.

use crate::common::input::{self, position_text};
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Serialize;
use std::time::Instant;
use tesuji_core::{AnyPosition, MoveId, Rules};

/// Nobody waits for more, and each ply of depth takes memory.
const DEEPEST: u32 = 100;
/// Progress is shown in this many parts of each root move.
const PARTS: u64 = 1000;

/// Arguments of `tesuji perft`.
#[derive(Debug, Args)]
#[command(
    override_usage = "tesuji perft [OPTIONS] <GAME> [POSITION] <DEPTH>",
    after_help = "\
Prints `nodes N`, the time and the rate. The last word is the depth.

Examples:
  tesuji perft tictactoe 9
  tesuji perft shogi startpos 5 --divide
  tesuji perft chess \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\" 4 --no-bulk"
)]
pub struct PerftArgs {
    /// A game, see `tesuji games`
    game: String,
    /// A position (default `startpos`) and the number of plies
    #[arg(value_name = "[POSITION] DEPTH", required = true)]
    words: Vec<String>,
    /// Print the count below each move, sorted
    #[arg(long)]
    divide: bool,
    /// Play the moves of the last ply too instead of counting them
    #[arg(long)]
    no_bulk: bool,
}

/// The answer.
#[derive(Serialize)]
struct Counted {
    game: &'static str,
    rules: Rules,
    position: String,
    depth: u32,
    bulk: bool,
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<(String, u64)>>,
}

/// Runs the subcommand.
pub fn run(args: &PerftArgs, common: &Common, out: &mut Output) -> Result<()> {
    let (depth, words) = args.words.split_last().context("DEPTH is missing")?;
    let depth: u32 = depth.parse().with_context(|| format!("DEPTH {depth:?}"))?;
    ensure!(depth <= DEEPEST, "DEPTH must be at most {DEEPEST}, not {depth}");
    let game = tesuji_games::game(&args.game, common.rules)?;
    let position = input::position(game.as_ref(), &position_text(words))?;
    let begun = Instant::now();
    let below = count(position.as_ref(), depth, !args.no_bulk);
    let seconds = begun.elapsed().as_secs_f64();
    let nodes = if depth == 0 { 1 } else { below.iter().map(|(_, nodes)| nodes).sum() };
    let divide = args.divide.then(|| {
        let mut texts: Vec<(String, u64)> =
            below.into_iter().map(|(mv, nodes)| (position.format_move(mv), nodes)).collect();
        texts.sort_unstable();
        texts
    });
    let counted = Counted {
        game: game.name(),
        rules: game.rules(),
        position: position.text(),
        depth,
        bulk: !args.no_bulk,
        nodes,
        seconds,
        nodes_per_second: nodes as f64 / seconds.max(1e-9),
        divide,
    };
    if out.json {
        return out.object(&counted);
    }
    for (mv, nodes) in counted.divide.iter().flatten() {
        out.line(&format!("{mv} {nodes}"))?;
    }
    out.line(&format!("nodes {nodes}"))?;
    out.line(&format!("time {seconds:.3} s"))?;
    out.line(&format!("rate {:.2} million nodes/s", counted.nodes_per_second / 1e6))
}

/// The paths below each legal move, in the order of the move list; shows progress.
fn count(position: &dyn AnyPosition, depth: u32, bulk: bool) -> Vec<(MoveId, u64)> {
    let moves = if depth > 0 { position.movements() } else { Vec::new() };
    let mut progress = Progress::new("parts", moves.len() as u64 * PARTS);
    let after = |position: &dyn AnyPosition, mv: MoveId| {
        let mut child = position.boxed();
        child.play_on(mv).expect("the position's own moves can be played");
        child
    };
    let mut below = Vec::with_capacity(moves.len());
    for (index, &mv) in moves.iter().enumerate() {
        let child = after(position, mv);
        let nodes = if depth < 4 {
            child.perft(depth - 1, bulk)
        } else {
            // One more ply by hand, so that the progress moves within a root move.
            let replies = child.movements();
            let mut nodes = 0;
            for (done, &reply) in replies.iter().enumerate() {
                nodes += after(child.as_ref(), reply).perft(depth - 2, bulk);
                progress.set(index as u64 * PARTS + (done as u64 + 1) * PARTS / replies.len() as u64);
            }
            nodes
        };
        below.push((mv, nodes));
    }
    below
}
