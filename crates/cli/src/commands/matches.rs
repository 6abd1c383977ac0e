//! `tesuji match`: two agents, honest statistics.

use crate::common::contest::{self, ConditionArgs};
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::ranges;
use crate::common::save::Saver;
use crate::common::table::Table;
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use tesuji_arena::cost::Cost;
use tesuji_arena::elo;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::score::Score;
use tesuji_arena::sprt::Sprt;
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// Arguments of `tesuji match`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji match connect4 uct:sims=1000 alphabeta:depth=6 --games 100
  tesuji match bingo3d uct:sims=500 bot --games 1000 --threads 2 --journal bingo.jsonl
  tesuji match chess alphabeta \"engine:stockfish?Skill Level=3\" --budget time=100ms --games 20
  tesuji match tictactoe uct:sims=200 bot --games 2000 --sprt 0,30

Openings are played twice with the colours swapped. Ctrl-C ends the match after the moves under way,
with the result so far and exit code 130; a second one ends it at once. With --journal it is resumed
by the same command. --save writes the games in the format that the name ends in; kif and replay
files hold one game, so they are numbered. `tesuji agents` lists the agents.")]
pub struct MatchArgs {
    /// A game, see `tesuji games`
    game: String,
    /// The two players, see `tesuji agents`
    #[arg(num_args = 2, required = true, value_name = "AGENT")]
    agents: Vec<String>,
    /// How many games
    #[arg(long, default_value_t = 100, value_parser = ranges::games::<usize>())]
    games: usize,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Another budget for the second player
    #[arg(long, value_name = "BUDGET")]
    budget_second: Option<tesuji_core::Budget>,
    /// Stop when a sequential test of ELO0 against ELO1 (5% errors) has its answer
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Keep finished games in this file, and resume from it
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let parsed = text.split_once(',').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match parsed {
        Some((elo0, elo1)) if elo0 < elo1 && (-10_000.0..=10_000.0).contains(&elo0) && elo1 <= 10_000.0 => {
            Ok(Sprt { elo0, elo1, ..Sprt::default() })
        }
        _ => Err("expected ELO0,ELO1 with -10000 <= ELO0 < ELO1 <= 10000, such as 0,10".to_owned()),
    }
}

/// Runs the subcommand.
pub fn run(args: &MatchArgs, common: &Common, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    let conditions = &args.conditions;
    let [a, b] = [&args.agents[0], &args.agents[1]];
    contest::check_agent(&agents, a)?;
    contest::check_agent(&agents, b)?;
    let spec = MatchSpec {
        game: game.name().to_owned(),
        rules: game.rules(),
        players: [a.clone(), b.clone()],
        budgets: [conditions.budget, args.budget_second.unwrap_or(conditions.budget)],
        margin: conditions.margin,
        openings: conditions.openings(game.as_ref())?,
        adjudication: conditions.adjudication(),
        seed: conditions.seed,
    };
    let mut journal = args.journal.as_ref().map(|path| Journal::open(path, &spec)).transpose()?;
    let length = MatchLength { games: args.games, sprt: args.sprt, threads: conditions.threads };
    let save = conditions.save.as_deref().map(|path| Saver::new(game.as_ref(), path)).transpose()?;
    let stop = contest::listen_for_interrupt()?;
    let make = [a, b].map(|line| || contest::make_player(&agents, line));
    let mut progress = Progress::new("games", args.games as u64);
    let mut show = |results: &[GameResult]| progress.set(results.len() as u64);
    let results = play_match(game.as_ref(), &spec, &length, [&make[0], &make[1]], journal.as_mut(), stop, &mut show)
        .map_err(|error| anyhow!(error))?;
    drop(progress);
    if let Some(save) = save {
        save.write(results.iter().map(|result| result.record(game.as_ref(), &spec)))?;
    }
    let summary = Summary::of(&results);
    if out.json { print_json(&spec, args, &summary, out) } else { print(&spec, args, &summary, out) }
}

