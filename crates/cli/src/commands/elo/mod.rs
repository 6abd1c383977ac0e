//! `tesuji elo`: one rating from matches against an engine at several strengths, or on a ladder that stands on them.
//!
//! | file | what it holds |
//! |---|---|
//! | [`args`] | what can be asked for |
//! | [`mod@print`] | the result as a table and as JSON |

mod args;
mod print;

use crate::common::climb::{Climb, Climber};
use crate::common::contest;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use crate::common::save::Saver;
use anyhow::{Context, Result, anyhow};
pub use args::EloArgs;
use print::{OnLadder, Played, Rated};
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::performance::{self, Match};
use tesuji_core::Budget;
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// A match that is to be played.
struct Pairing {
    players: [String; 2],
    budgets: [Budget; 2],
    /// The name of its journal.
    name: String,
}

/// Runs the subcommand.
pub fn run(args: &EloArgs, common: &Common, out: &mut Output) -> Result<()> {
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    let conditions = &args.conditions;
    args.check(&agents)?;
    if let Some(directory) = &args.journal {
        std::fs::create_dir_all(directory).with_context(|| format!("cannot make {directory:?}"))?;
    }
    let warnings = args.warnings();
    // Before hours of games, not only behind them.
    warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    let openings = conditions.openings(game.as_ref())?;
    let save = conditions.save.as_deref().map(|path| Saver::new(game.as_ref(), path)).transpose()?;
    let stop = contest::listen_for_interrupt()?;
    let rungs = if args.ladder { args.rungs() } else { Vec::new() };
    let climb = Climb::new(&args.agent, &rungs, &args.at);
    let pairings: Vec<Pairing> =
        climb.pairings.iter().map(|&(a, b)| pairing(args, [&climb.players[a], &climb.players[b]])).collect();
    let yardsticks: Vec<Pairing> =
        args.at.iter().filter(|_| args.yardstick).map(|&setting| yardstick(args, setting)).collect();
    let mut progress = Progress::new("games", ((pairings.len() + yardsticks.len()) * args.games) as u64);
    let mut done = 0;
    let mut records = Vec::new();
    let mut play = |pairing: Pairing| -> Result<Summary> {
        let spec = MatchSpec {
            game: game.name().to_owned(),
            rules: game.rules(),
            players: pairing.players,
            budgets: pairing.budgets,
            margin: conditions.margin,
            openings: openings.clone(),
            adjudication: conditions.adjudication(),
            seed: conditions.seed,
        };
        let path = args.journal.as_ref().map(|directory| directory.join(pairing.name));
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
        Ok(Summary::of(&results))
    };
    let summaries: Vec<Summary> = pairings.into_iter().map(&mut play).collect::<Result<_>>()?;
    let yardsticks: Vec<Summary> = yardsticks.into_iter().map(&mut play).collect::<Result<_>>()?;
    drop(progress);
    if let Some(save) = save {
        save.write(records)?;
    }
    let number = climb.number_of(&args.agent);
    let against_engine = |(&(a, b), summary): (&(usize, usize), &Summary)| match climb.players[b] {
        Climber::Engine(setting) if a == number => Some(Played { setting, summary: summary.clone() }),
        _ => None,
    };
    let matches: Vec<Played> = climb.pairings.iter().zip(&summaries).filter_map(against_engine).collect();
    let yardstick = args.at.iter().zip(yardsticks).map(|(&setting, summary)| Played { setting, summary }).collect();
    let rated: Vec<Match> = matches.iter().map(Played::rated).collect();
    let direct = performance::rating(&rated);
    let fit = direct.difference.is_finite().then(|| performance::fit(&rated, direct.difference));
    let ladder = args.ladder.then(|| {
        let ratings = climb.ladder(summaries.iter()).ratings();
        OnLadder { climb, number, ratings, summaries }
    });
    let result = Rated { args, warnings, matches, yardstick, direct, fit, ladder };
    if out.json { result.print_json(out) } else { result.print(out) }
}

/// The match of two players of a ladder; the engine is never the first of them.
fn pairing(args: &EloArgs, players: [&Climber; 2]) -> Pairing {
    let line = |player: &Climber| match player {
        Climber::Agent(line) | Climber::Rung(line) => line.clone(),
        &Climber::Engine(setting) => args.engine(setting),
    };
    let budget = |player: &Climber| match player {
        Climber::Agent(_) => args.conditions.budget,
        // A rung is the same for whoever climbs.
        Climber::Rung(_) => Budget::UNLIMITED,
        Climber::Engine(_) => args.engine_budget(),
    };
    let part = |player: &Climber| match player {
        Climber::Agent(line) | Climber::Rung(line) => {
            let letters = line.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
            letters.take(100).collect::<String>()
        }
        Climber::Engine(setting) => setting.to_string(),
    };
    let name = match players {
        [Climber::Agent(_), Climber::Engine(setting)] if !args.ladder => format!("{setting}.jsonl"),
        // One directory can hold a whole ladder and whoever climbs it.
        [first, second] => format!("{}-v-{}.jsonl", part(first), part(second)),
    };
    Pairing { players: players.map(line), budgets: players.map(budget), name }
}

/// The engine against itself.
fn yardstick(args: &EloArgs, setting: u32) -> Pairing {
    let name = format!("{setting}-self.jsonl");
    Pairing { players: [args.engine(setting), args.engine(setting)], budgets: [args.engine_budget(); 2], name }
}
