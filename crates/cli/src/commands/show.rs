//! `tesuji show`: a position for people.

use crate::common::input::{self, Positions};
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::words::{outcome_word, side_word};
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use tesuji_core::{AnyPosition, Outcome, Rules, Style};

/// Arguments of `tesuji show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji show tictactoe
  tesuji show chess rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e7e5
  tesuji show shogi --kanji
  tesuji show minishogi --file positions.txt --json")]
pub struct ShowArgs {
    /// A game, see `tesuji games`
    game: String,
    #[command(flatten)]
    positions: Positions,
    /// Japanese piece names, where the game has them
    #[arg(long, overrides_with = "letters")]
    kanji: bool,
    /// Letters for pieces (the default)
    #[arg(long, overrides_with = "kanji")]
    letters: bool,
}

/// What is known of a position.
#[derive(Serialize)]
struct Known {
    game: &'static str,
    rules: Rules,
    position: String,
    mover: &'static str,
    mover_name: &'static str,
    ply: u32,
    key: String,
    in_check: bool,
    legal_moves: usize,
    /// Estimate for the first player.
    heuristic: i32,
    /// `first`, `second` or `draw` once the game has ended.
    outcome: Option<&'static str>,
    ending: Option<&'static str>,
}

/// Runs the subcommand.
pub fn run(args: &ShowArgs, common: &Common, out: &mut Output) -> Result<()> {
    let game = tesuji_games::game(&args.game, common.rules)?;
    let style = Style { color: out.color, kanji: args.kanji };
    let many = args.positions.many();
    args.positions.each(out, |text, out| {
        let position = input::position(game.as_ref(), text)?;
        let known = known(position.as_ref());
        if out.json {
            return out.object(&known);
        }
        out.line(&position.render(style))?;
        out.line("")?;
        print(&known, position.outcome(), out)?;
        if many { out.line("") } else { Ok(()) }
    })
}

fn known(position: &dyn AnyPosition) -> Known {
    let (game, mover, outcome) = (position.game(), position.mover(), position.outcome());
    Known {
        game: game.name(),
        rules: game.rules(),
        position: position.text(),
        mover: side_word(mover),
        mover_name: game.side_name(mover),
        ply: position.ply(),
        key: format!("{:016x}", position.key()),
        in_check: position.in_check(),
        legal_moves: position.movements().len(),
        heuristic: position.heuristic(),
        outcome: outcome.map(outcome_word),
        ending: outcome.map(|_| position.ending()),
    }
}

fn print(known: &Known, outcome: Option<Outcome>, out: &mut Output) -> Result<()> {
    out.line(&format!("position   {}", known.position))?;
    let check = if known.in_check { ", in check" } else { "" };
    out.line(&format!("to move    {} ({} player){check}", known.mover_name, known.mover))?;
    out.line(&format!("ply        {}", known.ply))?;
    out.line(&format!("moves      {}", known.legal_moves))?;
    out.line(&format!("heuristic  {:+} for the first player", known.heuristic))?;
    out.line(&format!("key        {}", known.key))?;
    if let (Some(outcome), Some(ending)) = (outcome, known.ending) {
        out.line(&format!("outcome    {outcome}: {ending}"))?;
    }
    Ok(())
}
