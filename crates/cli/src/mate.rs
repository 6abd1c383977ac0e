//! `tesuji mate`: forced mates.

use crate::args::Common;
use crate::input::Positions;
use crate::output::Output;
use anyhow::{Result, bail};
use clap::Args;
use cpu_time::ThreadTime;
use serde_json::json;
use std::time::{Duration, Instant};
use tesuji_core::{Game, MateBoard, MateVisitor, game};
use tesuji_games::Visitor;
use tesuji_search::mate::{Answer, Limits, Solver, SolverSpec};

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
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    ms: u64,
    /// Give up after this many positions
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// How to search: dfpn, dfpn:NODES, dfs:DEPTH or exact:N; see below
    #[arg(long, value_name = "SOLVER", default_value_t)]
    solver: SolverSpec,
    /// Find the shortest mate, not just any
    #[arg(long)]
    shortest: bool,
    /// Megabytes of memory for positions
    #[arg(long, value_name = "N", default_value_t = 256)]
    hash: usize,
}

/// Runs the subcommand.
pub fn run(args: &MateArgs, common: &Common, out: &mut Output) -> Result<()> {
    tesuji_games::visit(&args.game, common.rules, Mate { args, out })?
}

struct Mate<'a> {
    args: &'a MateArgs,
    out: &'a mut Output,
}

impl Visitor for Mate<'_> {
    type Output = Result<()>;

    fn visit<G: Game>(self, game: G) -> Result<()> {
        let args = self.args;
        let many = args.positions.many();
        let mut solver = Solver::new(args.solver, args.hash.clamp(1, 1 << 16) << 20);
        self.args.positions.each(self.out, |text, out| {
            // Problems are positions as they are; lines with moves are games, whose last position is meant.
            let text = if text.starts_with("startpos") || text.contains(" moves") {
                game.format_position(&game::parse_line(&game, text)?)
            } else {
                text.to_owned()
            };
            let Some(solved) = game.mate_problem(&text, Solve { args, solver: &mut solver }) else {
                bail!("no mate solver for {}; there is one for chess, shogi and minishogi", game.name());
            };
            let solved = solved?;
            if out.json {
                return out.object(&json!({
                    "position": text, "answer": solved.word, "plies": solved.line.as_ref().map(Vec::len),
                    "line": solved.line, "ms": solved.time.as_secs_f64() * 1e3,
                    "cpu_ms": solved.cpu.as_secs_f64() * 1e3, "nodes": solved.nodes,
                }));
            }
            let answer = match &solved.line {
                Some(line) => format!("mate {}: {}", line.len(), line.join(" ")),
                None => solved.word.to_owned(),
            };
            let cost = format!("\t{:.3} ms\t{} nodes", solved.time.as_secs_f64() * 1e3, solved.nodes);
            out.line(&format!("{answer}{}", if many { &cost } else { "" }))
        })
    }
}

/// What came out, in words.
struct Solved {
    word: &'static str,
    line: Option<Vec<String>>,
    time: Duration,
    cpu: Duration,
    nodes: u64,
}

struct Solve<'a> {
    args: &'a MateArgs,
    solver: &'a mut Solver,
}

impl MateVisitor for Solve<'_> {
    type Output = Solved;

    fn visit<B: MateBoard>(self, board: &B) -> Solved {
        let limits = Limits {
            nodes: self.args.nodes,
            time: Some(Duration::from_millis(self.args.ms)),
            shortest: self.args.shortest,
            ..Limits::default()
        };
        let (clock, cpu) = (Instant::now(), ThreadTime::now());
        let (answer, nodes) = self.solver.solve(board, &limits);
        let (time, cpu) = (clock.elapsed(), cpu.elapsed());
        let (word, line) = match answer {
            Answer::Mate(line) => ("mate", Some(in_words(board, &line))),
            Answer::Unknown => ("unknown", None),
            Answer::NoMate => ("no mate", None),
        };
        Solved { word, line, time, cpu, nodes }
    }
}

fn in_words<B: MateBoard>(board: &B, line: &[B::Move]) -> Vec<String> {
    let mut board = board.clone();
    let text = |&mv: &B::Move| {
        let text = board.format_move(mv);
        board.play(mv);
        text
    };
    line.iter().map(text).collect()
}
