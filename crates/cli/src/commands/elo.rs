//! `tesuji elo`: one rating from matches against an engine at several strengths.

use crate::common::contest::{self, ConditionArgs};
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::save::Saver;
use crate::common::table::Table;
use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use tesuji_arena::elo::{Elo, expected_score};
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::performance::{self, Fit, Match};
use tesuji_core::Budget;
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// Arguments of `tesuji elo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tesuji elo alphabeta:depth=4 --at 1350,1500,1700 --games 100 --budget time=100ms
  tesuji elo pv:net=runs/chess,sims=400 --at 1500,2000 --games 200 --self --journal rating
  tesuji elo alphabeta --game shogi --against fairy-stockfish --at 1000,1500

AGENT plays --games games against `engine:ENGINE?UCI_LimitStrength=true&UCI_Elo=X` for every X of --at, in pairs with the
colours swapped. One rating is fitted to all results together, by maximum likelihood with a 95% interval; the table has
the score at each setting beside what the rating expects, and how well it explains them: p below 5% says that no single
rating does. --self also lets the engine play itself at each setting, as a yardstick of what chance does to scores. The
rating is on the scale of the engine's settings, at these times and openings, and no more honest than they are.")]
pub struct EloArgs {
    /// The agent to be rated, see `tesuji agents`
    agent: String,
    /// A game, see `tesuji games`
    #[arg(long, default_value = "chess")]
    game: String,
    /// The engine's command
    #[arg(long, value_name = "ENGINE", default_value = "stockfish")]
    against: String,
    /// Its settings of UCI_Elo
    #[arg(long, value_name = "ELO,...", value_delimiter = ',', required = true)]
    at: Vec<u32>,
    /// Games at each setting
    #[arg(long, default_value_t = 100)]
    games: usize,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Another budget for the engine
    #[arg(long, value_name = "BUDGET")]
    budget_against: Option<Budget>,
    /// Let the engine play itself, too, at each setting
    #[arg(long = "self")]
    yardstick: bool,
    /// Keep finished games in this directory, a file for each match, and resume from it
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &EloArgs, common: &Common, out: &mut Output) -> Result<()> {
    ensure!(args.games > 0, "--games 0: nothing to play");
    ensure!(args.conditions.threads > 0, "--threads 0: at least one is needed");
    let repeated = args.at.iter().enumerate().find(|(index, setting)| args.at[..*index].contains(setting));
    if let Some((_, setting)) = repeated {
        anyhow::bail!("--at: {setting} is given twice");
    }
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    let conditions = &args.conditions;
    let engine = |setting: u32| format!("engine:{}?UCI_LimitStrength=true&UCI_Elo={setting}", args.against);
    contest::check_agent(&agents, &args.agent)?;
    for &setting in &args.at {
        contest::check_agent(&agents, &engine(setting))?;
    }
    if let Some(directory) = &args.journal {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot make {directory:?}"))?;
    }
    let openings = conditions.openings(game.as_ref())?;
    let against = args.budget_against.unwrap_or(conditions.budget);
    let save = conditions.save.as_deref().map(|path| Saver::new(game.as_ref(), path)).transpose()?;
    let stop = contest::listen_for_interrupt()?;
    let yardsticks = if args.yardstick { args.at.len() } else { 0 };
    let mut progress = Progress::new("games", ((args.at.len() + yardsticks) * args.games) as u64);
    let mut done = 0;
    let mut records = Vec::new();
    let mut contest = |player: String, budget: Budget, setting: u32, name: String| -> Result<Played> {
        let spec = MatchSpec {
            game: game.name().to_owned(),
            rules: game.rules(),
            players: [player, engine(setting)],
            budgets: [budget, against],
            margin: conditions.margin,
            openings: openings.clone(),
            adjudication: conditions.adjudication(),
            seed: conditions.seed,
        };
        let path = args.journal.as_ref().map(|directory| directory.join(name));
        let mut journal = path.map(|path| Journal::open(&path, &spec)).transpose()?;
        let length = MatchLength { games: args.games, sprt: None, threads: conditions.threads };
        let make = spec.players.each_ref().map(|line| || contest::make_player(&agents, line));
        let mut show = |results: &[GameResult]| progress.set((done + results.len()) as u64);
        let results =
            play_match(game.as_ref(), &spec, &length, [&make[0], &make[1]], journal.as_mut(), stop, &mut show)
                .map_err(|error| anyhow!(error))?;
        done += results.len();
        if save.is_some() {
            records.extend(results.iter().map(|result| result.record(game.as_ref(), &spec)));
        }
        Ok(Played { setting, summary: Summary::of(&results) })
    };
    let (mut matches, mut yardstick) = (Vec::new(), Vec::new());
    for &setting in &args.at {
        matches.push(contest(args.agent.clone(), conditions.budget, setting, format!("{setting}.jsonl"))?);
        if args.yardstick {
            yardstick.push(contest(engine(setting), against, setting, format!("{setting}-self.jsonl"))?);
        }
    }
    drop(progress);
    if let Some(save) = save {
        save.write(records)?;
    }
    let rated: Vec<Match> = matches.iter().map(Played::rated).collect();
    let rating = performance::rating(&rated);
    let fit = rating.difference.is_finite().then(|| performance::fit(&rated, rating.difference));
    let result = Rated { args, matches, yardstick, rating, fit };
    if out.json { result.print_json(out) } else { result.print(out) }
}

