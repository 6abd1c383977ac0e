//! `tesuji strengths`: the strengths of move features, learned from games.

use crate::common::each_game::each_game;
use crate::common::files::NewFile;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::table::Table;
use anyhow::{Result, anyhow, ensure};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use tesuji_games::formats;
use tesuji_search::strengths::{Choices, Strengths, elo};

/// Arguments of `tesuji strengths`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji match shogi alphabeta:depth=2 alphabeta:depth=2 --games 200 --save games.tsjr
  tesuji strengths shogi games.tsjr --out shogi.strengths
  tesuji match shogi uct:rollout=strength,strengths=shogi.strengths uct:rollout=strength

Every move of the games won against all other legal ones. A move's strength is the product of those of its features; the
strengths are those under which the moves that were played are most probable (Bradley-Terry model, found by
minorisation-maximisation). Playouts with `rollout=strength,strengths=FILE` draw moves in proportion to their strength.")]
pub struct StrengthsArgs {
    /// A game, see `tesuji games`
    game: String,
    /// Files of games in a format of `tesuji convert`, compressed by Zstandard or not
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Rounds over all choices, at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    rounds: u32,
    /// The format of the files, if their names do not tell it
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
}

/// Runs the subcommand.
pub fn run(args: &StrengthsArgs, common: &Common, out: &mut Output) -> Result<()> {
    ensure!((1..=100_000).contains(&args.rounds), "--rounds {}: expected 1 to 100000", args.rounds);
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let names = kit.move_features();
    let mut choices = Choices::default();
    let mut games = 0_u64;
    for file in &args.files {
        let records = formats::open(args.from.as_deref(), file, common.rules)?;
        games += each_game(records, file, None, |_, record| {
            kit.add_choices(&record, &mut choices).map_err(|problem| anyhow!(problem))
        })?;
    }
    ensure!(!choices.is_empty(), "no choice between moves in {}", args.files.join(", "));
    let gammas = choices.learn(names.len(), args.rounds);
    let [before, after] = [&vec![1.0; names.len()], &gammas].map(|gammas| choices.surprise(gammas));
    let named = names.iter().map(|&name| name.to_owned()).zip(gammas.iter().copied()).collect();
    let strengths = Strengths { game: args.game.clone(), gammas: named };
    if let Some(path) = &args.out {
        let mut file = NewFile::create(path)?;
        file.write(strengths.to_text(&format!("{} choices of {games} games", choices.len())).as_bytes())?;
        file.finish()?;
    }
    if out.json {
        let features: Vec<_> = (strengths.gammas.iter())
            .map(|(name, gamma)| json!({ "feature": name, "strength": gamma, "elo": elo(*gamma) }))
            .collect();
        return out.object(&json!({
            "game": args.game, "games": games, "choices": choices.len(), "features": features,
            "surprise_before": before, "surprise": after,
        }));
    }
    let mut table = Table::new().right(1..3);
    table.row(["feature", "strength", "Elo"]);
    for (name, gamma) in &strengths.gammas {
        table.row([name.clone(), format!("{gamma:.3}"), format!("{:+.0}", elo(*gamma))]);
    }
    out.bytes(table.text().as_bytes())?;
    out.line(&format!(
        "\n{} choices of {games} games; -log p of a move {after:.3}, {before:.3} if all moves were alike",
        choices.len()
    ))
}
