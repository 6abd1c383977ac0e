//! `tesuji mate`: forced mates.

use crate::common::input::{self, Positions};
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::ranges;
use anyhow::{Result, bail};
use clap::Args;
use cpu_time::ThreadTime;
use serde_json::json;
use std::time::{Duration, Instant};
use tesuji_core::limits::check_memory;
use tesuji_learn::Agents;
use tesuji_search::AgentSource;
use tesuji_search::handle::Solved;
use tesuji_search::mate::{Answer, Limits, SolverSpec};

/// Arguments of `tesuji mate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji mate minishogi 3gk/5/4P/5/K4 b G 1
  tesuji mate shogi --file problems.sfen --ms 1000
  tesuji mate shogi --file problems.sfen --shortest --json
  tesuji mate minishogi --file games.sfen --solver dfs:7
  tesuji mate chess --file puzzles.epd --solver exact:5

Prints `mate N: MOVES` (N plies), `no mate` or `unknown`; with --file also the milliseconds and positions of each. The
attacker is the side to move; in shogi it may lack its king, as in problems. Chess positions are FEN or EPD. A mate is printed only after its line has been played
through.

Solvers:
  dfpn       proof-number search by checks; dfpn:NODES gives up after so many positions
  dfs:DEPTH  every check and evasion to 1, 3, 5 ... DEPTH plies; `no mate` means none within DEPTH
  exact:N    mates in at most N moves of the attacker (2N-1 plies), quiet moves included; `no mate` means none within N")]
pub struct MateArgs {
    /// A game with mate: chess, shogi or minishogi
    game: String,
    #[command(flatten)]
    positions: Positions,
    /// Give up after this many milliseconds
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = ranges::milliseconds::<u64>())]
    ms: u64,
    /// Give up after this many positions
    #[arg(long, value_name = "N", value_parser = ranges::nodes::<u64>())]
    nodes: Option<u64>,
    /// How to search: dfpn, dfpn:NODES, dfs:DEPTH or exact:N; see below
    #[arg(long, value_name = "SOLVER", default_value_t)]
    solver: SolverSpec,
    /// Find the shortest mate, not just any
    #[arg(long)]
    shortest: bool,
    /// Megabytes of memory for positions
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = ranges::megabytes::<usize>())]
    hash: usize,
}

/// Runs the subcommand.
pub fn run(args: &MateArgs, common: &Common, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let many = args.positions.many();
    check_memory("--hash", args.hash).map_err(anyhow::Error::msg)?;
    let Some(mut solver) = agents.solver(args.solver, args.hash << 20) else {
        bail!("no mate solver for {}; there is one for chess, shogi and minishogi", args.game);
    };
    let limits = Limits {
        nodes: args.nodes,
        time: Some(Duration::from_millis(args.ms)),
        shortest: args.shortest,
        ..Limits::default()
    };
    args.positions.each(out, |text, out| {
        // Problems are positions as they are; lines with moves are games, whose last position is meant.
        let text = if text.starts_with("startpos") || text.contains(" moves") {
            input::position(agents.game().as_ref(), text)?.text()
        } else {
            text.to_owned()
        };
        let (clock, cpu) = (Instant::now(), ThreadTime::now());
        let Solved { answer, nodes } = solver.solve_problem(&text, &limits)?;
        let (time, cpu) = (clock.elapsed(), cpu.elapsed());
        let (word, line) = match answer {
            Answer::Mate(line) => ("mate", Some(line)),
            Answer::Unknown => ("unknown", None),
            Answer::NoMate => ("no mate", None),
        };
        if out.json {
            return out.object(&json!({
                "position": text, "answer": word, "plies": line.as_ref().map(Vec::len), "line": line,
                "ms": time.as_secs_f64() * 1e3, "cpu_ms": cpu.as_secs_f64() * 1e3, "nodes": nodes,
            }));
        }
        let answer = match &line {
            Some(line) => format!("mate {}: {}", line.len(), line.join(" ")),
            None => word.to_owned(),
        };
        let cost = format!("\t{:.3} ms\t{nodes} nodes", time.as_secs_f64() * 1e3);
        out.line(&format!("{answer}{}", if many { &cost } else { "" }))
    })
}
