//! `tesuji perft`: counting move paths.

use crate::args::Common;
use crate::input::position_text;
use crate::output::Output;
use crate::progress::Progress;
use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Serialize;
use std::time::Instant;
use tesuji_core::{Game, MoveList, Position, Rules, game, perft};
use tesuji_games::Visitor;

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
    let depth: u32 = depth.parse().with_context(|| format!("DEPTH must be a number, not {depth:?}"))?;
    ensure!(depth <= DEEPEST, "DEPTH must be at most {DEEPEST}, not {depth}");
    tesuji_games::visit(&args.game, common.rules, Perft { args, position: position_text(words), depth, out })?
}

struct Perft<'a> {
    args: &'a PerftArgs,
    position: String,
    depth: u32,
    out: &'a mut Output,
}

impl Visitor for Perft<'_> {
    type Output = Result<()>;

    fn visit<G: Game>(self, game: G) -> Result<()> {
        let position = game::parse_line(&game, &self.position)?;
        let begun = Instant::now();
        let below = count(&position, self.depth, !self.args.no_bulk);
        let seconds = begun.elapsed().as_secs_f64();
        let nodes = if self.depth == 0 { 1 } else { below.iter().map(|(_, nodes)| nodes).sum() };
        let divide = self.args.divide.then(|| {
            let mut texts: Vec<(String, u64)> =
                below.into_iter().map(|(mv, nodes)| (position.format_move(mv), nodes)).collect();
            texts.sort_unstable();
            texts
        });
        let counted = Counted {
            game: game.name(),
            rules: game.rules(),
            position: game.format_position(&position),
            depth: self.depth,
            bulk: !self.args.no_bulk,
            nodes,
            seconds,
            nodes_per_second: nodes as f64 / seconds.max(1e-9),
            divide,
        };
        if self.out.json {
            return self.out.object(&counted);
        }
        for (mv, nodes) in counted.divide.iter().flatten() {
            self.out.line(&format!("{mv} {nodes}"))?;
        }
        self.out.line(&format!("nodes {nodes}"))?;
        self.out.line(&format!("time {seconds:.3} s"))?;
        self.out.line(&format!("rate {:.2} million nodes/s", counted.nodes_per_second / 1e6))
    }
}

/// The paths below each legal move, in the order of the move list; shows progress.
fn count<P: Position>(position: &P, depth: u32, bulk: bool) -> Vec<(P::Move, u64)> {
    let mut moves = MoveList::new();
    if depth > 0 {
        position.movements(&mut moves);
    }
    let mut progress = Progress::new("parts", moves.len() as u64 * PARTS);
    let perft = if bulk { perft::perft } else { perft::perft_playing };
    let mut replies = MoveList::new();
    let mut below = Vec::with_capacity(moves.len());
    for (index, &mv) in moves.iter().enumerate() {
        let mut child = position.clone();
        child.play(mv);
        let nodes = if depth < 4 {
            perft(&child, depth - 1)
        } else {
            // One more ply by hand, so that the progress moves within a root move.
            child.movements(&mut replies);
            let mut nodes = 0;
            for (done, &reply) in replies.iter().enumerate() {
                let mut grandchild = child.clone();
                grandchild.play(reply);
                nodes += perft(&grandchild, depth - 2);
                progress.set(index as u64 * PARTS + (done as u64 + 1) * PARTS / replies.len() as u64);
            }
            nodes
        };
        below.push((mv, nodes));
    }
    below
}
