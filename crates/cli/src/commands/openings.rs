//! `tesuji openings`: openings that two judges see as even.

use crate::common::contest;
use crate::common::files::NewFile;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use anyhow::{Result, anyhow, ensure};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use tesuji_arena::even::{self, EvenSpec};
use tesuji_core::Budget;
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// Arguments of `tesuji openings`.
#[derive(Debug, Args)]
#[command(after_help = "\
Random openings decide many games before the players take over. This command keeps those that two
judges of different kinds see near a draw. It prints them, or writes them to --out: a file for
`--openings FILE` of match and tournament. `--openings even:N` means those that come with the program.

Examples:
  tesuji openings minishogi --from random:4 --number 100 --out even.txt
  tesuji openings chess --from random:8 --judge alphabeta:nodes=20000 --judge \"engine:stockfish\" --budget nodes=20000")]
pub struct OpeningsArgs {
    /// A game, see `tesuji games`
    game: String,
    /// Candidates: `random:N` (N random moves), `varied` (the game's own), or a file with a position a line
    #[arg(long, value_name = "WHICH", default_value = "random:4")]
    from: String,
    /// How many openings
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    number: u32,
    /// A judge, see `tesuji agents`; give two of different kinds
    #[arg(long = "judge", value_name = "AGENT", default_values = ["alphabeta:nodes=20000", "uct:sims=2000"])]
    judges: Vec<String>,
    /// How far from a draw a judge may see an opening: a value from 0 to 1
    #[arg(long, value_name = "VALUE", default_value_t = 0.15)]
    margin: f32,
    /// What a judge may spend on a candidate, besides its own limits
    #[arg(long, value_name = "BUDGET", default_value = "unlimited")]
    budget: Budget,
    /// The seed of candidates and judges
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Candidates at a time; the openings do not depend on it
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Write the openings to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &OpeningsArgs, common: &Common, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    let [a, b] = args.judges.as_slice() else {
        return Err(anyhow!("--judge: two judges are needed, {} given", args.judges.len()));
    };
    ensure!((0.0..1.0).contains(&args.margin), "--margin {}: from 0 to below 1", args.margin);
    for judge in &args.judges {
        contest::check_agent(&agents, judge)?;
    }
    let spec = EvenSpec {
        candidates: contest::openings(game.as_ref(), &args.from)?,
        number: args.number as usize,
        margin: args.margin,
        budget: args.budget,
        seed: args.seed,
        threads: usize::from(args.threads),
    };
    let file = args.out.as_ref().map(|path| NewFile::create(path)).transpose()?;
    let stop = contest::listen_for_interrupt()?;
    let make = [a, b].map(|line| || contest::make_player(&agents, line));
    let mut progress = Progress::new("openings", u64::from(args.number));
    let mut show = |found: usize| progress.set(found as u64);
    let found =
        even::find(game.as_ref(), &spec, [&make[0], &make[1]], stop, &mut show).map_err(|error| anyhow!(error))?;
    drop(progress);
    let about = format!(
        "Even openings of {} ({} rules): {} of {} candidates, {}, seed {}.\n\
         Judges: {a} and {b}, budget {}; both see at most {} for either side.\n\
         One opening a line, then the judges' values for the side to move.",
        game.name(),
        game.rules(),
        found.found.len(),
        found.candidates,
        args.from,
        args.seed,
        args.budget,
        args.margin,
    );
    match file {
        Some(mut file) => {
            file.write(even::to_text(&about, &found.found).as_bytes())?;
            file.finish()?;
        }
        None if !out.json => out.bytes(even::to_text(&about, &found.found).as_bytes())?,
        None => {}
    }
    if out.json {
        let openings: Vec<_> =
            found.found.iter().map(|even| json!({ "opening": even.opening.line(), "values": even.values })).collect();
        return out.object(&json!({
            "game": game.name(), "rules": game.rules(), "from": args.from, "seed": args.seed, "judges": args.judges,
            "margin": args.margin, "candidates": found.candidates, "openings": openings,
        }));
    }
    if let Some(path) = &args.out {
        out.line(&format!("{} of {} candidates are even: {}", found.found.len(), found.candidates, path.display()))?;
    }
    if found.found.len() < spec.number && !contest::is_interrupted() {
        eprintln!(
            "only {} of {} openings found: raise --margin, or give other candidates",
            found.found.len(),
            spec.number
        );
    }
    Ok(())
}
