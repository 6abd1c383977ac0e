//! `tesuji tournament`: everybody against everybody, or one against all.

use crate::common::contest::{self, ConditionArgs};
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::ranges;
use crate::common::save::Saver;
use crate::common::table::Table;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use tesuji_arena::cost::Cost;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::rating::Ratings;
use tesuji_arena::tournament::{Crosstable, Format};
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// Arguments of `tesuji tournament`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji tournament connect4 random bot uct:sims=100 alphabeta:depth=4 --games 40
  tesuji tournament bingo3d uct:sims=500 random bot --format gauntlet --journal results/

--games counts the games of each pairing. With --journal DIR an interrupted tournament is resumed by the same command.
--save writes all games in the format that the name ends in.")]
pub struct TournamentArgs {
    /// A game, see `tesuji games`
    game: String,
    /// The players, see `tesuji agents`
    #[arg(num_args = 2.., required = true, value_name = "AGENT")]
    agents: Vec<String>,
    /// Who meets whom: `round-robin`, or `gauntlet` (the first player against all others)
    #[arg(long, default_value = "round-robin")]
    format: Format,
    /// Games of each pairing
    #[arg(long, default_value_t = 20, value_parser = ranges::games::<usize>())]
    games: usize,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Keep finished games in this directory, a file for each pairing, and resume from it
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &TournamentArgs, common: &Common, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    let conditions = &args.conditions;
    for line in &args.agents {
        contest::check_agent(&agents, line)?;
    }
    if let Some(directory) = &args.journal {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot make {directory:?}"))?;
    }
    let openings = conditions.openings(game.as_ref())?;
    let save = conditions.save.as_deref().map(|path| Saver::new(game.as_ref(), path)).transpose()?;
    let mut records = Vec::new();
    let stop = contest::listen_for_interrupt()?;
    let pairings = args.format.pairings(args.agents.len());
    let mut progress = Progress::new("games", (pairings.len() * args.games) as u64);
    let mut standing = Standing {
        args,
        table: Crosstable::new(args.agents.len()),
        costs: vec![Cost::default(); args.agents.len()],
        games: 0,
        distinct: 0,
    };
    for &(a, b) in &pairings {
        if contest::is_interrupted() {
            break;
        }
        let spec = MatchSpec {
            game: game.name().to_owned(),
            rules: game.rules(),
            players: [args.agents[a].clone(), args.agents[b].clone()],
            budgets: [conditions.budget; 2],
            margin: conditions.margin,
            openings: openings.clone(),
            adjudication: conditions.adjudication(),
            seed: conditions.seed,
        };
        let path = args.journal.as_ref().map(|directory| directory.join(format!("{a}-{b}.jsonl")));
        let mut journal = path.map(|path| Journal::open(&path, &spec)).transpose()?;
        let length = MatchLength { games: args.games, sprt: None, threads: conditions.threads };
        let make = [a, b].map(|player| {
            let (agents, line) = (&agents, &args.agents[player]);
            move || contest::make_player(agents, line)
        });
        let mut show = |results: &[GameResult]| progress.set((standing.games + results.len()) as u64);
        let results =
            play_match(game.as_ref(), &spec, &length, [&make[0], &make[1]], journal.as_mut(), stop, &mut show)
                .map_err(|error| anyhow!(error))?;
        if save.is_some() {
            records.extend(results.iter().map(|result| result.record(game.as_ref(), &spec)));
        }
        standing.add((a, b), &results);
    }
    drop(progress);
    if let Some(save) = save {
        save.write(records)?;
    }
    if out.json { standing.print_json(out) } else { standing.print(out) }
}

/// How the tournament stands.
struct Standing<'a> {
    args: &'a TournamentArgs,
    table: Crosstable,
    costs: Vec<Cost>,
    games: usize,
    /// Games that differ from all others of their pairing.
    distinct: usize,
}

/// The players from the strongest to the weakest.
fn order(ratings: &Ratings) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ratings.players.len()).collect();
    order.sort_by(|&a, &b| ratings.players[b].elo.total_cmp(&ratings.players[a].elo));
    order
}

impl Standing<'_> {
    /// Counts the games of a pairing.
    fn add(&mut self, (a, b): (usize, usize), results: &[GameResult]) {
        self.table.add((a, b), results);
        let summary = Summary::of(results);
        self.costs[a] += summary.costs[0];
        self.costs[b] += summary.costs[1];
        self.games += results.len();
        self.distinct += summary.distinct;
    }

    fn print(&self, out: &mut Output) -> Result<()> {
        let ratings = self.table.ratings();
        let order = order(&ratings);
        let players = order.len();
        let mut table = Table::new().right((0..1).chain(2..players + 10));
        let mut head: Vec<String> =
            ["#", "player", "Elo", "+-", "points", "won", "drawn", "lost"].map(str::to_owned).to_vec();
        head.extend((1..=players).map(|number| number.to_string()));
        head.push("CPU ms/move".to_owned());
        table.row(head);
        for (place, &player) in order.iter().enumerate() {
            let total = self.table.total(player);
            let points = total.wins as f64 + 0.5 * total.draws as f64;
            let rating = &ratings.players[player];
            let mut row = vec![
                (place + 1).to_string(),
                self.args.agents[player].clone(),
                format!("{:+.0}", rating.elo),
                format!("{:.0}", rating.margin),
                format!("{points} / {}", total.games()),
                total.wins.to_string(),
                total.draws.to_string(),
                total.losses.to_string(),
            ];
            row.extend(order.iter().map(|&other| match self.table.scores[player][other] {
                score if score.games() == 0 => "-".to_owned(),
                score => format!("+{} ={} -{}", score.wins, score.draws, score.losses),
            }));
            let cost = &self.costs[player];
            row.push(format!("{:.2}", 1e3 * cost.cpu / cost.moves.max(1) as f64));
            table.row(row);
        }
        if contest::is_interrupted() {
            out.line("stopped before the end: the table holds the games that were finished")?;
        }
        out.bytes(table.text().as_bytes())?;
        out.line("")?;
        out.line(&format!("{} of {} games are distinct within their pairing", self.distinct, self.games))?;
        out.line(&format!(
            "Elo relative to the mean, 95% margins; moving first is worth {:+.0} Elo, draw width {:.0} Elo",
            ratings.advantage, ratings.draw_elo
        ))
    }

    fn print_json(&self, out: &mut Output) -> Result<()> {
        let ratings = self.table.ratings();
        let player = |player: usize| {
            let total = self.table.total(player);
            json!({
                "player": self.args.agents[player], "elo": ratings.players[player].elo,
                "margin": ratings.players[player].margin,
                "wins": total.wins, "draws": total.draws, "losses": total.losses, "score": total.mean(),
                "against": self.table.scores[player], "cost": self.costs[player],
            })
        };
        out.object(&json!({
            "game": self.args.game, "format": self.args.format, "interrupted": contest::is_interrupted(),
            "games": self.games, "distinct": self.distinct,
            "players": (0..self.args.agents.len()).map(player).collect::<Vec<_>>(),
            "advantage": ratings.advantage, "draw_elo": ratings.draw_elo,
        }))
    }
}
