//! `tesuji bench solved`: how often an agent plays a move that an exact solver cannot better.

use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::table::Table;
use anyhow::{Result, bail, ensure};
use clap::Args;
use serde_json::json;
use tesuji_core::handle::typed;
use tesuji_core::{AnyPosition, Budget, MoveId, Outcome, Quiet, Rules, Side, Stream};
use tesuji_games::connect4::{Board, solver::Solver};
use tesuji_learn::Agents;
use tesuji_report::Quantity;
use tesuji_search::AgentSource;

/// The game that has an exact solver.
const GAME: &str = "connect4";

/// Positions that the solver looks at for one answer: more is left to somebody with more time.
const MOST_NODES: u64 = 20_000_000;

/// Arguments of `tesuji bench solved`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji bench solved --agent best --budget cpu=100ms
  tesuji bench solved --agent uct:sims=10000 --positions 200 --plies 12..24

Positions of connect four after random moves, in which it matters what is played: not all moves have the same result with
best play. A move is right if it keeps the best result that there is. The interval is that of a share, 95%.")]
pub struct SolvedArgs {
    /// The agent that plays, see `tesuji agents`
    #[arg(long, default_value = "best")]
    agent: String,
    /// What it may spend on a move: `cpu=100ms`, `nodes=10000`, `sims=1000`
    #[arg(long, default_value = "cpu=100ms")]
    budget: Budget,
    /// How many positions
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,
    /// Random moves before a position: LEAST..MOST, from 8 (before that the solver takes minutes) to 36
    #[arg(long, value_name = "PLIES", default_value = "8..28", value_parser = plies)]
    plies: (u64, u64),
    /// The seed of positions and agent
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn plies(text: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("{text:?}: expected LEAST..MOST, from 8 to 36");
    let (least, most) = text.split_once("..").ok_or_else(wrong)?;
    let range = (least.parse().map_err(|_| wrong())?, most.parse().map_err(|_| wrong())?);
    if 8 <= range.0 && range.0 <= range.1 && range.1 <= 36 { Ok(range) } else { Err(wrong()) }
}

/// Runs the subcommand.
pub fn run(args: &SolvedArgs, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(GAME, Rules::Official)?;
    let agents = Agents::of(kit.as_ref());
    let Some(mut searcher) = agents.searcher(&args.agent, args.seed)? else {
        bail!("{:?} only plays; measure an agent of our own", args.agent);
    };
    let mut progress = Progress::new("positions", u64::from(args.positions));
    let mut solver = Solver::new();
    let (mut right, mut tried, mut unsolved) = (0_u64, 0, 0_u64);
    for number in 0_u64.. {
        if tried == args.positions {
            break;
        }
        ensure!(unsolved <= 10 + u64::from(tried), "most positions take the solver too long: more --plies help");
        let mut random = Stream::new(args.seed, "solved positions", number);
        let length = args.plies.0 + random.below((args.plies.1 - args.plies.0 + 1) as usize) as u64;
        let Some(position) = after_random_moves(agents.game().start(), length, &mut random) else { continue };
        let Some(moves) = results(position.as_ref(), &mut solver) else {
            unsolved += 1;
            continue;
        };
        let best = moves.iter().map(|&(_, result)| result).max();
        if moves.iter().all(|&(_, result)| Some(result) == best) {
            continue;
        }
        searcher.search.new_game(args.seed.wrapping_add(number));
        let found = searcher.search.search(position.as_ref(), &searcher.budget(&args.budget), &mut Quiet);
        tried += 1;
        right += u64::from(moves.iter().any(|&(mv, result)| mv == found.best && Some(result) == best));
        progress.set(u64::from(tried));
    }
    drop(progress);
    let share = Quantity::Share { hits: right as f64, of: f64::from(tried) };
    let (least, most) = share.interval();
    if out.json {
        return out.object(&json!({
            "agent": args.agent, "budget": args.budget.to_string(), "positions": tried, "right": right,
            "share": share.value(), "interval": [least, most], "seed": args.seed,
        }));
    }
    let mut table = Table::new();
    table.row(["positions".to_owned(), format!("{tried} of connect four after random moves, seed {}", args.seed)]);
    table.row(["agent".to_owned(), format!("{}, {} a move", args.agent, args.budget)]);
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    table.row([
        "right".to_owned(),
        format!("{right}, {} [{}, {}]", percent(share.value()), percent(least), percent(most)),
    ]);
    out.bytes(table.text().as_bytes())
}

/// A position after so many random moves; `None` if the game is over by then.
fn after_random_moves(mut at: Box<dyn AnyPosition>, length: u64, random: &mut Stream) -> Option<Box<dyn AnyPosition>> {
    for _ in 0..length {
        let moves = at.moves();
        let mv = *moves.get(random.below(moves.len().max(1)))?;
        at.play(mv).ok()?;
    }
    at.outcome().is_none().then_some(at)
}

/// Every move with its result for the side to move, 1, 0 or -1; `None` if that takes too long.
fn results(position: &dyn AnyPosition, solver: &mut Solver) -> Option<Vec<(MoveId, i32)>> {
    let mover = position.mover();
    let result = |mv: MoveId| {
        let mut child = position.boxed();
        child.play(mv).ok()?;
        let board: &Board = typed(child.as_ref());
        Some((mv, for_side(solver.solve(board, MOST_NODES)?, mover)))
    };
    position.moves().into_iter().map(result).collect()
}

fn for_side(outcome: Outcome, side: Side) -> i32 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(winner) if winner == side => 1,
        Outcome::Win(_) => -1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_get_the_results_of_best_play() {
        let kit = tesuji_registry::kit(GAME, Rules::Official).unwrap();
        // X can complete a row at b; O threatens to complete the column g.
        let position = Agents::of(kit.as_ref()).game().parse("d g c g a g").unwrap();
        let moves = results(position.as_ref(), &mut Solver::new()).unwrap();
        let of = |text: &str| moves.iter().find(|&&(mv, _)| position.format_move(mv) == text).unwrap().1;
        assert_eq!((of("b"), of("e"), of("f")), (1, -1, -1));
    }

    #[test]
    fn ranges_of_plies_are_read() {
        assert_eq!(plies("8..28"), Ok((8, 28)));
        for bad in ["", "8", "7..9", "12..11", "8..37", "a..b"] {
            assert!(plies(bad).unwrap_err().contains("from 8 to 36"), "{bad}");
        }
    }
}
