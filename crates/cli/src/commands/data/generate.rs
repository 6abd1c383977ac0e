//! `tesuji data generate`.

use super::describe;
use super::hosted::{Hosted, Keep};
use crate::common::contest;
use crate::common::crew::CrewArgs;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::ranges;
use anyhow::Result;
use clap::Args;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;
use tesuji_arena::matches::{MakePlayer, MatchSpec};
use tesuji_arena::play::Adjudication;
use tesuji_core::{Budget, GameRecord};
use tesuji_learn::Agents;
use tesuji_learn::data::generate::{self, Elsewhere, Plan};
use tesuji_search::AgentSource;

/// Arguments of `tesuji data generate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji data generate --engine stockfish --nodes 5000 --games 10000 --out data/stockfish --threads 2
  tesuji data generate --game bingo3d --first uct:sims=500 --second bot --games 5000 --out data/bingo
  tesuji data generate --first nnue:nodes=20000 --games 50000 --out data/own --workers dir:/shared/chess

Every game starts with random moves of its own, which are not learned from; the colours change from game to game. The
games themselves are in DIR/games.tsjr, which `tesuji convert` turns into PGN and others. Ctrl-C, or even kill -9, loses
nothing but the games under way: the same command resumes, also with more --games. What players with fixed limits (not
of time) play depends on --seed alone, not on --threads, nor on --workers: `tesuji worker PLACE` on other machines plays
them to the same bytes (docs/cluster.md). Engines are started by workers that have --allow-engines.")]
pub struct GenerateArgs {
    /// A game, see `tesuji games`
    #[arg(long, default_value = "chess")]
    game: String,
    /// Who plays, see `tesuji agents`
    #[arg(long, value_name = "AGENT", required_unless_present = "engine", conflicts_with = "engine")]
    first: Option<String>,
    /// Who plays against it; the same agent if it is not given
    #[arg(long, value_name = "AGENT", requires = "first")]
    second: Option<String>,
    /// Let this engine play itself: short for --first engine:COMMAND
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// How many games
    #[arg(long, value_parser = ranges::games::<u64>())]
    games: u64,
    /// Nodes that a player may visit for a move: short for --budget nodes=K
    #[arg(long, value_name = "K", conflicts_with = "budget", value_parser = ranges::nodes::<u64>())]
    nodes: Option<u64>,
    /// What a player may spend on a move, besides its own limits: `sims=800`, `time=100ms`, `nodes=10000`
    #[arg(long, value_name = "BUDGET", default_value = "unlimited")]
    budget: Budget,
    /// Where games start: `random:N` (N random moves), `varied` (the game's own), or a file with a position a line
    #[arg(long, value_name = "WHICH", default_value = "random:4")]
    openings: String,
    /// A game of this many plies is a draw
    #[arg(long, value_name = "N", value_parser = ranges::plies::<u32>())]
    max_plies: Option<u32>,
    /// End games that both players see at VALUE (0..1) or more for one side for MOVES moves each: positions in which
    /// nothing is left to decide teach little
    #[arg(long, value_name = "VALUE,MOVES", value_parser = contest::parse_agreement)]
    adjudicate_win: Option<(f32, u32)>,
    /// The probability with which a position is kept
    #[arg(long, value_name = "P", default_value_t = 1.0, value_parser = ranges::keep)]
    keep: f64,
    /// The seed of openings and players, and by which positions are kept
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time; results do not depend on it
    #[arg(long, default_value_t = 1, value_parser = ranges::threads::<usize>())]
    threads: usize,
    /// The directory to create, or to resume in
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    crew: CrewArgs,
}

/// Runs the subcommand.
pub fn run(args: &GenerateArgs, common: &Common, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    let first = match &args.engine {
        Some(command) => format!("engine:{command}"),
        None => args.first.clone().unwrap_or_default(),
    };
    let players = [first.clone(), args.second.clone().unwrap_or(first)];
    for line in &players {
        contest::check_agent(&agents, line)?;
    }
    let budget = args.nodes.map_or(args.budget, Budget::nodes);
    let spec = MatchSpec {
        game: game.name().to_owned(),
        rules: game.rules(),
        players: players.clone(),
        budgets: [budget; 2],
        margin: Duration::from_secs(1),
        openings: contest::openings(game.as_ref(), &args.openings)?,
        adjudication: Adjudication {
            max_plies: args.max_plies,
            win_value: args.adjudicate_win.map(|(value, _)| value),
            win_moves: args.adjudicate_win.map_or(0, |(_, moves)| moves),
            ..Adjudication::default()
        },
        seed: args.seed,
    };
    let plan = Plan { spec, games: args.games, keep: args.keep, threads: args.threads };
    let stop = contest::listen_for_interrupt()?;
    let make = players.each_ref().map(|line| || contest::make_player(&agents, line));
    let check = |record: &GameRecord| kit.check_record(record);
    let transport = args.crew.transport()?;
    let host = |transport| Hosted::new(&args.crew, transport, kit.as_ref(), (&plan, &args.out));
    let mut hosted = transport.as_deref().map(host).transpose()?;
    let mut elsewhere = |numbers: Range<u64>, keep: &mut Keep<'_>| match &mut hosted {
        Some(hosted) => hosted.play(&plan, numbers, stop, keep),
        None => Ok(()),
    };
    let elsewhere: Option<&mut Elsewhere<'_>> = transport.is_some().then_some(&mut elsewhere);
    let mut progress = Progress::new("games", args.games);
    let mut played = 0;
    let mut show = |games: u64| {
        played = games;
        progress.set(games);
    };
    let players: [&MakePlayer<'_>; 2] = [&make[0], &make[1]];
    let about = generate::generate(game.as_ref(), &check, &args.out, &plan, (players, elsewhere), stop, &mut show)?;
    drop(progress);
    let Some(about) = about else {
        let text = format!("stopped after {played} of {} games; the same command resumes", args.games);
        return if out.json {
            out.object(&serde_json::json!({ "games": played, "asked": args.games, "interrupted": true }))
        } else {
            out.line(&text)
        };
    };
    describe::print(game.as_ref(), &args.out, &about, out)?;
    if !out.json {
        let mut endings: BTreeMap<String, u64> = BTreeMap::new();
        for record in generate::games(&args.out)?.take(usize::try_from(args.games)?) {
            *endings.entry(record?.ending).or_default() += 1;
        }
        for (ending, count) in endings {
            out.line(&format!("  ended by {ending}: {count}"))?;
        }
    }
    Ok(())
}
