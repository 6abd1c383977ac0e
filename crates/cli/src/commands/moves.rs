//! `tesuji moves`: the legal moves.

use crate::common::input::{self, Positions};
use crate::common::options::Common;
use crate::common::output::Output;
use anyhow::Result;
use clap::Args;
use serde::Serialize;

/// Arguments of `tesuji moves`.
#[derive(Debug, Args)]
#[command(after_help = "\
The moves are those of the rules of movement: where the game has ended by adjudication (repetition, a move limit),
they are listed all the same, as independent programs do, and a note on standard error says so.

Examples:
  tesuji moves tictactoe a1 b2
  tesuji moves chess startpos moves e2e4 e7e5
  tesuji moves shogi --file positions.sfen    one line of moves for each position")]
pub struct MovesArgs {
    /// A game, see `tesuji games`
    game: String,
    #[command(flatten)]
    positions: Positions,
}

/// The moves of one position.
#[derive(Serialize)]
struct Listed {
    position: String,
    moves: Vec<String>,
    /// Whether the game has ended, in which case nobody may play the moves.
    over: bool,
}

/// Runs the subcommand.
pub fn run(args: &MovesArgs, common: &Common, out: &mut Output) -> Result<()> {
    let game = tesuji_games::game(&args.game, common.rules)?;
    let many = args.positions.many();
    args.positions.each(out, |text, out| {
        let position = input::position(game.as_ref(), text)?;
        let moves = position.sorted_moves();
        let outcome = position.outcome();
        if out.json {
            return out.object(&Listed { position: position.text(), moves, over: outcome.is_some() });
        }
        if many {
            return out.line(&moves.join(" "));
        }
        for mv in &moves {
            out.line(mv)?;
        }
        if let Some(outcome) = outcome {
            eprintln!("note: the game is over: {outcome}: {}", position.ending());
        }
        Ok(())
    })
}