fn print(spec: &MatchSpec, args: &MatchArgs, summary: &Summary, out: &mut Output) -> Result<()> {
    let games = summary.score.games();
    let mut table = Table::new();
    table.row(["match".to_owned(), format!("{} ({} rules), {games} games, seed {}", spec.game, spec.rules, spec.seed)]);
    table.row(["players".to_owned(), format!("{} v {}", spec.players[0], spec.players[1])]);
    if contest::is_interrupted() {
        let resume = if args.journal.is_some() { "; the same command resumes" } else { "" };
        table.row(["stopped".to_owned(), format!("after {games} of {} games{resume}", args.games)]);
    }
    let second = as_second(summary);
    table.row(["score".to_owned(), score_text(&summary.score)]);
    table.row(["  as first".to_owned(), score_text(&summary.score_first)]);
    table.row(["  as second".to_owned(), score_text(&second)]);
    let superiority = 100.0 * elo::likelihood_of_superiority(&summary.score);
    let elo = contest::elo_text(&summary.elo());
    table.row(["Elo".to_owned(), format!("{elo} (95% interval), likelihood of superiority {superiority:.1}%")]);
    let pairs = summary.pairs.counts.map(|count| count.to_string()).join(" ");
    table.row(["pairs".to_owned(), format!("{pairs} (of 0, 1/2, 1, 3/2, 2 points)")]);
    let split = format!("{} of {} pairs: the same side won both games", summary.split, summary.pairs.pairs());
    table.row(["split".to_owned(), split]);
    if summary.openings_decide() {
        table.row([
            "warning".to_owned(),
            "the openings decided most pairs: take even ones, see `tesuji openings --help`".to_owned(),
        ]);
    }
    if let Some(sprt) = args.sprt {
        let ratio = sprt.log_likelihood_ratio(&summary.pairs);
        let (low, high) = sprt.bounds();
        let verdict = format!("{:?}", sprt.verdict(&summary.pairs));
        table.row(["SPRT".to_owned(), format!("LLR {ratio:.2} in ({low:.2}, {high:.2}): {verdict}")]);
    }
    table.row(["distinct".to_owned(), format!("{} of {games} games", summary.distinct)]);
    let length = summary.plies as f64 / games.max(1) as f64;
    table.row(["length".to_owned(), format!("{length:.1} plies on average")]);
    for (ending, count) in &summary.endings {
        table.row(["  ended by".to_owned(), format!("{ending}: {count}")]);
    }
    out.bytes(table.text().as_bytes())?;
    out.line("")?;
    let mut costs = Table::new().right(1..8);
    costs.row(["cost", "moves", "CPU s", "CPU ms/move", "ms/move", "nodes/move", "evaluations/move", "memory MB"]);
    for (name, cost) in spec.players.iter().zip(&summary.costs) {
        costs.row(cost_cells(name, cost));
    }
    out.bytes(costs.text().as_bytes())
}

/// The games in which player 0 moved second.
fn as_second(summary: &Summary) -> Score {
    Score {
        wins: summary.score.wins - summary.score_first.wins,
        draws: summary.score.draws - summary.score_first.draws,
        losses: summary.score.losses - summary.score_first.losses,
    }
}

/// Games won, drawn and lost, the score, in which a draw is half a win, and the share of wins, in which it is none.
fn score_text(score: &Score) -> String {
    let (points, wins) = (100.0 * score.mean(), 100.0 * score.win_share());
    format!("+{} ={} -{}, {points:.1}% ({wins:.1}% won)", score.wins, score.draws, score.losses)
}

fn cost_cells(name: &str, cost: &Cost) -> [String; 8] {
    let each = |total: f64| total / cost.moves.max(1) as f64;
    [
        name.to_owned(),
        cost.moves.to_string(),
        format!("{:.2}", cost.cpu),
        format!("{:.2}", 1e3 * each(cost.cpu)),
        format!("{:.2}", 1e3 * each(cost.wall)),
        format!("{:.0}", each(cost.nodes as f64)),
        format!("{:.0}", each(cost.evaluations as f64)),
        format!("{:.0}", cost.peak_memory as f64 / 1e6),
    ]
}

fn print_json(spec: &MatchSpec, args: &MatchArgs, summary: &Summary, out: &mut Output) -> Result<()> {
    let elo = summary.elo();
    out.object(&json!({
        "game": spec.game, "rules": spec.rules, "players": spec.players, "seed": spec.seed,
        "games": summary.score.games(), "asked": args.games, "interrupted": contest::is_interrupted(),
        "wins": summary.score.wins, "draws": summary.score.draws, "losses": summary.score.losses,
        "as_first": summary.score_first, "as_second": as_second(summary), "score": summary.score.mean(),
        "win_share": summary.score.win_share(),
        "elo": contest::finite(elo.difference), "elo_low": contest::finite(elo.low),
        "elo_high": contest::finite(elo.high),
        "superiority": elo::likelihood_of_superiority(&summary.score),
        "pairs": summary.pairs.counts, "split": summary.split,
        "openings_decide": summary.openings_decide(), "distinct": summary.distinct,
        "sprt": args.sprt.map(|sprt| json!({
            "llr": sprt.log_likelihood_ratio(&summary.pairs), "verdict": sprt.verdict(&summary.pairs) })),
        "mean_plies": summary.plies as f64 / summary.score.games().max(1) as f64,
        "endings": summary.endings, "costs": summary.costs, "phases": summary.phases,
    }))
}