/// One match of the agent, or of the engine against itself.
struct Played {
    setting: u32,
    summary: Summary,
}

impl Played {
    fn rated(&self) -> Match {
        Match { opponent: f64::from(self.setting), score: self.summary.score, pairs: self.summary.pairs }
    }
}

/// What came out.
struct Rated<'a> {
    args: &'a EloArgs,
    matches: Vec<Played>,
    yardstick: Vec<Played>,
    rating: Elo,
    fit: Option<Fit>,
}

impl Rated<'_> {
    fn expected(&self, setting: u32) -> f64 {
        expected_score(self.rating.difference - f64::from(setting))
    }

    fn print(&self, out: &mut Output) -> Result<()> {
        let args = self.args;
        out.line(&format!("{} against {} ({})", args.agent, args.against, args.game))?;
        if contest::is_interrupted() {
            let resume = if args.journal.is_some() { "; the same command resumes" } else { "" };
            out.line(&format!("stopped before all games were played{resume}"))?;
        }
        let mut table = Table::new().right(0..8);
        table.row(["UCI_Elo", "games", "won", "drawn", "lost", "score", "expected", "distinct"]);
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let played = |matches: &&Played| matches.summary.score.games() > 0;
        for Played { setting, summary } in self.matches.iter().filter(played) {
            let score = summary.score;
            table.row([
                setting.to_string(),
                score.games().to_string(),
                score.wins.to_string(),
                score.draws.to_string(),
                score.losses.to_string(),
                percent(score.mean()),
                percent(self.expected(*setting)),
                summary.distinct.to_string(),
            ]);
        }
        for Played { setting, summary } in self.yardstick.iter().filter(played) {
            let score = summary.score;
            table.row([
                format!("{setting} v itself"),
                score.games().to_string(),
                score.wins.to_string(),
                score.draws.to_string(),
                score.losses.to_string(),
                percent(score.mean()),
                percent(0.5),
                summary.distinct.to_string(),
            ]);
        }
        out.bytes(table.text().as_bytes())?;
        out.line(&format!("rating {} (95% interval)", rating_text(&self.rating)))?;
        match self.fit {
            Some(Fit { chi_squared, freedom, p }) if freedom > 0 => out.line(&format!(
                "fit    chi-squared {chi_squared:.2} with {freedom} degrees of freedom, p = {p:.3}{}",
                if p < 0.05 { ": no single rating explains these scores" } else { "" }
            )),
            _ => out.line("fit    unknown: it takes two settings, and not all games won or lost"),
        }
    }

    fn print_json(&self, out: &mut Output) -> Result<()> {
        let row = |played: &Played, expected: f64| {
            json!({ "setting": played.setting, "score": played.summary.score, "mean": played.summary.score.mean(),
                    "expected": expected, "pairs": played.summary.pairs.counts, "distinct": played.summary.distinct,
                    "costs": played.summary.costs })
        };
        let matches: Vec<_> = self.matches.iter().map(|played| row(played, self.expected(played.setting))).collect();
        let yardstick: Vec<_> = self.yardstick.iter().map(|played| row(played, 0.5)).collect();
        out.object(&json!({
            "agent": self.args.agent, "against": self.args.against, "game": self.args.game,
            "interrupted": contest::is_interrupted(),
            "rating": contest::finite(self.rating.difference), "low": contest::finite(self.rating.low),
            "high": contest::finite(self.rating.high), "fit": self.fit, "matches": matches, "self": yardstick,
        }))
    }
}

/// A rating with its interval: `1462 [1412, 1512]`.
fn rating_text(rating: &Elo) -> String {
    let number = |value: f64, low: &str, high: &str| match value {
        f64::INFINITY => high.to_owned(),
        f64::NEG_INFINITY => low.to_owned(),
        value => format!("{value:.0}"),
    };
    let best = number(rating.difference, "below all settings", "above all settings");
    format!("{best} [{}, {}]", number(rating.low, "-inf", "-inf"), number(rating.high, "+inf", "+inf"))
}
