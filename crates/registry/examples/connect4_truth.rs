//! How often an agent of connect four plays a move that keeps the best possible result:
//! `cargo run --release -p tesuji-registry --example connect4_truth -- AGENT [POSITIONS] [BUDGET] [SEED]`.
//!
//! Positions come from random games of 8 to 28 plies; only those count in which moves differ in their result. Prints the
//! share with its 95% interval (Wilson).

use std::process::ExitCode;
use tesuji_arena::elo;
use tesuji_connect4::solver::Solver;
use tesuji_connect4::{Board, Column};
use tesuji_core::{Budget, GameLine, MoveList, Position, Rules, Stream};
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// Positions that take longer to solve are left out.
const NODES: u64 = 20_000_000;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let agent = args.first().ok_or("which agent? AGENT [POSITIONS] [BUDGET] [SEED]")?;
    let number = |index: usize, default: u64| match args.get(index) {
        None => Ok(default),
        Some(text) => text.parse::<u64>().map_err(|error| format!("{text:?}: {error}")),
    };
    let (positions, seed) = (number(1, 1000)?, number(3, 1)?);
    let budget: Budget = args.get(2).map_or("time=100ms", String::as_str).parse().map_err(|e| format!("{e}"))?;
    let kit = tesuji_registry::kit("connect4", Rules::Official).map_err(|error| error.to_string())?;
    let agents = Agents::of(kit.as_ref());
    let mut player = agents.player(agent, seed).map_err(|error| error.to_string())?;
    let mut solver = Solver::new();
    let (mut kept, mut asked, mut index) = (0_u64, 0_u64, 0);
    while asked < positions {
        let mut random = Stream::new(seed, "connect4 truth", index);
        index += 1;
        let Some(board) = position(&mut random) else { continue };
        let mut moves = MoveList::new();
        board.moves(&mut moves);
        let Some((_, best)) = solver.best_moves(&board, NODES) else { continue };
        if best.len() == moves.len() {
            continue;
        }
        let line = GameLine {
            game: "connect4".to_owned(),
            rules: Rules::Official,
            start: "startpos".to_owned(),
            moves: text(&board),
        };
        player.new_game(index).map_err(|error| error.to_string())?;
        let choice = player.choose(&line, &budget).map_err(|error| error.to_string())?;
        let mv = board.parse_move(&choice.text).map_err(|error| error.to_string())?;
        asked += 1;
        kept += u64::from(best.contains(&mv));
    }
    let (low, high) = elo::wilson(kept, asked);
    println!(
        "{agent} at {budget}: {kept} of {asked} positions, {:.1}% [{:.1}, {:.1}]",
        100.0 * kept as f64 / asked as f64,
        100.0 * low,
        100.0 * high
    );
    Ok(())
}

/// A position of a random game that goes on.
fn position(random: &mut Stream) -> Option<Board> {
    let plies = 8 + random.below(21) as u32;
    let mut board = Board::default();
    board.playout(random, plies).is_none().then_some(board)
}

/// The moves that led to a position.
fn text(board: &Board) -> Vec<String> {
    let mut replay = Board::default();
    let each = |mv: Column| {
        let text = replay.format_move(mv);
        replay.play(mv);
        text
    };
    board.history().map(each).collect()
}
