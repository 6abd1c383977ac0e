//! `tesuji ladder`: all agents of a game on one scale, at equal processor time.
//!
//! | file | what it holds |
//! |---|---|
//! | [`args`] | what can be asked for |
//! | [`players`] | who stands on the ladder |
//! | [`mod@print`] | the result as a table, as JSON and as a picture |

mod args;
mod players;
mod print;

use crate::common::contest;
use crate::common::options::Common;
use crate::common::output::Output;
use crate::common::progress::Progress;
use anyhow::{Context, Result, anyhow, ensure};
pub use args::LadderArgs;
use players::Entrant;
use print::Standing;
use std::path::PathBuf;
use tesuji_arena::cost::Cost;
use tesuji_arena::journal::Journal;
use tesuji_arena::matches::{GameResult, MatchLength, MatchSpec, Summary, play_match};
use tesuji_arena::opening::Openings;
use tesuji_arena::standings::Standings;
use tesuji_core::AnyGame;
use tesuji_learn::Agents;
use tesuji_search::AgentSource;

/// Runs the subcommand.
pub fn run(args: &LadderArgs, common: &Common, out: &mut Output) -> Result<()> {
    args.check()?;
    let kit = tesuji_registry::kit(&args.game, common.rules)?;
    let agents = Agents::of(kit.as_ref());
    let game = agents.game();
    let entrants = players::entrants(args, game.as_ref());
    if args.list {
        return entrants.iter().try_for_each(|entrant| out.line(&entrant.name()));
    }
    ensure!(entrants.len() >= 2, "a ladder needs two players");
    for (place, entrant) in entrants.iter().enumerate() {
        // An agent at several times is one agent.
        if !entrants[..place].iter().any(|before| before.line == entrant.line) {
            contest::check_agent(&agents, &entrant.line)?;
        }
    }
    let journals = args.journals();
    std::fs::create_dir_all(&journals).with_context(|| format!("cannot make {journals:?}"))?;
    let games = Games { args, game: game.as_ref(), openings: args.openings(game.as_ref())?, entrants: &entrants };
    let stop = contest::listen_for_interrupt()?;
    let mut standings = Standings::new(entrants.len());
    let mut costs = vec![[Cost::default(); 2]; entrants.len() * entrants.len()];
    let mut enter = |standings: &mut Standings, (a, b): (usize, usize), results: &[GameResult]| {
        standings.set((a, b), results);
        costs[a * entrants.len() + b] = Summary::of(results).costs;
    };
    for pair in (0..entrants.len()).flat_map(|a| (a + 1..entrants.len()).map(move |b| (a, b))) {
        let path = games.path(pair);
        if path.exists() {
            enter(&mut standings, pair, Journal::open(&path, &games.spec(pair))?.results());
        }
    }
    // Each game counts for two.
    let mut progress = Progress::new("games", standings.games().max(args.games * entrants.len() as u64 / 2));
    while !contest::is_interrupted()
        && let Some((a, b)) = standings.next(args.games)
    {
        let spec = games.spec((a, b));
        let mut journal = Journal::open(&games.path((a, b)), &spec)?;
        let wanted = standings.games_between(a, b) + args.block;
        let length = MatchLength { games: wanted as usize, sprt: None, threads: args.threads };
        let make = spec.players.each_ref().map(|line| || contest::make_player(&agents, line));
        let before = standings.games() - standings.games_between(a, b);
        let mut show = |results: &[GameResult]| progress.set(before + results.len() as u64);
        let players = [&make[0] as _, &make[1] as _];
        let results = play_match(game.as_ref(), &spec, &length, players, Some(&mut journal), stop, &mut show)
            .map_err(|error| anyhow!(error))?;
        enter(&mut standings, (a, b), &results);
    }
    drop(progress);
    let mut spent = vec![Cost::default(); entrants.len()];
    for (place, [of_a, of_b]) in costs.into_iter().enumerate() {
        spent[place / entrants.len()] += of_a;
        spent[place % entrants.len()] += of_b;
    }
    Standing::new(args, game.as_ref(), &entrants, &standings, &spent).finish(out)
}

/// The games of a ladder.
struct Games<'a> {
    args: &'a LadderArgs,
    game: &'a dyn AnyGame,
    openings: Openings,
    entrants: &'a [Entrant],
}

impl Games<'_> {
    /// The match of two players; which of them is the first does not depend on who else is there.
    fn spec(&self, (a, b): (usize, usize)) -> MatchSpec {
        let both = [&self.entrants[a], &self.entrants[b]];
        MatchSpec {
            game: self.game.name().to_owned(),
            rules: self.game.rules(),
            players: both.map(|entrant| entrant.line.clone()),
            budgets: both.map(Entrant::budget),
            margin: std::time::Duration::from_secs(1),
            openings: self.openings.clone(),
            adjudication: self.args.adjudication(),
            seed: self.args.seed,
        }
    }

    /// The journal of two players: their names as far as a file's name may have them, and a number that tells apart
    /// those of equal beginnings.
    fn path(&self, (a, b): (usize, usize)) -> PathBuf {
        let names = [a, b].map(|player| self.entrants[player].name());
        let letters = |name: &str| -> String {
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect()
        };
        let number = names
            .join(" v ")
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let [first, second] = names.each_ref().map(|name| letters(name));
        self.args.journals().join(format!("{first}-v-{second}-{:08x}.jsonl", number as u32))
    }
}
